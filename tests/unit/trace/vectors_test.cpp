// SPDX-License-Identifier: Apache-2.0
// Vectors: several strong accesses in no order (8.2.4), and loops that wait for some of them.
#include <doctest/doctest.h>

#include "scenario.h"

namespace ptxmc::testing {
namespace {

constexpr Strength kRelaxed = strong(Semantics::relaxed), kRelease = strong(Semantics::release),
                   kAcquire = strong(Semantics::acquire);
constexpr Address kPair = kFlag;  // two words: the first is read by some tests as a flag, the second as data
constexpr Address kSecond = kPair + 4;

/// Threads that write and read both words at once.
struct Vectors : Scenario {
  explicit Vectors(const std::vector<std::uint32_t>& ctas = {0, 1}) : Scenario(ctas) {}

  Access vector(Effect effect, Thread t, Strength strength) {
    begin[t % kLanes] = kPair;
    return {++line, lane_of(t), effect, Proxy::generic, strength, 4, 2, begin, {}};
  }
  void read_both(Thread t, Strength strength) { detector.access(vector(Effect::read, t, strength)); }
  void write_both(Thread t, Strength strength) { detector.access(vector(Effect::write, t, strength)); }
  /// The last turn of a loop that waits for the elements in `awaited`.
  void poll_both(Thread t, Strength strength, std::uint8_t awaited) {
    Polling polls{~std::uint32_t{0}, nullptr};
    polls.awaited.fill(awaited);
    Access a = vector(Effect::read, t, strength);
    a.polls = &polls;
    detector.access(a);
  }
  bool is_beside() const {
    return std::any_of(detector.findings().begin(), detector.findings().end(),
                       [](const Finding& finding) { return finding.cause.missing == Missing::one_access; });
  }
  std::array<Address, kLanes> begin{};
};

/// Loops that read two flags of four bytes at once, or one of sixteen.
class Watched {
 public:
  Watched(std::uint8_t bytes, unsigned elements, const TakenMap* taken = nullptr)
      : bytes_(bytes), elements_(elements), detector({.flags = flags(bytes, elements), .taken = taken}) {
    detector.start(std::array<Placement, 2>{{{0, 0, 0, 0}, {1, 1, 0, 0}}});
  }
  void store(unsigned warp, std::vector<std::uint64_t> words, Strength strength = kRelease) {
    Access access = made(warp, Effect::write, strength);
    access.written = words;
    detector.access(access);
  }
  template <typename Where>
  void poll(unsigned warp, Where where, Strength strength = kAcquire) {
    Access access = made(warp, Effect::read, strength);
    const Polling polls{~std::uint32_t{0}, where};
    access.polls = &polls;
    detector.access(access);
  }
  bool is_open() const { return !detector.flags().open.empty(); }
  bool exact() const { return !is_open() && detector.flags().settled; }

 private:
  static FlagMap flags(std::uint8_t bytes, unsigned elements) {
    FlagMap out;
    for (unsigned i = 0; i < elements; ++i) out[kPair + std::uint64_t{i} * bytes] = {bytes, 0};
    return out;
  }
  Access made(unsigned warp, Effect effect, Strength strength) {
    begin_[0] = kPair;
    return {
        ++line_, {warp, 1}, effect, Proxy::generic, strength, bytes_, static_cast<std::uint8_t>(elements_),
        begin_,  {}};
  }
  std::uint8_t bytes_;
  unsigned elements_;
  std::array<Address, kLanes> begin_{};
  Site line_ = 0;

 public:
  Detector detector;
};

using Values = std::span<const PartlyKnown>;
bool all_known(Values values) {
  return std::all_of(values.begin(), values.end(), [](const PartlyKnown& v) { return ~v.known == 0; });
}
/// Where a loop leads that is left where this holds of known values; of others it may be, unless `never` says no.
template <typename Holds, typename Never>
auto left_where(Holds holds, Never never) {
  return [holds, never](unsigned, Values values) {
    const std::optional<std::size_t> there = 1;
    if (all_known(values)) return holds(values) ? Leads{there} : Leads{};
    return never(values) ? Leads{} : Leads{there, false};
  };
}
bool is(const PartlyKnown& value, Bits bits) {
  return ~value.known == 0 && value.bits == bits;
}
bool is_other(const PartlyKnown& value, Bits bits) {
  return ~value.known == 0 && value.bits != bits;
}

}  // namespace

TEST_CASE("an element of a vector that releases is not behind another (8.2.4)") {
  Vectors s;
  s.write_both(s.thread(0), kRelease);
  s.read(s.thread(1), kPair, kAcquire);
  s.read(s.thread(1), kSecond);
  CHECK(s.found() == Rules{"race"});
  Vectors before;
  before.write(before.thread(0), kX);
  before.write_both(before.thread(0), kRelease);
  before.read(before.thread(1), kPair, kAcquire);
  before.read(before.thread(1), kX);
  CHECK(before.found().empty());
}

TEST_CASE("what an element acquires orders no other one, and what is behind the vector (8.2.4)") {
  Vectors s;
  s.write(s.thread(0), kX);
  s.write(s.thread(0), kSecond);
  s.write(s.thread(0), kPair, kRelease);
  s.read_both(s.thread(1), kAcquire);
  CHECK(s.found() == Rules{"race"});
  CHECK(s.is_beside());
  s.read(s.thread(1), kX);
  CHECK(s.found() == Rules{"race"});
}

TEST_CASE("what a loop reads beside what it waits for may be older (8.2.4)") {
  for (const std::uint8_t awaited : {1, 3}) {
    Vectors s;
    s.write_both(s.thread(0), kRelaxed);
    s.poll_both(s.thread(1), kRelaxed, awaited);
    CHECK(s.found() == (awaited == 1 ? Rules{"stale-read"} : Rules{}));
    CHECK(s.is_beside() == (awaited == 1));
  }
  Vectors unrelated({0, 1, 2});
  unrelated.write(unrelated.thread(0), kSecond, kRelaxed);
  unrelated.write(unrelated.thread(1), kPair, kRelaxed);
  unrelated.poll_both(unrelated.thread(2), kRelaxed, 1);
  CHECK(unrelated.found().empty());
}

TEST_CASE("a loop that waits for each of two elements takes what their writes release") {
  Watched w(4, 2);
  w.store(0, {1, 1});
  w.poll(1, left_where([](Values v) { return is(v[0], 1) && is(v[1], 1); },
                       [](Values v) { return is_other(v[0], 1) || is_other(v[1], 1); }));
  CHECK(w.exact());
}

TEST_CASE(
    "a loop that waits for one of two elements, or for their sum: what one of them says rests on the other") {
  Watched either(4, 2);
  either.store(0, {1, 1});
  either.poll(1,
              left_where([](Values v) { return is(v[0], 1) || is(v[1], 1); }, [](Values) { return false; }));
  CHECK(either.is_open());
  Watched sum(4, 2);
  sum.store(0, {1, 2});
  sum.poll(1, left_where([](Values v) { return v[0].bits + v[1].bits == 3; }, [](Values) { return false; }));
  CHECK(sum.is_open());
}

TEST_CASE("an element that may be overwritten before it is read: the loop may wait for ever") {
  Watched w(4, 2);
  w.store(0, {1, 1});
  w.poll(1, left_where([](Values v) { return is(v[0], 1) && is(v[1], 1); },
                       [](Values v) { return is_other(v[0], 1) || is_other(v[1], 1); }));
  w.store(0, {1, 2});
  CHECK(w.is_open());
}

TEST_CASE("a flag and data in one access of sixteen bytes") {
  constexpr Bits kThere = Bits{1} << 64U;
  for (const std::uint64_t flag : {1, 2}) {
    Watched w(16, 1);
    w.store(0, {5, flag});
    w.poll(1, left_where([](Values v) { return v[0].bits >> 64U == kThere >> 64U; },
                         [](Values) { return false; }));
    CHECK(w.exact() == (flag == 1));
  }
}

TEST_CASE("a loop that is not followed takes what it reads") {
  Watched w(4, 2);
  w.detector.access(
      {1, {0, 1}, Effect::write, Proxy::generic, {}, 4, 1, std::array<Address, kLanes>{kX}, {}});
  w.store(0, {1, 1});
  const std::array<Range, 1> bytes{{{kPair, 8}}};
  w.detector.issue({2, 0, Proxy::async, Tracking::bulk_group, 0, 0, {}, bytes});
  w.store(0, {1, 1});
  w.poll(1, left_where([](Values v) { return is(v[0], 1); }, [](Values v) { return is_other(v[0], 1); }));
  CHECK(w.is_open());
  w.detector.access({9, {1, 1}, Effect::read, Proxy::generic, {}, 4, 1, std::array<Address, kLanes>{kX}, {}});
  CHECK(std::none_of(w.detector.findings().begin(), w.detector.findings().end(),
                     [](const Finding& finding) { return finding.second.site == 9; }));
}

}  // namespace ptxmc::testing
