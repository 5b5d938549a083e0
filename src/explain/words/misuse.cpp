// SPDX-License-Identifier: Apache-2.0
#include "explain/words/misuse.h"

#include <fmt/format.h>

#include "axiomatic/event/sync_machine.h"
#include "explain/words/races.h"

namespace ptxmc::explain {

namespace {

using event::SyncMisuse;

constexpr double kMostSeconds = 1;

std::string_view remedy(SyncMisuse misuse) {
  switch (misuse) {
    case SyncMisuse::invalid_object:
      return "initialise the object again (mbarrier.init) after the mbarrier.inval, or let the "
             "mbarrier.inval wait for "
             "all who use it";
    case SyncMisuse::live_object:
      return "invalidate the object (mbarrier.inval) before it is initialised again";
    case SyncMisuse::pending_underflow:
      return "let as many arrivals come in each phase as mbarrier.init says: give it a larger count, or wait "
             "for the "
             "phase before the next arrival";
    case SyncMisuse::pending_overflow:
      return "expect fewer arrivals";
    case SyncMisuse::tx_overflow:
      return "let expect-tx and complete-tx count the same bytes in each phase";
    case SyncMisuse::no_expected:
      return "drop no more arrivals than mbarrier.init says";
    case SyncMisuse::completes:
      return "use an arrive without .noComplete for the last arrival of the phase";
    case SyncMisuse::old_phase:
      return "wait for each phase before the one after it can complete (a second barrier, for empty "
             "buffers, sees to "
             "that)";
    case SyncMisuse::wrong_state:
      return "wait on the state that an mbarrier.arrive on this object returned";
    case SyncMisuse::wrong_parity:
      return "the parity of a phase is 0 or 1: its number modulo 2";
    case SyncMisuse::arrives_twice:
      return "insert a barrier.cluster.wait between the two arrivals";
    case SyncMisuse::no_count:
      return "let the thread count be 32 for each warp that takes part";
    case SyncMisuse::counts_differ:
      return "name one thread count in all arrivals of a phase";
    case SyncMisuse::arrives_again:
      return "let the thread wait for the end of the phase, at this barrier or at another one, before it "
             "arrives "
             "again";
    case SyncMisuse::kinds_differ:
      return "use barrier.red in all threads of a phase, or in none; two barriers do not mix them";
  }
  return "";
}

}  // namespace

std::optional<MisuseWords> misuse_words(const event::ProgramGraph& graph, const event::Execution& execution) {
  const Budget budget(kMostSeconds);
  try {
    for (const auto& phase : execution.enumerated) {
      if (phase.size() == 0) continue;
      if (const auto misuse = event::phase_misuse(graph, execution.decisions, phase, budget)) {
        return MisuseWords{
            fmt::format("{}: {}", place_of(graph, misuse->first), event::describe(misuse->second)),
            std::string(remedy(misuse->second))};
      }
    }
  } catch (const OutOfTime&) {
  }
  return std::nullopt;
}

}  // namespace ptxmc::explain
