// SPDX-License-Identifier: Apache-2.0
// A grid barrier of one counter. The bug: thread 0 arrives before the other threads of its block have stored.
extern "C" __global__ void exchange(int* data, int* out, unsigned* count) {
  const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
#ifdef FIXED
  __syncthreads();
#endif
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (*(volatile unsigned*)count < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  out[i] = data[(i + blockDim.x) % n];
}
