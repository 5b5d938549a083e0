// SPDX-License-Identifier: Apache-2.0
// Groups of matrices, one map: a warp changes its copy of it in shared memory, writes that to global memory, and loads through
// it. The bug: no fence.proxy.tensormap with .acquire before the load.
#include <cuda.h>
#include "../ptx.cuh"
extern "C" __global__ void grouped(const __grid_constant__ CUtensorMap given, CUtensorMap* own, const int* a,
                                   const int* b, int* out) {
  __shared__ alignas(128) int map[32];
  __shared__ alignas(128) int tile[64];
  __shared__ uint64_t full;
  const int i = threadIdx.x;
  if (i == 0) {
    init(&full, 1);
    fence_init();
  }
  map[i] = reinterpret_cast<const int*>(&given)[i];
  __syncwarp();
#pragma unroll 1
  for (int group = 0; group < 2; ++group) {
    if (i == 0)
      asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(shared(map)),
                   "l"(group == 0 ? a : b)
                   : "memory");
    __syncwarp();
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(
            own),
        "r"(shared(map))
        : "memory");
#ifdef FIXED
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(own) : "memory");
#endif
    if (i == 0) {
      expect(&full, sizeof tile);
      asm volatile(
          "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::
              "r"(shared(tile)),
          "l"(own), "r"(0), "r"(shared(&full))
          : "memory");
    }
    wait(&full, group);
    out[group * 32 + i] = tile[i];
    fence_async();
    __syncwarp();
  }
}
