// SPDX-License-Identifier: Apache-2.0
// Loops that poll memory: who waits, who has been let go on, and which writes would have kept it waiting.
#include <algorithm>
#include <utility>

#include "dynamic/exec/atomics.h"
#include "dynamic/exec/exit_target.h"
#include "dynamic/exec/machine.h"
#include "ptx/integer/arithmetic.h"

namespace ptxmc::exec {

namespace {

using isa::Role;
using trace::PartlyKnown;

/// What a read of the loop leaves in its registers, where memory holds these elements.
std::vector<PartlyKnown> as_read(const Code& code, const Step& read, std::span<const PartlyKnown> elements) {
  constexpr std::uint32_t kWord = 64;
  const isa::Modifiers& m = read.modifiers();
  const std::uint32_t bits = std::min(std::uint32_t{read.element_bytes} * 8, kWord);
  const bool is_signed = !m.type || m.type->is_signed();
  const std::vector<Slot> slots = read_by(read);
  const std::size_t words = std::max<std::size_t>(slots.size() / elements.size(), 1);
  std::vector<PartlyKnown> out;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const PartlyKnown& element = elements[i / words];
    const std::size_t shift = i % words * kWord;
    auto value = static_cast<std::uint64_t>(element.bits >> shift);
    auto known = static_cast<std::uint64_t>(element.known >> shift);
    if (is_signed && bits < kWord)
      value = static_cast<std::uint64_t>(integer::as_signed(value, static_cast<integer::Width>(bits)));
    known = known_extended(known, bits, is_signed);
    const std::uint16_t width = slots[i] == kNoSlot ? kWord : code.widths[slots[i]];
    const std::uint64_t above = width >= kWord ? 0 : kAllBits << width;
    out.push_back({value & ~above, known | above});
  }
  return out;
}

/// What its registers hold.
std::vector<PartlyKnown> read_values(Warp& warp, const Step& read, unsigned lane) {
  std::vector<PartlyKnown> out;
  for (const Slot slot : read_by(read))
    out.push_back({slot == kNoSlot ? std::uint64_t{0} : warp.row(slot)[lane]});
  return out;
}

std::vector<std::uint64_t> inputs_of(Warp& warp, const Step& step, unsigned lane) {
  std::vector<std::uint64_t> out;
  const PollLoop& loop = step.polls != nullptr ? *step.polls : *step.takes;
  for (const Slot slot : loop.inputs) out.push_back(warp.row(slot)[lane]);
  return out;
}

/// The elements of a vector that a loop was left for: with anything else in one of these it might wait on.
/// All of those of which one would be enough; none of a lane that would have been let go on by anything.
std::uint8_t awaited_elements(const Code& code, const Step& read, std::span<const std::uint64_t> inputs,
                              const std::vector<PartlyKnown>& values) {
  unsigned out = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<PartlyKnown> others = values;
    others[i] = trace::kAnything;
    const trace::Leads goes = leads(code, read, inputs, others);
    if (!goes.to || !goes.known) out |= 1U << i;
  }
  const std::vector<PartlyKnown> any(values.size(), trace::kAnything);
  const trace::Leads goes = leads(code, read, inputs, any);
  const bool all = out == 0 && (!goes.to || !goes.known);
  return static_cast<std::uint8_t>(all ? ~0U : out);
}

}  // namespace

/// The lanes have read a value in the loop.
trace::Polling Polls::polling(Warp& warp, const Step& step, LaneMask mask) {
  struct Lane {
    const Code* code = nullptr;
    std::vector<std::uint64_t> inputs;
  };
  auto all = std::make_shared<std::array<Lane, kLanes>>();
  trace::Polling out;
  out.together = step.polls != nullptr && step.polls->told;
  for_lanes(mask, [&](unsigned lane) {
    Lane& one = (*all)[lane];
    one = {warp.codes[lane], inputs_of(warp, step, lane)};
    const std::vector<PartlyKnown> values = read_values(warp, step, lane);
    if (!leads(*one.code, step, one.inputs, values).to) return;
    out.left |= LaneMask{1} << lane;
    if (step.element_count > 1) out.awaited[lane] = awaited_elements(*one.code, step, one.inputs, values);
  });
  out.left_for = [all, read = &step](unsigned lane, std::span<const PartlyKnown> elements) {
    const Lane& one = (*all)[lane];
    return leads(*one.code, *read, one.inputs, as_read(*one.code, *read, elements));
  };
  return out;
}

/// What it has read sends the lane round, whatever the contents are that the launch leaves open.
bool Polls::goes_round_surely(Warp& warp, const Step& step, unsigned lane) {
  if (!machine_.shadow.follows_bits() || step.polls == nullptr) return false;
  std::vector<PartlyKnown> values = read_values(warp, step, lane);
  const std::vector<Slot> slots = read_by(step);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i] != kNoSlot) values[i].known = machine_.shadow.bits_of(warp, slots[i], lane);
  }
  const trace::Leads goes = leads(*warp.codes[lane], step, inputs_of(warp, step, lane), values);
  return goes.known && !goes.to;
}

void Polls::wait_on(Warp& warp, const Step& step, LaneMask mask, std::uint64_t since) {
  if (mask == 0) return;
  warp.waiting |= mask;
  warp.left &= ~mask;
  warp.yields = true;
  for_lanes(mask, [&](unsigned lane) {
    warp.waits_at[lane] = warp.polled_at[lane] = &step;
    warp.tried[lane] = since;
  });
}

void Polls::leave_loop(Warp& warp, const Step& step, LaneMask mask) {
  warp.waiting &= ~mask;
  warp.left |= mask;
  for_lanes(mask, [&](unsigned lane) { warp.left_at[lane] = warp.polled_at[lane] = &step; });
}

/// The last turn of a loop: in other schedules there are more before it, or fewer.
void Polls::end_turns(Warp& warp, const std::vector<Slot>& left_behind, LaneMask mask) {
  for (const Slot slot : left_behind) warp.taint(slot).timing |= mask;
}

/// The lanes leave the loop as what they compare with says.
void Polls::decided_by_inputs(Warp& warp, const Step& step, LaneMask mask) {
  Sources sources = 0;
  const auto is_left_behind = [&](Slot slot) {
    return std::find(step.left_behind.begin(), step.left_behind.end(), slot) != step.left_behind.end();
  };
  for (const Slot slot : step.polls->inputs) {
    if (is_left_behind(slot)) continue;  // it may decide what turns do, not whether one is the last
    for_lanes(mask, [&](unsigned lane) { sources |= warp.taint(slot).of(lane); });
  }
  if (sources != 0) run_.decided(step, Decided::control, sources, false);
}

/// The lanes wait on for what they read there. Other contents than these may be what they wait for.
void Polls::decided_by_open_reads(Warp& warp, const Step& step, LaneMask mask) {
  LaneMask reads = 0;
  for (const Slot slot : read_by(step)) {
    if (slot != kNoSlot) reads |= warp.taint(slot).data & mask;
  }
  bool open = false;
  for_lanes(reads, [&](unsigned lane) { open = open || !goes_round_surely(warp, step, lane); });
  if (open) run_.decided(step, Decided::control, bit(Source::data), false);
}

/// The lanes have read. The read of those whose loops are left by turns is one among the turns of its
/// location, and what they read before makes no difference.
void Polls::poll_once(Warp& warp, const Step& step, LaneMask mask, const Row& at, LaneMask by_turns) {
  if (mask == 0) return;
  const trace::Polling polls = polling(warp, step, mask);
  const LaneMask wants = polls.left & by_turns & mask;
  const LaneMask now = wants == 0 ? 0 : machine_.contention.take_turns(warp, step, wants, at);
  if (now != 0) {
    warp.polled |= now;
    leave_loop(warp, step, now);
    decided_by_inputs(warp, step, now);
    end_turns(warp, step.left_behind, now);
    machine_.accesses.observe(warp, step, now, at, trace::Effect::read, {}, 0);
  }
  mask &= ~wants;
  if (mask == 0 || warp.active == 0) return;  // all wait for the turns of some of them
  trace::Polling others = polls;
  others.left &= ~wants;
  if (machine_.contention.of_polls()) decided_by_open_reads(warp, step, mask & by_turns & ~others.left);
  machine_.accesses.observe(warp, step, mask, at, trace::Effect::read, {}, 0, &others);
  poll(warp, step, mask, at, trace::Effect::read, others.left);
}

/// The loop is left, or waits on.
void Polls::poll(Warp& warp, const Step& step, LaneMask mask, const Row& at, trace::Effect effect,
                 LaneMask left) {
  warp.polled |= mask;
  wait_on(warp, step, mask & ~left, run_.changes);
  leave_loop(warp, step, mask & left);
  decided_by_inputs(warp, step, mask & left);
  end_turns(warp, step.left_behind, mask & left);
  const trace::Polling polls = step.element_count > 1 ? polling(warp, step, mask & left) : trace::Polling{};
  for_lanes(mask & left, [&](unsigned lane) {
    for (unsigned element = 0; element < step.element_count; ++element) {
      if (polls.awaits(lane, element)) note_left(warp, step, lane, at[lane], effect, element);
    }
  });
}

/// The lane has left the loop for what it read there.
void Polls::note_left(Warp& warp, const Step& step, unsigned lane, Address at, trace::Effect effect,
                      unsigned element) {
  at += std::uint64_t{element} * step.element_bytes;
  LeftLoop loop{{step.site, thread_of(warp, lane), effect, at},
                warp.codes[lane],
                &step,
                element,
                inputs_of(warp, step, lane)};
  run_.observer.await_left(loop.await);
  std::vector<LeftLoop>& known = left_loops_[at];
  const auto same = std::find_if(known.begin(), known.end(), [&](const LeftLoop& other) {
    return other.await.thread == loop.await.thread && other.await.site == loop.await.site;
  });
  if (same == known.end()) {
    known.push_back(std::move(loop));
  } else {
    *same = std::move(loop);
  }
}

/// What a thread adds to a reduction in a loop that polls: of one that has polled, what it read.
void Polls::note_poll(NamedBarrier& barrier, Warp& warp, const Step& step, unsigned lane, bool holds) {
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
bool Polls::told_by_one(NamedBarrier& barrier, const std::vector<NamedBarrier::Arrived>& all) {
  const bool went_round = std::exchange(barrier.goes_round, false);
  if (barrier.polling == 0 && !went_round) return false;
  bool alike = barrier.polling == 1 && barrier.others_add_nothing && open(barrier.others) == 0;
  bool waits = false;
  for (const NamedBarrier::Arrived& arrived : all) {
    const Warp& warp = run_.warps[arrived.warp];
    alike = alike && arrived.step == all.front().step && arrived.waits &&
            (!went_round || (warp.acted & arrived.lanes) == 0);
    waits = waits || (warp.waiting & arrived.lanes) != 0;
  }
  if (!alike) {
    run_.decided(*barrier.polls, Decided::control, bit(Source::timing), false);
    return false;
  }
  barrier.goes_round = waits;
  for (const NamedBarrier::Arrived& arrived : all) {
    run_.warps[arrived.warp].acted &= ~arrived.lanes;
    if (!waits && barrier.polling != 0)
      end_turns(run_.warps[arrived.warp], barrier.polls->polls->left_behind, arrived.lanes);
  }
  return true;
}

/// Those of the lanes at a vote or a shuffle that tell the others by it what they read in a loop.
LaneMask Polls::polling_lanes(const Warp& warp, LaneMask group) const {
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
bool Polls::add_nothing(Warp& warp, LaneMask group, LaneMask polling) {
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
void Polls::told_by_lanes(Warp& warp, LaneMask group) {
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
  if (!alike) return run_.decided(read, Decided::control, bit(Source::timing), false);
  if ((polling & ~warp.left) == 0) {
    end_turns(warp, read.polls->left_behind, group);
    return leave_loop(warp, read, group);
  }
  warp.round_at = &step;
  std::uint64_t since = run_.changes;  // when the oldest of the reads was made
  for_lanes(polling & ~warp.left, [&](unsigned lane) { since = std::min(since, warp.tried[lane]); });
  wait_on(warp, read, group, since);
}

/// The lanes whose lock is taken: the atomic would leave the location as it is, and its loop would not be
/// left. As a write of what it reads it has no turn, and a thread that takes the lock comes after none of
/// them.
LaneMask Polls::finds_taken(Warp& warp, const Step& step, LaneMask mask, const Row& at,
                            const ReachedBytes& reached) {
  LaneMask out = 0;
  if (step.takes == nullptr) return out;
  const std::uint32_t bytes = step.element_bytes;
  for_lanes(mask & ~warp.had_turn, [&](unsigned lane) {
    if (!machine_.contention.follows(at[lane])) return;
    const Memory::Span span = machine_.accesses.span_of(reached, at[lane], bytes);
    if (open(static_cast<Sources>(span.sources(0, bytes) | tried_with(warp, step, lane))) != 0) return;
    if (goes_round(warp, step, lane, Memory::load(span.data, bytes))) out |= LaneMask{1} << lane;
  });
  return out;
}

/// What its tries rest on, beside what they find.
Sources Polls::tried_with(Warp& warp, const Step& step, unsigned lane) {
  Sources out = warp.taint(step.slot(Role::value)).of(lane);
  if (step.has(Role::comparand))
    out = static_cast<Sources>(out | warp.taint(step.slot(Role::comparand)).of(lane));
  for (const Slot slot : step.takes->inputs) out = static_cast<Sources>(out | warp.taint(slot).of(lane));
  return out;
}

/// A try that finds this leaves it as it is, and its loop is not left.
bool Polls::goes_round(Warp& warp, const Step& step, unsigned lane, std::uint64_t found) {
  const std::uint64_t value = warp.row(step.slot(Role::value))[lane];
  const std::uint64_t comparand = step.has(Role::comparand) ? value_of(warp, step, Role::comparand, lane) : 0;
  if (combined(step.modifiers(), found, value, comparand) != found) return false;
  const Code& code = *warp.codes[lane];
  const PartlyKnown all{found};
  return !leads(code, step, inputs_of(warp, step, lane), as_read(code, step, std::span(&all, 1))).to;
}

/// They go round, until a thread writes there.
void Polls::find_taken(Warp& warp, const Step& step, LaneMask mask, const Row& at,
                       const ReachedBytes& reached) {
  if (mask == 0) return;
  const std::uint32_t bytes = step.element_bytes;
  for_lanes(mask, [&](unsigned lane) {
    const Memory::Span span = machine_.accesses.span_of(reached, at[lane], bytes);
    set_register(warp, step, step.to, lane, Memory::load(span.data, bytes));
    warp.taint(step.to).set(lane, static_cast<Sources>(span.sources(0, bytes) | bit(Source::turns)));
    warp.waits_at[lane] = &step;
    warp.tried[lane] = run_.changes;
  });
  warp.waiting |= mask;
  warp.left &= ~mask;
  warp.yields = true;
  const trace::Polling polls;
  machine_.accesses.observe(warp, step, mask, at, trace::Effect::update, {}, 0, &polls);
}

/// Those lanes that have left a loop, for which the instruction is still of it; the others are done with it.
LaneMask Polls::leading_out(Warp& warp, const Step& step) {
  LaneMask of_loop = 0;
  for_lanes(warp.left & warp.active, [&](unsigned lane) {
    const trace::Site at = step.site - warp.codes[lane]->first;
    if (warp.left_at[lane]->polls->steps[at]) of_loop |= LaneMask{1} << lane;
  });
  warp.left &= ~warp.active | of_loop;
  return of_loop;
}

/// Places have been written: would the loops that were left for what they held be left for what they hold now?
void Polls::compare_with_awaited(Warp& warp, const Step& step, LaneMask mask, const Row& at) {
  if (left_loops_.empty()) return;
  for (unsigned element = 0; element < step.element_count; ++element) {
    for_lanes(mask, [&](unsigned lane) {
      const Address begin = at[lane] + std::uint64_t{element} * step.element_bytes;
      const auto found = left_loops_.find(begin);
      if (found == left_loops_.end()) return;
      for (const LeftLoop& loop : found->second) compare_with(loop, step.site, thread_of(warp, lane), begin);
    });
  }
}

/// Whatever is in the other elements of a vector.
void Polls::compare_with(const LeftLoop& loop, trace::Site by, trace::Thread thread, Address at) {
  const Step& read = *loop.read;
  const auto span = run_.memory->span(at, read.element_bytes);
  if (!span) return;
  std::vector<PartlyKnown> elements(read.element_count, trace::kAnything);
  elements[loop.element] = {Memory::load_wide(span->data, read.element_bytes)};
  if (leads(*loop.code, read, loop.inputs, as_read(*loop.code, read, elements)).to) {
    run_.observer.awaited_back(loop.await);
  } else {
    run_.observer.awaited_gone(loop.await, by, thread, {at, read.element_bytes});
  }
}

}  // namespace ptxmc::exec
