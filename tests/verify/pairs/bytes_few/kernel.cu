// SPDX-License-Identifier: Apache-2.0
// Two loads count to one phase. The bug: bytes of one alone are expected.
#include "../ptx.cuh"
extern "C" __global__ void k(const char* in, int* out) {
  __shared__ alignas(128) int a[128], b[128];
  __shared__ uint64_t full;
  const uint32_t t = threadIdx.x;
  if (t == 0) {
    init(&full, 1);
    fence_init();
  }
  __syncthreads();
  if (t == 0) {
#ifdef FIXED
    expect(&full, 1024);
#else
    expect(&full, 512);
#endif
    load_bulk(a, in, 512, &full);
    load_bulk(b, in + 512, 512, &full);
  }
  wait(&full, 0);
  out[t] = a[t] + b[t];
}
