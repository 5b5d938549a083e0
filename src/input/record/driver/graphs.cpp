// SPDX-License-Identifier: Apache-2.0
// Graphs: a kernel's node stands for a launch of the graph, in the order in which nodes were made, with any contents of memory.
#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "input/record/driver/launches.h"
#include "input/record/driver/state.h"
#include "input/record/driver/table.h"

namespace ptxmc::record::driver {

namespace {

/// CUgraphNodeType
constexpr int kKernelNode = 0, kAllocation = 10, kConditional = 13;

/// CUgraphNodeParams, as far as it is looked at.
struct AnyNode {
  int type;
  int unused[3];
  union {
    KernelNode kernel;
    struct {
      char before[104];
      std::size_t bytes;
      Address address;
    } allocation;  // CUDA_MEM_ALLOC_NODE_PARAMS
    struct {
      std::uint64_t handle;
      int type;
      unsigned count;
      Handle* graphs;
    } conditional;  // CUDA_CONDITIONAL_NODE_PARAMS
  };
};
using Allocation = decltype(AnyNode::allocation);

namespace observe {

Result tell_kernel(const KernelNode& node, Handle graph) {
  Handle const function = node.function != nullptr ? node.function : node.kernel;
  LaunchCall call = call_of(node.grid, node.block, node.shared, graph);
  if (const Result result = refused(function, call); result != kOk) return result;
  tell_launch(function, std::move(call), std::nullopt, node.arguments, node.extra);
  return kOk;
}
void tell_allocation(Result result, const Allocation& made) {
  if (result == kOk) state().channel.tell(Kind::allocate, {made.address, made.bytes});
}

Result add_kernel(Handle* out, Handle graph, const Handle* before, std::size_t count,
                  const KernelNode* node) {
  if (const Result result = tell_kernel(*node, graph); result != kOk) return result;
  return next<&add_kernel>(out, graph, before, count, node);
}
Result set_kernel(Handle node, const KernelNode* parameters) {
  if (const Result result = tell_kernel(*parameters, node); result != kOk) return result;
  return next<&set_kernel>(node, parameters);
}
Result set_kernel_in(Handle graph, Handle node, const KernelNode* parameters) {
  if (const Result result = tell_kernel(*parameters, graph); result != kOk) return result;
  return next<&set_kernel_in>(graph, node, parameters);
}
Result add_allocation(Handle* out, Handle graph, const Handle* before, std::size_t count,
                      Allocation* wanted) {
  const Result result = next<&add_allocation>(out, graph, before, count, wanted);
  tell_allocation(result, *wanted);
  return result;
}

/// A node of any kind.
Result tell(const AnyNode& node, Handle graph) {
  return node.type == kKernelNode ? tell_kernel(node.kernel, graph) : kOk;
}
Result add(Handle* out, Handle graph, const Handle* before, std::size_t count, AnyNode* node) {
  if (const Result refusal = tell(*node, graph); refusal != kOk) return refusal;
  const Result result = next<&add>(out, graph, before, count, node);
  if (node->type == kAllocation) tell_allocation(result, node->allocation);
  return result;
}
Result add_with_edges(Handle* out, Handle graph, const Handle* before, const void* edges, std::size_t count,
                      AnyNode* node) {
  if (const Result refusal = tell(*node, graph); refusal != kOk) return refusal;
  const Result result = next<&add_with_edges>(out, graph, before, edges, count, node);
  if (node->type == kAllocation) tell_allocation(result, node->allocation);
  return result;
}
Result set(Handle node, const AnyNode* parameters) {
  if (const Result result = tell(*parameters, node); result != kOk) return result;
  return next<&set>(node, parameters);
}
Result set_in(Handle graph, Handle node, const AnyNode* parameters) {
  if (const Result result = tell(*parameters, graph); result != kOk) return result;
  return next<&set_in>(graph, node, parameters);
}

/// Its kernels run again.
template <int Streams>
Result launch(Handle graph, Handle stream) {
  tell_unknown_work();
  return next<&launch<Streams>>(graph, stream);
}

}  // namespace observe

namespace pretend {

/// Nodes by graph, and the graphs of conditional nodes, which the driver owns.
struct Graphs {
  std::mutex mutex;
  std::map<Handle, std::vector<Handle>> nodes;
  std::deque<std::vector<Handle>> bodies;
};
Graphs& graphs() {
  static auto* const all = new Graphs;  // programs call the driver from their destructors
  return *all;
}

Handle add_to(Handle graph) {
  const std::lock_guard lock(graphs().mutex);
  return graphs().nodes[graph].emplace_back(fresh());
}

Result create(Handle* out, unsigned) {
  *out = fresh();
  return kOk;
}
Result clone(Handle* out, Handle graph) {
  *out = fresh();
  const std::lock_guard lock(graphs().mutex);
  graphs().nodes[*out] = graphs().nodes[graph];
  return kOk;
}
Result instantiate(Handle* out, Handle, unsigned long long) {
  *out = fresh();
  return kOk;
}
Result instantiate_with(Handle* out, Handle, void*) {
  return instantiate(out, nullptr, 0);
}
/// CUgraphExecUpdateResultInfo: success, and no node.
Result update(Handle, Handle, char* information) {
  constexpr std::size_t kBytes = 24;
  if (information != nullptr) std::fill_n(information, kBytes, '\0');
  return kOk;
}
Result nodes(Handle graph, Handle* out, std::size_t* count) {
  const std::lock_guard lock(graphs().mutex);
  const std::vector<Handle>& all = graphs().nodes[graph];
  if (out == nullptr) return *count = all.size(), kOk;
  for (std::size_t i = 0; i < *count; ++i) out[i] = i < all.size() ? all[i] : nullptr;
  *count = std::min(*count, all.size());
  return kOk;
}
Result edges(Handle, Handle*, Handle*, void*, std::size_t* count) {
  *count = 0;
  return kOk;
}

Result add_kernel(Handle* out, Handle graph, const Handle*, std::size_t, const KernelNode*) {
  *out = add_to(graph);
  return kOk;
}
/// Copies, fills and calls of the host do nothing, as kernels do.
Result add_other(Handle* out, Handle graph, const Handle*, std::size_t, const void*, Handle) {
  *out = add_to(graph);
  return kOk;
}
Result allocate(Allocation& wanted) {
  wanted.address = state().allocate(wanted.bytes);
  return wanted.address == 0 ? kNoMemory : kOk;
}
Result add_allocation(Handle* out, Handle graph, const Handle*, std::size_t, Allocation* wanted) {
  *out = add_to(graph);
  return allocate(*wanted);
}
Result add(Handle* out, Handle graph, const Handle*, std::size_t, AnyNode* node) {
  *out = add_to(graph);
  if (node->type == kAllocation) return allocate(node->allocation);
  if (node->type != kConditional) return kOk;
  const std::lock_guard lock(graphs().mutex);
  std::vector<Handle>& own = graphs().bodies.emplace_back();
  for (unsigned i = 0; i < node->conditional.count; ++i) own.push_back(fresh());
  node->conditional.graphs = own.data();
  return kOk;
}
Result add_with_edges(Handle* out, Handle graph, const Handle* before, const void*, std::size_t count,
                      AnyNode* node) {
  return add(out, graph, before, count, node);
}
Result condition(std::uint64_t* out, Handle, Handle, unsigned, unsigned) {
  *out = reinterpret_cast<std::uint64_t>(fresh());
  return kOk;
}
Result used_memory(int, int, std::uint64_t* out) {
  *out = 0;
  return kOk;
}

}  // namespace pretend

}  // namespace

Rows graph_rows() {
  return {
      observed<&observe::add_kernel>("cuGraphAddKernelNode_v2", pretend::add_kernel),
      observed<&observe::set_kernel>("cuGraphKernelNodeSetParams_v2", succeed),
      observed<&observe::set_kernel_in>("cuGraphExecKernelNodeSetParams_v2", succeed),
      observed<&observe::add_allocation>("cuGraphAddMemAllocNode", pretend::add_allocation),
      observed<&observe::add>("cuGraphAddNode", pretend::add),
      observed<&observe::add_with_edges>("cuGraphAddNode_v2", pretend::add_with_edges),
      observed<&observe::set>("cuGraphNodeSetParams", succeed),
      observed<&observe::set_in>("cuGraphExecNodeSetParams", succeed),
      observed<&observe::launch<0>>("cuGraphLaunch", succeed),
      observed<&observe::launch<1>>("cuGraphLaunch_ptsz", succeed),
      pretended("cuGraphCreate", pretend::create),
      pretended("cuGraphClone", pretend::clone),
      pretended("cuGraphInstantiateWithFlags", pretend::instantiate),
      pretended("cuGraphInstantiateWithParams", pretend::instantiate_with),
      pretended("cuGraphExecUpdate_v2", pretend::update),
      pretended("cuGraphGetNodes", pretend::nodes),
      pretended("cuGraphGetRootNodes", pretend::nodes),
      pretended("cuGraphGetEdges_v2", pretend::edges),
      pretended("cuGraphConditionalHandleCreate", pretend::condition),
      pretended("cuDeviceGetGraphMemAttribute", pretend::used_memory),
      pretended("cuGraphAddMemcpyNode", pretend::add_other),
      pretended("cuGraphAddMemsetNode", pretend::add_other),
      pretended("cuGraphAddHostNode", pretend::add_other),
      pretended("cuGraphAddChildGraphNode", pretend::add_other),
      pretended("cuGraphAddEmptyNode", pretend::add_other),
      pretended("cuGraphAddEventRecordNode", pretend::add_other),
      pretended("cuGraphAddEventWaitNode", pretend::add_other),
      pretended("cuGraphAddMemFreeNode", pretend::add_other),
      pretended("cuGraphDestroy", nothing),
      pretended("cuGraphDestroyNode", nothing),
      pretended("cuGraphExecDestroy", nothing),
      pretended("cuGraphUpload", nothing),
      pretended("cuGraphAddDependencies", nothing),
      pretended("cuGraphAddDependencies_v2", nothing),
      pretended("cuGraphRemoveDependencies", nothing),
      pretended("cuGraphRemoveDependencies_v2", nothing),
      pretended("cuGraphMemcpyNodeSetParams", nothing),
      pretended("cuGraphMemsetNodeSetParams", nothing),
      pretended("cuGraphHostNodeSetParams", nothing),
      pretended("cuGraphExecMemcpyNodeSetParams", nothing),
      pretended("cuGraphExecMemsetNodeSetParams", nothing),
      pretended("cuGraphExecHostNodeSetParams", nothing),
      pretended("cuGraphExecChildGraphNodeSetParams", nothing),
      pretended("cuGraphExecEventRecordNodeSetEvent", nothing),
      pretended("cuGraphExecEventWaitNodeSetEvent", nothing),
      pretended("cuGraphNodeSetEnabled", nothing),
      pretended("cuGraphKernelNodeSetAttribute", nothing),
      pretended("cuGraphKernelNodeCopyAttributes", nothing),
      pretended("cuGraphDebugDotPrint", nothing),
      pretended("cuDeviceGraphMemTrim", nothing),
      pretended("cuDeviceSetGraphMemAttribute", nothing),
  };
}

}  // namespace ptxmc::record::driver
