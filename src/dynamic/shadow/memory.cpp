// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/memory.h"

#include <algorithm>
#include <vector>

namespace ptxmc::trace {
namespace {

constexpr std::uint32_t kBehindWrites = Observed::kBehindWrites;
constexpr std::size_t kManyReads = 16;   // of one cell
constexpr std::size_t kManyEqual = 256;  // accesses of one cell, before equal writes give way

bool same_access(const ShadowAccess& a, const ShadowAccess& b) {
  return a.kind == b.kind && a.warp == b.warp && a.time == b.time;
}

}  // namespace

Memory::Memory(const Threads& threads, const Kinds& kinds, const ProxyFences& fences,
               const RestrictedFences& restricted, ReleaseSequences& messages, const ExecutionKnowledge& told,
               const Objects& objects, Findings& findings, Remember remember)
    : threads_(threads),
      kinds_(kinds),
      release_sequences_(messages),
      told_(told),
      objects_(objects),
      findings_(findings),
      order_(threads, kinds, fences, restricted),
      reached_(threads, kinds, order_),
      observed_(kinds, order_),
      keeps_hidden_(remember == Remember::not_hidden) {
  if (remember == Remember::all) history_.emplace(order_, kinds_);
}

// The worst of the lanes. Lanes that know the same of other warps are one.
Memory::Related Memory::relate(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind) const {
  Related worst{Pair::harmless, first_of(now)};
  const Clock* clock = nullptr;
  bool first = true;
  for_threads({now.warp, now.mask}, [&](Thread thread) {
    if (!first && before.warp != now.warp && kind.proxy == isa::Proxy::generic &&
        threads_.clock(thread).get() == clock)
      return;
    first = false;
    clock = threads_.clock(thread).get();
    const Pair pair = order_.relate(before, kind, thread);
    if (pair > worst.pair) worst = {pair, thread};
  });
  return worst;
}

/// What a swap that fails here is to another access where it succeeds.
void Memory::relate_swaps(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind) {
  const Kind& first = kinds_[before.kind];
  ShadowAccess earlier = before;
  if (first.is_open_swap()) earlier.kind = first.if_it_writes;
  const Kind& later = kind.is_open_swap() ? kinds_[kind.if_it_writes] : kind;
  if (relate(earlier, now, later).pair <= Pair::strong) return;
  if (first.is_open_swap()) swaps_.note_race(first.site);
  if (kind.is_open_swap()) swaps_.note_race(kind.site);
}

// What races with `before` later, races with what took its place. A strong access may be in no race where a
// weak one is.
bool Memory::replaces(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind,
                      bool newest) const {
  const Kind& old = kinds_[before.kind];
  if (kind.keeps || ((old.writes() || old.is_open_swap()) && !kind.writes())) return false;
  if (!kind.strong()) return true;
  // A thread that observes a strong write comes after it, and not after what its thread did there before
  // (8.9.5), but for the write that an atomic observes. What an atomic has observed, one of which that is not
  // known does not tell.
  if (kind.writes() && !(old.writes() && newest && kind.effect == Effect::update)) return false;
  if (kind.writes() && old.decides && !kind.decides) return false;
  return old.strong() && old.bytes == kind.bytes && old.proxy == kind.proxy &&
         old.strength.scope == kind.strength.scope &&
         threads_.place_of_warp(before.warp).cta == threads_.place_of_warp(now.warp).cta;
}

void Memory::touch(std::span<const Range> ranges, const ShadowAccess& mark) {
  const Kind& kind = kinds_[mark.kind];
  const bool many =
      ranges.size() > 1 || ranges.front().bytes > Shadow::kGranule;  // else no cell is like another
  example_.known = false;
  example_.found.clear();
  for (const Range& range : ranges) {
    look_at(range.begin);
    if (history_) touch_all(range, mark, kind);
    shadow_.visit(range.begin, range.bytes, [&](Cell& cell, Address begin, unsigned bytes) {
      if (many) return touch_like(cell, {begin, bytes}, mark, kind);
      touch_cell(cell, {begin, bytes}, mark, kind);
    });
  }
}

/// Every racing pair of every byte.
void Memory::touch_all(Range range, const ShadowAccess& mark, const Kind& kind) {
  for (Address byte = range.begin; byte < range.begin + range.bytes; ++byte) {
    for_threads({mark.warp, mark.mask}, [&](Thread thread) {
      ShadowAccess one = mark;
      one.mask = 1U << (thread % kLanes);
      history_->touch(byte, one, thread, [&](const ShadowAccess& before, Pair pair) {
        report(before, one, kind, {pair, thread}, {byte, 1});
      });
    });
  }
}

void Memory::touch_cell(Cell& cell, Range range, const ShadowAccess& mark, const Kind& kind) {
  if (kind.operation && kind.writes() && !history_) note_refill(cell, mark, kind);
  if (cell.forgot && !are_equal(cell.write, mark, kind)) left_open_.equal_writes = true;
  if (!quick(cell, mark, kind)) {
    slow(cell, range, mark, kind);
  } else if (kind.writes()) {
    unsettled_.settle(range);
  }
}

void Memory::touch_like(Cell& cell, Range range, const ShadowAccess& mark, const Kind& kind) {
  if (example_.known && cell.is_like(example_.before)) {
    cell = example_.after;
    for (const std::size_t number : example_.found) findings_.again(number);
    return;
  }
  example_.found.clear();
  example_.before = cell;
  touch_cell(cell, range, mark, kind);
  example_.known = !example_.before.object && !example_.before.message && unsettled_.empty();
  example_.after = cell;
}

/// What is ordered there need not be elsewhere, if there are fences of some memory alone.
void Memory::look_at(Address at) {
  if (!order_.rests_on_place()) return;
  order_.look_at(at);
  reached_.forget();
  example_.known = false;
}

bool Memory::behind_newest(Range range, const ShadowAccess& mark) {
  look_at(range.begin);
  bool behind = true;
  shadow_.visit(range.begin, range.bytes, [&](Cell& cell, Address, unsigned) {
    behind = behind && (cell.write.mask == 0 || reached_.ordered(cell.write, mark));
  });
  return behind;
}

// The case of nearly all accesses: everything before is ordered, or two reads.
bool Memory::quick(Cell& cell, const ShadowAccess& now, const Kind& kind) {
  if (cell.object || cell.message || cell.swaps || kind.is_open_swap()) return false;
  return kind.writes() ? quick_write(cell, now, kind) : quick_read(cell, now, kind);
}

bool Memory::gives_way(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind, bool newest) {
  return replaces(before, now, kind, newest) && reached_.ordered(before, now) &&
         !is_hidden(before, now, kind);
}

// What races with `before` later and writes what this one writes is a note beside this one alone. It writes but one value: if
// something else stood there, too, that races with it.
bool Memory::is_hidden(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind) const {
  if (!keeps_hidden_ || kind.effect != Effect::write || now.value == 0) return false;
  return (before.hidden_by == 0 || before.hidden_by == now.value) && !are_equal(before, now, kind);
}

bool Memory::quick_write(Cell& cell, const ShadowAccess& now, const Kind& kind) {
  if ((now.mask & (now.mask - 1)) != 0) return false;
  if (cell.write.mask != 0 && !gives_way(cell.write, now, kind, true)) return false;
  if (cell.read.mask != 0 && !gives_way(cell.read, now, kind)) return false;
  for (const ShadowAccess& mark : cell.more.all()) {
    if (!gives_way(mark, now, kind)) return false;
  }
  cell.more.clear();
  cell.writes = false;
  cell.write = now;
  cell.read.mask = 0;
  return true;
}

// A read need not take the place of another warp's, which is looked at when there are many.
bool Memory::quick_read(Cell& cell, const ShadowAccess& now, const Kind& kind) {
  if (cell.write.mask != 0 && !reached_.ordered(cell.write, now)) return false;
  if (cell.read.mask != 0 && !kind.strong() && same_access(cell.read, now) && Observed::of(cell.read) == 0) {
    cell.read.mask |= now.mask;  // other lanes of the instruction
    cell.read.hidden_by = 0;
    return true;
  }
  const bool more = !cell.more.empty();
  if (more && cell.writes) return false;
  const bool all = kind.strong() || cell.more.all().size() >= kManyReads;
  ShadowAccess read = now;
  read.value = kBehindWrites;
  const auto goes = [&](const ShadowAccess& mark) {
    if (mark.warp != now.warp && !all) return false;
    if (Observed::of(mark) != 0) return false;
    if (same_access(mark, now)) {
      read.mask |= mark.mask;
      read.value &= mark.value;
      return true;
    }
    return gives_way(mark, now, kind);
  };
  const bool first = cell.read.mask == 0 || (!more && goes(cell.read));
  if (kind.strong() && (more || !first)) return false;  // what it observes counts
  if (more) std::erase_if(cell.more.edit(), goes);
  if (!first && (!more || !goes(cell.read))) cell.more.edit().push_back(cell.read);
  cell.read = read;
  return true;
}

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
                        (through.value & kBehindWrites) != 0) ||
                       observed_.observes(marks, through, before);
    return leads && reached_.some_ordered(through, now);
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
  std::uint32_t value = observes_newest(now, kind) | (behind ? kBehindWrites : 0);
  if (kind.writes() && !kind.keeps) value = now.value;
  if (kind.effect == Effect::update && !kind.keeps) {
    value = Observed::kReadsLast;
    // What gave way is the newest, and who observes this one observes whatever that did.
    if (dropped) value = observed_.is_atomic(*newest) ? newest->value : 0;
  }
  if (unsettles) {
    unsettled_.add(range);
  } else if (kind.writes() && behind) {
    unsettled_.settle(range);
  }
  drop_repeated(kept, now, kind);
  put(cell, kept, now, kind, value);
  if (forgets_) cell.forgot = true;
}

void Memory::note_unfollowed(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind) {
  const Kind& first = kinds_[before.kind];
  const auto task = [&](std::uint32_t warp) { return threads_.place_of_warp(warp).task; };
  if ((first.decides || kind.decides) && task(before.warp) != task(now.warp)) left_open_.kernels = true;
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
  const bool past = pair > Pair::strong || pair == Pair::ordered || reached_.ordered(before, now);
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
  if (!observed_.is_atomic(*seen) && reached_.ordered(*seen, now)) return 0;
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
      if (!kinds_[mark.kind].writes()) mark.value &= ~kBehindWrites;
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

void Memory::set_object(Address at, bool live) {
  shadow_.visit(at, Objects::kBytes, [&](Cell& cell, Address, unsigned) { cell.object = live; });
}

void Memory::claim(Address at, const Place& user) {
  set_object(at, true);
  shadow_.visit(at, Objects::kBytes, [&](Cell& cell, Address begin, unsigned bytes) {
    for (const ShadowAccess& mark : {cell.write, cell.read}) {
      if (mark.mask == 0) continue;
      const Kind& kind = kinds_[mark.kind];
      Finding finding;
      finding.rule = RuleId::mbarrier_misuse;
      finding.first = {kind.site, first_of(mark), kind.effect, kind.proxy, kind.operation};
      finding.second = user;
      finding.bytes = {begin, bytes};
      findings_.add(finding);
    }
  });
}

void Memory::look_for_contention(Range range, const ShadowAccess& mark) {
  look_at(range.begin);
  const Kind& kind = kinds_[mark.kind];
  shadow_.visit(range.begin, range.bytes, [&](Cell& cell, Address begin, unsigned) {
    for (const ShadowAccess* before : {&cell.write, &cell.read}) {
      if (before->mask != 0) contend(relate(*before, mark, kind).pair, begin);
    }
    for (const ShadowAccess& before : cell.more.all()) contend(relate(before, mark, kind).pair, begin);
  });
}

bool Memory::is_ordered(Range range) const {
  const auto found = contended_.lower_bound(range.begin);
  return contended_.size() < kManyContended &&
         (found == contended_.end() || *found >= range.begin + range.bytes);
}

void Memory::set_message(Range range) {
  shadow_.visit(range.begin, range.bytes, [](Cell& cell, Address, unsigned) { cell.message = true; });
}

}  // namespace ptxmc::trace
