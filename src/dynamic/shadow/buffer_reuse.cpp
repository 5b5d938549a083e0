// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/buffer_reuse.h"

#include <algorithm>

namespace ptxmc::trace {

namespace {

constexpr std::size_t kManyReaders = 64;

bool is_same(const ShadowAccess& a, const ShadowAccess& b) {
  return a.kind == b.kind && a.warp == b.warp && a.mask == b.mask && a.time == b.time;
}

void add(std::vector<Lanes>& to, Lanes lanes) {
  const auto same =
      std::find_if(to.begin(), to.end(), [&](const Lanes& one) { return one.warp == lanes.warp; });
  if (same != to.end()) {
    same->mask |= lanes.mask;
  } else if (to.size() < kManyReaders) {
    to.push_back(lanes);
  }
}

bool has(const std::vector<Lanes>& all, Thread thread) {
  return std::any_of(all.begin(), all.end(), [&](const Lanes& one) {
    return one.warp == thread / kLanes && (one.mask >> (thread % kLanes) & 1U) != 0;
  });
}

}  // namespace

std::size_t BufferReuse::place_of(const ShadowAccess& write) {
  std::uint64_t hash = write.kind;
  for (const std::uint64_t part : {write.warp, write.mask, write.time})
    hash = (hash ^ part) * 0x9e3779b97f4a7c15U;
  return static_cast<std::size_t>(hash >> 32U) % kKept;
}

BufferReuse::Refill& BufferReuse::refill_of(const ShadowAccess& write) {
  if (kept_.empty()) kept_.resize(kKept);
  Refill& refill = kept_[place_of(write)];
  if (!is_same(refill.write, write)) refill = {write, {}, {}, {}};
  return refill;
}

void BufferReuse::note(const ShadowAccess& write, const ShadowAccess& before) {
  Refill& refill = refill_of(write);
  if (refill.before.mask == 0) refill.before = before;
}

void BufferReuse::note_reader(const ShadowAccess& write, Lanes lanes) {
  add(refill_of(write).readers, lanes);
}

void BufferReuse::note_taker(const ShadowAccess& write, Lanes lanes) {
  add(refill_of(write).takers, lanes);
}

const BufferReuse::Refill* BufferReuse::find(const ShadowAccess& write) const {
  if (kept_.empty()) return nullptr;
  const Refill& refill = kept_[place_of(write)];
  return is_same(refill.write, write) ? &refill : nullptr;
}

std::optional<ShadowAccess> BufferReuse::yet_to_read(const ShadowAccess& write, Thread thread) const {
  const Refill* const refill = find(write);
  if (refill == nullptr || refill->before.mask == 0 || has(refill->readers, thread)) return std::nullopt;
  const Refill* const taken = find(refill->before);
  if (taken != nullptr && has(taken->takers, thread)) return std::nullopt;
  return refill->before;
}

}  // namespace ptxmc::trace
