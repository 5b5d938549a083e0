// SPDX-License-Identifier: Apache-2.0
// The runtime's functions of memory: most are one of the driver's.
#include <cstring>

#include "input/record/runtime/driver_call.h"

namespace ptxmc::record::runtime {

namespace {

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

/// cudaMemLocation, cudaIpcMemHandle_t and cudaPointerAttributes
struct Location {
  int kind, number;
};
struct IpcHandle {
  char bytes[64];
};
struct PointerAttributes {
  int type, device;
  const void *on_device, *on_host;
  long reserved[8];
};

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
Result cudaMemPoolSetAttribute(Handle pool, int which, void* value) {
  return call("cuMemPoolSetAttribute", pool, which, value);
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
Result cudaMallocPitch(void** out, std::size_t* pitch, std::size_t width, std::size_t height) {
  constexpr unsigned kElement = 4;
  return call("cuMemAllocPitch_v2", reinterpret_cast<Address*>(out), pitch, width, height, kElement);
}
Result cudaMallocFromPoolAsync(void** out, std::size_t bytes, Handle pool, Handle stream) {
  return call("cuMemAllocFromPoolAsync", reinterpret_cast<Address*>(out), bytes, pool, stream);
}
Result cudaHostGetFlags(unsigned* out, void* memory) {
  return call("cuMemHostGetFlags", out, memory);
}
Result cudaHostRegister(void* memory, std::size_t bytes, unsigned flags) {
  return call("cuMemHostRegister_v2", memory, bytes, flags);
}
Result cudaHostUnregister(void* memory) {
  return call("cuMemHostUnregister", memory);
}
Result cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return call("cuMemsetD2D8_v2", reinterpret_cast<Address>(to), pitch, static_cast<unsigned char>(value),
              width, height);
}
Result cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                         Handle stream) {
  return call("cuMemsetD2D8Async", reinterpret_cast<Address>(to), pitch, static_cast<unsigned char>(value),
              width, height, stream);
}
Result cudaMemAdvise(const void*, std::size_t, int, Location) {
  return driver::kOk;
}
Result cudaMemPrefetchAsync(const void*, std::size_t, Location, unsigned, Handle) {
  return driver::kOk;
}
Result cudaMemPoolCreate(Handle* out, const void* properties) {
  return call("cuMemPoolCreate", out, properties);
}
Result cudaMemPoolDestroy(Handle pool) {
  return call("cuMemPoolDestroy", pool);
}
Result cudaMemPoolTrimTo(Handle pool, std::size_t bytes) {
  return call("cuMemPoolTrimTo", pool, bytes);
}
Result cudaMemPoolSetAccess(Handle pool, const void* access, std::size_t count) {
  return call("cuMemPoolSetAccess", pool, access, count);
}
Result cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return copy(to, from, bytes, kDefault);
}
Result cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, Handle) {
  return copy(to, from, bytes, kDefault);
}
Result cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               int kind, Handle) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
Result cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                 int kind, Handle) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
Result cudaPointerGetAttributes(PointerAttributes* out, const void* memory) {
  constexpr int kMemoryType = 2, kIsManaged = 8;
  constexpr int kDevice = 2, kManaged = 3;
  *out = {};
  const Result last = last_error;  // memory of no allocation is no error
  int type = 0, managed = 0;
  call("cuPointerGetAttribute", &type, kMemoryType, reinterpret_cast<Address>(memory));
  if (type != 0) call("cuPointerGetAttribute", &managed, kIsManaged, reinterpret_cast<Address>(memory));
  last_error = last;
  out->type = managed != 0 ? kManaged : type;
  if (out->type != 0) out->on_device = memory;
  if (out->type != kDevice) out->on_host = memory;
  return driver::kOk;
}
Result cudaIpcGetMemHandle(void* out, void* memory) {
  return call("cuIpcGetMemHandle", out, reinterpret_cast<Address>(memory));
}
Result cudaIpcOpenMemHandle(void** out, IpcHandle handle, unsigned flags) {
  return call("cuIpcOpenMemHandle_v2", reinterpret_cast<Address*>(out), handle, flags);
}
Result cudaIpcCloseMemHandle(void* memory) {
  return call("cuIpcCloseMemHandle", reinterpret_cast<Address>(memory));
}
}

}  // namespace ptxmc::record::runtime
