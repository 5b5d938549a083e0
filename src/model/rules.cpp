// SPDX-License-Identifier: Apache-2.0
#include "model/rules.h"

#include <algorithm>
#include <string>

#include "support/check.h"

namespace ptxmc::model {

namespace {

constexpr Severity kError = Severity::error;
constexpr Severity kWarning = Severity::warning;
constexpr RuleKind kRace = RuleKind::race;
constexpr RuleKind kMisuse = RuleKind::misuse;
constexpr bool kUndefined = true;

constexpr Rule kRules[] = {
    // Flags of the built-in texts
    {kDataRace, kError, kRace},
    {"proxy-race", kError, kRace, false, kDataRace},
    {"cross-proxy-war", kWarning, kRace, false, "proxy-race"},
    {kMixedSizeRace, kError, kRace, kUndefined, kDataRace},
    {"warp-race", kWarning, kRace, false, kDataRace,
     "lanes that exchange values (elect, shfl, vote, match, redux) meet, but that orders no memory; put a "
     "bar.warp.sync between them"},
    {kUninitialised, kError, kMisuse, kUndefined, "",
     "the object may not be initialised yet where it is used; synchronize behind mbarrier.init (across CTAs "
     "by "
     "fence.mbarrier_init and barrier.cluster)"},
    {kMbarrierMisuse, kError, kMisuse, kUndefined},
    {kBarrierMisuse, kError, kMisuse, kUndefined},
    {"mbarrier-init-unfenced", kWarning, kMisuse, false, "",
     "an operation of the async proxy signals the object, and no fence of the thread that initialises it "
     "publishes the mbarrier.init; put a fence.mbarrier_init.release.cluster or a fence.proxy.async behind "
     "it"},
    {kSharedAfterExit, kError, kMisuse, false, "",
     "the shared memory of a CTA may be gone once its threads have ended; let them wait first, for the "
     "operation or by barrier.cluster say"},
    {"shared-source-after-exit", kWarning, kMisuse, false, "",
     "an asynchronous operation may still read the shared memory of its CTA when the threads have ended; "
     "wait "
     "for its reads first"},
    {"tensor-memory-alloc", kError, kMisuse, false, "",
     "a CTA allocates no tensor memory behind tcgen05.relinquish_alloc_permit, and never more columns than "
     "before; allocate the largest first, and relinquish behind the last tcgen05.alloc"},
    {"tensor-memory-leak", kError, kMisuse, false, "",
     "what tcgen05.alloc allocates must be freed before the kernel ends; put a tcgen05.dealloc with the same "
     "number of columns behind its last use"},
    {"tensor-memory-freed", kError, kMisuse, false, "",
     "the columns have been freed; put the tcgen05.dealloc behind their last use"},
    {"tensor-cta-group", kError, kMisuse, false, "",
     "all tcgen05 instructions of a kernel have one .cta_group; write the same in both"},
    {"fence-of-a-later-version", kError, kMisuse, false, "",
     "this version of PTX has no fence.acquire and no fence.release"},
    // Misuses that lowering finds
    {"out-of-bounds", kError, kMisuse, kUndefined},
    {"bulk-copy-to-own-cta", kError, kMisuse, kUndefined},
    {"divergent", kError, kMisuse, kUndefined},
    {"invalid-tensor-map", kError, kMisuse, kUndefined},
    {"not-in-membermask", kError, kMisuse, kUndefined},
    {"shfl-inactive-lane", kError, kMisuse, kUndefined},
    {"sparsity-metadata", kError, kMisuse, kUndefined},
    {"tensor-memory-address", kError, kMisuse, kUndefined},
    {"tensor-memory-dealloc", kError, kMisuse, kUndefined},
    {"tensor-memory-lanes", kError, kMisuse, kUndefined},
    {"trap", kError, kMisuse, kUndefined, "",
     "trap aborts the kernel: nothing is known of what it leaves behind"},
    {"wgmma-register-in-flight", kError, kMisuse, kUndefined},
    {"wgmma-register-unfenced", kError, kMisuse, kUndefined},
    {"wgmma-unfenced", kError, kMisuse, kUndefined},
    // The answer differs between the values that terms (event/expr.h) may have
    {kDependsOnUnknown, Severity::note, kMisuse},
    // Liveness
    {kHangs, kError, RuleKind::hang},
};

/// A user's flag without a role.
constexpr Rule kOwn = {"", kError, kRace};

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

const Rule* find_rule(std::string_view name) {
  const auto all = rules();
  const auto row = std::find_if(all.begin(), all.end(), [&](const Rule& rule) { return rule.name == name; });
  return row == all.end() ? nullptr : &*row;
}

const Rule& rule_named(std::string_view name) {
  const Rule* rule = find_rule(name);
  PTXMC_CHECK(rule != nullptr, "no row in model/rules.cpp for `" + std::string(name) + "`");
  return *rule;
}

const Rule& own_rule() {
  return kOwn;
}

const Rule& rule_of(const relation::Constraint& flag) {
  return flag.role.empty() ? kOwn : rule_named(flag.role);
}

bool knows_races(const relation::MemoryModel& model) {
  return std::any_of(model.flags.begin(), model.flags.end(),
                     [](const relation::Constraint& flag) { return rule_of(flag).kind == RuleKind::race; });
}

}  // namespace ptxmc::model
