// SPDX-License-Identifier: Apache-2.0
// A sum over four ranks, in rounds: each writes its part, all meet by flags of which each rank has one of each other, each adds up all
// parts, and all meet again. The bug: only the threads that waited for flags are behind them.
constexpr int kRanks = 4;
struct Flags {
  int of[2][kRanks];  // by block, by the rank that sets it
};
__device__ __forceinline__ void meet_ranks(Flags* flags, int rank, int round) {
  __syncthreads();
  if (threadIdx.x < kRanks) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(&flags[threadIdx.x].of[blockIdx.x][rank]),
                 "r"(round)
                 : "memory");
    int seen;
    do
      asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                   : "=r"(seen)
                   : "l"(&flags[rank].of[blockIdx.x][threadIdx.x])
                   : "memory");
    while (seen != round);
  }
#ifdef FIXED
  __syncthreads();
#endif
}
extern "C" __global__ void allreduce(float* parts, const float* in, float* out, Flags* flags, int rounds) {
  const int rank = blockIdx.y, t = blockIdx.x * 64 + threadIdx.x;
#pragma unroll 1
  for (int round = 1; round <= rounds; ++round) {
    parts[rank * 128 + t] = in[rank * 128 + t] * round;
    meet_ranks(flags, rank, round);
    float sum = 0;
    for (int r = 0; r < kRanks; ++r) sum += parts[r * 128 + t];
    out[rank * 128 + t] = sum;
    meet_ranks(flags + kRanks, rank, round);
  }
}
