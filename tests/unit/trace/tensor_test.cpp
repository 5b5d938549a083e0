// SPDX-License-Identifier: Apache-2.0
// Tensor memory (9.7.16.6): what orders two of its accesses, each with what flips it.
#include <doctest/doctest.h>

#include "scenario.h"

namespace ptxmc::testing {
namespace {

constexpr Address kTensor = 0x40000;
constexpr Strength kRelaxed = strong(Semantics::relaxed, Scope::cluster);

/// Reading tcgen05-pairs.
enum class Pairs { of_9_4, of_9_1 };

Options options_of(Pairs pairs) {
  Options out = together();
  out.readings.pairs_of_9_1 = pairs == Pairs::of_9_1;
  return out;
}

/// Warps of one CTA. Columns are 16 bytes here.
struct WithTensor : Scenario {
  explicit WithTensor(Pairs pairs = Pairs::of_9_4) : Scenario({0, 0, 0}, options_of(pairs)) {}

  void issue(unsigned warp, TensorOp op, std::uint64_t product = 1, Address column = 0) {
    const std::array<Range, 1> bytes{{{kTensor + 16 * column, 16}}};
    const bool reads = op == TensorOp::ld, moves = reads || op == TensorOp::st;
    TensorOperation operation{++line,  {warp, 1}, op, static_cast<std::uint8_t>(moves ? 0 : 1),
                              product, {},        {}, {}};
    (reads ? operation.reads : operation.writes) = bytes;
    detector.tensor_issue(operation);
  }
  void multiply(unsigned warp, std::uint64_t product = 1) { issue(warp, TensorOp::mma, product); }
  /// By a lane: of what is in one column, into another.
  void multiply_from(Address a, Address d, unsigned lane = 0) {
    const std::array<Range, 1> from{{{kTensor + 16 * a, 16}}}, to{{{kTensor + 16 * d, 16}}};
    detector.tensor_issue({++line, {0, 1U << lane}, TensorOp::mma, 1, 100 + d, from, to, {}});
  }
  void copy_to(Address column, unsigned lane = 0) {
    const std::array<Range, 1> to{{{kTensor + 16 * column, 16}}};
    detector.tensor_issue({++line, {0, 1U << lane}, TensorOp::cp, 1, 0, {}, to, {}});
  }
  void load(unsigned warp) { issue(warp, TensorOp::ld); }
  void store(unsigned warp) { issue(warp, TensorOp::st); }
  void wait_for(unsigned warp, bool stores) { detector.tensor_wait(++line, {warp, 1}, stores); }
  void before(unsigned warp) { detector.tensor_fence(++line, {warp, 1}, false); }
  void after(unsigned warp) { detector.tensor_fence(++line, {warp, 1}, true); }
  void commit(unsigned warp, Phase phase = 0, bool of_a = false) {
    detector.tensor_commit(
        {++line, thread(warp), kObject, phase, strong(Semantics::release, Scope::cluster), 1, 0}, {1, of_a});
    complete(kObject, phase);
  }
  /// One warp tells another by an object.
  void tell(unsigned from, unsigned to, bool relaxed = false) {
    arrive(thread(from), kObject, 0, relaxed ? kRelaxed : strong(Semantics::release, Scope::cta));
    complete(kObject, 0);
    wait(thread(to), kObject, 0, relaxed ? kRelaxed : strong(Semantics::acquire, Scope::cta));
  }
};

}  // namespace

TEST_CASE("tensor memory: products of one accumulator and shape are in the order of issue (9.7.16.6.2)") {
  const auto multiply = [](std::uint64_t second) {
    WithTensor s;
    s.multiply(0);
    s.multiply(0, second);
    return s.found();
  };
  CHECK(multiply(1).empty());
  CHECK(multiply(2) == Rules{"tcgen05-order"});
}

TEST_CASE("tensor memory: the order of issue of one thread is told apart from none (9.7.16.6.2)") {
  const auto copy_behind = [](unsigned warp, TensorOp op, Pairs pairs = Pairs::of_9_4) {
    WithTensor s(pairs);
    s.multiply(0);
    s.issue(warp, op);
    return s.found();
  };
  CHECK(copy_behind(0, TensorOp::cp) == Rules{"tcgen05-order"});
  CHECK(copy_behind(0, TensorOp::shift) == Rules{"tcgen05-order"});
  CHECK(copy_behind(0, TensorOp::shift, Pairs::of_9_1).empty());
  CHECK(copy_behind(1, TensorOp::cp) == Rules{"race"});
  CHECK(copy_behind(0, TensorOp::st) == Rules{"race"});
}

TEST_CASE("tensor memory: a store is over when the warp has waited for it (9.7.16.6.4.2)") {
  const auto load = [](bool waits, bool stores, Pairs pairs = Pairs::of_9_1) {
    WithTensor s(pairs);
    s.store(0);
    if (waits) s.wait_for(0, stores);
    s.load(0);
    return s.found();
  };
  CHECK(load(true, true).empty());
  CHECK(load(true, false) == Rules{"race"});
  CHECK(load(false, true) == Rules{"race"});
  CHECK(load(false, true, Pairs::of_9_4).empty());  // 9.7.16.6.2: of one warp
}

TEST_CASE("tensor memory: behind a commit, the wait and fence::after_thread_sync (9.7.16.6.4.4)") {
  const auto load = [](bool commits, bool fences, Strength how) {
    WithTensor s;
    s.multiply(0);
    if (commits) {
      s.commit(0);
      s.wait(s.thread(1), kObject, 0, how);
    } else {
      s.tell(0, 1);
    }
    if (fences) s.after(1);
    s.load(1);
    return s.found();
  };
  CHECK(load(true, true, strong(Semantics::acquire, Scope::cta)).empty());
  CHECK(load(true, true, kRelaxed).empty());
  CHECK(load(true, false, strong(Semantics::acquire, Scope::cta)) == Rules{"tcgen05-fence"});
  CHECK(load(true, false, kRelaxed) == Rules{"tcgen05-fence"});
  CHECK(load(false, true, kRelaxed) == Rules{"race"});
}

TEST_CASE("tensor memory: loads and stores of two warps are not pipelined (9.7.16.6.2)") {
  const auto second = [](TensorOp first, TensorOp then, unsigned warp) {
    WithTensor s;
    s.issue(0, first);
    if (warp != 0) s.tell(0, warp);
    s.issue(warp, then);
    return s.found();
  };
  for (const TensorOp first : {TensorOp::ld, TensorOp::st}) {
    for (const TensorOp then : {TensorOp::ld, TensorOp::st}) {
      CHECK(second(first, then, 0).empty());
      CHECK(second(first, then, 1).empty() == (first == TensorOp::ld && then == TensorOp::ld));
    }
  }
}

TEST_CASE("tensor memory: operands of one warp are pipelined, and not all of an instruction (9.7.16.6.2)") {
  const auto overwrites = [](bool reads_first, Pairs pairs) {
    WithTensor s(pairs);
    if (reads_first) s.multiply_from(1, 2);   // reads what the next one writes
    if (!reads_first) s.multiply_from(3, 1);  // writes what the next one reads
    if (reads_first) s.multiply_from(3, 1);
    if (!reads_first) s.multiply_from(1, 2);
    return s.found();
  };
  CHECK(overwrites(true, Pairs::of_9_4).empty());
  CHECK(overwrites(true, Pairs::of_9_1) == Rules{"tcgen05-order"});
  CHECK(overwrites(false, Pairs::of_9_4) == Rules{"tcgen05-order"});
  const auto refill = [](Address read) {
    WithTensor s;
    s.copy_to(1);
    s.multiply_from(read, 2);
    s.copy_to(1);
    return s.found();
  };
  CHECK(refill(1).empty());
  CHECK(refill(3) ==
        Rules{"tcgen05-order"});  // the two cp are no pair, and nothing between them is one with both
}

TEST_CASE("tensor memory: two threads of a warp, in an order of the two (9.7.16.6.4.3)") {
  const auto multiply = [](bool meet, Pairs pairs) {
    WithTensor s(pairs);
    s.copy_to(1);
    if (meet) s.detector.warp_sync(++s.line, {0, 3});
    s.multiply_from(1, 2, 1);
    return s.found();
  };
  CHECK(multiply(true, Pairs::of_9_4).empty());
  CHECK(multiply(false, Pairs::of_9_4) == Rules{"race"});
  CHECK_FALSE(multiply(true, Pairs::of_9_1).empty());
}

TEST_CASE("tensor memory: pipelined across threads, both fences (9.7.16.6.4.3 of PTX ISA 9.1)") {
  const auto multiply = [](bool before, bool after, bool relaxed, Pairs pairs = Pairs::of_9_1) {
    WithTensor s(pairs);
    s.multiply(0);
    if (before) s.before(0);
    s.tell(0, 1, relaxed);
    if (after) s.after(1);
    s.multiply(1);
    return s.found();
  };
  CHECK(multiply(true, true, false).empty());
  CHECK(multiply(true, true, true).empty());
  CHECK(multiply(false, true, false) == Rules{"tcgen05-fence"});
  CHECK(multiply(true, false, false) == Rules{"tcgen05-fence"});
  CHECK(multiply(false, false, true) == Rules{"race"});
  CHECK(multiply(true, true, false, Pairs::of_9_4) == Rules{"race"});  // 9.4: of one warp alone
}

TEST_CASE(
    "tensor memory: order is taken through pipelined operations on other columns (9.7.16.6.4.1, "
    "9.7.16.6.4.3)") {
  // cp, then mma, then shift: of the first two and of the last two the order is that of issue.
  const auto shift = [](bool through, bool across) {
    WithTensor s(Pairs::of_9_1);
    s.issue(0, TensorOp::cp);
    if (through) s.issue(0, TensorOp::mma, 2, 1);
    if (across) {
      s.before(0);
      s.tell(0, 1);
      s.after(1);
    }
    s.issue(across ? 1 : 0, TensorOp::shift);
    return s.found();
  };
  for (const bool across : {false, true}) {
    CHECK(shift(true, across).empty());
    CHECK(shift(false, across) == Rules{across ? "race" : "tcgen05-order"});
  }
}

TEST_CASE("tensor memory: each lane of a warp is behind what the warp loads") {
  const auto load = [](std::uint32_t lanes) {
    WithTensor s;
    s.multiply(0);
    s.commit(0);
    s.detector.mbarrier_wait(
        {++s.line, {1, lanes}, kObject, true, 0, strong(Semantics::acquire, Scope::cta), true});
    s.detector.tensor_fence(++s.line, {1, lanes}, true);
    const std::array<Range, 1> bytes{{{kTensor, 16}}};
    s.detector.tensor_issue({++s.line, {1, 3}, TensorOp::ld, 0, 0, bytes, {}, {}});
    return s.found();
  };
  CHECK(load(3).empty());
  CHECK(load(1) == Rules{"race"});
}

TEST_CASE("tensor memory: an accumulator is handed back behind wait::ld (9.7.16.6.4.4)") {
  const auto multiply = [](bool waits, bool after) {
    WithTensor s;
    s.load(0);
    if (waits) s.wait_for(0, false);
    s.before(0);
    s.tell(0, 1);
    if (after) s.after(1);
    s.multiply(1);
    return s.found();
  };
  CHECK(multiply(true, true).empty());
  CHECK(multiply(true, false) == Rules{"tcgen05-fence"});
  CHECK(multiply(false, true) == Rules{"race"});
}

TEST_CASE(
    "tensor memory: an access that another one is behind, is passed on with its completion (9.7.16.6.4.4)") {
  const auto load = [](bool fences) {
    WithTensor s;
    s.store(0);
    s.wait_for(0, true);
    s.issue(0, TensorOp::mma, 2, 1);  // other columns
    s.commit(0);
    s.wait(s.thread(1), kObject, 0, kRelaxed);
    if (fences) s.after(1);
    s.load(1);
    return s.found();
  };
  CHECK(load(true).empty());
  CHECK(load(false) == Rules{"tcgen05-fence"});
}

TEST_CASE("tensor memory: dealloc behind what uses the columns; nothing behind it (9.7.16.7.1)") {
  const auto free = [](bool waits, bool later) {
    WithTensor s;
    s.issue(0, TensorOp::alloc);
    s.bar({0, 1});
    s.load(1);
    if (waits) s.wait_for(1, false);
    s.bar({0, 1});
    s.issue(0, TensorOp::dealloc);
    if (later) {
      s.bar({0, 1});
      s.load(1);
    }
    return s.found();
  };
  CHECK(free(true, false).empty());
  CHECK(free(false, false) == Rules{"tmem-free"});
  CHECK(free(true, true) == Rules{"tmem-free"});
}

TEST_CASE(
    "tensor memory: what an mma reads of shared memory is free behind its commit, and not before (R281)") {
  const auto refill = [](bool commits, bool fence) {
    WithTensor s;
    if (fence) s.write(s.thread(0), kShared);
    if (fence) s.proxy_fence(s.thread(0));
    const std::array<Range, 1> shared{{{kShared, 16}}}, d{{{kTensor, 16}}};
    s.detector.tensor_issue({++s.line, {0, 1}, TensorOp::mma, 1, 1, {}, d, shared});
    if (commits) {
      s.commit(0);
      s.wait(s.thread(1), kObject, 0);
    } else {
      s.tell(0, 1);
    }
    s.write(s.thread(1), kShared);
    return s.found();
  };
  CHECK(refill(true, false).empty());
  CHECK(refill(true, true).empty());
  CHECK(refill(false, false) == Rules{"race"});
}

TEST_CASE("tensor memory: a commit of the reads of A tells of these alone (PTX ISA 9.4, 9.7.18.12.1)") {
  enum class Then { writes_a, writes_b, loads };
  const auto found = [](Then then, bool of_a) {
    WithTensor s;
    const std::array<Range, 1> a{{{kShared, 16}}}, b{{{kShared + 64, 16}}}, d{{{kTensor, 16}}};
    s.detector.tensor_issue({++s.line, {0, 1}, TensorOp::mma, 1, 1, {}, d, b, {}, a});
    s.commit(0, 0, of_a);
    s.wait(s.thread(1), kObject, 0);
    s.after(1);
    if (then == Then::loads) s.load(1);
    if (then != Then::loads) s.write(s.thread(1), kShared + (then == Then::writes_b ? 64 : 0));
    return s.found();
  };
  CHECK(found(Then::writes_a, true).empty());
  CHECK(found(Then::writes_b, true) == Rules{"race"});
  CHECK(found(Then::loads, true) == Rules{"race"});
  for (const Then then : {Then::writes_a, Then::writes_b, Then::loads}) CHECK(found(then, false).empty());
}

TEST_CASE(
    "tensor memory: arrivals at objects of other CTAs, and waits for them, of default scope are a warning "
    "(A7)") {
  // A warp of one CTA stores, and tells one of the other CTA of its cluster, which loads the same.
  enum class Scopes { written, arrival, wait, both };
  const auto told = [](Scopes defaults, bool fences) {
    Scenario s({0, 1});
    const auto move = [&](unsigned warp, TensorOp op) {
      const std::array<Range, 1> bytes{{{kTensor, 16}}};
      TensorOperation operation{++s.line, {warp, 1}, op, 0, 1, {}, {}, {}};
      (op == TensorOp::ld ? operation.reads : operation.writes) = bytes;
      s.detector.tensor_issue(operation);
    };
    s.detector.mbarrier_init(++s.line, s.thread(1), kObject + 0x1000, 1);
    s.detector.mbarrier_init_fence(++s.line, lane_of(s.thread(1)));
    for (const unsigned w : {0U, 1U})
      s.detector.cluster_arrive(++s.line, {w, 1}, {0, 0}, 0, Semantics::release);
    for (const unsigned w : {0U, 1U})
      s.detector.cluster_leave(++s.line, {w, 1}, {0, 0}, 0, Semantics::acquire);
    move(0, TensorOp::st);
    s.detector.tensor_wait(++s.line, {0, 1}, true);
    s.detector.tensor_fence(++s.line, {0, 1}, false);
    const bool arrival = defaults == Scopes::arrival || defaults == Scopes::both;
    const bool wait = defaults == Scopes::wait || defaults == Scopes::both;
    Arrival arrive{++s.line, s.thread(0), kObject + 0x1000, 0,
                   strong(Semantics::release, arrival ? Scope::cta : Scope::cluster)};
    arrive.scope_is_default = arrival;
    s.detector.mbarrier_arrive(arrive);
    s.complete(kObject + 0x1000, 0);
    s.detector.mbarrier_wait({++s.line, lane_of(s.thread(1)), kObject + 0x1000, true, 0,
                              strong(Semantics::acquire, wait ? Scope::cta : Scope::cluster), true, wait});
    if (fences) s.detector.tensor_fence(++s.line, {1, 1}, true);
    move(1, TensorOp::ld);
    return s.found();
  };
  CHECK(told(Scopes::written, true).empty());
  CHECK(told(Scopes::written, false) == Rules{"tcgen05-fence"});
  for (const Scopes defaults : {Scopes::arrival, Scopes::wait, Scopes::both}) {
    CHECK(told(defaults, true) == Rules{"remote-arrival"});
    CHECK(told(defaults, false) == Rules{"tcgen05-fence"});
  }
}

}  // namespace ptxmc::testing
