// SPDX-License-Identifier: Apache-2.0
// Loops that poll memory: who waits, who has been let go on, and which writes would have kept it waiting.
#include <algorithm>
#include <utility>

#include "integer/arithmetic.h"
#include "kernel/atomics.h"
#include "kernel/leads.h"
#include "kernel/machine.h"

namespace ptxmc::kernel {

namespace {

using isa::Role;

/// What a read of the loop leaves in its register, where memory holds this.
trace::PartlyKnown as_read(const Code& code, const Step& read, trace::PartlyKnown value) {
  const isa::Modifiers& m = read.modifiers();
  const std::uint32_t bits = std::uint32_t{read.element_bytes} * 8;
  const bool is_signed = !m.type || m.type->is_signed();
  if (is_signed && bits < 64)
    value.bits =
        static_cast<std::uint64_t>(integer::as_signed(value.bits, static_cast<integer::Width>(bits)));
  value.known = known_extended(value.known, bits, is_signed);
  const std::uint16_t width = code.widths[read.to];
  if (width >= 64) return value;
  const std::uint64_t above = kAllBits << width;
  return {value.bits & ~above, value.known | above};
}

std::vector<std::uint64_t> inputs_of(Warp& warp, const Step& step, unsigned lane) {
  std::vector<std::uint64_t> out;
  const PollLoop& loop = step.polls != nullptr ? *step.polls : *step.takes;
  for (const Slot slot : loop.inputs) out.push_back(warp.row(slot)[lane]);
  return out;
}

}  // namespace

/// The lanes have read a value in the loop.
trace::Polling Machine::polling(Warp& warp, const Step& step, LaneMask mask) {
  struct Lane {
    const Code* code = nullptr;
    std::vector<std::uint64_t> inputs;
  };
  auto all = std::make_shared<std::array<Lane, kLanes>>();
  trace::Polling out;
  for_lanes(mask, [&](unsigned lane) {
    Lane& one = (*all)[lane];
    one = {warp.codes[lane], inputs_of(warp, step, lane)};
    if (leads(*one.code, step, one.inputs, {warp.row(step.to)[lane]}).to) out.left |= LaneMask{1} << lane;
  });
  out.left_for = [all, read = &step](unsigned lane, trace::PartlyKnown value) {
    const Lane& one = (*all)[lane];
    return leads(*one.code, *read, one.inputs, as_read(*one.code, *read, value));
  };
  return out;
}

/// What it has read sends the lane round, whatever the contents are that the launch leaves open.
bool Machine::goes_round_surely(Warp& warp, const Step& step, unsigned lane) {
  if (known_ == nullptr || step.polls == nullptr) return false;
  const trace::PartlyKnown value{warp.row(step.to)[lane], known_->of(warp, step.to, lane)};
  const trace::Leads goes = leads(*warp.codes[lane], step, inputs_of(warp, step, lane), value);
  return goes.known && !goes.to;
}

void Machine::wait_on(Warp& warp, const Step& step, LaneMask mask, std::uint64_t since) {
  if (mask == 0) return;
  warp.waiting |= mask;
  warp.left &= ~mask;
  warp.yields = true;
  for_lanes(mask, [&](unsigned lane) {
    warp.waits_at[lane] = warp.polled_at[lane] = &step;
    warp.tried[lane] = since;
  });
}

void Machine::leave_loop(Warp& warp, const Step& step, LaneMask mask) {
  warp.waiting &= ~mask;
  warp.left |= mask;
  for_lanes(mask, [&](unsigned lane) { warp.left_at[lane] = warp.polled_at[lane] = &step; });
}

/// The last turn of a loop: in other schedules there are more before it, or fewer.
void Machine::end_turns(Warp& warp, const std::vector<Slot>& left_behind, LaneMask mask) {
  for (const Slot slot : left_behind) warp.taint(slot).timing |= mask;
}

/// The lanes leave the loop as what they compare with says.
void Machine::decided_by_inputs(Warp& warp, const Step& step, LaneMask mask) {
  Sources sources = 0;
  const auto is_left_behind = [&](Slot slot) {
    return std::find(step.left_behind.begin(), step.left_behind.end(), slot) != step.left_behind.end();
  };
  for (const Slot slot : step.polls->inputs) {
    if (is_left_behind(slot)) continue;  // it may decide what turns do, not whether one is the last
    for_lanes(mask, [&](unsigned lane) { sources |= warp.taint(slot).of(lane); });
  }
  if (sources != 0) decided(step, Decided::control, sources, false);
}

/// The lanes have read. Of those whose loops are left by turns the read is one among the turns of its location, and what they
/// read before makes no difference.
void Machine::poll_once(Warp& warp, const Step& step, LaneMask mask, const Row& at, LaneMask by_turns) {
  if (mask == 0) return;
  const trace::Polling polls = polling(warp, step, mask);
  const LaneMask wants = polls.left & by_turns & mask;
  const LaneMask now = wants == 0 ? 0 : take_turns(warp, step, wants, at);
  if (now != 0) {
    warp.polled |= now;
    leave_loop(warp, step, now);
    decided_by_inputs(warp, step, now);
    end_turns(warp, step.left_behind, now);
    observe(warp, step, now, at, trace::Effect::read, {}, 0);
  }
  mask &= ~wants;
  if (mask == 0 || warp.active == 0) return;  // all wait for the turns of some of them
  trace::Polling others = polls;
  others.left &= ~wants;
  observe(warp, step, mask, at, trace::Effect::read, {}, 0, &others);
  poll(warp, step, mask, at, trace::Effect::read, others.left);
}

/// The loop is left, or waits on.
void Machine::poll(Warp& warp, const Step& step, LaneMask mask, const Row& at, trace::Effect effect,
                   LaneMask left) {
  warp.polled |= mask;
  wait_on(warp, step, mask & ~left, changes_);
  leave_loop(warp, step, mask & left);
  decided_by_inputs(warp, step, mask & left);
  end_turns(warp, step.left_behind, mask & left);
  if (observer_ == nullptr) return;
  for_lanes(mask & left, [&](unsigned lane) {
    LeftLoop loop{{step.site, thread(warp, lane), effect, at[lane]},
                  warp.codes[lane],
                  &step,
                  inputs_of(warp, step, lane)};
    observer_->await_left(loop.await);
    std::vector<LeftLoop>& known = left_loops_[at[lane]];
    const auto same = std::find_if(known.begin(), known.end(), [&](const LeftLoop& other) {
      return other.await.thread == loop.await.thread && other.await.site == loop.await.site;
    });
    if (same == known.end()) {
      known.push_back(std::move(loop));
    } else {
      *same = std::move(loop);
    }
  });
}

/// What a thread adds to a reduction in a loop that polls: of one that has polled, what it read.
void Machine::note_poll(NamedBarrier& barrier, Warp& warp, const Step& step, unsigned lane, bool holds) {
  const LaneMask one = LaneMask{1} << lane;
  const Step* read = (warp.waiting & one) != 0 ? warp.waits_at[lane]
                     : (warp.left & one) != 0  ? warp.left_at[lane]
                                               : nullptr;
  const bool tells = read != nullptr && read->polls != nullptr && read->polls->told &&
                     *read->polls->told == step.site - warp.codes[lane]->first;
  if (tells) {
    ++barrier.polling;
    barrier.polls = read;
    return;
  }
  const bool nothing = step.modifiers().barrier_red == isa::BarrierRed::and_;
  barrier.others_add_nothing = barrier.others_add_nothing && holds == nothing;
  barrier.others = static_cast<Sources>(barrier.others | warp.taint(step.slot(Role::predicate)).of(lane));
}

/// One thread alone decides in this phase whether all go round again, by what it read; and those that went round have
/// done nothing, so that how often they did makes no difference.
bool Machine::told_by_one(NamedBarrier& barrier, const std::vector<NamedBarrier::Arrived>& all) {
  const bool went_round = std::exchange(barrier.goes_round, false);
  if (barrier.polling == 0 && !went_round) return false;
  bool alike = barrier.polling == 1 && barrier.others_add_nothing && open(barrier.others) == 0;
  bool waits = false;
  for (const NamedBarrier::Arrived& arrived : all) {
    const Warp& warp = warps_[arrived.warp];
    alike = alike && arrived.step == all.front().step && arrived.waits &&
            (!went_round || (warp.acted & arrived.lanes) == 0);
    waits = waits || (warp.waiting & arrived.lanes) != 0;
  }
  if (!alike) {
    decided(*barrier.polls, Decided::control, bit(Source::timing), false);
    return false;
  }
  barrier.goes_round = waits;
  for (const NamedBarrier::Arrived& arrived : all) {
    warps_[arrived.warp].acted &= ~arrived.lanes;
    if (!waits && barrier.polling != 0)
      end_turns(warps_[arrived.warp], barrier.polls->polls->left_behind, arrived.lanes);
  }
  return true;
}

/// Those of the lanes at a vote or a shuffle that tell the others by it what they read in a loop.
LaneMask Machine::polling_lanes(const Warp& warp, LaneMask group) const {
  LaneMask out = 0;
  for_lanes(group & warp.polled, [&](unsigned lane) {
    const Step* read = warp.polled_at[lane];
    const bool tells =
        read->polls->told && *read->polls->told == warp.waits_at[lane]->site - warp.codes[lane]->first;
    if (tells) out |= LaneMask{1} << lane;
  });
  return out;
}

/// A lane leaves by what it read where all the others add nothing: to a vote, in which those add nothing that do not read;
/// of a shuffle, all take what the one lane read.
bool Machine::add_nothing(Warp& warp, LaneMask group, LaneMask polling) {
  bool out = true;
  for_lanes(group, [&](unsigned lane) {
    const LaneMask one = LaneMask{1} << lane;
    const Step& own = *warp.waits_at[lane];
    if (own.instruction->opcode == isa::Opcode::shuffle) {
      const auto segment = static_cast<LaneMask>(warp.row(own.slot(Role::clamp))[lane] >> 8U & 0x1fU);
      const auto from = static_cast<LaneMask>(warp.row(own.slot(Role::lane))[lane] & 0x1fU);
      const Sources chosen = static_cast<Sources>(warp.taint(own.slot(Role::lane)).of(lane) |
                                                  warp.taint(own.slot(Role::clamp)).of(lane));
      out = out && segment == 0 && LaneMask{1} << from == polling && open(chosen) == 0;
      return;
    }
    const bool holds =
        ((warp.row(own.slot(Role::predicate))[lane] & 1U) != 0) != own.is_negated(Role::predicate);
    const bool nothing = own.modifiers().warp_mode == isa::WarpMode::all;
    if ((polling & one) != 0) {
      out = out && (holds == nothing) == ((warp.left & one) != 0);
    } else {
      out = out && holds == nothing && open(warp.taint(own.slot(Role::predicate)).of(lane)) == 0;
    }
  });
  return out;
}

/// A vote or a shuffle in a loop that polls: all lanes wait, or have left, as those do that read. In each round of all schedules
/// the reads of these alone decide that; and the lanes that go round do nothing else, so that how often they do makes no
/// difference.
void Machine::told_by_lanes(Warp& warp, LaneMask group) {
  const LaneMask polling = polling_lanes(warp, group);
  warp.polled &= ~group;
  const Step& step = *warp.waits_at[static_cast<unsigned>(std::countr_zero(group))];
  const bool went_round = std::exchange(warp.round_at, nullptr) == &step;
  const LaneMask acted = std::exchange(warp.acted_apart, warp.acted_apart & ~group) & group;
  if (polling == 0) return;
  const Step& read = *warp.polled_at[static_cast<unsigned>(std::countr_zero(polling))];
  bool alike = (!went_round || acted == 0) && add_nothing(warp, group, polling);
  for_lanes(group, [&](unsigned lane) { alike = alike && warp.waits_at[lane] == &step; });
  for_lanes(polling, [&](unsigned lane) { alike = alike && warp.polled_at[lane] == &read; });
  if (!alike) return decided(read, Decided::control, bit(Source::timing), false);
  if ((polling & ~warp.left) == 0) {
    end_turns(warp, read.polls->left_behind, group);
    return leave_loop(warp, read, group);
  }
  warp.round_at = &step;
  std::uint64_t since = changes_;  // of the read that is the oldest
  for_lanes(polling & ~warp.left, [&](unsigned lane) { since = std::min(since, warp.tried[lane]); });
  wait_on(warp, read, group, since);
}

/// The lanes whose lock is taken: the atomic would leave the location as it is, and its loop would not be left. As a write
/// of what it reads it has no turn, and whoever takes the lock is behind none of them.
LaneMask Machine::finds_taken(Warp& warp, const Step& step, LaneMask mask, const Row& at,
                              const Reached& reached) {
  LaneMask out = 0;
  if (step.takes == nullptr) return out;
  const std::uint32_t bytes = step.element_bytes;
  for_lanes(mask & ~warp.had_turn, [&](unsigned lane) {
    if (!follows(at[lane])) return;
    const Slot value = step.slot(Role::value);
    const Memory::Span span = span_of(reached, at[lane], bytes);
    Sources sources = static_cast<Sources>(span.sources(0, bytes) | warp.taint(value).of(lane));
    if (step.has(Role::comparand))
      sources = static_cast<Sources>(sources | warp.taint(step.slot(Role::comparand)).of(lane));
    for (const Slot slot : step.takes->inputs)
      sources = static_cast<Sources>(sources | warp.taint(slot).of(lane));
    if (open(sources) != 0) return;
    const std::uint64_t old = Memory::load(span.data, bytes);
    const std::uint64_t comparand = step.has(Role::comparand) ? read(warp, step, Role::comparand, lane) : 0;
    if (combined(step.modifiers(), old, warp.row(value)[lane], comparand) != old) return;
    const Code& code = *warp.codes[lane];
    if (!leads(code, step, inputs_of(warp, step, lane), as_read(code, step, {old})).to)
      out |= LaneMask{1} << lane;
  });
  return out;
}

/// They go round, until somebody writes there.
void Machine::find_taken(Warp& warp, const Step& step, LaneMask mask, const Row& at, const Reached& reached) {
  if (mask == 0) return;
  const std::uint32_t bytes = step.element_bytes;
  for_lanes(mask, [&](unsigned lane) {
    const Memory::Span span = span_of(reached, at[lane], bytes);
    write(warp, step, step.to, lane, Memory::load(span.data, bytes));
    warp.taint(step.to).set(lane, static_cast<Sources>(span.sources(0, bytes) | bit(Source::turns)));
    warp.waits_at[lane] = &step;
    warp.tried[lane] = changes_;
  });
  warp.waiting |= mask;
  warp.left &= ~mask;
  warp.yields = true;
  const trace::Polling polls;
  observe(warp, step, mask, at, trace::Effect::update, {}, 0, &polls);
}

/// Of the lanes that have left a loop, those for which the instruction is still of it; the others are done with it.
LaneMask Machine::leading_out(Warp& warp, const Step& step) {
  LaneMask of_loop = 0;
  for_lanes(warp.left & warp.active, [&](unsigned lane) {
    const trace::Site at = step.site - warp.codes[lane]->first;
    if (warp.left_at[lane]->polls->steps[at]) of_loop |= LaneMask{1} << lane;
  });
  warp.left &= ~warp.active | of_loop;
  return of_loop;
}

/// Places have been written: would the loops that were left for what they held be left for what they hold now?
void Machine::compare_with_awaited(Warp& warp, const Step& step, LaneMask mask, const Row& at) {
  if (left_loops_.empty()) return;
  for_lanes(mask, [&](unsigned lane) {
    const auto found = left_loops_.find(at[lane]);
    if (found == left_loops_.end()) return;
    for (const LeftLoop& loop : found->second) {
      const std::uint32_t bytes = loop.read->element_bytes;
      const auto span = memory_->span(at[lane], bytes);
      if (!span) continue;
      const trace::PartlyKnown value = as_read(*loop.code, *loop.read, {Memory::load(span->data, bytes)});
      if (leads(*loop.code, *loop.read, loop.inputs, value).to) {
        observer_->awaited_back(loop.await);
      } else {
        observer_->awaited_gone(loop.await, step.site, thread(warp, lane), {at[lane], bytes});
      }
    }
  });
}

}  // namespace ptxmc::kernel
