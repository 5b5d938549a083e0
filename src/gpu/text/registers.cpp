// SPDX-License-Identifier: Apache-2.0
// Types of registers: a register is as wide as its widest use (ptx/isa/operand.h).
#include "gpu/text/registers.h"

#include <algorithm>
#include <map>

#include "ptx/isa/table.h"

namespace ptxmc::gpu {

using isa::Space;
using program::Instruction;

namespace {

constexpr Use kPredicate{1, true};
constexpr Use kWord{32, true};
constexpr Use kDouble{64, true};

Use at_least(Use use) {
  use.exact = false;
  return use;
}

/// Registers that addresses are made of: those of shared memory may have 32 bits.
Use base_register(Space space) {
  switch (space) {
    case Space::shared:
    case Space::shared_cta:
    case Space::shared_cluster:
      return at_least(kWord);
    case Space::tensor:
      return kWord;
    case Space::generic:
    case Space::global:
    case Space::local:
    case Space::const_:
    case Space::param:
      break;
  }
  return kDouble;
}

class Collector {
 public:
  Collector(const Facts& facts, const program::Thread& thread) : facts_(facts) {
    for (const program::RegisterDeclaration& declared : thread.registers()) {
      declared_.emplace(declared.name, declared.type);
      order_.push_back(declared.name);
    }
    for (const program::RegisterInit& init : facts.test().register_inits) {
      if (init.thread == thread.number) note(init.name, initial(init.value.address_of));
    }
    for (const Instruction& instruction : thread.code()) add(instruction);
    // What only a condition names
    for (const program::StateName& name : facts.test().property.locations) {
      if (name.thread == thread.number) note(name.name, std::nullopt);
    }
  }

  std::vector<RegisterType> result() const {
    std::vector<RegisterType> out;
    for (const std::string& name : order_) {
      const auto declared = declared_.find(name);
      if (declared != declared_.end()) {
        out.push_back({name, declared->second});
        continue;
      }
      const auto found = uses_.find(name);
      const Use use = found == uses_.end() || !found->second ? kWord : *found->second;
      const isa::TypeClass cls = use.bits == 1 ? isa::TypeClass::predicate : isa::TypeClass::bits;
      out.push_back({name, {cls, use.bits}});
    }
    return out;
  }

 private:
  std::optional<Use> initial(const std::string& variable) const {
    if (variable.empty()) return std::nullopt;
    return facts_.home(variable) == Home::columns ? kWord : at_least(kDouble);
  }

  void note(const std::string& name, std::optional<Use> use) {
    if (name == "_" || isa::is_special_register(name)) return;
    const auto [place, fresh] = uses_.try_emplace(name, use);
    if (fresh && !declared_.contains(name)) order_.push_back(name);
    std::optional<Use>& known = place->second;
    if (fresh || !use) return;
    if (!known || use->bits > known->bits || (use->bits == 1 && use->exact)) known = use;
  }

  void add(const Instruction& original) {
    Instruction instruction = original;
    instruction.modifiers = facts_.completed(original);
    if (instruction.guard) note(instruction.guard->reg, kPredicate);
    for (const program::Operand& operand : instruction.operands) {
      const auto& value = operand.value;
      const std::optional<Use> use = use_of(operand, instruction.modifiers);
      if (const auto* r = std::get_if<program::Register>(&value)) note(r->name, use);
      if (const auto* r = std::get_if<program::NegatedRegister>(&value)) note(r->name, kPredicate);
      if (const auto* a = std::get_if<program::Address>(&value); a != nullptr && !a->base_register.empty())
        note(a->base_register, base_register(isa::space_of(operand.place, instruction.modifiers)));
      if (const auto* t = std::get_if<program::TensorAddress>(&value)) {
        if (!t->map.base_register.empty()) note(t->map.base_register, kDouble);
        for (const auto& coordinate : t->coordinates) {
          if (const auto* r = std::get_if<program::Register>(&coordinate)) note(r->name, kWord);
        }
      }
      if (const auto* p = std::get_if<program::RegisterPair>(&value)) {
        note(p->first, use);
        note(p->second, kPredicate);
      }
      if (const auto* v = std::get_if<program::VectorOperand>(&value)) {
        for (const auto& element : v->elements) {
          if (const auto* r = std::get_if<program::Register>(&element)) note(r->name, use);
        }
      }
    }
  }

  const Facts& facts_;
  std::map<std::string, isa::Type> declared_;
  std::map<std::string, std::optional<Use>> uses_;
  std::vector<std::string> order_;
};

}  // namespace

std::vector<RegisterType> registers_of(const Facts& facts, const program::Thread& thread) {
  return Collector(facts, thread).result();
}

}  // namespace ptxmc::gpu
