// SPDX-License-Identifier: Apache-2.0
// An access of a cell against each of those that the cell remembers, and what the cell remembers after it: where the quick look of
// memory.cpp does not tell.
#include <algorithm>
#include <vector>

#include "dynamic/shadow/memory.h"

namespace ptxmc::trace {
namespace {

constexpr std::size_t kManyEqual = 256;  // accesses of one cell, before equal writes give way

}  // namespace

// Order passes through an asynchronous read at its location to a write (8.9.1.1); an asynchronous write has
// taken the place of what it comes after. Causality comes after an observation (8.9.5).
bool Memory::passes(const std::vector<ShadowAccess>& marks, const ShadowAccess& before,
                    const ShadowAccess& now, const Kind& kind) {
  if (!kinds_[before.kind].writes()) return false;
  return std::any_of(marks.begin(), marks.end(), [&](const ShadowAccess& through) {
    const Kind& read = kinds_[through.kind];
    if (read.effect == Effect::write || (read.writes() && !read.decides)) return false;
    const bool steps = read.operation || order_.has_restricted_fences();  // others are in program order
    const bool leads = ((kind.writes() || kind.proxy == isa::Proxy::tensor) && steps && !read.writes() &&
                        (through.value & Observed::kBehindWrites) != 0) ||
                       observed_.observes(marks, through, before);
    return leads && order_cache_.some_ordered(through, now);
  });
}

/// An access of an mbarrier object that is no operation on it.
void Memory::report_object(Range range, const ShadowAccess& now, const Kind& kind) {
  const std::optional<Place> init = objects_.live(range.begin);
  if (!init) return;
  Finding finding;
  finding.rule = RuleId::mbarrier_misuse;
  finding.first = *init;
  finding.second = {kind.site, threads_.issuer(first_of(now)), kind.effect, kind.proxy, kind.operation};
  finding.bytes = range;
  findings_.add(finding);
}

/// What the access is to one of the marks of its cell, with what is to be said of the two.
Pair Memory::relate_in_cell(const std::vector<ShadowAccess>& marks, const ShadowAccess& before,
                            const ShadowAccess& now, const Kind& kind, Range range) {
  Related related = relate(before, now, kind);
  if (related.pair <= Pair::strong && (kind.is_open_swap() || kinds_[before.kind].is_open_swap()))
    relate_swaps(before, now, kind);
  if (related.pair > Pair::strong &&
      (passes(marks, before, now, kind) || observed_.observes_now(marks, before, now, kind)))
    related.pair = Pair::ordered;
  if (related.pair > Pair::strong && !history_) report(before, now, kind, related, range);
  if (related.pair == Pair::strong) {
    note_lockstep(before, kind, related.thread, range);
    note_unfollowed(before, now, kind);
  }
  contend(related.pair, range.begin);
  return related.pair;
}

/// What is left of the mark is kept (`kept_`). True: nothing is, and it was a write.
bool Memory::gives_way_to(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind, Pair pair,
                          bool newest) {
  ShadowAccess left = before;
  if (replaces(before, now, kind, newest)) left.mask = lanes_left(before, now, kind, pair, kept_.size());
  if (left.mask == 0 && is_hidden(before, now, kind)) {
    left.mask = before.mask;
    left.hidden_by = now.value;
  }
  if (left.mask != 0) {
    kept_.push_back(left);
    return false;
  }
  if (kinds_[before.kind].writes()) return true;
  if (!carries_on(before, kind)) kept_.push_back(before);
  return false;
}

void Memory::slow(Cell& cell, Range range, const ShadowAccess& now, const Kind& kind) {
  if (cell.object) report_object(range, now, kind);
  if (cell.message && kind.writes() && !kind.keeps) {
    release_sequences_.erase(range.begin, range.bytes);
    cell.message = false;
  }
  std::vector<ShadowAccess>& marks = marks_;
  marks.assign(cell.more.all().begin(), cell.more.all().end());
  if (cell.write.mask != 0) marks.push_back(cell.write);
  if (cell.read.mask != 0) marks.push_back(cell.read);
  std::vector<ShadowAccess>& kept = kept_;
  kept.clear();
  forgets_ = false;
  const ShadowAccess* const newest = cell.write.mask != 0 ? &marks[cell.more.all().size()] : nullptr;
  const bool may_write = (kind.writes() && !kind.keeps) || kind.may_write;
  bool unsettles = false;
  bool behind = true;    // all writes
  bool dropped = false;  // a write gives way
  for (const ShadowAccess& before : marks) {
    const Pair pair = relate_in_cell(marks, before, now, kind, range);
    if (kinds_[before.kind].writes() && pair != Pair::ordered) behind = false;
    unsettles = unsettles || (may_write && pair == Pair::strong && !leave_the_same(before, now, kind));
    dropped = gives_way_to(before, now, kind, pair, &before == newest) || dropped;
  }
  std::uint32_t value = observes_newest(now, kind) | (behind ? Observed::kBehindWrites : 0);
  if (kind.writes() && !kind.keeps) value = now.value;
  if (kind.effect == Effect::update && !kind.keeps) {
    value = Observed::kReadsLast;
    // What gave way is the newest, and who observes this one observes whatever that did.
    if (dropped) value = observed_.is_atomic(*newest) ? newest->value : 0;
  }
  if (unsettles) {
    unsettled_.add(range);
  } else if (kind.effect == Effect::write && !kind.keeps && behind) {
    unsettled_.settle(range);
  }
  drop_repeated(kept, now, kind);
  put(cell, kept, now, kind, value);
  if (forgets_) cell.forgot = true;
}

void Memory::note_unfollowed(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind) {
  const Kind& first = kinds_[before.kind];
  const auto task = [&](std::uint32_t warp) { return threads_.place_of_warp(warp).task; };
  const bool overlap = task(before.warp) != task(now.warp) &&
                       !threads_.knows(first_of(now), OrderKind::ended, order_.epoch(before));
  if (overlap && (first.decides || kind.decides)) left_open_.kernels = true;
  const Kind& read = first.writes() ? kind : first;
  if (read.writes()) return;
  if (read.operation || first.proxy != kind.proxy) left_open_.reads.insert(read.site);
}

/// In either order the location holds the same after the two: one of them writes nothing, both write one value, or they are alike and
/// commute.
bool Memory::leave_the_same(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind) const {
  const Kind& first = kinds_[before.kind];
  if ((!first.writes() || first.keeps) && !first.may_write) return true;
  if (first.commutes != 0 && first.commutes == kind.commutes && first.bytes == kind.bytes) return true;
  return first.effect == Effect::write && kind.effect == Effect::write && before.value != 0 &&
         before.value == now.value;
}

/// Lanes of a warp exchange a value as if they executed in lockstep, where both execute one of the two instructions: no race,
/// as both are strong, but the read may take either value. (One that control rests on waits for the write, or asks for it.)
void Memory::note_lockstep(const ShadowAccess& before, const Kind& kind, Thread thread, Range range) {
  const Kind& first = kinds_[before.kind];
  const auto is_plain = [](const Kind& one) {
    return one.agent == Agent::thread && !one.operation && one.effect != Effect::update && !one.decides &&
           one.at_once != 0;
  };
  if (before.warp != thread / kLanes || first.writes() == kind.writes()) return;
  if (!is_plain(first) || !is_plain(kind)) return;
  const Thread other = lane_that_is(Pair::strong, before, kind, thread);
  const auto executes = [](const Kind& one, Thread who) { return (one.at_once >> (who % kLanes) & 1U) != 0; };
  if (!executes(first, thread) && !executes(kind, other)) return;
  Finding finding;
  finding.rule = RuleId::warp_lockstep;
  finding.first = {first.site, other, first.effect, first.proxy, false};
  finding.second = {kind.site, thread, kind.effect, kind.proxy, false};
  finding.bytes = range;
  finding.cause.missing = Missing::warp_sync;
  findings_.add(finding);
}

/// The lanes of a mark whose place the access may take, less those whose place it does take. What raced once
/// gives way like what is ordered: one finding a cell is enough. But equal writes, as long as they are few,
/// may each race with what comes.
std::uint32_t Memory::lanes_left(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind,
                                 Pair pair, std::size_t kept) {
  if (pair > Pair::strong && are_equal(before, now, kind)) {
    const std::uint32_t others = before.warp == now.warp ? before.mask & ~now.mask : before.mask;
    if (kept < kManyEqual || others == 0) return others;
    forgets_ = true;
  }
  const bool past = pair > Pair::strong || pair == Pair::ordered || order_cache_.ordered(before, now);
  return past ? 0 : before.mask;
}

/// What a read that happens now observes: the newest of `marks_`, if the two are morally strong.
std::uint32_t Memory::observes_newest(const ShadowAccess& now, const Kind& kind) {
  if (!kind.decides || (kind.writes() && !kind.keeps)) return 0;
  const auto seen = std::find_if(marks_.rbegin(), marks_.rend(), [&](const ShadowAccess& mark) {
    return kinds_[mark.kind].writes() && !kinds_[mark.kind].keeps;
  });
  if (seen == marks_.rend() || !order_.morally_strong(*seen, kind, first_of(now))) return 0;
  // So is a thread that comes after the read; but what an atomic has observed may be in no other order.
  if (!observed_.is_atomic(*seen) && order_cache_.ordered(*seen, now)) return 0;
  const auto alike = std::count_if(marks_.begin(), marks_.end(),
                                   [&](const ShadowAccess& mark) { return same_access(mark, *seen); });
  return alike == 1 ? observed_.note(*seen) : 0;
}

/// The access may take the place of the read: what that observed is not asked for any more, or another of its
/// thread has observed before it. (Others may come after the first one that did, and not after those that
/// follow it.)
bool Memory::carries_on(const ShadowAccess& read, const Kind& kind) const {
  const std::uint32_t own = Observed::of(read);
  if (kind.writes() || own == 0 || !observed_.is_among(own, marks_)) return true;
  return std::any_of(kept_.begin(), kept_.end(), [&](const ShadowAccess& mark) {
    return mark.warp == read.warp && mark.mask == read.mask && mark.value == read.value &&
           !kinds_[mark.kind].writes();
  });
}

// The newest few of what one lane wrote by one instruction again and again stay, and one that stands for
// those before: a thread that knows of it knows of these.
void Memory::drop_repeated(std::vector<ShadowAccess>& kept, const ShadowAccess& now, const Kind& kind) const {
  constexpr std::size_t kExact = 3;
  if (!kind.writes() || !kind.strong() || kept.size() <= kExact) return;
  std::vector<std::size_t> same;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i].kind == now.kind && kept[i].warp == now.warp && kept[i].mask == now.mask) same.push_back(i);
  }
  if (same.size() <= kExact) return;
  ShadowAccess &oldest = kept[same[0]], &stands = kept[same[1]];
  if (!observed_.is_chain(kept, same[0], same[1])) stands.value = Observed::kSeveral;
  // An atomic that reads the oldest observes what that reads, if it is an atomic, too, and else nothing.
  const auto next = std::find_if(kept.begin() + static_cast<std::ptrdiff_t>(same[0]) + 1, kept.end(),
                                 [&](const ShadowAccess& mark) { return kinds_[mark.kind].writes(); });
  if (next->value == Observed::kReadsLast && oldest.value != Observed::kReadsLast) next->value = 0;
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(same[0]));
}

void Memory::put(Cell& cell, std::vector<ShadowAccess>& kept, ShadowAccess now, const Kind& kind,
                 std::uint32_t behind) {
  if (kind.writes()) {
    for (ShadowAccess& mark : kept) {
      if (!kinds_[mark.kind].writes()) mark.value &= ~Observed::kBehindWrites;
    }
  }
  now.value = behind;
  const bool reads = !kind.writes() || kind.keeps;
  const auto same = std::find_if(kept.begin(), kept.end(), [&](const ShadowAccess& m) {
    return same_access(m, now) && (reads ? Observed::of(m) == Observed::of(now) : m.value == now.value);
  });
  if (same != kept.end()) {  // lanes of one instruction
    now.mask |= same->mask;
    now.value &= same->value;
    now.hidden_by = 0;
    kept.erase(same);
  }
  kept.push_back(now);
  cell.swaps = std::any_of(kept.begin(), kept.end(),
                           [&](const ShadowAccess& mark) { return kinds_[mark.kind].is_open_swap(); });
  cell.write.mask = cell.read.mask = 0;
  std::size_t behind_others = 0;
  for (std::size_t i = kept.size(); i-- > 0;) {  // the newest write stands after the others
    ShadowAccess& first = kinds_[kept[i].kind].writes() ? cell.write : cell.read;
    if (first.mask != 0) {
      ++behind_others;
      continue;
    }
    first = kept[i];
    kept[i].mask = 0;
  }
  cell.writes = false;
  if (behind_others == 0) return cell.more.clear();
  std::erase_if(kept, [](const ShadowAccess& mark) { return mark.mask == 0; });
  cell.more.edit().assign(kept.begin(), kept.end());
  cell.writes = std::any_of(kept.begin(), kept.end(),
                            [&](const ShadowAccess& mark) { return kinds_[mark.kind].writes(); });
}

}  // namespace ptxmc::trace
