// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/waiting.h"

#include <algorithm>
#include <map>

#include "ptx/isa/opcode.h"
#include "ptx/program/names.h"
#include "ptx/program/register_use.h"

namespace ptxmc::lower {

namespace {

using isa::Opcode;
using isa::Role;
using program::Instruction;
using Code = std::vector<Instruction>;
using Names = std::set<std::string>;

bool meets(const std::vector<std::string>& names, const Names& set) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return set.contains(name); });
}

bool is_query(const Instruction& instruction) {
  return instruction.opcode == Opcode::api_call && (instruction.modifiers.api == isa::ApiCall::stream_query ||
                                                    instruction.modifiers.api == isa::ApiCall::event_query);
}

/// On registers alone, or a hint: no thread notices whether it is executed.
bool is_silent(const Instruction& instruction) {
  const isa::OpcodeTraits& traits = isa::traits(instruction.opcode);
  if (!traits.has(isa::Trait::repeats) || traits.has(isa::Trait::collective)) return false;
  return traits.family == isa::Family::arithmetic || traits.family == isa::Family::control;
}

bool entered_at_header_only(const std::vector<flow::Jump>& jumps, const Loop& loop) {
  for (std::size_t i = 0; i < jumps.size(); ++i) {
    if (!jumps[i].target || (i >= loop.begin && i <= loop.end)) continue;
    if (*jumps[i].target > loop.begin && *jumps[i].target <= loop.end) return false;
  }
  return true;
}

/// The one instruction that leaves the loop; nothing: there are several, or other jumps back.
std::optional<std::size_t> only_exit(const std::vector<flow::Jump>& jumps, const Loop& loop) {
  std::optional<std::size_t> exit;
  if (jumps[loop.end].target != loop.begin) return std::nullopt;
  for (std::size_t i = loop.begin; i <= loop.end; ++i) {
    const bool last = i == loop.end;
    if (!jumps[i].target) {
      if (!jumps[i].falls_through) return std::nullopt;
      continue;
    }
    const bool inside = *jumps[i].target > i && *jumps[i].target <= loop.end;
    const bool outside = *jumps[i].target < loop.begin || *jumps[i].target > loop.end;
    if (last ? !jumps[i].falls_through : inside) continue;  // closes the loop; stays in the turn
    if (!last && (!outside || !jumps[i].falls_through)) return std::nullopt;
    if (exit) return std::nullopt;
    exit = i;
  }
  return exit;
}

/// One turn of a loop.
class Iteration {
 public:
  Iteration(const Code& code, const std::vector<flow::Jump>& jumps, const Loop& loop, std::size_t exit)
      : code_(code), jumps_(jumps), loop_(loop), exit_(exit) {
    for (std::size_t i = loop.begin; i <= loop.end; ++i) {
      uses_.push_back(register_use(code[i]));
      certain_.push_back(!reaches_end_without(i));
    }
  }

  /// What is executed in every turn before the exit and says whether it is taken; nothing: there is more to it.
  std::optional<std::vector<std::size_t>> run(const Names& observed) {
    if (!certain(exit_)) return std::nullopt;
    find_delay();
    std::vector<std::size_t> turn;
    std::size_t atomics = 0;
    for (std::size_t i = loop_.begin; i <= loop_.end; ++i) {
      const Instruction& instruction = code_[i];
      const bool of_delay = !executed(i) || i > exit_ || meets(use(i).reads, delay_);
      if (i == exit_) {
        if (of_delay) return std::nullopt;
        continue;
      }
      if (of_delay) {
        const bool fence = i > exit_ && isa::traits(instruction.opcode).family == isa::Family::fence;
        if (!is_silent(instruction) && !fence) return std::nullopt;
        continue;
      }
      const bool atomic = instruction.opcode == Opcode::atom;
      if (!isa::traits(instruction.opcode).has(isa::Trait::repeats) && !atomic && !is_query(instruction))
        return std::nullopt;
      if (atomic && ++atomics > 1) return std::nullopt;
      if (!jumps_[i].target) turn.push_back(i);
    }
    for (const std::string& name : delay_) {
      if (observed.contains(name) || read_outside(name)) return std::nullopt;
    }
    return turn;
  }

  const Names& delay() const { return delay_; }

 private:
  const program::RegisterUse& use(std::size_t i) const { return uses_[i - loop_.begin]; }
  bool certain(std::size_t i) const { return certain_[i - loop_.begin]; }
  /// In every turn.
  bool executed(std::size_t i) const { return certain(i) && (!code_[i].guard || jumps_[i].target); }

  /// Does a path of the turn, all of whose jumps go forwards, avoid an instruction?
  bool reaches_end_without(std::size_t avoided) const {
    std::vector<bool> seen(loop_.end - loop_.begin + 2, false);
    seen[0] = true;
    for (std::size_t i = loop_.begin; i <= loop_.end; ++i) {
      if (!seen[i - loop_.begin] || i == avoided) continue;
      if (i == loop_.end) return true;
      if (jumps_[i].falls_through) seen[i + 1 - loop_.begin] = true;
      if (jumps_[i].target && *jumps_[i].target > i && *jumps_[i].target <= loop_.end)
        seen[*jumps_[i].target - loop_.begin] = true;
    }
    return false;
  }

  /// Registers that pass from one turn to the next, that only some turns write, or that rest on such: they may only
  /// say how long a turn takes.
  void find_delay() {
    Names written, surely;
    for (std::size_t i = loop_.begin; i <= loop_.end; ++i)
      written.insert(use(i).writes.begin(), use(i).writes.end());
    for (std::size_t i = loop_.begin; i <= loop_.end; ++i) {
      for (const std::string& name : use(i).reads) {
        if (written.contains(name) && !surely.contains(name)) delay_.insert(name);
      }
      if (executed(i) && i < exit_) {
        surely.insert(use(i).writes.begin(), use(i).writes.end());
      } else {
        delay_.insert(use(i).writes.begin(), use(i).writes.end());
      }
    }
    for (std::size_t known = delay_.size() + 1; known != delay_.size();) {
      known = delay_.size();
      for (std::size_t i = loop_.begin; i <= loop_.end; ++i) {
        if (meets(use(i).reads, delay_)) delay_.insert(use(i).writes.begin(), use(i).writes.end());
      }
    }
  }

  /// Is it read behind the loop, before anything else is written there?
  bool read_outside(const std::string& name) const {
    const std::size_t target = *jumps_[exit_].target;
    const auto has = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    return flow::is_live(
        flow::successors(jumps_), target < loop_.begin || target > loop_.end ? target : exit_ + 1,
        [&](std::size_t i) { return i < code_.size() && has(register_use(code_[i]).reads); },
        [&](std::size_t i) {
          return i < code_.size() && !code_[i].guard && has(register_use(code_[i]).writes);
        });
  }

  const Code& code_;
  const std::vector<flow::Jump>& jumps_;
  const Loop& loop_;
  std::size_t exit_;
  std::vector<program::RegisterUse> uses_;  // by instruction of the loop
  std::vector<bool> certain_;
  Names delay_;
};

const std::string* register_in(const Instruction& instruction, Role role) {
  const program::Operand* operand = instruction.find(role);
  const auto* reg = operand == nullptr ? nullptr : std::get_if<program::Register>(&operand->value);
  return reg == nullptr ? nullptr : &reg->name;
}

}  // namespace

std::set<std::string> observed_registers(const program::Program& program) {
  std::vector<program::StateName> names = program.property.locations;
  program::add_names(program.property.condition, names);
  program::add_names(program.property.filter, names);
  std::set<std::string> out;
  for (const program::StateName& name : names) {
    if (name.thread) out.insert(name.name);
  }
  return out;
}

std::optional<Spin> waits(const Code& code, const std::vector<flow::Jump>& jumps, const Loop& loop,
                          const Names& observed) {
  const auto exit = only_exit(jumps, loop);
  if (!exit || !entered_at_header_only(jumps, loop)) return std::nullopt;
  auto turn = Iteration(code, jumps, loop, *exit).run(observed);
  if (!turn) return std::nullopt;
  return Spin{*exit, std::move(*turn)};
}

std::set<std::string> delay_of(const Code& code, const std::vector<flow::Jump>& jumps, const Loop& loop,
                               const Names& observed) {
  const auto exit = only_exit(jumps, loop);
  if (!exit || !entered_at_header_only(jumps, loop)) return {};
  Iteration turn(code, jumps, loop, *exit);
  return turn.run(observed) ? turn.delay() : Names();
}

//     L: ... atom.cas old, [p], expected, ...; setp.ne fails, old, expected; mov expected, old; @fails bra L
bool retries(const Code& code, const std::vector<flow::Jump>& jumps, const Loop& loop) {
  const auto exit = only_exit(jumps, loop);
  if (exit != loop.end || !code[loop.end].guard || !entered_at_header_only(jumps, loop)) return false;
  std::optional<std::size_t> cas;
  std::map<std::string, std::vector<std::size_t>> writers;
  for (std::size_t i = loop.begin; i < loop.end; ++i) {
    const bool is_cas =
        code[i].opcode == Opcode::atom && code[i].modifiers.atomic == isa::AtomicOp::cas && !cas;
    const bool fence = code[i].opcode == Opcode::fence;
    if (jumps[i].target || code[i].guard || (!is_cas && !fence && !is_silent(code[i]))) return false;
    if (is_cas) cas = i;
    for (const std::string& name : register_use(code[i]).writes) writers[name].push_back(i);
  }
  if (!cas) return false;
  const std::string *old = register_in(code[*cas], Role::result),
                    *expected = register_in(code[*cas], Role::comparand);
  const auto only_writer = [&](const std::string& name) {
    return writers[name].size() == 1 ? writers[name].front() : loop.end;
  };
  if (old == nullptr || expected == nullptr || *old == *expected || only_writer(*old) != *cas) return false;
  const std::size_t renewed = only_writer(*expected), compared = only_writer(code[loop.end].guard->reg);
  if (renewed == loop.end || compared == loop.end || compared < *cas || renewed < compared) return false;
  const std::string* source = register_in(code[renewed], Role::a);
  if (code[renewed].opcode != Opcode::mov || source == nullptr || *source != *old) return false;
  const Instruction& comparison = code[compared];
  const std::string *a = register_in(comparison, Role::a), *b = register_in(comparison, Role::b);
  const isa::Compare while_failing = code[loop.end].guard->negated ? isa::Compare::eq : isa::Compare::ne;
  if (comparison.find(Role::predicate) != nullptr) return false;
  if (comparison.opcode != Opcode::setp || comparison.modifiers.compare != while_failing || a == nullptr ||
      b == nullptr)
    return false;
  if (!((*a == *old && *b == *expected) || (*a == *expected && *b == *old))) return false;
  const isa::Modifiers& m = comparison.modifiers;
  if (!m.type || m.type->is_floating() || m.type->bits != code[*cas].modifiers.type->bits) return false;
  // Nothing else passes from turn to turn.
  std::set<std::string> seen;
  for (std::size_t i = loop.begin; i <= loop.end; ++i) {
    for (const std::string& name : register_use(code[i]).reads) {
      if (name != *expected && writers.contains(name) && !seen.contains(name)) return false;
    }
    for (const std::string& name : register_use(code[i]).writes) seen.insert(name);
  }
  return true;
}

}  // namespace ptxmc::lower
