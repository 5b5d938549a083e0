// SPDX-License-Identifier: Apache-2.0
// Three kernels, each launched early: the third waits for the second, and reads what the first has written. The bug: the second
// does not wait for the first.
extern "C" __global__ void first(int* a, int*) {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  a[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void second(int*, int* b) {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#ifdef FIXED
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  b[blockIdx.x * 64 + threadIdx.x] = 5;
}
extern "C" __global__ void third(int* a, int* b) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  b[blockIdx.x * 64 + threadIdx.x] += a[blockIdx.x * 64 + threadIdx.x];
}
