// SPDX-License-Identifier: Apache-2.0
// Look-back with value and state in one word of 64 bits. The bug: state and value are stored in two halves.
extern "C" __global__ void scan(const int* in, int* out, unsigned long long* tiles) {
  const int b = blockIdx.x;
  int incl = in[b * 32 + threadIdx.x];
  for (int d = 1; d < 32; d *= 2) {
    const int up = __shfl_up_sync(0xffffffffu, incl, d);
    if (threadIdx.x >= d) incl += up;
  }
  int before = 0;
  if (threadIdx.x == 31) {
    const auto put = [&](unsigned state, int value) {
#ifdef FIXED
      const unsigned long long word =
          static_cast<unsigned long long>(state) << 32 | static_cast<unsigned>(value);
      asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(tiles + b), "l"(word) : "memory");
#else
      auto* half = reinterpret_cast<unsigned*>(tiles + b);
      half[0] = value;
      asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(half + 1), "r"(state) : "memory");
#endif
    };
    put(b == 0 ? 2 : 1, incl);
    for (int p = b - 1; p >= 0; --p) {
      unsigned long long word;
      do asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(word) : "l"(tiles + p) : "memory");
      while (word >> 32 == 0);
      before += static_cast<int>(word);
      if (word >> 32 == 2) break;
    }
    if (b != 0) put(2, before + incl);
  }
  before = __shfl_sync(0xffffffffu, before, 31);
  out[b * 32 + threadIdx.x] = before + incl;
}
