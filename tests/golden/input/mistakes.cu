// Mistakes that are often made, a kernel each, for what reports say of them and advise. mistakes.ptx is made of it:
// nvcc -arch=sm_90a -lineinfo -ptx mistakes.cu
#include <cstdint>

__device__ inline void copy_async(void* to, const void* from) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}

__device__ inline void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int Left>
__device__ inline void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
}

extern "C" __global__ void histogram(unsigned* bins, const unsigned char* in) {
  __shared__ unsigned s[64];
  if (threadIdx.x < 64) s[threadIdx.x] = 0;
  __syncthreads();
  s[in[threadIdx.x] & 63]++;
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

extern "C" __global__ void shift(int* out) {
  out[threadIdx.x] = out[threadIdx.x + 1];
}

extern "C" __global__ void scatter(int* out, const int* index) {
  out[index[threadIdx.x]] = threadIdx.x;
}

__device__ unsigned count = 0;
extern "C" __global__ void last_block(float* partial, float* out) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = 1;
  if (atomicAdd(&count, 1) != gridDim.x - 1) return;
  *out = partial[0] + partial[1];
}

extern "C" __global__ void lock(int* mutex, int* value) {
  while (atomicCAS(mutex, 0, 1) != 0) {
  }
  *value += 1;
  atomicExch(mutex, 0);
}

extern "C" __global__ void flag(int* data, volatile int* ready, int* out) {
  if (blockIdx.x == 0) {
    *data = 42;
    *ready = 1;
  } else {
    while (*ready == 0) {
    }
    *out = *data;
  }
}

extern "C" __global__ void no_commit(float4* out, const float4* in) {
  __shared__ float4 s[32];
  copy_async(&s[threadIdx.x], &in[threadIdx.x]);
  out[threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void no_wait(float4* out, const float4* in) {
  __shared__ float4 s[32];
  copy_async(&s[threadIdx.x], &in[threadIdx.x]);
  commit();
  __syncthreads();
  out[threadIdx.x] = s[31 - threadIdx.x];
}

extern "C" __global__ void wait_for_fewer(float4* out, const float4* in) {
  __shared__ float4 s[32];
  copy_async(&s[threadIdx.x], &in[threadIdx.x]);
  commit();
  wait<1>();
  out[threadIdx.x] = s[threadIdx.x];
}

extern "C" __global__ void early_return(int* a, int n) {
  __shared__ int s[64];
  if (threadIdx.x >= n) return;
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[n - 1 - threadIdx.x];
}

extern "C" __global__ void steps(float* out, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    const float v = s[threadIdx.x] + s[(threadIdx.x + 1) % 64];
    __syncthreads();
    s[threadIdx.x] = v;
  }
  out[threadIdx.x] = s[threadIdx.x];
}
