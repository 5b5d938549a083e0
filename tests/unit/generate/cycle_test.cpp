// SPDX-License-Identifier: Apache-2.0
// Cycles of edges: what is read, what is refused and where, and the tests that they become.
#include "generate/cycle.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "../contains.h"
#include "generate/judge.h"
#include "input/litmus/parse.h"
#include "support/diagnostic.h"

using namespace ptxmc;
using namespace ptxmc::generate;
using ptxmc::testing::contains;

namespace {

Cycle read(const std::string& text) {
  return parse_cycle(std::make_shared<const Source>(Source{"--cycle", text}));
}
Sketch made(const std::string& text, const Defaults& defaults = {}) {
  return sketch_of(read(text), defaults);
}

/// The message, and the column in front of it.
std::string error_of(const std::string& text, const Defaults& defaults = {}) {
  try {
    made(text, defaults);
  } catch (const InputError& error) {
    const Diagnostic& first = error.diagnostics().at(0);
    return std::to_string(first.position.column) + ": " + first.message;
  }
  return "";
}

std::string verdict_of(const std::string& text, const Defaults& defaults = {}) {
  const session::Session session(judging({}));
  const Sketch sketch = made(text, defaults);
  const Judged judged = judge(session, sketch.name, print(sketch, ""), {});
  CHECK(judged.problems.empty());
  return std::string(explain::name_of(judged.answer));
}

Defaults all(isa::Semantics semantics, isa::Scope scope = isa::Scope::gpu) {
  Defaults defaults;
  defaults.order = {semantics, scope};
  return defaults;
}

}  // namespace

TEST_CASE("shapes have their names, wherever the cycle begins") {
  const std::pair<const char*, const char*> kShapes[] = {
      {"PodWW Rfe PodRR Fre", "MP"},
      {"PodRR Fre PodWW Rfe", "MP"},
      {"Fre PodWR Fre PodWR", "SB"},
      {"PodRW Rfe PodRW Rfe", "LB"},
      {"PodWW Rfe PodRW Wse", "S"},
      {"PodWW Coe PodWR Fre", "R"},
      {"PodWW Coe PodWW Coe", "2+2W"},
      {"Rfe PodRW Rfe PodRR Fre", "WRC"},
      {"Rfe PodRR Fre Rfe PodRR Fre", "IRIW"},
      {"PodWW Rfe PodRW Rfe PodRR Fre", "ISA2"},
      {"Rfe PosRR Fre", "CoRR"},
      {"PodWW Coe PodWW Coe PodWW Coe", "3.2W"},
      {"PodWW Coe PodWR Fre PodWR Fre", "Z6.4"},
  };
  for (const auto& shape : kShapes) {
    CAPTURE(shape.first);
    CHECK(made(shape.first).name == std::string(shape.second) + "+relaxed.gpu");
  }
  CHECK(made("Fence.sc.gpudWR Fre Fence.scdWR Fre").name == "SB+fence.sc.gpus");
  CHECK(made("Weak PodWW Rel.gpu Rfe Acq.gpu PodRR Weak Fre").name == "MP+weak-release.gpu+acquire.gpu-weak");
  CHECK(made("PodWWPL RfeLA PodRRAP Fre").name == "MP+weak-release.gpu+acquire.gpu-weak");
  CHECK(made("DpDatadW Rfe DpCtrldW Rfe").name == "LB+data+ctrl");
}

TEST_CASE("what is printed is a test, with the condition of the cycle") {
  const Sketch sketch = made("PodWW Rfe PodRR Fre");
  CHECK(contains(print(sketch, "Verdict=Allowed"), "Verdict=Allowed\n"));
  CHECK(contains(print(sketch, ""), "exists (P1:%r0 == 1 /\\ P1:%r1 == 0)"));
  for (const char* cycle : {"DpAddrdW Rfe DpDatadW Rfe",
                            "DpCtrldR Fre PodWW Rfe",
                            "PodWW Rfe Rmw PodWR Fre",
                            "BarSyncsWR Fre",
                            "MBarriersWR Fre",
                            "BarClustersWR Fre",
                            "Weak Fence.proxy.aliassWR Alias Weak Fre Coe",
                            "Coe Coe PodWW Coe PodWW",
                            "Bulk MBarriersWR Fre",
                            "Bulk Alias MBarriersRW Rfe",
                            "CpAsync MBarriersWR Fre",
                            "Bulk WaitsWR Fre Coe",
                            "CpAsync WaitsRW Coe Rfe",
                            "Tcgen05sWR Fre",
                            "Tensor WaitsWR Fre Coe",
                            "Tensor BarSyncsWW Coe",
                            "Tcgen05.beforedWW Rfe Tcgen05.afterdRR Fre",
                            "Mma Tcgen05sWR Fre",
                            "Cp MBarriersWR Fre",
                            "Mma WaitsWR Fre Coe",
                            "Cp Tcgen05.commitsWR Fre Mma Coe",
                            "Mma Tcgen05sWW Cp Coe",
                            "Multicast MBarriersWR Fre",
                            "Weak MBarriersWR Wgmma Fre",
                            "Bulk MBarriersWR Wgmma Fre",
                            "Wgmma WaitdRW Rel.gpu Rfe Acq.gpu PodRW Weak Rfe",
                            "Wgmma.a PodRW Rel.gpu Rfe Acq.gpu PodRW Weak Rfe",
                            "Weak Wgmma.fencesWR Unfenced Wgmma Fre Coe",
                            "Weak MBarriersWR Mma.a Fre",
                            "Bulk MBarriersWR Mma.a PosRR Mma.b Fre",
                            "Bulk MBarriersWR Cp Fre",
                            "Mma.b WaitdRW Rel.gpu Rfe Acq.gpu PodRW Weak Rfe",
                            "Pair Mma Tcgen05.clustersWR Fre",
                            "Pair Mma.a MBarrier.clusterdRW Rel.gpu Rfe Acq.gpu PodRW Weak Rfe",
                            "Tcgen05.clustersWR Fre",
                            "Mma MBarrier.clusterdWW Rel.gpu Rfe Acq.gpu Tcgen05.afterdRW Mma Coe",
                            "Multicast BarClusterdWW PodWR Fre",
                            "MBarrier.clustersWR Fre"}) {
    const std::string text = print(made(cycle), "");
    std::vector<Diagnostic> warnings;
    CHECK_NOTHROW(litmus::parse(std::make_shared<const Source>(Source{cycle, text}), &warnings));
    CHECK_MESSAGE(warnings.empty(), text);
  }
}

TEST_CASE("verdicts, where edges make the difference") {
  CHECK(verdict_of("PodWW Rfe PodRR Fre") == "Allowed");
  CHECK(verdict_of("PodWW Rfe PodRR Fre", all(isa::Semantics::acq_rel)) == "Forbidden");
  CHECK(verdict_of("Fence.sc.gpudWR Fre Fence.sc.gpudWR Fre") == "Forbidden");
  CHECK(verdict_of("Fence.sc.gpudWR Fre Fence.sc.ctadWR Fre") == "Allowed");
  Defaults one_cta;
  one_cta.places = {{0, 0}, {0, 0}};
  CHECK(verdict_of("Fence.sc.gpudWR Fre Fence.sc.ctadWR Fre", one_cta) == "Forbidden");
  CHECK(verdict_of("Rfe PosRR Fre") == "Forbidden");
  CHECK(verdict_of("Rfe PosRR Fre", all(isa::Semantics::weak)) == "Allowed");
  CHECK(verdict_of("DpDatadW Rfe DpAddrdW Rfe") == "Forbidden");
  CHECK(verdict_of("DpDatadW Rfe PodRW Rfe") == "Allowed");
  for (const char* barrier :
       {"BarSyncsWR Fre", "MBarriersWR Fre", "MBarrier.clustersWR Fre", "BarClustersWR Fre"})
    CHECK_MESSAGE(verdict_of(barrier, all(isa::Semantics::weak)) == "Forbidden", barrier);
  CHECK(verdict_of("Weak PosWR Alias Weak Fre Coe") == "Allowed");
  CHECK(verdict_of("Weak Fence.proxy.aliassWR Alias Weak Fre Coe") == "Forbidden");
  CHECK(verdict_of("PodWW Rfe Rmw PodWR Fre") == "Allowed");
  CHECK(verdict_of("PodWW Rfe Rmw PodWR Fre", all(isa::Semantics::acq_rel)) == "Forbidden");
}

// Each edge and mark of asynchronous operations, beside what it is without.
TEST_CASE("nightly: verdicts of copies and tensor memory") {
  struct Row {
    const char* cycle;
    const char* verdict;
  };
  const Row kRows[] = {
      // 8.9.1.1: where a copy completes carries what it did.
      {"Bulk MBarriersWR Fre", "Forbidden"},
      {"Bulk MBarriersRW Rfe", "Forbidden"},
      {"CpAsync MBarriersWR Fre", "Forbidden"},
      {"CpAsync MBarriersRW Rfe", "Forbidden"},
      {"Bulk BarSyncsWR Fre", "Allowed"},
      {"CpAsync BarSyncsWR Fre", "Allowed"},
      {"CpAsync BarSyncsRW Rfe", "Allowed"},
      // 9.7.8.24: waits in the thread.
      {"Bulk WaitsWR Fre Coe", "Forbidden"},
      {"CpAsync WaitsWR Fre Coe", "Forbidden"},
      {"CpAsync WaitdRW Rel.gpu Rfe Acq.gpu PodRW Rfe", "Forbidden"},
      {"CpAsync PodRW Rel.gpu Rfe Acq.gpu PodRW Rfe", "Allowed"},
      {"Bulk WaitdRW Rel.gpu Rfe Acq.gpu PodRW Rfe", "Forbidden"},
      {"Bulk PodRW Rel.gpu Rfe Acq.gpu PodRW Rfe", "Allowed"},
      {"Tcgen05.beforedRW Rel.gpu Rfe Acq.gpu Tcgen05.afterdRW Rfe", "Forbidden"},
      {"Bulk PosWR Fre Coe", "Allowed"},
      {"CpAsync PosWR Fre Coe", "Allowed"},
      // 9.7.12.4: the async proxy.
      {"Fence.proxy.asyncsWR Bulk Fre Coe", "Forbidden"},
      {"PosWR Bulk Fre Coe", "Allowed"},
      {"MBarriersRW Bulk Rfe", "Allowed"},
      // 9.7.16.6: tensor memory.
      {"Tensor WaitsWR Fre Coe", "Forbidden"},
      {"Tensor PosWR Fre Coe", "Forbidden"},
      {"Tcgen05sWW Coe", "Forbidden"},
      {"Tensor BarSyncsWW Coe", "Allowed"},
      {"Mma Tcgen05sWW Tensor Coe", "Forbidden"},
      {"Tcgen05sWR Fre", "Forbidden"},
      {"Tensor MBarriersWR Fre", "Allowed"},
      {"Tcgen05.beforedWW Rel.gpu Rfe Acq.gpu Tcgen05.afterdRR Fre", "Forbidden"},
      {"Tcgen05.beforedWW Rel.gpu Rfe Acq.gpu PodRR Fre", "Allowed"},
      {"Tensor PodWW Rel.gpu Rfe Acq.gpu Tcgen05.afterdRR Fre", "Allowed"},
      // 9.7.16.6.4.2 and .4b: a commit, a wait for it, and the fence behind that, in the thread and in another.
      {"Mma Tcgen05.commitsWR Fre Coe", "Forbidden"},
      {"Mma WaitsWR Fre Coe", "Allowed"},
      {"Mma PosWR Fre Coe", "Allowed"},
      {"Mma Tcgen05sWR Fre", "Forbidden"},
      {"Mma MBarriersWR Fre", "Allowed"},
      {"Cp Tcgen05sWR Fre", "Forbidden"},
      {"Cp BarSyncsWR Fre", "Allowed"},
      // 9.7.16.6.2: a pair that is pipelined is of one warp.
      {"Cp Tcgen05.beforedWW Rel.gpu Rfe Acq.gpu Tcgen05.afterdRW Mma Coe", "Allowed"},
      {"Cp PodWW Rel.gpu Rfe Acq.gpu Tcgen05.afterdRW Mma Coe", "Allowed"},
      // 8.9.1.1 in a cluster: where a multicast copy completes, its CTA knows of it.
      {"Mma MBarrier.clusterdWW Rel.gpu Rfe Acq.gpu Tcgen05.afterdRW Mma Coe", "Forbidden"},
      {"Mma PodWW Rel.gpu Rfe Acq.gpu Tcgen05.afterdRW Mma Coe", "Allowed"},
      // An operand is read through the async proxy, until the wait for its group; a bulk copy writes through that proxy, too.
      {"Weak MBarriersWR Wgmma Fre", "Allowed"},
      {"Bulk MBarriersWR Wgmma Fre", "Forbidden"},
      {"Weak Fence.proxy.asyncsWR Wgmma Fre Coe", "Forbidden"},
      {"Weak PosWR Wgmma Fre Coe", "Allowed"},
      {"Wgmma WaitdRW Rel.gpu Rfe Acq.gpu PodRW Weak Rfe", "Forbidden"},
      {"Wgmma PodRW Rel.gpu Rfe Acq.gpu PodRW Weak Rfe", "Allowed"},
      // Without a wgmma.fence directly in front nothing orders the operation behind what precedes it, unless a proxy fence does; one
      // of registers that were written since is undefined (8.9.1.1, 9.7.14.7.1).
      {"Bulk MBarriersWR Unfenced Wgmma Fre", "Allowed"},
      {"Weak Fence.proxy.asyncsWR Unfenced Wgmma Fre Coe", "Forbidden"},
      {"Weak Wgmma.fencesWR Unfenced Wgmma Fre Coe", "Allowed"},
      {"Weak MBarriersWR Wgmma.a Fre", "Forbidden"},
      {"Weak MBarriersWR Unfenced Wgmma.a Fre", "Undefined"},
      {"Wgmma.a PodRW Rel.gpu Rfe Acq.gpu PodRW Weak Rfe", "Forbidden"},
      // 9.7.16.6.5: so are operands of tcgen05 in shared memory, until their commit.
      {"Weak MBarriersWR Mma.a Fre", "Allowed"},
      {"Bulk MBarriersWR Mma.a Fre", "Forbidden"},
      {"Bulk MBarriersWR Cp Fre", "Forbidden"},
      {"Weak Fence.proxy.asyncsWR Mma.b Fre Coe", "Forbidden"},
      {"Weak PosWR Mma.b Fre Coe", "Allowed"},
      {"Mma.b WaitdRW Rel.gpu Rfe Acq.gpu PodRW Weak Rfe", "Forbidden"},
      {"Mma.b PodRW Rel.gpu Rfe Acq.gpu PodRW Weak Rfe", "Allowed"},
      {"Mma.a MBarriersRW Weak Rfe", "Forbidden"},
      // 9.7.16.5.1: tensor memory of both CTAs of a pair; a multicast commit tells the other one.
      {"Pair Mma Tcgen05.clustersWR Fre", "Forbidden"},
      {"Pair Mma MBarrier.clustersWR Fre", "Allowed"},
      {"Pair Cp BarClustersWR Fre", "Allowed"},
      {"Pair Mma.a MBarrier.clusterdRW Rel.gpu Rfe Acq.gpu PodRW Weak Rfe", "Forbidden"},
      {"Multicast MBarriersWR Fre", "Forbidden"},
      {"Multicast BarClustersWR Fre", "Allowed"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.cycle);
    CHECK(verdict_of(row.cycle, all(isa::Semantics::weak)) == row.verdict);
  }
}

TEST_CASE("errors name the place in the cycle") {
  CHECK(error_of("PodWW Rfe PodXR Fre") == "11: no edge is named 'PodXR'; did you mean 'PodRR'?");
  CHECK(error_of("Rfe Acquire.gpv PodRR Fre PodWW") ==
        "5: no edge is named 'Acquire.gpv'; did you mean 'Acquire.gpu'?");
  CHECK(error_of("PodWW Rfe PodRW Fre") == "17: 'PodRW' ends at a write, and 'Fre' begins at a read");
  CHECK(contains(error_of("PodWW Rfe Pod** Pod** Fre"), "17: is the access between"));
  CHECK(contains(error_of("PodWW Rfe PosRR Fre"), "1: 'PodWW' alone leads to a different location"));
  CHECK(contains(error_of("PodWW Rfi PodRR Fre"), "one edge to another thread"));
  CHECK(contains(error_of("WaitsWR Fre Coe"), "1: 'WaitsWR' waits for an asynchronous access"));
  CHECK(contains(error_of("Bulk Tcgen05sWR Fre"),
                 "1: 'Tcgen05sWR' is of an access to tensor memory, and 'Bulk'"));
  CHECK(contains(error_of("Tensor MBarriersWR CpAsync Fre"),
                 "20: 'CpAsync' accesses a location in tensor memory"));
  CHECK(contains(error_of("Tensor WaitsWR Fre Coe Coe"), "nothing shows the order of more than two writes"));
  CHECK(
      contains(error_of("Wgmma PodWW Rfe PodRR Fre"), "1: 'Wgmma' is of a read, and this access is a write"));
  CHECK(contains(error_of("Alias Wgmma MBarriersRW Weak Rfe"), "an operand in shared memory has one name"));
  CHECK(contains(error_of("Pair Mma Tcgen05sWR Fre"), "1: 'Pair' is of a cluster of two CTAs"));
  CHECK(contains(error_of("Pair Weak PodWW Rfe PodRR Fre"), "'Pair' is of Mma, of Cp and of their operands"));
  CHECK(contains(error_of("Unfenced Weak PodWW Rfe PodRR Fre"), "'Unfenced' is of Wgmma and of Wgmma.a"));
  CHECK(
      contains(error_of("Mma.a PodWW Rfe PodRR Fre"), "1: 'Mma.a' is of a read, and this access is a write"));
  CHECK(contains(error_of("Mma Tcgen05sWR Wgmma.a Fre"), "and 'Wgmma.a' makes it another one"));
  CHECK(contains(error_of("Mma BarSyncsWR Wgmma.a Fre"), "'Wgmma.a' loads by ld"));

  CHECK(contains(error_of("Bulk Coe Weak MBarriersWR Wgmma Fre"),
                 "all writes are copies of 16 bytes, or none"));
  CHECK(contains(error_of("Mma Tcgen05sRW Rfe"), "1: 'Mma' is of a write, and this access is a read"));
  CHECK(
      contains(error_of("Tensor Tcgen05.commitsWR Fre Coe"), "8: 'Tcgen05.commitsWR' commits a tcgen05.mma"));
  CHECK(contains(error_of("Bulk Rel MBarriersWR Fre"), "6: an asynchronous access has no order"));
  CHECK(contains(error_of("Tensor Alias MBarriersWR Fre"), "a location in tensor memory has one name"));
  CHECK(contains(error_of("CpAsync DpDatasW Coe Rfe"), "'DpDatasW' is of ld, st and atom"));
  CHECK(contains(error_of("Bulk MBarriersWR Bulk Fre"), "18: this access has the location in global memory"));
  CHECK(contains(error_of("Bulk CpAsync MBarriersWR Fre"),
                 "6: 'CpAsync' says of this access what 'Bulk' says otherwise"));
  CHECK(contains(error_of("BarClusterdWR BarSyncdRR Fri Coe"), "BarCluster is for all threads of a cluster"));
  CHECK(contains(error_of("BarSyncdWW BarSyncdWW"), "1: all threads wait for each other"));
  CHECK(contains(error_of("Coe Coe"), "follow each other in a circle"));
  CHECK(contains(error_of("Acq PodWW Rfe PodRR Fre"), "1: 'Acq' speaks of a write, which cannot be acquire"));
  CHECK(contains(error_of("PodWWLL Acq Rfe PodRR Fre"), "9: 'Acq' says of this access what 'PodWWLL'"));
  CHECK(contains(error_of("DpDatadR Fre PodWW Rfe"), "ends at a read, which writes no data"));
  CHECK(contains(error_of("PodWW Rfe Weak Rmw PodWR Fre"), "an atomic is never weak"));
  CHECK(contains(error_of(""), "a cycle has edges"));
  Defaults apart;
  apart.places = {{0, 0}, {0, 1}};
  CHECK(contains(error_of("BarSyncsWR Fre", apart), "meet at a barrier or a location of one"));
  apart.places = {{0, 0}};
  CHECK(contains(error_of("PodWW Rfe PodRR Fre", apart), "names 1 threads, and the cycle has 2"));
}
