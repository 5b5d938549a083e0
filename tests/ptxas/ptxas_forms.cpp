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
#include "input/litmus/parse.h"
#include "support/diagnostic.h"

namespace fs = std::filesystem;
using namespace ptxmc;
using ptxmc::test::Assembler;
using ptxmc::test::Assembly;

namespace {

constexpr int kSkipped = 77;
constexpr std::size_t kBatch = 60;  // kernels a module
constexpr int kKernelLines = 3;
constexpr std::array<const char*, 4> kTargets = {"sm_100a", "sm_90a", "sm_103a", "sm_120a"};

struct Form {
  std::string text;
  std::string assembler;   // what it says against the form; empty: it takes it
  bool malformed = false;  // it cannot be parsed, whatever the target
  std::string reader;
};

struct Argument {
  std::string side, row;
  std::regex form, message;
  std::size_t uses = 0;
};

/// What the forms name. They name `p`, a parameter of the kernel, and `l`, its local memory, too.
constexpr std::string_view kObjects =
    ".global .align 128 .b32 x[32];\n.shared .align 128 .b32 s[64];\n.shared .align 8 .b64 mb;\n"
    ".shared .align 128 .b32 ts[32];\n.const .align 128 .b32 c[32];\n.const .align 128 .b32 tmc[32];\n"
    ".global .align 128 .b32 tm[32];\n.global .align 128 .b32 tm1[32];\n.global .align 128 .b32 tm2[32];\n"
    ".global .align 128 .b32 tm3[32];\n.global .align 128 .b32 tm4[32];\n.global .align 128 .b32 tm5[32];\n";
constexpr std::string_view kRegisters =
    ".reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<264>; .reg .b64 %rd<64>; .reg .b128 %q<8>; "
    ".reg .b32 %tt, %id, %as, %am, %amb; .reg .b64 %ax, %st, %cp, %da, %db, %tp, %as64;";

/// Three lines, the form on the second.
std::string kernel(std::size_t number, const std::string& form) {
  return fmt::format(
      ".visible .entry k{}(.param .align 16 .b32 p[16]) {{ .local .align 128 .b32 l[32]; {}\n{}\nEND: ret; "
      "}}\n",
      number, kRegisters, form);
}

/// What the reader of litmus tests says against the form; empty: it takes it.
std::string read(const std::string& form) {
  const std::string text = fmt::format(
      "PTX form\n{{\n{}.param .align 16 .b32 p[16];\n.local .align 128 .b32 l[32];\n}}\nP0 @ cta 0 "
      "{{\n{}\n{}\nEND: ret;\n}}\n"
      "forall (true)\n",
      kObjects, kRegisters, form);
  try {
    litmus::parse(std::make_shared<const Source>(Source{"form", text}));
    return "";
  } catch (const InputError& error) {
    const std::string message = error.what();
    const std::size_t begin = message.find("error: ") + 7;
    return message.substr(begin, message.find('\n') - begin);
  }
}

bool is_of_syntax(const std::string& message) {
  return message.find("syntax") != std::string::npos || message.find("Parsing") != std::string::npos;
}

/// Those of a batch that the assembler takes for a target get an empty message, the others one that is not about the
/// target, where there is such. An error of
/// syntax may hide what comes behind it, so that what it named is taken out and the rest tried again.
void assemble(const Assembler& assembler, const char* target, std::vector<Form*> left) {
  const std::string top = fmt::format(".version 9.0\n.target {}\n.address_size 64\n{}", target, kObjects);
  const int first = static_cast<int>(std::count(top.begin(), top.end(), '\n')) + 1;
  while (!left.empty()) {
    std::string text = top;
    for (std::size_t i = 0; i < left.size(); ++i) text += kernel(i, left[i]->text);
    const Assembly result = assembler.run(text, target);
    if (result.accepted) {
      for (Form* form : left) form->assembler.clear();
      return;
    }
    std::map<std::size_t, std::string> wrong;
    for (const auto& [line, message] : result.errors) {
      if (line < first) continue;  // some messages name no line of the text
      wrong.emplace(static_cast<std::size_t>((line - first) / kKernelLines), message);
      if (is_of_syntax(message)) break;
    }
    static const std::regex named(R"((?:error|fatal)\s*: (.*\bk(\d+)\b.*))");
    std::smatch match;
    if (wrong.empty() && std::regex_search(result.output, match, named))
      wrong.emplace(std::stoul(match[2]), match[1]);
    if (wrong.empty() && left.size() == 1) wrong.emplace(0, "no message: " + result.output.substr(0, 200));
    if (wrong.empty()) {
      const auto middle = left.begin() + static_cast<std::ptrdiff_t>(left.size() / 2);
      assemble(assembler, target, {left.begin(), middle});
      return assemble(assembler, target, {middle, left.end()});
    }
    std::vector<Form*> rest;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const auto found = wrong.find(i);
      if (found == wrong.end()) {
        rest.push_back(left[i]);
      } else {
        std::string& message = left[i]->assembler;
        if (message.empty() || message.find(".target") != std::string::npos) message = found->second;
        left[i]->malformed = is_of_syntax(found->second);
      }
    }
    left = std::move(rest);
  }
}

constexpr std::string_view kNotTried = "not tried for any .target";

void assemble(const Assembler& assembler, std::vector<Form>& forms) {
  for (Form& form : forms) form.assembler = kNotTried;
  for (const char* target : kTargets) {
    std::vector<Form*> batch;
    const auto flush = [&] {
      assemble(assembler, target, batch);
      batch.clear();
    };
    for (Form& form : forms) {
      if (form.assembler.empty() || form.malformed) continue;
      batch.push_back(&form);
      if (batch.size() == kBatch) flush();
    }
    flush();
  }
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

/// FNV-1a
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash >> 17;
}

std::vector<Form> read_forms(const std::string& script, std::uint64_t every) {
  std::FILE* pipe = ::popen(fmt::format("python3 '{}' --list --limit 1000000", script).c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + script);
  std::string text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  if (::pclose(pipe) != 0) throw std::runtime_error("no forms from " + script);
  std::vector<Form> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const std::string form = line.substr(line.rfind('\t') + 1);
    if (hash_of(form) % every == 0) out.push_back({form, "", false, ""});
  }
  return out;
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
  std::vector<Form> forms = read_forms(argv[2], every);
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
