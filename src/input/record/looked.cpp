// SPDX-License-Identifier: Apache-2.0
#include "input/record/looked.h"

#include <algorithm>
#include <cstring>

namespace ptxmc::record {

namespace {

constexpr std::uint64_t kWindow = 4096;
constexpr std::size_t kMostWindows = 256;

}  // namespace

void AccessedBytes::start() {
  found_.clear();
  asked_.clear();
  addresses_.clear();
}

std::vector<AccessedBytes::Window> AccessedBytes::wanted(Memory& memory) {
  std::vector<Window> out;
  for (const std::uint64_t word : found_) {
    const Allocation* allocation = word == 0 ? nullptr : memory.find(word);
    if (allocation == nullptr || !allocation->variable.empty() || allocation->shared ||
        allocation->whole() != nullptr || allocation->bytes % kWord != 0)
      continue;
    const std::uint64_t offset = (word - allocation->address + kWord - 1) / kWord * kWord;
    if (offset + kWord > allocation->bytes || asked_.size() == kMostWindows ||
        !asked_.emplace(allocation->number, offset).second)
      continue;
    out.push_back({allocation->address + offset, std::min(kWindow, allocation->bytes - offset)});
  }
  found_.clear();
  return out;
}

void AccessedBytes::see(Memory& memory, std::uint64_t address, std::string_view bytes) {
  const Allocation* allocation = memory.find(address);
  if (allocation == nullptr || (address - allocation->address) % kWord != 0) return;
  for (std::uint64_t at = 0; at + kWord <= bytes.size(); at += kWord) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, kWord);
    const Allocation* target = word == 0 ? nullptr : memory.find(word);
    if (target == nullptr || word - target->address == target->bytes || !target->variable.empty()) continue;
    addresses_[allocation->number][address - allocation->address + at] = word;
    follow(word);
  }
}

const std::map<std::uint64_t, std::uint64_t>& AccessedBytes::addresses_in(
    const Allocation& allocation) const {
  static const std::map<std::uint64_t, std::uint64_t> none;
  const auto found = addresses_.find(allocation.number);
  return found == addresses_.end() ? none : found->second;
}

}  // namespace ptxmc::record
