// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/tensor_knowledge.h"

#include <algorithm>
#include <span>

namespace ptxmc::trace {

namespace {

/// What is pipelined of two instructions.
struct Row {
  TensorOp first, second;
  bool from_multiplicands = false, into_multiplicands = false;
};

bool has_row(std::span<const Row> rows, const TensorKind& first, const TensorKind& second) {
  const bool products = first.op == TensorOp::mma && second.op == TensorOp::mma;
  const bool chained = products && !first.multiplicands && !second.multiplicands;
  return first.cta_group == second.cta_group && (!chained || first.product == second.product) &&
         std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
           return row.first == first.op && row.second == second.op &&
                  row.from_multiplicands == first.multiplicands &&
                  row.into_multiplicands == second.multiplicands;
         });
}

}  // namespace

bool is_pipelined(const TensorKind& first, const TensorKind& second) {
  static constexpr Row kRows[] = {{TensorOp::mma, TensorOp::mma, true},
                                  {TensorOp::mma, TensorOp::cp, true},
                                  {TensorOp::mma, TensorOp::cp_4x256b, true},
                                  {TensorOp::mma, TensorOp::shift, true},
                                  {TensorOp::mma, TensorOp::mma},
                                  {TensorOp::cp, TensorOp::mma, false, true},
                                  {TensorOp::cp_4x256b, TensorOp::mma, false, true},
                                  {TensorOp::shift, TensorOp::mma, false, true},
                                  {TensorOp::shift, TensorOp::cp_4x256b},
                                  {TensorOp::st, TensorOp::ld},
                                  {TensorOp::st, TensorOp::st},
                                  {TensorOp::ld, TensorOp::st}};
  return has_row(kRows, first, second);
}

bool is_pipelined_by_9_1(const TensorKind& first, const TensorKind& second) {
  static constexpr Row kRows[] = {{TensorOp::mma, TensorOp::mma},         {TensorOp::cp, TensorOp::mma},
                                  {TensorOp::cp_4x256b, TensorOp::mma},   {TensorOp::shift, TensorOp::mma},
                                  {TensorOp::shift, TensorOp::cp_4x256b}, {TensorOp::mma, TensorOp::shift}};
  return has_row(kRows, first, second);
}

ClockRef tensor_part(const ClockRef& known) {
  if (known == nullptr) return nullptr;
  ClockEdit edit(nullptr);
  bool any = false;
  for (const OrderKind plane :
       {OrderKind::tensor_done, OrderKind::tensor_issued, OrderKind::tensor_sync, OrderKind::tensor_remote}) {
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
  if (what == nullptr) return;
  State& state = states_[thread];
  state.signals = join(state.signals, tensor_part(what));
  if (what->plane(OrderKind::directed) == nullptr) return;
  ClockEdit fences(nullptr);
  fences.share(OrderKind::directed, what);
  state.heard = join(state.heard, fences.take());
}

void TensorKnowledge::signal_remote(Thread thread, const ClockRef& what) {
  if (what == nullptr) return;
  ClockEdit remote(nullptr);
  for (const OrderKind plane : {OrderKind::tensor_done, OrderKind::tensor_sync}) {
    if (what->plane(plane) != nullptr) remote.plane(OrderKind::tensor_remote).join(*what->plane(plane));
  }
  states_[thread].signals = join(states_[thread].signals, remote.take());
}

void TensorKnowledge::send(Thread thread, const ClockRef& known) {
  states_[thread].sent = join(states_[thread].fences, tensor_part(known));
}

void TensorKnowledge::send_fence(Thread thread, Time time) {
  State& state = states_[thread];
  ClockEdit fences(state.fences);
  fences.plane(OrderKind::directed).threads[0].raise(lane_of(thread), time);
  state.fences = fences.take();
  state.sent = join(state.sent, state.fences);
}

bool TensorKnowledge::knows_issue(const Clock& known, const Earlier& earlier) const {
  const auto stamps = stamps_.find(earlier.epoch.object);
  if (stamps == stamps_.end() || stamps->second.size() < earlier.epoch.time) return false;
  const Lanes issuer = lane_of(earlier.issuer);
  return known.covers(OrderKind::base,
                      {Agent::thread, issuer.warp, issuer.mask, 0, stamps->second[earlier.epoch.time - 1]});
}

Time TensorKnowledge::issued_before(const Clock* known, ObjectId agent, Thread issuer) const {
  const auto stamps = stamps_.find(agent);
  if (known == nullptr || stamps == stamps_.end()) return 0;
  const Lanes lane = lane_of(issuer);
  const auto unknown = std::partition_point(stamps->second.begin(), stamps->second.end(), [&](Time stamp) {
    return known->covers(OrderKind::base, {Agent::thread, lane.warp, lane.mask, 0, stamp});
  });
  return static_cast<Time>(unknown - stamps->second.begin());
}

TensorKnowledge::Found TensorKnowledge::find(const Earlier& earlier, bool piped) const {
  const auto told = [&](const Clock* clock, OrderKind plane) {
    return clock != nullptr && clock->covers(plane, earlier.epoch);
  };
  const auto ordered = [&](const View& view) { return told(view.behind.get(), OrderKind::tensor_done); };
  if (std::all_of(views_.begin(), views_.end(), ordered)) return Found::ordered;
  const auto remote = [&](const View& view) {
    return ordered(view) || told(view.clock, OrderKind::tensor_remote);
  };
  if (std::all_of(views_.begin(), views_.end(), remote)) return Found::remote;
  const auto unfenced = [&](const View& view) {
    const ClockRef& signals = states_[view.thread].signals;
    return ordered(view) || told(view.clock, OrderKind::tensor_done) ||
           told(signals.get(), OrderKind::tensor_done) || told(signals.get(), OrderKind::tensor_remote) ||
           (piped && (told(signals.get(), OrderKind::tensor_issued) ||
                      (view.clock != nullptr && knows_issue(*view.clock, earlier))));
  };
  return std::all_of(views_.begin(), views_.end(), unfenced) ? Found::unfenced : Found::nothing;
}

}  // namespace ptxmc::trace
