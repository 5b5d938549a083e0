// SPDX-License-Identifier: Apache-2.0
// Streams, events, graphs and host memory of the fake driver. Everything is done when it is called, one after
// the other; PTXMC_FAKE_CALLS names a file that gets a line for each call that orders kernels. Objects have
// numbers, each kind its own, in the order of their creation.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fake_driver.h"
#include "trace.h"

namespace abi = ptxmc::gpu::abi;
namespace fake = ptxmc::fake;
using abi::Result;

namespace {

struct Objects {
  std::uintptr_t streams = 1;  // 1 is cudaStreamLegacy
  std::uintptr_t events = 0, graphs = 0, nodes = 0;
  std::map<std::uintptr_t, std::vector<std::string>> graph_nodes;  // names of their entries
};

Objects& objects() {
  static Objects all;
  return all;
}

template <typename Handle>
Handle handle_of(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

template <typename Handle>
std::string number_of(Handle handle) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(handle));
}

}  // namespace

void fake::note(const std::string& call) {
  const char* name = std::getenv("PTXMC_FAKE_CALLS");
  if (name == nullptr) return;
  std::FILE* file = std::fopen(name, "a");
  if (file == nullptr) std::abort();
  std::fprintf(file, "%s\n", call.c_str());
  std::fclose(file);
}

std::string fake::stream_name(abi::Stream stream) {
  return number_of(stream);
}

extern "C" {

Result cuStreamCreate(abi::Stream* stream, unsigned flags) {
  *stream = handle_of<abi::Stream>(++objects().streams);
  fake::note("cuStreamCreate " + number_of(*stream) +
             (flags == abi::kStreamNonBlocking ? " non-blocking" : ""));
  return 0;
}

Result cuStreamDestroy_v2(abi::Stream) {
  return 0;
}

Result cuStreamWaitEvent(abi::Stream stream, abi::Event event, unsigned) {
  fake::note("cuStreamWaitEvent " + number_of(stream) + " " + number_of(event));
  return 0;
}

Result cuStreamSynchronize(abi::Stream stream) {
  fake::note("cuStreamSynchronize " + number_of(stream));
  return cuCtxSynchronize();
}

Result cuEventCreate(abi::Event* event, unsigned) {
  *event = handle_of<abi::Event>(++objects().events);
  return 0;
}

Result cuEventDestroy_v2(abi::Event) {
  return 0;
}

Result cuEventRecord(abi::Event event, abi::Stream stream) {
  fake::note("cuEventRecord " + number_of(event) + " " + number_of(stream));
  return 0;
}

Result cuEventQuery(abi::Event) {
  return cuStreamQuery(nullptr);
}

Result cuEventSynchronize(abi::Event event) {
  fake::note("cuEventSynchronize " + number_of(event));
  return cuCtxSynchronize();
}

Result cuGraphCreate(abi::Graph* graph, unsigned) {
  *graph = handle_of<abi::Graph>(++objects().graphs);
  return 0;
}

Result cuGraphDestroy(abi::Graph) {
  return 0;
}

Result cuGraphAddKernelNode_v2(abi::GraphNode* node, abi::Graph graph, const abi::GraphNode*, std::size_t,
                               const abi::KernelNode* parameters) {
  *node = handle_of<abi::GraphNode>(++objects().nodes);
  objects().graph_nodes[reinterpret_cast<std::uintptr_t>(graph)].push_back(
      fake::entry_name(parameters->function));
  return 0;
}

Result cuGraphAddDependencies_v2(abi::Graph graph, const abi::GraphNode* from, const abi::GraphNode* to,
                                 const abi::GraphEdge* edge, std::size_t) {
  fake::note("edge of graph " + number_of(graph) + ": " + number_of(*from) + " to " + number_of(*to) +
             (edge->type == abi::kEdgeProgrammatic ? " programmatic" : ""));
  return 0;
}

Result cuGraphInstantiateWithFlags(abi::GraphExec* executable, abi::Graph graph, unsigned long long) {
  *executable = reinterpret_cast<abi::GraphExec>(graph);
  return 0;
}

Result cuGraphExecDestroy(abi::GraphExec) {
  return 0;
}

Result cuGraphLaunch(abi::GraphExec graph, abi::Stream stream) {
  std::string nodes;
  for (const std::string& name : objects().graph_nodes[reinterpret_cast<std::uintptr_t>(graph)])
    nodes += " " + name;
  fake::note("cuGraphLaunch" + nodes + " " + number_of(stream));
  return 0;
}

Result cuLaunchHostFunc(abi::Stream stream, void (*function)(void*), void* data) {
  fake::note("cuLaunchHostFunc " + number_of(stream));
  function(data);
  return 0;
}

Result cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::calloc(1, bytes);
  return *memory == nullptr ? fake::kInvalidValue : 0;
}

Result cuMemFreeHost(void* memory) {
  std::free(memory);
  return 0;
}

Result cuMemHostGetDevicePointer_v2(abi::Pointer* there, void* memory, unsigned) {
  *there = reinterpret_cast<abi::Pointer>(memory);
  return 0;
}

}  // extern "C"
