// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies (9.7.8.24): each is done at once, which is one of the moments at which it may be. Who needs its
// bytes must wait for it all the same: that is for who observes to say. What bulk copies move is in bulk_moves.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "dynamic/exec/machine.h"
#include "ptx/rules/limits.h"

namespace ptxmc::exec {

namespace {

using isa::Role;
using trace::Range;
using trace::Tracking;

}  // namespace

bool Copies::in_memory(Warp& warp, const Step& step, unsigned lane, const Range& range, Slot base) {
  const bool somewhere = range.bytes != 0 && range.begin < Memory::kNowhere;
  if (somewhere && base != kNoSlot && !machine_.forms.in_object(warp, step, lane, range, base)) return false;
  if (range.bytes == 0 || run_.memory->span(range.begin, range.bytes)) return true;
  if (range.begin >= Memory::kNowhere) {
    run_.address_fault(RuleId::wrong_space, step, warp, lane,
                       fmt::format("{} bytes at {}, which is no address of the operand's state space",
                                   range.bytes, run_.memory->name_at(range.begin & ~Memory::kNowhere)));
  } else {
    run_.out_of_bounds(step, warp, lane, range);
  }
  return false;
}

/// An operand in .global is an address of global memory, also if it is a generic address.
bool Copies::in_global(Warp& warp, const Step& step, unsigned lane, const Range& range) {
  const bool constant = run_.memory->has_constants() && run_.memory->is_constant(range.begin);
  if (range.bytes == 0 || range.begin >= Memory::kNowhere || Memory::is_multimem(range.begin) ||
      (Memory::is_global(range.begin) && !constant))
    return true;
  run_.address_fault(RuleId::wrong_space, step, warp, lane,
                     fmt::format("{} bytes at {}, where the operand is one of .global", range.bytes,
                                 run_.memory->name_at(range.begin)));
  return false;
}

/// cp.async.bulk.prefetch moves nothing, and asks of its operands what a copy does (9.7.8.24.8).
void Copies::prefetch_bulk(Warp& warp, const Step& step, LaneMask mask) {
  run_.decided_by(warp, step, Role::bytes, Decided::control, mask);
  for_lanes(mask, [&](unsigned lane) {
    const Range from{run_.address(warp, step, step.source, lane),
                     value_of(warp, step, Role::bytes, lane) & 0xffffffffU};
    if (from.bytes % rules::kBulkAlignment != 0)
      return run_.fault(RuleId::bad_operand, step, warp, lane,
                        fmt::format("{} bytes, which is no multiple of 16", from.bytes));
    if (!machine_.forms.is_aligned(warp, step, lane, step.source.base, from.begin, rules::kBulkAlignment))
      return run_.fault(RuleId::misaligned, step, warp, lane,
                        fmt::format("{} bytes from {}", from.bytes, run_.memory->name_at(from.begin)));
    if (in_global(warp, step, lane, from)) in_memory(warp, step, lane, from, step.source.base);
  });
}

/// The bytes exist, and instructions may write them.
bool Copies::writable(Warp& warp, const Step& step, unsigned lane, const Range& range, Slot base) {
  if (!in_memory(warp, step, lane, range, base)) return false;
  if (range.bytes == 0 || !run_.memory->is_constant(range.begin)) return true;
  run_.address_fault(RuleId::read_only, step, warp, lane,
                     fmt::format("{} bytes at {}", range.bytes, run_.memory->name_at(range.begin)));
  return false;
}

/// One that is issued now, without its bytes.
trace::Operation Copies::operation(const Warp& warp, const Step& step, unsigned lane, Tracking tracking,
                                   Address object) const {
  trace::Operation out;
  out.site = step.site;
  out.issuer = thread_of(warp, lane);
  out.proxy = tracking == Tracking::cp_async ? isa::Proxy::generic : isa::Proxy::async;
  out.tracking = tracking;
  out.object = object;
  if (tracking == Tracking::mbarrier) out.phase = machine_.mbarriers.at(object)->phase;
  return out;
}

void Copies::issue(Warp& warp, const Step& step, unsigned lane, Tracking tracking, Address object,
                   std::span<const Range> reads, std::span<const Range> writes,
                   std::span<const trace::Signal> signals, std::uint8_t element) {
  ++run_.changes;
  trace::Operation told = operation(warp, step, lane, tracking, object);
  told.reads = reads;
  told.writes = writes;
  told.signals = signals;
  told.reduces = step.modifiers().atomic != isa::AtomicOp::none;
  told.element = element;
  const isa::Modifiers& m = step.modifiers();
  if (m.scope != isa::Scope::none) told.strength = {m.semantics, m.scope};
  if (told.reduces) told.commutes = commuting(step.modifiers());
  told.through_map = step.instruction->opcode == isa::Opcode::cp_reduce_async_bulk_tensor;
  if (!reads.empty()) told.content = number_of_copy(reads, writes);
  if (machine_.blocks.follow()) tell_moves(warp, step, reads, writes);
  run_.observer.issue(told);
}

/// Lanes of a warp that at once copy the same bytes to the same place write the same.
std::uint64_t Copies::number_of_copy(std::span<const Range> reads, std::span<const Range> writes) {
  if (issued_.step != run_.warp_steps) {
    issued_.step = run_.warp_steps;
    issued_.made.clear();
  }
  const auto same = [](std::span<const Range> a, const std::vector<Range>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Range& one, const Range& other) {
      return one.begin == other.begin && one.bytes == other.bytes;
    });
  };
  for (std::size_t i = issued_.made.size(); i-- > 0;) {
    const auto& [from, to] = issued_.made[i];
    if (same(reads, from) && same(writes, to)) return issued_.issued - (issued_.made.size() - 1 - i);
  }
  issued_.made.push_back({{reads.begin(), reads.end()}, {writes.begin(), writes.end()}});
  return ++issued_.issued;
}

/// cp.async: the bytes beyond src-size, or all of them where ignore-src holds, are zero.
void Copies::copy_async(Warp& warp, const Step& step, LaneMask mask) {
  Row to, from;
  run_.addresses(warp, step, step.address, mask, to);
  run_.addresses(warp, step, step.source, mask, from);
  for_lanes(mask, [&](unsigned lane) {
    const std::uint64_t bytes = value_of(warp, step, Role::bytes, lane) & 0xffffffffU;
    std::uint64_t copied = bytes;
    if (step.has(Role::source_bytes)) {
      const Slot slot = step.slot(Role::source_bytes);
      const std::uint64_t value = value_of(warp, step, Role::source_bytes, lane);
      const bool ignores = warp.codes[lane]->widths[slot] == 1;
      copied = ignores ? (is_true(warp, step, Role::source_bytes, lane) ? 0 : bytes) : value & 0xffffffffU;
      run_.decided_by(warp, step, slot, Decided::address, LaneMask{1} << lane);
    }
    if ((bytes != 4 && bytes != 8 && bytes != 16) || copied > bytes)
      return run_.fault(RuleId::bad_operand, step, warp, lane,
                        fmt::format("{} of {} bytes, of 4, 8 or 16", copied, bytes));
    if (!machine_.forms.is_aligned(warp, step, lane, step.address.base, to[lane], bytes) ||
        (copied != 0 && !machine_.forms.is_aligned(warp, step, lane, step.source.base, from[lane], bytes)))
      return run_.fault(RuleId::misaligned, step, warp, lane,
                        fmt::format("{} bytes to {} from {}", bytes, run_.memory->name_at(to[lane]),
                                    run_.memory->name_at(from[lane])));
    const Range target{to[lane], bytes}, source{from[lane], copied};
    if (!in_global(warp, step, lane, source) || !writable(warp, step, lane, target, step.address.base) ||
        !in_memory(warp, step, lane, source, step.source.base))
      return;
    follow_addresses(warp, step, lane, target, source, bytes);
    const std::span<const Range> reads{&source, copied != 0 ? std::size_t{1} : std::size_t{0}};
    issue(warp, step, lane, Tracking::cp_async, 0, reads, {&target, 1});
    if (copied != 0) copy_bytes(to[lane], from[lane], copied);
    if (copied < bytes) {
      const Memory::Span rest = *run_.memory->span(to[lane] + copied, bytes - copied);
      std::memset(rest.data, 0, bytes - copied);
      rest.set_sources(0, static_cast<std::uint32_t>(bytes - copied), 0);
    }
  });
}

void Copies::commit(Warp& warp, const Step& step, LaneMask mask) {
  const Tracking tracking = step.modifiers().bulk ? Tracking::bulk_group : Tracking::cp_async;
  for_lanes(mask,
            [&](unsigned lane) { run_.observer.commit_group(step.site, thread_of(warp, lane), tracking); });
}

/// wait_all commits what is open.
void Copies::wait_group(Warp& warp, const Step& step, LaneMask mask) {
  const isa::Modifiers& m = step.modifiers();
  const Tracking tracking = m.bulk ? Tracking::bulk_group : Tracking::cp_async;
  const bool all = !step.has(Role::count);
  for_lanes(mask, [&](unsigned lane) {
    if (all) run_.observer.commit_group(step.site, thread_of(warp, lane), tracking);
    const std::uint64_t pending = all ? 0 : value_of(warp, step, Role::count, lane);
    run_.observer.wait_group(step.site, thread_of(warp, lane), tracking, static_cast<std::uint32_t>(pending),
                             m.reads_only);
  });
}

/// cp.async.mbarrier.arrive: without .noinc the phase expects one arrival more, which this is (9.7.12.15.15).
void Copies::copy_arrive(Warp& warp, const Step& step, LaneMask mask) {
  Row at;
  run_.addresses(warp, step, step.mbarrier, mask, at);
  const bool adds = !step.modifiers().no_increment;
  machine_.mbarriers.check_own(warp, step, mask, at);
  for_lanes(mask, [&](unsigned lane) {
    Mbarrier* found = machine_.mbarriers.object(warp, step, at[lane], lane);
    if (found == nullptr) return;
    if (!adds && found->pending == 0)
      return run_.misuse(
          Misuse::arrivals, step, warp, lane,
          fmt::format("an arrival that the phase does not expect, at {}", run_.memory->name_at(at[lane])));
    if (adds && found->pending >= rules::kLargestMbarrierCount)
      return run_.misuse(Misuse::count, step, warp, lane,
                         fmt::format("one arrival more than {}, at {}", rules::kLargestMbarrierCount,
                                     run_.memory->name_at(at[lane])));
    ++run_.changes;
    machine_.mbarriers.check_waited(warp, step, lane, at[lane], *found);
    run_.observer.cp_async_arrive({step.site,
                                   thread_of(warp, lane),
                                   at[lane],
                                   found->phase,
                                   {isa::Semantics::release, isa::Scope::cta},
                                   adds ? 0U : 1U,
                                   0});
    if (adds && run_.schedule.late) ++found->pending;  // with its arrival, late: as many as before
    if (machine_.mbarriers.is_late({at[lane], found->number, 0, 1}) || adds) return;
    --found->pending;
    machine_.mbarriers.try_complete(at[lane], *found);
  });
}

/// cp.async.bulk and cp.reduce.async.bulk (9.7.8.24.6, 9.7.8.24.7); to shared memory they complete on an mbarrier.
void Copies::copy_bulk(Warp& warp, const Step& step, LaneMask mask) {
  const isa::Modifiers& m = step.modifiers();
  const bool signals = m.space != isa::Space::global;
  for_lanes(mask, [&](unsigned lane) {
    const Range to{run_.address(warp, step, step.address, lane),
                   value_of(warp, step, Role::bytes, lane) & 0xffffffffU};
    Range from{run_.address(warp, step, step.source, lane), to.bytes};
    run_.decided_by(warp, step, Role::bytes, Decided::address, LaneMask{1} << lane);
    if (to.bytes % rules::kBulkAlignment != 0)
      return run_.fault(RuleId::bad_operand, step, warp, lane,
                        fmt::format("{} bytes, which is no multiple of 16", to.bytes));
    if (!machine_.forms.is_aligned(warp, step, lane, step.address.base, to.begin, rules::kBulkAlignment) ||
        !machine_.forms.is_aligned(warp, step, lane, step.source.base, from.begin, rules::kBulkAlignment))
      return run_.fault(RuleId::misaligned, step, warp, lane,
                        fmt::format("{} bytes to {} from {}", to.bytes, run_.memory->name_at(to.begin),
                                    run_.memory->name_at(from.begin)));
    Range copied = to;
    if (m.ignore_oob && !ignore_ends(warp, step, lane, from, copied)) return;
    if (to.bytes == 0) return;  // a multiple of 16: it moves nothing, and counts for nothing
    const auto fits = [&](const Place& place, const Range& range) {
      return place.space != isa::Space::global || in_global(warp, step, lane, range);
    };
    if (!fits(step.address, to) || !fits(step.source, from) ||
        !writable(warp, step, lane, to, step.address.base) ||
        !in_memory(warp, step, lane, from, step.source.base))
      return;
    if (m.space == isa::Space::shared_cluster && m.source_space == isa::Space::shared_cta &&
        Memory::cta_of(to.begin) == warp.cta)
      run_.fault(RuleId::bulk_copy_to_own_cta, step, warp, lane,
                 fmt::format("{} is of the executing CTA, which a bulk copy from .shared::cta must not write",
                             run_.memory->name_at(to.begin)));
    BulkMove move{signals, {from}, {copied}, {}, 0, to.bytes};
    if (m.type)
      move.element = static_cast<std::uint8_t>(m.type->bits / 8);  // of a reduction, or a strong copy
    if (m.ignore_oob) {                                            // the other bytes are not known
      move.box = to;
      move.clears = true;
      move.cleared = bit(Source::data);
    }
    if (m.byte_mask) keep_masked(warp, step, lane, move);
    if (signals) move.object = run_.address(warp, step, step.mbarrier, lane);
    follow_addresses(warp, step, lane, to, from, rules::kBulkAlignment);
    move_bulk(warp, step, lane, move);
  });
}

/// .ignore_oob: so many bytes of either end, 15 at most, may be outside of memory, and count for nothing.
bool Copies::ignore_ends(Warp& warp, const Step& step, unsigned lane, Range& from, Range& to) {
  const std::uint64_t left = value_of(warp, step, Role::ignore_left, lane) & 0xffffffffU,
                      right = value_of(warp, step, Role::ignore_right, lane) & 0xffffffffU;
  for (const Role role : {Role::ignore_left, Role::ignore_right})
    run_.decided_by(warp, step, role, Decided::address, LaneMask{1} << lane);
  if (left >= rules::kBulkAlignment || right >= rules::kBulkAlignment || left + right >= from.bytes) {
    run_.fault(
        RuleId::bad_operand, step, warp, lane,
        fmt::format("{} and {} bytes to ignore of {}, 15 at most on either side", left, right, from.bytes));
    return false;
  }
  for (Range* range : {&from, &to}) {
    range->begin += left;
    range->bytes -= left + right;
  }
  return true;
}

/// .cp_mask: of each 16 bytes those whose bits are set (9.7.8.24.6).
void Copies::keep_masked(Warp& warp, const Step& step, unsigned lane, BulkMove& move) {
  const std::uint64_t mask = value_of(warp, step, Role::byte_mask, lane) & 0xffffU;
  const Range from = move.from.front(), to = move.to.front();
  run_.decided_by(warp, step, Role::byte_mask, Decided::address, LaneMask{1} << lane);
  move.from.clear();
  move.to.clear();
  for (std::uint64_t at = 0; at < to.bytes; ++at) {
    if ((mask >> at % rules::kBulkAlignment & 1U) == 0) continue;
    const bool joins = !move.to.empty() && move.to.back().begin + move.to.back().bytes == to.begin + at;
    if (!joins) {
      move.from.push_back({from.begin + at, 0});
      move.to.push_back({to.begin + at, 0});
    }
    ++move.from.back().bytes;
    ++move.to.back().bytes;
  }
}

}  // namespace ptxmc::exec
