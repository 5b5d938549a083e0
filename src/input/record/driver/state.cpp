// SPDX-License-Identifier: Apache-2.0
#include "input/record/driver/state.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace ptxmc::record::driver {

namespace {

constexpr std::uint32_t kWrapper = 0x466243b1, kFatBinary = 0xba55ed50, kObject = 0x464c457f;

template <typename T>
T read_at(const char* image, std::size_t offset) {
  T out;
  std::memcpy(&out, image + offset, sizeof out);
  return out;
}

/// The bytes of an ELF file: to the end of its tables of headers or of its sections, whichever is last.
std::size_t object_bytes(const char* image) {
  constexpr std::size_t kProgramEntry = 56, kSectionEntry = 64;
  const auto programs = read_at<std::uint64_t>(image, 32), sections = read_at<std::uint64_t>(image, 40);
  std::uint64_t end = std::max(programs + read_at<std::uint16_t>(image, 56) * kProgramEntry,
                               sections + read_at<std::uint16_t>(image, 60) * kSectionEntry);
  for (std::uint16_t i = 0; i < read_at<std::uint16_t>(image, 60); ++i) {
    const char* section = image + sections + i * kSectionEntry;
    constexpr std::uint32_t kNoBytes = 8;  // SHT_NOBITS
    if (read_at<std::uint32_t>(section, 4) != kNoBytes)
      end = std::max(end, read_at<std::uint64_t>(section, 24) + read_at<std::uint64_t>(section, 32));
  }
  return end;
}

std::size_t page() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}
std::size_t in_pages(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + page() - 1) / page() * page();
}

}  // namespace

Form form_of(const void* image) {
  constexpr std::size_t kMachine = 18;
  constexpr std::uint16_t kCuda = 190;  // EM_CUDA
  const char* at = static_cast<const char*>(image);
  const auto magic = read_at<std::uint32_t>(at, 0);
  if (magic == kWrapper || magic == kFatBinary) return Form::binary;
  if (magic != kObject) return Form::text;
  return read_at<std::uint16_t>(at, kMachine) == kCuda ? Form::binary : Form::other_object;
}

std::string_view image_at(const void* image) {
  const char* at = static_cast<const char*>(image);
  const auto magic = read_at<std::uint32_t>(at, 0);
  if (magic == kWrapper) return image_at(read_at<const void*>(at, 8));
  if (magic == kFatBinary) return {at, read_at<std::uint16_t>(at, 6) + read_at<std::uint64_t>(at, 8)};
  if (magic == kObject) return {at, object_bytes(at)};
  return {at, std::strlen(at)};
}

State& state() {
  static State* const only = new State;  // see state.h
  return *only;
}

Module* State::load(const void* image) {
  if (image == nullptr) return nullptr;
  Writer out;
  out.text(image_at(image));
  const std::string reply = channel.ask(Kind::load, out);
  const std::lock_guard lock(mutex);
  Module& module = *modules_.emplace_back(std::make_unique<Module>());
  if (!reply.empty()) module.number = Reader(reply).number();
  return &module;
}

void State::name_module(Handle handle, Module* module) {
  const std::lock_guard lock(mutex);
  by_handle_[handle] = module;
}

void State::name_kernel(Handle handle, Kernel* kernel) {
  const std::lock_guard lock(mutex);
  kernels_[handle] = kernel;
}

Module* State::module(Handle handle) {
  const std::lock_guard lock(mutex);
  const auto found = by_handle_.find(handle);
  return found == by_handle_.end() ? nullptr : found->second;
}

Kernel* State::kernel(Handle handle) {
  const std::lock_guard lock(mutex);
  const auto found = kernels_.find(handle);
  return found == kernels_.end() ? nullptr : found->second;
}

Kernel* State::kernel(Module& module, const std::string& name) {
  const std::lock_guard lock(mutex);
  std::unique_ptr<Kernel>& slot = module.kernels[name];
  if (!slot) {
    slot = std::make_unique<Kernel>();
    slot->module = &module;
    slot->name = name;
  }
  return slot.get();
}

bool State::describe(Kernel& kernel) {
  const std::lock_guard lock(mutex);
  if (kernel.asked) return kernel.known;
  kernel.asked = true;
  Writer out;
  out.number(kernel.module->number);
  out.text(kernel.name);
  const std::string reply = channel.ask(Kind::describe_kernel, out);
  if (reply.empty()) return false;
  Reader in(reply);
  kernel.known = in.number() != 0;
  const auto offsets = in.numbers(), bytes = in.numbers();
  kernel.shared = in.number();
  for (std::size_t i = 0; i < std::min(offsets.size(), bytes.size()); ++i)
    kernel.parameters.emplace_back(offsets[i], bytes[i]);
  return kernel.known;
}

Address State::allocate(std::size_t bytes) {
  // The page after it belongs to no allocation: an address one past the end is of this one.
  const std::size_t size = in_pages(bytes);
  if (size < bytes) return 0;
  void* memory = mmap(nullptr, size + page(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return 0;
  mprotect(static_cast<char*>(memory) + size, page(), PROT_NONE);
  const std::lock_guard lock(mutex);
  memory_[reinterpret_cast<Address>(memory)] = bytes;
  return reinterpret_cast<Address>(memory);
}

bool State::release(Address address) {
  const std::lock_guard lock(mutex);
  const auto found = memory_.find(address);
  if (found == memory_.end()) return false;
  munmap(reinterpret_cast<void*>(address), in_pages(found->second) + page());
  memory_.erase(found);
  return true;
}

std::optional<std::pair<Address, std::size_t>> State::find(Address address) {
  const std::lock_guard lock(mutex);
  auto found = memory_.upper_bound(address);
  if (found == memory_.begin()) return std::nullopt;
  --found;
  if (address >= found->first + std::max<std::size_t>(found->second, 1)) return std::nullopt;
  return *found;
}

}  // namespace ptxmc::record::driver
