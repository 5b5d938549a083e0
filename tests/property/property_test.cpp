// SPDX-License-Identifier: Apache-2.0
// The test drivers have tests of their own: a generator that draws the same everywhere, a shrinker that
// shrinks, a comparison that notices.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include "axiomatic/recheck/recheck.h"
#include "generate.h"
#include "harness.h"
#include "input/litmus/parse.h"
#include "model/cat/read.h"
#include "model/models.h"
#include "random_model.h"
#include "reference.h"
#include "shrink.h"
#include "source_base.h"

namespace ptxmc::testing {
namespace {

constexpr const char* kStoreBuffering = R"(PTX SB
{ x=0; y=0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       | P2@cta 2,gpu 0       ;
 st.relaxed.gpu x, 1  | st.relaxed.gpu y, 1  | st.relaxed.gpu z, 1  ;
 fence.sc.gpu         | fence.sc.gpu         | ld.relaxed.gpu r5, z ;
 ld.relaxed.gpu r0, y | ld.relaxed.gpu r0, x |                      ;
exists (P0:r0 == 0 /\ P1:r0 == 0)
)";

relation::MemoryModel read_model(const std::string& text) {
  return cat::read(std::make_shared<Source>(Source{"test.cat", text}), event::base_signature());
}

// of the first 200 programs; changes with the generator alone
constexpr std::uint64_t kProgramChecksum = 12500432126053856933ULL;

std::uint64_t checksum(const std::string& text) {  // FNV-1a
  std::uint64_t hash = 14695981039346656037ull;
  for (unsigned char c : text) hash = (hash ^ c) * 1099511628211ull;
  return hash;
}

TEST_CASE("equal seeds draw equal programs, on every platform") {
  CHECK(generate_test(7, Shape{}) == generate_test(7, Shape{}));
  CHECK(generate_test(7, Shape{}) != generate_test(8, Shape{}));
  std::string all;
  for (std::uint64_t seed = 0; seed < 200; ++seed) all += generate_test(seed, Shape{});
  CHECK(checksum(all) == kProgramChecksum);
}

TEST_CASE("the exhaustive reference knows store buffering") {
  const Prepared prepared = prepare("SB", R"(PTX SB
{ x=0; y=0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0       ;
 st.relaxed.gpu x, 1  | st.relaxed.gpu y, 1  ;
 ld.relaxed.gpu r0, y | ld.relaxed.gpu r0, x ;
exists (P0:r0 == 0 /\ P1:r0 == 0)
)",
                                    {});
  const auto weak = enumerate_all(prepared, model::load("ptx-9.4", event::base_signature()), 10000);
  REQUIRE(weak);
  CHECK_FALSE(weak->failure);
  CHECK(weak->states.size() == 4);
  const auto strong = enumerate_all(prepared, model::load("sc", event::base_signature()), 10000);
  REQUIRE(strong);
  CHECK(strong->states.size() == 3);
}

TEST_CASE("the reference gives up above its limit") {
  const Prepared prepared = prepare("SB", kStoreBuffering, {});
  CHECK_FALSE(enumerate_all(prepared, model::load("ptx-9.4", event::base_signature()), 3));
}

TEST_CASE("a shrunk test is minimal and still fails") {
  // "Fails" iff a fence and a store of x are left: everything else must go.
  const auto fails = [](const std::string& text) {
    try {
      const litmus::Test test = litmus::parse(std::make_shared<Source>(Source{"candidate", text}));
      bool fence = false, store = false;
      for (const program::Thread& thread : test.threads) {
        for (const program::Instruction& instruction : thread.code()) {
          fence = fence || instruction.opcode == isa::Opcode::fence;
          store = store || instruction.opcode == isa::Opcode::st;
        }
      }
      return fence && store;
    } catch (const InputError&) {
      return false;
    }
  };
  const std::string text =
      shrink(litmus::parse(std::make_shared<Source>(Source{"SB", kStoreBuffering})), fails);
  CHECK(fails(text));
  const litmus::Test test = litmus::parse(std::make_shared<Source>(Source{"shrunk", text}));
  std::size_t instructions = 0;
  for (const program::Thread& thread : test.threads) instructions += thread.code().size();
  CHECK(instructions == 2);
  CHECK(test.threads.size() == 1);
}

TEST_CASE("kernels shrink with their threads") {
  const std::string source = R"(PTX kernels
{ .global .u32 x = 0; .global .u32 y = 0; }
kernels {
  K0: P0;
  K1: P1, after K0;
  K2: P2, programmatic after K0 K1;
}
 P0 @ cta 0 { st.weak.u32 [y], 1; }
 P1 @ cta 0 { ld.weak.u32 %r0, [y]; }
 P2 @ cta 0 { st.weak.u32 [x], 1; }
exists (x == 1)
)";
  const auto fails = [](const std::string& text) {
    try {
      litmus::parse(std::make_shared<Source>(Source{"candidate", text}));
      return text.find("kernels {") != std::string::npos && text.find("[x], 1") != std::string::npos;
    } catch (const InputError&) {
      return false;
    }
  };
  const std::string text = shrink(litmus::parse(std::make_shared<Source>(Source{"kernels", source})), fails);
  CHECK(fails(text));
  CHECK(litmus::parse(std::make_shared<Source>(Source{"shrunk", text})).threads.size() == 1);
  CHECK(text.find("after") == std::string::npos);
}

TEST_CASE("the comparison with the reference notices a wrong model") {
  // Two models that differ on SB: what one reaches, the other's reference lacks.
  const relation::MemoryModel none = read_model("acyclic rf | dep as NoThinAir\n");
  const Prepared prepared = prepare("SB", kStoreBuffering, {});
  const auto loose = enumerate_all(prepared, none, 100000);
  const auto tight = enumerate_all(prepared, model::load("sc", event::base_signature()), 100000);
  REQUIRE(loose);
  REQUIRE(tight);
  CHECK(loose->states.size() > tight->states.size());
}

constexpr const char* kManySorts = R"(PTX sorts
{ .global .u32 x = 0; .shared .b64 m = 1; .global .u32 g[4]; .shared .align 16 .u32 t[4]; a aliases x; }
 P0 @ cta 0 {
  ld.relaxed.gpu.u32 %r0, [x];
  st.release.gpu.u32 [x], %r0;
  atom.acq_rel.gpu.add.u32 %r1, [x], 1;
  fence.sc.gpu;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared.b64 _, [m], 16;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [t], [g], 16, [m];
  bar.sync 0;
 }
 P1 @ cta 0 {
  bar.sync 0;
  st.weak.u32 [x], 5;
  st.weak.u32 [g+4], 5;
  ld.acquire.sys.u32 %r2, [a];
  ld.relaxed.gpu.u32 %r3, [x];
 }
 P2 @ cta 1 {
  fence.acq_rel.cta;
 }
exists (P0:%r0 == 1)
)";

TEST_CASE("one pair more or less in a base relation is noticed, and one event in a base set") {
  Prepared prepared = prepare("sorts", kManySorts, {});
  REQUIRE_FALSE(check_base(prepared));
  const auto& signature = event::base_signature();
  const std::size_t n = prepared.graph->size();
  for (std::uint32_t id = 0; id < signature.rows().size(); ++id) {
    if (signature[id].provider != relation::Provider::fixed) continue;
    CAPTURE(signature[id].name);
    const event::BaseValues saved = prepared.base;
    for (std::size_t e = 0; e < n; ++e) {
      if (signature[id].sort == relation::Sort::set) {
        relation::BitSet& set = prepared.base.sets[id];
        set.test(e) ? set.reset(e) : set.set(e);
      } else {
        relation::BitMatrix& matrix = prepared.base.relations[id];
        matrix.test(e, n - 1) ? matrix.reset(e, n - 1) : matrix.set(e, n - 1);
      }
      const auto failure = check_base(prepared);
      REQUIRE(failure);
      CHECK(failure->detail.find(" " + signature[id].name + ":") != std::string::npos);
      prepared.base = saved;
    }
  }
}

TEST_CASE("what the source says is noticed where a base set or relation says the contrary") {
  Prepared prepared = prepare("sorts", kManySorts, {});
  REQUIRE_FALSE(source_difference(prepared));
  const event::BaseValues saved = prepared.base;
  for (const std::string name :
       {"R", "W", "ACQ", "REL", "WEAK", "RLX", "FSC", "FACQREL", "CTA", "GPU", "SYS"}) {
    CAPTURE(name);
    relation::BitSet& set = prepared.base.sets[*event::base_signature().find(name)];
    for (std::size_t e = 0; e < prepared.graph->size(); ++e) set.test(e) ? set.reset(e) : set.set(e);
    CHECK(source_difference(prepared));
    prepared.base = saved;
  }
  for (const std::string name : {"po", "scta", "mscope", "ploc", "ov", "full"}) {
    for (const bool more : {false, true}) {  // nothing, and everything
      CAPTURE(name);
      relation::BitMatrix& matrix = prepared.base.relations[*event::base_signature().find(name)];
      relation::BitSet all(prepared.graph->size());
      if (more) all.set_all();
      matrix.assign_product(all, all);
      CHECK(source_difference(prepared));
      prepared.base = saved;
    }
  }
}

TEST_CASE("the witness check does not believe a wrong base relation") {
  Prepared prepared = prepare("SB", kStoreBuffering, {});
  const relation::MemoryModel model = model::load("ptx-9.4", event::base_signature());
  const engine::Query query = query_for(prepared, model);
  const engine::Result result = solve(Engine::explicit_, query);
  REQUIRE_FALSE(result.states.empty());
  CHECK(check::recheck(query, result.states.front()).empty());
  for (const char* name : {"po", "mscope", "ploc", "GEN"}) {
    CAPTURE(name);
    const std::uint32_t id = *event::base_signature().find(name);
    const event::BaseValues saved = prepared.base;
    prepared.base.sets[id].clear();
    prepared.base.relations[id].clear();
    const auto problems = check::recheck(query, result.states.front());
    CHECK_FALSE(problems.empty());
    prepared.base = saved;
  }
}

TEST_CASE("without the axiom of tearing, cutting memory into bytes changes states, and that is noticed") {
  const std::string text =
      "PTX t\n{ .global .u64 x = 0; .global .u64 y = 0; }\n"
      "P0 @ cta 0 { st.weak.u64 [x], 0x100000001; st.weak.u64 [y], 0x300000003; }\n"
      "P1 @ cta 1 { ld.weak.u64 %rd0, [x]; st.weak.u64 [y], 0x500000005; }\n"
      "exists (P1:%rd0 == 1 /\\ y == 0x300000005)\n";
  const Prepared prepared = prepare("t", text, {});
  relation::MemoryModel model = model::load("ptx-9.4", event::base_signature());
  for (const Engine engine : {Engine::explicit_, Engine::smt}) {
    Counts counts;
    CHECK(!compare_single_bytes(prepared, model, {}, engine, counts));
    CHECK(counts.bytes == 1);
  }
  std::erase_if(model.axioms, [](const relation::Constraint& axiom) { return axiom.name == "Tearing"; });
  Counts counts;
  const auto failure = compare_single_bytes(prepared, model, {}, Engine::explicit_, counts);
  REQUIRE(failure);
  CHECK(failure->kind == "bytes-differ");
}

TEST_CASE("random models are accepted by the reader") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string text = generate_model(seed, event::base_signature());
    CAPTURE(text);
    CHECK_NOTHROW(read_model(text));
  }
}

}  // namespace
}  // namespace ptxmc::testing
