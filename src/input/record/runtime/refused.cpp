// SPDX-License-Identifier: Apache-2.0
// The functions of the runtime that this library has no other definition of: each says its name, and that it is not supported.
#include "input/record/runtime/driver_call.h"

namespace ptxmc::record::runtime {

namespace {

Result refuse(const char* name) {
  if (void* const tell = driver_function("ptxmc_refuse_of_runtime"))
    reinterpret_cast<void (*)(const char*)>(tell)(name);
  return remember(driver::kNotSupported);
}

}  // namespace

extern "C" {
#define PTXMC_NAME(name)                \
  __attribute__((weak)) Result name() { \
    return refuse(#name);               \
  }
#include "input/record/runtime/names.inc"
#undef PTXMC_NAME
}

}  // namespace ptxmc::record::runtime
