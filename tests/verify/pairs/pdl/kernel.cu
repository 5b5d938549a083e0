// SPDX-License-Identifier: Apache-2.0
// Two kernels, the second launched early. The bug: it reads the first one's result before it waits for it.
extern "C" __global__ void produce(int* mid) {
  asm volatile("griddepcontrol.launch_dependents;");
  mid[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;
}
extern "C" __global__ void consume(const int* mid, const int* scale, int* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const int by = scale[0];
#ifndef FIXED
  const int v = *(volatile const int*)(mid + i);
#endif
  asm volatile("griddepcontrol.wait;" ::: "memory");
#ifdef FIXED
  const int v = mid[i];
#endif
  out[i] = v * by;
}
