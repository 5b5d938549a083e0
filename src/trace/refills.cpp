// SPDX-License-Identifier: Apache-2.0
#include "trace/refills.h"

#include <algorithm>

namespace ptxmc::trace {

namespace {

constexpr std::size_t kManyReaders = 64;

bool is_same(const Mark& a, const Mark& b) {
  return a.kind == b.kind && a.warp == b.warp && a.mask == b.mask && a.time == b.time;
}

}  // namespace

std::size_t Refills::place_of(const Mark& write) {
  std::uint64_t hash = write.kind;
  for (const std::uint64_t part : {write.warp, write.mask, write.time})
    hash = (hash ^ part) * 0x9e3779b97f4a7c15U;
  return static_cast<std::size_t>(hash >> 32U) % kKept;
}

Refills::Refill& Refills::refill_of(const Mark& write) {
  if (kept_.empty()) kept_.resize(kKept);
  Refill& refill = kept_[place_of(write)];
  if (!is_same(refill.write, write)) refill = {write, {}, {}};
  return refill;
}

void Refills::note(const Mark& write, const Mark& before) {
  Refill& refill = refill_of(write);
  if (refill.before.mask == 0) refill.before = before;
}

void Refills::note_reader(const Mark& write, Lanes lanes) {
  std::vector<Lanes>& readers = refill_of(write).readers;
  const auto same = std::find_if(readers.begin(), readers.end(),
                                 [&](const Lanes& reader) { return reader.warp == lanes.warp; });
  if (same != readers.end()) {
    same->mask |= lanes.mask;
  } else if (readers.size() < kManyReaders) {
    readers.push_back(lanes);
  }
}

bool Refills::Refill::has_reader(Thread thread) const {
  return std::any_of(readers.begin(), readers.end(), [&](const Lanes& reader) {
    return reader.warp == thread / kLanes && (reader.mask >> (thread % kLanes) & 1U) != 0;
  });
}

const Refills::Refill* Refills::find(const Mark& write) const {
  if (kept_.empty()) return nullptr;
  const Refill& refill = kept_[place_of(write)];
  return is_same(refill.write, write) && refill.before.mask != 0 ? &refill : nullptr;
}

}  // namespace ptxmc::trace
