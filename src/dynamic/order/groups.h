// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies that groups track: an operation's time is its number among those of its thread (9.7.8.24).
#pragma once

#include <utility>
#include <vector>

#include "dynamic/order/release_sequences.h"

namespace ptxmc::trace {

class Groups {
 public:
  explicit Groups(Threads& threads) : threads_(threads) {}
  void start() { states_.resize(threads_.warps() * kLanes); }

  /// The time of an operation that is issued now.
  Time issue(Thread thread, Tracking tracking) { return ++state(thread, tracking).issued; }
  Time issued(Thread thread, Tracking tracking) const {
    return states_[thread][tracking == Tracking::cp_async ? 0 : 1].issued;
  }
  /// What the completion of all that was issued tells; null: nothing was.
  ClockRef told(Thread thread, Tracking tracking) const;
  void commit(Thread thread, Tracking tracking);
  /// Gives what strong operations read whose completion it observes.
  std::vector<MessageRef> wait(Thread thread, Tracking tracking, std::uint32_t pending, bool reads_only);
  /// What a strong operation read that was issued then.
  void note_read(Thread thread, Tracking tracking, Time issued, MessageRef message) {
    state(thread, tracking).read.emplace_back(issued, std::move(message));
  }

 private:
  struct State {
    Time issued = 0;
    std::vector<Time> groups;  // the last operation of each that is not known to be over
    std::vector<std::pair<Time, MessageRef>> read;
  };
  State& state(Thread thread, Tracking tracking) {
    return states_[thread][tracking == Tracking::cp_async ? 0 : 1];
  }
  Threads& threads_;
  std::vector<std::array<State, 2>> states_;  // by thread
};

}  // namespace ptxmc::trace
