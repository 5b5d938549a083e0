// SPDX-License-Identifier: Apache-2.0
// Stream-K: each block does as many steps as the others, of whichever tiles. Who begins a tile waits for all that do the rest of it,
// and adds up what they left. The bug: it waits for the first of them.
__device__ __noinline__ float steps_of(const float* in, int tile, int from, int to) {
  float sum = 0;
#pragma unroll 1
  for (int k = from; k < to; ++k) sum += in[(tile * 12 + k) * 64 + threadIdx.x];
  return sum;
}
__device__ __forceinline__ void tell(int* flag) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  asm volatile("st.relaxed.gpu.global.b32 [%0], 1;" ::"l"(flag) : "memory");
}
__device__ __forceinline__ void wait(const int* flag) {
  if (threadIdx.x == 0) {
    int seen;
    do asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    while (seen == 0);
    __threadfence();
  }
  __syncthreads();
}
extern "C" __global__ void streamk(const float* in, float* rest, float* out, int* flags, int tiles,
                                   int steps) {
  const int all = tiles * steps, each = (all + gridDim.x - 1) / gridDim.x;
  int at = blockIdx.x * each;
  const int end = min(at + each, all);
#pragma unroll 1
  while (at < end) {
    const int tile = at / steps, from = at - tile * steps, to = min(steps, from + end - at);
    float sum = steps_of(in, tile, from, to);
    if (from != 0) {
      rest[blockIdx.x * 64 + threadIdx.x] = sum;
      tell(&flags[blockIdx.x]);
    } else {
      const int last = (tile * steps + steps - 1) / each;
#pragma unroll 1
      for (int peer = blockIdx.x + 1; peer <= last; ++peer) {
#ifdef FIXED
        wait(&flags[peer]);
#else
        if (peer == blockIdx.x + 1) wait(&flags[peer]);
#endif
        sum += rest[peer * 64 + threadIdx.x];
      }
      out[tile * 64 + threadIdx.x] = sum;
    }
    at += to - from;
  }
}
