// SPDX-License-Identifier: Apache-2.0
// The runtime's functions of streams and events: most are one of the driver's.
#include "input/record/runtime/driver_call.h"

namespace ptxmc::record::runtime {

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
Result cudaStreamBeginCaptureToGraph(Handle stream, Handle graph, const Handle* before, const void* edges,
                                     std::size_t count, int mode) {
  return call("cuStreamBeginCaptureToGraph", stream, graph, before, edges, count, mode);
}
Result cudaStreamUpdateCaptureDependencies(Handle stream, Handle* before, const void* edges,
                                           std::size_t count, unsigned flags) {
  return call("cuStreamUpdateCaptureDependencies_v2", stream, before, edges, count, flags);
}
Result cudaStreamEndCapture(Handle stream, Handle* out) {
  return call("cuStreamEndCapture", stream, out);
}
Result cudaLaunchHostFunc(Handle stream, void (*function)(void*), void* argument) {
  return call("cuLaunchHostFunc", stream, function, argument);
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
}

}  // namespace ptxmc::record::runtime
