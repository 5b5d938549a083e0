// SPDX-License-Identifier: Apache-2.0
// Data and flags in one vector: who sees the flags takes the data from the same read. The bug: each word of a vector is an access of
// its own, in no order, and a flag stands beside its data, not with it in one word.
#include <cstdint>

__device__ void send(std::uint64_t* line, std::uint64_t data, unsigned flag) {
  const unsigned low = static_cast<unsigned>(data), high = static_cast<unsigned>(data >> 32);
#ifdef FIXED
  const std::uint64_t first = static_cast<std::uint64_t>(flag) << 32 | low, second = static_cast<std::uint64_t>(flag) << 32 | high;
  asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(line), "l"(first), "l"(second) : "memory");
#else
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(line), "r"(low), "r"(flag), "r"(high) : "memory");
#endif
}

__device__ std::uint64_t receive(const std::uint64_t* line, unsigned flag) {
#ifdef FIXED
  std::uint64_t first, second;
  do asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(line) : "memory");
  while (first >> 32 != flag || second >> 32 != flag);
  return (first & 0xffffffffU) | second << 32;
#else
  unsigned low, high, flag1, flag2;
  do asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(low), "=r"(flag1), "=r"(high), "=r"(flag2) : "l"(line) : "memory");
  while (flag1 != flag || flag2 != flag);
  return low | static_cast<std::uint64_t>(high) << 32;
#endif
}

extern "C" __global__ void pass(const std::uint64_t* in, std::uint64_t* out, std::uint64_t* lines, unsigned flag) {
  const unsigned thread = threadIdx.x;
  if (blockIdx.x == 0) {
    send(lines + 2 * thread, in[thread], flag);
  } else {
    out[thread] = receive(lines + 2 * thread, flag);
  }
}
