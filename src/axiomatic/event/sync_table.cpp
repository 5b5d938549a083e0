// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/event/sync_table.h"

#include <algorithm>

namespace ptxmc::event {
namespace {

constexpr std::size_t kFirstSlots = 64;

std::uint64_t pair_of(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

}  // namespace

// States of one system have as many processes, objects and named phases, hence as many words.
void SyncTable::pack(const SyncState& state) {
  packed_.clear();
  for (std::size_t p = 0; p < state.processes.size(); p += 2) {
    const auto word = [&](std::size_t i) -> std::uint32_t {
      if (i >= state.processes.size()) return 0;
      const SyncState::Process& process = state.processes[i];
      return std::uint32_t{process.next} << 2 | (process.waiting ? 2U : 0U) | (process.exited ? 1U : 0U);
    };
    packed_.push_back(pair_of(word(p), word(p + 1)));
  }
  for (const SyncState::Object& object : state.objects) {
    packed_.push_back(pair_of(object.current, object.preceding));
    packed_.push_back(pair_of(static_cast<std::uint32_t>(object.phase), object.dead));
    packed_.push_back(static_cast<std::uint64_t>(object.expected));
    packed_.push_back(static_cast<std::uint64_t>(object.pending));
    packed_.push_back(static_cast<std::uint64_t>(object.tx));
    packed_.push_back(static_cast<std::uint64_t>(object.count.value_or(0)));
    packed_.push_back((object.live ? 2U : 0U) | (object.count ? 1U : 0U));
  }
  for (std::size_t i = 0; i < state.states.size(); i += 2) {
    const auto word = [&](std::size_t k) {
      return k < state.states.size() ? static_cast<std::uint32_t>(state.states[k]) : 0U;
    };
    packed_.push_back(pair_of(word(i), word(i + 1)));
  }
}

// Multiplication by an odd number near 2^64 over the golden ratio, and a turn that brings high bits down.
std::uint64_t SyncTable::hash() const {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : packed_) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32;
  }
  return hash * 0x9e3779b97f4a7c15U;
}

void SyncTable::grow() {
  const std::vector<Slot> old =
      std::exchange(slots_, std::vector<Slot>(std::max(kFirstSlots, 2 * slots_.size())));
  for (const Slot& slot : old) {
    if (slot.number == 0) continue;
    std::size_t at = slot.hash & (slots_.size() - 1);
    while (slots_[at].number != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

std::pair<std::size_t, bool> SyncTable::add(const SyncState& state) {
  if (2 * (size_ + 1) > slots_.size()) grow();
  pack(state);
  const auto hash = static_cast<std::uint32_t>(this->hash() >> 32);
  std::size_t at = hash & (slots_.size() - 1);
  for (; slots_[at].number != 0; at = (at + 1) & (slots_.size() - 1)) {
    const std::size_t number = slots_[at].number - 1;
    if (slots_[at].hash == hash && std::equal(packed_.begin(), packed_.end(), words(number)))
      return {number, false};
  }
  if (size_ % kChunk == 0) chunks_.push_back(std::make_unique<std::uint64_t[]>(kChunk * packed_.size()));
  std::copy(packed_.begin(), packed_.end(), chunks_.back().get() + size_ % kChunk * packed_.size());
  slots_[at] = {static_cast<std::uint32_t>(size_ + 1), hash};
  return {size_++, true};
}

}  // namespace ptxmc::event
