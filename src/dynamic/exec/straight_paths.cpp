// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/straight_paths.h"

#include <algorithm>
#include <map>

#include "ptx/program/register_use.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Role;

/// What it computes, where that is known.
void pass(Facts& facts, const Step& step) {
  const auto known = [&](Slot slot) { return slot == kNoSlot || facts.of[slot] == Fact::number; };
  bool all = step.compute != nullptr && !step.is_unknown && !step.divides && !step.reads_clock &&
             step.elements.size() < 2 && step.fit.from == 64 && known(step.guard) && known(step.address.base);
  for (std::size_t i = 0; i < step.source_count; ++i) all = all && known(step.sources[i]);
  for (const Role role : {Role::predicate, Role::state, Role::a}) all = all && known(step.slot(role));
  for (const auto& [from, to] : step.opposites) facts.rows[to][0] = (facts.rows[from][0] & 1U) ^ 1U;
  if (all && step.guard != kNoSlot && ((facts.rows[step.guard][0] & 1U) != 0) == step.guard_negated) return;
  if (all) step.compute(facts.rows.data(), step, 1);
  const auto write = [&](Slot slot) {
    if (slot != kNoSlot) facts.of[slot] = all ? Fact::number : Fact::fixed;
  };
  for (const Slot slot : {step.to, step.second}) write(slot);
  for (const Slot slot : step.elements) write(slot);
}

/// Registers that a loop writes by one instruction, which comes before each turn of it, from what its turns do not change.
class Settled {
 public:
  Settled(const Code& code, const std::vector<bool>& loop, const flow::Graph& before)
      : code_(code), loop_(loop), before_(before) {
    for (std::size_t at = 0; at < loop.size(); ++at) {
      if (!loop[at]) continue;
      Slots written;
      add_written(code, code.steps[at], written);
      for (const Slot slot : written) writers_[slot].push_back(at);
    }
  }

  std::vector<Slot> others_at(std::size_t at) const {
    std::vector<Slot> out;
    for (const auto& [slot, writers] : writers_) {
      if (!is_settled(slot, at, 0)) out.push_back(slot);
    }
    return out;
  }

 private:
  bool is_settled(Slot slot, std::size_t at, unsigned depth) const {
    constexpr unsigned kDeepest = 8;
    const auto found = slot == kNoSlot ? writers_.end() : writers_.find(slot);
    if (found == writers_.end()) return true;
    if (found->second.size() != 1 || depth == kDeepest) return false;
    const std::size_t writer = found->second.front();
    const Step& step = code_.steps[writer];
    if (step.compute == nullptr || step.is_unknown || step.divides || step.reads_clock ||
        step.guard != kNoSlot || step.has(Role::state) || !comes_before(writer, at))
      return false;
    bool out = is_settled(step.slot(Role::predicate), writer, depth + 1);
    for (std::size_t i = 0; i < step.source_count; ++i)
      out = out && is_settled(step.sources[i], writer, depth + 1);
    for (const auto& [from, to] : step.opposites) out = out && is_settled(from, writer, depth + 1);
    return out;
  }

  /// A thread that comes to the second has come by the first since it was outside of the loop.
  bool comes_before(std::size_t first, std::size_t second) const {
    std::set<std::size_t> seen{first};
    std::vector<std::size_t> open{second};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const std::size_t from : before_[at]) {
        if (!seen.insert(from).second) continue;
        if (!loop_[from] && from != second) return false;
        open.push_back(from);
      }
      if (before_[at].empty()) return false;  // the first instruction of all
    }
    return true;
  }

  const Code& code_;
  const std::vector<bool>& loop_;
  const flow::Graph& before_;
  std::map<Slot, std::vector<std::size_t>> writers_;  // by register, in the loop
};

}  // namespace

bool is_pure(const Step& step) {
  return step.compute != nullptr || step.is_unknown || step.instruction->opcode == Opcode::cvta;
}

Facts constants_of(const Code& code) {
  Facts facts{std::vector<Fact>(code.slots, Fact::fixed), std::vector<Row>(code.slots)};
  for (const Constant& constant : code.constants) {
    if (!constant.variable.empty() || constant.special) continue;
    facts.rows[constant.slot][0] = constant.number;
    facts.of[constant.slot] = Fact::number;
  }
  return facts;
}

StraightPath path_from(const Code& code, Facts& facts, std::size_t at) {
  StraightPath way;
  while (at < code.steps.size() && way.size() < kLongestTurn) {
    const Step& step = code.steps[at];
    way.push_back(at);
    if (is_pure(step)) {
      pass(facts, step);
      ++at;
      continue;
    }
    const bool open = step.guard != kNoSlot && facts.of[step.guard] != Fact::number;
    if (open && step.traps != Step::Trap::none) {  // who goes that way goes no further
      at = step.traps == Step::Trap::if_taken ? at + 1 : step.target - code.first;
      continue;
    }
    if (step.act != Act::none || open) break;
    const bool taken = step.guard == kNoSlot || ((facts.rows[step.guard][0] & 1U) != 0) != step.guard_negated;
    at = taken ? step.target - code.first : at + 1;
  }
  return way;
}

StraightPath path_out(const Code& code, Facts& facts, std::size_t wait, std::uint64_t swapped) {
  const Slot succeeded = code.steps[wait].to;
  const bool swaps = code.steps[wait].instruction->opcode == Opcode::atom;
  facts.rows[succeeded][0] = swaps ? swapped : 1;
  facts.of[succeeded] = Fact::number;
  return path_from(code, facts, wait + 1);
}

std::vector<Slot> unsettled_at(const Code& code, const std::vector<bool>& loop, const flow::Graph& before,
                               std::size_t at) {
  return Settled(code, loop, before).others_at(at);
}

std::optional<std::size_t> meeting(const StraightPath& first, const StraightPath& second) {
  const auto meet = std::find_first_of(second.begin(), second.end(), first.begin(), first.end());
  return meet == second.end() ? std::nullopt : std::optional(*meet);
}

std::vector<Slot> results_of(const Code& code, const Step& step) {
  std::vector<Slot> out = step.results;
  for (const Slot slot : {step.to, step.second, step.slot(Role::state)}) out.push_back(slot);
  for (const std::string& name : program::register_use(*step.instruction).writes) {
    const auto known = code.registers.find(name);
    if (known == code.registers.end()) continue;  // an upper half, after the lower one
    out.push_back(known->second);
    if (step.modifiers().type && step.modifiers().type->bits == 128)
      out.push_back(static_cast<Slot>(known->second + 1));
  }
  std::erase(out, kNoSlot);
  return out;
}

void add_written(const Code& code, const Step& step, Slots& out) {
  out.merge(slots_of(code, program::register_use(*step.instruction).writes));
}

void add_written(const Code& code, const StraightPath& way, std::size_t end, Slots& out) {
  for (const std::size_t at : way) {
    if (at == end) break;
    add_written(code, code.steps[at], out);
  }
}

bool none_is_read_from(const Code& code, std::size_t begin, const Slots& slots) {
  if (begin >= code.steps.size()) return true;
  const flow::Graph next = successors(code);
  const auto is_in = [&](Slot slot, const std::vector<std::string>& names) {
    return slots_of(code, names).contains(slot);
  };
  return std::none_of(slots.begin(), slots.end(), [&](Slot slot) {
    return flow::is_live(
        next, begin,
        [&](std::size_t at) { return is_in(slot, program::register_use(*code.steps[at].instruction).reads); },
        [&](std::size_t at) {
          const Step& step = code.steps[at];
          return step.guard == kNoSlot && is_in(slot, program::register_use(*step.instruction).writes);
        });
  });
}

Slots slots_of(const Code& code, const std::vector<std::string>& names) {
  Slots out;
  for (const std::string& name : names) {
    const auto known = code.registers.find(name);
    if (known != code.registers.end()) out.insert(known->second);
  }
  return out;
}

}  // namespace ptxmc::exec
