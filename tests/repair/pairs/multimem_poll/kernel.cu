// SPDX-License-Identifier: Apache-2.0
// A device counts itself at a counter of all devices by its multimem address, and reads its own copy. The bug: these are two addresses of one
// location, and no fence of the alias proxy is between. The mend: that fence.
extern "C" __global__ void count_devices(unsigned* all, const unsigned* own, unsigned* out) {
  asm volatile("multimem.red.release.sys.global.add.u32 [%0], 1;" ::"l"(all) : "memory");
#ifdef FIXED
  asm volatile("fence.proxy.alias;" ::: "memory");
#endif
  unsigned now;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(now) : "l"(own) : "memory");
  out[0] = now;
}
