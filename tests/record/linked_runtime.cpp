// SPDX-License-Identifier: Apache-2.0
// A runtime that takes no driver but its own, as NVIDIA's, which is linked into linked_program: whoever calls it fails.
#include <cstdio>
#include <cstdlib>

namespace {

int fail(const char* name) {
  std::fprintf(stderr, "%s: no driver\n", name);
  std::exit(4);
}

}  // namespace

extern "C" {
#define FAILS(name)     \
  int name() {          \
    return fail(#name); \
  }
FAILS(__cudaRegisterFatBinary)
FAILS(__cudaRegisterFunction)
FAILS(cudaMalloc)
FAILS(cudaMemset)
FAILS(cudaPointerGetAttributes)
FAILS(cudaLaunchKernel)
FAILS(cudaMallocArray)
FAILS(cudaDeviceSynchronize)
}
