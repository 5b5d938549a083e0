// SPDX-License-Identifier: Apache-2.0
// What is known to have been executed, whatever its strength: any thread that has left a loop knows how far
// the thread had come that wrote what it waited for, and so does any thread that goes on by the result of an
// atomic. That orders nothing (8.9.5); but who then reads what that thread wrote before expects it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "dynamic/order/threads.h"

namespace ptxmc::trace {

class ExecutionKnowledge {
 public:
  explicit ExecutionKnowledge(Threads& threads) : threads_(threads) {}

  /// A strong write.
  void write(Thread thread, Address at);
  /// A strong read: a later one of its thread takes no older value (8.10.5).
  void read(Thread thread, Address at);
  /// The last read of a loop that waits, or that of an atomic on whose result control rests.
  void leave(Thread thread, Address at);

  /// The thread was told that the access is over, and it has not read what is newest there.
  bool expects(Thread thread, Address at, const Epoch& epoch) const;
  /// Who reads what was written last at a location is told that the access is over.
  bool tells(Address at, const Epoch& epoch) const;

 private:
  struct Written {
    std::uint64_t times = 0;
    Snapshot by;  // the last
  };
  struct Hash {
    std::size_t operator()(const std::pair<Thread, Address>& key) const {
      return std::hash<Address>()(key.second * 0x9e3779b97f4a7c15U + key.first);
    }
  };
  static constexpr std::size_t kMost = std::size_t{1} << 16U;  // locations: beyond, less is expected

  Threads& threads_;
  std::unordered_map<Address, Written> written_;
  std::unordered_map<std::pair<Thread, Address>, std::uint64_t, Hash> read_;  // how often it had been written
  bool any_ = false;                                                          // thread was told
};

}  // namespace ptxmc::trace
