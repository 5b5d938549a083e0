// SPDX-License-Identifier: Apache-2.0
// Threads count down what they have, in rounds, until nobody has anything left; how many rounds there are is
// for the data to say. The bug: a thread may take back the word that others are still to read.
extern "C" __global__ void count_down(const int* in, int* rounds) {
  __shared__ int more;
  int left = in[threadIdx.x], round = 0;
  while (true) {
    if (threadIdx.x == 0) more = 0;
    __syncthreads();
    if (left > 0) {
      left -= 1;
      more = 1;
    }
    __syncthreads();
    if (!more) break;
    round += 1;
#ifdef FIXED
    __syncthreads();
#endif
  }
  rounds[threadIdx.x] = round;
}
