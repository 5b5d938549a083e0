// SPDX-License-Identifier: Apache-2.0
// The first thread of a block keeps a result, if a switch in memory is on. The compiler joins both conditions in one predicate, of which the
// thread's part is known. The bug: two threads keep theirs in one place.
extern "C" __global__ void keep(const int* mode, int* result, int share) {
#ifdef FIXED
  if (mode[0] == 7 && threadIdx.x == 0) *result = share * threadIdx.x;
#else
  if (mode[0] == 7 && threadIdx.x < 2) *result = share * threadIdx.x;
#endif
}
