// SPDX-License-Identifier: Apache-2.0
// Kernels: which events synchronize by the CUDA API (8.9.4), and which tests are refused.
#include <set>

#include "lowered.h"

namespace ptxmc::lower {
namespace {

using event::EventKind;
using Edges = std::set<std::string>;

/// Threads P0 .. in columns; `heads` are their placements.
std::string kernels(const std::string& section, const std::vector<std::string>& threads,
                    const std::vector<std::string>& heads = {}) {
  std::string text = "PTX t\n{ .global .u32 x; .shared .u32 s; }\nkernels { " + section + " }\n";
  for (std::size_t t = 0; t < threads.size(); ++t) {
    text += "P" + std::to_string(t) + " @ " + (t < heads.size() ? heads[t] : "cta 0") + " { " + threads[t] +
            " }\n";
  }
  return text + "forall (true)\n";
}

/// "P0 end of K0 -> P1 start of K1" for each pair of hostsync.
Edges edges(const std::string& text) {
  const auto graph = lowered(text);
  const auto name = [&](event::EventId e) {
    const event::Event& event = graph.events[e];
    CHECK(event.kind == EventKind::api);
    return "P" + std::to_string(graph.threads[event.thread].number) + " " + event.text;
  };
  Edges result;
  for (const auto& [a, b] : graph.api_sync) result.insert(name(a) + " -> " + name(b));
  return result;
}

TEST_CASE("a kernel's thread begins and ends with an event; other threads do not") {
  const auto graph = lowered(kernels("K: P0;", {"st.weak.global.u32 [x], 1;", ""}, {"cta 0", "host"}));
  const auto api = events_of(graph, EventKind::api);
  REQUIRE(api.size() == 2);
  CHECK(graph.events[api[0]].text == "start of K");
  CHECK(graph.events[api[1]].text == "end of K");
  CHECK(api[1] + 1 == events_of(graph, EventKind::end)[0]);
  CHECK(graph.threads[0].kernel == 0u);
  CHECK(!graph.threads[1].kernel.has_value());
  CHECK(events_of(lowered(one_thread(".global .u32 x;", "st.weak.global.u32 [x], 1;", "forall (true)")),
                  EventKind::api)
            .empty());
}

TEST_CASE("streams") {
  CHECK(edges(kernels("K0: P0 P1, stream S; K1: P2 P3, stream S;", {"", "", "", ""})) ==
        Edges{"P0 end of K0 -> P2 start of K1", "P0 end of K0 -> P3 start of K1",
              "P1 end of K0 -> P2 start of K1", "P1 end of K0 -> P3 start of K1"});
  CHECK(edges(kernels("K0: P0, stream S; K1: P1, stream T;", {"", ""})).empty());
  CHECK(edges(kernels("K0: P0; K1: P1;", {"", ""})).empty());
  CHECK(edges(kernels("K0: P0, stream S; K1: P1, stream S; K2: P2, stream S;", {"", "", ""})) ==
        Edges{"P0 end of K0 -> P1 start of K1", "P1 end of K1 -> P2 start of K2"});
}

TEST_CASE("events: the latest record, and nothing without one") {
  CHECK(edges(kernels("K0: P0, stream S; cudaEventRecord E, S; cudaStreamWaitEvent T, E; K1: P1, stream T;",
                      {"", ""})) == Edges{"P0 end of K0 -> P1 start of K1"});
  CHECK(edges(kernels("K0: P0, stream S; cudaStreamWaitEvent T, E; cudaEventRecord E, S; K1: P1, stream T;",
                      {"", ""}))
            .empty());
  CHECK(
      edges(kernels("cudaEventRecord E, S; K0: P0, stream S; cudaEventRecord E, U; cudaStreamWaitEvent T, E;"
                    "K1: P1, stream T;",
                    {"", ""}))
          .empty());
}

TEST_CASE("the legacy stream waits for all, and all for it") {
  CHECK(edges(kernels("A: P0, stream S; B: P1, stream cudaStreamLegacy; C: P2, stream T; D: P3, stream S;",
                      {"", "", "", ""})) == Edges{"P0 end of A -> P1 start of B",
                                                  "P1 end of B -> P2 start of C",
                                                  "P1 end of B -> P3 start of D"});
}

TEST_CASE("graphs: edges, start and completion") {
  CHECK(
      edges(kernels("A: P0; B: P1, after A; C: P2, after A B;", {"", "", ""})) ==
      Edges{"P0 end of A -> P1 start of B", "P0 end of A -> P2 start of C", "P1 end of B -> P2 start of C"});
  CHECK(edges(kernels(
            "K: P0, stream S; A: P1; B: P2, after A; graph G: A B; cudaGraphLaunch G, S; L: P3, stream S;",
            {"", "", "", ""})) == Edges{"P0 end of K -> P1 start of A", "P0 end of K -> P3 start of L",
                                        "P1 end of A -> P2 start of B", "P1 end of A -> P3 start of L",
                                        "P2 end of B -> P3 start of L"});
}

TEST_CASE("host threads launch and synchronize") {
  const std::vector<std::string> heads = {"host"};
  CHECK(edges(kernels("K: P1;",
                      {"cudaLaunchKernel K, S; cudaStreamSynchronize S; cudaStreamSynchronize T;", ""},
                      heads)) ==
        Edges{"P0 cudaLaunchKernel K, S -> P1 start of K", "P1 end of K -> P0 cudaStreamSynchronize S"});
  CHECK(edges(kernels(
            "K: P1; L: P2;",
            {"cudaLaunchKernel K, S; cudaEventRecord E, S; cudaLaunchKernel L, S; cudaEventSynchronize E;"
             "cudaDeviceSynchronize;",
             "", ""},
            heads)) ==
        Edges{"P0 cudaEventRecord E, S -> P0 cudaEventSynchronize E",
              "P0 cudaEventRecord E, S -> P2 start of L", "P0 cudaLaunchKernel K, S -> P1 start of K",
              "P0 cudaLaunchKernel L, S -> P2 start of L", "P1 end of K -> P0 cudaEventSynchronize E",
              "P1 end of K -> P2 start of L", "P2 end of L -> P0 cudaDeviceSynchronize"});
  // What is launched later is not waited for, and other devices are not.
  CHECK(edges(kernels("K: P1;", {"cudaDeviceSynchronize; cudaLaunchKernel K, S;", ""}, heads)) ==
        Edges{"P0 cudaLaunchKernel K, S -> P1 start of K"});
  CHECK(edges(kernels("K: P1, stream S;", {"cudaDeviceSynchronize; cudaDeviceSynchronize 1;", ""},
                      {"host", "gpu 1, cta 0"})) == Edges{"P1 end of K -> P0 cudaDeviceSynchronize 1"});
}

TEST_CASE("a query synchronizes where it succeeds: both are paths") {
  const auto graph =
      lowered(kernels("K: P1;", {"cudaLaunchKernel K, S; cudaStreamQuery %r0, S;", ""}, {"host"}));
  REQUIRE(graph.decisions.size() == 1);
  CHECK(paths_of(graph).size() == 2);
  const auto query = graph.api_sync.back().second;
  CHECK(graph.events[query].text == "cudaStreamQuery %r0, S");
  CHECK(!graph.exprs.is_true(graph.events[query].guard));
}

TEST_CASE("programmatic launches wait in griddepcontrol.wait") {
  const std::string wait = "griddepcontrol.wait;", launch = "griddepcontrol.launch_dependents;";
  CHECK(edges(kernels("K0: P0, stream S; K1: P1 P2, programmatic stream S;", {launch, wait, ""})) ==
        Edges{"P0 end of K0 -> P1 griddepcontrol.wait"});
  CHECK(
      edges(kernels("K0: P0, stream S; cudaEventRecord E, S; K1: P1, programmatic stream S;", {"", wait})) ==
      Edges{"P0 end of K0 -> P1 start of K1"});  // behind a record the launch is an ordinary one
  CHECK(
      edges(kernels("K0: P0; K1: P1, programmatic after K0;", {"griddepcontrol.launch_dependents;", wait})) ==
      Edges{"P0 end of K0 -> P1 griddepcontrol.wait"});
  CHECK(edges(kernels("K0: P0, stream S; K1: P1, programmatic stream S; K2: P2, stream S;",
                      {launch, "", ""})) ==
        Edges{"P0 end of K0 -> P2 start of K2", "P1 end of K1 -> P2 start of K2"});
  CHECK(edges(kernels("K0: P0, stream S; K1: P1, programmatic stream S; K2: P2, programmatic stream S;",
                      {launch, launch, wait})) == Edges{"P1 end of K1 -> P2 griddepcontrol.wait"});
}

TEST_CASE("a programmatic launch of which no prerequisite uses launch_dependents waits for them (R233)") {
  const std::string launch = "griddepcontrol.launch_dependents;";
  const std::string stream = "K0: P0, stream S; K1: P1, programmatic stream S;";
  CHECK(edges(kernels(stream, {"", ""})) == Edges{"P0 end of K0 -> P1 start of K1"});
  CHECK(edges(kernels(stream, {launch, ""})).empty());
  const std::string two = "K0: P0; K1: P1; K2: P2, programmatic after K0, programmatic after K1;";
  CHECK(edges(kernels(two, {"", "", ""})) ==
        Edges{"P0 end of K0 -> P2 start of K2", "P1 end of K1 -> P2 start of K2"});
  CHECK(edges(kernels(two, {"", launch, ""})).empty());
}

TEST_CASE("CTAs, clusters and shared variables are a grid's own") {
  const auto graph =
      lowered(kernels("K0: P0 P1; K1: P2;", {"st.shared.u32 [s], 1;", "", "st.shared.u32 [s], 1;"},
                      {"cluster 0, cta 0", "cluster 0, cta 0", "cluster 0, cta 0"}));
  CHECK(graph.threads[0].cta == graph.threads[1].cta);
  CHECK(graph.threads[0].cta != graph.threads[2].cta);
  CHECK(graph.threads[0].cluster != graph.threads[2].cluster);
  CHECK(graph.cells.size() == 2);
}

TEST_CASE("host functions are tasks") {
  CHECK(edges(kernels("K: P0, stream S; F: P1; cudaLaunchHostFunc S, F; L: P2, programmatic stream S;",
                      {"", "", ""}, {"cta 0", "host"})) ==
        Edges{"P0 end of K -> P1 start of F", "P1 end of F -> P2 start of L"});
}

TEST_CASE("errors") {
  const std::vector<std::string> host = {"host"};
  CHECK(fails_with(kernels("A: P0, after B; B: P1, after A;", {"", ""}), "kernel A waits for itself"));
  CHECK(fails_with(kernels("A: P0, stream S, stream T;", {""}), "launched twice"));
  CHECK(fails_with(kernels("A: P0; graph G: A; cudaGraphLaunch G, S; cudaGraphLaunch G, S;", {""}),
                   "launched twice"));
  CHECK(fails_with(kernels("A: P0, stream S; graph G: A;", {""}), "node of graph G"));
  CHECK(fails_with(kernels("A: P0; B: P1, after A; graph G: B;", {"", ""}), "not in one graph"));
  CHECK(fails_with(kernels("A: P0 P1;", {"", ""}, {"gpu 0", "gpu 1"}), "threads on two gpus"));
  CHECK(fails_with(kernels("A: P0, stream S; B: P1, stream S;", {"", ""}, {"gpu 0", "gpu 1"}),
                   "stream S is of gpu 0"));
  CHECK(fails_with(kernels("F: P0, stream S;", {""}, host), "cudaLaunchHostFunc launches it"));
  CHECK(fails_with(kernels("K: P0; cudaLaunchHostFunc S, K;", {""}), "cudaLaunchKernel launches it"));
  CHECK(fails_with(kernels("K: P0;", {"cudaStreamSynchronize S;"}), "only a host thread calls the CUDA API"));
  CHECK(fails_with(kernels("F: P0;", {"cudaStreamSynchronize S;"}, host), "a host function must not call"));
  CHECK(fails_with(kernels("K: P1;", {"griddepcontrol.wait;", ""}, host), "a host thread is in no grid"));
  CHECK(fails_with(kernels("K: P1;", {"griddepcontrol.launch_dependents;", ""}, host),
                   "a host thread is in no grid"));
  CHECK(fails_with(kernels("K: P1;", {"@%p cudaLaunchKernel K, S;", ""}, host),
                   "enqueued under a condition or in a loop"));
  CHECK(
      fails_with(kernels("K: P1;", {"@%p bra L; cudaLaunchKernel K, S; L:", ""}, host), "under a condition"));
  CHECK(fails_with(kernels("", {"L: cudaEventRecord E, S; @%p bra L;"}, host), "in a loop"));
  CHECK(fails_with(kernels("", {"cudaEventRecord E, S;", "cudaStreamSynchronize S;"}, {"host", "host"}),
                   "stream S is used by P0 and P1"));
  CHECK(fails_with(kernels("", {"cudaEventRecord E, S;", "cudaStreamWaitEvent T, E;"}, {"host", "host"}),
                   "event E is used by P0 and P1"));
  Options options;
  options.liveness = ProgressModel::fair;
  CHECK(error_of(kernels("K: P0;", {""}), options).find("liveness of a test that states kernels") !=
        std::string::npos);
}

}  // namespace
}  // namespace ptxmc::lower
