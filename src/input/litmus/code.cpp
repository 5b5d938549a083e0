// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/code.h"

#include <utility>

#include "input/litmus/raw.h"

namespace ptxmc::litmus {

namespace {

/// A parser that knows the variables of a program, all of them declared.
ParseState state_of(const SourcePtr& source, const program::Program& program) {
  ParseState state(source);
  state.test.source = source;
  state.test.native = state.ptx_declarations = state.blocks = true;
  for (Variable variable : program.variables) {
    variable.position = {};  // of another text
    state.add_variable(std::move(variable));
  }
  return state;
}

void refuse(const ParseState& state) {
  if (state.errors.any()) throw InputError(ptx::sorted(state.errors.diagnostics()));
}

}  // namespace

ConditionPtr read_condition(const SourcePtr& text, const program::Program& program) {
  ParseState state = state_of(text, program);
  for (const Thread& thread : program.threads) {
    RawThread raw;
    raw.thread.number = thread.number;
    state.thread_index.emplace(thread.number, state.threads.size());
    state.threads.push_back(std::move(raw));
  }
  ConditionPtr out;
  try {
    const std::vector<Token> tokens = lex(*text, {}, state.errors, kComments);
    Cursor cursor(tokens, 0, tokens.size() - 1, state.errors);
    out = parse_condition(state, cursor);
    if (out && !cursor.at_end()) cursor.expected("the end of the condition");
  } catch (const TooManyErrors&) {
    // recorded
  }
  refuse(state);
  return out;
}

}  // namespace ptxmc::litmus
