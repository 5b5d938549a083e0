// SPDX-License-Identifier: Apache-2.0
// The sum of a block's numbers, by halves. The bug: the threads meet once, and not in each round.
extern "C" __global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[128];
  const int i = threadIdx.x;
  s[i] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2)
    if (i < half) s[i] += s[i + half];
  if (i == 0) *out = s[0];
}
