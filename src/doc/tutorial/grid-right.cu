// SPDX-License-Identifier: Apache-2.0
// Each block stores its part of data, then reads that of the next: between the two all blocks must meet.
__device__ void meet(unsigned* count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (*(volatile unsigned*)count < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
}

extern "C" __global__ void shift(int* data, int* out, unsigned* count) {
  const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i;
  meet(count);
  out[i] = data[(i + blockDim.x) % n];
}
