// SPDX-License-Identifier: Apache-2.0
// States of the phase machine that were met, each once. Internal to it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "axiomatic/event/sync_state.h"

namespace ptxmc::event {

/// A set of states of one system, which numbers them as they come. A state is kept as words without gaps, in an
/// open-addressed table: millions are looked up, and most are met again.
class SyncTable {
 public:
  /// The state's number, and whether it is new.
  std::pair<std::size_t, bool> add(const SyncState& state);
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kChunk = 1024;  // states

  void pack(const SyncState& state);
  std::uint64_t hash() const;
  const std::uint64_t* words(std::size_t number) const {
    return chunks_[number / kChunk].get() + number % kChunk * packed_.size();
  }
  void grow();

  struct Slot {
    std::uint32_t number = 0;  // and 1; 0: free
    std::uint32_t hash = 0;    // its upper half
  };
  std::vector<Slot> slots_;  // a power of two
  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
  std::vector<std::uint64_t> packed_;  // the state at hand
  std::size_t size_ = 0;
};

}  // namespace ptxmc::event
