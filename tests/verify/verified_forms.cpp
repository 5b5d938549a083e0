// SPDX-License-Identifier: Apache-2.0
// verified_forms SCRIPT ARGUED [--show]: which instruction forms `verify` runs: all, but for those that are argued.
//
// `SCRIPT --list` prints forms: FAMILY, KIND and FORM, separated by tabs. Those that the reader takes are run, each in a
// kernel of its own, by the 32 lanes of a warp, and so is a form of each row of the form table that no form of the script is
// of: one that is made here of simple operands, or `form FORM` of ARGUED. One that is refused must be argued: ARGUED has rows
// `FORM | MESSAGE | REASON`, regular expressions on the form and on what is said of it, and `row NAME | | REASON` for a row
// that has no form. A row that argues nothing is a failure.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "dynamic/exec/run.h"
#include "dynamic/shadow/detector.h"
#include "input/litmus/parse.h"
#include "ptx/isa/table.h"
#include "support/diagnostic.h"

namespace fs = std::filesystem;
using namespace ptxmc;

namespace {

struct Argument {
  std::string row;
  std::regex form, message;
  std::string table_row;  // or of the table
  std::size_t uses = 0;
};

/// What the forms name.
constexpr std::string_view kObjects =
    ".global .align 128 .b32 x[32];\n.shared .align 128 .b32 s[64];\n.shared .align 8 .b64 mb;\n"
    ".shared .align 128 .b32 ts[32];\n.const .align 128 .b32 c[32];\n.const .align 128 .b32 tmc[32];\n"
    ".global .align 128 .b32 tm[32];\n.global .align 128 .b32 tm1[32];\n.global .align 128 .b32 tm2[32];\n"
    ".global .align 128 .b32 tm3[32];\n.global .align 128 .b32 tm4[32];\n.global .align 128 .b32 tm5[32];\n"
    ".param .align 16 .b32 p[16];\n.local .align 128 .b32 l[32];\n";
constexpr std::string_view kRegisters =
    ".reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<264>; .reg .b64 %rd<64>; .reg .b128 %q<8>; "
    ".reg .b32 %tt, %id, %as, %am, %amb; .reg .b64 %ax, %st, %cp, %da, %db, %tp, %as64;";

/// The forms of a script, each once.
std::set<std::string> read_forms(const std::string& script) {
  std::FILE* pipe = ::popen(fmt::format("python3 '{}' --list", script).c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + script);
  std::string text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  if (::pclose(pipe) != 0) throw std::runtime_error("no forms from " + script);
  std::set<std::string> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    out.insert(line.substr(line.rfind('\t') + 1));
  }
  return out;
}

/// Those that ARGUED adds go to `forms`.
std::vector<Argument> read_arguments(const std::string& path, std::set<std::string>& forms) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<Argument> out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("form ")) {
      forms.insert(line.substr(5));
      continue;
    }
    const std::size_t first = line.find(" | ");
    const std::size_t second = first == std::string::npos ? first : line.find(" | ", first + 2);
    if (second == std::string::npos || second + 3 >= line.size())
      throw std::runtime_error("not `FORM | MESSAGE | REASON`: " + line);
    Argument argument;
    argument.row = line;
    const std::string form = line.substr(0, first);
    const std::size_t message = std::min(first + 3, second);
    if (form.starts_with("row ")) {
      argument.table_row = form.substr(4);
    } else {
      argument.form = form;
      argument.message = line.substr(message, second - message);
    }
    out.push_back(std::move(argument));
  }
  return out;
}

/// A warp that executes the form; nothing: the reader does not take it.
std::optional<program::Program> program_of(const std::string& form) {
  const std::string text =
      fmt::format("PTX form\n{{\n{}}}\nP0 @ cta 0 {{\n{}\n{}\nEND: ret;\n}}\nforall (true)\n", kObjects,
                  kRegisters, form);
  try {
    program::Program out = litmus::parse(std::make_shared<const Source>(Source{"form", text}));
    const program::Thread first = out.threads.front();
    out.threads.clear();
    for (int lane = 0; lane < 32; ++lane) {
      program::Thread& thread = out.threads.emplace_back(first);
      thread.number = lane;
      thread.placement.warp = 0;
      thread.placement.lane = lane;
    }
    return out;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Which row of the table it is of.
const isa::Form* row_of(const std::string& form) {
  std::string name = form.substr(0, form.find_first_of(" ;"));
  const isa::Resolution found = isa::resolve(name, isa::Notation::any);
  return found.resolved ? found.resolved->form : nullptr;
}

/// What is said of it; empty: it runs.
std::string run(const program::Program& program) {
  constexpr std::uint64_t kSteps = 100'000;
  try {
    trace::Detector detector;
    exec::Run run(program, &detector);
    exec::Options options;
    options.steps = kSteps;
    run.run(options);
    return "";
  } catch (const InputError& error) {
    const std::string message = error.what();
    const std::size_t begin = message.find("error: ") + 7;
    return message.substr(begin, message.find('\n') - begin);
  }
}

bool is_argued(std::vector<Argument>& arguments, const std::string& form, const std::string& message) {
  for (Argument& argument : arguments) {
    if (!argument.table_row.empty() || !std::regex_search(form, argument.form) ||
        !std::regex_search(message, argument.message))
      continue;
    ++argument.uses;
    return true;
  }
  return false;
}

/// A simple operand for a place; empty: there is none.
std::string operand_for(const isa::Place& place, const isa::Modifiers& m) {
  const auto use = isa::use_of(place, m);
  const std::uint16_t bits = use ? use->bits : 32;
  const std::string reg = bits == 1    ? "%p1"
                          : bits <= 16 ? "%h1"
                          : bits <= 32 ? "%r1"
                          : bits <= 64 ? "%rd1"
                                       : "%q1";
  switch (place.kind) {
    case isa::Kind::integer:
      return "1";
    case isa::Kind::address: {
      const isa::Space space = isa::space_of(place, m);
      return space == isa::Space::shared || space == isa::Space::shared_cta ||
                     space == isa::Space::shared_cluster
                 ? "[s]"
                 : "[x]";
    }
    case isa::Kind::label:
      return "END";
    case isa::Kind::destination:
    case isa::Kind::destination_or_sink:
    case isa::Kind::destination_or_pair:
    case isa::Kind::destination_or_vector:
    case isa::Kind::source:
    case isa::Kind::number:
    case isa::Kind::register_:
    case isa::Kind::predicate:
    case isa::Kind::predicate_or_number:
    case isa::Kind::source_or_vector:
      return reg;
    default:
      return "";
  }
}

/// A form of a row, with the first word of each group that it must have; empty: its operands are not simple.
std::string simple_form(const isa::Form& row) {
  std::string name(row.base);
  for (const std::string_view word : isa::split_words(row.selector)) name += fmt::format(".{}", word);
  for (const isa::Choice& choice : row.choices) {
    if (choice.required) name += fmt::format(".{}", isa::split_words(choice.words).front());
  }
  const isa::Resolution found = isa::resolve(name, isa::Notation::any);
  if (!found.resolved) return "";
  std::string operands;
  for (const isa::Place& place : found.resolved->operands) {
    if (place.optional) continue;
    const std::string operand = operand_for(place, found.resolved->modifiers);
    if (operand.empty()) return "";
    operands += (operands.empty() ? " " : ", ") + operand;
  }
  return name + operands + ";";
}

/// Rows of the table without a form; returns how many are not argued.
std::size_t check_rows(const std::set<const isa::Form*>& met, std::vector<Argument>& arguments) {
  std::size_t failures = 0;
  for (const isa::Form& row : isa::forms()) {
    if (met.contains(&row)) continue;
    const std::string name =
        row.selector.empty() ? std::string(row.base) : fmt::format("{} {}", row.base, row.selector);
    bool known = row.notation == isa::Notation::short_form;
    for (Argument& argument : arguments) {
      if (argument.table_row != name) continue;
      known = true;
      ++argument.uses;
    }
    if (known) continue;
    ++failures;
    fmt::print("NO FORM of the row {}\n", name);
  }
  return failures;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    fmt::print(stderr, "usage: verified_forms SCRIPT ARGUED [--show]\n");
    return 2;
  }
  if (!fs::exists(argv[1])) return fmt::print("SKIPPED: no suites\n"), 0;
  const bool show = argc > 3 && std::string_view(argv[3]) == "--show";
  std::set<std::string> forms = read_forms(argv[1]);
  std::vector<Argument> arguments = read_arguments(argv[2], forms);
  for (const isa::Form& row : isa::forms()) {
    if (const std::string form = simple_form(row); !form.empty()) forms.insert(form);
  }
  std::size_t runs = 0, argued = 0, failures = 0;
  std::set<const isa::Form*> met;
  for (const std::string& form : forms) {
    const auto program = program_of(form);
    if (!program || program->threads.front().code().empty()) continue;
    met.insert(row_of(form));
    const std::string message = run(*program);
    if (message.empty()) {
      ++runs;
    } else if (is_argued(arguments, form, message)) {
      ++argued;
      if (show) fmt::print("argued: `{}`: {}\n", form, message);
    } else {
      ++failures;
      fmt::print("REFUSED: `{}`: {}\n", form, message);
    }
  }
  failures += check_rows(met, arguments);
  for (const Argument& argument : arguments) {
    if (argument.uses > 0) continue;
    ++failures;
    fmt::print("ARGUES NOTHING: {}\n", argument.row);
  }
  fmt::print("{} forms run, {} refusals are argued, {} failures\n", runs, argued, failures);
  return failures == 0 ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
