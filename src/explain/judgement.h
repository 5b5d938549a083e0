// SPDX-License-Identifier: Apache-2.0
// Judgement: what the states that an engine found say about a test's condition, and whether that is what the
// file states. Never two-valued: what a bound, a time limit or an unsupported construct kept open is Unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "finding/rules.h"
#include "input/litmus/test.h"

namespace ptxmc::explain {

/// The verdict line.
enum class Word : std::uint8_t { ok, no, undef };

/// What the model says of the proposition under the quantifier.
enum class Answer : std::uint8_t {
  allowed,       ///< some execution satisfies it
  forbidden,     ///< none does
  required,      ///< all do (for `forall`)
  not_required,  ///< some execution violates it, and whether another satisfies it was not asked (`forall`,
                 ///< verdict only)
  undefined,     ///< the manual promises nothing: a mixed-size race (8.7.2), for one
  unknown,
};
std::string_view name_of(Answer answer);

/// A test that speaks of nothing: its condition holds of no execution, and `forall` of every one, for no
/// reason.
enum class Vacuity : std::uint8_t {
  none,
  no_execution,  ///< no execution is consistent (a barrier that waits forever, say)
  filter,        ///< none meets the filter
};
/// "vacuous-no-execution", "vacuous-filter"; empty for none.
std::string_view name_of(Vacuity vacuity);

struct Judgement {
  Word word = Word::undef;
  bool loop = false;  ///< an unrolling bound was hit: herd's `Loop `
  Answer answer = Answer::unknown;
  std::string unknown;       ///< why the answer is unknown: one word with dashes; empty when it is known
  std::optional<bool> some;  ///< does some execution satisfy the proposition?
  std::optional<bool> all;   ///< do all?
  std::optional<bool> undefined = false;  ///< is the behaviour? Nothing: it could not be excluded
  std::size_t positive = 0;               ///< states found that satisfy it
  std::size_t negative = 0;               ///< states found that do not
  Vacuity vacuity = Vacuity::none;
  /// What follows all the same where the answer is undefined: forbidden or required, from 8.7.2 alone, by
  /// which atomics stay indivisible to each other.
  std::optional<Answer> by_atomicity = std::nullopt;
};

/// Judgement::unknown when only an exhausted unrolling bound keeps the answer open.
constexpr std::string_view kUnrollBound = "unroll-bound";

/// A flag of the model: raised by some consistent execution, by none, or unknown (nothing).
/// So is a misuse that lowering found, and a hang under fair scheduling.
struct FlagOutcome {
  std::string name;
  std::optional<bool> raised;
  const finding::Rule* rule = &finding::rule(finding::RuleId::own_flag);  ///< never null
  std::string detail = {};  ///< the accesses concerned: "P0 line 5 `st...`, P1 line 6 `ld...`"
};
/// Does a flag of this rule hold? Nothing: unknown, or not asked.
std::optional<bool> raised(const std::vector<FlagOutcome>& flags, finding::RuleId rule);
/// Does some flag that is a race? Nothing: unknown, or there is none.
std::optional<bool> raced(const std::vector<FlagOutcome>& flags);

/// Why it cannot be concluded that nothing more happens than was found; empty: it can.
std::string open_reason(const event::ProgramGraph& graph, const engine::Result& result, bool accept_bound);

/// What complete answers to verdict queries add to an incomplete list of states.
struct Excluded {
  bool satisfying = false;  ///< no execution satisfies the proposition
  bool violating = false;   ///< none violates it
};

/// `accept_bound`: the user chose the unrolling bound, so that an answer within it counts as known.
/// `flags`: those that were evaluated; some of them, raised, make the behaviour undefined.
Judgement judge(const event::ProgramGraph& graph, const engine::Result& result, engine::Ask ask,
                bool accept_bound, const std::vector<FlagOutcome>& flags, Excluded excluded = {});

/// The `Verdict=` entry that speaks of a model where these readings, NAME=VALUE, do not have their defaults:
/// the model's own, else the one for any model; null when there is none.
const litmus::Verdict* stated_for(const litmus::Test& test, std::string_view model,
                                  const std::vector<std::string>& readings = {});
/// What flags that `voids` holds of make of an answer: one that is raised makes the behaviour undefined, one that is open
/// leaves it unknown.
void make_void(Judgement& judgement, const std::vector<FlagOutcome>& flags,
               const std::function<bool(const FlagOutcome&)>& voids);
/// A test that asks for no final state is not as it should be where some error is found. It is unknown where
/// that is open, or was not asked (`asked`).
void judge_by_flags(Judgement& judgement, const std::vector<FlagOutcome>& flags, bool asked);
/// A verdict over no execution counts as unknown, whatever the quantifier makes of nothing; the word stays
/// herd's.
void make_vacuous(Judgement& judgement, Vacuity vacuity);
/// "Forbidden Racy", as in the file.
std::string print(const litmus::Verdict& verdict);
/// What was found, in the words of a `Verdict=` with the same parts: "Allowed RaceFree".
std::string found_instead(const litmus::Verdict& verdict, const Judgement& judgement,
                          const std::vector<FlagOutcome>& flags);
/// Is a stated verdict met? Nothing: a part of it is unknown and none is violated. Over no execution only
/// what states `Hangs` or `Vacuous` is.
std::optional<bool> is_met(const litmus::Verdict& verdict, const Judgement& judgement,
                           const std::vector<FlagOutcome>& flags);

}  // namespace ptxmc::explain
