// SPDX-License-Identifier: Apache-2.0
// The runtime's functions of graphs: most are one of the driver's.
#include "input/record/runtime/driver_call.h"

namespace ptxmc::record::runtime {

namespace {

/// cudaKernelNodeParams
struct RuntimeKernel {
  const void* host;
  Extents grid, block;
  unsigned shared;
  void **arguments, **extra;
};
driver::KernelNode node_of(const RuntimeKernel& node) {
  return {kernel_of(node.host),
          {node.grid.x, node.grid.y, node.grid.z},
          {node.block.x, node.block.y, node.block.z},
          node.shared,
          node.arguments,
          node.extra,
          nullptr,
          nullptr};
}

/// cudaGraphNodeParams: but for kernels as the driver's.
struct AnyNode {
  int type;
  int unused[3];
  union {
    RuntimeKernel kernel;
    driver::KernelNode own;
    char bytes[232];
  };
  long long unused_2;
};
constexpr int kKernelNode = 0;

/// Calls with the parameters as the driver's.
template <typename Call>
Result with_own(AnyNode* node, Call&& call) {
  if (node->type != kKernelNode) return call(node);
  AnyNode own = *node;
  own.own = node_of(node->kernel);
  return call(&own);
}

}  // namespace

extern "C" {

Result cudaGraphCreate(Handle* out, unsigned flags) {
  return call("cuGraphCreate", out, flags);
}
Result cudaGraphDestroy(Handle graph) {
  return call("cuGraphDestroy", graph);
}
Result cudaGraphClone(Handle* out, Handle graph) {
  return call("cuGraphClone", out, graph);
}
Result cudaGraphDestroyNode(Handle node) {
  return call("cuGraphDestroyNode", node);
}
Result cudaGraphInstantiate(Handle* out, Handle graph, unsigned long long flags) {
  return call("cuGraphInstantiateWithFlags", out, graph, flags);
}
Result cudaGraphInstantiateWithFlags(Handle* out, Handle graph, unsigned long long flags) {
  return call("cuGraphInstantiateWithFlags", out, graph, flags);
}
Result cudaGraphInstantiateWithParams(Handle* out, Handle graph, void* parameters) {
  return call("cuGraphInstantiateWithParams", out, graph, parameters);
}
Result cudaGraphLaunch(Handle graph, Handle stream) {
  return call("cuGraphLaunch", graph, stream);
}
Result cudaGraphUpload(Handle graph, Handle stream) {
  return call("cuGraphUpload", graph, stream);
}
Result cudaGraphExecDestroy(Handle graph) {
  return call("cuGraphExecDestroy", graph);
}
Result cudaGraphExecUpdate(Handle graph, Handle from, void* information) {
  return call("cuGraphExecUpdate_v2", graph, from, information);
}
Result cudaGraphGetNodes(Handle graph, Handle* nodes, std::size_t* count) {
  return call("cuGraphGetNodes", graph, nodes, count);
}
Result cudaGraphGetRootNodes(Handle graph, Handle* nodes, std::size_t* count) {
  return call("cuGraphGetRootNodes", graph, nodes, count);
}
Result cudaGraphGetEdges(Handle graph, Handle* from, Handle* to, void* edges, std::size_t* count) {
  return call("cuGraphGetEdges_v2", graph, from, to, edges, count);
}
Result cudaGraphAddDependencies(Handle graph, const Handle* from, const Handle* to, const void* edges,
                                std::size_t count) {
  return call("cuGraphAddDependencies_v2", graph, from, to, edges, count);
}
Result cudaGraphRemoveDependencies(Handle graph, const Handle* from, const Handle* to, const void* edges,
                                   std::size_t count) {
  return call("cuGraphRemoveDependencies_v2", graph, from, to, edges, count);
}
Result cudaGraphDebugDotPrint(Handle graph, const char* path, unsigned flags) {
  return call("cuGraphDebugDotPrint", graph, path, flags);
}
Result cudaGraphConditionalHandleCreate(std::uint64_t* out, Handle graph, unsigned value, unsigned flags) {
  return call("cuGraphConditionalHandleCreate", out, graph, static_cast<Handle>(nullptr), value, flags);
}

Result cudaGraphAddKernelNode(Handle* out, Handle graph, const Handle* before, std::size_t count,
                              const RuntimeKernel* node) {
  const driver::KernelNode own = node_of(*node);
  return call("cuGraphAddKernelNode_v2", out, graph, before, count, &own);
}
Result cudaGraphKernelNodeSetParams(Handle node, const RuntimeKernel* parameters) {
  const driver::KernelNode own = node_of(*parameters);
  return call("cuGraphKernelNodeSetParams_v2", node, &own);
}
Result cudaGraphExecKernelNodeSetParams(Handle graph, Handle node, const RuntimeKernel* parameters) {
  const driver::KernelNode own = node_of(*parameters);
  return call("cuGraphExecKernelNodeSetParams_v2", graph, node, &own);
}
Result cudaGraphAddNode(Handle* out, Handle graph, const Handle* before, const void* edges, std::size_t count,
                        AnyNode* node) {
  return with_own(
      node, [&](AnyNode* own) { return call("cuGraphAddNode_v2", out, graph, before, edges, count, own); });
}
Result cudaGraphNodeSetParams(Handle node, AnyNode* parameters) {
  return with_own(parameters, [&](AnyNode* own) { return call("cuGraphNodeSetParams", node, own); });
}
Result cudaGraphExecNodeSetParams(Handle graph, Handle node, AnyNode* parameters) {
  return with_own(parameters,
                  [&](AnyNode* own) { return call("cuGraphExecNodeSetParams", graph, node, own); });
}
// Copies, fills and calls of other nodes are not recorded. Their stubs read the first arguments alone.
#define PTXMC_OTHER_NODE(name, of_driver)                                                           \
  Result name(Handle* out, Handle graph, const Handle* before, std::size_t count) {                 \
    return call(of_driver, out, graph, before, count, static_cast<const void*>(nullptr), Handle{}); \
  }
PTXMC_OTHER_NODE(cudaGraphAddMemcpyNode, "cuGraphAddMemcpyNode")
PTXMC_OTHER_NODE(cudaGraphAddMemcpyNode1D, "cuGraphAddMemcpyNode")
PTXMC_OTHER_NODE(cudaGraphAddMemcpyNodeToSymbol, "cuGraphAddMemcpyNode")
PTXMC_OTHER_NODE(cudaGraphAddMemcpyNodeFromSymbol, "cuGraphAddMemcpyNode")
PTXMC_OTHER_NODE(cudaGraphAddMemsetNode, "cuGraphAddMemsetNode")
PTXMC_OTHER_NODE(cudaGraphAddHostNode, "cuGraphAddHostNode")
PTXMC_OTHER_NODE(cudaGraphAddChildGraphNode, "cuGraphAddChildGraphNode")
PTXMC_OTHER_NODE(cudaGraphAddEmptyNode, "cuGraphAddEmptyNode")
PTXMC_OTHER_NODE(cudaGraphAddEventRecordNode, "cuGraphAddEventRecordNode")
PTXMC_OTHER_NODE(cudaGraphAddEventWaitNode, "cuGraphAddEventWaitNode")
PTXMC_OTHER_NODE(cudaGraphAddMemFreeNode, "cuGraphAddMemFreeNode")
#undef PTXMC_OTHER_NODE
Result cudaGraphAddMemAllocNode(Handle* out, Handle graph, const Handle* before, std::size_t count,
                                void* wanted) {
  return call("cuGraphAddMemAllocNode", out, graph, before, count, wanted);
}

#define PTXMC_DONE(name) \
  Result name() {        \
    return driver::kOk;  \
  }
PTXMC_DONE(cudaGraphMemcpyNodeSetParams)
PTXMC_DONE(cudaGraphMemsetNodeSetParams)
PTXMC_DONE(cudaGraphHostNodeSetParams)
PTXMC_DONE(cudaGraphExecMemcpyNodeSetParams)
PTXMC_DONE(cudaGraphExecMemcpyNodeSetParams1D)
PTXMC_DONE(cudaGraphExecMemcpyNodeSetParamsToSymbol)
PTXMC_DONE(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
PTXMC_DONE(cudaGraphExecMemsetNodeSetParams)
PTXMC_DONE(cudaGraphExecHostNodeSetParams)
PTXMC_DONE(cudaGraphExecChildGraphNodeSetParams)
PTXMC_DONE(cudaGraphKernelNodeSetAttribute)
PTXMC_DONE(cudaGraphKernelNodeCopyAttributes)
PTXMC_DONE(cudaGraphNodeSetEnabled)
#undef PTXMC_DONE

Result cudaDeviceGraphMemTrim(int device) {
  return call("cuDeviceGraphMemTrim", device);
}
Result cudaDeviceGetGraphMemAttribute(int device, int which, void* out) {
  return call("cuDeviceGetGraphMemAttribute", device, which, out);
}
Result cudaDeviceSetGraphMemAttribute(int device, int which, void* value) {
  return call("cuDeviceSetGraphMemAttribute", device, which, value);
}
}

}  // namespace ptxmc::record::runtime
