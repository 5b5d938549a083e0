// SPDX-License-Identifier: Apache-2.0
// Every entry point that gpu/driver.h names, as a weak symbol: those that fake_driver.cpp defines win. The
// arguments are the caller's to clean up, so one function without parameters serves all.
#include "gpu/driver/driver.h"

extern "C" {

int ptxmc_fake_unsupported() {
  return 801;  // CUDA_ERROR_NOT_SUPPORTED
}

#define PTXMC_FAKE_WEAK(member, name, ...) int name() __attribute__((weak, alias("ptxmc_fake_unsupported")));
PTXMC_DRIVER_FUNCTIONS(PTXMC_FAKE_WEAK)
#undef PTXMC_FAKE_WEAK
}
