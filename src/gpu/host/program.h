// SPDX-License-Identifier: Apache-2.0
// What the host does in a round of a test with several kernels: the calls of its section `kernels`, as data.
//
// Every stream, event and graph of the test is one of the driver; a launch launches the kernel for all
// instances of the round at once. A kernel that the section puts into no stream, and a graph that no thread
// launches, gets a stream of its own, in which it waits for nothing. Streams are non-blocking ones, unless
// the test uses cudaStreamLegacy, which waits for blocking streams only. The harness adds, before and after:
//
//   each stream waits for the event `ptxmc_ready`, which the evaluation of the round before has recorded;
//   each stream records its event of the round, the evaluation's stream waits for them all, evaluates,
//   resets, and records `ptxmc_ready`.
//
// Nothing else orders the kernels, so what the test leaves unordered runs as the device likes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/text/facts.h"

namespace ptxmc::gpu {

struct HostStep {
  enum class Kind : std::uint8_t {
    launch,
    launch_function,
    launch_graph,
    record,
    wait,
    synchronize_stream,
    synchronize_event,
    synchronize_device,
    query_stream,
    query_event
  };
  Kind kind = Kind::launch;
  std::uint32_t stream = 0;   ///< index in HostProgram::streams
  std::uint32_t object = 0;   ///< of a kernel (or host function) in Test::kernels, a graph, or an event
  bool programmatic = false;  ///< a launch by programmatic dependent launch
};

struct HostGraph {
  struct Edge {
    std::uint32_t from = 0, to = 0;  ///< indices in `kernels` of the graph
    bool programmatic = false;
  };
  std::string name;
  std::vector<std::uint32_t> kernels;  ///< indices in Test::kernels
  std::vector<Edge> edges;
};

struct HostStream {
  std::string name;
  bool legacy = false;  ///< cudaStreamLegacy
};

struct HostProgram {
  std::vector<HostStream> streams;
  std::vector<std::string> events;
  std::vector<HostGraph> graphs;
  std::vector<HostStep> steps;          ///< of the section
  std::optional<std::uint32_t> caller;  ///< index in Test::threads: the host thread of no kernel
  std::vector<HostStep> calls;          ///< of its calls, in the order of its text
  std::vector<bool> functions;          ///< by kernel: it is a host function

  /// Do threads of the test run on the host?
  bool with_threads() const {
    return caller || std::find(functions.begin(), functions.end(), true) != functions.end();
  }

  bool blocking = false;  ///< streams wait for the legacy stream, and it for them
  /// By kernel: those that it may run beside, so that waiting for their start always ends; and `early`, those
  /// when the kernels before have triggered their programmatic launches at their start.
  std::vector<std::vector<std::uint32_t>> beside, beside_early;
  std::vector<bool> triggers;  ///< by kernel: it executes griddepcontrol.launch_dependents
};

/// Does the step put something into a stream?
bool enqueues(HostStep::Kind kind);

/// Throws CannotRun for several host threads that belong to no kernel, several GPUs, a kernel that is both in
/// a stream and at an edge of a graph, and host functions in graphs.
HostProgram plan_host(const Facts& facts);

/// A line a call: "cuLaunchKernelEx K1, S, programmatic".
std::vector<std::string> print(const HostProgram& program, const program::Program& test);

}  // namespace ptxmc::gpu
