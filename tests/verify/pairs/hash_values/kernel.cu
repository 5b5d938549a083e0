// SPDX-License-Identifier: Apache-2.0
// A table in shared memory: keys are put in by swaps, values added by atomics, and the table is written out. The bug: no barrier before
// that. (Each thread has seen its own key there, by which it is behind the swap that put it in, and not behind the additions.)
extern "C" __global__ void k(const int* keys, int* out) {
  __shared__ int id[64], sum[64];
  int t = threadIdx.x;
  id[t] = -1;
  sum[t] = 0;
  __syncthreads();
  int key = keys[t], at = key;
  while (true) {
    int seen = *(volatile int*)&id[at];
    if (seen == -1) seen = atomicCAS(&id[at], -1, key);
    if (seen == -1 || seen == key) break;
    at = (at + 1) % 64;
  }
  atomicAdd(&sum[at], 1);
#ifdef FIXED
  __syncthreads();
#endif
  if (id[t] >= 0) out[t] = sum[t];
}
