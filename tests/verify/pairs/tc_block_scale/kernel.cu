// SPDX-License-Identifier: Apache-2.0
// A block-scaled product, whose scale factors tcgen05.cp loads. The bug: another warp issues that, and its completion is not waited for.
#include "../tcgen05.cuh"
extern "C" __global__ void k(const char* in, uint32_t* out) {
  __shared__ alignas(128) char a[128 * 32], b[64 * 32], sfa[512], sfb[512];
  __shared__ uint64_t full, done, copied;
  __shared__ uint32_t address;
  const int warp = threadIdx.x / 32;
  if (warp == 0) allocate(&address, 128);
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&done, 1);
    init(&copied, 1);
    fence_init();
  }
  before_sync();
  __syncthreads();
  after_sync();
  const uint32_t d = address, sa = address + 64, sb = address + 80;
  if (warp == 0 && elected()) {
    expect(&full, 128 * 32 + 64 * 32 + 1024);
    load_bulk(a, in, 128 * 32, &full);
    load_bulk(b, in + 8192, 64 * 32, &full);
    load_bulk(sfa, in + 16384, 512, &full);
    load_bulk(sfb, in + 16896, 512, &full);
#ifdef FIXED
    wait(&full, 0);
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(sa),
                 "l"(static_cast<uint64_t>(shared(sfa) & 0x3ffff) >> 4 | uint64_t{128 >> 4} << 16 |
                     uint64_t{128 >> 4} << 32 | uint64_t{1} << 46)
                 : "memory");
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(sb),
                 "l"(static_cast<uint64_t>(shared(sfb) & 0x3ffff) >> 4 | uint64_t{128 >> 4} << 16 |
                     uint64_t{128 >> 4} << 32 | uint64_t{1} << 46)
                 : "memory");
#endif
  }
#ifndef FIXED
  if (warp == 1 && elected()) {
    wait(&full, 0);
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(sa),
                 "l"(static_cast<uint64_t>(shared(sfa) & 0x3ffff) >> 4 | uint64_t{128 >> 4} << 16 |
                     uint64_t{128 >> 4} << 32 | uint64_t{1} << 46)
                 : "memory");
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(sb),
                 "l"(static_cast<uint64_t>(shared(sfb) & 0x3ffff) >> 4 | uint64_t{128 >> 4} << 16 |
                     uint64_t{128 >> 4} << 32 | uint64_t{1} << 46)
                 : "memory");
    arrive(&copied);
  }
#endif
  if (warp == 0 && elected()) {
#ifndef FIXED
    wait(&full, 0);
    wait(&copied, 0);
#endif
    const uint32_t shape = (kWidth / 8) << 17 | 1u << 23 | (128U / 128) << 27;
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, 0, 0;\n "
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X [%0], %1, %2, %3, [%4], [%5], p; "
        "}" ::"r"(d),
        "l"(matrix(a)), "l"(matrix(b)), "r"(shape), "r"(sa), "r"(sb)
        : "memory");
    commit(&done);
  }
  wait(&done, 0);
  after_sync();
  out[threadIdx.x] = load_tensor(d + (warp << 21));
  wait_loads();
  before_sync();
  __syncthreads();
  after_sync();
  if (warp == 0) deallocate(d, 128);
}
