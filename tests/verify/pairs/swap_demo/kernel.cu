// SPDX-License-Identifier: Apache-2.0
// Atomics of many threads whose results no instruction looks at. The bug: each thread reads one of the counters by a plain load.
extern "C" __global__ void demo(int* state, int* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&state[0], 10);
  atomicExch(&state[1], t);
  atomicMax(&state[2], t);
  atomicCAS(&state[3], t - 1, t);
  atomicExch(&state[3], t);
#ifndef FIXED
  out[t] = ((volatile int*)state)[0] + state[3];
#endif
}
