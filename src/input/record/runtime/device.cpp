// SPDX-License-Identifier: Apache-2.0
// The runtime's functions of devices, kernels, libraries and errors: most are one of the driver's.
#include <array>
#include <cstring>

#include "input/record/runtime/driver_call.h"

namespace ptxmc::record::runtime {

namespace {

constexpr int kVersion = 13000;

/// The numbers of cudaDeviceProp that programs look at: the driver's attribute, and the offset in CUDA 13. Those that are
/// of 64 bits are small.
struct PropertyField {
  int attribute;
  std::size_t offset;
};
constexpr PropertyField kFields[] = {
    {8, 296},   {12, 304},  {10, 308},  {11, 312},  {1, 320},   {2, 324},   {3, 328},   {4, 332},   {5, 336},
    {6, 340},   {7, 344},   {9, 352},   {75, 360},  {76, 364},  {14, 368},  {51, 376},  {16, 384},  {18, 388},
    {19, 392},  {31, 560},  {40, 584},  {41, 588},  {37, 592},  {38, 596},  {108, 600}, {39, 604},  {78, 608},
    {79, 612},  {80, 616},  {81, 624},  {82, 632},  {83, 636},  {86, 648},  {88, 652},  {89, 656},  {90, 660},
    {91, 664},  {95, 668},  {97, 672},  {100, 680}, {101, 684}, {106, 688}, {109, 692}, {111, 696}, {99, 704},
    {113, 712}, {115, 720}, {120, 748}, {129, 752}};
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
Result cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cuCtxGetStreamPriorityRange", least, greatest);
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
Result cudaInitDevice(int, unsigned, unsigned) {
  return driver::kOk;
}
Result cudaGetDeviceFlags(unsigned* out) {
  *out = 0;
  return driver::kOk;
}
Result cudaDeviceCanAccessPeer(int* out, int device, int peer) {
  return call("cuDeviceCanAccessPeer", out, device, peer);
}
Result cudaDeviceGetLimit(std::size_t* out, int which) {
  return call("cuCtxGetLimit", out, which);
}
Result cudaDeviceGetPCIBusId(char* out, int bytes, int device) {
  return call("cuDeviceGetPCIBusId", out, bytes, device);
}
Result cudaDeviceGetByPCIBusId(int* out, const char* bus) {
  return call("cuDeviceGetByPCIBusId", out, bus);
}
Result cudaDeviceGetMemPool(Handle* out, int device) {
  return call("cuDeviceGetMemPool", out, device);
}
Result cudaDeviceSetMemPool(int device, Handle pool) {
  return call("cuDeviceSetMemPool", device, pool);
}
Result cudaDeviceSetCacheConfig(int) {
  return driver::kOk;
}
Result cudaDeviceGetCacheConfig(int* out) {
  *out = 0;
  return driver::kOk;
}
Result cudaDeviceSetSharedMemConfig(int) {
  return driver::kOk;
}
Result cudaFuncSetSharedMemConfig(const void*, int) {
  return driver::kOk;
}
Result cudaCtxResetPersistingL2Cache() {
  return driver::kOk;
}
Result cudaFuncGetName(const char** out, const void* host) {
  return call("cuFuncGetName", out, kernel_of(host));
}
Result cudaFuncGetParamInfo(const void* host, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return call("cuFuncGetParamInfo", kernel_of(host), index, offset, bytes);
}
Result cudaGetFuncBySymbol(Handle* out, const void* host) {
  *out = kernel_of(host);
  return driver::kOk;
}
Result cudaGetKernel(Handle* out, const void* host) {
  *out = kernel_of(host);
  return driver::kOk;
}
Result cudaKernelSetAttributeForDevice(Handle kernel, int which, int value, int device) {
  return call("cuKernelSetAttribute", which, value, kernel, device);
}
Result cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* out, const void* host, int blocks,
                                                 int threads) {
  return call("cuOccupancyAvailableDynamicSMemPerBlock", out, kernel_of(host), blocks, threads);
}
Result cudaLibraryLoadData(Handle* out, const void* image, int* jit, void** jit_values, unsigned jit_count,
                           int* options, void** values, unsigned count) {
  return call("cuLibraryLoadData", out, image, jit, jit_values, jit_count, options, values, count);
}
Result cudaLibraryLoadFromFile(Handle* out, const char* path, int* jit, void** jit_values, unsigned jit_count,
                               int* options, void** values, unsigned count) {
  return call("cuLibraryLoadFromFile", out, path, jit, jit_values, jit_count, options, values, count);
}
Result cudaLibraryUnload(Handle library) {
  return call("cuLibraryUnload", library);
}
Result cudaLibraryGetKernel(Handle* out, Handle library, const char* name) {
  return call("cuLibraryGetKernel", out, library, name);
}
Result cudaLibraryGetKernelCount(unsigned* out, Handle library) {
  return call("cuLibraryGetKernelCount", out, library);
}
Result cudaLibraryEnumerateKernels(Handle* out, unsigned count, Handle library) {
  return call("cuLibraryEnumerateKernels", out, count, library);
}
Result cudaLibraryGetGlobal(void** out, std::size_t* bytes, Handle library, const char* name) {
  return call("cuLibraryGetGlobal", reinterpret_cast<Address*>(out), bytes, library, name);
}
Result cudaLibraryGetManaged(void** out, std::size_t* bytes, Handle library, const char* name) {
  return call("cuLibraryGetManaged", reinterpret_cast<Address*>(out), bytes, library, name);
}
}

}  // namespace ptxmc::record::runtime
