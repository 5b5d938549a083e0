// SPDX-License-Identifier: Apache-2.0
// ptxas merges weak loads of one location across acquires, in a polling loop that it unrolls.
//
//   nvcc -arch=sm_90a -O2 -o poll poll.cu && ./poll [LAUNCHES]; cuobjdump -sass poll
//
//   P0, block 2k                 P1, block 2k+1
//   st.weak [y], 1               at most 64 times:  f = ld.acquire.gpu [x]; d = ld.weak [y]; leave if f = 2
//   st.release.gpu [x], 2
//
// f = 2 and d = 0 is forbidden by 8.9.5: the weak load of the last turn is after its acquire in program order, and the two
// synchronize. Where nothing in a turn uses d, ptxas keeps the first load of y alone, from before the acquires.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

constexpr int kTurns = 64, kThreads = 256, kRounds = 16;

enum class Row : int { plain, used, fence, one_turn, relaxed_data };
constexpr int kRows = 5;
const char* const kNames[kRows] = {
    "forbidden  polls with ld.acquire.gpu; nothing in a turn uses y",
    "forbidden  the same, and each turn uses y",
    "forbidden  polls with ld.relaxed.gpu; fence.acq_rel.gpu; nothing in a turn uses y",
    "forbidden  polls first, then reads y once",
    "forbidden  the first row, y read by ld.relaxed.gpu",
};

struct Counts {
  unsigned long long readers, stale;  // readers: f = 2
};

template <Row R>
__device__ void reader(const unsigned* x, const unsigned* y, unsigned& f, unsigned& d) {
  for (int turn = 0; turn < kTurns; ++turn) {
    if (R == Row::fence)
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1]; fence.acq_rel.gpu;" : "=r"(f) : "l"(x) : "memory");
    else
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(f) : "l"(x) : "memory");
    if (R == Row::relaxed_data)
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(d) : "l"(y) : "memory");
    else if (R != Row::one_turn)
      asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(d) : "l"(y) : "memory");
    if (R == Row::used && d == 12345) break;
    if (f == 2) break;
  }
  if (R == Row::one_turn) asm volatile("ld.weak.global.u32 %0, [%1];" : "=r"(d) : "l"(y) : "memory");
}

template <Row R>
__global__ void play(unsigned* x, unsigned* y, Counts* counts, size_t places) {
  unsigned long long readers = 0, stale = 0;
  for (int round = 0; round < kRounds; ++round) {
    // A place of its own for each instance: 32 bytes, far from the next one's, that of y elsewhere.
    const size_t i = (size_t(blockIdx.x / 2) * kRounds + round) * kThreads + threadIdx.x;
    const size_t at = i * 2654435761u & (places - 1), of_y = (at * 40503u + 17) & (places - 1);
    unsigned *X = x + at * 8, *Y = y + of_y * 8;
    if (blockIdx.x % 2 == 0) {
      __syncthreads();
      asm volatile("st.weak.global.u32 [%0], 1; st.release.gpu.global.u32 [%1], 2;" ::"l"(Y), "l"(X) : "memory");
    } else {
      unsigned f = 0, d = 0;
      reader<R>(X, Y, f, d);
      readers += f == 2;
      stale += f == 2 && d == 0;
    }
  }
  if (readers != 0) atomicAdd(&counts->readers, readers);
  if (stale != 0) atomicAdd(&counts->stale, stale);
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

template <Row R>
bool run(int multiprocessors, int launches) {
  size_t places = 1;
  while (places < size_t(multiprocessors) * kRounds * kThreads) places *= 2;
  unsigned *x = nullptr, *y = nullptr;
  Counts *counts = nullptr, found{};
  check(cudaMalloc(&x, places * 32), "cudaMalloc");
  check(cudaMalloc(&y, places * 32), "cudaMalloc");
  check(cudaMalloc(&counts, sizeof(Counts)), "cudaMalloc");
  check(cudaMemset(counts, 0, sizeof(Counts)), "cudaMemset");
  for (int launch = 0; launch < launches; ++launch) {
    check(cudaMemset(x, 0, places * 32), "cudaMemset");
    check(cudaMemset(y, 0, places * 32), "cudaMemset");
    play<R><<<2 * multiprocessors, kThreads>>>(x, y, counts, places);
    check(cudaGetLastError(), "launch");
  }
  check(cudaMemcpy(&found, counts, sizeof found, cudaMemcpyDeviceToHost), "kernel");
  std::printf("%14llu %12llu  %s\n", found.readers, found.stale, kNames[int(R)]);
  for (void* one : {(void*)x, (void*)y, (void*)counts}) check(cudaFree(one), "cudaFree");
  return found.stale != 0;
}

int main(int count, char** words) {
  const int launches = count > 1 ? std::atoi(words[1]) : 250;
  cudaDeviceProp device{};
  int driver = 0;
  check(cudaGetDeviceProperties(&device, 0), "no GPU");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  std::printf("%s (sm_%d%d), driver %d.%d, nvcc %d.%d\n", device.name, device.major, device.minor, driver / 1000,
              driver % 1000 / 10, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__);
  std::printf("%14s %12s  row\n", "readers", "y stale");
  const int n = device.multiProcessorCount;
  bool stale = run<Row::plain>(n, launches);
  stale |= run<Row::used>(n, launches);
  stale |= run<Row::fence>(n, launches);
  stale |= run<Row::one_turn>(n, launches);
  stale |= run<Row::relaxed_data>(n, launches);
  return stale ? 1 : 0;
}
