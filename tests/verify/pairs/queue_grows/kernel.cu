// SPDX-License-Identifier: Apache-2.0
// A queue that grows: the flag of a slot says that its item is there, a count of open items that there may be more. The bug: the flag
// is set before the item is stored.
extern "C" __global__ void k(unsigned* item, unsigned* there, unsigned* head, unsigned* tail, unsigned* open, unsigned* out) {
  if (threadIdx.x != 0) return;
  unsigned at = atomicAdd(head, 1);
  while (true) {
    if (at < 3 && *(volatile unsigned*)&there[at]) {
      __threadfence();
      unsigned v = item[at];
      out[at] = v;
      for (unsigned child = 1; v == 3 && child <= 2; ++child) {
        unsigned to = atomicAdd(tail, 1);
        atomicAdd(open, 1);
#ifdef FIXED
        item[to] = child;
        __threadfence();
        atomicExch(&there[to], 1);
#else
        atomicExch(&there[to], 1);
        item[to] = child;
#endif
      }
      __threadfence();
      atomicSub(open, 1);
      at = atomicAdd(head, 1);
    } else if (*(volatile unsigned*)open == 0) {
      break;
    }
  }
}
