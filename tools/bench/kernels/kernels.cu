// SPDX-License-Identifier: Apache-2.0
// Kernels whose verification is timed (tools/bench/verified.cpp), each with its number of iterations as an argument.
// kernels.ptx: nvcc -O3 -arch=sm_90a -ptx kernels.cu, without its comments.
#include <cuda_pipeline.h>

// Products of tiles that cp.async fetches, one stage ahead. 256 threads.
extern "C" __global__ void tiles(const float* a, const float* b, float* c, int iterations) {
  __shared__ float as[2][16][16], bs[2][16][16];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  float sum = 0;
  const auto fetch = [&](int i) {
    const int from = (i % 64) * 256 + threadIdx.x;
    __pipeline_memcpy_async(&as[i % 2][y][x], a + from, 4);
    __pipeline_memcpy_async(&bs[i % 2][y][x], b + from, 4);
    __pipeline_commit();
  };
  fetch(0);
  for (int i = 0; i < iterations; ++i) {
    if (i + 1 < iterations) fetch(i + 1);
    __pipeline_wait_prior(i + 1 < iterations ? 1 : 0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += as[i % 2][y][k] * bs[i % 2][k][x];
    __syncthreads();
  }
  c[threadIdx.x] = sum;
}

// Prefix sums in warps by shuffles, and of their sums through shared memory. 256 threads.
extern "C" __global__ void prefix(const int* in, int* out, int iterations) {
  __shared__ int sums[8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int before = 0;
  for (int i = 0; i < iterations; ++i) {
    int value = in[(i % 64) * 256 + threadIdx.x];
#pragma unroll
    for (int by = 1; by < 32; by *= 2) {
      const int other = __shfl_up_sync(~0U, value, by);
      if (lane >= by) value += other;
    }
    if (lane == 31) sums[warp] = value;
    __syncthreads();
    int all = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) {
      if (w < warp) value += sums[w];
      all += sums[w];
    }
    out[(i % 64) * 256 + threadIdx.x] = value + before;
    before += all;
    __syncthreads();
  }
}

// The integer part of a recurrent kernel: indices, masks and a state in shared memory. 128 threads.
extern "C" __global__ void integers(const unsigned* in, unsigned* out, int iterations) {
  __shared__ unsigned state[2][128];
  const unsigned t = threadIdx.x;
  unsigned hash = t * 2654435761U;
  state[0][t] = in[t];
  __syncthreads();
  for (int i = 0; i < iterations; ++i) {
    unsigned value = state[i % 2][(t + 1) % 128];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      value = (value ^ (hash >> (k + 3))) * 0x9e3779b1U + (value << 5);
      hash = __funnelshift_l(hash, value, k + 7) + min(value & 0xffffU, hash >> 9);
    }
    state[(i + 1) % 2][t] = value ^ hash;
    __syncthreads();
  }
  out[t] = state[iterations % 2][t] + hash;
}

// All of the shared memory of 1024 threads, word by word: 224 KB.
extern "C" __global__ void wide(unsigned* out, int iterations) {
  extern __shared__ unsigned words[];
  constexpr int kWords = 56 * 1024;
  unsigned sum = 0;
  for (int i = 0; i < iterations; ++i) {
    for (int at = threadIdx.x; at < kWords; at += 1024) words[at] = at + i;
    __syncthreads();
    for (int at = threadIdx.x; at < kWords; at += 1024) sum += words[at ^ 1056];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
