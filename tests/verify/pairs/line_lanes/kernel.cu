// SPDX-License-Identifier: Apache-2.0
// Eight lanes pass a line of 128 bytes, of which the last word is a flag: the warp reads on until all flags are there. The bug: the data
// is taken from the reads that find the flags, which nothing orders behind those of the lanes that have them.
#include <cstdint>

extern "C" __global__ void pass(const std::uint64_t* in, std::uint64_t* out, std::uint64_t* lines, std::uint64_t flag) {
  const unsigned lane = threadIdx.x;
  const bool has_flag = lane % 8 == 7;
  std::uint64_t* words = lines + 2 * lane;
  std::uint64_t first = in[2 * lane], second = in[2 * lane + 1];
  if (blockIdx.x == 0) {
    asm volatile("st.volatile.global.u64 [%0], %1;" ::"l"(words), "l"(first) : "memory");
    if (!has_flag) asm volatile("st.volatile.global.u64 [%0], %1;" ::"l"(words + 1), "l"(second) : "memory");
    __syncwarp();
    __threadfence();
    if (has_flag) asm volatile("st.volatile.global.u64 [%0], %1;" ::"l"(words + 1), "l"(flag) : "memory");
    return;
  }
  const auto load = [&] {
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(words) : "memory");
  };
#ifdef FIXED
  do {
    if (has_flag) asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(second) : "l"(words + 1) : "memory");
  } while (__any_sync(~0u, has_flag && second != flag));
  __threadfence();
  __syncwarp();
  load();
#else
  do load();
  while (__any_sync(~0u, has_flag && second != flag));
#endif
  out[2 * lane] = first;
  if (!has_flag) out[2 * lane + 1] = second;
}
