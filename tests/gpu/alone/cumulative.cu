// SPDX-License-Identifier: Apache-2.0
// What an atomic acquires it does not release: the shape of tests/gpu/README.md without ptxmc's harness.
//
//   nvcc -arch=sm_90a -O2 -o cumulative cumulative.cu && ./cumulative [SECONDS_A_ROW [CONFIGURATIONS]]
//
//   P1, block b                      P2, block b                          P0, another block
//   st.weak [y], 1                   o = atom.acq_rel.gpu.exch [x], 2     f = ld.acquire.gpu [x]
//   st.release.cta [x], 1                                                 d = ld.weak [y]
//
// f = 2, o = 1 and d = 0 is forbidden by 8.9.5: base causality is transitive. With a relaxed atomic it is allowed. A row that is
// forbidden says something only where the rows that are allowed show the outcome. So the program first searches for a
// configuration in which they do most often: the row with fences, which waits as an acq_rel atomic does, then the relaxed one.
// It runs all rows with that.
//
// All blocks play at once, round after round, without waiting for each other within a round: P0 takes what it finds. A poll would
// spend the time in which the store of y is under way, as would a handshake before each instance.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

constexpr unsigned kInstances = 128;           // of a block, in a round
constexpr unsigned kThreads = 3 * kInstances;  // P1, P2, P0: a warp has one role
constexpr unsigned kScratch = 1u << 21;        // words that stress hammers

/// How a row's instances are played: what the search draws.
struct Configuration {
  unsigned stride;   // words from an instance's variable to the next one's
  unsigned mix;      // odd: P0's thread i reads the variables of instance i * mix
  unsigned before;   // stores to scratch memory that each thread makes first
  unsigned jam;      // percent of the blocks that hammer scratch memory in a round, and play no part
  unsigned wait[3];  // clock cycles that P1, P2, P0 wait for at most, at random
};

enum class Row : int { relaxed, fences, fence_sc, acq_rel, acq_rel_sys, narrow_fence, release_gpu };
constexpr int kRows = 7;
const char* const kNames[kRows] = {
    "allowed    P1 release.cta;               P2 atom.relaxed.gpu",
    "allowed    P1 release.cta;               P2 fence.acq_rel.gpu; atom.relaxed.gpu; fence.acq_rel.gpu",
    "allowed    P1 release.cta;               P2 fence.sc.gpu; atom.relaxed.gpu; fence.sc.gpu",
    "forbidden  P1 release.cta;               P2 atom.acq_rel.gpu",
    "forbidden  P1 release.cta;               P2 atom.acq_rel.sys",
    "forbidden  P1 fence.acq_rel.cta, relaxed; P2 atom.acq_rel.gpu",
    "forbidden  P1 release.gpu;               P2 atom.acq_rel.gpu",
};

struct Counts {
  unsigned long long instances, chained, stale;  // chained: f = 2 and o = 1; stale: and d = 0
};

__device__ unsigned next(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__device__ void idle(unsigned& state, unsigned most) {
  if (most == 0) return;
  const long long end = clock64() + next(state) % most;
  while (clock64() < end) {
  }
}

template <Row R>
__device__ void writer(unsigned* x, unsigned* y) {
  asm volatile("st.weak.global.u32 [%0], 1;" ::"l"(y) : "memory");
  if (R == Row::release_gpu)
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(x) : "memory");
  else if (R == Row::narrow_fence)
    asm volatile("fence.acq_rel.cta; st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(x) : "memory");
  else
    asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(x) : "memory");
}

template <Row R>
__device__ unsigned swap(unsigned* x) {
  unsigned o = 0;
  if (R == Row::relaxed)
    asm volatile("atom.relaxed.gpu.global.exch.b32 %0, [%1], 2;" : "=r"(o) : "l"(x) : "memory");
  else if (R == Row::fences)
    asm volatile("fence.acq_rel.gpu; atom.relaxed.gpu.global.exch.b32 %0, [%1], 2; fence.acq_rel.gpu;"
                 : "=r"(o) : "l"(x) : "memory");
  else if (R == Row::fence_sc)
    asm volatile("fence.sc.gpu; atom.relaxed.gpu.global.exch.b32 %0, [%1], 2; fence.sc.gpu;" : "=r"(o) : "l"(x) : "memory");
  else if (R == Row::acq_rel_sys)
    asm volatile("atom.acq_rel.sys.global.exch.b32 %0, [%1], 2;" : "=r"(o) : "l"(x) : "memory");
  else
    asm volatile("atom.acq_rel.gpu.global.exch.b32 %0, [%1], 2;" : "=r"(o) : "l"(x) : "memory");
  return o;
}

template <Row R>
__global__ void play(unsigned* x, unsigned* y, unsigned* seen, unsigned* scratch, Counts* counts, Configuration c, unsigned rounds,
                     unsigned seed) {
  const unsigned role = threadIdx.x / kInstances, lane = threadIdx.x % kInstances;
  unsigned state = (seed * 2654435761u + blockIdx.x * 40503u + threadIdx.x * 7919u) | 1u;
  unsigned common = seed | 1u;  // the same in all threads
  unsigned long long chained = 0, stale = 0, played = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    const unsigned shift = 1 + next(common) % (gridDim.x - 1), salt = next(common);
    const unsigned owner = role == 2 ? (blockIdx.x + shift) % gridDim.x : blockIdx.x;
    const unsigned i = owner * kInstances + (role == 2 ? lane * c.mix % kInstances : lane);
    unsigned *X = x + size_t{i} * c.stride, *Y = y + size_t{i} * c.stride;
    const bool jams = (blockIdx.x * 2654435761u ^ salt) % 100 < c.jam;
    cg::this_grid().sync();
    unsigned f = 0, d = 0;
    for (unsigned k = 0; k < (jams ? 64 : c.before); ++k) scratch[next(state) % kScratch] = k;
    if (!jams) {
      idle(state, c.wait[role]);
      if (role == 0) writer<R>(X, Y);
      if (role == 1) seen[i] = swap<R>(X);
      if (role == 2)
        asm volatile("ld.acquire.gpu.global.u32 %0, [%2]; ld.weak.global.u32 %1, [%3];"
                     : "=r"(f), "=r"(d) : "l"(X), "l"(Y) : "memory");
    } else if (role == 1) {
      seen[i] = 0;
    }
    cg::this_grid().sync();
    if (role == 2 && !jams) {
      const bool chain = f == 2 && *(volatile unsigned*)(seen + i) == 1;
      ++played;
      chained += chain;
      stale += chain && d == 0;
    }
    if (role == 0) {
      *(volatile unsigned*)X = 0;
      *(volatile unsigned*)Y = 0;
    }
  }
  if (role == 2) {
    atomicAdd(&counts->instances, played);
    atomicAdd(&counts->chained, chained);
    atomicAdd(&counts->stale, stale);
  }
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

class Bench {
 public:
  explicit Bench(int multiprocessors) : multiprocessors_(multiprocessors) {
    const size_t words = size_t{16} * multiprocessors * kInstances * 64;
    for (unsigned** one : {&x_, &y_, &seen_}) check(cudaMalloc(one, words * sizeof(unsigned)), "cudaMalloc");
    check(cudaMalloc(&scratch_, kScratch * sizeof(unsigned)), "cudaMalloc");
    check(cudaMalloc(&counts_, sizeof(Counts)), "cudaMalloc");
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
    words_ = words;
  }

  /// About so many seconds of a row.
  template <Row R>
  Counts run(const Configuration& c, double seconds) {
    Counts total{};
    double spent = 0;
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, play<R>, kThreads, 0), "occupancy");
    blocks *= multiprocessors_;
    for (unsigned rounds = 200; spent < seconds; rounds = 4000) {
      check(cudaMemset(x_, 0, words_ * sizeof(unsigned)), "cudaMemset");
      check(cudaMemset(y_, 0, words_ * sizeof(unsigned)), "cudaMemset");
      check(cudaMemset(counts_, 0, sizeof(Counts)), "cudaMemset");
      Configuration copy = c;
      unsigned seed = ++launches_ * 7919u + 1;
      void* arguments[] = {&x_, &y_, &seen_, &scratch_, &counts_, &copy, &rounds, &seed};
      check(cudaEventRecord(begin_), "cudaEventRecord");
      check(cudaLaunchCooperativeKernel((const void*)play<R>, dim3(blocks), dim3(kThreads), arguments, 0, nullptr), "launch");
      check(cudaEventRecord(end_), "cudaEventRecord");
      check(cudaEventSynchronize(end_), "kernel");
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
      spent += milliseconds / 1000;
      Counts one{};
      check(cudaMemcpy(&one, counts_, sizeof one, cudaMemcpyDeviceToHost), "cudaMemcpy");
      total.instances += one.instances;
      total.chained += one.chained;
      total.stale += one.stale;
    }
    return total;
  }

  Counts run(int row, const Configuration& c, double seconds) {
    switch (Row(row)) {
      case Row::relaxed: return run<Row::relaxed>(c, seconds);
      case Row::fences: return run<Row::fences>(c, seconds);
      case Row::acq_rel: return run<Row::acq_rel>(c, seconds);
      case Row::acq_rel_sys: return run<Row::acq_rel_sys>(c, seconds);
      case Row::narrow_fence: return run<Row::narrow_fence>(c, seconds);
      case Row::release_gpu: return run<Row::release_gpu>(c, seconds);
      case Row::fence_sc: return run<Row::fence_sc>(c, seconds);
    }
    return {};
  }

 private:
  int multiprocessors_;
  size_t words_ = 0;
  unsigned launches_ = 0;
  unsigned *x_ = nullptr, *y_ = nullptr, *seen_ = nullptr, *scratch_ = nullptr;
  Counts* counts_ = nullptr;
  cudaEvent_t begin_{}, end_{};
};

/// One of some values.
template <size_t N>
unsigned draw(const unsigned (&values)[N]) {
  return values[std::rand() % N];
}

Configuration drawn(int number) {
  static const unsigned strides[] = {1, 4, 8, 16, 32, 64}, mixes[] = {1, 1, 5, 37}, befores[] = {0, 0, 2, 4, 8, 16},
                        jams[] = {0, 0, 25, 50}, waits[] = {0, 0, 64, 256, 1024, 4096};
  if (number == 0) return {4, 1, 0, 0, {0, 0, 0}};
  return {draw(strides), draw(mixes), draw(befores), draw(jams), {draw(waits), draw(waits), draw(waits)}};
}

void print(const Configuration& c) {
  std::printf("stride %u words, mix %u, %u stores before, %u%% of blocks jam, waits %u %u %u", c.stride, c.mix, c.before, c.jam,
              c.wait[0], c.wait[1], c.wait[2]);
}

double share_of(const Counts& counts) {
  return counts.instances == 0 ? 0 : double(counts.stale) / double(counts.instances);
}

int main(int count, char** words) {
  const double seconds = count > 1 ? std::atof(words[1]) : 3;
  const int configurations = count > 2 ? std::atoi(words[2]) : 60;
  cudaDeviceProp device{};
  int driver = 0;
  check(cudaGetDeviceProperties(&device, 0), "no GPU");
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("%s (sm_%d%d), driver %d.%d\n", device.name, device.major, device.minor, driver / 1000, driver % 1000 / 10);
  Bench bench(device.multiProcessorCount);
  std::srand(1);
  Configuration best{};
  double best_share[2] = {-1, -1};
  for (int i = 0; i < configurations; ++i) {
    const Configuration c = drawn(i);
    const Counts fences = bench.run(int(Row::fences), c, 0.15), relaxed = bench.run(int(Row::relaxed), c, 0.05);
    const double share[2] = {share_of(fences), share_of(relaxed)};
    if (share[0] < best_share[0] || (share[0] == best_share[0] && share[1] <= best_share[1])) continue;
    best = c, best_share[0] = share[0], best_share[1] = share[1];
    std::printf("%3d: %.3g stale with fences, %.3g relaxed: ", i, share[0], share[1]);
    print(c);
    std::printf("\n");
  }
  if (best_share[0] == 0)
    std::printf("not sensitive: the row with fences shows nothing, so those that are forbidden say nothing\n");
  std::printf("best: ");
  print(best);
  std::printf("\n%14s %14s %12s  row\n", "instances", "f=2 and o=1", "and y stale");
  bool forbidden = false;
  for (int row = 0; row < kRows; ++row) {
    const Counts found = bench.run(row, best, seconds);
    std::printf("%14llu %14llu %12llu  %s\n", found.instances, found.chained, found.stale, kNames[row]);
    forbidden |= row >= int(Row::acq_rel) && found.stale != 0;
  }
  return forbidden ? 1 : best_share[0] == 0 ? 3 : 0;
}
