// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/observed.h"

#include <algorithm>
#include <bit>

namespace ptxmc::trace {

std::uint32_t Observed::note(const ShadowAccess& write) {
  constexpr std::size_t kMost = std::size_t{1} << 30U;

  if (!std::has_single_bit(write.mask) && kinds_[write.kind].effect != Effect::update) return 0;
  const Write key{write.kind, write.warp, write.mask, write.time};
  if (numbers_.size() >= kMost) return find(write);
  return numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size() + 1)).first->second << 1U;
}

std::uint32_t Observed::find(const ShadowAccess& write) const {
  const auto known = numbers_.find({write.kind, write.warp, write.mask, write.time});
  return known == numbers_.end() ? 0 : known->second << 1U;
}

bool Observed::is_among(std::uint32_t value, const std::vector<ShadowAccess>& marks) const {
  return std::any_of(marks.begin(), marks.end(), [&](const ShadowAccess& mark) {
    return kinds_[mark.kind].writes() && find(mark) == value;
  });
}

bool Observed::is_chain(const std::vector<ShadowAccess>& marks, std::size_t earlier,
                        std::size_t later) const {
  const ShadowAccess* before = &marks[earlier];
  for (std::size_t i = earlier + 1; i <= later; ++i) {
    const Kind& kind = kinds_[marks[i].kind];
    if (!kind.writes() || kind.keeps) continue;
    if (kind.effect != Effect::update || marks[i].value != kReadsLast ||
        !order_.morally_strong(*before, kind, first_of(marks[i])))
      return false;
    before = &marks[i];
  }
  return true;
}

bool Observed::observes(const std::vector<ShadowAccess>& marks, const ShadowAccess& read,
                        const ShadowAccess& write) const {
  const ShadowAccess* last = nullptr;  // of the chain, from the read back
  const Kind& reads = kinds_[read.kind];
  if (kinds_[write.kind].keeps || is_several(write)) return false;
  const bool starts = reads.writes() && !reads.keeps;  // an atomic
  if (!starts && of(read) == 0) return false;
  for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) {
    if (!kinds_[mark->kind].writes() || kinds_[mark->kind].keeps) continue;
    if (last == nullptr && starts) {
      last = &*mark == &read ? &read : nullptr;
      continue;
    }
    if (last == nullptr) {
      if (of(read) != find(*mark)) continue;
    } else {
      const Kind& next = kinds_[last->kind];
      const bool chained = next.effect == Effect::update && last->value == kReadsLast &&
                           order_.morally_strong(*mark, next, first_of(*last));
      if (!chained) return false;
    }
    last = &*mark;
    if (last == &write) return true;
  }
  return false;
}

// The newest write it reads, and what it writes comes after that (8.9.5). A weak one of the thread of the
// first of the chain is morally strong with it (8.7).
bool Observed::observes_now(const std::vector<ShadowAccess>& marks, const ShadowAccess& write,
                            const ShadowAccess& now, const Kind& kind) const {
  if (kind.effect != Effect::update || !kind.decides || kind.keeps || is_several(write)) return false;
  const Kind* reads = &kind;
  Thread thread = first_of(now);
  for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) {
    const Kind& other = kinds_[mark->kind];
    if (!other.writes() || other.keeps) continue;
    if (!order_.morally_strong(*mark, *reads, thread)) return false;
    if (&*mark == &write) return true;
    if (other.effect != Effect::update || mark->value != kReadsLast) return false;
    reads = &other;
    thread = first_of(*mark);
  }
  return false;
}

}  // namespace ptxmc::trace
