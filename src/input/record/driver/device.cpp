// SPDX-License-Identifier: Apache-2.0
// The device that is pretended, and contexts on it.
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "input/record/driver/state.h"
#include "input/record/driver/table.h"

namespace ptxmc::record::driver {

namespace {

constexpr std::size_t kMemory = std::size_t{80} << 30;

/// CUdevice_attribute of a GPU of compute capability 9.0 and above; what is not here is 0.
struct DeviceAttribute {
  int id, value;
};
constexpr DeviceAttribute kAttributes[] = {
    {1, 1024},         // threads of a block
    {2, 1024},         // its extents
    {3, 1024},         //
    {4, 64},           //
    {5, 0x7fffffff},   // extents of a grid
    {6, 65535},        //
    {7, 65535},        //
    {8, 48 << 10},     // shared memory of a block
    {9, 64 << 10},     // constant memory
    {10, 32},          // lanes of a warp
    {11, 0x7fffffff},  // pitch
    {12, 65536},       // registers of a block
    {13, 1980000},     // clock, kHz
    {14, 512},         // texture alignment
    {15, 1},           // copies while kernels run
    {19, 1},           // maps host memory
    {31, 1},           // kernels at the same time
    {36, 2619000},     // memory clock
    {37, 5120},        // width of the bus
    {38, 50 << 20},    // L2
    {39, 2048},        // threads of a multiprocessor
    {40, 3},           // copy engines
    {41, 1},           // one address space
    {51, 32},          // texture pitch
    {78, 1},           // priorities of streams
    {79, 1},           // caches global memory in L1
    {80, 1},           //
    {81, 228 << 10},   // shared memory of a multiprocessor
    {82, 65536},       // its registers
    {83, 1},           // managed memory
    {88, 0},           // pageable memory access: such memory is not recorded
    {89, 1},           // managed access at the same time
    {90, 1},           // compute preemption
    {91, 1},           // host pointers of registered memory
    {95, 1},           // cooperative launch
    {97, 227 << 10},   // shared memory of a block that asks for it
    {99, 1},           // registers host memory
    {101, 1},          // the host may use managed memory directly
    {102, 1},          // virtual memory management
    {106, 32},         // blocks of a multiprocessor
    {108, 31 << 20},   // L2 that may persist
    {109, 128 << 20},  // window of access policies
    {111, 1 << 10},    // reserved shared memory of a block
    {113, 1},          // host registration that is read-only
    {115, 1},          // memory pools
    {120, 1},          // clusters
    {127, 1},          // tensor map access
    {129, 1},          // one pointer of a function for host and device
};

int compute_capability(int which) {
  const Settings& device = state().channel.settings();
  return which == 75 ? device.major : device.minor;
}

namespace pretend {

Result init(unsigned) {
  return state().channel.connected() ? kOk : kNoDevice;
}
Result version(int* out) {
  *out = 13000;
  return kOk;
}
Result count(int* out) {
  *out = 1;
  return kOk;
}
Result device(int* out, int number) {
  *out = 0;
  return number == 0 ? kOk : 101;  // CUDA_ERROR_INVALID_DEVICE
}
Result name(char* out, int bytes, int) {
  std::snprintf(out, static_cast<std::size_t>(bytes), "GPU that ptxmc pretends");
  return kOk;
}
Result memory(std::size_t* out, int) {
  *out = kMemory;
  return kOk;
}
Result uuid(char* out, int) {
  constexpr std::string_view kId = "ptxmc pretends  ";
  kId.copy(out, kId.size());
  return kOk;
}
Result attribute(int* out, int which, int) {
  constexpr int kMultiprocessors = 16, kMajor = 75, kMinor = 76;
  *out = 0;
  if (which == kMultiprocessors) *out = state().channel.settings().multiprocessors;
  if (which == kMajor || which == kMinor) *out = compute_capability(which);
  for (const DeviceAttribute& attribute : kAttributes) {
    if (attribute.id == which) *out = attribute.value;
  }
  return kOk;
}
Result bus(char* out, int bytes, int) {
  std::snprintf(out, static_cast<std::size_t>(bytes), "0000:00:00.0");
  return kOk;
}
Result by_bus(int* out, const char*) {
  *out = 0;
  return kOk;
}
Result capability(int* major, int* minor, int) {
  *major = compute_capability(75);
  *minor = compute_capability(76);
  return kOk;
}
Result peer(int* out, int, int) {
  *out = 0;
  return kOk;
}
Result pool(Handle* out, int) {
  static char only;
  *out = &only;
  return kOk;
}

/// There is one context, and it is current in every thread that did not say otherwise.
Handle only_context() {
  static char only;
  return &only;
}
thread_local Handle current = only_context();

Result retain(Handle* out, int) {
  *out = only_context();
  return kOk;
}
Result context_state(int, unsigned* flags, int* active) {
  *flags = 0;
  *active = 1;
  return kOk;
}
Result create(Handle* out, unsigned, int) {
  *out = current = only_context();
  return kOk;
}
Result create_with(Handle* out, void*, int, unsigned, int) {
  return create(out, 0, 0);
}
Result create_by(Handle* out, void*, unsigned, int) {
  return create(out, 0, 0);
}
Result get_current(Handle* out) {
  *out = current;
  return kOk;
}
Result set_current(Handle context) {
  current = context;
  return kOk;
}
Result pop_current(Handle* out) {
  if (out != nullptr) *out = current;
  return kOk;
}
Result context_device(int* out) {
  *out = 0;
  return kOk;
}
Result context_of(int* out, Handle) {
  *out = 0;
  return kOk;
}
Result zero(unsigned* out) {
  *out = 0;
  return kOk;
}
Result api_version(Handle, unsigned* out) {
  *out = 13000;
  return kOk;
}
Result limit(std::size_t* out, int) {
  *out = 8 << 20;
  return kOk;
}
Result priorities(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return kOk;
}
Result identity(Handle, unsigned long long* out) {
  *out = 1;
  return kOk;
}

constexpr std::pair<Result, const char*> kErrors[] = {{kOk, "CUDA_SUCCESS"},
                                                      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
                                                      {kNoMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                      {kNoDevice, "CUDA_ERROR_NO_DEVICE"},
                                                      {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
                                                      {kNotFound, "CUDA_ERROR_NOT_FOUND"},
                                                      {kNotSupported, "CUDA_ERROR_NOT_SUPPORTED"}};
Result error_name(Result error, const char** out) {
  *out = "an error of the driver that ptxmc pretends";
  for (const auto& [number, text] : kErrors) {
    if (number == error) *out = text;
  }
  return kOk;
}

}  // namespace pretend

}  // namespace

Rows device_rows() {
  using namespace pretend;
  return {
      pretended("cuInit", init),
      pretended("cuDriverGetVersion", version),
      pretended("cuDeviceGetCount", count),
      pretended("cuDeviceGet", device),
      pretended("cuDeviceGetName", name),
      pretended("cuDeviceTotalMem_v2", memory),
      pretended("cuDeviceGetUuid", uuid),
      pretended("cuDeviceGetUuid_v2", uuid),
      pretended("cuDeviceGetAttribute", attribute),
      pretended("cuDeviceGetPCIBusId", bus),
      pretended("cuDeviceGetByPCIBusId", by_bus),
      pretended("cuDeviceComputeCapability", capability),
      pretended("cuDeviceCanAccessPeer", peer),
      pretended("cuDeviceGetDefaultMemPool", pool),
      pretended("cuDeviceGetMemPool", pool),
      pretended("cuDeviceSetMemPool", nothing),
      pretended("cuMemPoolCreate", pool),
      pretended("cuMemPoolSetAttribute", nothing),
      pretended("cuMemPoolTrimTo", nothing),
      pretended("cuMemPoolSetAccess", nothing),
      pretended("cuMemPoolDestroy", nothing),
      pretended("cuDevicePrimaryCtxRetain", retain),
      pretended("cuDevicePrimaryCtxRelease_v2", nothing),
      pretended("cuDevicePrimaryCtxReset_v2", nothing),
      pretended("cuDevicePrimaryCtxSetFlags_v2", nothing),
      pretended("cuDevicePrimaryCtxGetState", context_state),
      pretended("cuCtxCreate_v2", create),
      pretended("cuCtxCreate_v3", create_with),
      pretended("cuCtxCreate_v4", create_by),
      pretended("cuCtxDestroy_v2", nothing),
      pretended("cuCtxGetCurrent", get_current),
      pretended("cuCtxSetCurrent", set_current),
      pretended("cuCtxPushCurrent_v2", set_current),
      pretended("cuCtxPopCurrent_v2", pop_current),
      pretended("cuCtxGetDevice", context_device),
      pretended("cuCtxGetDevice_v2", context_of),
      pretended("cuCtxGetFlags", zero),
      pretended("cuCtxGetApiVersion", api_version),
      pretended("cuCtxGetId", identity),
      pretended("cuCtxSynchronize", nothing),
      pretended("cuCtxSynchronize_v2", nothing),
      pretended("cuCtxGetLimit", limit),
      pretended("cuCtxSetLimit", nothing),
      pretended("cuCtxGetCacheConfig", zero),
      pretended("cuCtxSetCacheConfig", nothing),
      pretended("cuCtxGetStreamPriorityRange", priorities),
      pretended("cuCtxResetPersistingL2Cache", nothing),
      pretended("cuGetErrorName", error_name),
      pretended("cuGetErrorString", error_name),
      pretended("cuProfilerStart", nothing),
      pretended("cuProfilerStop", nothing),
  };
}

}  // namespace ptxmc::record::driver
