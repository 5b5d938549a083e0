// SPDX-License-Identifier: Apache-2.0
// tcgen05 instructions (9.7.16). Operations that are in the same order with whatever follows them are of one agent, whose
// time is their number: each warp's loads, its stores, its allocations, and each thread's cp, its shift, its mma of
// one accumulator and shape, what its mma multiply, and what they read of A in shared memory. With each operation
// stands all that is ordered before it, through whatever operations.
#pragma once

#include <deque>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "dynamic/shadow/memory.h"
#include "dynamic/shadow/shared_memory_lifetime.h"

namespace ptxmc::trace {

class Tensor {
 public:
  Tensor(Threads& threads, Kinds& kinds, Objects& objects, SharedMemoryLifetime& lifetime, Memory& memory)
      : threads_(threads), kinds_(kinds), objects_(objects), lifetime_(lifetime), memory_(memory) {}

  void issue(const TensorOperation& operation);
  void wait(Lanes lanes, bool stores);
  void fence(Lanes lanes, bool after);
  /// What tells of the completion of the operations that a commit of the thread tracks: of these, and of what
  /// they come after; nothing else (D41). Null: there are none.
  ClockRef completion(Thread thread, const TensorCommit& commit) const;

 private:
  struct Issuer {
    ObjectId agent = 0;
    Thread thread = 0;
    TensorKind kind;
    std::vector<ClockRef> behind;  // of each operation, along OrderKind::tensor_done: what comes before it
    std::deque<std::vector<Range>> written;  // of a cp: by its last operations
    Time issued() const { return static_cast<Time>(behind.size()); }
  };
  using Key = std::tuple<Thread, TensorOp, std::uint8_t, std::uint64_t, bool>;
  /// What accesses memory as one.
  struct Part {
    TensorKind kind;
    std::span<const Range> reads, writes, shared;
  };
  std::vector<Part> parts_of(const TensorOperation& operation) const;
  void issue(const TensorOperation& operation, const Part& part);
  Issuer& issuer(const TensorOperation& operation, const TensorKind& kind);
  const Issuer* moves(Thread thread, bool stores) const;
  static void add(const Issuer& issuer, Time time, ClockEdit& edit);
  ClockRef behind(Thread thread, const Part& part) const;
  void add_piped(Thread thread, const Part& part, ClockEdit& edit, bool& any) const;
  static bool add_copies(const Issuer& copies, Time issued, std::span<const Range> read, ClockEdit& edit);
  void add_fenced(Thread thread, const TensorKind& kind, ClockEdit& edit, bool& any) const;
  std::vector<TensorKnowledge::View> views(const TensorOperation& operation, const Part& part) const;
  void touch(const TensorOperation& operation, std::span<const Range> ranges, Kind kind,
             const ShadowAccess& mark);

  Threads& threads_;
  Kinds& kinds_;
  Objects& objects_;
  SharedMemoryLifetime& lifetime_;
  Memory& memory_;
  std::deque<Issuer> issuers_;
  std::map<Key, Issuer*> by_key_;
  std::unordered_map<Thread, std::vector<Issuer*>> by_thread_;  // of those of threads
  std::unordered_map<ObjectId, Issuer*> by_agent_;              // the same
};

}  // namespace ptxmc::trace
