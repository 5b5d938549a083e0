// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/counter_atomics.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ptx/program/register_use.h"

namespace ptxmc::exec {

namespace {

using isa::Compare;
using isa::Opcode;
using isa::Role;

constexpr std::uint64_t kAll = 0xffffffffU, kSign = 0x80000000U;
constexpr unsigned kMostSteps = 4;  // steps from an atomic to a comparison

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Is it an operation of 32 bits on the register and something else?
bool is_of(const Step& step, Slot slot, Opcode opcode) {
  const auto& type = step.modifiers().type;
  return step.instruction->opcode == opcode && step.compute != nullptr && step.source_count == 2 &&
         step.sources[0] != step.sources[1] && (step.sources[0] == slot || step.sources[1] == slot) &&
         step.guard != slot && type && type->bits == 32 && !type->is_floating();
}

/// Is it a comparison of the register with something else?
bool compares(const Step& step, Slot slot) {
  const Compare how = step.modifiers().compare;
  return (how == Compare::eq || how == Compare::ne) && is_of(step, slot, Opcode::setp) &&
         step.slot(Role::predicate) != slot;
}

class Counting {
 public:
  explicit Counting(Code& code) : code_(code) {
    for (Step& step : code.steps) {
      uses_.push_back(step.instruction == nullptr ? program::RegisterUse{}
                                                  : program::register_use(*step.instruction));
    }
  }

  void run() {
    for (Step& step : code_.steps) {
      const isa::AtomicOp op = step.modifiers().atomic;
      const auto& type = step.modifiers().type;
      const bool adds = op == isa::AtomicOp::add || op == isa::AtomicOp::inc;
      if (step.instruction->opcode != Opcode::atom || !adds || step.element_count != 1 ||
          step.to == kNoSlot || !type || type->bits != 32 || type->is_floating())
        continue;
      const std::optional<std::vector<Step*>> readers = readers_of(step.to);
      if (!readers) continue;
      const auto is_compared = [&](const Step* reader) {
        return compares(*reader, step.to) && reader->counted == kNoSlot;
      };
      if (std::all_of(readers->begin(), readers->end(), is_compared)) {
        step.counts = true;
        for (Step* comparison : *readers) comparison->counted = step.to;
      } else if (const auto bits = looked_at(step.to); op == isa::AtomicOp::add && bits && *bits != kAll) {
        step.counts = true;
        step.looked_at = *bits;
      }
    }
  }

 private:
  /// The steps that read a register which one step alone writes.
  std::optional<std::vector<Step*>> readers_of(Slot slot) {
    const auto name = std::find_if(code_.registers.begin(), code_.registers.end(),
                                   [&](const auto& known) { return known.second == slot; });
    if (name == code_.registers.end()) return std::nullopt;
    std::vector<Step*> out;
    unsigned writers = 0;
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      if (has(uses_[i].writes, name->first)) ++writers;
      if (has(uses_[i].reads, name->first)) out.push_back(&code_.steps[i]);
    }
    if (writers != 1) return std::nullopt;
    return out;
  }

  std::optional<std::uint64_t> number(Slot slot) const {
    const auto found =
        std::find_if(code_.constants.begin(), code_.constants.end(), [&](const Constant& constant) {
          return constant.slot == slot && constant.variable.empty() && !constant.special;
        });
    return found == code_.constants.end() ? std::nullopt : std::optional(found->number & kAll);
  }

  /// A comparison with zero that tells the sign.
  bool tells_sign(const Step& step, Slot slot) const {
    if (!is_of(step, slot, Opcode::setp) || step.sources[0] != slot || !step.modifiers().type->is_signed())
      return false;
    const Compare how = step.modifiers().compare;
    const std::optional<std::uint64_t> with = number(step.sources[1]);
    if (how == Compare::lt || how == Compare::ge) return with == 0;
    return (how == Compare::gt || how == Compare::le) && with == kAll;
  }

  /// The bits of the register by which anything differs; nothing: that is not known.
  std::optional<std::uint64_t> looked_at(Slot slot, unsigned depth = 0) {
    const std::optional<std::vector<Step*>> readers = readers_of(slot);
    if (!readers || depth > kMostSteps) return std::nullopt;
    std::uint64_t out = 0;
    for (const Step* reader : *readers) {
      if (tells_sign(*reader, slot)) {
        out |= kSign;
      } else if (compares(*reader, slot)) {
        out |= kAll;
      } else {
        const bool masks = is_of(*reader, slot, Opcode::and_);
        if (!masks && !is_of(*reader, slot, Opcode::xor_)) return std::nullopt;
        const std::optional<std::uint64_t> behind = looked_at(reader->to, depth + 1);
        if (!behind) return std::nullopt;
        const Slot other = reader->sources[reader->sources[0] == slot ? 1 : 0];
        out |= masks ? *behind & number(other).value_or(kAll) : *behind;
      }
    }
    return out;
  }

  Code& code_;
  std::vector<program::RegisterUse> uses_;  // by step
};

}  // namespace

void find_counting(Code& code) {
  Counting(code).run();
}

}  // namespace ptxmc::exec
