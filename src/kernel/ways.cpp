// SPDX-License-Identifier: Apache-2.0
#include "kernel/ways.h"

#include <algorithm>

#include "program/register_use.h"

namespace ptxmc::kernel {

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

using Graph = std::vector<std::vector<std::size_t>>;

/// Of each step, those that may follow it.
Graph successors(const Code& code) {
  Graph out(code.steps.size());
  for (std::size_t at = 0; at < out.size(); ++at) {
    const Step& step = code.steps[at];
    const Opcode opcode = step.instruction->opcode;
    const bool always = step.guard == kNoSlot && opcode != Opcode::branch_compare;
    const bool ends = always && (step.jumps || opcode == Opcode::exit || opcode == Opcode::ret);
    if (step.jumps) out[at].push_back(step.target - code.first);
    if (!ends && at + 1 < out.size()) out[at].push_back(at + 1);
  }
  return out;
}

/// From a step on, until it comes back to it.
std::vector<bool> reached(std::size_t from, const Graph& next) {
  std::vector<bool> out(next.size(), false);
  std::vector<std::size_t> open = next[from];
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (out[at]) continue;
    out[at] = true;
    if (at != from) open.insert(open.end(), next[at].begin(), next[at].end());
  }
  return out;
}

bool is_read_from(const Code& code, std::size_t begin, Slot slot) {
  std::vector<bool> seen(code.steps.size(), false);
  std::vector<std::size_t> open{begin};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (at >= code.steps.size() || seen[at]) continue;
    seen[at] = true;
    const Step& step = code.steps[at];
    const program::RegisterUse use = program::register_use(*step.instruction);
    if (slots_of(code, use.reads).contains(slot)) return true;
    const bool always = step.guard == kNoSlot;
    if (always && slots_of(code, use.writes).contains(slot)) continue;
    const Opcode opcode = step.instruction->opcode;
    if (always && (opcode == Opcode::exit || opcode == Opcode::ret)) continue;
    if (step.jumps) open.push_back(step.target - code.first);
    if (!step.jumps || !always || opcode == Opcode::branch_compare) open.push_back(at + 1);
  }
  return false;
}

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

Way way_from(const Code& code, Facts& facts, std::size_t at) {
  Way way;
  while (at < code.steps.size() && way.size() < kLongestTurn) {
    const Step& step = code.steps[at];
    way.push_back(at);
    if (is_pure(step)) {
      pass(facts, step);
      ++at;
      continue;
    }
    if (step.act != nullptr || (step.guard != kNoSlot && facts.of[step.guard] != Fact::number)) break;
    const bool taken = step.guard == kNoSlot || ((facts.rows[step.guard][0] & 1U) != 0) != step.guard_negated;
    at = taken ? step.target - code.first : at + 1;
  }
  return way;
}

Way way_out(const Code& code, Facts& facts, std::size_t wait, std::uint64_t swapped) {
  const Slot succeeded = code.steps[wait].to;
  const bool swaps = code.steps[wait].instruction->opcode == Opcode::atom;
  facts.rows[succeeded][0] = swaps ? swapped : 1;
  facts.of[succeeded] = Fact::number;
  return way_from(code, facts, wait + 1);
}

std::vector<bool> round_from(const Code& code, std::size_t from) {
  const Graph next = successors(code);
  Graph before(next.size());
  for (std::size_t at = 0; at < next.size(); ++at) {
    for (const std::size_t to : next[at]) before[to].push_back(at);
  }
  std::vector<bool> out = reached(from, next);
  const std::vector<bool> leading = reached(from, before);
  for (std::size_t at = 0; at < out.size(); ++at) out[at] = out[at] && leading[at];
  return out;
}

std::optional<std::size_t> meeting(const Way& first, const Way& second) {
  const auto meet = std::find_first_of(second.begin(), second.end(), first.begin(), first.end());
  return meet == second.end() ? std::nullopt : std::optional(*meet);
}

void add_written(const Code& code, const Step& step, Slots& out) {
  out.merge(slots_of(code, program::register_use(*step.instruction).writes));
}

void add_written(const Code& code, const Way& way, std::size_t end, Slots& out) {
  for (const std::size_t at : way) {
    if (at == end) break;
    add_written(code, code.steps[at], out);
  }
}

bool none_is_read_from(const Code& code, std::size_t begin, const Slots& slots) {
  return std::none_of(slots.begin(), slots.end(), [&](Slot slot) { return is_read_from(code, begin, slot); });
}

Slots slots_of(const Code& code, const std::vector<std::string>& names) {
  Slots out;
  for (const std::string& name : names) {
    const auto known = code.registers.find(name);
    if (known != code.registers.end()) out.insert(known->second);
  }
  return out;
}

}  // namespace ptxmc::kernel
