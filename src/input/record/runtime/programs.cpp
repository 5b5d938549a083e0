// SPDX-License-Identifier: Apache-2.0
// What nvcc's host code calls: registration of modules, kernels and variables, and launches.
#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "input/record/runtime/driver_call.h"

namespace ptxmc::record::runtime {

namespace {

struct Symbol {
  void** module = nullptr;  // its slot
  std::string name;
};

/// A module is loaded when something of it is asked for.
struct Registry {
  std::recursive_mutex mutex;
  std::map<void**, const void*> images;
  std::map<const void*, Symbol> kernels, variables;
};
Registry& registry() {
  static Registry* const only = new Registry;  // host code registers before main and asks until behind it
  return *only;
}

Handle module_of(void** slot) {
  if (*slot == nullptr) call("cuModuleLoadData", slot, registry().images[slot]);
  return *slot;
}

struct Configuration {
  Extents grid, block;
  std::size_t shared;
  Handle stream;
};
thread_local std::vector<Configuration> pushed;

constexpr Result kInvalidConfiguration = 9;  // cudaErrorInvalidConfiguration

/// The driver takes 32 bits: what is more than those is more than any device has.
unsigned bytes_of(std::size_t shared) {
  return static_cast<unsigned>(std::min<std::size_t>(shared, std::numeric_limits<unsigned>::max()));
}

/// The runtime looks at these itself.
bool is_possible(Extents grid, Extents block) {
  constexpr std::uint32_t kSide = 65535, kBlock = 1024, kDepth = 64;
  const auto within = [](std::uint32_t side, std::uint32_t most) { return side != 0 && side <= most; };
  return within(grid.x, 0x7fffffff) && within(grid.y, kSide) && within(grid.z, kSide) &&
         within(block.x, kBlock) && within(block.y, kBlock) && within(block.z, kDepth) &&
         std::uint64_t{block.x} * block.y * block.z <= kBlock;
}

Result launch(Handle kernel, Extents grid, Extents block, void** arguments, std::size_t shared,
              Handle stream) {
  if (kernel == nullptr) return remember(98);  // cudaErrorInvalidDeviceFunction
  if (!is_possible(grid, block)) return remember(kInvalidConfiguration);
  return call("cuLaunchKernel", kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, bytes_of(shared),
              stream, arguments, static_cast<void**>(nullptr));
}

/// cudaLaunchConfig_t
struct RuntimeConfig {
  Extents grid, block;
  std::size_t shared;
  Handle stream;
  const driver::Attribute* attributes;
  unsigned count;
};
driver::LaunchConfig config_of(const RuntimeConfig& config) {
  return {{config.grid.x, config.grid.y, config.grid.z},
          {config.block.x, config.block.y, config.block.z},
          bytes_of(config.shared),
          config.stream,
          config.attributes,
          config.count};
}

}  // namespace

Handle kernel_of(const void* host) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().kernels.find(host);
  // A kernel that was asked for by __cudaGetKernel stands for itself.
  if (found == registry().kernels.end()) return const_cast<void*>(host);
  Handle out = nullptr;
  call("cuModuleGetFunction", &out, module_of(found->second.module), found->second.name.c_str());
  return out;
}

Address variable_of(const void* host, std::size_t* bytes) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().variables.find(host);
  Address out = 0;
  if (found != registry().variables.end())
    call("cuModuleGetGlobal_v2", &out, bytes, module_of(found->second.module), found->second.name.c_str());
  return out;
}

extern "C" {

void** __cudaRegisterFatBinary(const void* image) {
  const std::lock_guard lock(registry().mutex);
  void** slot = new void*(nullptr);
  registry().images[slot] = image;
  return slot;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
  return 1;
}
void __cudaRegisterFunction(void** module, const void* host, char*, const char* name, int, void*, void*,
                            void*, void*, int*) {
  const std::lock_guard lock(registry().mutex);
  registry().kernels[host] = {module, name};
}
void __cudaRegisterVar(void** module, void* host, char*, const char* name, int, std::size_t, int, int) {
  const std::lock_guard lock(registry().mutex);
  registry().variables[host] = {module, name};
}
/// The host's variable is a pointer to the memory that both use.
void __cudaRegisterManagedVar(void** module, void** host, char*, const char* name, int, std::size_t, int,
                              int) {
  const std::lock_guard lock(registry().mutex);
  registry().variables[host] = {module, name};
  *host = reinterpret_cast<void*>(variable_of(host, nullptr));
}

unsigned __cudaPushCallConfiguration(Extents grid, Extents block, std::size_t shared, Handle stream) {
  pushed.push_back({grid, block, shared, stream});
  return 0;
}
Result __cudaPopCallConfiguration(Extents* grid, Extents* block, std::size_t* shared, Handle* stream) {
  if (pushed.empty()) return remember(52);  // cudaErrorMissingConfiguration
  *grid = pushed.back().grid;
  *block = pushed.back().block;
  *shared = pushed.back().shared;
  *stream = pushed.back().stream;
  pushed.pop_back();
  return driver::kOk;
}
Result __cudaGetKernel(Handle* out, const void* host) {
  *out = kernel_of(host);
  return driver::kOk;
}
Result __cudaLaunchKernel(Handle kernel, Extents grid, Extents block, void** arguments, std::size_t shared,
                          Handle stream) {
  return launch(kernel, grid, block, arguments, shared, stream);
}
Result __cudaLaunchKernel_ptsz(Handle kernel, Extents grid, Extents block, void** arguments,
                               std::size_t shared, Handle stream) {
  return launch(kernel, grid, block, arguments, shared, stream);
}
Result cudaLaunchKernel(const void* host, Extents grid, Extents block, void** arguments, std::size_t shared,
                        Handle stream) {
  return launch(kernel_of(host), grid, block, arguments, shared, stream);
}
Result cudaLaunchCooperativeKernel(const void* host, Extents grid, Extents block, void** arguments,
                                   std::size_t shared, Handle stream) {
  if (!is_possible(grid, block)) return remember(kInvalidConfiguration);
  return call("cuLaunchCooperativeKernel", kernel_of(host), grid.x, grid.y, grid.z, block.x, block.y, block.z,
              bytes_of(shared), stream, arguments);
}
Result cudaLaunchKernelExC(const RuntimeConfig* config, const void* host, void** arguments) {
  if (!is_possible(config->grid, config->block)) return remember(kInvalidConfiguration);
  const driver::LaunchConfig own = config_of(*config);
  return call("cuLaunchKernelEx", &own, kernel_of(host), arguments, static_cast<void**>(nullptr));
}
Result cudaOccupancyMaxActiveClusters(int* out, const void* host, const RuntimeConfig* config) {
  const driver::LaunchConfig own = config_of(*config);
  return call("cuOccupancyMaxActiveClusters", out, kernel_of(host), &own);
}
Result cudaOccupancyMaxPotentialClusterSize(int* out, const void* host, const RuntimeConfig* config) {
  const driver::LaunchConfig own = config_of(*config);
  return call("cuOccupancyMaxPotentialClusterSize", out, kernel_of(host), &own);
}
}

}  // namespace ptxmc::record::runtime
