// SPDX-License-Identifier: Apache-2.0
#include "gpu/driver/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

namespace ptxmc::gpu {

namespace {

constexpr const char* kLibrary = "libcuda.so.1";
constexpr std::size_t kLogBytes = 16384;

template <typename F>
void resolve(void* library, const char* name, F& to) {
  void* found = ::dlsym(library, name);
  if (found == nullptr)
    throw DriverError(fmt::format("the CUDA driver {} is too old: it has no {}", kLibrary, name));
  to = reinterpret_cast<F>(found);
}

}  // namespace

Driver::Driver() : library_(::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) {
    const char* reason = ::dlerror();
    throw DriverError(fmt::format("no CUDA driver: {}", reason == nullptr ? kLibrary : reason));
  }
#define PTXMC_RESOLVE(member, name, ...) resolve(library_, #name, functions_.member);
  PTXMC_DRIVER_FUNCTIONS(PTXMC_RESOLVE)
#undef PTXMC_RESOLVE
#define PTXMC_RESOLVE(member, name, ...) \
  functions_.member = reinterpret_cast<decltype(functions_.member)>(::dlsym(library_, #name));
  PTXMC_NEWER_DRIVER_FUNCTIONS(PTXMC_RESOLVE)
#undef PTXMC_RESOLVE
  check(functions_.init(0), "cuInit");
}

Driver::~Driver() {
  // The library stays: it does not take well to being unloaded.
}

void Driver::check(abi::Result result, const char* call, const std::string& detail) const {
  if (result == 0) return;
  const char *name = nullptr, *text = nullptr;
  functions_.error_name(result, &name);
  functions_.error_text(result, &text);
  throw DriverError(fmt::format("{}: {} ({}){}{}", call, name == nullptr ? "unknown error" : name,
                                text == nullptr ? fmt::format("error {}", result) : text,
                                detail.empty() ? "" : "\n", detail));
}

Device::Device(int number) {
  const abi::Functions& cu = driver_.functions();
  int count = 0;
  driver_.check(cu.device_count(&count), "cuDeviceGetCount");
  if (number < 0 || number >= count)
    throw DriverError(fmt::format("no GPU {}: the CUDA driver sees {}", number, count));
  driver_.check(cu.device_get(&device_, number), "cuDeviceGet");
  std::array<char, 256> name{};
  driver_.check(cu.device_name(name.data(), static_cast<int>(name.size()), device_), "cuDeviceGetName");
  info_.name = name.data();
  const auto attribute = [&](int which) {
    int value = 0;
    driver_.check(cu.device_attribute(&value, which, device_), "cuDeviceGetAttribute");
    return value;
  };
  info_.major = attribute(abi::kMajor);
  info_.minor = attribute(abi::kMinor);
  info_.multiprocessors = attribute(abi::kMultiprocessors);
  info_.l2_bytes = attribute(abi::kL2Bytes);
  driver_.check(cu.driver_version(&info_.driver), "cuDriverGetVersion");
  info_.host_atomics = attribute(abi::kHostNativeAtomics) != 0;
  driver_.check(cu.context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  make_current();
}

Device::~Device() {
  if (!driver_.abandoned()) driver_.functions().context_release(device_);
}

bool Device::finished_within(double seconds) const {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (int polls = 0;; ++polls) {
    const abi::Result result = driver_.functions().stream_query(nullptr);
    if (result != abi::kNotReady) {
      driver_.check(result, "cuStreamQuery");
      return true;
    }
    if (std::chrono::duration<double>(Clock::now() - begin).count() > seconds) {
      driver_.abandon();
      return false;
    }
    if (polls > 1000) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void Device::make_current() const {
  driver_.check(driver_.functions().context_set(context_), "cuCtxSetCurrent");
}

void Device::reach(const Device& other) const {
  const abi::Functions& cu = driver_.functions();
  int can = 0;
  driver_.check(cu.can_access_peer(&can, device_, other.device_), "cuDeviceCanAccessPeer");
  if (can == 0)
    throw DriverError(fmt::format("GPU {} ({}) cannot access the memory of GPU {} ({}): no peer access",
                                  device_, info_.name, other.device_, other.info_.name));
  make_current();
  const abi::Result result = cu.enable_peer(other.context_, 0);
  if (result != abi::kPeerEnabled) driver_.check(result, "cuCtxEnablePeerAccess");
}

bool Device::idle() const {
  make_current();
  const abi::Result result = driver_.functions().stream_query(nullptr);
  if (result == abi::kNotReady) return false;
  driver_.check(result, "cuStreamQuery");
  return true;
}

int device_count() {
  const Driver driver;
  int count = 0;
  const abi::Result result = driver.functions().device_count(&count);
  if (result != abi::kNoDevice) driver.check(result, "cuDeviceGetCount");
  return count;
}

HostMemory::HostMemory(const Driver& driver, std::size_t bytes) : driver_(&driver), bytes_(bytes) {
  const abi::Functions& cu = driver.functions();
  void* data = nullptr;
  driver.check(cu.host_allocate(&data, bytes, abi::kHostPortable | abi::kHostMapped), "cuMemHostAlloc",
               fmt::format("{} bytes", bytes));
  data_ = static_cast<unsigned char*>(data);
  std::memset(data_, 0, bytes);
  abi::Pointer there = 0;
  driver.check(cu.host_address(&there, data, 0), "cuMemHostGetDevicePointer");
  if (there == address()) return;
  cu.host_release(data);
  throw DriverError("host memory has another address on the GPU than on the CPU: no unified addressing");
}

HostMemory::~HostMemory() {
  if (data_ != nullptr && !driver_->abandoned()) driver_->functions().host_release(data_);
}

HostMemory::HostMemory(HostMemory&& other) noexcept
    : driver_(other.driver_), data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceMemory::DeviceMemory(const Driver& driver, std::size_t bytes) : driver_(&driver), bytes_(bytes) {
  driver.check(driver.functions().allocate(&address_, bytes), "cuMemAlloc", fmt::format("{} bytes", bytes));
}

DeviceMemory::~DeviceMemory() {
  if (address_ != 0 && !driver_->abandoned()) driver_->functions().release(address_);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : driver_(other.driver_), address_(std::exchange(other.address_, 0)), bytes_(other.bytes_) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void DeviceMemory::fill(unsigned char byte) const {
  driver_->check(driver_->functions().fill(address_, byte, bytes_), "cuMemsetD8");
}

void DeviceMemory::read(void* to, std::size_t bytes, std::size_t offset) const {
  driver_->check(driver_->functions().copy_to_host(to, address_ + offset, bytes), "cuMemcpyDtoH");
}

void DeviceMemory::write(const void* from, std::size_t bytes, std::size_t offset) const {
  driver_->check(driver_->functions().copy_to_device(address_ + offset, from, bytes), "cuMemcpyHtoD");
}

abi::ModuleHandle load_module(const Driver& driver, const std::string& ptx) {
  abi::ModuleHandle module = nullptr;
  std::string log(kLogBytes, '\0');
  int options[] = {abi::kJitErrorLog, abi::kJitErrorLogSize};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  const abi::Result result = driver.functions().module_load(&module, ptx.c_str(), 2, options, values);
  driver.check(result, "cuModuleLoadDataEx", log.c_str());
  return module;
}

Kernel::Kernel(const Driver& driver, const std::string& ptx, const std::string& entry)
    : driver_(driver), module_(load_module(driver, ptx)) {
  driver.check(driver.functions().module_function(&function_, module_, entry.c_str()), "cuModuleGetFunction",
               entry);
}

Kernel::~Kernel() {
  if (!driver_.abandoned()) driver_.functions().module_unload(module_);
}

namespace {

struct Configured {
  abi::LaunchConfig config{};
  std::array<abi::LaunchAttribute, 3> attributes{};
};

void configure(const LaunchShape& shape, Configured& out) {
  out.config.grid_x = shape.ctas;
  out.config.grid_y = out.config.grid_z = 1;
  out.config.block_x = shape.threads;
  out.config.block_y = out.config.block_z = 1;
  out.config.stream = shape.stream;
  out.config.attributes = out.attributes.data();
  if (shape.cluster > 1) {
    abi::LaunchAttribute& attribute = out.attributes[out.config.count++];
    attribute.id = abi::kAttributeCluster;
    attribute.value.cluster = {shape.cluster, 1, 1};
  }
  if (shape.cooperative) {
    abi::LaunchAttribute& attribute = out.attributes[out.config.count++];
    attribute.id = abi::kAttributeCooperative;
    attribute.value.cooperative = 1;
  }
  if (shape.programmatic) {
    abi::LaunchAttribute& attribute = out.attributes[out.config.count++];
    attribute.id = abi::kAttributeProgrammatic;
    attribute.value.programmatic = 1;
  }
}

}  // namespace

unsigned resident_ctas(const Driver& driver, abi::Function function, const LaunchShape& shape,
                       int multiprocessors) {
  const abi::Functions& cu = driver.functions();
  int count = 0;
  if (shape.cluster > 1) {
    Configured launch;
    LaunchShape one = shape;
    one.ctas = shape.cluster;
    one.cooperative = false;
    configure(one, launch);
    driver.check(cu.active_clusters(&count, function, &launch.config), "cuOccupancyMaxActiveClusters");
    return static_cast<unsigned>(count) * shape.cluster;
  }
  driver.check(cu.active_blocks(&count, function, static_cast<int>(shape.threads), 0),
               "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<unsigned>(count * multiprocessors);
}

std::pair<abi::Pointer, std::size_t> module_variable(const Driver& driver, abi::ModuleHandle module,
                                                     const std::string& name) {
  abi::Pointer address = 0;
  std::size_t bytes = 0;
  driver.check(driver.functions().module_global(&address, &bytes, module, name.c_str()), "cuModuleGetGlobal",
               name);
  return {address, bytes};
}

void launch(const Driver& driver, abi::Function function, const LaunchShape& shape, void** arguments) {
  Configured launch;
  configure(shape, launch);
  driver.check(
      driver.functions().launch(&launch.config, function, arguments, nullptr), "cuLaunchKernelEx",
      fmt::format("{} CTAs of {} threads, clusters of {}", shape.ctas, shape.threads, shape.cluster));
}

unsigned Kernel::resident_ctas(const LaunchShape& shape, int multiprocessors) const {
  return gpu::resident_ctas(driver_, function_, shape, multiprocessors);
}

void Kernel::launch(const LaunchShape& shape, std::vector<void*> arguments) const {
  gpu::launch(driver_, function_, shape, arguments.data());
}

}  // namespace ptxmc::gpu
