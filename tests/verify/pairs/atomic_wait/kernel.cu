// SPDX-License-Identifier: Apache-2.0
// atomic::wait and notify between blocks. The bug: data is stored behind the notification.
#include <cuda/atomic>
extern "C" __global__ void pass(int* data, cuda::atomic<int, cuda::thread_scope_device>* flag, int* out) {
  if (blockIdx.x == 0) {
#ifdef FIXED
    data[0] = 7;
#endif
    flag->store(1, cuda::memory_order_release);
    flag->notify_all();
#ifndef FIXED
    data[0] = 7;
#endif
  } else {
    flag->wait(0, cuda::memory_order_acquire);
    out[0] = data[0];
  }
}
