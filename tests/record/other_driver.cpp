// SPDX-License-Identifier: Apache-2.0
// A driver that is forwarded to: it does what `program` asks of one, and says what it launched.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "input/record/driver/abi.h"

using namespace ptxmc::record::driver;

namespace {

struct Function {
  std::string name;
};
char module_handle;
std::uint32_t table[4];

}  // namespace

extern "C" {

Result cuInit(unsigned) {
  return kOk;
}
Result cuModuleLoadData(Handle* out, const void*) {
  *out = &module_handle;
  return kOk;
}
Result cuModuleGetFunction(Handle* out, Handle, const char* name) {
  *out = new Function{name};
  return kOk;
}
Result cuModuleGetGlobal_v2(Address* address, std::size_t* bytes, Handle, const char*) {
  *address = reinterpret_cast<Address>(table);
  *bytes = sizeof table;
  return kOk;
}
Result cuMemAlloc_v2(Address* out, std::size_t bytes) {
  *out = reinterpret_cast<Address>(std::malloc(bytes));
  return kOk;
}
Result cuMemFree_v2(Address address) {
  std::free(reinterpret_cast<void*>(address));
  return kOk;
}
Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return kOk;
}
Result cuMemsetD8_v2(Address to, unsigned char value, std::size_t bytes) {
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return kOk;
}
Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Handle) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return kOk;
}
Result cuIpcGetMemHandle(void*, Address) {
  return kOk;
}
Result cuStreamCreate(Handle* out, unsigned) {
  *out = &module_handle;
  return kOk;
}
Result cuStreamDestroy_v2(Handle) {
  return kOk;
}
Result cuStreamSynchronize(Handle) {
  return kOk;
}
Result cuStreamIsCapturing(Handle, int* out) {
  const char* const captures = std::getenv("OTHER_DRIVER_CAPTURES");
  *out = captures != nullptr ? 1 : 0;
  return kOk;
}
Result cuStreamQuery(Handle) {
  static int asked = 0;
  return ++asked % 2 == 1 ? kNotReady : kOk;
}
Result cuThreadExchangeStreamCaptureMode(int*) {
  return kOk;
}
Result cuTensorMapEncodeTiled(void* map, int, std::uint32_t, void* address, const std::uint64_t*,
                              const std::uint64_t*, const std::uint32_t*, const std::uint32_t*, int, int, int,
                              int) {
  std::memset(map, 0x5a, 128);
  std::memcpy(map, &address, sizeof address);
  return kOk;
}
Result cuLaunchKernel(Handle function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      Handle, void**, void**) {
  std::printf("launched %s\n", static_cast<Function*>(function)->name.c_str());
  return kOk;
}
Result cuLaunchKernelEx(const LaunchConfig*, Handle function, void**, void**) {
  std::printf("launched %s\n", static_cast<Function*>(function)->name.c_str());
  return kOk;
}

Result cuGetProcAddress_v2(const char* name, void** out, int, unsigned long long, int*) {
  static const std::map<std::string, void*> functions = {
      {"cuInit", reinterpret_cast<void*>(cuInit)},
      {"cuModuleLoadData", reinterpret_cast<void*>(cuModuleLoadData)},
      {"cuModuleGetFunction", reinterpret_cast<void*>(cuModuleGetFunction)},
      {"cuModuleGetGlobal", reinterpret_cast<void*>(cuModuleGetGlobal_v2)},
      {"cuMemAlloc", reinterpret_cast<void*>(cuMemAlloc_v2)},
      {"cuMemFree", reinterpret_cast<void*>(cuMemFree_v2)},
      {"cuMemcpyHtoD", reinterpret_cast<void*>(cuMemcpyHtoD_v2)},
      {"cuMemsetD8", reinterpret_cast<void*>(cuMemsetD8_v2)},
      {"cuIpcGetMemHandle", reinterpret_cast<void*>(cuIpcGetMemHandle)},
      {"cuTensorMapEncodeTiled", reinterpret_cast<void*>(cuTensorMapEncodeTiled)},
      {"cuLaunchKernel", reinterpret_cast<void*>(cuLaunchKernel)},
      {"cuLaunchKernelEx", reinterpret_cast<void*>(cuLaunchKernelEx)},
  };
  const auto found = functions.find(name);
  *out = found == functions.end() ? nullptr : found->second;
  return *out == nullptr ? kNotFound : kOk;
}
}
