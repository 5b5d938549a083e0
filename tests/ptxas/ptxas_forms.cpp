// SPDX-License-Identifier: Apache-2.0
// ptxas_forms PTXAS SCRIPT ARGUED [--every N] [--show] [--counts] [--answers FILE]: which instruction forms are PTX, here
// and in the assembler.
//
// `SCRIPT --list` prints forms, right ones and slightly wrong ones: FAMILY, KIND and FORM, separated by tabs. Each
// becomes a kernel of its own for the assembler, and a litmus test of its own here. What only one of them takes must be
// argued: ARGUED has rows `SIDE | FORM | MESSAGE | REASON`, where SIDE takes the form, FORM and
// MESSAGE are regular expressions on the form and on what the other side says of it. A difference without a row is a
// failure, and so is a row without a difference when all forms are tried. --every N tries one form of N, always the
// same ones; --show prints the differences that are argued, too; --counts how many each row argues; --answers FILE keeps
// what the assembler said, and does not ask it again.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "assembler.h"
#include "forms.h"
#include "input/litmus/parse.h"
#include "support/diagnostic.h"

namespace fs = std::filesystem;
using namespace ptxmc;
using ptxmc::test::Assembler;
using ptxmc::test::Form;

namespace {

constexpr int kSkipped = 77;
constexpr std::array<const char*, 4> kTargets = {"sm_100a", "sm_90a", "sm_103a", "sm_120a"};

struct Argument {
  std::string side, row;
  std::regex form, message;
  std::size_t uses = 0;
};

/// What the reader of litmus tests says against the form; empty: it takes it.
std::string read(const std::string& form) {
  try {
    litmus::parse(std::make_shared<const Source>(Source{"form", test::litmus_of(form)}));
    return "";
  } catch (const InputError& error) {
    const std::string message = error.what();
    const std::size_t begin = message.find("error: ") + 7;
    return message.substr(begin, message.find('\n') - begin);
  }
}

constexpr std::string_view kNotTried = "not tried for any .target";

void assemble(const Assembler& assembler, std::vector<Form>& forms) {
  for (Form& form : forms) form.assembler = kNotTried;
  for (const char* target : kTargets) test::assemble_left(assembler, target, forms);
}

/// The answers of the file, or new ones, which it then holds.
void assemble(const Assembler& assembler, std::vector<Form>& forms, const std::string& answers) {
  if (answers.empty() || !fs::exists(answers)) {
    assemble(assembler, forms);
    if (answers.empty()) return;
    std::ofstream out(answers);
    for (const Form& form : forms) out << form.text << '\t' << form.assembler << '\n';
    return;
  }
  std::map<std::string, std::string> known;
  std::ifstream in(answers);
  for (std::string line; std::getline(in, line);)
    known[line.substr(0, line.find('\t'))] = line.substr(line.find('\t') + 1);
  for (Form& form : forms) {
    const auto found = known.find(form.text);
    if (found == known.end()) throw std::runtime_error("no answer about " + form.text + " in " + answers);
    form.assembler = found->second;
  }
}

std::vector<Argument> read_arguments(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<Argument> out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells;
    for (std::size_t begin = 0; cells.size() < 4;) {
      const std::size_t end = cells.size() == 3 ? std::string::npos : line.find(" | ", begin);
      cells.push_back(line.substr(begin, end == std::string::npos ? end : end - begin));
      if (end == std::string::npos) break;
      begin = end + 3;
    }
    const bool good = cells.size() == 4 && (cells[0] == "ptxas" || cells[0] == "ptxmc") && !cells[3].empty();
    if (!good) throw std::runtime_error("not `SIDE | FORM | MESSAGE | REASON`: " + line);
    out.push_back({cells[0], line, std::regex(cells[1]), std::regex(cells[2])});
  }
  return out;
}

/// The row that argues a difference; it is counted.
bool is_argued(std::vector<Argument>& arguments, const Form& form) {
  const bool by_assembler = form.assembler.empty();
  const std::string& message = by_assembler ? form.reader : form.assembler;
  for (Argument& argument : arguments) {
    if (argument.side != (by_assembler ? "ptxas" : "ptxmc") || !std::regex_search(form.text, argument.form) ||
        !std::regex_search(message, argument.message))
      continue;
    ++argument.uses;
    return true;
  }
  return false;
}

int compare(const std::vector<Form>& forms, std::vector<Argument>& arguments, bool show, bool all) {
  std::size_t agree = 0, argued = 0, failures = 0, taken = 0, are_ptx = 0;
  for (const Form& form : forms) {
    are_ptx += form.assembler.empty() ? 1 : 0;
    taken += form.assembler.empty() && form.reader.empty() ? 1 : 0;
    if (form.assembler.empty() == form.reader.empty()) {
      ++agree;
      continue;
    }
    const bool known = is_argued(arguments, form);
    ++(known ? argued : failures);
    if (known && !show) continue;
    fmt::print("{}: only {} takes `{}`; the other: {}\n", known ? "argued" : "DIFFERENCE",
               form.assembler.empty() ? "ptxas" : "ptxmc", form.text,
               form.assembler.empty() ? form.reader : form.assembler);
  }
  for (const Argument& argument : arguments) {
    if (!all || argument.uses > 0) continue;
    ++failures;
    fmt::print("ARGUES NOTHING: {}\n", argument.row);
  }
  fmt::print(
      "{} forms: both agree on {}, {} differences are argued; {} are PTX, of these {} are taken; {} "
      "failures\n",
      forms.size(), agree, argued, are_ptx, taken, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) {
    fmt::print(stderr,
               "usage: ptxas_forms PTXAS SCRIPT ARGUED [--every N] [--show] [--counts] [--answers FILE]\n");
    return 2;
  }
  std::uint64_t every = 1;
  bool show = false, counts = false;
  std::string answers;
  for (int i = 4; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--show") show = true;
    if (word == "--counts") counts = true;
    if (word == "--answers" && i + 1 < argc) answers = argv[++i];
    if (word == "--every" && i + 1 < argc) every = std::stoul(argv[++i]);
  }
  if (!fs::exists(argv[1])) return fmt::print("SKIPPED: no assembler\n"), kSkipped;
  if (!fs::exists(argv[2])) return fmt::print("SKIPPED: no forms in {}\n", argv[2]), kSkipped;
  std::vector<Argument> arguments = read_arguments(argv[3]);
  std::vector<Form> forms = test::read_forms(argv[2], every);
  for (Form& form : forms) form.reader = read(form.text);
  assemble(Assembler(argv[1]), forms, answers);
  const int status = compare(forms, arguments, show, every == 1);
  if (counts) {
    for (const Argument& argument : arguments) fmt::print("{:5} {}\n", argument.uses, argument.row);
  }
  return status;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
