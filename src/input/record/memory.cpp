// SPDX-License-Identifier: Apache-2.0
#include "input/record/memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ptxmc::record {

const Allocation::Known* Allocation::whole() const {
  const auto first = known.find(0);
  return !shared && first != known.end() && first->second.bytes == bytes ? &first->second : nullptr;
}

const std::pair<const std::uint64_t, Allocation::Known>* Allocation::known_at(std::uint64_t offset) const {
  auto found = known.upper_bound(offset);
  if (shared || found == known.begin()) return nullptr;
  --found;
  return offset - found->first < found->second.bytes ? &*found : nullptr;
}

Allocation& Memory::allocate(std::uint64_t address, std::uint64_t bytes) {
  Allocation& out = allocations_[address];
  out = {};
  out.address = address;
  out.bytes = bytes;
  out.number = ++made_;
  return out;
}

Allocation* Memory::find(std::uint64_t address) {
  auto found = allocations_.upper_bound(address);
  if (found == allocations_.begin()) return nullptr;
  --found;
  return address - found->first <= found->second.bytes ? &found->second : nullptr;
}

Allocation* Memory::clear(std::uint64_t address, std::uint64_t bytes) {
  Allocation* allocation = find(address);
  if (allocation == nullptr || bytes == 0) return nullptr;
  const std::uint64_t begin = address - allocation->address;
  if (begin >= allocation->bytes) return nullptr;
  const std::uint64_t end = begin + std::min(bytes, allocation->bytes - begin);
  allocation->written = true;
  std::map<std::uint64_t, Allocation::Known> left;
  for (const auto& one : allocation->known) {
    const std::uint64_t offset = one.first, last = offset + one.second.bytes;
    const auto keep = [&](std::uint64_t from, std::uint64_t to) {
      if (from >= to) return;
      left[from] = {to - from,
                    one.second.zero() ? std::string() : one.second.data.substr(from - offset, to - from)};
    };
    keep(offset, std::min(last, begin));
    keep(std::max(offset, end), last);
  }
  allocation->known = std::move(left);
  return end - begin == bytes ? allocation : nullptr;
}

/// Neighbours become one: zeros with zeros, data with what is in front of and behind them while that is short.
void Memory::put(Allocation& allocation, std::uint64_t offset, Allocation::Known known) {
  const auto spell = [](const Allocation::Known& one) {
    return one.zero() ? std::string(one.bytes, '\0') : one.data;
  };
  const auto join = [&](Allocation::Known& first, const Allocation::Known& second) {
    if (first.zero() && second.zero()) {
      first.bytes += second.bytes;
      return true;
    }
    if (first.bytes + second.bytes > limit_) return false;
    first.data = spell(first) + spell(second);
    first.bytes += second.bytes;
    return true;
  };
  auto at = allocation.known.emplace(offset, std::move(known)).first;
  if (const auto after = std::next(at); after != allocation.known.end() &&
                                        after->first == at->first + at->second.bytes &&
                                        join(at->second, after->second))
    allocation.known.erase(after);
  if (at == allocation.known.begin()) return;
  const auto before = std::prev(at);
  if (before->first + before->second.bytes == at->first && join(before->second, at->second))
    allocation.known.erase(at);
}

void Memory::write(std::uint64_t address, std::string_view data) {
  if (data.find_first_not_of('\0') == std::string_view::npos) return fill(address, data.size());
  Allocation* allocation = clear(address, data.size());
  if (allocation == nullptr || data.size() > limit_) return;
  put(*allocation, address - allocation->address, {data.size(), std::string(data)});
}

void Memory::fill(std::uint64_t address, std::uint64_t bytes) {
  Allocation* allocation = clear(address, bytes);
  if (allocation != nullptr) put(*allocation, address - allocation->address, {bytes, {}});
}

void Memory::forget(std::uint64_t address, std::uint64_t bytes) {
  clear(address, bytes);
}

void Memory::forget_all(const std::vector<std::uint64_t>& numbers) {
  for (auto& [address, allocation] : allocations_) {
    if (std::find(numbers.begin(), numbers.end(), allocation.number) != numbers.end())
      forget(address, allocation.bytes);
  }
}

void Memory::forget_everything() {
  for (auto& [address, allocation] : allocations_) forget(address, allocation.bytes);
}

}  // namespace ptxmc::record
