// SPDX-License-Identifier: Apache-2.0
// A ring of lines of 16 bytes, data and the number of the round in each. The bug: a vector of two words, which are read in no order;
// a .b128 is one access.
#include <cstdint>

__device__ void send(std::uint64_t* line, std::uint64_t data, std::uint64_t round) {
#ifdef FIXED
  asm volatile("{ .reg .b128 word; mov.b128 word, {%1, %2}; st.relaxed.gpu.global.b128 [%0], word; }" ::"l"(line), "l"(data), "l"(round) : "memory");
#else
  asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" ::"l"(line), "l"(data), "l"(round) : "memory");
#endif
}

__device__ std::uint64_t receive(const std::uint64_t* line, std::uint64_t round) {
  std::uint64_t data, there;
  do {
#ifdef FIXED
    asm volatile("{ .reg .b128 word; ld.relaxed.gpu.global.b128 word, [%2]; mov.b128 {%0, %1}, word; }" : "=l"(data), "=l"(there) : "l"(line) : "memory");
#else
    asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];" : "=l"(data), "=l"(there) : "l"(line) : "memory");
#endif
  } while (there != round);
  return data;
}

extern "C" __global__ void pass(const std::uint64_t* in, std::uint64_t* out, std::uint64_t* ring, unsigned* read, unsigned rounds) {
  constexpr unsigned kSlots = 2;
  const unsigned thread = threadIdx.x, threads = blockDim.x;
  for (unsigned round = 0; round < rounds; ++round) {
    std::uint64_t* line = ring + 2 * (round % kSlots * threads + thread);
    if (blockIdx.x == 0) {
      if (round >= kSlots && thread == 0) {
        unsigned given;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(given) : "l"(read) : "memory");
        while (given < round - kSlots + 1);
      }
      __syncthreads();
      send(line, in[round * threads + thread], round + 1);
    } else {
      out[round * threads + thread] = receive(line, round + 1);
      __syncthreads();
      if (thread == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(read), "r"(round + 1) : "memory");
    }
  }
}
