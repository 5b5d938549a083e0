// SPDX-License-Identifier: Apache-2.0
// What the scheduler chooses.
#pragma once

#include <compare>
#include <map>

#include "axiomatic/event/program_graph.h"
#include "axiomatic/lower/unit/options.h"

namespace ptxmc::lower {

struct Unit;

/// A choice of the scheduler, independent of memory. Represented by the initial value of a cell of its own,
/// which no thread reads.
struct ChoiceKey {
  enum class Kind : std::uint8_t { start, stop, wait, query, poll, pending, active, leader };
  Kind kind = Kind::start;
  std::uint32_t number = 0;  ///< cluster, thread, or the number of the operation
  std::uint32_t mask = 0;    ///< leader: elected among these lanes of the warp of thread `number`
  friend auto operator<=>(const ChoiceKey&, const ChoiceKey&) = default;
};

/// Choices by key, with their largest value. The first run over the threads finds them, the second uses them.
using ChoicePlan = std::map<ChoiceKey, event::Value>;

class NondeterministicChoices {
 public:
  /// Adds the events that make the choices of `plan`; then no others may be asked.
  void add(Unit& unit, const ChoicePlan& plan);
  /// "The choice is `value`."
  event::Expr is(Unit& unit, ChoiceKey key, event::Value value);
  const ChoicePlan& asked() const { return asked_; }

 private:
  event::EventId add(Unit& unit, ChoiceKey key, event::Value largest);

  std::map<ChoiceKey, event::EventId> events_;
  ChoicePlan asked_;
  bool fixed_ = false;
};

/// May the progress model leave a thread before its end? (hsa: not in the first CTA of a GPU, nor on the
/// host.)
bool may_stop(const event::ProgramGraph& graph, event::ThreadId thread);

/// The barriers of the thread do not wait forever: that is known before its lowering.
inline bool passes(const Options& options, event::ThreadId thread) {
  return options.all_pass || (thread < options.passing.size() && options.passing[thread]);
}

/// The wait number `number` of the thread never ends, whatever the run.
inline bool stays(const Options& options, event::ThreadId thread, std::size_t number) {
  return thread < options.stays.size() && options.stays[thread] == number;
}

/// Waits at barriers and for mbarriers of the thread among the first `end` events.
std::size_t waits_before(const event::ProgramGraph& graph, event::ThreadId thread, event::EventId end);

}  // namespace ptxmc::lower
