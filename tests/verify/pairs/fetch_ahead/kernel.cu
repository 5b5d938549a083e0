// SPDX-License-Identifier: Apache-2.0
// Blocks add to one tile in their order: a semaphore, whose state is fetched ahead of the loop that waits for it. The bug: it is
// stored with no release.
struct Semaphore {
  int* lock;
  int state;
  __device__ void fetch() {
    if (threadIdx.x == 0) asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(state) : "l"(lock) : "memory");
  }
  __device__ void wait(int wanted) {
    while (__syncthreads_and(state != wanted)) fetch();
    __syncthreads();
  }
  __device__ void give(int next) {
    __syncthreads();
    if (threadIdx.x != 0) return;
#ifdef FIXED
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(lock), "r"(next) : "memory");
#else
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(lock), "r"(next) : "memory");
#endif
  }
};
extern "C" __global__ void add(int* lock, int* tile) {
  Semaphore semaphore{lock, -1};
  semaphore.fetch();
  const int mine = blockIdx.x;
  semaphore.wait(mine);
  const int before = mine == 0 ? 0 : tile[threadIdx.x];
  tile[threadIdx.x] = before + mine;
  semaphore.give(mine + 1 == gridDim.x ? 0 : mine + 1);
}
