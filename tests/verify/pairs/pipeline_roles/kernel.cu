// SPDX-License-Identifier: Apache-2.0
// cuda::pipeline with one producer warp and three consumers. The bug: the consumers read before they wait.
#include <cooperative_groups.h>

#include <cuda/pipeline>
namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void roles(const int* in, int* out, int tiles) {
  __shared__ alignas(16) int s[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  const bool producer = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(block, &state,
                                  producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    if (producer) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[i & 1][4 * threadIdx.x], in + i * 128 + 4 * threadIdx.x,
                         cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
    } else {
#ifdef FIXED
      pipe.consumer_wait();
      sum += s[i & 1][threadIdx.x - 32];
#else
      sum += s[i & 1][threadIdx.x - 32];
      pipe.consumer_wait();
#endif
      pipe.consumer_release();
    }
  }
  if (!producer) out[threadIdx.x - 32] = sum;
}
