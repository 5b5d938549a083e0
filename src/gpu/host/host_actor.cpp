// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/host_actor.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace ptxmc::gpu {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kPollsBeforeYield = 20000,
                   kPollsOfMany = 50;       // a CPU that actors share must not only poll
constexpr std::uint32_t kMostDelay = 4000;  // nanoseconds: a GPU hears later that a turn begins
constexpr std::uint32_t kDrawDelay = 2048;  // and the actor's number
constexpr std::uint32_t kFirstTurn = 2;     // turn t runs round t - 2 (harness.cpp)

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Random beginnings let the GPU's instances come before and behind this thread's.
void delay(std::uint32_t nanoseconds) {
  const auto begin = Clock::now();
  while (Clock::now() - begin < std::chrono::nanoseconds(nanoseconds)) relax();
}

}  // namespace

Meeting::Meeting(unsigned char* lines, unsigned actors)
    : lines_(lines),
      actors_(actors),
      polls_(actors > std::thread::hardware_concurrency() ? kPollsOfMany : kPollsBeforeYield) {}

void Meeting::clear() const {
  std::memset(lines_, 0, bytes(actors_));
}

bool Meeting::meet(unsigned actor, std::uint32_t turn) const {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(word(actor), turn, __ATOMIC_SEQ_CST);
  for (unsigned other = 0; other < actors_; ++other) {
    for (unsigned polls = 1; __atomic_load_n(word(other), __ATOMIC_ACQUIRE) < turn; ++polls) {
      if (__atomic_load_n(word(actors_), __ATOMIC_ACQUIRE) != 0) return false;
      relax();
      if (polls % polls_ == 0) std::this_thread::yield();
    }
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return true;
}

void Meeting::stop() const {
  __atomic_store_n(word(actors_), 1, __ATOMIC_SEQ_CST);
}

HostReport HostActor::play(const HostStage& stage, const Meeting& meeting,
                           const std::function<void(std::uint32_t)>& after) const {
  HostReport report;
  HostMachine machine(code_, stage.memory, stage.memory_bytes, fuel_);
  const std::uint32_t last = stage.rounds + kFirstTurn;
  for (std::uint32_t turn = 1; turn <= last; ++turn) {
    if (!meeting.meet(actor_, turn)) return report;
    if (turn >= kFirstTurn && turn < last) {
      const std::uint32_t number = turn - kFirstTurn;
      delay(below(draw(stage.seed, number, kDrawDelay + actor_), kMostDelay));
      const auto begin = Clock::now();
      if (!round(stage, machine, number, turn % 2)) {
        report.fault = true;
        meeting.stop();
        return report;
      }
      report.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
      report.played += std::uint64_t{stage.shape.blocks} * stage.shape.instances;
    }
    if (after) after(turn);
  }
  return report;
}

/// False: a fault.
bool HostActor::round(const HostStage& stage, HostMachine& machine, std::uint32_t round,
                      unsigned half) const {
  const MemoryShape& shape = stage.shape;
  std::vector<std::uint32_t> drawn;
  for (const std::uint32_t place : places_) drawn.push_back(draw(stage.seed, round, kDrawVariable + place));
  const std::uint32_t all = shape.blocks * shape.instances;
  const std::uint32_t start = below(draw(stage.seed, round, kDrawStart), all);
  std::vector<unsigned char*> at(places_.size());
  for (std::uint32_t i = 0; i < all; ++i) {
    const std::uint32_t instance = start + i < all ? start + i : start + i - all;
    const unsigned block = instance / shape.instances, index = instance % shape.instances;
    for (std::size_t v = 0; v < at.size(); ++v)
      at[v] = stage.memory + offset_of(shape, drawn[v], places_[v], half, block, index);
    const HostEnd end = machine.run(at);
    if (end == HostEnd::fault) return false;
    const auto put = [&](unsigned row, std::uint64_t value) {
      std::memcpy(stage.results + result_offset(shape, stage.rows, half, row, block, index), &value,
                  sizeof value);
    };
    for (const HostResult& result : code_.results) put(result.row, machine.result(result));
    if (end == HostEnd::hung) put(stage.rows - 1, 1);
  }
  return true;
}

}  // namespace ptxmc::gpu
