// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gpu/host/program.h"
#include "support/check.h"

namespace ptxmc::gpu {

namespace {

std::string print(const HostStep& step, const HostProgram& program, const program::Program& test) {
  using Kind = HostStep::Kind;
  const auto stream = [&] { return program.streams[step.stream].name; };
  const auto event = [&] { return program.events[step.object]; };
  const auto kernel = [&] { return test.kernels.kernels[step.object].name; };
  switch (step.kind) {
    case Kind::launch:
      return fmt::format("cuLaunchKernelEx {}, {}{}", kernel(), stream(),
                         step.programmatic ? ", programmatic" : "");
    case Kind::launch_function:
      return fmt::format("cuLaunchHostFunc {}, {}", stream(), kernel());
    case Kind::launch_graph:
      return fmt::format("cuGraphLaunch {}, {}", program.graphs[step.object].name, stream());
    case Kind::record:
      return fmt::format("cuEventRecord {}, {}", event(), stream());
    case Kind::wait:
      return fmt::format("cuStreamWaitEvent {}, {}", stream(), event());
    case Kind::synchronize_stream:
      return fmt::format("cuStreamSynchronize {}", stream());
    case Kind::synchronize_event:
      return fmt::format("cuEventSynchronize {}", event());
    case Kind::synchronize_device:
      return "cuCtxSynchronize";
    case Kind::query_stream:
      return fmt::format("cuStreamQuery {}", stream());
    case Kind::query_event:
      return fmt::format("cuEventQuery {}", event());
  }
  PTXMC_CHECK(false, "no step of a host program");
}

}  // namespace

std::vector<std::string> print(const HostProgram& program, const program::Program& test) {
  std::vector<std::string> out;
  const auto kernel = [&](std::uint32_t number) { return test.kernels.kernels[number].name; };
  for (const HostGraph& graph : program.graphs) {
    std::string nodes, edges;
    for (const std::uint32_t k : graph.kernels) nodes += " " + kernel(k);
    for (const HostGraph::Edge& edge : graph.edges)
      edges += fmt::format("{} {}->{}{}", edges.empty() ? ";" : ",", kernel(graph.kernels[edge.from]),
                           kernel(graph.kernels[edge.to]), edge.programmatic ? " programmatic" : "");
    out.push_back(fmt::format("cuGraphCreate {}:{}{}", graph.name, nodes, edges));
  }
  for (const HostStream& stream : program.streams) {
    if (!stream.legacy)
      out.push_back(fmt::format("cuStreamCreate {}, {}", stream.name,
                                program.blocking ? "CU_STREAM_DEFAULT" : "CU_STREAM_NON_BLOCKING"));
  }
  for (const HostStep& step : program.steps) out.push_back(print(step, program, test));
  for (const HostStep& step : program.calls)
    out.push_back(fmt::format("P{}: {}", test.threads[*program.caller].number, print(step, program, test)));
  return out;
}

}  // namespace ptxmc::gpu
