// SPDX-License-Identifier: Apache-2.0
// A kernel that is launched early overwrites what the one before may still read. The bug: it does not wait.
extern "C" __global__ void a(const int* x, int* y) {
  int i = blockIdx.x * 32 + threadIdx.x;
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  y[i] = x[i];
}
extern "C" __global__ void b(int* x) {
  int i = blockIdx.x * 32 + threadIdx.x;
#ifdef FIXED
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  x[i] = i;
}
