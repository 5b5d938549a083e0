// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA driver API that places memory: physical allocations that are mapped at several
// addresses, variables of modules, tensor maps. Part of driver.h.
#pragma once

#include <cstddef>

namespace ptxmc::gpu::abi {

using Result = int;
using Pointer = unsigned long long;  // CUdeviceptr
struct ModuleTag;
using ModuleHandle = ModuleTag*;

using AllocationHandle = unsigned long long;  // CUmemGenericAllocationHandle
/// CUmemLocation
struct MemoryLocation {
  int type;
  int id;
};
/// CUmemAllocationProp
struct AllocationProperties {
  int type;
  int handle_types;
  MemoryLocation location;
  void* platform;
  unsigned char flags[8];
};
/// CUmemAccessDesc
struct AccessDescription {
  MemoryLocation location;
  int flags;
};

constexpr int kAllocationPinned = 1;    // CU_MEM_ALLOCATION_TYPE_PINNED: it stays where it is
constexpr int kLocationDevice = 1;      // CU_MEM_LOCATION_TYPE_DEVICE
constexpr int kAccessReadWrite = 3;     // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
constexpr int kGranularityMinimum = 0;  // CU_MEM_ALLOC_GRANULARITY_MINIMUM

constexpr std::size_t kTensorMapBytes = 128;  // sizeof(CUtensorMap), and its greatest alignment

/// CUDA_RESOURCE_DESC, of linear memory
struct ResourceDescription {
  int type;
  struct {
    Pointer address;
    int format;
    unsigned channels;
    std::size_t bytes;
    char unused[104];
  } linear;
  unsigned flags;
};
/// CUDA_TEXTURE_DESC
struct TextureDescription {
  int modes[4];
  unsigned flags;
  char unused[84];
};
using TextureObject = unsigned long long;
constexpr int kResourceLinear = 2;      // CU_RESOURCE_TYPE_LINEAR
constexpr int kFormatUnsigned32 = 3;    // CU_AD_FORMAT_UNSIGNED_INT32
constexpr unsigned kReadAsInteger = 1;  // CU_TRSF_READ_AS_INTEGER

/// As PTXMC_DRIVER_FUNCTIONS, of which it is a part.
#define PTXMC_MEMORY_FUNCTIONS(X)                                                                          \
  X(module_global, cuModuleGetGlobal_v2, Result(Pointer*, std::size_t*, ModuleHandle, const char*))        \
  X(granularity, cuMemGetAllocationGranularity, Result(std::size_t*, const AllocationProperties*, int))    \
  X(create, cuMemCreate,                                                                                   \
    Result(AllocationHandle*, std::size_t, const AllocationProperties*, unsigned long long))               \
  X(release_handle, cuMemRelease, Result(AllocationHandle))                                                \
  X(reserve, cuMemAddressReserve, Result(Pointer*, std::size_t, std::size_t, Pointer, unsigned long long)) \
  X(unreserve, cuMemAddressFree, Result(Pointer, std::size_t))                                             \
  X(map, cuMemMap, Result(Pointer, std::size_t, std::size_t, AllocationHandle, unsigned long long))        \
  X(unmap, cuMemUnmap, Result(Pointer, std::size_t))                                                       \
  X(set_access, cuMemSetAccess, Result(Pointer, std::size_t, const AccessDescription*, std::size_t))       \
  X(texture_create, cuTexObjectCreate,                                                                     \
    Result(TextureObject*, const ResourceDescription*, const TextureDescription*, const void*))            \
  X(texture_destroy, cuTexObjectDestroy, Result(TextureObject))                                            \
  X(encode_tiled, cuTensorMapEncodeTiled,                                                                  \
    Result(void*, int, unsigned, void*, const unsigned long long*, const unsigned long long*,              \
           const unsigned*, const unsigned*, int, int, int, int))

}  // namespace ptxmc::gpu::abi
