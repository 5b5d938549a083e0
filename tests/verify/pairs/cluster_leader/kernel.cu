// SPDX-License-Identifier: Apache-2.0
// One thread of a cluster waits for a flag for all. The bug: the barrier behind that is one of its block alone.
#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void __cluster_dims__(2) k(int* flag, int* data, int* out) {
  auto c = cg::this_cluster();
  if (blockIdx.x >= 2) { data[(blockIdx.x - 2) * 32 + threadIdx.x] = 1; c.sync(); if (blockIdx.x == 2 && threadIdx.x == 0) A(*flag).store(1, cuda::memory_order_release); return; }
  if (c.block_rank() == 0 && threadIdx.x == 0) while (A(*flag).load(cuda::memory_order_acquire) == 0) {}
#ifdef FIXED
  c.sync();
#else
  __syncthreads();
#endif
  out[blockIdx.x * 32 + threadIdx.x] = data[blockIdx.x * 32 + threadIdx.x];
}
