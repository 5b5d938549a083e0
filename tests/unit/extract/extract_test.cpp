// SPDX-License-Identifier: Apache-2.0
// Runs made by hand, and what the engine says of the tests that are extracted from them.
#include "model/flag_rules.h"
#include "recorded.h"

namespace ptxmc::extract {
namespace {

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

TEST_CASE("a barrier at which the other one waits already when the first access happens") {
  Run run;
  run.recorder.barrier_arrive(2, {1, ~0U}, {0, 0}, 5);
  run.access(1, Run::one(0), Effect::write);
  run.recorder.barrier_arrive(2, {0, ~0U}, {0, 0}, 5);
  for (const unsigned warp : {1U, 0U}) run.recorder.barrier_leave(2, {warp, ~0U}, {0, 0}, 5);
  run.access(3, Run::one(1), Effect::read);
  CHECK_FALSE(races(run.test({1, Run::thread(0)}, {3, Run::thread(1)})));
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
    run.recorder.fence(2, Run::one(0), {Semantics::acq_rel, Scope::gpu}, isa::Space::generic);
    run.access(3, Run::one(0), Effect::update, kGlobal, Semantics::relaxed, Scope::gpu);
    run.access(3, Run::one(2), Effect::update, kGlobal, Semantics::relaxed, Scope::gpu);
    run.access(3, Run::one(1), Effect::update, kGlobal, Semantics::relaxed, Scope::gpu);
    if (fence == Semantics::acq_rel)
      run.recorder.fence(4, Run::one(1), {fence, Scope::gpu}, isa::Space::generic);
    run.access(5, Run::one(1), Effect::read);
    CHECK(races(run.test({1, Run::thread(0)}, {5, Run::thread(1)})) == (fence == Semantics::relaxed));
  }
}

/// Beside the note that the copy may outlive its block, which nothing here waits for.
bool contains_race(const LitmusTest& test) {
  const relation::MemoryModel model = model::load("ptx-9.4", event::base_signature());
  const auto prepared = testing::prepare("extracted", test.text, {});
  const auto found = testing::races_by(testing::Engine::explicit_, prepared, model);
  return std::any_of(found->begin(), found->end(), [&](const auto& one) {
    return model::rule_of(model.flags[std::get<0>(one)]).id == finding::RuleId::race;
  });
}

TEST_CASE("fences of one direction, and of shared memory alone (9.7.12.4)") {
  const auto flag = [](Run& run, unsigned site) {
    run.access(site, Run::one(0), Effect::write, kGlobal + 64, Semantics::relaxed, Scope::gpu);
    run.access(site + 1, Run::one(1), Effect::read, kGlobal + 64, Semantics::relaxed, Scope::gpu);
  };
  const trace::Strength release{Semantics::release, Scope::cluster},
      acquire{Semantics::acquire, Scope::cluster};
  for (const trace::Address at : {kWord.begin, kGlobal}) {
    Run run({at, 4});
    run.access(1, Run::one(0), Effect::write, at);
    run.recorder.fence(2, Run::one(0), release, isa::Space::shared_cta);
    flag(run, 3);
    run.recorder.fence(5, Run::one(1), acquire, isa::Space::shared_cluster);
    run.access(6, Run::one(1), Effect::read, at);
    CHECK(races(run.test({1, Run::thread(0)}, {6, Run::thread(1)})) == (at == kGlobal));
  }
  for (const bool reads : {true, false}) {
    const Range row{kShared, 16};
    Run run(row);
    run.access(1, Run::one(0), reads ? Effect::read : Effect::write, kShared);
    run.recorder.proxy_fence(
        {2, Run::one(0), isa::Proxy::async, release, isa::Space::shared_cluster, {}, true});
    flag(run, 3);
    run.recorder.proxy_fence({5, Run::one(1), isa::Proxy::async, acquire, isa::Space::shared_cluster, {}});
    run.copy(6, 1, trace::Tracking::mbarrier, {{kGlobal + 128, 16}}, {row});
    const LitmusTest test = run.test({1, Run::thread(0)}, {6, Run::thread(1)});
    CAPTURE(test.text);
    CHECK(contains_race(test) == !reads);
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

}  // namespace
}  // namespace ptxmc::extract
