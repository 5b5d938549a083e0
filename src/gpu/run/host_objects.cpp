// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/host_objects.h"

#include <chrono>
#include <thread>
#include <utility>

namespace ptxmc::gpu {

Stream::Stream(const Driver& driver, bool blocking) : driver_(driver) {
  driver.check(
      driver.functions().stream_create(&handle_, blocking ? abi::kStreamDefault : abi::kStreamNonBlocking),
      "cuStreamCreate");
}

Stream Stream::legacy(const Driver& driver) {
  Stream out(driver);
  out.handle_ = reinterpret_cast<abi::Stream>(abi::kStreamLegacy);
  out.owned_ = false;
  return out;
}

Stream::~Stream() {
  if (owned_ && handle_ != nullptr && !driver_.abandoned()) driver_.functions().stream_destroy(handle_);
}

Stream::Stream(Stream&& other) noexcept
    : driver_(other.driver_), handle_(std::exchange(other.handle_, nullptr)), owned_(other.owned_) {}

void Stream::synchronize() const {
  driver_.check(driver_.functions().stream_synchronize(handle_), "cuStreamSynchronize");
}

bool Stream::complete() const {
  const abi::Result result = driver_.functions().stream_query(handle_);
  if (result != abi::kNotReady) driver_.check(result, "cuStreamQuery");
  return result != abi::kNotReady;
}

Event::Event(const Driver& driver) : driver_(driver) {
  driver.check(driver.functions().event_create(&handle_, abi::kEventDisableTiming), "cuEventCreate");
}

Event::~Event() {
  if (handle_ != nullptr && !driver_.abandoned()) driver_.functions().event_destroy(handle_);
}

Event::Event(Event&& other) noexcept
    : driver_(other.driver_), handle_(std::exchange(other.handle_, nullptr)) {}

void Event::record(const Stream& stream) const {
  driver_.check(driver_.functions().event_record(handle_, stream.handle()), "cuEventRecord");
}

void Event::hold(const Stream& stream) const {
  driver_.check(driver_.functions().stream_wait(stream.handle(), handle_, 0), "cuStreamWaitEvent");
}

bool Event::complete_within(double seconds) const {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (int polls = 0;; ++polls) {
    if (complete()) return true;
    if (std::chrono::duration<double>(Clock::now() - begin).count() > seconds) return false;
    if (polls > 1000) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

bool Event::complete() const {
  const abi::Result result = driver_.functions().event_query(handle_);
  if (result != abi::kNotReady) driver_.check(result, "cuEventQuery");
  return result != abi::kNotReady;
}

void Event::synchronize() const {
  driver_.check(driver_.functions().event_synchronize(handle_), "cuEventSynchronize");
}

LoadedModule::~LoadedModule() {
  if (!driver_.abandoned()) driver_.functions().module_unload(handle_);
}

abi::Function LoadedModule::entry(const std::string& name) const {
  abi::Function function = nullptr;
  driver_.check(driver_.functions().module_function(&function, handle_, name.c_str()), "cuModuleGetFunction",
                name);
  return function;
}

Graph::Graph(const Driver& driver, std::vector<Node> nodes, const std::vector<Edge>& edges)
    : driver_(driver) {
  const abi::Functions& cu = driver.functions();
  driver.check(cu.graph_create(&graph_, 0), "cuGraphCreate");
  std::vector<abi::GraphNode> handles;
  for (Node& node : nodes) {
    abi::KernelNode parameters{};
    parameters.function = node.function;
    parameters.grid_x = node.shape.ctas;
    parameters.grid_y = parameters.grid_z = 1;
    parameters.block_x = node.shape.threads;
    parameters.block_y = parameters.block_z = 1;
    parameters.arguments = node.arguments.data();
    abi::GraphNode handle = nullptr;
    driver.check(cu.graph_add_kernel(&handle, graph_, nullptr, 0, &parameters), "cuGraphAddKernelNode");
    handles.push_back(handle);
  }
  if (!edges.empty() && cu.graph_add_edges == nullptr)
    throw DriverError(
        "the CUDA driver has no cuGraphAddDependencies_v2: edges of graphs need that of CUDA 12.3");
  for (const Edge& edge : edges) {
    abi::GraphEdge data{};
    if (edge.programmatic) data.from_port = data.type = abi::kEdgeProgrammatic;
    driver.check(cu.graph_add_edges(graph_, &handles[edge.from], &handles[edge.to], &data, 1),
                 "cuGraphAddDependencies_v2");
  }
  driver.check(cu.graph_instantiate(&executable_, graph_, 0), "cuGraphInstantiateWithFlags");
}

Graph::~Graph() {
  if (driver_.abandoned()) return;
  if (executable_ != nullptr) driver_.functions().graph_exec_destroy(executable_);
  if (graph_ != nullptr) driver_.functions().graph_destroy(graph_);
}

Graph::Graph(Graph&& other) noexcept
    : driver_(other.driver_),
      graph_(std::exchange(other.graph_, nullptr)),
      executable_(std::exchange(other.executable_, nullptr)) {}

void Graph::launch(const Stream& stream) const {
  driver_.check(driver_.functions().graph_launch(executable_, stream.handle()), "cuGraphLaunch");
}

}  // namespace ptxmc::gpu
