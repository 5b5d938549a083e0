// SPDX-License-Identifier: Apache-2.0
// Calls of the driver that is pretended, by name, and the dim3 of the runtime.
#pragma once

#include <dlfcn.h>

#include "input/record/driver/abi.h"

namespace ptxmc::record::runtime {

using driver::Address;
using driver::Handle;
using driver::Result;

struct Extents {
  std::uint32_t x, y, z;
};

/// What the last call of this thread that failed returned.
inline thread_local Result last_error = driver::kOk;
inline Result remember(Result result) {
  if (result != driver::kOk) last_error = result;
  return result;
}

inline void* driver_function(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : dlsym(library, name);
}

template <typename... Arguments>
Result call(const char* name, Arguments... arguments) {
  void* const function = driver_function(name);
  if (function == nullptr) return remember(driver::kNotFound);
  return remember(reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...));
}

/// The kernel, and the variable, that an address of the host stands for; null, 0: none is registered there.
Handle kernel_of(const void* host);
Address variable_of(const void* host, std::size_t* bytes);

}  // namespace ptxmc::record::runtime
