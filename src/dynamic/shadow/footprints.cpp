// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/footprints.h"

#include <algorithm>

namespace ptxmc::trace {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 18;  // intervals of an instruction in a CTA

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x9e3779b97f4a7c15ULL ^ hash >> 29U;
}

}  // namespace

void Footprints::start(std::span<const Placement> warps) {
  cta_of_.clear();
  std::uint32_t ctas = 0;
  for (const Placement& warp : warps) {
    cta_of_.push_back(warp.cta);
    ctas = std::max(ctas, warp.cta + 1);
  }
  ctas_.assign(ctas, {});
  traces_.assign(warps.size(), 1);
  classes_.assign(ctas, 1);
  windows_of_.assign(ctas, 0);
  first_.assign(ctas, {});
}

void Footprints::shared_memory(std::uint32_t cta, Range window) {
  windows_of_[cta] = window.begin;
  windows_.begin = std::min(windows_.begin, window.begin);
  windows_.end = std::max(windows_.end, window.begin + std::max<std::uint64_t>(window.bytes, 1));
}

bool Footprints::is_global(Address at) const {
  return at < windows_.begin || at >= windows_.end;
}

void Footprints::add(std::uint32_t warp, const Touched& touched, Interval bytes) {
  if (overflowed_ || bytes.begin == bytes.end || !is_global(bytes.begin)) return;
  Intervals& all = ctas_[cta_of_[warp]][touched];
  if (extend_last(all, bytes)) return;
  if (all.size() >= kMost) {
    join(all);
    overflowed_ = all.size() > kMost / 2;  // else the next ones would be joined one by one
    if (overflowed_) return;
  }
  all.push_back(bytes);
}

void Footprints::note(Site site, Lanes lanes) {
  note(lanes.warp, std::uint64_t{site} << kLanes | lanes.mask);
}

void Footprints::note(std::uint32_t warp, std::uint64_t value) {
  traces_[warp] = mixed(traces_[warp], value);
}

void Footprints::note(const Arrival& arrival) {
  const std::uint32_t warp = arrival.thread / kLanes;
  note(arrival.site, lane_of(arrival.thread));
  note_shared(warp, arrival.object);
  note(warp, arrival.count);
  note(warp, static_cast<std::uint64_t>(arrival.bytes));
}

/// By its place in the window of the own CTA; in that of another one, by how far that lies from the own.
void Footprints::note_shared(std::uint32_t warp, Address at) {
  note(warp, at - windows_of_[cta_of_[warp]]);
}

void Footprints::note_address(std::uint32_t warp, Site site, Address at) {
  if (!is_global(at)) return note_shared(warp, at);
  const auto [first, fresh] = first_[cta_of_[warp]].try_emplace(site, at);
  note(warp, at - first->second);
}

void Footprints::mbarrier_wait(const Wait& wait) {
  if (!wait.succeeded) return;  // how often it fails rests on the schedule
  note(wait.site, wait.lanes);
  note_shared(wait.lanes.warp, wait.object);
  note(wait.lanes.warp, wait.expected);
}

void Footprints::tensor_issue(const TensorOperation& operation) {
  note(operation.site, operation.lanes);
  for (const auto ranges : {operation.shared, operation.shared_a}) {
    for (const Range& range : ranges) {
      note_shared(operation.lanes.warp, range.begin);
      note(operation.lanes.warp, range.bytes);
    }
  }
}

void Footprints::access(const Access& access) {
  note(access.site, access.lanes);
  Touched touched{access.site, access.effect == Effect::read ? Touch::read : Touch::write};
  if (access.strength.semantics != isa::Semantics::weak || access.effect == Effect::update)
    touched.touch = Touch::strong;
  const std::uint64_t bytes = std::uint64_t{access.bytes} * access.elements;
  for (std::uint32_t rest = access.lanes.mask; rest != 0; rest &= rest - 1) {
    const Address begin = access.begin[static_cast<unsigned>(std::countr_zero(rest))];
    note_address(access.lanes.warp, access.site, begin);
    add(access.lanes.warp, touched, {begin, begin + bytes});
  }
}

void Footprints::note_ranges(const Operation& operation, std::uint32_t warp) {
  for (const std::span<const Range> ranges : {operation.reads, operation.writes}) {
    for (const Range& range : ranges) {
      note_address(warp, operation.site, range.begin);
      note(warp, range.bytes);
    }
  }
  if (operation.tracking == Tracking::mbarrier) note_shared(warp, operation.object);
}

void Footprints::issue(const Operation& operation) {
  note(operation.site, lane_of(operation.issuer));
  const std::uint32_t warp = operation.issuer / kLanes;
  note_ranges(operation, warp);
  for (const Range& range : operation.reads)
    add(warp, {operation.site, Touch::read}, {range.begin, range.begin + range.bytes});
  const Touch touch = operation.reduces ? Touch::strong : Touch::write;
  for (const Range& range : operation.writes)
    add(warp, {operation.site, touch}, {range.begin, range.begin + range.bytes});
}

void Footprints::finish() {
  for (OfCta& cta : ctas_) {
    for (auto& [touched, all] : cta) join(all);
  }
  for (std::size_t warp = 0; warp < traces_.size(); ++warp) {
    std::uint64_t& of_cta = classes_[cta_of_[warp]];
    of_cta = mixed(of_cta, traces_[warp]);
  }
}

}  // namespace ptxmc::trace
