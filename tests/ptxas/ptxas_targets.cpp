// SPDX-License-Identifier: Apache-2.0
// ptxas_targets PTXAS SCRIPT ARGUED [--every N] [--show]: which target has which instruction form, here (launch::has) and in the
// assembler, of the forms that SCRIPT lists and both take for some target.
//
// ARGUED has rows `TARGET | FORM | REASON`, where TARGET and FORM are regular expressions. A difference without a row is a failure.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "assembler.h"
#include "forms.h"
#include "input/launch/devices.h"
#include "input/launch/target_gates.h"
#include "input/litmus/parse.h"
#include "support/diagnostic.h"

using namespace ptxmc;
using ptxmc::test::Assembler;
using ptxmc::test::Form;

namespace {

constexpr int kSkipped = 77;
// Those that have most come first: what they refuse is asked of no other one.
constexpr const char* kTargets[] = {"sm_100a", "sm_90a", "sm_103a", "sm_120a", "sm_100f", "sm_103f",
                                    "sm_120f", "sm_103", "sm_120",  "sm_100",  "sm_90",   "sm_89",
                                    "sm_87",   "sm_86",  "sm_80",   "sm_75"};

struct Argued {
  std::regex target, form;
  std::size_t uses = 0;
};

std::vector<Argued> read_argued(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<Argued> out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t first = line.find(" | "), second = line.find(" | ", first + 3);
    if (second == std::string::npos) throw std::runtime_error("not `TARGET | FORM | REASON`: " + line);
    out.push_back(
        {std::regex(line.substr(0, first)), std::regex(line.substr(first + 3, second - first - 3))});
  }
  return out;
}

/// The instructions of a form; nothing: it is not taken here.
std::optional<std::vector<program::Instruction>> read(const std::string& form) {
  try {
    const auto test = litmus::parse(std::make_shared<const Source>(Source{"form", test::litmus_of(form)}));
    const auto& code = test.threads.front().code();
    return std::vector<program::Instruction>(code.begin(), code.end());
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// By target: does the assembler take the form?
std::vector<std::vector<bool>> taken_by(const Assembler& assembler, const std::vector<Form>& forms) {
  std::vector<std::vector<bool>> out;
  for (const char* target : kTargets) {
    std::vector<Form> asked = forms;
    for (Form& form : asked) form.assembler = "not tried";
    test::assemble_left(assembler, target, asked);
    std::vector<bool>& taken = out.emplace_back();
    for (const Form& form : asked) taken.push_back(form.assembler.empty());
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4)
    return fmt::print(stderr, "usage: ptxas_targets PTXAS SCRIPT ARGUED [--every N] [--show]\n"), 2;
  std::uint64_t every = 1;
  bool show = false;
  for (int i = 4; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--show") show = true;
    if (word == "--every" && i + 1 < argc) every = std::stoul(argv[++i]);
  }
  if (!std::filesystem::exists(argv[1])) return fmt::print("SKIPPED: no assembler\n"), kSkipped;
  if (!std::filesystem::exists(argv[2])) return fmt::print("SKIPPED: no forms in {}\n", argv[2]), kSkipped;
  std::vector<Argued> argued = read_argued(argv[3]);
  std::vector<Form> forms;
  std::vector<std::vector<program::Instruction>> code;
  for (Form& form : test::read_forms(argv[2], every)) {
    auto instructions = read(form.text);
    if (!instructions) continue;
    forms.push_back(std::move(form));
    code.push_back(std::move(*instructions));
  }
  const auto taken = taken_by(Assembler(argv[1]), forms);
  std::size_t compared = 0, excused = 0, failures = 0;
  for (std::size_t f = 0; f < forms.size(); ++f) {
    const bool is_form = std::any_of(taken.begin(), taken.end(), [&](const auto& by) { return by[f]; });
    for (std::size_t t = 0; is_form && t < taken.size(); ++t) {
      ++compared;
      const auto target = launch::target_of(kTargets[t]);
      const bool here = std::all_of(code[f].begin(), code[f].end(),
                                    [&](const auto& one) { return launch::has(*target, one); });
      if (here == taken[t][f]) continue;
      const auto row = std::find_if(argued.begin(), argued.end(), [&](const Argued& one) {
        return std::regex_search(kTargets[t], one.target) && std::regex_search(forms[f].text, one.form);
      });
      ++(row == argued.end() ? failures : excused);
      if (row != argued.end()) ++row->uses;
      if (row != argued.end() && !show) continue;
      fmt::print("{}: {} has `{}` {}\n", row == argued.end() ? "DIFFERENCE" : "argued", kTargets[t],
                 forms[f].text, here ? "here alone" : "by ptxas alone");
    }
  }
  fmt::print("{} forms, {} answers: {} differences are argued, {} failures\n", forms.size(), compared,
             excused, failures);
  return failures == 0 && compared != 0 ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
