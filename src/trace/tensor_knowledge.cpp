// SPDX-License-Identifier: Apache-2.0
#include "trace/tensor_knowledge.h"

#include <algorithm>

namespace ptxmc::trace {

ClockRef tensor_part(const ClockRef& known) {
  if (known == nullptr) return nullptr;
  ClockEdit edit(nullptr);
  bool any = false;
  for (const Plane plane : {Plane::tensor_done, Plane::tensor_issued, Plane::tensor_sync}) {
    if (known->plane(plane) == nullptr) continue;
    edit.share(plane, known);
    any = true;
  }
  return any ? edit.take() : nullptr;
}

void TensorKnowledge::start(std::size_t threads) {
  states_.assign(threads, State{});
  views_.clear();
}

ClockRef TensorKnowledge::take_signals(Thread thread) {
  return std::exchange(states_[thread].signals, nullptr);
}

void TensorKnowledge::signal(Thread thread, const ClockRef& what) {
  if (what != nullptr) states_[thread].signals = join(states_[thread].signals, what);
}

/// 9.7.16.6.4: what the canonical patterns order.
bool TensorKnowledge::holds(const View& view, const Earlier& earlier, bool piped, bool synchronous) const {
  const State& state = states_[view.thread];
  const Epoch& epoch = earlier.epoch;
  const auto after = [&](Plane plane) { return state.after != nullptr && state.after->covers(plane, epoch); };
  const auto known = [&](Plane plane) { return view.clock != nullptr && view.clock->covers(plane, epoch); };
  if (piped && (earlier.issuer == view.thread || after(Plane::tensor_issued))) return true;
  const bool moves = earlier.op == TensorOp::ld || earlier.op == TensorOp::st;
  if (moves && earlier.issuer / kLanes == view.thread / kLanes &&
      state.waited[earlier.op == TensorOp::st ? 1 : 0] >= epoch.time)
    return true;
  if (is_synchronous(earlier.op) && (known(Plane::tensor_sync) || after(Plane::tensor_sync))) return true;
  return after(Plane::tensor_done) || (synchronous && known(Plane::tensor_done));
}

bool TensorKnowledge::knows_issue(const Clock& known, const Earlier& earlier) const {
  const auto stamps = stamps_.find(earlier.epoch.object);
  if (stamps == stamps_.end() || stamps->second.size() < earlier.epoch.time) return false;
  const Lanes issuer = lane_of(earlier.issuer);
  return known.covers(Plane::base,
                      {Agent::thread, issuer.warp, issuer.mask, 0, stamps->second[earlier.epoch.time - 1]});
}

TensorKnowledge::Found TensorKnowledge::find(const Earlier& earlier, bool piped, bool synchronous) const {
  const auto ordered = [&](const View& view) { return holds(view, earlier, piped, synchronous); };
  if (std::any_of(views_.begin(), views_.end(), ordered)) return Found::ordered;
  const auto unfenced = [&](const View& view) {
    const ClockRef& signals = states_[view.thread].signals;
    const auto told = [&](const Clock* clock, Plane plane) {
      return clock != nullptr && clock->covers(plane, earlier.epoch);
    };
    return told(view.clock, Plane::tensor_done) || told(signals.get(), Plane::tensor_done) ||
           (piped && (told(signals.get(), Plane::tensor_issued) ||
                      (view.clock != nullptr && knows_issue(*view.clock, earlier))));
  };
  return std::any_of(views_.begin(), views_.end(), unfenced) ? Found::unfenced : Found::nothing;
}

}  // namespace ptxmc::trace
