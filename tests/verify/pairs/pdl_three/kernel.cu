// SPDX-License-Identifier: Apache-2.0
// Three kernels, each launched early. The bug: the third reads what the first wrote, for which the second has not waited.
extern "C" __global__ void a(int* x) { asm volatile("griddepcontrol.launch_dependents;"); x[threadIdx.x] = 1; }
extern "C" __global__ void b(int* y) { asm volatile("griddepcontrol.launch_dependents;");
#ifdef FIXED
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  y[threadIdx.x] = 2; }
extern "C" __global__ void c(const int* x, const int* y, int* z) { asm volatile("griddepcontrol.wait;" ::: "memory"); z[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x]; }
