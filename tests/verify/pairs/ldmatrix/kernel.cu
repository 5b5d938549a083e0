// SPDX-License-Identifier: Apache-2.0
// Fragments are read by ldmatrix from a buffer that cp.async fills. The bug: each thread waits for its own
// copies alone.
#include <cuda_pipeline.h>

#include <cstdint>
extern "C" __global__ void product(const int4* a, unsigned* out) {
  __shared__ alignas(128) int4 s[128];
  __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
#ifdef FIXED
  __syncthreads();
#endif
  const int lane = threadIdx.x % 32;
  unsigned r[4];
  const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(&s[(threadIdx.x / 32 ^ 1) * 32 + lane]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at)
               : "memory");
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = r[i];
}
