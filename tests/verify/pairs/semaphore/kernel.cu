// SPDX-License-Identifier: Apache-2.0
// A binary semaphore guards a counter in shared memory. The bug: it is released before the store.
#include <cuda/semaphore>
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void count(int* out) {
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> sem;
  __shared__ int n;
  if (threadIdx.x == 0) {
    new (&sem) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    n = 0;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    sem.acquire();
    const int v = n;
#ifdef FIXED
    n = v + 1;
    sem.release();
#else
    sem.release();
    n = v + 1;
#endif
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = n;
}
