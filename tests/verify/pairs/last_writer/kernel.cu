// SPDX-License-Identifier: Apache-2.0
// The threads of a block choose one among them. The bug: each writes its number, and the one whose write comes last is taken to be
// the last thread, which nothing says.
extern "C" __global__ void choose(int* out) {
  __shared__ int chosen;
  if (threadIdx.x == 0) chosen = blockDim.x;
  __syncthreads();
#ifdef FIXED
  atomicMin(&chosen, blockDim.x - 1 - threadIdx.x);
#else
  atomicExch(&chosen, blockDim.x - 1 - threadIdx.x);
#endif
  __syncthreads();
  if (threadIdx.x == 0) out[chosen] = 1;
}
