// SPDX-License-Identifier: Apache-2.0
// mbarrier objects (9.7.12.15). Their counts are kept beside memory, by the object's address.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "dynamic/exec/machine.h"
#include "ptx/rules/limits.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Role;

constexpr std::uint32_t kObject = 8;                // bytes
constexpr std::int64_t kMostBytes = (1 << 20) - 1;  // R195

/// A state, which is an opaque word of 64 bits: the object's number, the phase, whether an arrival with .noComplete gave
/// it, and the pending count.
struct State {
  static constexpr unsigned kCountBits = 20, kPhaseBits = 23, kPhaseAt = kCountBits + 1,
                            kNumberAt = kPhaseAt + kPhaseBits;
  static constexpr std::uint64_t kPhases = (std::uint64_t{1} << kPhaseBits) - 1;
  std::uint64_t word;

  static State of(const Mbarrier& object, bool no_complete) {
    return {std::uint64_t{object.number} << kNumberAt | (object.phase & kPhases) << kPhaseAt |
            std::uint64_t{no_complete} << kCountBits | object.pending};
  }
  bool is_of(const Mbarrier& object) const {
    const std::uint64_t shown = word >> kNumberAt;
    return shown == ((std::uint64_t{object.number} << kNumberAt) >> kNumberAt);
  }
  bool no_complete() const { return (word >> kCountBits & 1U) != 0; }
  std::uint64_t pending() const { return word & rules::kLargestMbarrierCount; }
  /// The phase, which is at most that of the object.
  trace::Phase phase(const Mbarrier& object) const {
    return object.phase - ((object.phase - (word >> kPhaseAt)) & kPhases);
  }
};

/// Lanes that ask the same of one object, with one answer.
struct Poll {
  Address object;
  trace::Phase expected;
  bool succeeded;
  LaneMask lanes;
};

void add_poll(std::vector<Poll>& polls, const Poll& poll) {
  const auto same = std::find_if(polls.begin(), polls.end(), [&](const Poll& other) {
    return other.object == poll.object && other.expected == poll.expected &&
           other.succeeded == poll.succeeded;
  });
  if (same == polls.end()) {
    polls.push_back(poll);
  } else {
    same->lanes |= poll.lanes;
  }
}

/// What a state as a whole rests on: an arrival taints it for its bits, which the manual does not say (9.7.12.15.13).
Taint without_bits(Taint state) {
  state.place = 0;
  return state;
}

trace::Wait wait_of(const Step& step, const Poll& poll, std::uint32_t warp) {
  const isa::Modifiers& m = step.modifiers();
  return {step.site,
          {warp, poll.lanes},
          poll.object,
          m.parity,
          poll.expected,
          {m.semantics, m.scope},
          poll.succeeded && step.decides,
          !step.instruction->spelling.scope};
}

}  // namespace

/// The object at an address; null: reported.
Mbarrier* Mbarriers::object(Warp& warp, const Step& step, Address at, unsigned lane) {
  if (Memory::is_shared(at) && step.mbarrier.base != kNoSlot &&
      !machine_.forms.in_object(warp, step, lane, {at, kObject}, step.mbarrier.base))
    return nullptr;
  const auto known = mbarriers_.find(at);
  if (known != mbarriers_.end()) return &known->second;
  if (const auto given = given_.find(at); given != given_.end()) {
    const std::uint32_t count = given->second;
    given_.erase(given);
    return &(mbarriers_[at] = {count, count, 0, 0, ++objects_});
  }
  const bool shared = Memory::is_shared(at);
  if (shared && !machine_.copies.in_memory(warp, step, lane, {at, kObject})) return nullptr;
  run_.misuse(Misuse::missing, step, warp, lane,
              fmt::format("{} at {}", shared ? "no mbarrier object was initialized" : "no shared memory",
                          run_.memory->name_at(at)));
  return nullptr;
}

/// 9.7.12.15.8: of another CTA's objects there are arrivals without a result, and transaction counts. (Of an operand without
/// ::cluster its window has said so.)
void Mbarriers::check_own(Warp& warp, const Step& step, LaneMask mask, const Row& at) {
  const isa::Space space = step.mbarrier.space;
  if (space == isa::Space::shared || space == isa::Space::shared_cta) return;
  for_lanes(mask, [&](unsigned lane) {
    if (Memory::is_shared(at[lane]) && Memory::cta_of(at[lane]) != warp.cta)
      run_.misuse(
          Misuse::remote, step, warp, lane,
          fmt::format("{} is of another CTA, whose objects take arrivals without a result and transaction "
                      "counts alone",
                      run_.memory->name_at(at[lane])));
  });
}

void Mbarriers::try_complete(Address at, Mbarrier& object) {
  if (object.pending != 0 || object.transactions != 0) return;
  if (!late_.empty() && !slips(at, object) && complete_late(at)) return;
  run_.observer.mbarrier_complete(at, object.phase);
  ++object.phase;
  object.pending = object.expected;
  object.brought = object.waited = false;
  ++run_.changes;
}

/// In each phase a wait for the one before returns true before the first arrival.
void Mbarriers::check_waited(Warp& warp, const Step& step, unsigned lane, Address at,
                             const Mbarrier& object) {
  if (object.waited) return;
  run_.fault(RuleId::mbarrier_unwaited, step, warp, lane,
             fmt::format("arrival at an mbarrier object, though no wait for phase {} of {} has returned true",
                         object.phase - 1, run_.memory->name_at(at)));
}

/// An operation that is issued now completes later: what that brings waits. False: it completes at once.
bool Mbarriers::is_late(const Completion& completion) {
  if (run_.schedule.late) late_.push_back(completion);
  return run_.schedule.late;
}

/// The phase ends before the operations that were issued in it, as no thread has expected their bytes.
bool Mbarriers::slips(Address at, const Mbarrier& object) {
  bool any = false;
  for (const Completion& one : late_) {
    if (one.object != at || one.number != object.number) continue;
    if (one.arrivals != 0 || object.brought) return false;
    any = true;
  }
  if (any) run_.observer.mbarrier_slip(at, object.phase);
  return any;
}

/// Late completions at one object, or at all: they count to the phase that is under way, which ends after
/// them. False: there is none.
bool Mbarriers::complete_late(std::optional<Address> at) {
  const auto stays = [&](const Completion& one) { return at && one.object != *at; };
  const auto begin = std::stable_partition(late_.begin(), late_.end(), stays);
  const std::vector<Completion> now(begin, late_.end());
  late_.erase(begin, late_.end());
  std::set<Address> objects;
  for (const Completion& one : now) {
    const auto found = mbarriers_.find(one.object);
    if (found == mbarriers_.end() || found->second.number != one.number) continue;
    found->second.transactions -= static_cast<std::int64_t>(one.bytes);
    found->second.pending -= one.arrivals;
    found->second.brought = true;
    objects.insert(one.object);
  }
  for (const Address object : objects) try_complete(object, mbarriers_.at(object));
  return !now.empty();
}

void Mbarriers::count_bytes(Warp& warp, const Step& step, unsigned lane, Address at, Mbarrier& object,
                            std::int64_t by) {
  object.transactions += by;
  if (object.transactions <= kMostBytes && object.transactions >= -kMostBytes) return;
  run_.misuse(Misuse::bytes, step, warp, lane,
              fmt::format("a tx-count of {}, of -{} to {}, at {}", object.transactions, kMostBytes,
                          kMostBytes, run_.memory->name_at(at)));
}

/// The object that the operand names; with .multicast::cluster those at its place in each CTA of the mask.
template <typename Function>
void Mbarriers::for_objects(Warp& warp, const Step& step, unsigned lane, Address at, Function&& function) {
  if (!step.modifiers().multicast) return function(at);
  for (const std::uint32_t cta : machine_.copies.destinations(warp, step, lane))
    function(machine_.copies.in_cta(at, cta));
}

/// init, inval, expect_tx, complete_tx
void Mbarriers::mbarrier_update(Warp& warp, const Step& step, LaneMask mask) {
  Row at;
  run_.addresses(warp, step, step.mbarrier, mask, at);
  const std::uint32_t made = objects_;
  const bool counts = step.instruction->opcode == Opcode::mbarrier_expect_tx ||
                      step.instruction->opcode == Opcode::mbarrier_complete_tx;
  if (!counts) check_own(warp, step, mask, at);
  for (const Role role : {Role::count, Role::bytes})
    run_.decided_by(warp, step, role, Decided::control, mask);
  for_lanes(mask, [&](unsigned lane) {
    if (step.instruction->opcode == Opcode::mbarrier_init) {
      const auto count = static_cast<std::int64_t>(value_of(warp, step, Role::count, lane) & 0xffffffffU);
      if (Memory::is_shared(at[lane]) &&
          !machine_.copies.in_memory(warp, step, lane, {at[lane], kObject}, step.mbarrier.base))
        return;
      if (!Memory::is_shared(at[lane]) ||
          !machine_.forms.is_aligned(warp, step, lane, step.mbarrier.base, at[lane], kObject))
        return run_.misuse(Misuse::place, step, warp, lane,
                           fmt::format("an object at {}: it is 8 aligned bytes of shared memory",
                                       run_.memory->name_at(at[lane])));
      const bool small = step.modifiers().small_counts;
      if (!rules::is_mbarrier_count(count, small))
        return run_.misuse(
            Misuse::count, step, warp, lane,
            fmt::format("an arrival count of {}, of 1 to {}", count, rules::largest_mbarrier_count(small)));
      // Lanes that initialise one object alike do so together.
      const auto before = mbarriers_.find(at[lane]);
      const bool together =
          before != mbarriers_.end() && before->second.number > made && before->second.expected == count;
      if (!together && (before != mbarriers_.end() || given_.contains(at[lane])))
        run_.misuse(Misuse::twice, step, warp, lane,
                    fmt::format("a second mbarrier.init, without mbarrier.inval, at {}",
                                run_.memory->name_at(at[lane])));
      const auto arrivals = static_cast<std::uint32_t>(count);
      given_.erase(at[lane]);
      Mbarrier& object = mbarriers_[at[lane]];
      object = {arrivals, arrivals, 0, 0, ++objects_};
      object.second_layout = small;
      ++run_.changes;
      run_.observer.mbarrier_init(step.site, thread_of(warp, lane), at[lane], arrivals);
      return;
    }
    if (counts) {
      for_objects(warp, step, lane, at[lane], [&](Address one) { count_at(warp, step, lane, one); });
      return;
    }
    if (object(warp, step, at[lane], lane) == nullptr) return;
    ++run_.changes;
    mbarriers_.erase(at[lane]);
    run_.observer.mbarrier_invalidate(step.site, thread_of(warp, lane), at[lane]);
  });
}

/// expect_tx and complete_tx of one object.
void Mbarriers::count_at(Warp& warp, const Step& step, unsigned lane, Address at) {
  Mbarrier* const found = object(warp, step, at, lane);
  if (found == nullptr) return;
  ++run_.changes;
  const isa::Modifiers& m = step.modifiers();
  const auto bytes = static_cast<std::int64_t>(value_of(warp, step, Role::bytes, lane) & 0xffffffffU);
  const std::int64_t change = step.instruction->opcode == Opcode::mbarrier_expect_tx ? bytes : -bytes;
  run_.observer.mbarrier_arrive(
      {step.site, thread_of(warp, lane), at, found->phase, {m.semantics, m.scope}, 0, change});
  count_bytes(warp, step, lane, at, *found, change);
  try_complete(at, *found);
}

void Mbarriers::mbarrier_arrive(Warp& warp, const Step& step, LaneMask mask) {
  Row at;
  run_.addresses(warp, step, step.mbarrier, mask, at);
  const isa::Modifiers& m = step.modifiers();
  if (step.to != kNoSlot || m.no_complete) check_own(warp, step, mask, at);
  for (const Role role : {Role::count, Role::bytes})
    run_.decided_by(warp, step, role, Decided::control, mask);
  for_lanes(mask, [&](unsigned lane) {
    for_objects(warp, step, lane, at[lane], [&](Address one) { arrive_at(warp, step, lane, one); });
  });
}

/// An arrival at one object.
void Mbarriers::arrive_at(Warp& warp, const Step& step, unsigned lane, Address at) {
  Mbarrier* const found = object(warp, step, at, lane);
  if (found == nullptr) return;
  const isa::Modifiers& m = step.modifiers();
  std::uint64_t count = 1;
  std::int64_t bytes = 0;
  if (m.expect_tx) {
    bytes = static_cast<std::int64_t>(value_of(warp, step, Role::bytes, lane) & 0xffffffffU);
  } else if (step.has(Role::count)) {
    count = value_of(warp, step, Role::count, lane) & 0xffffffffU;
  }
  if (count == 0 || count > found->pending ||
      (m.no_complete && count == found->pending && found->transactions == 0))
    return run_.misuse(Misuse::arrivals, step, warp, lane,
                       fmt::format("{} arrival{} at {}, but its phase expects {} more", count,
                                   count == 1 ? "" : "s", run_.memory->name_at(at), found->pending));
  ++run_.changes;
  check_waited(warp, step, lane, at, *found);
  const State state = State::of(*found, m.no_complete);
  run_.observer.mbarrier_arrive({step.site,
                                 thread_of(warp, lane),
                                 at,
                                 found->phase,
                                 {m.semantics, m.scope},
                                 static_cast<std::uint32_t>(count),
                                 bytes,
                                 !step.instruction->spelling.scope,
                                 m.no_complete});
  count_bytes(warp, step, lane, at, *found, bytes);
  if (step.instruction->opcode == Opcode::mbarrier_arrive_drop)
    found->expected -= std::min(found->expected, static_cast<std::uint32_t>(count));
  found->pending -= static_cast<std::uint32_t>(count);
  try_complete(at, *found);
  if (step.to != kNoSlot) {
    warp.row(step.to)[lane] = state.word;
    warp.taint(step.to).set(lane, bit(Source::place));  // its bits are the machine's own (9.7.12.15.13)
  }
}

/// Whether the lane waits from here on.
void Mbarriers::note_try(Warp& warp, const Step& step, unsigned lane, bool succeeded) const {
  // A warp that waits as a whole is one of several that do, as a rule: none lags so far that phases go by.
  if (!succeeded || (step.waits_in_loop && std::popcount(warp.active) > 1)) warp.yields = true;
  const LaneMask one = LaneMask{1} << lane;
  if (succeeded || !step.waits_in_loop) {
    warp.waiting &= ~one;
    return;
  }
  warp.waiting |= one;
  warp.waits_at[lane] = &step;
  warp.tried[lane] = run_.changes;
}

/// The parity, or the state, that a wait is for (9.7.12.15.16).
void Mbarriers::check_awaited(const Warp& warp, const Step& step, unsigned lane, const Mbarrier& object,
                              std::uint64_t value, Address at) {
  const bool parity = step.modifiers().parity;
  if (parity && !rules::is_parity(static_cast<std::int64_t>(value & 0xffffffffU)))
    run_.fault(RuleId::bad_operand, step, warp, lane,
               fmt::format("a parity of {}, of 0 or 1", value & 0xffffffffU));
  if (!parity && !State{value}.is_of(object))
    run_.misuse(Misuse::state, step, warp, lane,
                fmt::format("{:#x} is no state of the object at {}", value, run_.memory->name_at(at)));
}

/// A wait that fails lets others go on first. Outside of a loop that waits, its result rests on timing.
void Mbarriers::mbarrier_wait(Warp& warp, const Step& step, LaneMask mask) {
  Row at;
  run_.addresses(warp, step, step.mbarrier, mask, at);
  const isa::Modifiers& m = step.modifiers();
  std::vector<Poll> polls;
  LaneMask ready = 0;
  check_own(warp, step, mask, at);
  const Role role = m.parity ? Role::parity : Role::state;
  for_lanes(mask, [&](unsigned lane) {
    const LaneMask one = LaneMask{1} << lane;
    Mbarrier* found = object(warp, step, at[lane], lane);
    bool succeeded = true;  // where there is no object, no thread waits for it
    trace::Phase expected = 0;
    if (found != nullptr) {
      const std::uint64_t value = value_of(warp, step, role, lane);
      const State state{value};
      check_awaited(warp, step, lane, *found, value, at[lane]);
      expected = m.parity ? value & 1U : state.phase(*found);
      succeeded = m.parity ? (found->phase & 1U) != expected : found->phase > expected;
      found->waited = found->waited || (succeeded && (m.parity || found->phase == expected + 1));
    }
    if (step.is_tried_ahead) {
      if (succeeded) ready |= one;
      succeeded = false;
    } else if (found != nullptr && warp.looked_for[lane] != 0 &&
               machine_.tried_waits.has_skipped(
                   warp, wait_of(step, {at[lane], expected, succeeded, one}, warp.number))) {
      succeeded = true;
      found = nullptr;
    } else if (waits_fail_ && succeeded && warp.failed_at[lane] != &step) {
      succeeded = false;
      warp.failed_at[lane] = &step;
      found = nullptr;
      ++run_.changes;  // it is tried again
    } else {
      warp.failed_at[lane] = nullptr;
    }
    if (found != nullptr) add_poll(polls, {at[lane], expected, succeeded, one});
    if (step.to != kNoSlot) warp.row(step.to)[lane] = succeeded ? 1 : 0;
    note_try(warp, step, lane, succeeded);
  });
  const LaneMask timing = step.waits_in_loop || step.is_tried_ahead ? 0 : mask;
  if (step.to != kNoSlot)
    warp.taint(step.to).assign({.timing = timing, .token = step.is_tried_ahead ? mask : 0}, mask);
  if (m.reports && step.to != kNoSlot) write_reports(warp, step, mask, timing);
  const Taint& asked = warp.taint(step.slot(role));
  if (const Sources sources = (m.parity ? asked : without_bits(asked)).within(mask); sources != 0)
    run_.decided(step, Decided::control, sources, false);
  if (step.waits_in_loop) Polls::end_turns(warp, step.left_behind, mask & ~warp.waiting);
  if (step.is_tried_ahead) for_lanes(mask, [&](unsigned lane) { warp.tokens[step.to][lane] = 0; });
  for (const Poll& poll : polls) {
    const trace::Wait wait = wait_of(step, poll, warp.number);
    if (step.is_tried_ahead) machine_.tried_waits.give_token(warp, step, wait, ready);
    if (wait.succeeded && !step.waits_in_loop) run_.answered.insert(step.site);
    run_.observer.mbarrier_wait(wait);
  }
}

/// PTX ISA 9.4, 9.7.15.16.19: what was reported in the phase, which is nothing; undefined where it is not complete. `timing`:
/// the lanes in which another schedule may answer otherwise.
void Mbarriers::write_reports(Warp& warp, const Step& step, LaneMask mask, LaneMask timing) {
  const Row& done = warp.row(step.to);
  LaneMask open = 0;
  for_lanes(mask, [&](unsigned lane) {
    if (done[lane] == 0) open |= LaneMask{1} << lane;
  });
  const Slot value = step.has(Role::report) ? step.slot(Role::report) : kNoSlot;
  for (const Slot slot : {step.second, value}) {
    if (slot == kNoSlot) continue;
    for_lanes(mask, [&](unsigned lane) { warp.row(slot)[lane] = 0; });
    warp.taint(slot).assign({.data = open, .timing = timing}, mask);
  }
}

/// PTX ISA 9.4, 9.7.15.16.21.
void Mbarriers::check_layout(Warp& warp, const Step& step, LaneMask mask) {
  Row at;
  run_.addresses(warp, step, step.mbarrier, mask, at);
  check_own(warp, step, mask, at);
  for_lanes(mask, [&](unsigned lane) {
    const Mbarrier* const found = object(warp, step, at[lane], lane);
    if (found == nullptr) return;
    run_.observer.mbarrier_arrive({step.site,
                                   thread_of(warp, lane),
                                   at[lane],
                                   found->phase,
                                   {isa::Semantics::relaxed, isa::Scope::cta},
                                   0,
                                   0});
    if (step.to == kNoSlot) return;
    warp.row(step.to)[lane] = found->second_layout == step.modifiers().small_counts ? 1 : 0;
    warp.taint(step.to).set(lane, Sources{0});
  });
}

/// R219: of a state that an arrive.noComplete returned.
void Mbarriers::pending_count(Warp& warp, const Step& step, LaneMask mask) {
  for_lanes(mask, [&](unsigned lane) {
    const State state{value_of(warp, step, Role::state, lane)};
    if (!state.no_complete())
      run_.misuse(Misuse::state, step, warp, lane, "a state that no arrival with .noComplete gave");
    set_register(warp, step, step.to, lane, state.pending());
  });
  warp.taint(step.to).assign(without_bits(warp.taint(step.slot(Role::state))), mask);
}

/// A wait that is left out: as if the phase were complete.
void Mbarriers::succeed(Warp& warp, const Step& step, LaneMask mask) {
  warp.waiting &= ~mask;
  if (step.to == kNoSlot) return;
  for_lanes(mask, [&](unsigned lane) { warp.row(step.to)[lane] = 1; });
  warp.taint(step.to).assign({}, mask);
}

void Mbarriers::start(const Options& options) {
  waits_fail_ = options.waits_fail;
}

}  // namespace ptxmc::exec
