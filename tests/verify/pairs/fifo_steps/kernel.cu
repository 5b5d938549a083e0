// SPDX-License-Identifier: Apache-2.0
// A FIFO of two buffers between blocks: steps are posted by an elected thread, and given back. The bug: no barrier between the stores
// of the others and the post.
extern "C" __global__ void k(const int* in, int* buf, unsigned long long* head, unsigned long long* tail, int* out) {
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    for (int step = 0; step < 3; ++step) {
      if (t == 0) { unsigned long long h; do { asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(h) : "l"(head) : "memory"); } while (h + 2 <= step);
        __threadfence_system(); }
      __syncthreads();
      buf[(step % 2) * 64 + t] = in[step * 64 + t];
#ifdef FIXED
      __syncthreads();
#endif
      if (t == 0) { __threadfence_system(); asm volatile("st.relaxed.sys.global.u64 [%0], %1;" :: "l"(tail), "l"((unsigned long long)step + 1) : "memory"); }
    }
  } else {
    for (int step = 0; step < 3; ++step) {
      if (t == 0) { unsigned long long h; do { asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(h) : "l"(tail) : "memory"); } while (h <= step); }
      __syncthreads();
      out[step * 64 + t] = buf[(step % 2) * 64 + t];
      __syncthreads();
      if (t == 0) asm volatile("st.release.sys.global.u64 [%0], %1;" :: "l"(head), "l"((unsigned long long)step + 1) : "memory");
    }
  }
}
