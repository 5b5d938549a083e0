// SPDX-License-Identifier: Apache-2.0
// Kernels whose verification is timed (tools/bench/verified.cpp), each with its number of iterations as an argument.
// kernels.ptx: nvcc -O3 -arch=sm_90a -ptx kernels.cu, without its comments.
#include <cuda.h>
#include <cuda_pipeline.h>

#include <cstdint>

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

namespace gemm {
constexpr int kM = 128, kN = 128, kK = 64, kStages = 4, kTileBytes = kM * kK * 2;
__device__ __forceinline__ uint32_t shared(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void init(uint64_t* m, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(m)), "r"(count) : "memory");
}
__device__ __forceinline__ void wait(uint64_t* m, uint32_t parity) {
  asm volatile(
      "{\n .reg .pred p;\nAGAIN:\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n "
      "@!p bra AGAIN;\n}" ::"r"(shared(m)),
      "r"(parity)
      : "memory");
}
__device__ __forceinline__ void expect(uint64_t* m, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(m)), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void arrive(uint64_t* m, uint32_t rank) {
  asm volatile(
      "{\n .reg .b32 at;\n mapa.shared::cluster.u32 at, %0, %1;\n "
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [at];\n}" ::"r"(shared(m)),
      "r"(rank)
      : "memory");
}
__device__ __forceinline__ void load(void* to, const CUtensorMap* map, int x, int y, uint64_t* m) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(shared(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared(m))
      : "memory");
}
__device__ __forceinline__ void load_both(void* to, const CUtensorMap* map, int x, int y, uint64_t* m) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared(m)), "h"(static_cast<uint16_t>(3))
      : "memory");
}
__device__ __forceinline__ uint64_t matrix(const void* p) {  // rows of 128 bytes, swizzled
  return (shared(p) & 0x3ffffULL) >> 4 | 1ULL << 16 | 64ULL << 32 | 1ULL << 62;
}
#define F4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define F16(i) F4(i), F4(i + 4), F4(i + 8), F4(i + 12)
__device__ __forceinline__ void multiply(float (&d)[64], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,"
      "%28,%29,%30,%31,"
      "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%"
      "57,%58,%59,%60,%61,"
      "%62,%63}, %64, %65, 1, 1, 1, 0, 0;"
      : F16(0), F16(16), F16(32), F16(48)
      : "l"(a), "l"(b));
}
}  // namespace gemm

// Products of bf16 matrices by clusters of two thread blocks: one warp fetches tiles of A, and its half of the tiles of B for
// both blocks; two warpgroups multiply. 384 threads.
extern "C" __global__ __cluster_dims__(2, 1, 1) void products(const __grid_constant__ CUtensorMap a,
                                                              const __grid_constant__ CUtensorMap b, float* c,
                                                              int depth, int tiles) {
  using namespace gemm;
  extern __shared__ __align__(1024) uint8_t memory[];
  __shared__ uint64_t full[kStages], empty[kStages];
  uint8_t *as = memory, *bs = memory + kStages * kTileBytes;
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&full[i], 1);
      init(&empty[i], 4);  // a warpgroup of each block, twice
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  const int group = threadIdx.x / 128;
  int stage = 0, phase = 0;
  const auto next = [&] {
    if (++stage == kStages) {
      stage = 0;
      phase ^= 1;
    }
  };
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      for (int tile = 0; tile < tiles; ++tile) {
        const int row = (tile * 2 + static_cast<int>(rank)) * kM;
        for (int k = 0; k < depth; k += kK) {
          wait(&empty[stage], phase ^ 1);
          expect(&full[stage], 2 * kTileBytes);
          load(as + stage * kTileBytes, &a, k, row, &full[stage]);
          load_both(bs + stage * kTileBytes + rank * (kTileBytes / 2), &b, k,
                    static_cast<int>(rank) * (kN / 2), &full[stage]);
          next();
        }
      }
      for (int i = 0; i < kStages; ++i) {  // what the other block still does here
        wait(&empty[stage], phase ^ 1);
        next();
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float* out = c + (rank * 256 + threadIdx.x - 128) * 64;
    for (int tile = 0; tile < tiles; ++tile) {
      float d[64] = {};
      for (int k = 0; k < depth; k += kK) {
        wait(&full[stage], phase);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int j = 0; j < kK / 16; ++j)
          multiply(d, matrix(as + stage * kTileBytes + (group - 1) * (kTileBytes / 2) + j * 32),
                   matrix(bs + stage * kTileBytes + j * 32));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x % 128 == 0) {
          arrive(&empty[stage], 0);
          arrive(&empty[stage], 1);
        }
        next();
      }
      for (int i = 0; i < 64; ++i) out[tile * 2 * 256 * 64 + i] = d[i];
    }
  }
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
