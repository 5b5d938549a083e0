// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/counters.h"

#include <algorithm>
#include <optional>

#include "ptx/program/register_use.h"

namespace ptxmc::lower {

namespace {

using isa::Opcode;
using isa::Role;
using program::Instruction;

class Finder {
 public:
  Finder(const std::vector<Instruction>& code, const std::vector<flow::Jump>& jumps, const Loop& loop)
      : code_(code), jumps_(jumps), loop_(loop) {}

  std::vector<Counter> run() const {
    std::vector<Counter> out;
    for (std::size_t at = loop_.begin; at <= loop_.end; ++at) {
      if (!leaves(at) || !code_[at].guard) continue;
      const Instruction* comparison = last_writer(code_[at].guard->reg, at);
      if (comparison == nullptr || comparison->opcode != Opcode::setp || comparison->guard) continue;
      for (const auto& [counted, limit] : {std::pair(Role::a, Role::b), std::pair(Role::b, Role::a)}) {
        if (auto counter = counter_in(*comparison, counted, limit)) out.push_back(std::move(*counter));
      }
    }
    return out;
  }

 private:
  /// Does one way of a branch go out of the loop?
  bool leaves(std::size_t at) const {
    if (!jumps_[at].target) return false;
    const bool outside = *jumps_[at].target < loop_.begin || *jumps_[at].target > loop_.end;
    return outside || (at == loop_.end && jumps_[at].falls_through);
  }

  std::vector<const Instruction*> writers(const std::string& name) const {
    std::vector<const Instruction*> out;
    for (std::size_t at = loop_.begin; at <= loop_.end; ++at) {
      if (writes(code_[at], name)) out.push_back(&code_[at]);
    }
    return out;
  }
  static bool writes(const Instruction& instruction, const std::string& name) {
    const std::vector<std::string> written = register_use(instruction).writes;
    return std::find(written.begin(), written.end(), name) != written.end();
  }
  /// In front of an instruction, in the order of the text: others may use the register for something else.
  const Instruction* last_writer(const std::string& name, std::size_t before) const {
    for (std::size_t at = before; at > loop_.begin; --at) {
      if (writes(code_[at - 1], name)) return &code_[at - 1];
    }
    return nullptr;
  }
  const Instruction* only_writer(const std::string& name) const {
    const std::vector<const Instruction*> all = writers(name);
    return all.size() == 1 ? all.front() : nullptr;
  }

  /// `add i, i, 1`, also by way of copies: compilers write `add j, i, 1; mov i, j`.
  bool counts(const std::string& name) const {
    constexpr unsigned kMostCopies = 4;
    const Instruction* step = only_writer(name);
    for (unsigned i = 0; i < kMostCopies && step != nullptr && step->opcode == Opcode::mov && !step->guard;
         ++i) {
      const program::Operand* from = step->find(Role::a);
      const auto* copied = from == nullptr ? nullptr : std::get_if<program::Register>(&from->value);
      step = copied == nullptr ? nullptr : only_writer(copied->name);
    }
    if (step == nullptr || step->guard || (step->opcode != Opcode::add && step->opcode != Opcode::sub))
      return false;
    const program::Operand *from = step->find(Role::a), *by = step->find(Role::b);
    if (from == nullptr || by == nullptr) return false;
    const auto* source = std::get_if<program::Register>(&from->value);
    const auto* constant = std::get_if<program::Integer>(&by->value);
    return source != nullptr && source->name == name && constant != nullptr && constant->value != 0;
  }

  std::optional<Counter> counter_in(const Instruction& comparison, Role counted, Role limit) const {
    const program::Operand *one = comparison.find(counted), *other = comparison.find(limit);
    if (one == nullptr || other == nullptr) return std::nullopt;
    const auto* name = std::get_if<program::Register>(&one->value);
    if (name == nullptr || !counts(name->name)) return std::nullopt;
    if (const auto* number = std::get_if<program::Integer>(&other->value))
      return Counter{name->name, number->value};
    const auto* fixed = std::get_if<program::Register>(&other->value);
    if (fixed == nullptr || !writers(fixed->name).empty()) return std::nullopt;
    return Counter{name->name, fixed->name};
  }

  const std::vector<Instruction>& code_;
  const std::vector<flow::Jump>& jumps_;
  const Loop& loop_;
};

}  // namespace

std::vector<Counter> counters_of(const std::vector<Instruction>& code, const std::vector<flow::Jump>& jumps,
                                 const Loop& loop) {
  return Finder(code, jumps, loop).run();
}

}  // namespace ptxmc::lower
