// SPDX-License-Identifier: Apache-2.0
// Streams and events of a device on which everything is done when it is asked for.
#include <atomic>
#include <chrono>
#include <cstdint>

#include "input/record/driver/look.h"
#include "input/record/driver/table.h"

namespace ptxmc::record::driver {

namespace {

/// Whether the calling thread captures a stream.
thread_local Handle captured = nullptr;
constexpr int kCapturing = 1;

Result make(Handle* out, unsigned) {
  *out = fresh();
  return kOk;
}
Result make_with(Handle* out, unsigned, int) {
  return make(out, 0);
}
Result number(Handle, unsigned* out) {
  *out = 0;
  return kOk;
}
Result priority(Handle, int* out) {
  *out = 0;
  return kOk;
}
Result identity(Handle stream, unsigned long long* out) {
  *out = reinterpret_cast<std::uintptr_t>(stream);
  return kOk;
}
Result begin_capture(Handle stream, int) {
  captured = stream;
  return kOk;
}
Result begin_capture_to(Handle stream, Handle, const Handle*, const void*, std::size_t, int mode) {
  return begin_capture(stream, mode);
}
Result end_capture(Handle, Handle* out) {
  captured = nullptr;
  *out = fresh();
  return kOk;
}
Result is_capturing(Handle stream, int* out) {
  *out = is_capture_pretended(stream) ? kCapturing : 0;
  return kOk;
}
Result capture_information(Handle stream, int* out, unsigned long long* id, Handle* graph,
                           const Handle** before, std::size_t* count) {
  is_capturing(stream, out);
  if (id != nullptr) *id = 1;
  if (graph != nullptr) *graph = captured;
  if (before != nullptr) *before = nullptr;
  if (count != nullptr) *count = 0;
  return kOk;
}
Result capture_information_3(Handle stream, int* out, unsigned long long* id, Handle* graph,
                             const Handle** before, const void** edges, std::size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  return capture_information(stream, out, id, graph, before, count);
}
Result call_host(Handle, void (*function)(void*), void* argument) {
  function(argument);
  return kOk;
}
Result call_back(Handle stream, void (*function)(Handle, Result, void*), void* argument, unsigned) {
  function(stream, kOk, argument);
  return kOk;
}
template <typename T>
Result write_value(Handle, Address address, T value, unsigned) {
  *reinterpret_cast<T*>(address) = value;
  return kOk;
}
Result elapsed(float* out, Handle, Handle) {
  *out = 0.001f;  // of a millisecond; programs divide by it
  return kOk;
}

}  // namespace

Handle fresh() {
  static std::atomic<std::uintptr_t> last = 0x1000;
  return reinterpret_cast<Handle>(last += 0x10);
}

bool is_capture_pretended(Handle stream) {
  return captured != nullptr && captured == stream;
}

Result nothing() {
  return kOk;
}

Rows work_rows() {
  return {
      pretended("cuStreamCreate", make),
      pretended("cuStreamCreateWithPriority", make_with),
      pretended("cuStreamDestroy_v2", nothing),
      pretended("cuStreamSynchronize", nothing),
      pretended("cuStreamQuery", nothing),
      pretended("cuStreamWaitEvent", nothing),
      pretended("cuStreamAttachMemAsync", nothing),
      pretended("cuStreamGetFlags", number),
      pretended("cuStreamGetPriority", priority),
      pretended("cuStreamGetDevice", priority),
      pretended("cuStreamGetId", identity),
      pretended("cuStreamBeginCapture_v2", begin_capture),
      pretended("cuStreamBeginCaptureToGraph", begin_capture_to),
      pretended("cuStreamUpdateCaptureDependencies_v2", nothing),
      pretended("cuStreamEndCapture", end_capture),
      pretended("cuStreamIsCapturing", is_capturing),
      pretended("cuStreamGetCaptureInfo_v2", capture_information),
      pretended("cuStreamGetCaptureInfo_v3", capture_information_3),
      pretended("cuStreamSetAttribute", nothing),
      pretended("cuThreadExchangeStreamCaptureMode", nothing),
      pretended("cuStreamAddCallback", call_back),
      pretended("cuLaunchHostFunc", call_host),
      pretended("cuStreamWriteValue32_v2", write_value<std::uint32_t>),
      pretended("cuStreamWriteValue64_v2", write_value<std::uint64_t>),
      pretended("cuStreamWaitValue32_v2", nothing),
      pretended("cuStreamWaitValue64_v2", nothing),
      pretended("cuMemPrefetchAsync", nothing),
      pretended("cuMemPrefetchAsync_v2", nothing),
      pretended("cuMemAdvise", nothing),
      pretended("cuMemAdvise_v2", nothing),
      pretended("cuEventCreate", make),
      pretended("cuEventRecord", nothing),
      pretended("cuEventRecordWithFlags", nothing),
      pretended("cuEventQuery", nothing),
      pretended("cuEventSynchronize", nothing),
      pretended("cuEventDestroy_v2", nothing),
      pretended("cuEventElapsedTime", elapsed),
      pretended("cuEventElapsedTime_v2", elapsed),
  };
}

}  // namespace ptxmc::record::driver
