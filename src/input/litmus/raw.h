// SPDX-License-Identifier: Apache-2.0
// What the parts of the parser share: the test so far, and threads whose statements are read but not yet
// resolved (whether `bar.cta.sync` is a short form is known only after the whole code section was seen).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "input/litmus/test.h"
#include "input/litmus/words.h"
#include "ptx/resolve/code.h"

namespace ptxmc::litmus {

using resolve::RawName;
using resolve::RawOperand;
using resolve::RawStatement;
using resolve::RegisterUse;

/// Whose code a thread's is, and where it runs.
struct ThreadDraft {
  int number = 0;
  Placement placement;
  Position position;
};

struct RawThread : resolve::Code {
  ThreadDraft thread;
  std::optional<std::size_t> same_body;  // `threads N`: the one whose text it shares
  bool placed = false;                   // by an @
  int lanes = 0;                         // `threads N`: as many lanes run the code, one litmus thread each
};

/// A variable that is used and not declared.
struct ImplicitUse {
  Position first;
  std::size_t count = 0;
};

constexpr std::size_t kMaxVariables = 4096;
constexpr std::size_t kMaxThreads = 1024;

struct ParseState {
  explicit ParseState(SourcePtr source) : errors(std::move(source)) {}

  Errors errors;
  std::vector<Diagnostic> warnings;
  Test test;
  std::vector<RawThread> threads;
  std::map<std::string, std::size_t, std::less<>> variable_index;
  std::set<std::pair<int, std::string>> initialised;  // registers in the initial state
  std::map<int, std::size_t> thread_index;
  std::map<std::string, ImplicitUse, std::less<>> implicit;
  RawThread kernel_calls;         // of the section `kernels`
  bool ptx_declarations = false;  // .global ... in the initial state, or .reg
  bool blocks = false;            // code in thread blocks
  // a thread's head was wrong: do not report its number as unknown elsewhere
  bool threads_incomplete = false;

  Variable* find_variable(std::string_view name);
  /// Adds a variable; reports when there are too many.
  void add_variable(Variable variable);
  /// Adds a variable that code or a condition uses, unless it is there already; in a file with PTX declarations
  /// that is an error.
  void use_variable(std::string_view name, Position position);
  /// All variables but this one.
  std::vector<std::string> variable_names(std::string_view but) const;
  RawThread* find_thread(int number);
  /// Reports a thread that the code section does not have.
  void check_thread(int number, Position position);
};

/// Bounds what the parser and its messages, which quote whole lines, can cost. Throws TooManyErrors.
void check_size(const Source& source, Errors& errors);
/// "[global] x=0; ..." between the braces: `cursor` stands behind the `{`; moves it behind the `}`.
void parse_init(ParseState& state, Cursor& cursor);
/// `tensor(...)`, the value of a tensor map (parse_tensor_map.cpp); reports what is wrong.
std::optional<TensorMap> parse_tensor_map(Cursor& cursor);
/// `.shared .u32 s[4];` in a thread's body: a variable of the test. Threads that declare it alike mean the same.
void declare_in_body(ParseState& state, const ptx::Variable& declared);
/// Columns or thread blocks.
void parse_code(ParseState& state, Cursor& cursor);
/// Is the cursor at `kernels {`?
bool at_kernels(const Cursor& cursor);
/// The section `kernels { ... }` (kernels.cpp).
void parse_kernels(ParseState& state, Cursor& cursor);
/// What can be judged only when threads and their places are known.
void check_kernels(ParseState& state);
/// `scopes: (...)` and `regions: ...`, behind the code.
void parse_scopes(ParseState& state, Cursor& cursor);
void parse_regions(ParseState& state, Cursor& cursor);
/// `x == 1 /\ P0:%r0 == 2`; null: reported.
ConditionPtr parse_condition(ParseState& state, Cursor& cursor);
/// locations, filter, exists, ~exists, forall, final.
void parse_final(ParseState& state, Cursor& cursor);

/// Gives every statement its opcode, modifiers and operands.
void resolve_code(ParseState& state);
/// The last step: fills Test::threads.
void finish_threads(ParseState& state);
/// What can be judged only when everything is read: aliases, thread numbers of the initial state, ...
void check_init(ParseState& state);

/// Warns of likely slips in names and constants (check_uses.cpp); a register that only the condition of a file
/// with PTX declarations names is an error. Nothing when there are errors already.
void check_uses(ParseState& state);
/// "; did you mean `%r1`?", or nothing. `sign`: what stands before a name.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates,
                         const char* sign);

/// Is the cursor at `P0 |`, `P0 ;`, `P0 {` or `P0 @ gpu ...`: the head of a thread?
bool at_thread_head(const Cursor& cursor);
/// Is the cursor at a word that starts a section behind the code (exists, ~exists, not exists, scopes: ...)?
bool at_section(const Cursor& cursor);

}  // namespace ptxmc::litmus
