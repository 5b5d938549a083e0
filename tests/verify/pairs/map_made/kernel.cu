// SPDX-License-Identifier: Apache-2.0
// A tensor map that the kernel makes itself: a warp clears 128 bytes of shared memory, one thread sets every field, and the
// warp writes the map to global memory. The bug: the warp does not meet before the fields are set, so that zeros may follow.
#include <cuda.h>

#include "../ptx.cuh"
#define FIELD(name, type, constraint, value)                                                              \
  asm volatile("tensormap.replace.tile." name ".shared::cta.b1024." type " [%0], %1;" ::"r"(shared(map)), \
               constraint(value)                                                                          \
               : "memory")
#define FIELD_OF(name, type, constraint, ordinal, value)                                    \
  asm volatile("tensormap.replace.tile." name ".shared::cta.b1024." type " [%0], " #ordinal \
               ", %1;" ::"r"(shared(map)),                                                  \
               constraint(value)                                                            \
               : "memory")
extern "C" __global__ void transpose(const int* a, int rows, int columns, int* own, int* out) {
  __shared__ alignas(128) int map[32];
  __shared__ alignas(128) int tile[64];
  __shared__ uint64_t full;
  const int i = threadIdx.x;
  if (i == 0) {
    init(&full, 1);
    fence_init();
  }
  map[i] = 0;
#ifdef FIXED
  __syncwarp();
#endif
  if (i == 0) {
    FIELD("global_address", "b64", "l", a);
    FIELD("rank", "b32", "n", 1);
    FIELD_OF("box_dim", "b32", "r", 0, 8);
    FIELD_OF("box_dim", "b32", "r", 1, 8);
    FIELD_OF("global_dim", "b32", "r", 0, columns);
    FIELD_OF("global_dim", "b32", "r", 1, rows);
    FIELD_OF("global_stride", "b64", "l", 0, int64_t{4} * columns);
    FIELD_OF("element_stride", "b32", "r", 0, 1);
    FIELD_OF("element_stride", "b32", "r", 1, 1);
    FIELD("elemtype", "b32", "n", 3);
    FIELD("interleave_layout", "b32", "n", 0);
    FIELD("swizzle_mode", "b32", "n", 0);
    FIELD("fill_mode", "b32", "n", 0);
  }
  __syncwarp();
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], "
      "128;" ::"l"(own),
      "r"(shared(map))
      : "memory");
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(own) : "memory");
  if (i == 0) {
    expect(&full, sizeof tile);
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
        "%3}], [%4];" ::"r"(shared(tile)),
        "l"(own), "r"(8), "r"(0), "r"(shared(&full))
        : "memory");
  }
  wait(&full, 0);
  for (int j = i; j < 64; j += 32) out[j] = tile[j % 8 * 8 + j / 8];
}
