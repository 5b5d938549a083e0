// SPDX-License-Identifier: Apache-2.0
// Our declarations of the driver's entry points against the toolkit's, where it is installed.
#include <doctest/doctest.h>

#include "gpu/driver/driver.h"

#if __has_include(<cuda.h>)
#include <cuda.h>

#include <cstddef>

using namespace ptxmc::gpu;

namespace {

/// What a type looks like in a call: its size, and whether it is a pointer.
template <typename A, typename B>
constexpr bool alike() {
  if constexpr (std::is_void_v<A> || std::is_void_v<B>) {
    return std::is_void_v<A> == std::is_void_v<B>;
  } else {
    return sizeof(A) == sizeof(B) &&  // NOLINT(bugprone-sizeof-expression): pointers have their size, too
           std::is_pointer_v<A> == std::is_pointer_v<B>;
  }
}

template <typename Ours, typename Theirs>
struct Same : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
requires(sizeof...(A) == sizeof...(B)) struct Same<R (*)(A...), S (*)(B...)>
    : std::bool_constant<alike<R, S>() && (alike<A, B>() && ...)> {
};

#define PTXMC_COMPARE(member, name, ...)                                   \
  static_assert(Same<decltype(abi::Functions::member), decltype(&name)>(), \
                #name " is declared otherwise in cuda.h");
PTXMC_DRIVER_FUNCTIONS(PTXMC_COMPARE)
#if CUDA_VERSION >= 12030
PTXMC_NEWER_DRIVER_FUNCTIONS(PTXMC_COMPARE)
#endif

}  // namespace

TEST_CASE("structures of the driver") {
  CHECK_EQ(sizeof(abi::LaunchAttribute), sizeof(CUlaunchAttribute));
  CHECK_EQ(offsetof(abi::LaunchAttribute, value), offsetof(CUlaunchAttribute, value));
  CHECK_EQ(sizeof(abi::LaunchConfig), sizeof(CUlaunchConfig));
  CHECK_EQ(offsetof(abi::LaunchConfig, shared_bytes), offsetof(CUlaunchConfig, sharedMemBytes));
  CHECK_EQ(offsetof(abi::LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
  CHECK_EQ(offsetof(abi::LaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
  CHECK_EQ(offsetof(abi::LaunchConfig, count), offsetof(CUlaunchConfig, numAttrs));
  CHECK_EQ(sizeof(abi::Pointer), sizeof(CUdeviceptr));
  CHECK_EQ(sizeof(abi::AllocationHandle), sizeof(CUmemGenericAllocationHandle));
  CHECK_EQ(sizeof(abi::AllocationProperties), sizeof(CUmemAllocationProp));
  CHECK_EQ(offsetof(abi::AllocationProperties, location), offsetof(CUmemAllocationProp, location));
  CHECK_EQ(offsetof(abi::AllocationProperties, flags), offsetof(CUmemAllocationProp, allocFlags));
  CHECK_EQ(sizeof(abi::AccessDescription), sizeof(CUmemAccessDesc));
  CHECK_EQ(offsetof(abi::AccessDescription, flags), offsetof(CUmemAccessDesc, flags));
  CHECK_EQ(abi::kTensorMapBytes, sizeof(CUtensorMap));
  CHECK_EQ(sizeof(abi::ResourceDescription), sizeof(CUDA_RESOURCE_DESC));
  CHECK_EQ(offsetof(abi::ResourceDescription, linear.bytes),
           offsetof(CUDA_RESOURCE_DESC, res.linear.sizeInBytes));
  CHECK_EQ(offsetof(abi::ResourceDescription, flags), offsetof(CUDA_RESOURCE_DESC, flags));
  CHECK_EQ(sizeof(abi::TextureDescription), sizeof(CUDA_TEXTURE_DESC));
  CHECK_EQ(offsetof(abi::TextureDescription, flags), offsetof(CUDA_TEXTURE_DESC, flags));
  CHECK_EQ(sizeof(abi::TextureObject), sizeof(CUtexObject));
  CHECK_EQ(sizeof(abi::KernelNode), sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
  CHECK_EQ(offsetof(abi::KernelNode, arguments), offsetof(CUDA_KERNEL_NODE_PARAMS_v2, kernelParams));
  CHECK_EQ(offsetof(abi::KernelNode, context), offsetof(CUDA_KERNEL_NODE_PARAMS_v2, ctx));
#if CUDA_VERSION >= 12030
  CHECK_EQ(sizeof(abi::GraphEdge), sizeof(CUgraphEdgeData));
  CHECK_EQ(offsetof(abi::GraphEdge, type), offsetof(CUgraphEdgeData, type));
#endif
}

TEST_CASE("constants of the driver") {
  CHECK_EQ(abi::kAttributeCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  CHECK_EQ(abi::kAttributeCluster, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  CHECK_EQ(abi::kJitErrorLog, CU_JIT_ERROR_LOG_BUFFER);
  CHECK_EQ(abi::kJitErrorLogSize, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  CHECK_EQ(abi::kMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  CHECK_EQ(abi::kMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  CHECK_EQ(abi::kMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  CHECK_EQ(abi::kL2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  CHECK_EQ(abi::kHostNativeAtomics, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED);
  CHECK_EQ(abi::kHostPortable, CU_MEMHOSTALLOC_PORTABLE);
  CHECK_EQ(abi::kHostMapped, CU_MEMHOSTALLOC_DEVICEMAP);
  CHECK_EQ(abi::kPeerEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  CHECK_EQ(abi::kNoDevice, CUDA_ERROR_NO_DEVICE);
  CHECK_EQ(abi::kNotReady, CUDA_ERROR_NOT_READY);
  CHECK_EQ(abi::kResourceLinear, CU_RESOURCE_TYPE_LINEAR);
  CHECK_EQ(abi::kFormatUnsigned32, CU_AD_FORMAT_UNSIGNED_INT32);
  CHECK_EQ(abi::kReadAsInteger, CU_TRSF_READ_AS_INTEGER);
  CHECK_EQ(abi::kAllocationPinned, CU_MEM_ALLOCATION_TYPE_PINNED);
  CHECK_EQ(abi::kLocationDevice, CU_MEM_LOCATION_TYPE_DEVICE);
  CHECK_EQ(abi::kAccessReadWrite, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CHECK_EQ(abi::kGranularityMinimum, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  CHECK_EQ(abi::kAttributeProgrammatic, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  CHECK_EQ(abi::kStreamDefault, CU_STREAM_DEFAULT);
  CHECK_EQ(abi::kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
  CHECK_EQ(abi::kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
  CHECK_EQ(abi::kStreamLegacy, reinterpret_cast<std::uintptr_t>(CU_STREAM_LEGACY));
#if CUDA_VERSION >= 12030
  CHECK_EQ(abi::kEdgeProgrammatic, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  CHECK_EQ(abi::kEdgeProgrammatic, CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
#endif
}

#else

TEST_CASE("structures of the driver") {
  MESSAGE("SKIPPED: there is no cuda.h on this machine");
}

#endif
