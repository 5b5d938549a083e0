// SPDX-License-Identifier: Apache-2.0
// tcgen05 instructions (9.7.16): each warp's loads, its stores, its allocations, and each thread's mma, cp and shift of
// a .cta_group are operations of an agent, whose time is their number.
#pragma once

#include <unordered_map>
#include <vector>

#include "trace/flight.h"
#include "trace/memory.h"

namespace ptxmc::trace {

class Tensor {
 public:
  Tensor(Threads& threads, Kinds& kinds, Objects& objects, Flight& flight, Memory& memory)
      : threads_(threads), kinds_(kinds), objects_(objects), flight_(flight), memory_(memory) {}

  void issue(const TensorOperation& operation);
  void wait(Lanes lanes, bool stores);
  void fence(Lanes lanes, bool after);
  /// What tells of the completion of the operations that a commit of the thread tracks: of these, and of what they come
  /// behind; nothing else (D41). Null: there are none.
  ClockRef completion(Thread thread, std::uint8_t cta_group) const;

 private:
  struct Issuer {
    ObjectId agent = 0;
    Time issued = 0;
    ClockRef behind;  // what the last operation comes after, as Plane::tensor_done
  };
  static std::uint64_t key(Thread thread, TensorOp op, std::uint8_t cta_group);
  Issuer& issuer(Thread thread, TensorOp op, std::uint8_t cta_group);
  ClockRef behind(Thread thread) const;
  void touch(const TensorOperation& operation, std::span<const Range> ranges, Kind kind, const Mark& mark);

  Threads& threads_;
  Kinds& kinds_;
  Objects& objects_;
  Flight& flight_;
  Memory& memory_;
  std::unordered_map<std::uint64_t, Issuer> issuers_;
};

}  // namespace ptxmc::trace
