// SPDX-License-Identifier: Apache-2.0
// A programmatic dependent of a grid that launches no dependents. The bug: it does not wait, as that grid has ended.
extern "C" __global__ void produce(int* mid) { mid[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void consume(const int* mid, int* out) {
#ifdef FIXED
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  out[threadIdx.x] = mid[threadIdx.x];
}
