// SPDX-License-Identifier: Apache-2.0
#include "kernel/waits.h"

#include <algorithm>
#include <optional>
#include <set>

#include "program/register_use.h"

namespace ptxmc::kernel {

namespace {

using isa::Opcode;
using isa::Role;

constexpr unsigned kLongestTurn = 512;  // instructions
constexpr unsigned kMostPaths = 64;     // of a turn, as guards that are not known go both ways
constexpr unsigned kMostRounds = 16;    // until it is known what differs from turn to turn

/// What is known of a register in a turn of a loop, from most to least.
enum class Fact : std::uint8_t {
  number,   // a constant
  fixed,    // the same in all turns
  awaited,  // rests on what was read, and on nothing that differs otherwise
  varies,   // from turn to turn, or with time
};

bool is_pure(const Step& step) {
  return step.compute != nullptr || step.is_unknown || step.instruction->opcode == Opcode::cvta;
}

bool only_takes_time(Opcode opcode) {
  return opcode == Opcode::nanosleep || opcode == Opcode::nop;
}

/// Reads that change nothing: ld, or an atomic that adds nothing.
bool only_reads(const Code& code, const Step& step) {
  if (step.element_count != 1 || step.to == kNoSlot || step.modifiers().semantics == isa::Semantics::weak)
    return false;
  if (step.instruction->opcode == Opcode::ld) return step.elements.size() == 1;
  if (step.instruction->opcode != Opcode::atom) return false;
  const auto& op = step.modifiers().atomic;
  const auto number = [&](Role role) -> std::optional<std::int64_t> {
    const auto found =
        std::find_if(code.constants.begin(), code.constants.end(), [&](const Constant& constant) {
          return constant.slot == step.slot(role) && constant.variable.empty() && !constant.special;
        });
    return found == code.constants.end() ? std::nullopt
                                         : std::optional(static_cast<std::int64_t>(found->number));
  };
  const std::optional<std::int64_t> value = number(Role::value);
  if (op == isa::AtomicOp::cas)
    return step.slot(Role::value) == step.slot(Role::comparand) ||
           (value && value == number(Role::comparand));
  const bool adds = op == isa::AtomicOp::add || op == isa::AtomicOp::or_ || op == isa::AtomicOp::xor_;
  return adds && value == 0;
}

/// What may follow a wait that has failed, or a read of memory, until it is tried again.
class Turn {
 public:
  Turn(const Code& code, std::size_t wait, const std::set<std::size_t>& waits)
      : code_(code), wait_(wait), polls_(!waits.contains(wait)), waits_(waits), varies_(code.slots, 0) {}

  /// Does it come back to the wait without doing anything: on every path, or on all that what was read leads to?
  bool comes_back() {
    if (code_.steps[wait_].to == kNoSlot) return false;
    loop_.assign(code_.steps.size(), false);
    for (unsigned round = 0; round < kMostRounds; ++round) {
      carried_ = false;
      differing_.clear();
      written_.clear();
      read_first_.clear();
      paths_ = 0;
      doubtful_ = false;
      if (!follow(start(), wait_ + 1, 0, {}) || doubtful_) return false;
      for (const Slot slot : read_first_) {
        if (!written_.contains(slot) || varies_[slot] != 0) continue;
        varies_[slot] = 1;
        carried_ = true;
      }
      if (!carried_) return !operands_vary();
    }
    return false;
  }

  /// What is computed in it and differs from turn to turn.
  const std::set<std::size_t>& differing() const { return differing_; }

  PollLoop loop() const {
    PollLoop out{loop_, {}};
    for (const Slot slot : read_first_) {
      if (slot != code_.steps[wait_].to) out.inputs.push_back(slot);
    }
    return out;
  }

 private:
  struct State {
    std::vector<Fact> facts;
    std::vector<Row> rows;  // of numbers, in lane 0
  };
  using Slots = std::set<Slot>;

  State start() const {
    State state{std::vector<Fact>(code_.slots, Fact::fixed), std::vector<Row>(code_.slots)};
    for (const Constant& constant : code_.constants) {
      if (!constant.variable.empty() || constant.special) continue;
      state.rows[constant.slot][0] = constant.number;
      state.facts[constant.slot] = Fact::number;
    }
    for (const Slot clock : code_.clocks) state.facts[clock] = Fact::varies;
    for (std::size_t slot = 0; slot < varies_.size(); ++slot) {
      if (varies_[slot] != 0) state.facts[slot] = Fact::varies;
    }
    const Slot failed = code_.steps[wait_].to;
    state.rows[failed][0] = 0;
    state.facts[failed] = polls_ ? Fact::awaited : Fact::number;
    return state;
  }

  /// The object and the phase are those of the first try.
  bool operands_vary() const {
    const Step& wait = code_.steps[wait_];
    const auto differs = [&](Slot slot) { return slot != kNoSlot && varies_[slot] != 0; };
    return differs(wait.address.base) || differs(wait.mbarrier.base) || differs(wait.slot(Role::parity)) ||
           differs(wait.slot(Role::state));
  }

  /// From one instruction to the wait; false: elsewhere. `own` has what was written on the way.
  bool follow(State state, std::size_t at, unsigned length, Slots own) {
    if (++paths_ > kMostPaths) {
      doubtful_ = true;
      return false;
    }
    std::vector<std::size_t> way;
    const auto returns = [&] {
      for (const std::size_t step : way) loop_[step] = true;
      return true;
    };
    for (; length < kLongestTurn && at < code_.steps.size(); ++length) {
      if (at == wait_) return returns();
      if (waits_.contains(at) && tries_the_same(code_.steps[at], own) && left_alike(state, at, own))
        return returns();
      const Step& step = code_.steps[at];
      way.push_back(at);
      note_read(step.guard, own);
      const bool knows = step.guard == kNoSlot || state.facts[step.guard] == Fact::number;
      const bool executes =
          step.guard == kNoSlot || !knows || ((state.rows[step.guard][0] & 1U) != 0) != step.guard_negated;
      if (is_pure(step)) {
        if (executes) compute(state, at, own);
        ++at;
      } else if (!executes || (step.act != nullptr && only_takes_time(step.instruction->opcode))) {
        ++at;
      } else if (step.act != nullptr) {
        return false;
      } else if (knows) {
        at = step.target - code_.first;
      } else {
        const bool chosen = polls_ && state.facts[step.guard] != Fact::varies;
        const bool there = follow(state, step.target - code_.first, length + 1, own);
        const bool here = follow(std::move(state), at + 1, length + 1, std::move(own));
        if (!chosen && there != here) doubtful_ = true;  // it may be left for another reason
        return there || here ? returns() : false;
      }
    }
    return false;
  }

  /// Another wait, for what this one is for.
  bool tries_the_same(const Step& other, const Slots& own) const {
    const Step& wait = code_.steps[wait_];
    const auto same = [&](Slot a, Slot b) { return a == b && !own.contains(a); };
    return same(wait.mbarrier.base, other.mbarrier.base) && wait.mbarrier.offset == other.mbarrier.offset &&
           same(wait.slot(Role::parity), other.slot(Role::parity)) &&
           same(wait.slot(Role::state), other.slot(Role::state));
  }

  /// Whether this wait or the other one succeeds makes no difference: both lead to one place, where no register that
  /// was written on either way is read any more.
  bool left_alike(State state, std::size_t other, const Slots& own) const {
    State here = start();
    const std::vector<std::size_t> first = way_out(here, wait_), second = way_out(state, other);
    const auto meet = std::find_first_of(second.begin(), second.end(), first.begin(), first.end());
    if (meet == second.end()) return false;
    Slots written = own;
    written.insert(written_.begin(), written_.end());
    const auto add = [&](std::size_t at) {
      const Slots slots = slots_of(program::register_use(*code_.steps[at].instruction).writes);
      written.insert(slots.begin(), slots.end());
    };
    for (const std::vector<std::size_t>* way : {&first, &second}) {
      for (const std::size_t at : *way) {
        if (at == *meet) break;
        add(at);
      }
    }
    for (const std::size_t at : {wait_, other}) add(at);
    return std::none_of(written.begin(), written.end(), [&](Slot slot) { return is_read_from(*meet, slot); });
  }

  /// Where a wait that succeeds leads to, up to what does more than compute.
  std::vector<std::size_t> way_out(State& state, std::size_t wait) const {
    std::vector<std::size_t> way;
    state.rows[code_.steps[wait].to][0] = 1;
    state.facts[code_.steps[wait].to] = Fact::number;
    for (std::size_t at = wait + 1; at < code_.steps.size() && way.size() < kLongestTurn;) {
      const Step& step = code_.steps[at];
      way.push_back(at);
      if (is_pure(step)) {
        pass(state, step);
        ++at;
        continue;
      }
      if (step.act != nullptr || (step.guard != kNoSlot && state.facts[step.guard] != Fact::number)) break;
      const bool taken =
          step.guard == kNoSlot || ((state.rows[step.guard][0] & 1U) != 0) != step.guard_negated;
      at = taken ? step.target - code_.first : at + 1;
    }
    return way;
  }

  /// What it computes, where that is known.
  static void pass(State& state, const Step& step) {
    const auto known = [&](Slot slot) { return slot == kNoSlot || state.facts[slot] == Fact::number; };
    bool all = step.compute != nullptr && !step.is_unknown && !step.divides && !step.reads_clock &&
               step.elements.size() < 2 && step.fit.from == 64 && known(step.guard) &&
               known(step.address.base);
    for (std::size_t i = 0; i < step.source_count; ++i) all = all && known(step.sources[i]);
    for (const Role role : {Role::predicate, Role::state, Role::a}) all = all && known(step.slot(role));
    for (const auto& [from, to] : step.opposites) state.rows[to][0] = (state.rows[from][0] & 1U) ^ 1U;
    if (all && step.guard != kNoSlot && ((state.rows[step.guard][0] & 1U) != 0) == step.guard_negated) return;
    if (all) step.compute(state.rows.data(), step, 1);
    const auto write = [&](Slot slot) {
      if (slot != kNoSlot) state.facts[slot] = all ? Fact::number : Fact::fixed;
    };
    for (const Slot slot : {step.to, step.second}) write(slot);
    for (const Slot slot : step.elements) write(slot);
  }

  Slots slots_of(const std::vector<std::string>& names) const {
    Slots out;
    for (const std::string& name : names) {
      const auto known = code_.registers.find(name);
      if (known != code_.registers.end()) out.insert(known->second);
    }
    return out;
  }

  /// Before it is written again, on some way.
  bool is_read_from(std::size_t begin, Slot slot) const {
    std::vector<bool> seen(code_.steps.size(), false);
    std::vector<std::size_t> open{begin};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (at >= code_.steps.size() || seen[at]) continue;
      seen[at] = true;
      const Step& step = code_.steps[at];
      const program::RegisterUse use = program::register_use(*step.instruction);
      if (slots_of(use.reads).contains(slot)) return true;
      const bool always = step.guard == kNoSlot;
      if (always && slots_of(use.writes).contains(slot)) continue;
      const Opcode opcode = step.instruction->opcode;
      if (always && (opcode == Opcode::exit || opcode == Opcode::ret)) continue;
      if (step.jumps) open.push_back(step.target - code_.first);
      if (!step.jumps || !always || opcode == Opcode::branch_compare) open.push_back(at + 1);
    }
    return false;
  }

  void note_read(Slot slot, const Slots& own) {
    if (slot != kNoSlot && !own.contains(slot)) read_first_.insert(slot);
  }

  void compute(State& state, std::size_t at, Slots& own) {
    const Step& step = code_.steps[at];
    Fact fact = Fact::number;
    const auto rests_on = [&](Slot slot) {
      if (slot == kNoSlot) return;
      note_read(slot, own);
      fact = std::max(fact, state.facts[slot]);
    };
    rests_on(step.guard);
    for (std::size_t i = 0; i < step.source_count; ++i) rests_on(step.sources[i]);
    for (const Role role : {Role::predicate, Role::state, Role::a}) rests_on(step.slot(role));
    rests_on(step.address.base);
    if (step.reads_clock) fact = Fact::varies;
    const bool guarded = step.guard != kNoSlot && state.facts[step.guard] != Fact::number;
    const bool plain = step.compute != nullptr && !step.is_unknown && !step.divides && !step.reads_clock &&
                       step.elements.size() < 2 && step.fit.from == 64 && !guarded;
    if (fact == Fact::number && !plain) fact = Fact::fixed;
    // What is read is put through the loop again, by what each instruction computes alone.
    if (polls_ && fact != Fact::varies &&
        (step.is_unknown || step.divides || step.elements.size() > 1 || step.fit.from != 64))
      doubtful_ = true;
    for (const auto& [from, to] : step.opposites) {
      state.rows[to][0] = (state.rows[from][0] & 1U) ^ 1U;
      state.facts[to] = state.facts[from];
    }
    if (fact == Fact::number) step.compute(state.rows.data(), step, 1);
    const auto write = [&](Slot slot) {
      if (slot == kNoSlot) return;
      if (guarded) rests_on(slot);  // or it stays
      state.facts[slot] = fact;
      written_.insert(slot);
      if (!guarded) own.insert(slot);
    };
    for (const Slot slot : {step.to, step.second}) write(slot);
    for (const Slot slot : step.elements) write(slot);
    if (step.compute != nullptr) write(step.slot(Role::state));
    if (fact == Fact::varies) differing_.insert(at);
  }

  const Code& code_;
  std::size_t wait_;
  bool polls_;  // memory: what is read decides whether it comes back
  const std::set<std::size_t>& waits_;
  std::vector<char> varies_;  // registers that an earlier turn leaves otherwise
  std::vector<bool> loop_;    // what is on a way back
  bool doubtful_ = false;
  bool carried_ = false;
  std::set<std::size_t> differing_;
  Slots written_, read_first_;
  unsigned paths_ = 0;
};

}  // namespace

void find_waits(Code& code) {
  std::set<std::size_t> waits;
  for (std::size_t i = 0; i < code.steps.size(); ++i) {
    const Opcode opcode = code.steps[i].instruction->opcode;
    if (opcode == Opcode::mbarrier_try_wait || opcode == Opcode::mbarrier_test_wait) waits.insert(i);
  }
  // One may lead to another, so none is a wait of a loop before all that it leads to are.
  std::set<std::size_t> differing;
  for (std::size_t before = waits.size() + 1; before != waits.size();) {
    before = waits.size();
    differing.clear();
    for (auto wait = waits.begin(); wait != waits.end();) {
      Turn turn(code, *wait, waits);
      const bool good = turn.comes_back();
      if (good) differing.insert(turn.differing().begin(), turn.differing().end());
      wait = good ? std::next(wait) : waits.erase(wait);
    }
  }
  for (const std::size_t wait : waits) code.steps[wait].waits_in_loop = true;
  for (std::size_t i = 0; i < code.steps.size(); ++i) {
    if (!only_reads(code, code.steps[i])) continue;
    Turn turn(code, i, waits);
    if (!turn.comes_back()) continue;
    code.steps[i].polls = std::make_shared<const PollLoop>(turn.loop());
    differing.insert(turn.differing().begin(), turn.differing().end());
  }
  for (const std::size_t at : differing) code.steps[at].counts_turns = true;
}

std::optional<std::size_t> left_for(const Code& code, const Step& read, std::span<const std::uint64_t> inputs,
                                    std::uint64_t value) {
  std::vector<Row> rows(code.slots);
  for (const Constant& constant : code.constants) {
    if (constant.variable.empty() && !constant.special) rows[constant.slot][0] = constant.number;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) rows[read.polls->inputs[i]][0] = inputs[i];
  rows[read.to][0] = value;
  const std::size_t first = read.site - code.first;
  std::size_t at = first + 1;
  for (unsigned length = 0; length < kLongestTurn; ++length) {
    if (at == first) return std::nullopt;
    if (at >= code.steps.size() || !read.polls->steps[at]) return at;
    const Step& step = code.steps[at];
    const bool executes = step.guard == kNoSlot || ((rows[step.guard][0] & 1U) != 0) != step.guard_negated;
    ++at;
    if (!executes || (step.act != nullptr && !is_pure(step))) continue;
    if (!is_pure(step)) {
      at = step.target - code.first;
    } else if (step.compute != nullptr && !step.is_unknown) {
      for (const auto& [from, to] : step.opposites) rows[to][0] = (rows[from][0] & 1U) ^ 1U;
      step.compute(rows.data(), step, 1);
    }
  }
  return at;
}

}  // namespace ptxmc::kernel
