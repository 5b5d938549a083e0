// SPDX-License-Identifier: Apache-2.0
// `.test` files -> tests: a row of the table, or the file without one, is a program; every permit and assert
// gets a copy of it, with all constraints as its filter. An error of the common text is found once a row,
// reported once.
#include "input/litmus/nvidia.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "input/litmus/nvidia_program.h"
#include "input/litmus/nvidia_table.h"
#include "input/litmus/raw.h"
#include "support/check.h"

namespace ptxmc::litmus {

namespace {

constexpr std::size_t kMaxCopied = 16u << 20;  // bytes of program text, over all tests of a file

std::string stem_of(std::string_view file) {
  file = file.substr(file.find_last_of('/') + 1);  // npos + 1 is 0
  if (is_nvidia_name(file)) file.remove_suffix(std::string_view(".test").size());
  std::string out(file);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c <= ' ' || c > '~'; }, '_');
  return out.empty() ? "test" : out;
}

/// The tests of a file, row by row, and its errors, each once.
class File {
 public:
  explicit File(SourcePtr file) : file_(std::move(file)), errors_(file_), stem_(stem_of(file_->name)) {}

  std::vector<Test> run() {
    try {
      check_size(*file_, errors_);
      ptx::check_characters(*file_, errors_);
      const std::vector<TableRow> rows = expand_table(file_, errors_);
      if (!errors_.any()) {
        for (std::size_t i = 0; i < rows.size(); ++i) row(rows[i], i + 1);
        report(rows.size());
      }
    } catch (const TooManyErrors&) {
      // recorded
    }
    if (errors_.any()) throw InputError(ptx::sorted(errors_.diagnostics()));
    return std::move(tests_);
  }

 private:
  void row(const TableRow& row, std::size_t number);
  void report(std::size_t rows);
  void add(const Test& program, const NvidiaProgram& parsed, const TableRow& row, std::size_t number);

  SourcePtr file_;
  Errors errors_;
  std::string stem_;
  std::size_t copied_ = 0;
  std::vector<Test> tests_;
  struct Seen {
    FileError error;
    std::uint32_t line = 0;  // of the first row that has it
    std::size_t rows = 0;    // that have it
  };
  std::vector<Seen> seen_;
};

void File::row(const TableRow& row, std::size_t number) {
  ParseState state(row.source);
  state.test.source = row.source;
  try {
    check_size(*row.source, state.errors);
    const std::vector<Token> tokens = lex(*row.source, Place{}, state.errors, kComments);
    Cursor cursor(tokens, 0, tokens.size() - 1, state.errors);
    const NvidiaProgram program = parse_nvidia_program(state, cursor);
    finish_threads(state);
    if (!state.errors.any()) add(state.test, program, row, number);
  } catch (const TooManyErrors&) {
    // recorded
  }
  for (const Diagnostic& d : state.errors.diagnostics().all()) {
    FileError error = in_file(row, d.position, d.message);
    const auto known = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& seen) {
      return seen.error.position == error.position && seen.error.message == error.message;
    });
    if (known == seen_.end()) {
      if (seen_.size() <= Errors::kLimit) seen_.push_back({std::move(error), row.line, 1});
    } else {
      ++known->rows;
    }
  }
}

// What only some rows make wrong names the first of them.
void File::report(std::size_t rows) {
  for (Seen& seen : seen_) {
    const bool all = seen.rows >= rows || seen.error.in_cell;
    errors_.error(seen.error.position,
                  all ? std::move(seen.error.message)
                      : fmt::format("{} (with the cells of line {})", seen.error.message, seen.line));
  }
}

void File::add(const Test& program, const NvidiaProgram& parsed, const TableRow& row, std::size_t number) {
  const std::vector<ConditionPtr>& constraints = parsed.constraints;
  for (const NvidiaProperty& property : parsed.properties) {
    if (property.kind == PropertyKind::require) continue;
    copied_ += row.source->text.size();
    if (copied_ > kMaxCopied) {
      errors_.error({},
                    fmt::format("the tests of this file have more than {} bytes of programs", kMaxCopied));
      throw TooManyErrors();
    }
    const bool permit = property.kind == PropertyKind::permit;
    Test& test = tests_.emplace_back(program);
    test.name = fmt::format("{}:{}", stem_, property.name);
    if (row.line != 0) test.name += fmt::format("#{}", number);
    test.property.quantifier = permit ? Quantifier::exists : Quantifier::forall;
    test.property.condition = property.condition;
    if (constraints.size() == 1) test.property.filter = constraints.front();
    if (constraints.size() > 1) {
      test.property.filter = std::make_shared<const Condition>(
          Condition{Conjunction{constraints}, constraints.front()->position});
    }
    Verdict verdict;
    verdict.proposition = permit ? Stated::allowed : Stated::required;
    verdict.position = property.position;
    test.verdicts.push_back(std::move(verdict));
  }
}

}  // namespace

std::vector<Test> parse_nvidia(SourcePtr source) {
  PTXMC_CHECK(source != nullptr, "parse_nvidia needs a source");
  return File(std::move(source)).run();
}

bool is_nvidia_name(std::string_view file) {
  return file.ends_with(".test");
}

}  // namespace ptxmc::litmus
