// SPDX-License-Identifier: Apache-2.0
// Groups of tiles, one map in global memory, which is changed for each group, and two stages. The bug: loads through the map may still
// be under way when it is written anew.
#include <cuda.h>

#include "../ptx.cuh"
extern "C" __global__ void grouped(const __grid_constant__ CUtensorMap given, CUtensorMap* own, const int* a,
                                   const int* b, int* out, int tiles) {
  __shared__ alignas(128) int map[32];
  __shared__ alignas(128) int stage[2][64];
  __shared__ uint64_t full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) make_ring(full, empty, 1);
  __syncthreads();
  if (t >= 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&full[at], i / 2 % 2);
      out[i * 32 + t - 32] = stage[at][t] + stage[at][t - 32];
      fence_async();
      __syncwarp();
      if (t == 32) arrive(&empty[at]);
    }
    return;
  }
  map[t] = reinterpret_cast<const int*>(&given)[t];
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    const int at = i % 2;
    if (i % 3 == 0) {
      __syncwarp();
      if (t == 0) {
#ifdef FIXED
#pragma unroll 1
        for (int last = i - 1; last >= 0 && last >= i - 2; --last) wait(&full[last % 2], last / 2 % 2);
#endif
        asm volatile(
            "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(shared(map)),
            "l"(i % 2 == 0 ? a : b)
            : "memory");
      }
      __syncwarp();
      asm volatile(
          "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], "
          "[%1], 128;" ::"l"(own),
          "r"(shared(map))
          : "memory");
      asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(own) : "memory");
    }
    if (t == 0) {
      wait(&empty[at], i / 2 % 2 ^ 1);
      expect(&full[at], 256);
      asm volatile(
          "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
          "{%2}], [%3];" ::"r"(shared(stage[at])),
          "l"(own), "r"(i * 64), "r"(shared(&full[at]))
          : "memory");
    }
    __syncwarp();
  }
}
