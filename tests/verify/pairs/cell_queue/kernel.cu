// SPDX-License-Identifier: Apache-2.0
// A queue of two cells, each with a number that says whose turn it is: to fill it, to take it, to fill it anew. The bug: who filled a
// cell tells its number with no release.
__device__ __forceinline__ void wait_for(const int* number, int awaited) {
  int seen;
  do asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(seen) : "l"(number) : "memory");
  while (seen != awaited);
}
__device__ __forceinline__ void tell(int* number, int next) {
  asm volatile("st.release.gpu.global.b32 [%0], %1;" ::"l"(number), "r"(next) : "memory");
}
extern "C" __global__ void queue(int* numbers, int* cells, int* out, int* filled, int* taken) {
  constexpr int kCells = 2;
  if (blockIdx.x < 2) {
    const int at = atomicAdd(filled, 1);
    wait_for(&numbers[at % kCells], at);
    cells[at % kCells] = 10 * at + 1;
#ifdef FIXED
    tell(&numbers[at % kCells], at + 1);
#else
    asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(&numbers[at % kCells]), "r"(at + 1) : "memory");
#endif
  } else {
    const int at = atomicAdd(taken, 1);
    wait_for(&numbers[at % kCells], at + 1);
    out[at] = cells[at % kCells];
    tell(&numbers[at % kCells], at + kCells);
  }
}
