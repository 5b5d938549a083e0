// SPDX-License-Identifier: Apache-2.0
// Rules: what a program can do wrong, one row each. A finding of any check names its rule; what the rule
// means for severity, verdict and exit status is written here and nowhere else.
//
// A flag of a model text has the rule that a `role` statement gives it (roles.h); a misuse that lowering
// finds (event::Misuse) names it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "relation/memory_model.h"
#include "support/diagnostic.h"

namespace ptxmc::model {

enum class RuleKind : std::uint8_t {
  race,    ///< of two accesses (8.7.1): the program is Racy
  misuse,  ///< of an object, an address, an instruction
  hang,    ///< somebody waits for ever
};

struct Rule {
  std::string_view name;
  Severity severity = Severity::error;
  RuleKind kind = RuleKind::misuse;
  bool undefined = false;  ///< an execution that breaks it has undefined behaviour: no verdict holds
  std::string_view refines =
      {};                       ///< a rule that is broken wherever this one is: of the two, this one names it
  std::string_view about = {};  ///< why it is wrong and what to do, where nothing more specific is known
};

constexpr std::string_view kDataRace = "data-race";
constexpr std::string_view kMixedSizeRace = "mixed-size-race";
constexpr std::string_view kUninitialised = "mbarrier-uninitialised";
constexpr std::string_view kMbarrierMisuse = "mbarrier-misuse";
constexpr std::string_view kBarrierMisuse = "barrier-misuse";
constexpr std::string_view kSharedAfterExit = "shared-after-exit";
constexpr std::string_view kHangs = "hangs";
constexpr std::string_view kDependsOnUnknown = "depends-on-unknown";

/// The table.
std::span<const Rule> rules();
/// Null: there is no such rule.
const Rule* find_rule(std::string_view name);
/// Fails for a name that has no row.
const Rule& rule_named(std::string_view name);
/// Of a user's flag that has no role: a race by a definition of the user's own.
const Rule& own_rule();
/// Of a flag.
const Rule& rule_of(const relation::Constraint& flag);
/// The model has flags that are races: it can say that a program has none.
bool knows_races(const relation::MemoryModel& model);

}  // namespace ptxmc::model
