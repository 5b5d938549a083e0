// SPDX-License-Identifier: Apache-2.0
// A flag that a second block hands on to a third one, which goes on with either value. The bug: the second block has not acquired
// what it hands on.
#include <cuda/atomic>
#ifdef FIXED
constexpr auto kLook = cuda::memory_order_acquire;
#else
constexpr auto kLook = cuda::memory_order_relaxed;
#endif
extern "C" __global__ void hand_on(int* data, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    *data = 1;
    f.store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    while (f.load(kLook) != 1) __nanosleep(32);
    f.store(2, cuda::memory_order_release);
  } else {
    while (f.load(cuda::memory_order_acquire) == 0) __nanosleep(32);
    *out = *data;
  }
}
