// SPDX-License-Identifier: Apache-2.0
// Host threads that call the CUDA API, for all instances of a round; the calls are the test's own.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gpu/harness/kernels_harness.h"
#include "gpu/host/player.h"
#include "input/litmus/parse.h"

using namespace ptxmc;
using namespace ptxmc::gpu;

namespace {

constexpr unsigned kInstances = 32, kStride = 16;

/// One host thread P0 beside a kernel K; x is the first variable.
class Game {
 public:
  Game(const std::string& code, const std::string& condition, unsigned fuel = 16)
      : test_(litmus::parse(std::make_shared<Source>(
            Source{"test.litmus", "PTX t\n{ .global .u32 x = 0; }\nkernels { K: P1; }\nP0 @ host { " + code +
                                      " }\nP1 @ cta 0 { ld.weak.global.u32 %r9, [x]; }\nexists (" +
                                      condition + ")\n"}))),
        observation_(test_),
        harness_(write_kernels_harness(test_, observation_, {})),
        memory_(kInstances * kStride),
        results_(std::size_t{harness_.result_rows} * kInstances * 8) {
    round_.shape = {1, kInstances, 1, kStride, true};
    round_.memory = memory_.data();
    round_.memory_bytes = memory_.size();
    round_.results = results_.data();
    round_.rows = harness_.result_rows;
    std::vector<bool> once;
    for (const HostStep& call : harness_.host.calls) once.push_back(enqueues(call.kind));
    player_ = std::make_unique<HostPlayer>(harness_.hosts[0].code, harness_.hosts[0].places, once, fuel);
  }

  bool play(const HostPlayer::Call& call, std::uint32_t round = 0) {
    round_.round = round;
    return player_->play(round_, [&](std::uint32_t number) {
      calls.push_back(number);
      return call(number);
    });
  }
  std::uint32_t x(unsigned slot) const {
    std::uint32_t value = 0;
    std::memcpy(&value, memory_.data() + std::size_t{slot} * kStride, sizeof value);
    return value;
  }
  void fill(std::uint32_t value) {
    for (unsigned i = 0; i < kInstances; ++i)
      std::memcpy(memory_.data() + std::size_t{i} * kStride, &value, sizeof value);
  }
  unsigned with(unsigned row, std::uint64_t expected) const {
    unsigned count = 0;
    for (unsigned i = 0; i < kInstances; ++i) {
      std::uint64_t value = 0;
      std::memcpy(&value, results_.data() + (std::size_t{row} * kInstances + i) * 8, sizeof value);
      count += value == expected ? 1U : 0U;
    }
    return count;
  }
  void shrink() { round_.memory_bytes = kStride; }
  unsigned hung_row() const { return harness_.result_rows - 1; }

  std::vector<std::uint32_t> calls;

 private:
  program::Program test_;
  Observation observation_;
  KernelsHarness harness_;
  std::vector<unsigned char> memory_, results_;
  HostRound round_;
  std::unique_ptr<HostPlayer> player_;
};

}  // namespace

TEST_CASE("a call is made once, behind what stands before it in all instances") {
  Game game(
      "st.weak.global.u32 [x], 1; cudaLaunchKernel K, S; cudaStreamSynchronize S; ld.weak.global.u32 %r0, "
      "[x];",
      "P0:%r0 == 1");
  unsigned ones = 0;
  CHECK(game.play([&](std::uint32_t number) {
    for (unsigned i = 0; i < kInstances; ++i) ones += number == 0 && game.x(i) == 1 ? 1U : 0U;
    if (number == 1) game.fill(7);
    return std::uint64_t{0};
  }));
  CHECK_EQ(game.calls, std::vector<std::uint32_t>{0, 1});
  CHECK_EQ(ones, kInstances);
  CHECK_EQ(game.with(0, 7), kInstances);
}

TEST_CASE("a loop around a query") {
  Game game("Q: cudaEventQuery %r1, E; bne %r1, 0, Q; cudaLaunchKernel K, S;", "P0:%r1 == 0");
  CHECK(game.play([&](std::uint32_t) { return std::uint64_t{game.calls.size() < 4 ? 600U : 0U}; }));
  CHECK_EQ(game.calls, std::vector<std::uint32_t>{0, 0, 0, 0, 1});
  CHECK_EQ(game.with(0, 0), kInstances);
}

TEST_CASE("instances on different paths: a query for some, then a launch for all") {
  Game game("ld.weak.global.u32 %r0, [x]; beq %r0, 0, L; cudaStreamQuery %r1, S; L: cudaLaunchKernel K, S;",
            "P0:%r0 == 0 /\\ P0:%r1 == 0");
  CHECK(game.play([](std::uint32_t) { return std::uint64_t{0}; }));
  CHECK_EQ(game.calls, std::vector<std::uint32_t>{1});
  game.calls.clear();
  game.fill(1);
  CHECK(game.play([](std::uint32_t) { return std::uint64_t{600}; }, 1));
  CHECK_EQ(game.calls, std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("a wait without end hangs its instance") {
  Game game("L: ld.acquire.sys.global.u32 %r0, [x]; bne %r0, 1, L; cudaLaunchKernel K, S;", "P0:%r0 == 1", 2);
  CHECK(game.play([](std::uint32_t) { return std::uint64_t{0}; }));
  CHECK(game.calls.empty());
  CHECK_EQ(game.with(game.hung_row(), 1), kInstances);
}

TEST_CASE("an address that is none") {
  Game game("st.weak.global.u32 [x], 1; cudaLaunchKernel K, S;", "x == 1");
  game.shrink();
  CHECK_FALSE(game.play([](std::uint32_t) { return std::uint64_t{0}; }));
}
