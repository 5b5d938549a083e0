// SPDX-License-Identifier: Apache-2.0
// A warp loads a matrix of a buffer, and then hands the buffer back to another warp, which fills it anew. The bug: only the lanes
// that gave the addresses of the rows arrive, but each lane has read elements of its own.
#ifdef FIXED
#define READERS 32
#else
#define READERS 8
#endif
extern "C" __global__ void refill(unsigned* out) {
  __shared__ __align__(16) unsigned tile[32];
  __shared__ __align__(8) unsigned long long empty;
  const unsigned bar = __cvta_generic_to_shared(&empty), lane = threadIdx.x % 32;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(READERS) : "memory");
  if (threadIdx.x < 32) tile[lane] = lane;
  __syncthreads();
  if (threadIdx.x < 32) {
    unsigned row = __cvta_generic_to_shared(tile + lane % 8 * 4), got;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(got) : "r"(row) : "memory");
    if (lane < READERS) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory");
    out[lane] = got;
  } else {
    asm volatile(
        "{\n\t.reg .pred %%done;\nWAIT:\n\tmbarrier.try_wait.parity.shared.b64 %%done, [%0], 0;\n\t@!%%done bra WAIT;\n\t}" ::"r"(bar)
        : "memory");
    tile[lane] = 100 + lane;
  }
}
