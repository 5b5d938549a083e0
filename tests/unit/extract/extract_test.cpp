// SPDX-License-Identifier: Apache-2.0
// Runs made by hand, and what the engine says of the tests that are extracted from them.
#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "extract/write.h"
#include "harness.h"
#include "model/models.h"

using namespace ptxmc;
using namespace ptxmc::extract;
using isa::Scope;
using isa::Semantics;
using trace::Effect;
using trace::Lanes;
using trace::Range;

namespace {

constexpr trace::Address kShared = 0x1000, kGlobal = 0x100000, kObject = kShared + 0x800;
constexpr Range kWord{kShared + 4, 4};

/// A CTA of four warps, of each of which one lane does something.
struct Run {
  explicit Run(Range bytes = kWord, std::vector<Range> others = {},
               std::array<trace::Placement, 4> warps = {})
      : question{{}, {}, bytes}, recorder(with(bytes, std::move(others))) {
    recorder.start(warps);
    recorder.shared_memory(0, {kShared, 0x1000});
  }

  static std::vector<Range> with(Range bytes, std::vector<Range> others) {
    others.push_back(bytes);
    return others;
  }
  static Lanes one(unsigned warp, unsigned lane = 0) { return {warp, 1U << lane}; }
  static trace::Thread thread(unsigned warp) { return warp * trace::kLanes; }

  void access(unsigned site, Lanes lanes, Effect effect, trace::Address at = kWord.begin,
              Semantics semantics = {}, Scope scope = {}, std::uint8_t elements = 1) {
    std::array<trace::Address, trace::kLanes> begin{};
    begin.fill(at);
    recorder.access({.site = site,
                     .lanes = lanes,
                     .effect = effect,
                     .strength = {semantics, scope},
                     .elements = elements,
                     .begin = begin,
                     .written = {}});
  }
  /// A turn of a loop that polls kGlobal. The values that lead out lead to one place.
  void poll(unsigned site, Lanes lanes, trace::Strength strength, std::uint64_t least = 0,
            bool leaves = true) {
    trace::Polling polls;
    polls.left = leaves ? lanes.mask : 0;
    polls.left_for = [&](unsigned, std::span<const trace::PartlyKnown> values) {
      return trace::Leads{values[0].bits >= least ? std::optional<std::size_t>(7) : std::nullopt};
    };
    std::array<trace::Address, trace::kLanes> begin{};
    begin.fill(kGlobal);
    recorder.access({.site = site,
                     .lanes = lanes,
                     .effect = Effect::read,
                     .strength = strength,
                     .begin = begin,
                     .written = {},
                     .polls = &polls});
  }
  void barrier(unsigned site, std::vector<unsigned> warps, trace::Phase phase) {
    for (const unsigned warp : warps) recorder.barrier_arrive(site, {warp, ~0U}, {0, 0}, phase);
    for (const unsigned warp : warps) recorder.barrier_leave(site, {warp, ~0U}, {0, 0}, phase);
  }
  void arrive(unsigned site, unsigned warp, trace::Phase phase, std::int64_t bytes = 0) {
    recorder.mbarrier_arrive(
        {site, thread(warp), kObject, phase, {Semantics::release, Scope::cta}, 1, bytes});
  }
  void complete(trace::Phase phase) { recorder.mbarrier_complete(kObject, phase); }
  void wait(unsigned site, unsigned warp, trace::Phase phase) {
    recorder.mbarrier_wait({.site = site,
                            .lanes = one(warp),
                            .object = kObject,
                            .expected = phase & 1U,
                            .strength = {Semantics::acquire, Scope::cta},
                            .succeeded = true});
  }
  void copy(unsigned site, unsigned warp, trace::Tracking tracking, std::vector<Range> reads,
            std::vector<Range> writes, trace::Phase phase = 0) {
    recorder.issue({.site = site,
                    .issuer = thread(warp),
                    .tracking = tracking,
                    .object = tracking == trace::Tracking::mbarrier ? kObject : 0,
                    .phase = phase,
                    .reads = reads,
                    .writes = writes});
  }

  /// The test of these two, executed for the n-th time, or why there is none.
  std::variant<LitmusTest, std::string> extracted(End first, End second, std::size_t n = 0) {
    question.first = first;
    question.second = second;
    if (log.entries.empty()) log = recorder.take();
    const std::vector<Ends> ends = find_ends(log, question).pairs;
    if (ends.size() <= n) return "the two accesses were not found again";
    auto sliced = slice(log, question, ends[n]);
    if (const auto* why = std::get_if<std::string>(&sliced)) return *why;
    return write_litmus(log, std::get<Slice>(sliced), "extracted");
  }
  LitmusTest test(End first, End second, std::size_t n = 0) {
    auto out = extracted(first, second, n);
    if (const auto* why = std::get_if<std::string>(&out)) FAIL(*why);
    return std::get<LitmusTest>(out);
  }
  std::string refusal(End first, End second) {
    const auto out = extracted(first, second);
    const auto* why = std::get_if<std::string>(&out);
    return why == nullptr ? "" : *why;
  }

  Question question;
  Recorder recorder;
  Log log;
};

/// Has some execution a race, whose kind the model tells?
bool races(const LitmusTest& test) {
  CAPTURE(test.text);
  const relation::MemoryModel model = model::load("ptx-9", event::base_signature());
  const auto prepared = testing::prepare("extracted", test.text, {});
  const auto found = testing::races_by(testing::Engine::explicit_, prepared, model);
  REQUIRE(found);
  return !found->empty();
}

TEST_CASE("of strong writes one need not be behind the others: each is asked about") {
  const auto relaxed = [](Run& run, unsigned site, unsigned warp, Effect effect) {
    run.access(site, Run::one(warp), effect, kWord.begin, Semantics::relaxed, Scope::cta);
  };
  Run run;
  for (int i = 0; i < 2; ++i) relaxed(run, 1, 0, Effect::write);
  relaxed(run, 2, 1, Effect::read);
  run.access(3, Run::one(1), Effect::write);
  const auto ends = [&](std::size_t n) { return run.test({1, Run::thread(0)}, {3, Run::thread(1)}, n); };
  CHECK(races(ends(0)));
  CHECK_FALSE(races(ends(1)));
  Run weak;
  for (int i = 0; i < 2; ++i) weak.access(1, Run::one(0), Effect::write);
  weak.access(3, Run::one(1), Effect::write);
  static_cast<void>(weak.test({1, Run::thread(0)}, {3, Run::thread(1)}));
  CHECK(find_ends(weak.log, weak.question).pairs.size() == 1);
}

}  // namespace

TEST_CASE("elements of a vector are in no order: none is released by another (8.2.4)") {
  for (const bool one_vector : {false, true}) {
    Run run({kShared, 4});
    if (one_vector) {
      run.access(1, Run::one(0), Effect::write, kShared, Semantics::release, Scope::cta, 2);
    } else {
      run.access(1, Run::one(0), Effect::write, kShared);
      run.access(2, Run::one(0), Effect::write, kShared + 4, Semantics::release, Scope::cta);
    }
    run.access(3, Run::one(1), Effect::read, kShared + 4, Semantics::acquire, Scope::cta);
    run.access(4, Run::one(1), Effect::read, kShared);
    const LitmusTest test = run.test({1, Run::thread(0)}, {4, Run::thread(1)});
    CHECK(races(test) == one_vector);
    CHECK((test.text.find(".v2.b32") != std::string::npos) == one_vector);
  }
}

TEST_CASE("of a weak vector the elements in question stand alone") {
  Run run;
  run.access(1, Run::one(0), Effect::write, kShared, Semantics::weak, Scope::none, 2);
  run.access(2, Run::one(1), Effect::read);
  const LitmusTest test = run.test({1, Run::thread(0)}, {2, Run::thread(1)});
  CHECK(races(test));
  CHECK(test.text.find("st.weak") != std::string::npos);
}

TEST_CASE("a barrier between them, and none") {
  for (const bool synchronized : {false, true}) {
    Run run;
    run.access(1, Run::one(0), Effect::write);
    if (synchronized) run.barrier(2, {0, 1, 2, 3}, 5);
    run.access(3, Run::one(1), Effect::read);
    const LitmusTest test = run.test({1, Run::thread(0)}, {3, Run::thread(1)});
    CHECK(races(test) == !synchronized);
    CHECK(test.text.find("bar") ==
          (synchronized ? test.text.find("barrier.cta.sync 0, 64") : std::string::npos));
  }
}

TEST_CASE("an mbarrier of which others make most arrivals") {
  for (const bool waits : {false, true}) {
    Run run;
    run.access(1, Run::one(0), Effect::write);
    for (unsigned warp = 0; warp < 4; ++warp) run.arrive(2, warp, 6);
    run.complete(6);
    if (waits) run.wait(3, 1, 6);
    run.access(4, Run::one(1), Effect::read);
    CHECK(races(run.test({1, Run::thread(0)}, {4, Run::thread(1)})) == !waits);
  }
}

TEST_CASE("a wait for the phase before orders nothing") {
  Run run;
  run.arrive(9, 0, 0);
  run.complete(0);
  run.access(1, Run::one(0), Effect::write);
  run.wait(3, 1, 0);  // parity 0: a stale one
  run.arrive(2, 0, 1);
  run.access(4, Run::one(1), Effect::read);
  CHECK(races(run.test({1, Run::thread(0)}, {4, Run::thread(1)})));
}

TEST_CASE("through a third thread") {
  for (const bool passed_on : {false, true}) {
    Run run;
    run.access(1, Run::one(0), Effect::write);
    run.access(2, Run::one(0), Effect::write, kGlobal, Semantics::release, Scope::cta);
    run.access(3, Run::one(2), Effect::read, kGlobal, passed_on ? Semantics::acquire : Semantics::relaxed,
               Scope::cta);
    run.access(4, Run::one(2), Effect::write, kGlobal + 64, Semantics::release, Scope::cta);
    run.access(5, Run::one(1), Effect::read, kGlobal + 64, Semantics::acquire, Scope::cta);
    run.access(6, Run::one(1), Effect::read);
    const LitmusTest test = run.test({1, Run::thread(0)}, {6, Run::thread(1)});
    CHECK(test.text.find("P2") != std::string::npos);
    CHECK(races(test) == !passed_on);
  }
}

TEST_CASE("a chain of atomics, and fences") {
  for (const Semantics fence : {Semantics::relaxed, Semantics::acq_rel}) {
    Run run;
    run.access(1, Run::one(0), Effect::write);
    run.recorder.fence(2, Run::one(0), {Semantics::acq_rel, Scope::gpu});
    run.access(3, Run::one(0), Effect::update, kGlobal, Semantics::relaxed, Scope::gpu);
    run.access(3, Run::one(2), Effect::update, kGlobal, Semantics::relaxed, Scope::gpu);
    run.access(3, Run::one(1), Effect::update, kGlobal, Semantics::relaxed, Scope::gpu);
    if (fence == Semantics::acq_rel) run.recorder.fence(4, Run::one(1), {fence, Scope::gpu});
    run.access(5, Run::one(1), Effect::read);
    CHECK(races(run.test({1, Run::thread(0)}, {5, Run::thread(1)})) == (fence == Semantics::relaxed));
  }
}

TEST_CASE("a bulk copy, and what waits for it") {
  const Range row{kShared, 16};
  for (const bool waits : {false, true}) {
    Run run;
    run.arrive(1, 0, 0, 4096);
    run.copy(2, 0, trace::Tracking::mbarrier, {{kGlobal, 4096}},
             {{kShared - 0, 2048}, {kShared + 2048, 2048}});
    run.complete(0);
    if (waits) run.wait(3, 1, 0);
    run.access(4, Run::one(1), Effect::read);
    CHECK(races(run.test({2, Run::thread(0)}, {4, Run::thread(1)})) == !waits);
  }
  for (const bool fenced : {false, true}) {
    Run run(row);
    run.access(1, Run::one(0), Effect::write);
    if (fenced) run.recorder.proxy_fence({2, Run::one(0), isa::Proxy::async, {}, isa::Space::shared_cta, {}});
    run.barrier(3, {0, 1}, 0);
    run.copy(4, 1, trace::Tracking::bulk_group, {row}, {{kGlobal, 16}});
    run.recorder.commit_group(5, Run::thread(1), trace::Tracking::bulk_group);
    CHECK(races(run.test({1, Run::thread(0)}, {4, Run::thread(1)})) == !fenced);
  }
}

TEST_CASE("groups") {
  for (const unsigned pending : {0U, 1U}) {
    Run run;
    run.copy(1, 0, trace::Tracking::cp_async, {{kGlobal, 16}}, {{kShared, 16}});
    run.recorder.commit_group(2, Run::thread(0), trace::Tracking::cp_async);
    run.recorder.wait_group(3, Run::thread(0), trace::Tracking::cp_async, pending, false);
    run.barrier(4, {0, 1}, 0);
    run.access(5, Run::one(1), Effect::read);
    CHECK(races(run.test({1, Run::thread(0)}, {5, Run::thread(1)})) == (pending == 1));
  }
}

TEST_CASE("of vectors, the elements that meet") {
  Run run({kShared, 16});
  for (unsigned i = 0; i < 4; ++i) run.access(1, Run::one(0), Effect::write, kShared + 4 * i);
  for (unsigned i = 0; i < 4; ++i) run.access(2, Run::one(1), Effect::read, kShared + 4 * i);
  CHECK(races(run.test({1, Run::thread(0)}, {2, Run::thread(1)})));
}

TEST_CASE("a log that was kept for other bytes, too, gives the same test") {
  const std::vector<std::vector<Range>> others = {
      {}, {{kShared, 6}}, {{kShared + 6, 64}}, {{kShared, 64}, {kGlobal, 4}}};
  for (const bool copies : {false, true}) {
    std::string expected;
    for (const std::vector<Range>& other : others) {
      Run run(kWord, other);
      run.access(1, Run::one(2), Effect::write, kShared + 8);
      run.access(2, Run::one(0), Effect::write);
      if (copies) run.copy(3, 0, trace::Tracking::bulk_group, {{kShared, 32}}, {{kGlobal, 32}});
      run.access(4, Run::one(2), Effect::write, kShared + 8);
      run.access(5, Run::one(1), Effect::write);
      const LitmusTest test = copies ? run.test({3, Run::thread(0)}, {5, Run::thread(1)})
                                     : run.test({2, Run::thread(0)}, {5, Run::thread(1)});
      if (other.empty()) expected = test.text;
      CHECK(test.text == expected);
    }
  }
}

TEST_CASE("lanes of a warp") {
  for (const bool meet : {false, true}) {
    Run run;
    run.access(1, Run::one(0, 3), Effect::write);
    if (meet) run.recorder.warp_sync(2, {0, ~0U});
    run.access(3, Run::one(0, 7), Effect::read);
    CHECK(races(run.test({1, 3}, {3, 7})) == !meet);
  }
}

TEST_CASE("who wrote what was read is there, though it orders nothing") {
  Run run;
  run.access(1, Run::one(0), Effect::write);
  run.access(2, Run::one(0), Effect::write, kGlobal, Semantics::release, Scope::cta);
  run.access(3, Run::one(2), Effect::write, kGlobal, Semantics::relaxed, Scope::cta);
  run.access(4, Run::one(1), Effect::read, kGlobal, Semantics::acquire, Scope::cta);
  run.access(5, Run::one(1), Effect::read);
  const LitmusTest test = run.test({1, Run::thread(0)}, {5, Run::thread(1)});
  CHECK(test.text.find("P2") != std::string::npos);
  CHECK(races(test));
}

TEST_CASE("the accesses are found by their lines") {
  Run run;
  run.access(1, Run::one(0), Effect::write);
  run.access(3, Run::one(1), Effect::read);
  const LitmusTest test = run.test({1, Run::thread(0)}, {3, Run::thread(1)});
  std::vector<std::string> lines(1);
  for (const char c : test.text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  CHECK(lines.at(test.first_line - 1).starts_with("  st.weak.shared"));
  CHECK(lines.at(test.second_line - 1).starts_with("  ld.weak.shared"));
}

TEST_CASE("what cannot be extracted says why") {
  Run none;
  none.access(1, Run::one(0), Effect::write);
  CHECK(none.refusal({1, 0}, {3, 32}) == "the two accesses were not found again");

  Run object({kObject, 8});
  object.recorder.mbarrier_init(1, 0, kObject, 1);
  object.recorder.mbarrier_invalidate(2, 32, kObject);
  CHECK(object.refusal({1, 0}, {2, 32}).starts_with("it is about an mbarrier object"));

  Run proxy;
  proxy.access(1, Run::one(0), Effect::write);
  proxy.recorder.proxy_fence({2, Run::one(0), isa::Proxy::tensormap, {}, isa::Space::generic, {}});
  proxy.access(3, Run::one(1), Effect::read);
  CHECK(proxy.refusal({1, 0}, {3, 32}) == "a fence of another proxy is between them");
}

/// Each warp is a kernel of its own.
std::array<trace::Placement, 4> kernels() {
  std::array<trace::Placement, 4> out{};
  for (std::uint32_t i = 0; i < out.size(); ++i) out.at(i) = {i, i, 0, i};
  return out;
}

TEST_CASE("kernels one behind the other, and side by side") {
  constexpr Range kFar{kGlobal + 64, 4};
  constexpr std::array<std::uint32_t, 1> kFirst = {0}, kSecond = {1};
  const auto run = [&](bool ordered) {
    Run run(kFar, {}, kernels());
    run.access(1, Run::one(0), Effect::write, kFar.begin);
    if (ordered) run.recorder.start_behind(Run::one(1), kFirst);
    run.recorder.start_behind(Run::one(2), kSecond);
    run.access(2, Run::one(2), Effect::read, kFar.begin);
    return races(run.test({1, 0}, {2, 64}));
  };
  CHECK_FALSE(run(true));
  CHECK(run(false));
}

TEST_CASE("a kernel that starts early is behind another one where it waits for it") {
  constexpr Range kFar{kGlobal + 64, 4};
  constexpr std::array<std::uint32_t, 1> kFirst = {0};
  const auto run = [&](bool waits) {
    Run run(kFar, {}, kernels());
    run.access(1, Run::one(0), Effect::write, kFar.begin);
    if (!waits) run.access(2, Run::one(1), Effect::read, kFar.begin);
    run.recorder.grid_wait(3, Run::one(1), kFirst);
    if (waits) run.access(2, Run::one(1), Effect::read, kFar.begin);
    return races(run.test({1, 0}, {2, 32}));
  };
  CHECK_FALSE(run(true));
  CHECK(run(false));
}

TEST_CASE("barriers of a cluster, and what is relaxed of them") {
  // Warp 2 arrives before the first access, warp 3 is of no other cluster, either.
  for (const Semantics semantics : {Semantics::release, Semantics::relaxed}) {
    Run run;
    run.recorder.cluster_arrive(1, Run::one(2), {0, 0}, 0, Semantics::release);
    run.access(2, Run::one(0), Effect::write);
    for (const unsigned warp : {0U, 1U}) run.recorder.cluster_arrive(3, Run::one(warp), {0, 0}, 0, semantics);
    for (const unsigned warp : {0U, 1U, 2U})
      run.recorder.cluster_leave(4, Run::one(warp), {0, 0}, 0, Semantics::acquire);
    run.access(5, Run::one(1), Effect::read);
    CHECK(races(run.test({2, Run::thread(0)}, {5, Run::thread(1)})) == (semantics == Semantics::relaxed));
  }
  for (const bool behind : {false, true}) {  // the wait of thread 2 alone
    Run run;
    run.recorder.cluster_arrive(1, Run::one(2), {0, 0}, 0, Semantics::release);
    run.access(2, Run::one(0), Effect::write);
    run.recorder.cluster_arrive(3, Run::one(0), {0, 0}, 0, Semantics::release);
    run.recorder.cluster_leave(4, Run::one(2), {0, 0}, 0, Semantics::acquire);
    run.access(5, Run::one(behind ? 2 : 1), Effect::read);
    CHECK(races(run.test({2, Run::thread(0)}, {5, Run::thread(behind ? 2 : 1)})) == !behind);
  }
}

TEST_CASE("a loop that another write would have let go on as well") {
  for (const std::uint64_t awaited : {1U, 2U}) {
    Run run;
    const auto write = [&](unsigned site, unsigned warp, std::uint64_t value) {
      std::array<trace::Address, trace::kLanes> begin{};
      begin.fill(kGlobal);
      std::array<std::uint64_t, trace::kLanes> written{};
      written.fill(value);
      run.recorder.access({.site = site,
                           .lanes = Run::one(warp),
                           .effect = Effect::write,
                           .strength = {Semantics::release, Scope::gpu},
                           .begin = begin,
                           .written = written});
    };
    write(1, 0, 1);
    run.access(2, Run::one(1), Effect::write);
    write(3, 1, 2);
    run.poll(4, Run::one(2), {Semantics::acquire, Scope::gpu}, awaited);
    run.access(5, Run::one(2), Effect::read);
    CHECK(races(run.test({2, Run::thread(1)}, {5, Run::thread(2)})) == (awaited == 1));
  }
}

TEST_CASE("of atomics that a loop waits for, the test has one order") {
  // Warps 0 and 1 count, and warp 2 waits; one of them, or none, has done so before the first access.
  for (const unsigned counting : {1U, 2U}) {
    Run run;
    for (unsigned warp = 2 - counting; warp < 2; ++warp) {
      if (warp == 1) run.access(2, Run::one(1), Effect::write);
      run.access(1 + 2 * warp, Run::one(warp), Effect::update, kGlobal, Semantics::release, Scope::gpu);
    }
    run.poll(4, Run::one(2), {Semantics::acquire, Scope::gpu});
    run.access(5, Run::one(2), Effect::read);
    run.question.first = {2, Run::thread(1)};
    run.question.second = {5, Run::thread(2)};
    run.log = run.recorder.take();
    const auto sliced = slice(run.log, run.question, find_ends(run.log, run.question).pairs.at(0));
    REQUIRE(std::holds_alternative<Slice>(sliced));
    CHECK(std::get<Slice>(sliced).one_order_of_many == (counting == 2));
  }
}

TEST_CASE("what a thread reads last decides nothing of the test") {
  // The run read the flag before it was written; behind a fence.sc of both that alone would order them.
  Run run;
  run.access(1, Run::one(0), Effect::read);
  run.recorder.fence(2, Run::one(0), {Semantics::sc, Scope::cta});
  run.access(3, Run::one(0), Effect::read, kGlobal, Semantics::relaxed, Scope::cta);
  run.access(4, Run::one(1), Effect::write, kGlobal, Semantics::relaxed, Scope::cta);
  run.recorder.fence(5, Run::one(1), {Semantics::sc, Scope::cta});
  run.access(6, Run::one(1), Effect::write);
  CHECK(races(run.test({1, Run::thread(0)}, {6, Run::thread(1)})));
}

TEST_CASE("a turn of a loop that comes back decides nothing of the test") {
  for (const bool comes_back : {true, false}) {
    Run run;
    run.access(1, Run::one(0), Effect::read);
    run.recorder.fence(2, Run::one(0), {Semantics::sc, Scope::cta});
    run.poll(3, Run::one(0), {Semantics::relaxed, Scope::cta}, 0, !comes_back);
    run.recorder.fence(7, Run::one(0), {Semantics::acq_rel, Scope::cta});
    run.access(4, Run::one(1), Effect::write, kGlobal, Semantics::relaxed, Scope::cta);
    run.recorder.fence(5, Run::one(1), {Semantics::sc, Scope::cta});
    run.access(6, Run::one(1), Effect::write);
    CHECK(races(run.test({1, Run::thread(0)}, {6, Run::thread(1)})) == comes_back);
  }
}

TEST_CASE("accesses that are executed often are found each time") {
  Run run;
  run.access(1, Run::one(0), Effect::write);
  run.barrier(2, {0, 1}, 0);
  run.access(3, Run::one(1), Effect::read);
  run.access(1, Run::one(0), Effect::write);
  run.access(3, Run::one(1), Effect::read);
  CHECK_FALSE(races(run.test({1, Run::thread(0)}, {3, Run::thread(1)}, 0)));
  CHECK(races(run.test({1, Run::thread(0)}, {3, Run::thread(1)}, 1)));
}
