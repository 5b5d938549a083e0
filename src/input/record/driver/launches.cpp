// SPDX-License-Identifier: Apache-2.0
// Launches, tensor maps, and what programs ask of kernels before they launch them.
#include "input/record/driver/launches.h"

#include <algorithm>
#include <cstring>

#include "input/record/driver/state.h"
#include "input/record/driver/table.h"

namespace ptxmc::record::driver {

namespace {

constexpr std::size_t kMapBytes = 128;
constexpr int kSharedOfMultiprocessor = 228 << 10, kSharedOfBlock = 227 << 10, kSharedByDefault = 48 << 10,
              kThreads = 2048, kBlocks = 32;

/// Another driver tells the name of a kernel that it handed out in a way that is not observed.
Kernel* kernel_of(Handle handle) {
  if (Kernel* known = state().kernel(handle)) return known;
  if (!state().forwards()) return static_cast<Kernel*>(handle);
  const auto call = [&](const char* of_what, auto* out) {
    using Call = Result (*)(decltype(out), Handle);
    const auto function = reinterpret_cast<Call>(of_real_driver(of_what));
    return function != nullptr && function(out, handle) == kOk;
  };
  const char* name = nullptr;
  Handle module = nullptr;
  if ((!call("cuFuncGetName", &name) || !call("cuFuncGetModule", &module)) &&
      (!call("cuKernelGetName", &name) || !call("cuKernelGetLibrary", &module)))
    return nullptr;
  Module* of = state().module(module);
  if (of == nullptr) return nullptr;
  Kernel* kernel = state().kernel(*of, name);
  state().name_kernel(handle, kernel);
  return kernel;
}

/// The bytes of all parameters; nothing: they are not given.
std::optional<std::string> parameters_of(const Kernel& kernel, void** arguments, void** extra) {
  std::string out;
  for (const auto& [offset, bytes] : kernel.parameters)
    out.resize(std::max<std::size_t>(out.size(), offset + bytes));
  if (arguments != nullptr) {
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
      std::memcpy(out.data() + kernel.parameters[i].first, arguments[i], kernel.parameters[i].second);
    return out;
  }
  constexpr std::uintptr_t kPointer = 1, kSize = 2;  // CU_LAUNCH_PARAM_
  const void* from = nullptr;
  std::size_t size = 0;
  for (void** at = extra; at != nullptr && *at != nullptr; at += 2) {
    const auto what = reinterpret_cast<std::uintptr_t>(*at);
    if (what == kPointer) from = at[1];
    if (what == kSize) size = *static_cast<std::size_t*>(at[1]);
  }
  if (from == nullptr && !out.empty()) return std::nullopt;
  if (from != nullptr) std::memcpy(out.data(), from, std::min(size, out.size()));
  return out;
}

void not_recorded(const std::string& why) {
  if (!why.empty()) trouble(why);
  tell_unknown_work();
}

}  // namespace

void trouble(const std::string& sentence) {
  Writer out;
  out.text(sentence);
  state().channel.tell(Kind::trouble, out);
}

void tell_unknown_work() {
  state().channel.tell(Kind::forget_all, {});
}

void tell_launch(Handle handle, LaunchCall call, std::optional<Stream> stream, void** arguments,
                 void** extra) {
  Kernel* kernel = kernel_of(handle);
  if (kernel == nullptr)
    return not_recorded("a kernel of a module that was loaded before anybody observed it was launched");
  call.module = kernel->module->number;
  call.kernel = kernel->name;
  if (!state().describe(*kernel)) return not_recorded({});  // ptxmc knows why
  auto parameters = parameters_of(*kernel, arguments, extra);
  if (!parameters) return not_recorded("a launch of `" + kernel->name + "` has no parameters");
  call.parameters = std::move(*parameters);
  const std::lock_guard lock(state().launching);
  call.in_graph = !stream || is_captured(*stream) ? 1 : 0;
  if (stream) look(call, *stream);
  Writer out;
  call.write(out);
  state().channel.tell(Kind::launch, out);
}

LaunchCall call_of(const std::uint32_t* grid, const std::uint32_t* block, std::uint32_t shared,
                   Handle stream) {
  LaunchCall out;
  out.grid.assign(grid, grid + 3);
  out.block.assign(block, block + 3);
  out.shared = shared;
  out.stream = reinterpret_cast<std::uint64_t>(stream);
  return out;
}

Result refused(Handle function, const LaunchCall& call) {
  constexpr std::uint64_t kGridSide = 65535, kBlockSide = 1024, kBlockDepth = 64, kBlock = 1024,
                          kCluster = 16;
  if (state().forwards()) return kOk;  // it says so itself
  if (function == nullptr) return kInvalidHandle;
  const auto &grid = call.grid, &block = call.block, &cluster = call.cluster;
  const auto wrong = [](std::uint64_t side, std::uint64_t most) { return side == 0 || side > most; };
  if (wrong(grid[0], 0x7fffffff) || wrong(grid[1], kGridSide) || wrong(grid[2], kGridSide) ||
      wrong(block[0], kBlockSide) || wrong(block[1], kBlockSide) || wrong(block[2], kBlockDepth) ||
      block[0] * block[1] * block[2] > kBlock)
    return kInvalidValue;
  for (std::size_t side = 0; side < cluster.size(); ++side) {
    if (wrong(cluster[side], kCluster) || grid[side] % cluster[side] != 0) return kInvalidClusterSize;
  }
  if (!cluster.empty() && cluster[0] * cluster[1] * cluster[2] > kCluster) return kInvalidClusterSize;
  Kernel& kernel = *static_cast<Kernel*>(function);
  state().describe(kernel);
  const std::uint64_t all = call.shared + kernel.shared;
  const bool allowed = kernel.allowed ? call.shared <= static_cast<std::uint64_t>(kernel.dynamic)
                                      : all <= static_cast<std::uint64_t>(kSharedByDefault);
  return allowed && all <= static_cast<std::uint64_t>(kSharedOfBlock) ? kOk : kInvalidValue;
}

namespace {

namespace observe {

template <int Streams>
Result launch(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
              unsigned shared, Handle stream, void** arguments, void** extra) {
  const std::uint32_t grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  LaunchCall call = call_of(grid, block, shared, stream);
  if (const Result result = refused(function, call); result != kOk) return result;
  tell_launch(function, std::move(call), Stream{stream, Streams == 1}, arguments, extra);
  return next<&launch<Streams>>(function, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra);
}
template <int Streams>
Result launch_cooperative(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned shared, Handle stream, void** arguments) {
  const std::uint32_t grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  LaunchCall call = call_of(grid, block, shared, stream);
  call.cooperative = 1;
  if (const Result result = refused(function, call); result != kOk) return result;
  tell_launch(function, std::move(call), Stream{stream, Streams == 1}, arguments, nullptr);
  return next<&launch_cooperative<Streams>>(function, gx, gy, gz, bx, by, bz, shared, stream, arguments);
}
template <int Streams>
Result launch_with(const LaunchConfig* config, Handle function, void** arguments, void** extra) {
  LaunchCall call = call_of(config->grid, config->block, config->shared, config->stream);
  for (std::uint32_t i = 0; i < config->count; ++i) {
    const Attribute& attribute = config->attributes[i];
    const auto& numbers = attribute.value.numbers;
    if (attribute.id == kCluster && numbers[0] != 0) call.cluster.assign(numbers, numbers + 3);
    if (attribute.id == kCooperative) call.cooperative = numbers[0];
    if (attribute.id == kProgrammatic) call.programmatic = numbers[0];
    if (attribute.id == kProgrammaticEvent)
      trouble("a launch has a programmatic event, which is not recorded: it is taken as a launch without");
  }
  if (const Result result = refused(function, call); result != kOk) return result;
  tell_launch(function, std::move(call), Stream{config->stream, Streams == 1}, arguments, extra);
  return next<&launch_with<Streams>>(config, function, arguments, extra);
}

void tell_map(const void* map, const MapCall& call) {
  Writer out;
  out.text({static_cast<const char*>(map), kMapBytes});
  call.write(out);
  state().channel.tell(Kind::tensor_map, out);
}
Result encode(void* map, int type, std::uint32_t rank, void* address, const std::uint64_t* dims,
              const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* steps,
              int interleave, int swizzle, int l2, int fill) {
  const Result result =
      next<&encode>(map, type, rank, address, dims, strides, box, steps, interleave, swizzle, l2, fill);
  if (result != kOk || rank == 0) return result;
  MapCall call;
  call.type = static_cast<std::uint64_t>(type);
  call.address = reinterpret_cast<Address>(address);
  call.dims.assign(dims, dims + rank);
  call.strides.assign(strides, strides + rank - 1);
  call.box.assign(box, box + rank);
  call.steps.assign(steps, steps + rank);
  call.interleave = static_cast<std::uint64_t>(interleave);
  call.swizzle = static_cast<std::uint64_t>(swizzle);
  call.fill = static_cast<std::uint64_t>(fill);
  tell_map(map, call);
  return result;
}

/// Launches with such a map have 128 bytes that mean nothing to anybody.
Result encode_im2col(void* map, int type, std::uint32_t rank, void* address, const std::uint64_t* dims,
                     const std::uint64_t* strides, const int* lower, const int* upper, std::uint32_t channels,
                     std::uint32_t pixels, const std::uint32_t* steps, int interleave, int swizzle, int l2,
                     int fill) {
  trouble("cuTensorMapEncodeIm2col was called: launches with its tensor map are recorded without the map");
  return next<&encode_im2col>(map, type, rank, address, dims, strides, lower, upper, channels, pixels, steps,
                              interleave, swizzle, l2, fill);
}

}  // namespace observe

namespace pretend {

/// Its bytes are no tensor map of any GPU, but those of no other map here.
Result encode(void* map, int, std::uint32_t rank, void* address, const std::uint64_t*, const std::uint64_t*,
              const std::uint32_t*, const std::uint32_t*, int, int, int, int) {
  constexpr std::uint32_t kMostRank = 5;
  constexpr char kMark[] = "tensor map that ptxmc pretends";
  static std::uint64_t made = 0;
  if (rank == 0 || rank > kMostRank) return kInvalidValue;
  const std::lock_guard lock(state().mutex);
  auto* bytes = static_cast<char*>(map);
  std::memset(bytes, 0, kMapBytes);
  std::memcpy(bytes, kMark, sizeof kMark);
  const std::uint64_t words[] = {++made, reinterpret_cast<Address>(address)};
  std::memcpy(bytes + sizeof kMark + 1, words, sizeof words);
  return kOk;
}

// ---- What is asked of kernels ---------------------------------------------------------------------------------

Result attribute(int* out, int which, Handle function) {
  constexpr int kMaxThreads = 0, kShared = 1, kConst = 2, kLocal = 3, kRegisters = 4, kPtx = 5, kBinary = 6,
                kMaxDynamic = 8;
  auto* kernel = static_cast<Kernel*>(function);
  const Settings& device = state().channel.settings();
  state().describe(*kernel);
  switch (which) {
    case kMaxThreads:
      return *out = 1024, kOk;
    case kShared:
      return *out = static_cast<int>(kernel->shared), kOk;
    case kRegisters:
      return *out = 32, kOk;
    case kPtx:
    case kBinary:
      return *out = device.major * 10 + device.minor, kOk;
    case kMaxDynamic:
      return *out = kernel->dynamic, kOk;
    case kConst:
    case kLocal:
    default:
      return *out = 0, kOk;
  }
}
Result kernel_attribute(int* out, int which, Handle kernel, int) {
  return attribute(out, which, kernel);
}
Result set_attribute(Handle function, int which, int value) {
  constexpr int kMaxDynamic = 8;
  if (which != kMaxDynamic) return kOk;
  Kernel& kernel = *static_cast<Kernel*>(function);
  state().describe(kernel);
  if (value < 0 || static_cast<std::uint64_t>(value) + kernel.shared > std::uint64_t{kSharedOfBlock})
    return kInvalidValue;
  kernel.dynamic = value;
  kernel.allowed = true;
  return kOk;
}
Result set_kernel_attribute(int which, int value, Handle kernel, int) {
  return set_attribute(kernel, which, value);
}
Result parameter(Handle function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  auto* kernel = static_cast<Kernel*>(function);
  if (!state().describe(*kernel) || index >= kernel->parameters.size()) return kInvalidValue;
  if (offset != nullptr) *offset = kernel->parameters[index].first;
  if (bytes != nullptr) *bytes = kernel->parameters[index].second;
  return kOk;
}

Result active_blocks(int* out, Handle function, int threads, std::size_t dynamic) {
  auto* kernel = static_cast<Kernel*>(function);
  state().describe(*kernel);
  const std::size_t shared = std::max<std::size_t>(kernel->shared + dynamic, 1);
  *out = std::min(
      {kBlocks, kThreads / std::max(threads, 1), static_cast<int>(kSharedOfMultiprocessor / shared)});
  return kOk;
}
Result active_blocks_with(int* out, Handle function, int threads, std::size_t dynamic, unsigned) {
  return active_blocks(out, function, threads, dynamic);
}
Result active_clusters(int* out, Handle, const LaunchConfig* config) {
  std::uint32_t ctas = 1;
  for (std::uint32_t i = 0; i < config->count; ++i) {
    const auto& numbers = config->attributes[i].value.numbers;
    if (config->attributes[i].id == kCluster) ctas = std::max(numbers[0] * numbers[1] * numbers[2], 1u);
  }
  *out = std::max(state().channel.settings().multiprocessors / static_cast<int>(ctas), 1);
  return kOk;
}
Result largest_cluster(int* out, Handle, const LaunchConfig*) {
  *out = 8;
  return kOk;
}
Result best_block(int* blocks, int* threads, Handle, std::size_t (*)(int), std::size_t, int limit) {
  constexpr int kDefault = 256;
  *threads = limit > 0 ? std::min(limit, kDefault) : kDefault;
  *blocks = state().channel.settings().multiprocessors * (kThreads / kDefault);
  return kOk;
}
Result best_block_with(int* blocks, int* threads, Handle kernel, std::size_t (*shared)(int),
                       std::size_t dynamic, int limit, unsigned) {
  return best_block(blocks, threads, kernel, shared, dynamic, limit);
}
Result free_shared(std::size_t* out, Handle function, int blocks, int) {
  const auto shared = static_cast<Kernel*>(function)->shared;
  const std::size_t each = static_cast<std::size_t>(kSharedOfMultiprocessor / std::max(blocks, 1));
  *out = each > shared ? std::min<std::size_t>(each, kSharedOfBlock) - shared : 0;
  return kOk;
}

}  // namespace pretend

}  // namespace

Rows launch_rows() {
  return {
      observed<&observe::launch<0>>("cuLaunchKernel", succeed),
      observed<&observe::launch<1>>("cuLaunchKernel_ptsz", succeed),
      observed<&observe::launch_with<0>>("cuLaunchKernelEx", succeed),
      observed<&observe::launch_with<1>>("cuLaunchKernelEx_ptsz", succeed),
      observed<&observe::launch_cooperative<0>>("cuLaunchCooperativeKernel", succeed),
      observed<&observe::launch_cooperative<1>>("cuLaunchCooperativeKernel_ptsz", succeed),
      observed<&observe::encode>("cuTensorMapEncodeTiled", pretend::encode),
      only_observed<&observe::encode_im2col>("cuTensorMapEncodeIm2col"),
      pretended("cuFuncGetAttribute", pretend::attribute),
      pretended("cuFuncSetAttribute", pretend::set_attribute),
      pretended("cuKernelGetAttribute", pretend::kernel_attribute),
      pretended("cuKernelSetAttribute", pretend::set_kernel_attribute),
      pretended("cuFuncGetParamInfo", pretend::parameter),
      pretended("cuKernelGetParamInfo", pretend::parameter),
      pretended("cuFuncSetCacheConfig", nothing),
      pretended("cuKernelSetCacheConfig", nothing),
      pretended("cuFuncSetSharedMemConfig", nothing),
      pretended("cuFuncLoad", nothing),
      pretended("cuOccupancyMaxActiveBlocksPerMultiprocessor", pretend::active_blocks),
      pretended("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", pretend::active_blocks_with),
      pretended("cuOccupancyMaxActiveClusters", pretend::active_clusters),
      pretended("cuOccupancyMaxPotentialClusterSize", pretend::largest_cluster),
      pretended("cuOccupancyMaxPotentialBlockSize", pretend::best_block),
      pretended("cuOccupancyMaxPotentialBlockSizeWithFlags", pretend::best_block_with),
      pretended("cuOccupancyAvailableDynamicSMemPerBlock", pretend::free_shared),
  };
}

}  // namespace ptxmc::record::driver
