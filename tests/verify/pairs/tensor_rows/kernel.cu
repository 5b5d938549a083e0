// SPDX-License-Identifier: Apache-2.0
// Rows of a box are summed into one row, by a tensor map whose rows are all at one place. The bug: a store, of which one row stays, and
// nothing says which.
#include "../ptx.cuh"
struct alignas(64) Map {
  char bytes[128];
};
extern "C" __global__ void sum(const __grid_constant__ Map map, const float* in) {
  __shared__ alignas(128) float box[16];
  box[threadIdx.x] = in[threadIdx.x];
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
#ifdef FIXED
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %1}], [%2];" ::"l"(
            &map),
        "r"(0), "r"(shared(box))
        : "memory");
#else
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %1}], [%2];" ::"l"(&map),
        "r"(0), "r"(shared(box))
        : "memory");
#endif
    commit_bulk();
    wait_bulk<0>();
  }
}
