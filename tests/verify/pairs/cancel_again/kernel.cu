// SPDX-License-Identifier: Apache-2.0
// Each block takes at most two tiles of blocks that have not started. The bug: it asks for the second one also when it got no first.
#include "../ptx.cuh"
extern "C" __global__ void tiles(const int* in, int* out) {
  __shared__ alignas(16) uint32_t response[4];
  __shared__ uint64_t full;
  const int i = threadIdx.x;
  if (i == 0) {
    init(&full, 1);
    fence_init();
  }
  __syncthreads();
  uint32_t tile = blockIdx.x;
  out[tile * 64 + i] = in[tile * 64 + i];
#pragma unroll 1
  for (uint32_t phase = 0; phase < 2; ++phase) {
    if (i == 0) {
      expect(&full, sizeof response);
      asm volatile(
          "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
              shared(response)),
          "r"(shared(&full))
          : "memory");
    }
    wait(&full, phase);
    uint32_t more;
    asm volatile(
        "{\n .reg .b128 r; .reg .b64 lo, hi; .reg .pred p;\n ld.shared.v2.b64 {lo, hi}, [%2];\n mov.b128 r, {lo, hi};\n"
        " clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r;\n selp.u32 %0, 1, 0, p;\n"
        " @p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, r;\n}"
        : "=r"(more), "+r"(tile)
        : "r"(shared(response))
        : "memory");
    if (more != 0) out[tile * 64 + i] = in[tile * 64 + i];
#ifdef FIXED
    if (more == 0) break;
#endif
    fence_async();
    __syncthreads();
  }
}
