// SPDX-License-Identifier: Apache-2.0
// One warp tells another by a named barrier that it may fill the next buffer, and waits until the bytes of one are there before
// it tells that again. The bug: it does not wait.
#include <cstdint>
__device__ unsigned at(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
extern "C" __global__ void rounds(const uint4* in, int n) {
  __shared__ alignas(128) uint4 buffer[3][128];
  __shared__ uint64_t done;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(&done)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
#pragma unroll 1
  for (int round = 0; round < n; ++round) {
    if (threadIdx.x >= 32) {
      asm volatile("barrier.sync 1, 64;" ::: "memory");
      if (threadIdx.x == 32) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 2048;" ::"r"(at(&done)) : "memory");
        asm volatile(
            "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], 2048, [%2];" ::"r"(at(buffer[round])),
            "l"(in), "r"(at(&done))
            : "memory");
      }
      __syncwarp();
    } else {
      asm volatile("barrier.arrive 1, 64;" ::: "memory");
#ifdef FIXED
      asm volatile(
          "{ .reg .pred p; W: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(at(&done)),
          "r"(round & 1)
          : "memory");
      __syncwarp();
#endif
    }
  }
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(at(&done)),
                 "r"((n - 1) & 1)
                 : "memory");
}
