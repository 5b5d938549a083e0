// SPDX-License-Identifier: Apache-2.0
// Warps fill a table, and one waits on a latch. The bug: it counts down before it stores.
#include <cuda/latch>
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void fill(const int* in, int* out) {
  using Latch = cuda::latch<cuda::thread_scope_block>;
  __shared__ alignas(Latch) char bytes[sizeof(Latch)];
  Latch& done = *reinterpret_cast<Latch*>(bytes);
  __shared__ int s[96];
  if (threadIdx.x == 0) new (&done) Latch(96);
  __syncthreads();
  if (threadIdx.x < 96) {
#ifdef FIXED
    s[threadIdx.x] = in[threadIdx.x];
    done.count_down();
#else
    done.count_down();
    s[threadIdx.x] = in[threadIdx.x];
#endif
  } else {
    done.wait();
    const int l = threadIdx.x - 96;
    out[l] = s[l] + s[l + 32] + s[l + 64];
  }
}
