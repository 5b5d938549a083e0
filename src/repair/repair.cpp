// SPDX-License-Identifier: Apache-2.0
#include "repair/repair.h"

#include "repair/search.h"

namespace ptxmc::repair {

namespace {

constexpr double kSearching = 0.8;  // of the time; the rest is for proofs

/// What holds already is kept; where no execution ends, the outcome says nothing.
Wanted with_kept(Wanted wanted, const Found& before) {
  if (before.undefined) return wanted;
  wanted.outcome = wanted.outcome || (before.outcome == false && !before.vacuous);
  wanted.race_free = wanted.race_free || before.races == false;
  return wanted;
}

/// Searches repairs of a test of which it is known what it does.
void search_for(const Wanted& wanted, const session::Session& session, const litmus::Test& test,
                const Asked& asked, Judge& judge, Repairs& out) {
  out.wanted = with_kept(wanted, out.before);
  Search search(session, test, asked, judge, out);
  try {
    search.run();
  } catch (const OutOfTime&) {
    out.out_of_time = true;
  }
  search.finish();
  out.wanted = wanted;
}

}  // namespace

Repairs find_repairs(const session::Session& session, const litmus::Test& test, const Asked& asked) {
  Repairs out;
  out.before = look(session, test, asked.budget);
  Wanted wanted = out.wanted = asked.wanted ? *asked.wanted : wrong_with(out.before);
  if (wanted.nothing() || out.before.has(wanted)) return out;
  session::Settings quick = session.settings();  // the proof of a repair is judged again
  quick.recheck = session::Recheck::off;
  const session::Session searching(quick);
  Judge judge(searching, with_kept(wanted, out.before), asked.budget.share(kSearching));
  search_for(wanted, session, test, asked, judge, out);
  if (asked.wanted || !wanted.outcome || !out.repairs.empty() || out.by_order || out.out_of_time) return out;
  wanted.outcome = false;
  if (wanted.nothing()) return out;
  Repairs others;
  others.before = out.before;
  judge.allow_outcome();
  search_for(wanted, session, test, asked, judge, others);
  if (others.repairs.empty()) return out;
  others.outcome_stays = true;
  others.outcome_open = out.open;
  return others;
}

}  // namespace ptxmc::repair
