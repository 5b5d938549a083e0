// SPDX-License-Identifier: Apache-2.0
// A ring of words of 64 bits, a flag and data in each: who sees the flag has the data. The bug: the receiver gives a slot
// back before it has read it, so that the sender overwrites what is then waited for in vain.
#include <cstdint>

__device__ void send(std::uint64_t* slot, unsigned flag, unsigned data) {
  const std::uint64_t word = static_cast<std::uint64_t>(flag) << 32 | data;
  asm volatile("st.volatile.global.u64 [%0], %1;" ::"l"(slot), "l"(word) : "memory");
}

__device__ unsigned receive(const std::uint64_t* slot, unsigned flag) {
  std::uint64_t word;
  do asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(word) : "l"(slot) : "memory");
  while (word >> 32 != flag);
  return static_cast<unsigned>(word);
}

extern "C" __global__ void pass(const unsigned* in, unsigned* out, std::uint64_t* ring, unsigned* read,
                                unsigned steps) {
  constexpr unsigned kSlots = 2;
  const unsigned thread = threadIdx.x, threads = blockDim.x;
  for (unsigned step = 0; step < steps; ++step) {
    std::uint64_t* slot = ring + step % kSlots * threads + thread;
    const auto give_back = [&] {
      __syncthreads();
      if (thread == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(read), "r"(step + 1) : "memory");
    };
    if (blockIdx.x == 0) {
      if (step >= kSlots && thread == 0) {
        unsigned given;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(given) : "l"(read) : "memory");
        while (given < step - kSlots + 1);
      }
      __syncthreads();
      send(slot, step + 1, in[step * threads + thread]);
    } else {
#ifdef FIXED
      out[step * threads + thread] = receive(slot, step + 1);
      give_back();
#else
      give_back();
      out[step * threads + thread] = receive(slot, step + 1);
#endif
    }
  }
}
