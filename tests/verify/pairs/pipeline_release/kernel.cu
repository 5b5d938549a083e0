// SPDX-License-Identifier: Apache-2.0
// cuda::pipeline of two stages, all threads produce and consume. The bug: the stage is given back before it
// is read.
#include <cooperative_groups.h>

#include <cuda/pipeline>
namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void sum(const int* in, int* out, int tiles) {
  __shared__ alignas(16) int s[2][256];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int all = 0, fetched = 0;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    for (; fetched < tiles && fetched < i + 2; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[fetched & 1][4 * threadIdx.x], in + 256 * fetched + 4 * threadIdx.x,
                         cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
#ifdef FIXED
    all += s[i & 1][255 - threadIdx.x];
    pipe.consumer_release();
#else
    pipe.consumer_release();
    all += s[i & 1][255 - threadIdx.x];
#endif
  }
  out[threadIdx.x] = all;
}
