// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/player.h"

#include <algorithm>
#include <cstring>

namespace ptxmc::gpu {

namespace {

constexpr unsigned kPatient = 256;     // times the fuel: a host thread jumps faster than a GPU answers
constexpr unsigned kMostPatient = 16;  // instances of a round that may wait so long before they hang

}  // namespace

bool HostPlayer::play(const HostRound& round, const Call& call) {
  begin(round);
  for (;;) {
    if (!proceed(round)) return false;
    const std::optional<std::uint32_t> next = next_call();
    if (!next) return true;
    const std::uint64_t result = call(*next);
    for (Instance& instance : instances_) {
      if (instance.end != HostEnd::call || instance.machine.call() != *next) continue;
      instance.machine.answer(result);
      instance.end.reset();
    }
  }
}

void HostPlayer::begin(const HostRound& round) {
  const unsigned each = round.shape.instances, all = round.shape.blocks * each;
  while (instances_.size() < all)
    instances_.push_back({HostMachine(code_, round.memory, round.memory_bytes, fuel_ * kPatient),
                          std::vector<unsigned char*>(places_.size()),
                          {}});
  first_ = below(draw(round.seed, round.round, kDrawStart), all);
  hung_ = 0;
  for (std::size_t v = 0; v < places_.size(); ++v) {
    const std::uint32_t drawn = draw(round.seed, round.round, kDrawVariable + places_[v]);
    for (std::uint32_t i = 0; i < all; ++i)
      instances_[i].places[v] =
          round.memory + offset_of(round.shape, drawn, places_[v], 0, i / each, i % each);
  }
  for (Instance& instance : instances_) {
    instance.end.reset();
    instance.machine.begin(instance.places);
  }
}

/// Each instance, to its next call or its end.
bool HostPlayer::proceed(const HostRound& round) {
  const auto all = static_cast<std::uint32_t>(instances_.size());
  for (std::uint32_t i = 0; i < all; ++i) {
    const std::uint32_t number = first_ + i < all ? first_ + i : first_ + i - all;
    Instance& instance = instances_[number];
    if (instance.end) continue;
    if (hung_ >= kMostPatient) instance.machine.limit(fuel_);
    instance.end = instance.machine.proceed();
    if (instance.end == HostEnd::fault) return false;
    if (instance.end == HostEnd::hung) ++hung_;
    if (instance.end != HostEnd::call) finish(round, number);
  }
  return true;
}

/// Queries and synchronizations come before what must be made once, so that all instances come to that.
/// Nothing: all have ended.
std::optional<std::uint32_t> HostPlayer::next_call() const {
  std::optional<std::uint32_t> next;
  const auto rank = [&](std::uint32_t call) { return std::pair(bool{once_[call]}, call); };
  for (const Instance& instance : instances_) {
    if (instance.end != HostEnd::call) continue;
    const std::uint32_t call = instance.machine.call();
    if (!next || rank(call) < rank(*next)) next = call;
  }
  return next;
}

void HostPlayer::finish(const HostRound& round, std::uint32_t number) const {
  const unsigned each = round.shape.instances;
  const auto put = [&](unsigned row, std::uint64_t value) {
    std::memcpy(round.results + result_offset(round.shape, round.rows, 0, row, number / each, number % each),
                &value, sizeof value);
  };
  const Instance& instance = instances_[number];
  for (const HostResult& result : code_.results) put(result.row, instance.machine.result(result));
  if (instance.end == HostEnd::hung) put(round.rows - 1, 1);
}

}  // namespace ptxmc::gpu
