// SPDX-License-Identifier: Apache-2.0
#include "fake_driver.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "gpu/harness/harness.h"
#include "gpu/harness/kernels_harness.h"
#include "module.h"
#include "trace.h"

namespace abi = ptxmc::gpu::abi;
namespace fake = ptxmc::fake;
using abi::Result;
using fake::Trouble;

struct ptxmc::gpu::abi::FunctionTag {
  std::string name;
  fake::Program program;
  Trouble trouble = Trouble::none;
};
struct ptxmc::gpu::abi::ModuleTag {
  std::map<std::string, abi::FunctionTag> functions;  // by their names
};

namespace {

constexpr int kCtasPerMultiprocessor = 2;
using Clock = std::chrono::steady_clock;

/// The pretended machine: the driver's state is a process's.
struct Machine {
  std::map<abi::Pointer, std::size_t> blocks;  // of device memory
  Clock::time_point busy_until{};
  bool endless = false;
  Result spoiled = 0;  // what every call returns after a fault
};

Machine& machine() {
  static Machine one;
  return one;
}

int devices() {
  return fake::setting("PTXMC_FAKE_GPUS", 1);
}

int multiprocessors() {
  return fake::setting("PTXMC_FAKE_SMS", 4);
}

bool within_a_block(abi::Pointer address, std::size_t bytes) {
  auto next = machine().blocks.upper_bound(address);
  if (next == machine().blocks.begin()) return false;
  const auto& [begin, size] = *std::prev(next);
  return address - begin <= size && bytes <= size - (address - begin);
}

/// splitmix64
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// State number `index`: its bits are the first values.
std::uint64_t key_of(const fake::Program& program, unsigned index) {
  std::uint64_t key = 0;
  for (unsigned i = 0; i < program.values && i < 2; ++i)
    key |= std::uint64_t{(index >> i) & 1} << (i * program.bits);
  return key;
}

/// What the kernel would have counted.
void play(const fake::Program& program, std::uint64_t outcomes, std::uint32_t seed,
          ptxmc::gpu::TableSlot* table) {
  const unsigned states = 1u << std::min(program.values, 2u);
  std::uint64_t left = outcomes;
  for (unsigned i = 1; i < states; ++i) {
    const std::uint64_t share = outcomes / 8 + mixed(seed * std::uint64_t{4} + i) % (outcomes / 16 + 1);
    table[i] = {key_of(program, i), table[i].count + share};
    left -= share;
  }
  table[0] = {key_of(program, 0), table[0].count + left};
}

/// The value of a parameter, as the launch passes it.
template <typename T>
bool argument(const fake::Program& program, void** arguments, const std::string& name, T& value) {
  const auto found = std::find(program.parameters.begin(), program.parameters.end(), name);
  if (found == program.parameters.end()) return false;
  std::memcpy(&value, arguments[found - program.parameters.begin()], sizeof value);
  return true;
}

bool attribute_of(const abi::LaunchConfig& config, int id, abi::LaunchAttribute& out) {
  for (unsigned i = 0; i < config.count; ++i) {
    if (config.attributes[i].id != id) continue;
    out = config.attributes[i];
    return true;
  }
  return false;
}

/// A kernel of several, which does nothing, or the evaluation of a round: the number behind the last one's.
Result launch_in_stream(const abi::LaunchConfig& config, const abi::FunctionTag& function, void** arguments) {
  abi::LaunchAttribute attribute{};
  fake::note("cuLaunchKernelEx " + function.name + " " + fake::stream_name(config.stream) +
             (attribute_of(config, abi::kAttributeProgrammatic, attribute) ? " programmatic" : ""));
  if (function.name != "ptxmc_evaluation") return 0;
  const fake::Program& program = function.program;
  abi::Pointer table = 0, state = 0;
  std::uint32_t blocks = 0;
  if (!argument(program, arguments, "table", table) || !argument(program, arguments, "blocks", blocks) ||
      !argument(program, arguments, "state", state) || !within_a_block(state, sizeof(ptxmc::gpu::RoundState)))
    return fake::kInvalidValue;
  auto& round = *reinterpret_cast<ptxmc::gpu::RoundState*>(state);
  if (++round.round == 0) return 0;  // it has only reset the memory
  play(program, std::uint64_t{blocks} * program.instances, round.seed + round.round,
       reinterpret_cast<ptxmc::gpu::TableSlot*>(table));
  machine().endless = function.trouble == Trouble::endless;
  return 0;
}

struct Name {
  Result result;
  const char *name, *text;
};
constexpr Name kNames[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {fake::kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {abi::kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {fake::kInvalidPtx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {fake::kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {abi::kNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {fake::kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {fake::kTooLarge, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"},
    {fake::kNotSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

Result look_up(Result result, const char* Name::*what, const char** out) {
  for (const Name& name : kNames) {
    if (name.result != result) continue;
    *out = name.*what;
    return 0;
  }
  return fake::kInvalidValue;
}

}  // namespace

std::string fake::entry_name(abi::Function function) {
  return function->name;
}

extern "C" {

Result cuInit(unsigned) {
  return devices() == 0 ? abi::kNoDevice : 0;
}

Result cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}

Result cuDeviceGetCount(int* count) {
  *count = devices();
  return 0;
}

Result cuDeviceGet(abi::Device* device, int number) {
  *device = number;
  return 0;
}

Result cuDeviceGetName(char* name, int length, abi::Device) {
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(length));
  return 0;
}

Result cuDeviceGetAttribute(int* value, int attribute, abi::Device) {
  switch (attribute) {
    case abi::kMajor:
      *value = 9;
      return 0;
    case abi::kMultiprocessors:
      *value = multiprocessors();
      return 0;
    case abi::kL2Bytes:
      *value = 1 << 20;
      return 0;
    default:
      *value = 0;
      return 0;
  }
}

Result cuDevicePrimaryCtxRetain(abi::Context* context, abi::Device) {
  *context = nullptr;
  return 0;
}

Result cuDevicePrimaryCtxRelease_v2(abi::Device) {
  return machine().spoiled;
}

Result cuCtxSetCurrent(abi::Context) {
  return machine().spoiled;
}

Result cuStreamQuery(abi::Stream) {
  if (machine().endless || Clock::now() < machine().busy_until) return abi::kNotReady;
  return machine().spoiled;
}

Result cuCtxSynchronize() {
  while (cuStreamQuery(nullptr) == abi::kNotReady) ::usleep(100);
  return machine().spoiled;
}

Result cuModuleLoadDataEx(abi::ModuleHandle* module, const void* image, unsigned count, int* options,
                          void** values) {
  if (machine().spoiled != 0) return machine().spoiled;
  const auto program = fake::read_program(static_cast<const char*>(image));
  if (!program) return fake::kInvalidPtx;
  const Trouble trouble = fake::trouble_of(program->test);
  while (trouble == Trouble::blocked) ::pause();
  if (trouble == Trouble::jit) {
    char* log = nullptr;
    std::size_t size = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == abi::kJitErrorLog) log = static_cast<char*>(values[i]);
      if (options[i] == abi::kJitErrorLogSize) size = reinterpret_cast<std::size_t>(values[i]);
    }
    if (log != nullptr && size > 0) std::strncpy(log, "ptxas application ptx input, line 7; fatal", size - 1);
    return fake::kInvalidPtx;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(fake::setting("PTXMC_FAKE_JIT_MS", 0)));
  *module = new abi::ModuleTag;
  for (const std::string& entry : program->entries)
    (*module)->functions[entry] = abi::FunctionTag{entry, *program, trouble};
  return 0;
}

Result cuModuleUnload(abi::ModuleHandle module) {
  delete module;
  return machine().spoiled;
}

Result cuModuleGetFunction(abi::Function* function, abi::ModuleHandle module, const char* name) {
  const auto found = module->functions.find(name);
  if (found == module->functions.end()) return fake::kNotFound;
  *function = &found->second;
  return 0;
}

Result cuMemAlloc_v2(abi::Pointer* address, std::size_t bytes) {
  if (machine().spoiled != 0) return machine().spoiled;
  if (bytes == 0) return fake::kInvalidValue;
  *address = reinterpret_cast<abi::Pointer>(new unsigned char[bytes]);
  machine().blocks[*address] = bytes;
  return 0;
}

Result cuMemFree_v2(abi::Pointer address) {
  if (machine().blocks.erase(address) == 0) return fake::kInvalidValue;
  delete[] reinterpret_cast<unsigned char*>(address);
  return machine().spoiled;
}

Result cuMemcpyHtoD_v2(abi::Pointer to, const void* from, std::size_t bytes) {
  if (machine().spoiled != 0) return machine().spoiled;
  if (!within_a_block(to, bytes)) return fake::kInvalidValue;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}

Result cuMemcpyDtoH_v2(void* to, abi::Pointer from, std::size_t bytes) {
  if (machine().spoiled != 0) return machine().spoiled;
  if (!within_a_block(from, bytes)) return fake::kInvalidValue;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}

Result cuMemsetD8_v2(abi::Pointer to, unsigned char byte, std::size_t bytes) {
  if (machine().spoiled != 0) return machine().spoiled;
  if (!within_a_block(to, bytes)) return fake::kInvalidValue;
  std::memset(reinterpret_cast<void*>(to), byte, bytes);
  return 0;
}

Result cuLaunchKernelEx(const abi::LaunchConfig* config, abi::Function function, void** arguments, void**) {
  if (machine().spoiled != 0) return machine().spoiled;
  abi::LaunchAttribute cooperative{};
  const unsigned held = static_cast<unsigned>(multiprocessors() * kCtasPerMultiprocessor);
  if (attribute_of(*config, abi::kAttributeCooperative, cooperative) && config->grid_x > held)
    return fake::kTooLarge;
  const fake::Program& program = function->program;
  if (program.entries.size() > 1) return launch_in_stream(*config, *function, arguments);
  abi::Pointer table = 0;
  std::uint32_t blocks = 0, rounds = 0, seed = 0;
  if (!argument(program, arguments, "table", table) || !argument(program, arguments, "blocks", blocks) ||
      !argument(program, arguments, "rounds", rounds) || !argument(program, arguments, "seed", seed) ||
      !within_a_block(table, ptxmc::gpu::kTableSlots * sizeof(ptxmc::gpu::TableSlot)))
    return fake::kInvalidValue;
  if (function->trouble == Trouble::killed) ::raise(SIGKILL);
  const std::uint64_t outcomes = std::uint64_t{blocks} * program.instances * rounds;
  play(program, outcomes - (function->trouble == Trouble::lossy ? 1 : 0), seed,
       reinterpret_cast<ptxmc::gpu::TableSlot*>(table));
  machine().endless = function->trouble == Trouble::endless;
  if (function->trouble == Trouble::fault) machine().spoiled = fake::kIllegalAddress;
  machine().busy_until = Clock::now() + std::chrono::milliseconds(fake::setting("PTXMC_FAKE_LAUNCH_MS", 0));
  return 0;
}

Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* count, abi::Function, int, std::size_t) {
  *count = kCtasPerMultiprocessor;
  return 0;
}

Result cuOccupancyMaxActiveClusters(int* count, abi::Function, const abi::LaunchConfig* config) {
  abi::LaunchAttribute cluster{};
  const bool has = attribute_of(*config, abi::kAttributeCluster, cluster);
  const int ctas = has ? static_cast<int>(cluster.value.cluster.x) : 1;
  *count = multiprocessors() * kCtasPerMultiprocessor / ctas;
  return 0;
}

Result cuGetErrorName(Result result, const char** name) {
  return look_up(result, &Name::name, name);
}

Result cuGetErrorString(Result result, const char** text) {
  return look_up(result, &Name::text, text);
}

}  // extern "C"
