// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels.ptx: nvcc -std=c++17 -arch=sm_90a -ptx, comments left out.
#include <cooperative_groups.h>

#include <cstdint>
#include <cuda/atomic>
namespace cg = cooperative_groups;
struct P {
  int a;
  int* p;
  float f;
  short s[3];
};
__constant__ int cst[4] = {1, 2, 3, 4};
__device__ int glob = 7;
__device__ int* ptr = &glob;
extern "C" __global__ void racy(int* o, int n) {
  o[0] = threadIdx.x + n;
}
extern "C" __global__ void shared_sum(int* o, const int* in) {
  __shared__ int s[4];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) o[blockIdx.x] = s[0] + s[1];
}
extern "C" __global__ void dynsh(int* o) {
  extern __shared__ int d[];
  d[threadIdx.x] = threadIdx.x;
  __syncwarp();
  o[threadIdx.x] = d[threadIdx.x ^ 1];
}
extern "C" __global__ void blob(P p) {
  if (p.a > 0) p.p[threadIdx.x] = p.s[1] + (int)p.f;
}
extern "C" __global__ void consts(int* o) {
  o[threadIdx.x] = cst[threadIdx.x] + *ptr;
}
extern "C" __global__ void lastblock(int* data, unsigned* count, int* o) {
  data[blockIdx.x] = blockIdx.x + 1;
  __threadfence();
  unsigned t = atomicInc(count, gridDim.x - 1);
  if (t == gridDim.x - 1) {
    __threadfence();
    o[0] = data[0] + data[1];
  }
}
extern "C" __global__ void mp(int* data, int* flag, int* o) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    *data = 42;
    f.store(1, cuda::memory_order_release);
  } else {
    while (f.load(cuda::memory_order_acquire) == 0) {
    }
    o[0] = *data;
  }
}
extern "C" __global__ void mp_bad(int* data, int* flag, int* o) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    *data = 42;
    f.store(1, cuda::memory_order_relaxed);
  } else {
    while (f.load(cuda::memory_order_acquire) == 0) {
    }
    o[0] = *data;
  }
}
extern "C" __global__ void lock(int* m, int* x) {
  while (atomicCAS(m, 0, 1) != 0) {
  }
  __threadfence();
  *x = *x + 1;
  __threadfence();
  atomicExch(m, 0);
}
extern "C" __global__ void sw(int* o, int n) {
  int v;
  switch (n + threadIdx.x) {
    case 0:
      v = 10;
      break;
    case 1:
      v = 20;
      break;
    case 2:
      v = 33;
      break;
    case 3:
      v = 4;
      break;
    case 4:
      v = 7;
      break;
    case 5:
      v = 99;
      break;
    default:
      v = 0;
  }
  o[threadIdx.x] = v;
}
__device__ __noinline__ int helper(int a, int* p) {
  p[0] = a;
  return a * 3;
}
extern "C" __global__ void calls(int* o) {
  int loc[2];
  o[threadIdx.x] = helper(threadIdx.x + 1, loc) + loc[0];
}
extern "C" __global__ void locals(int* o, int i) {
  int a[4] = {1, 2, 3, 4};
  a[i & 3] = 9;
  o[threadIdx.x] = a[(i + threadIdx.x) & 3];
}
extern "C" __global__ void bytes(unsigned char* o) {
  o[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) *(unsigned short*)(o + 2) = *(unsigned short*)o;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) clus(int* o) {
  __shared__ int s;
  cg::cluster_group c = cg::this_cluster();
  if (threadIdx.x == 0) s = c.block_rank() + 5;
  c.sync();
  int* r = c.map_shared_rank(&s, c.block_rank() ^ 1);
  if (threadIdx.x == 0) o[c.block_rank()] = *r;
  c.sync();
}
extern "C" __global__ void gridsync(int* o) {
  cg::grid_group g = cg::this_grid();
  o[blockIdx.x] = 1;
  g.sync();
  if (blockIdx.x == 0) o[2] = o[1];
}
extern "C" __global__ void shfl(int* o) {
  int v = __shfl_xor_sync(3, threadIdx.x + 1, 1);
  o[threadIdx.x] = v;
}
extern "C" __global__ void vote(int* o, int n) {
  unsigned b = __ballot_sync(3, (int)threadIdx.x < n);
  if (threadIdx.x == 0) o[0] = b;
}
extern "C" __global__ void fl(float* o, float a) {
  o[threadIdx.x] = a * 2.0f + 1.0f;
}
extern "C" __global__ void wide(unsigned long long* o) {
  atomicAdd(o, 0x100000000ull);
}
extern "C" __global__ void hang(int* f) {
  while (*(volatile int*)f == 0) {
  }
}
extern "C" __global__ void oob(int* o) {
  o[100] = 1;
}
extern "C" __global__ void pipe(int* o, const int* in) {
  __shared__ alignas(16) int s[4];
  if (threadIdx.x == 0) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(s)),
                 "l"(in));
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;");
  }
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void mbar(int* o) {
  __shared__ uint64_t b;
  __shared__ int s;
  unsigned a = __cvta_generic_to_shared(&b);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(a));
  }
  __syncthreads();
  if (threadIdx.x == 1) s = 5;
  asm volatile("{.reg .b64 t; mbarrier.arrive.shared.b64 t, [%0];}" ::"r"(a) : "memory");
  asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra W;}" ::"r"(a)
               : "memory");
  o[threadIdx.x] = s;
}
extern "C" __global__ void clockk(long long* o) {
  o[threadIdx.x] = clock64();
}
extern "C" __global__ void ids(int* o) {
  if (threadIdx.x + threadIdx.y * blockDim.x == 0) o[blockIdx.x + blockIdx.y * gridDim.x] = threadIdx.y;
}
extern "C" __global__ void tidwrite(int* o) {
  for (int i = threadIdx.x; i < 4; i += blockDim.x) o[i] = i;
}
