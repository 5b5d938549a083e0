// SPDX-License-Identifier: Apache-2.0
// The CUDA driver API, loaded at run time: neither building nor any other verb needs CUDA.
//
// Our own declarations of the entry points and types that we use, in the driver's ABI (a test compares them
// with cuda.h where one is installed). Every call is checked; an error names the call, the driver's error,
// and, for a module, the log of the driver's assembler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/driver/driver_memory.h"

namespace ptxmc::gpu {

/// What the driver refuses, or that there is none. The command line prints it and exits with status 2.
class DriverError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace abi {

using Device = int;
struct ContextTag;
struct FunctionTag;
struct StreamTag;
struct EventTag;
struct GraphTag;
struct GraphNodeTag;
struct GraphExecTag;
using Context = ContextTag*;
using Function = FunctionTag*;
using Stream = StreamTag*;
using Event = EventTag*;
using Graph = GraphTag*;
using GraphNode = GraphNodeTag*;
using GraphExec = GraphExecTag*;

/// CUlaunchAttribute: an identifier, and a union of 64 bytes.
struct LaunchAttribute {
  int id;
  char pad[8 - sizeof(int)];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int cooperative;
    int programmatic;  // programmaticStreamSerializationAllowed
  } value;
};
/// CUlaunchConfig
struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute* attributes;
  unsigned count;
};

/// CUDA_KERNEL_NODE_PARAMS_v2
struct KernelNode {
  Function function;
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  void** arguments;
  void** extra;
  void* kernel;
  Context context;
};
/// CUgraphEdgeData
struct GraphEdge {
  unsigned char from_port, to_port, type;
  unsigned char reserved[5];
};

constexpr int kAttributeCooperative = 2, kAttributeCluster = 4;  // CUlaunchAttributeID
constexpr int kJitErrorLog = 5, kJitErrorLogSize = 6;            // CUjit_option
constexpr int kMultiprocessors = 16, kClockRate = 13;            // CUdevice_attribute
constexpr int kMajor = 75, kMinor = 76;
constexpr int kL2Bytes = 38;
constexpr int kNoDevice = 100;                          // CUDA_ERROR_NO_DEVICE
constexpr int kNotReady = 600;                          // CUDA_ERROR_NOT_READY
constexpr int kHostNativeAtomics = 86;                  // CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED
constexpr unsigned kHostPortable = 1, kHostMapped = 2;  // CU_MEMHOSTALLOC_
constexpr int kPeerEnabled = 704;                       // CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
constexpr int kAttributeProgrammatic = 6;  // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
constexpr unsigned kStreamDefault = 0, kStreamNonBlocking = 1;  // CUstream_flags
constexpr unsigned kEventDisableTiming = 2;                     // CUevent_flags
constexpr std::uintptr_t kStreamLegacy = 1;                     // CU_STREAM_LEGACY
constexpr unsigned char kEdgeProgrammatic = 1;  // CU_GRAPH_DEPENDENCY_TYPE_, KERNEL_NODE_PORT_PROGRAMMATIC

/// X(member, name in the library, return and parameter types)
#define PTXMC_DRIVER_FUNCTIONS(X)                                                                         \
  X(init, cuInit, Result(unsigned))                                                                       \
  X(driver_version, cuDriverGetVersion, Result(int*))                                                     \
  X(device_count, cuDeviceGetCount, Result(int*))                                                         \
  X(device_get, cuDeviceGet, Result(Device*, int))                                                        \
  X(device_name, cuDeviceGetName, Result(char*, int, Device))                                             \
  X(device_attribute, cuDeviceGetAttribute, Result(int*, int, Device))                                    \
  X(context_retain, cuDevicePrimaryCtxRetain, Result(Context*, Device))                                   \
  X(context_release, cuDevicePrimaryCtxRelease_v2, Result(Device))                                        \
  X(context_set, cuCtxSetCurrent, Result(Context))                                                        \
  X(stream_query, cuStreamQuery, Result(Stream))                                                          \
  X(synchronize, cuCtxSynchronize, Result())                                                              \
  X(module_load, cuModuleLoadDataEx, Result(ModuleHandle*, const void*, unsigned, int*, void**))          \
  X(module_unload, cuModuleUnload, Result(ModuleHandle))                                                  \
  X(module_function, cuModuleGetFunction, Result(Function*, ModuleHandle, const char*))                   \
  X(allocate, cuMemAlloc_v2, Result(Pointer*, std::size_t))                                               \
  X(release, cuMemFree_v2, Result(Pointer))                                                               \
  X(copy_to_device, cuMemcpyHtoD_v2, Result(Pointer, const void*, std::size_t))                           \
  X(copy_to_host, cuMemcpyDtoH_v2, Result(void*, Pointer, std::size_t))                                   \
  X(fill, cuMemsetD8_v2, Result(Pointer, unsigned char, std::size_t))                                     \
  X(launch, cuLaunchKernelEx, Result(const LaunchConfig*, Function, void**, void**))                      \
  X(active_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor, Result(int*, Function, int, std::size_t)) \
  X(active_clusters, cuOccupancyMaxActiveClusters, Result(int*, Function, const LaunchConfig*))           \
  X(can_access_peer, cuDeviceCanAccessPeer, Result(int*, Device, Device))                                 \
  X(enable_peer, cuCtxEnablePeerAccess, Result(Context, unsigned))                                        \
  X(host_allocate, cuMemHostAlloc, Result(void**, std::size_t, unsigned))                                 \
  X(host_release, cuMemFreeHost, Result(void*))                                                           \
  X(host_address, cuMemHostGetDevicePointer_v2, Result(Pointer*, void*, unsigned))                        \
  X(error_name, cuGetErrorName, Result(Result, const char**))                                             \
  PTXMC_MEMORY_FUNCTIONS(X)                                                                               \
  X(error_text, cuGetErrorString, Result(Result, const char**))                                           \
  X(stream_create, cuStreamCreate, Result(Stream*, unsigned))                                             \
  X(stream_destroy, cuStreamDestroy_v2, Result(Stream))                                                   \
  X(stream_wait, cuStreamWaitEvent, Result(Stream, Event, unsigned))                                      \
  X(stream_synchronize, cuStreamSynchronize, Result(Stream))                                              \
  X(event_create, cuEventCreate, Result(Event*, unsigned))                                                \
  X(event_destroy, cuEventDestroy_v2, Result(Event))                                                      \
  X(event_record, cuEventRecord, Result(Event, Stream))                                                   \
  X(event_query, cuEventQuery, Result(Event))                                                             \
  X(event_synchronize, cuEventSynchronize, Result(Event))                                                 \
  X(graph_create, cuGraphCreate, Result(Graph*, unsigned))                                                \
  X(graph_destroy, cuGraphDestroy, Result(Graph))                                                         \
  X(graph_add_kernel, cuGraphAddKernelNode_v2,                                                            \
    Result(GraphNode*, Graph, const GraphNode*, std::size_t, const KernelNode*))                          \
  X(graph_instantiate, cuGraphInstantiateWithFlags, Result(GraphExec*, Graph, unsigned long long))        \
  X(graph_exec_destroy, cuGraphExecDestroy, Result(GraphExec))                                            \
  X(graph_launch, cuGraphLaunch, Result(GraphExec, Stream))                                               \
  X(launch_host, cuLaunchHostFunc, Result(Stream, void (*)(void*), void*))

/// The functions of drivers since 12.3; null in older ones, and only tests with such edges need them.
#define PTXMC_NEWER_DRIVER_FUNCTIONS(X)         \
  X(graph_add_edges, cuGraphAddDependencies_v2, \
    Result(Graph, const GraphNode*, const GraphNode*, const GraphEdge*, std::size_t))

/// A pointer to each of them.
struct Functions {
#define PTXMC_MEMBER(member, name, ...) std::add_pointer_t<__VA_ARGS__> member = nullptr;
  PTXMC_DRIVER_FUNCTIONS(PTXMC_MEMBER)
  PTXMC_NEWER_DRIVER_FUNCTIONS(PTXMC_MEMBER)
#undef PTXMC_MEMBER
};

}  // namespace abi

/// The loaded library. Throws DriverError when there is none, or it is too old.
class Driver {
 public:
  Driver();
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  const abi::Functions& functions() const { return functions_; }
  /// Throws DriverError "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (...)" unless `result` is 0.
  void check(abi::Result result, const char* call, const std::string& detail = "") const;
  /// A kernel does not end, and nothing but the end of the process stops it. Every call would wait for it, so
  /// what is held on the device is not given back any more.
  void abandon() const { abandoned_ = true; }
  bool abandoned() const { return abandoned_; }

 private:
  void* library_ = nullptr;
  abi::Functions functions_;
  mutable bool abandoned_ = false;
};

struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  int driver = 0;  ///< 12040 is 12.4
  int l2_bytes = 0;
  bool host_atomics = false;  ///< its atomics on host memory are atomic to the CPU
};

/// A block of device memory.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const Driver& driver, std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;

  abi::Pointer address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  void fill(unsigned char byte) const;
  void read(void* to, std::size_t bytes, std::size_t offset = 0) const;
  void write(const void* from, std::size_t bytes, std::size_t offset = 0) const;

 private:
  const Driver* driver_ = nullptr;
  abi::Pointer address_ = 0;
  std::size_t bytes_ = 0;
};

/// A block of host memory that every device can access, at the address that the CPU has it at.
class HostMemory {
 public:
  HostMemory() = default;
  /// Zero. Throws DriverError, also when a device would have it at another address.
  HostMemory(const Driver& driver, std::size_t bytes);
  ~HostMemory();
  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;

  unsigned char* data() const { return data_; }
  abi::Pointer address() const { return reinterpret_cast<abi::Pointer>(data_); }
  std::size_t bytes() const { return bytes_; }

 private:
  const Driver* driver_ = nullptr;
  unsigned char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

struct LaunchShape {
  unsigned ctas = 1;
  unsigned threads = 32;
  unsigned cluster = 1;
  bool cooperative = true;
  abi::Stream stream = nullptr;  ///< null: the default one
  bool programmatic = false;     ///< may start before the kernel in front of it is complete
};

/// Throws DriverError with the assembler's log.
abi::ModuleHandle load_module(const Driver& driver, const std::string& ptx);
/// Address and bytes of a variable of a module.
std::pair<abi::Pointer, std::size_t> module_variable(const Driver& driver, abi::ModuleHandle module,
                                                     const std::string& name);
/// How many CTAs of this shape a device holds at once: a multiple of the cluster.
unsigned resident_ctas(const Driver& driver, abi::Function function, const LaunchShape& shape,
                       int multiprocessors);
/// `arguments`: a pointer to each parameter. Returns at once.
void launch(const Driver& driver, abi::Function function, const LaunchShape& shape, void** arguments);

/// A module on a device, and one of its entries.
class Kernel {
 public:
  /// Throws DriverError with the assembler's log.
  Kernel(const Driver& driver, const std::string& ptx, const std::string& entry);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// How many CTAs of this shape a device holds at once: a multiple of the cluster.
  unsigned resident_ctas(const LaunchShape& shape, int multiprocessors) const;
  /// `arguments`: a pointer to each parameter. Returns at once.
  void launch(const LaunchShape& shape, std::vector<void*> arguments) const;
  abi::ModuleHandle module() const { return module_; }

 private:
  const Driver& driver_;
  abi::ModuleHandle module_ = nullptr;
  abi::Function function_ = nullptr;
};

/// How many devices the driver sees. Throws DriverError when there is no driver.
int device_count();

/// A device, made current for the calling thread.
class Device {
 public:
  /// Throws DriverError when there is no device of that number.
  explicit Device(int number = 0);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Driver& driver() const { return driver_; }
  const DeviceInfo& info() const { return info_; }
  int number() const { return device_; }
  /// Waits for all launches; throws what went wrong in them. False when they do not end within this time: the
  /// driver is abandoned then, and this process can do nothing more on the device.
  bool finished_within(double seconds) const;
  /// The calling thread's calls of the driver act on this device from now on.
  void make_current() const;
  /// Its kernels may access the other's memory. Throws DriverError when the two cannot.
  void reach(const Device& other) const;
  /// Have all launches ended? Throws what went wrong in them. Makes the device current.
  bool idle() const;

 private:
  Driver driver_;
  abi::Device device_ = 0;
  DeviceInfo info_;
  abi::Context context_ = nullptr;
};

}  // namespace ptxmc::gpu
