// SPDX-License-Identifier: Apache-2.0
// The runtime's functions of streams, events and graphs: most are one of the driver's.
#include "input/record/runtime/driver_call.h"

namespace ptxmc::record::runtime {

namespace {

/// cudaKernelNodeParams
struct RuntimeNode {
  const void* host;
  Extents grid, block;
  unsigned shared;
  void **arguments, **extra;
};

}  // namespace

extern "C" {

Result cudaStreamCreate(Handle* out) {
  return call("cuStreamCreate", out, 0u);
}
Result cudaStreamCreateWithFlags(Handle* out, unsigned flags) {
  return call("cuStreamCreate", out, flags);
}
Result cudaStreamCreateWithPriority(Handle* out, unsigned flags, int priority) {
  return call("cuStreamCreateWithPriority", out, flags, priority);
}
Result cudaStreamDestroy(Handle stream) {
  return call("cuStreamDestroy_v2", stream);
}
Result cudaStreamSynchronize(Handle stream) {
  return call("cuStreamSynchronize", stream);
}
Result cudaStreamQuery(Handle stream) {
  return call("cuStreamQuery", stream);
}
Result cudaStreamWaitEvent(Handle stream, Handle event, unsigned flags) {
  return call("cuStreamWaitEvent", stream, event, flags);
}
Result cudaStreamIsCapturing(Handle stream, int* out) {
  return call("cuStreamIsCapturing", stream, out);
}
Result cudaStreamBeginCapture(Handle stream, int mode) {
  return call("cuStreamBeginCapture_v2", stream, mode);
}
Result cudaStreamEndCapture(Handle stream, Handle* out) {
  return call("cuStreamEndCapture", stream, out);
}
Result cudaLaunchHostFunc(Handle stream, void (*function)(void*), void* argument) {
  return call("cuLaunchHostFunc", stream, function, argument);
}
Result cudaGraphInstantiate(Handle* out, Handle graph, unsigned long long flags) {
  return call("cuGraphInstantiateWithFlags", out, graph, flags);
}
Result cudaGraphLaunch(Handle graph, Handle stream) {
  return call("cuGraphLaunch", graph, stream);
}
Result cudaGraphDestroy(Handle graph) {
  return call("cuGraphDestroy", graph);
}
Result cudaGraphExecDestroy(Handle graph) {
  return call("cuGraphExecDestroy", graph);
}
Result cudaEventCreate(Handle* out) {
  return call("cuEventCreate", out, 0u);
}
Result cudaEventCreateWithFlags(Handle* out, unsigned flags) {
  return call("cuEventCreate", out, flags);
}
Result cudaEventRecord(Handle event, Handle stream) {
  return call("cuEventRecord", event, stream);
}
Result cudaEventSynchronize(Handle event) {
  return call("cuEventSynchronize", event);
}
Result cudaEventQuery(Handle event) {
  return call("cuEventQuery", event);
}
Result cudaEventElapsedTime(float* out, Handle begin, Handle end) {
  return call("cuEventElapsedTime", out, begin, end);
}
Result cudaEventDestroy(Handle event) {
  return call("cuEventDestroy_v2", event);
}
Result cudaProfilerStart() {
  return call("cuProfilerStart");
}
Result cudaProfilerStop() {
  return call("cuProfilerStop");
}
Result cudaStreamAddCallback(Handle stream, void (*function)(Handle, Result, void*), void* argument,
                             unsigned flags) {
  return call("cuStreamAddCallback", stream, function, argument, flags);
}
Result cudaStreamAttachMemAsync(Handle stream, void* memory, std::size_t bytes, unsigned flags) {
  return call("cuStreamAttachMemAsync", stream, reinterpret_cast<Address>(memory), bytes, flags);
}
Result cudaStreamGetCaptureInfo(Handle stream, int* out, unsigned long long* id, Handle* graph,
                                const Handle** before, const void** edges, std::size_t* count) {
  return call("cuStreamGetCaptureInfo_v3", stream, out, id, graph, before, edges, count);
}
Result cudaStreamGetDevice(Handle stream, int* out) {
  return call("cuStreamGetDevice", stream, out);
}
Result cudaStreamGetFlags(Handle stream, unsigned* out) {
  return call("cuStreamGetFlags", stream, out);
}
Result cudaStreamGetId(Handle stream, unsigned long long* out) {
  return call("cuStreamGetId", stream, out);
}
Result cudaStreamGetPriority(Handle stream, int* out) {
  return call("cuStreamGetPriority", stream, out);
}
Result cudaStreamSetAttribute(Handle stream, int which, const void* value) {
  return call("cuStreamSetAttribute", stream, which, value);
}
Result cudaThreadExchangeStreamCaptureMode(int* mode) {
  return call("cuThreadExchangeStreamCaptureMode", mode);
}
Result cudaEventRecordWithFlags(Handle event, Handle stream, unsigned flags) {
  return call("cuEventRecordWithFlags", event, stream, flags);
}
Result cudaGraphCreate(Handle* out, unsigned flags) {
  return call("cuGraphCreate", out, flags);
}
Result cudaGraphAddKernelNode(Handle* out, Handle graph, const Handle* before, std::size_t count,
                              const RuntimeNode* node) {
  const driver::KernelNode own = {kernel_of(node->host),
                                  {node->grid.x, node->grid.y, node->grid.z},
                                  {node->block.x, node->block.y, node->block.z},
                                  node->shared,
                                  node->arguments,
                                  node->extra,
                                  nullptr,
                                  nullptr};
  return call("cuGraphAddKernelNode_v2", out, graph, before, count, &own);
}
Result cudaGraphGetNodes(Handle graph, Handle* nodes, std::size_t* count) {
  return call("cuGraphGetNodes", graph, nodes, count);
}
Result cudaGraphInstantiateWithFlags(Handle* out, Handle graph, unsigned long long flags) {
  return call("cuGraphInstantiateWithFlags", out, graph, flags);
}
Result cudaGraphUpload(Handle graph, Handle stream) {
  return call("cuGraphUpload", graph, stream);
}
}

}  // namespace ptxmc::record::runtime
