// SPDX-License-Identifier: Apache-2.0
// A CUDA driver that has no GPU behind it, for tests of `ptxmc run`: `libcuda.so.1` of the build tree, found
// through LD_LIBRARY_PATH. It pretends to be one GPU (or two), keeps device memory in the host's, and "runs"
// the harness's kernel (gpu/harness.h) by filling its table: blocks x instances x rounds outcomes, dealt out
// to at most four states by the seed. It knows nothing of memory models: its outcomes mean nothing.
//
// Environment:
//   PTXMC_FAKE_GPUS=N         devices; 0: cuInit finds none; default 1
//   PTXMC_FAKE_SMS=N          multiprocessors, each holding two CTAs; default 4
//   PTXMC_FAKE_JIT_MS=N       wall time of the assembler; default 0
//   PTXMC_FAKE_LAUNCH_MS=N    wall time of a launch; default 0
//   PTXMC_FAKE_TROUBLE=TEST=KIND,...   what goes wrong in a test; TEST * is every test. Kinds:
//     endless   a launch does not end
//     fault     a launch ends with an illegal address, and so does every later call
//     blocked   loading the module does not return
//     jit       the assembler refuses the module, with a log
//     lossy     an outcome is missing in the table
//     killed    the process dies in a launch
//   PTXMC_FAKE_CALLS=FILE     appends a line for each call that orders kernels (kernels.cpp)
// In a test with several kernels (gpu/kernels_harness.h) only the evaluation counts anything.
// Entry points that it does not implement return CUDA_ERROR_NOT_SUPPORTED (unsupported.cpp).
#pragma once

#include "gpu/driver/driver.h"

namespace ptxmc::fake {

/// Every entry point, with the type that gpu/driver.h gives it: a definition that differs does not compile.
#define PTXMC_FAKE_TYPE(member, name, ...) using Type_##member = __VA_ARGS__;
namespace types {
using namespace gpu::abi;
PTXMC_DRIVER_FUNCTIONS(PTXMC_FAKE_TYPE)
PTXMC_NEWER_DRIVER_FUNCTIONS(PTXMC_FAKE_TYPE)
}  // namespace types
#undef PTXMC_FAKE_TYPE

constexpr gpu::abi::Result kInvalidValue = 1, kInvalidPtx = 218, kNotFound = 500, kIllegalAddress = 700,
                           kTooLarge = 720, kNotSupported = 801;

}  // namespace ptxmc::fake

extern "C" {
#define PTXMC_FAKE_DECLARE(member, name, ...) ptxmc::fake::types::Type_##member name;
PTXMC_DRIVER_FUNCTIONS(PTXMC_FAKE_DECLARE)
PTXMC_NEWER_DRIVER_FUNCTIONS(PTXMC_FAKE_DECLARE)
#undef PTXMC_FAKE_DECLARE
}
