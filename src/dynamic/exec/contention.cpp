// SPDX-License-Identifier: Apache-2.0
// Turns at contended locations: who writes there first, and who waits for that.
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "dynamic/exec/machine.h"
#include "ptx/integer/arithmetic.h"

namespace ptxmc::exec {

namespace {

constexpr std::size_t kMostTurns = 4096;    // that are told
constexpr std::size_t kMostCompared = 128;  // of which one is compared with all before it

/// A lane waits for its turn in front of an access that is made once. (A thread goes on after a loop that
/// waits only when that has read what it waits for: what others do then rests on that, and comes after it by
/// 8.10.4.)
bool waits_for_turn(const Warp& warp, unsigned lane) {
  const Step* step = warp.waits_at[lane];
  return warp.wait[lane] == Wait::turn && step->polls == nullptr && step->takes == nullptr;
}

/// Somewhere it arrives at the barrier of its cluster without a release.
bool arrives_relaxed(const Warp& warp) {
  const auto is_relaxed = [](const Step& step) {
    return step.instruction->opcode == isa::Opcode::cluster_arrive &&
           step.modifiers().semantics == isa::Semantics::relaxed;
  };
  return std::any_of(warp.codes.begin(), warp.codes.end(), [&](const Code* code) {
    return code != nullptr && std::any_of(code->steps.begin(), code->steps.end(), is_relaxed);
  });
}

}  // namespace

/// The lanes that execute the write now. Those that execute it together go on together, after the last of
/// them: in the memory a turn is one lane's, in the code they stay one warp.
LaneMask Contention::take_turns(Warp& warp, const Step& step, LaneMask mask, const Row& at) {
  const bool polls = step.polls != nullptr;
  if (turns_.at.empty() || (polls && !(turns_.of_polls && step.instruction->opcode == isa::Opcode::ld)))
    return mask;
  LaneMask now = 0;
  bool next = false;
  const std::size_t before = run_.outcome.turns.size();
  for_lanes(mask & ~warp.had_turn, [&](unsigned lane) {
    const LaneMask one = LaneMask{1} << lane;
    if (follows(at[lane])) {
      std::size_t passes = 0;
      if (next_turn_ < turns_.first.size()) {
        const ContendedAccess& turn = turns_.first[next_turn_];
        if (turn.thread != thread_of(warp, lane) || turn.at != at[lane]) return;
        passes = turn.passes;
        ++next_turn_;
        next = true;
      }
      note_turn(warp, step, lane, at[lane], passes, before);
    }
    now |= one;
  });
  warp.had_turn |= now;
  if ((mask & ~warp.had_turn) == 0) {
    warp.had_turn &= ~mask;
  } else {
    turn_later_[warp.number] |= warp.active;
    warp.wants_turn = (warp.wants_turn & ~warp.active) | (mask & ~warp.had_turn);
    for_lanes(warp.active, [&](unsigned lane) {
      warp.place[lane] = step.site;
      warp.wait[lane] = Wait::turn;
      warp.waits_at[lane] = &step;
    });
    warp.ready &= ~warp.active;
    warp.active = 0;
  }
  if (next) let_turns_go_on();
  return now;
}

/// `before`: turns before those of this instruction.
void Contention::note_turn(Warp& warp, const Step& step, unsigned lane, Address at, std::size_t passes,
                           std::size_t before) {
  if (run_.outcome.turns.size() >= kMostTurns) {
    turn_of_[lane] = kMostTurns;
    run_.outcome.turns_told = false;
    return;
  }
  const isa::Opcode opcode = step.instruction->opcode;
  const LaneMask one = LaneMask{1} << lane;
  ContendedAccess turn{at, thread_of(warp, lane), step.site, opcode != isa::Opcode::st,
                       opcode != isa::Opcode::ld};
  if ((warp.fenced_some & one) != 0)
    turn.fenced = (warp.fenced & one) != 0 ? ContendedAccess::Fenced::all : ContendedAccess::Fenced::some;
  warp.fenced &= ~one;
  warp.fenced_some &= ~one;
  turn.passes = passes;
  turn_of_[lane] = run_.outcome.turns.size();
  if (turn.writes) written_.insert(at);
  run_.outcome.turns.push_back(std::move(turn));
  Content content = content_of(step, at);
  for (std::size_t i = before; i + 1 < run_.outcome.turns.size(); ++i)
    content.known = content.known && run_.outcome.turns[i].at != at;
  note_place(warp, step, lane, content);
  if (!keeps_older_) return;
  before_turn_.push_back(content);
  const bool plain = opcode == isa::Opcode::ld && step.polls == nullptr;
  if (passes != 0 && !(plain && content_before(turn_of_[lane]).known)) {
    run_.outcome.turns.back().passes = 0;
    run_.outcome.turns_told = false;
  }
}

/// What tells where else at its location the turn may stand.
void Contention::note_place(Warp& warp, const Step& step, unsigned lane, const Content& found) {
  using isa::Semantics;
  ContendedAccess& turn = run_.outcome.turns.back();
  const isa::Modifiers& m = step.modifiers();
  turn.swaps = step.instruction->opcode == isa::Opcode::atom && m.atomic == isa::AtomicOp::cas;
  turn.tries = step.takes != nullptr;
  if (step.element_count != 1 || m.packed != isa::Packed::none || step.element_bytes > sizeof(std::uint64_t))
    return;
  const bool of_system = m.semantics == Semantics::volatile_ || m.semantics == Semantics::mmio;
  if (m.semantics != Semantics::weak && includes_all(of_system ? isa::Scope::sys : m.scope))
    turn.strong = static_cast<std::uint8_t>(step.element_bytes);
  const auto span = run_.memory->span(turn.at, step.element_bytes);
  const bool of_address = span && (span->all(0, step.element_bytes) & kAddress) != 0;
  if (found.known && !of_address && open(found.sources) == 0) turn.found = found.value;
  const auto is_number = [&](Slot slot) {
    return open(warp.taint(slot).of(lane)) == 0 && AddressForms::form_of(warp, slot, lane) == Places::kNumber;
  };
  if (turn.swaps && is_number(step.slot(isa::Role::comparand)))
    turn.compared = integer::wrap(value_of(warp, step, isa::Role::comparand, lane),
                                  static_cast<integer::Width>(step.element_bytes * 8));
  const bool sure = turn.tries && open(Polls::tried_with(warp, step, lane)) == 0 &&
                    is_number(step.slot(isa::Role::value)) && (!turn.swaps || turn.compared);
  if (!sure || run_.outcome.turns.size() > kMostCompared) return;
  std::set<std::uint64_t> all;
  for (const ContendedAccess& other : run_.outcome.turns) {
    const bool earlier = &other != &turn && other.at == turn.at && other.found;
    if (earlier && all.insert(*other.found).second &&
        machine_.polls.goes_round(warp, step, lane, *other.found))
      turn.refused.push_back(*other.found);
  }
}

Contention::Content Contention::content_of(const Step& step, Address at) const {
  const std::uint32_t bytes = step.element_bytes;
  const auto span = run_.memory->span(at, bytes);
  if (!span || bytes > sizeof(std::uint64_t)) return {};
  return {Memory::load(span->data, bytes), span->sources(0, bytes), true};
}

/// The writes that a read passes.
const Contention::Content& Contention::content_before(std::size_t read) const {
  const ContendedAccess& own = run_.outcome.turns[read];
  std::size_t passed = 0, first = read;
  for (std::size_t i = read; i-- > 0 && passed < own.passes;) {
    if (run_.outcome.turns[i].at != own.at || !run_.outcome.turns[i].writes) continue;
    ++passed;
    first = i;
  }
  return before_turn_[first];
}

/// The turn of a swap. One that fails is a read; what it does is the same in all schedules with this order,
/// or not known.
void Contention::compare(unsigned lane, Sources compared, LaneMask failed) {
  if (open(compared) != 0) run_.outcome.turns_told = false;
  const bool fails = (failed >> lane & 1U) != 0;
  if (turn_of_[lane] < run_.outcome.turns.size()) run_.outcome.turns[turn_of_[lane]].writes = !fails;
}

/// An atomic whose result is but compared has read a value; `sources`: what that and what it adds rest on.
void Contention::count(Warp& warp, const Step& step, unsigned lane, std::uint64_t old, Sources sources) {
  if (!counting_) return;
  std::array<std::size_t, kLanes>& turns = warp.counted[step.to];
  turns[lane] = kMostTurns;
  if (sources != 0 || turn_of_[lane] >= run_.outcome.turns.size()) return;
  turns[lane] = turn_of_[lane];
  const std::uint64_t operand = warp.row(step.slot(isa::Role::value))[lane];
  run_.outcome.turns[turn_of_[lane]].counted =
      ContendedAccess::Counted{old, step.modifiers().atomic, operand, {}, step.looked_at};
}

void Contention::compare_counted(Warp& warp, const Step& step, LaneMask mask) {
  const auto found = warp.counted.find(step.counted);
  if (found == warp.counted.end()) return;
  const Slot other = step.sources[step.sources[0] == step.counted ? 1 : 0];
  for_lanes(mask, [&](unsigned lane) {
    if (found->second[lane] >= run_.outcome.turns.size()) return;
    std::optional<ContendedAccess::Counted>& counted = run_.outcome.turns[found->second[lane]].counted;
    if (!counted) return;
    if (warp.taint(other).of(lane) != 0) return counted.reset();  // in another order it may be another value
    counted->compared.push_back(warp.row(other)[lane] & 0xffffffffU);
  });
}

/// Lanes whose turns are to acquire nothing.
LaneMask Contention::blind(LaneMask mask, const Row& at) const {
  LaneMask out = 0;
  if (turns_.blind.empty()) return out;
  for_lanes(mask, [&](unsigned lane) {
    if (follows(at[lane]) && turns_.blind.contains(turn_of_[lane])) out |= LaneMask{1} << lane;
  });
  return out;
}

/// A turn is over: the next one may be that of one of those who wait; after the last, they all go on.
void Contention::let_turns_go_on() {
  ++run_.changes;
  std::map<std::uint32_t, LaneMask> later = std::exchange(turn_later_, {});
  if (next_turn_ < turns_.first.size()) {
    const std::uint32_t next = turns_.first[next_turn_].thread / kLanes;
    if (auto waiting = later.extract(next); !waiting.empty()) run_.warps[next].release(waiting.mapped());
    turn_later_ = std::move(later);
    return;
  }
  for (const auto& [number, lanes] : later) run_.warps[number].release(lanes);
}

/// No other thread goes on: the order that was wanted is none that there is. But one that waits for the turns
/// of lanes of its own warp, which stay together here, may have its next one before them elsewhere.
bool Contention::give_turns_up() {
  if (turn_later_.empty()) return false;
  const trace::Thread wanted = turns_.first[next_turn_].thread;
  const auto waiting = turn_later_.find(wanted / kLanes);
  const LaneMask for_others =
      waiting == turn_later_.end() ? 0 : waiting->second & ~run_.warps[wanted / kLanes].wants_turn;
  if ((for_others >> (wanted % kLanes) & 1U) != 0) run_.outcome.turns_told = false;
  if (only_executes_behind_turns(wanted)) run_.outcome.kept_by_execution = true;
  kept_ = Kept{wanted, {}};
  for (const Warp& warp : run_.warps) {
    for_lanes(warp.live(), [&](unsigned lane) {
      if (waits_for_turn(warp, lane)) kept_->by[warp.number] |= LaneMask{1} << lane;
    });
  }
  next_turn_ = turns_.first.size();
  let_turns_go_on();
  return true;
}

/// Threads exit: a barrier that waits for those that have not goes on, and orders nothing after what they
/// did.
void Contention::exit_from_barriers(const Warp& warp, LaneMask mask) {
  if (!kept_) return;
  const Wait wait = run_.warps[kept_->wanted / kLanes].wait[kept_->wanted % kLanes];
  const auto by = kept_->by.find(warp.number);
  if (by != kept_->by.end() && (by->second & mask) != 0 && (wait == Wait::barrier || wait == Wait::cluster))
    run_.outcome.kept_by_execution = true;
}

/// Whom a lane waits for. Any thread of the cluster may be awaited by who waits for a phase of an mbarrier object, or with other
/// warps of its group.
Awaited Contention::awaited_by(Warp& warp, unsigned lane) {
  const std::uint32_t cluster = run_.ctas[warp.cta].cluster;
  switch (warp.wait[lane]) {
    case Wait::lanes:
      return {Awaited::Whom::lanes, warp.members[lane], false};
    case Wait::barrier:
      return {Awaited::Whom::cta, warp.cta, true};
    case Wait::cluster:
      if (!relaxed_arrivals_)
        relaxed_arrivals_ = std::any_of(run_.warps.begin(), run_.warps.end(), arrives_relaxed);
      return {Awaited::Whom::cluster, cluster, !*relaxed_arrivals_};
    case Wait::columns:
    case Wait::pair:
    case Wait::products:
      return {Awaited::Whom::cluster, cluster, false};
    case Wait::turn:
      return {};
    case Wait::nothing: {
      run_.outcome.kept_by_contents =
          run_.outcome.kept_by_contents || machine_.hangs.goes_round_by_data(warp, lane);
      const Step* tries = (warp.waiting >> lane & 1U) != 0 ? warp.waits_at[lane] : nullptr;
      if (tries == nullptr || tries->mbarrier.base == kNoSlot) return {};
      return {Awaited::Whom::cluster, cluster, false};
    }
  }
  return {};
}

/// The lanes that it waits for, those that these wait for, and so on: one of them waits for its turn, and not every wait on the
/// way orders what came before it (a barrier does, an exchange does not).
bool Contention::only_executes_behind_turns(trace::Thread wanted) {
  std::set<std::pair<trace::Thread, bool>> seen;                    // and whether such a wait is on the way
  std::set<std::tuple<Awaited::Whom, std::uint32_t, bool>> groups;  // all of whose lanes are open
  std::vector<std::pair<trace::Thread, bool>> open{{wanted, false}};
  bool found = false;
  const auto add = [&](const Warp& warp, LaneMask lanes, bool executes) {
    for_lanes(lanes & warp.live(), [&](unsigned lane) {
      found = found || (executes && waits_for_turn(warp, lane));
      open.emplace_back(thread_of(warp, lane), executes);
    });
  };
  while (!open.empty() && !found) {
    const auto [at, on_the_way] = open.back();
    open.pop_back();
    Warp& warp = run_.warps[at / kLanes];
    if ((warp.live() >> (at % kLanes) & 1U) == 0 || !seen.insert({at, on_the_way}).second) continue;
    const Awaited awaited = awaited_by(warp, at % kLanes);
    const bool executes = on_the_way || !awaited.ordered;
    if (awaited.whom == Awaited::Whom::none) continue;
    if (awaited.whom == Awaited::Whom::lanes) {
      add(warp, awaited.number, executes);
      continue;
    }
    if (!groups.insert({awaited.whom, awaited.number, executes}).second) continue;
    for (const Warp& other : run_.warps) {
      const std::uint32_t cluster = run_.ctas[other.cta].cluster;
      if ((awaited.whom == Awaited::Whom::cta ? other.cta : cluster) == awaited.number)
        add(other, other.live(), executes);
    }
  }
  return found;
}

/// All threads of the run.
bool Contention::includes_all(isa::Scope scope) const {
  const auto alike = [&](const auto& of) {
    return std::all_of(run_.ctas.begin(), run_.ctas.end(),
                       [&](const Cta& cta) { return of(cta) == of(run_.ctas.front()); });
  };
  switch (scope) {
    case isa::Scope::sys:
      return true;
    case isa::Scope::gpu:
      return alike([](const Cta& cta) { return cta.gpu; });
    case isa::Scope::cluster:
      return alike([](const Cta& cta) { return cta.cluster; });
    case isa::Scope::none:
    case isa::Scope::cta:
      return run_.ctas.size() == 1;
  }
  return false;
}

/// The lanes whose addresses are followed.
LaneMask Contention::followed(LaneMask mask, const Row& at) const {
  LaneMask out = 0;
  for_lanes(mask, [&](unsigned lane) { out |= follows(at[lane]) ? LaneMask{1} << lane : 0; });
  return out;
}

/// The lanes of a load that take what they do in all schedules.
LaneMask Contention::without_choice(const Step& step, LaneMask mask, const Row& at) const {
  LaneMask out = 0;
  if (ordered_.empty() || step.instruction->opcode != isa::Opcode::ld || step.polls != nullptr) return out;
  const std::uint32_t bytes = step.bytes();
  for_lanes(mask, [&](unsigned lane) {
    const auto found = ordered_.find(at[lane]);
    if (found != ordered_.end() && found->second >= bytes) out |= LaneMask{1} << lane;
  });
  return out;
}

/// The lanes that leave a loop that polls by one value of this read in all schedules. A loop may be left for some elements of a vector
/// alone, whatever the others hold that another loop waits for.
LaneMask Contention::takes_one_value(const Step& step, LaneMask mask, const Row& at) const {
  LaneMask out = 0;
  if (one_value_.empty() || step.polls == nullptr || step.element_count != 1) return out;
  for_lanes(mask, [&](unsigned lane) {
    if (one_value_.contains(at[lane])) out |= LaneMask{1} << lane;
  });
  return out;
}

/// What the results of atomics at these addresses rest on, beside what is written there.
Sources Contention::order_of(LaneMask mask, const Row& at) const {
  Sources out = 0;
  for_lanes(mask, [&](unsigned lane) { out |= bit(follows(at[lane]) ? Source::turns : Source::timing); });
  return out;
}

void Contention::start(const Options& options) {
  counting_ = options.counting;
  turns_ = options.turns;
  keeps_older_ = std::any_of(turns_.first.begin(), turns_.first.end(),
                             [](const ContendedAccess& turn) { return turn.passes != 0; });
  ordered_ = options.ordered;
  one_value_ = options.one_value;
}

}  // namespace ptxmc::exec
