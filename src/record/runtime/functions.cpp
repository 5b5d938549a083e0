// SPDX-License-Identifier: Apache-2.0
// The runtime's functions: most are one of the driver's, a row each.
#include <array>
#include <cstring>

#include "record/runtime/driver_call.h"

namespace ptxmc::record::runtime {

namespace {

constexpr int kVersion = 13000;
enum Copy { kHostToHost, kToDevice, kToHost, kOnDevice, kDefault };  // cudaMemcpyKind

Result copy(void* to, const void* from, std::size_t bytes, int kind) {
  const auto device = [](const void* memory) { return reinterpret_cast<Address>(memory); };
  switch (kind) {
    case kHostToHost:
      std::memmove(to, from, bytes);
      return driver::kOk;
    case kToDevice:
      return call("cuMemcpyHtoD_v2", device(to), from, bytes);
    case kToHost:
      return call("cuMemcpyDtoH_v2", to, device(from), bytes);
    default:
      return call("cuMemcpy", device(to), device(from), bytes);
  }
}
Result copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                 std::size_t height, int kind) {
  Result out = driver::kOk;
  for (std::size_t row = 0; row < height && out == driver::kOk; ++row)
    out = copy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
               width, kind);
  return out;
}

/// The numbers of cudaDeviceProp that programs look at: the driver's attribute, and the offset in CUDA 13. Those that are
/// of 64 bits are small.
struct PropertyField {
  int attribute;
  std::size_t offset;
};
constexpr PropertyField kFields[] = {{8, 296},  {12, 304}, {10, 308}, {1, 320},   {2, 324},  {3, 328},
                                     {4, 332},  {5, 336},  {6, 340},  {7, 344},   {9, 352},  {75, 360},
                                     {76, 364}, {16, 384}, {31, 560}, {38, 596},  {39, 604}, {81, 624},
                                     {82, 632}, {95, 668}, {97, 672}, {106, 688}, {120, 748}};
Result properties(char* out, int device) {
  constexpr std::size_t kMemory = 288, kBytes = 1008;
  constexpr int kName = 256;
  std::memset(out, 0, kBytes);
  call("cuDeviceGetName", out, kName, device);
  call("cuDeviceTotalMem_v2", reinterpret_cast<std::size_t*>(out + kMemory), device);
  for (const PropertyField& field : kFields) {
    int value = 0;
    call("cuDeviceGetAttribute", &value, field.attribute, device);
    std::memcpy(out + field.offset, &value, sizeof value);
  }
  return driver::kOk;
}

}  // namespace

extern "C" {

Result cudaMalloc(void** out, std::size_t bytes) {
  return call("cuMemAlloc_v2", reinterpret_cast<Address*>(out), bytes);
}
Result cudaMallocAsync(void** out, std::size_t bytes, Handle stream) {
  return call("cuMemAllocAsync", reinterpret_cast<Address*>(out), bytes, stream);
}
Result cudaMallocManaged(void** out, std::size_t bytes, unsigned flags) {
  return call("cuMemAllocManaged", reinterpret_cast<Address*>(out), bytes, flags);
}
Result cudaMallocHost(void** out, std::size_t bytes) {
  return call("cuMemHostAlloc", out, bytes, 0u);
}
Result cudaHostAlloc(void** out, std::size_t bytes, unsigned flags) {
  return call("cuMemHostAlloc", out, bytes, flags);
}
Result cudaHostGetDevicePointer(void** out, void* memory, unsigned flags) {
  return call("cuMemHostGetDevicePointer_v2", reinterpret_cast<Address*>(out), memory, flags);
}
Result cudaFree(void* memory) {
  return call("cuMemFree_v2", reinterpret_cast<Address>(memory));
}
Result cudaFreeAsync(void* memory, Handle stream) {
  return call("cuMemFreeAsync", reinterpret_cast<Address>(memory), stream);
}
Result cudaFreeHost(void* memory) {
  return call("cuMemFreeHost", memory);
}
Result cudaMemset(void* to, int value, std::size_t bytes) {
  return call("cuMemsetD8_v2", reinterpret_cast<Address>(to), static_cast<unsigned char>(value), bytes);
}
Result cudaMemsetAsync(void* to, int value, std::size_t bytes, Handle stream) {
  return call("cuMemsetD8Async", reinterpret_cast<Address>(to), static_cast<unsigned char>(value), bytes,
              stream);
}
Result cudaMemGetInfo(std::size_t* available, std::size_t* all) {
  return call("cuMemGetInfo_v2", available, all);
}
Result cudaDeviceSynchronize() {
  return call("cuCtxSynchronize");
}
Result cudaGetDeviceCount(int* out) {
  return call("cuDeviceGetCount", out);
}
Result cudaDeviceGetAttribute(int* out, int which, int device) {
  return call("cuDeviceGetAttribute", out, which, device);
}
Result cudaDriverGetVersion(int* out) {
  return call("cuDriverGetVersion", out);
}
Result cudaDeviceGetDefaultMemPool(Handle* out, int device) {
  return call("cuDeviceGetDefaultMemPool", out, device);
}
Result cudaMemPoolSetAttribute(Handle pool, int which, void* value) {
  return call("cuMemPoolSetAttribute", pool, which, value);
}
Result cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cuCtxGetStreamPriorityRange", least, greatest);
}
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
Result cudaFuncSetAttribute(const void* host, int which, int value) {
  return call("cuFuncSetAttribute", kernel_of(host), which, value);
}
Result cudaFuncSetCacheConfig(const void* host, int config) {
  return call("cuFuncSetCacheConfig", kernel_of(host), config);
}
Result cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* out, const void* host, int threads,
                                                     std::size_t shared) {
  return call("cuOccupancyMaxActiveBlocksPerMultiprocessor", out, kernel_of(host), threads, shared);
}
Result cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* out, const void* host, int threads,
                                                              std::size_t shared, unsigned flags) {
  return call("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", out, kernel_of(host), threads, shared,
              flags);
}
Result cudaProfilerStart() {
  return call("cuProfilerStart");
}
Result cudaProfilerStop() {
  return call("cuProfilerStop");
}

Result cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return copy(to, from, bytes, kind);
}
Result cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, Handle) {
  return copy(to, from, bytes, kind);
}
Result cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, int kind) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
Result cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, int kind, Handle) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind);
}
Result cudaGetSymbolAddress(void** out, const void* symbol) {
  *out = reinterpret_cast<void*>(variable_of(symbol, nullptr));
  return remember(*out == nullptr ? 13 : driver::kOk);  // cudaErrorInvalidSymbol
}
Result cudaGetSymbolSize(std::size_t* out, const void* symbol) {
  return remember(variable_of(symbol, out) == 0 ? 13 : driver::kOk);
}
Result cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                          int kind) {
  void* to = nullptr;
  const Result known = cudaGetSymbolAddress(&to, symbol);
  return known != driver::kOk ? known : copy(static_cast<char*>(to) + offset, from, bytes, kind);
}
Result cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, int kind) {
  void* from = nullptr;
  const Result known = cudaGetSymbolAddress(&from, symbol);
  return known != driver::kOk ? known : copy(to, static_cast<char*>(from) + offset, bytes, kind);
}

Result cudaGetDevice(int* out) {
  *out = 0;
  return driver::kOk;
}
Result cudaSetDevice(int device) {
  return remember(device == 0 ? driver::kOk : 101);  // cudaErrorInvalidDevice
}
Result cudaDeviceReset() {
  return driver::kOk;
}
Result cudaSetDeviceFlags(unsigned) {
  return driver::kOk;
}
Result cudaDeviceSetLimit(int, std::size_t) {
  return driver::kOk;
}
Result cudaRuntimeGetVersion(int* out) {
  *out = kVersion;
  return driver::kOk;
}
Result cudaGetDeviceProperties(char* out, int device) {
  return properties(out, device);
}
/// The sizes and numbers at the begin of cudaFuncAttributes.
Result cudaFuncGetAttributes(char* out, const void* host) {
  constexpr std::array<int, 3> kSizes = {1, 2, 3};
  constexpr std::array<int, 6> kNumbers = {0, 4, 5, 6, 7, 8};
  const Handle kernel = kernel_of(host);
  for (const int which : kSizes) {
    int value = 0;
    call("cuFuncGetAttribute", &value, which, kernel);
    const auto size = static_cast<std::size_t>(value);
    std::memcpy(out, &size, sizeof size);
    out += sizeof size;
  }
  for (const int which : kNumbers) {
    int value = 0;
    call("cuFuncGetAttribute", &value, which, kernel);
    std::memcpy(out, &value, sizeof value);
    out += sizeof value;
  }
  return driver::kOk;
}

Result cudaGetDriverEntryPointByVersion(const char* name, void** out, unsigned version,
                                        unsigned long long flags, int* status) {
  return call("cuGetProcAddress_v2", name, out, static_cast<int>(version), flags, status);
}
Result cudaGetDriverEntryPoint(const char* name, void** out, unsigned long long flags, int* status) {
  return cudaGetDriverEntryPointByVersion(name, out, kVersion, flags, status);
}

Result cudaGetLastError() {
  const Result out = last_error;
  last_error = driver::kOk;
  return out;
}
Result cudaPeekAtLastError() {
  return last_error;
}
const char* cudaGetErrorString(Result error) {
  const char* out = "";
  call("cuGetErrorString", error, &out);
  return error == driver::kOk ? "no error" : out;
}
const char* cudaGetErrorName(Result error) {
  return cudaGetErrorString(error);
}
}

}  // namespace ptxmc::record::runtime
