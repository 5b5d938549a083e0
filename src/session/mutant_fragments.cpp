// SPDX-License-Identifier: Apache-2.0
#include "session/mutant_fragments.h"

#include <algorithm>

#include "session/confirm.h"

namespace ptxmc::session {

namespace {

constexpr std::size_t kMostPairs = 32, kMostFragments = 3;  // of a launch, of an instruction

/// The two may have been the other way round in the run in which they raced.
Confirmed ask(const Confirmer& confirmer, const trace::Finding& pair) {
  Confirmed out = confirmer.ask(pair, "fragment");
  if (!out.test.empty()) return out;
  trace::Finding turned = pair;
  turned.late = !pair.late;
  return confirmer.ask(turned, "fragment");
}

std::set<trace::Site> sites_of(const Confirmed& confirmed) {
  std::set<trace::Site> out;
  for (const std::optional<trace::Site>& site : confirmed.sites) {
    if (site) out.insert(*site);
  }
  return out;
}

}  // namespace

Fragments::Fragments(const Session& session, const explore::VerificationTask& task, const exec::Run& run,
                     const exec::Options& limits, std::span<const trace::Finding> pairs)
    : session_(session), task_(task), run_(run), limits_(limits) {
  pairs = pairs.first(std::min(pairs.size(), kMostPairs));
  if (pairs.empty()) return;
  const Confirmer confirmer(session, {task.test, task.inner_maps, limits_}, pairs);
  for (const trace::Finding& pair : pairs) {
    const Confirmed confirmed = ask(confirmer, pair);
    if (confirmed.answer == Confirmation::refuted) fragments_.push_back({pair, sites_of(confirmed)});
  }
  // What is between them least, is nearest.
  std::stable_sort(fragments_.begin(), fragments_.end(),
                   [](const Fragment& a, const Fragment& b) { return a.sites.size() < b.sites.size(); });
}

FragmentAnswers Fragments::without(const std::vector<exec::Changed>& changes) const {
  std::vector<trace::Finding> pairs;
  for (const Fragment& fragment : fragments_) {
    const bool stands = std::all_of(changes.begin(), changes.end(), [&](const exec::Changed& changed) {
      return fragment.sites.contains(changed.site);
    });
    if (stands && pairs.size() < kMostFragments) pairs.push_back(fragment.pair);
  }
  FragmentAnswers out;
  if (pairs.empty()) return out;
  exec::Options limits = limits_;
  limits.changes = changes;
  const explore::VerificationTask task = explore::weakened(task_, run_, changes);
  const Confirmer confirmer(session_, {task.test, task.inner_maps, limits}, pairs);
  for (const trace::Finding& pair : pairs) {
    const Confirmation answer = ask(confirmer, pair).answer;
    ++out.asked;
    out.ordered += answer == Confirmation::refuted ? 1 : 0;
    out.racing += answer == Confirmation::confirmed ? 1 : 0;
  }
  return out;
}

}  // namespace ptxmc::session
