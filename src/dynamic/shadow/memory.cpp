// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/memory.h"

#include <algorithm>
#include <vector>

namespace ptxmc::trace {
namespace {

constexpr std::size_t kManyReads = 16;  // a cell with so many looks at the reads of all warps

}  // namespace

Memory::Memory(const Threads& threads, const Kinds& kinds, const ProxyFences& fences,
               const RestrictedFences& restricted, ReleaseSequences& release_sequences,
               const ExecutionKnowledge& knowledge, const Objects& objects, Findings& findings,
               Remember remember)
    : threads_(threads),
      kinds_(kinds),
      release_sequences_(release_sequences),
      knowledge_(knowledge),
      objects_(objects),
      findings_(findings),
      order_(threads, kinds, fences, restricted),
      order_cache_(threads, kinds, order_),
      observed_(kinds, order_),
      keeps_hidden_(remember == Remember::not_hidden) {
  if (remember >= Remember::all) history_.emplace(order_, kinds_, remember == Remember::all);
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

/// What a swap that fails here is to another access where it succeeds. In another order it may, if another write is in no order with it.
void Memory::relate_swaps(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind) {
  const Kind& first = kinds_[before.kind];
  ShadowAccess earlier = before;
  if (first.is_open_swap()) earlier.kind = first.if_it_writes;
  const Kind& later = kind.is_open_swap() ? kinds_[kind.if_it_writes] : kind;
  const Pair pair = relate(earlier, now, later).pair;
  if (pair < Pair::strong) return;
  const auto note = [&](const Kind& swap, const Kind& other) {
    if (!swap.is_open_swap()) return;
    if (other.writes() || other.is_open_swap()) swaps_.may_write(swap.site, OpenSwap::by_order);
    if (pair > Pair::strong) swaps_.note_race(swap.site);
  };
  note(first, kind);
  note(kind, first);
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
  } else if (kind.effect == Effect::write) {  // an update carries on what it finds
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
  order_cache_.forget();
  example_.known = false;
}

bool Memory::behind_newest(Range range, const ShadowAccess& mark) {
  look_at(range.begin);
  bool behind = true;
  shadow_.visit(range.begin, range.bytes, [&](Cell& cell, Address, unsigned) {
    behind = behind && (cell.write.mask == 0 || order_cache_.ordered(cell.write, mark));
  });
  return behind;
}

// The case of nearly all accesses: everything before is ordered, or two reads.
bool Memory::quick(Cell& cell, const ShadowAccess& now, const Kind& kind) {
  if (cell.object || cell.message || cell.swaps || kind.is_open_swap()) return false;
  return kind.writes() ? quick_write(cell, now, kind) : quick_read(cell, now, kind);
}

bool Memory::gives_way(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind, bool newest) {
  return replaces(before, now, kind, newest) && order_cache_.ordered(before, now) &&
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
  if (cell.write.mask != 0 && !order_cache_.ordered(cell.write, now)) return false;
  if (cell.read.mask != 0 && !kind.strong() && same_access(cell.read, now) && Observed::of(cell.read) == 0) {
    cell.read.mask |= now.mask;  // other lanes of the instruction
    cell.read.hidden_by = 0;
    return true;
  }
  const bool more = !cell.more.empty();
  if (more && cell.writes) return false;
  const bool all = kind.strong() || cell.more.all().size() >= kManyReads;
  ShadowAccess read = now;
  read.value = Observed::kBehindWrites;
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
