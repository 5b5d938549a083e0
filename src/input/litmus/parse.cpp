// SPDX-License-Identifier: Apache-2.0
// The parser's table of contents: header, tokens, initial state, code, scope trees, condition.
//
// Recursive descent with recovery: an error is recorded and the parser goes on at the next statement, cell,
// item or section, so that one run reports every mistake of a file. Statements are read first and resolved
// when the code section is complete, because one ambiguity (bar.cta.*) is settled by the whole file. Depths
// and sizes are bounded: no input exhausts stack or memory.
#include "input/litmus/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "input/litmus/header.h"
#include "input/litmus/raw.h"
#include "support/check.h"
#include "support/nearest.h"

namespace ptxmc::litmus {

namespace {

constexpr std::size_t kMaxBytes = 4u << 20;
constexpr std::size_t kMaxLine = 1u << 16;

void parse_sections(ParseState& state, Cursor& cursor) {
  if (!cursor.expect("{", "and the initial state")) return;
  parse_init(state, cursor);
  if (at_kernels(cursor)) parse_kernels(state, cursor);
  parse_code(state, cursor);
  resolve_code(state);
  while (at_section(cursor) &&
         (cursor.is_word("scopes") || cursor.is_word("ScopeTree") || cursor.is_word("regions"))) {
    if (!cursor.is_word("regions")) {
      parse_scopes(state, cursor);
    } else {
      parse_regions(state, cursor);
    }
    while (!cursor.at_end() && !at_section(cursor)) {
      if (!state.errors.any()) cursor.expected("scopes, regions, or a condition");
      cursor.take();
    }
  }
  parse_final(state, cursor);
  check_init(state);
  check_kernels(state);
  check_uses(state);
  finish_threads(state);
}

}  // namespace

void check_size(const Source& source, Errors& errors) {
  if (source.text.size() > kMaxBytes) {
    errors.error({}, fmt::format("a litmus file has at most {} bytes", kMaxBytes));
    throw TooManyErrors();
  }
  std::size_t begin = 0;
  for (std::uint32_t line = 1; begin < source.text.size(); ++line) {
    const std::size_t end = std::min(source.text.find('\n', begin), source.text.size());
    if (end - begin > kMaxLine) {
      errors.error({line, 1}, fmt::format("a line of a litmus file has at most {} bytes", kMaxLine));
      throw TooManyErrors();
    }
    begin = end + 1;
  }
}

void ParseState::add_variable(Variable variable) {
  if (test.variables.size() == kMaxVariables) {
    errors.error(variable.position, fmt::format("more than {} variables", kMaxVariables));
    throw TooManyErrors();
  }
  if (variable.name == "true" || variable.name == "false" || variable.name == "not") {
    errors.error(variable.position,
                 fmt::format("`{}` is a word of conditions, it cannot name a variable", variable.name));
  }
  variable_index.emplace(variable.name, test.variables.size());
  test.variables.push_back(std::move(variable));
}

Variable* ParseState::find_variable(std::string_view name) {
  const auto found = variable_index.find(name);
  return found == variable_index.end() ? nullptr : &test.variables[found->second];
}

void ParseState::use_variable(std::string_view name, Position position) {
  if (const auto used = implicit.find(name); used != implicit.end()) ++used->second.count;
  if (find_variable(name) != nullptr) return;
  if (ptx_declarations) {
    const std::string known(name);
    const std::vector<std::string> others = variable_names(known);
    const std::optional<std::string> near = nearest(known, others);
    std::vector<Note> notes;
    const Position first = near ? find_variable(*near)->position : Position{};
    if (first.known()) notes.push_back({first, fmt::format("`{}` is declared here", *near)});
    errors.error(position, fmt::format("undeclared variable `{}`{}", name, did_you_mean(known, others, "")),
                 std::move(notes));
  }
  implicit.emplace(std::string(name), ImplicitUse{position, 1});
  Variable variable;
  variable.name = std::string(name);
  variable.position = position;
  add_variable(std::move(variable));
}

std::vector<std::string> ParseState::variable_names(std::string_view but) const {
  std::vector<std::string> out;
  for (const Variable& variable : test.variables) {
    if (variable.name != but) out.push_back(variable.name);
  }
  return out;
}

RawThread* ParseState::find_thread(int number) {
  const auto found = thread_index.find(number);
  return found == thread_index.end() ? nullptr : &threads[found->second];
}

void ParseState::check_thread(int number, Position position) {
  if (threads_incomplete || find_thread(number) != nullptr) return;
  errors.error(position, fmt::format("unknown thread `P{}`", number));
}

Test parse(SourcePtr source, std::vector<Diagnostic>* warnings) {
  PTXMC_CHECK(source != nullptr, "parse needs a source");
  ParseState state(source);
  state.test.source = std::move(source);
  const Source& read = *state.test.source;
  try {
    check_size(read, state.errors);
    const Place begin = parse_header(read, state.test, state.errors);
    const bool complete = begin.offset < read.text.size();
    const std::vector<Token> tokens = lex(read, begin, state.errors, kComments);
    Cursor cursor(tokens, 0, tokens.size() - 1, state.errors);
    if (complete) parse_sections(state, cursor);
    if (!state.errors.any()) ptx::check_characters(read, state.errors);
  } catch (const TooManyErrors&) {
    // recorded
  }
  if (state.errors.any()) throw InputError(ptx::sorted(state.errors.diagnostics()));
  std::stable_sort(
      state.warnings.begin(), state.warnings.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::pair(a.position.line, a.position.column) < std::pair(b.position.line, b.position.column);
      });
  if (warnings != nullptr) *warnings = std::move(state.warnings);
  return std::move(state.test);
}

}  // namespace ptxmc::litmus
