// SPDX-License-Identifier: Apache-2.0
// What asynchronous operations move, touch and bring when they are complete, while an instruction that issues them is executed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dynamic/exec/code.h"
#include "dynamic/exec/warp.h"

namespace ptxmc::exec {

/// What a tcgen05 instruction of one thread, or of a warp, touches (9.7.16).
struct TensorUse {
  trace::TensorOp op = trace::TensorOp::none;
  LaneMask lanes = 0;
  std::uint64_t product = 0;
  std::vector<trace::Range> reads, writes, shared, shared_a, unpaired;
  bool valid = true;  // false: a fault, and nothing is touched
};

/// What the completion of an asynchronous operation brings to an object: bytes, arrivals.
struct Completion {
  Address object = 0;
  std::uint32_t number = 0;  // of the object
  std::uint64_t bytes = 0;
  std::uint32_t arrivals = 0;
};

/// What a bulk copy moves, pieces of equal lengths on both sides.
struct BulkMove {
  bool signals = false;  // to an mbarrier object; else it is in a group
  std::vector<trace::Range> from, to;
  std::optional<trace::Range> box;  // of a tensor copy: its side in shared memory, whole
  Address object = 0;
  std::uint64_t counted = 0;  // transactions
  bool clears = false;        // the box first: elements outside of the tensor are zero, or no numbers
  Sources cleared = 0;        // what they rest on
  bool of_tensor = false;     // it reads its map
  std::uint8_t element = 0;   // bytes, of a reduction
  std::vector<trace::Signal> signalled = {};  // of a multicast: where it is, by all destinations
};

}  // namespace ptxmc::exec
