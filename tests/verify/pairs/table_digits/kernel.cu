// SPDX-License-Identifier: Apache-2.0
// Each thread counts the digits of its keys in a column of its own, and a row is summed up behind a barrier. The bug: the columns of two
// threads are one, as the index forgets one bit of the thread.
extern "C" __global__ void digits(const unsigned* keys, unsigned* out) {
  __shared__ unsigned char column[10][32];
  for (int digit = 0; digit < 10; ++digit) column[digit][threadIdx.x] = 0;
  __syncthreads();
#ifdef FIXED
  const unsigned own = threadIdx.x;
#else
  const unsigned own = threadIdx.x & ~1u;
#endif
  for (int i = 0; i < 3; ++i) ++column[keys[i * 32 + threadIdx.x] % 10][own];
  __syncthreads();
  unsigned sum = 0;
  if (threadIdx.x < 10)
    for (int i = 0; i < 32; ++i) sum += column[threadIdx.x][i];
  out[threadIdx.x] = sum;
}
