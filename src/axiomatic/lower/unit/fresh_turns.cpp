// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/fresh_turns.h"

#include <algorithm>
#include <optional>

#include "ptx/isa/opcode.h"
#include "ptx/program/register_use.h"

namespace ptxmc::lower {
namespace {

using program::Instruction;
using Names = std::set<std::string>;

class FreshTurns {
 public:
  FreshTurns(const std::vector<Instruction>& code, const std::vector<flow::Jump>& jumps, const Loop& loop)
      : code_(code), jumps_(jumps), loop_(loop), before_(code.size() + 1) {
    for (std::size_t i = loop.begin; i <= loop.end; ++i) {
      uses_.push_back(register_use(code[i]));
      written_.insert(uses_.back().writes.begin(), uses_.back().writes.end());
    }
  }

  bool shows_idle() const {
    const auto calls = [](const Instruction& instruction) {
      return instruction.opcode == isa::Opcode::api_call;
    };
    const auto begin = code_.begin() + static_cast<std::ptrdiff_t>(loop_.begin);
    const auto end = code_.begin() + static_cast<std::ptrdiff_t>(loop_.end) + 1;
    return std::none_of(begin, end, calls) && !enters_elsewhere() && !chases();
  }

  bool run(const Names& observed) {
    if (!only_reads() || enters_elsewhere() || chases()) return false;
    find_written_before();
    for (std::size_t i = loop_.begin; i <= loop_.end; ++i) {
      if (before_[i] && meets_old(use(i).reads, *before_[i])) return false;
    }
    return std::none_of(written_.begin(), written_.end(), [&](const std::string& name) {
      return may_keep(name) && is_read_outside(name, observed);
    });
  }

 private:
  const program::RegisterUse& use(std::size_t i) const { return uses_[i - loop_.begin]; }
  bool inside(std::size_t i) const { return i >= loop_.begin && i <= loop_.end; }

  /// Nothing that could be observed, or that must be done once or together.
  bool only_reads() const {
    for (std::size_t i = loop_.begin; i <= loop_.end; ++i) {
      const isa::OpcodeTraits& traits = isa::traits(code_[i].opcode);
      if (!traits.has(isa::Trait::repeats) || traits.has(isa::Trait::collective)) return false;
      if (code_[i].opcode == isa::Opcode::atom || traits.family == isa::Family::mbarrier) return false;
    }
    return true;
  }

  bool enters_elsewhere() const {
    for (std::size_t i = 0; i < jumps_.size(); ++i) {
      if (!inside(i) && jumps_[i].target && *jumps_[i].target > loop_.begin && inside(*jumps_[i].target))
        return true;
    }
    return false;
  }

  /// An address that rests on what the turn has read: a turn that fails may go where the last does not.
  bool chases() const {
    Names read;
    const auto rest = [&](const std::vector<std::string>& names) {
      return std::any_of(names.begin(), names.end(),
                         [&](const std::string& name) { return read.contains(name); });
    };
    for (std::size_t known = 1; known != read.size();) {
      known = read.size();
      for (std::size_t i = loop_.begin; i <= loop_.end; ++i) {
        const isa::Family family = isa::traits(code_[i].opcode).family;
        const bool accesses = family != isa::Family::arithmetic && family != isa::Family::control;
        if (accesses && rest(family == isa::Family::memory ? base_registers(code_[i]) : use(i).reads))
          return true;
        if (accesses || rest(use(i).reads)) read.insert(use(i).writes.begin(), use(i).writes.end());
      }
      if (read.empty()) return false;
    }
    return false;
  }

  static std::vector<std::string> base_registers(const Instruction& instruction) {
    std::vector<std::string> out;
    for (const program::Operand& operand : instruction.operands) {
      const auto* address = std::get_if<program::Address>(&operand.value);
      if (address != nullptr && !address->base_register.empty()) out.push_back(address->base_register);
    }
    return out;
  }

  /// Registers that every way from the header has written, by instruction.
  void find_written_before() {
    before_[loop_.begin].emplace();
    std::vector<std::size_t> open = {loop_.begin};
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      Names after = *before_[i];
      if (!code_[i].guard) after.insert(use(i).writes.begin(), use(i).writes.end());
      if (jumps_[i].target) pass(after, *jumps_[i].target, open);
      if (jumps_[i].falls_through) pass(after, i + 1, open);
    }
  }

  void pass(const Names& after, std::size_t to, std::vector<std::size_t>& open) {
    if (to == loop_.begin) return;
    if (!inside(to)) {
      keep_common(left_with_, after);
      return;
    }
    if (keep_common(before_[to], after)) open.push_back(to);
  }

  static bool keep_common(std::optional<Names>& known, const Names& more) {
    if (!known) {
      known = more;
      return true;
    }
    return std::erase_if(*known, [&](const std::string& name) { return !more.contains(name); }) != 0;
  }

  /// Some of `names` may have a value of an earlier turn.
  bool meets_old(const std::vector<std::string>& names, const Names& fresh) const {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return written_.contains(name) && !fresh.contains(name);
    });
  }

  bool may_keep(const std::string& name) const { return !left_with_ || !left_with_->contains(name); }

  bool is_read_outside(const std::string& name, const Names& observed) const {
    if (observed.contains(name)) return true;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (inside(i)) continue;
      const std::vector<std::string> reads = register_use(code_[i]).reads;
      if (std::find(reads.begin(), reads.end(), name) != reads.end()) return true;
    }
    return false;
  }

  const std::vector<Instruction>& code_;
  const std::vector<flow::Jump>& jumps_;
  const Loop& loop_;
  std::vector<program::RegisterUse> uses_;    // by instruction of the loop
  Names written_;                             // in it
  std::vector<std::optional<Names>> before_;  // by instruction; nothing: no way comes there
  std::optional<Names> left_with_;            // written on every way out
};

}  // namespace

bool turns_are_fresh(const std::vector<Instruction>& code, const std::vector<flow::Jump>& jumps,
                     const Loop& loop, const std::set<std::string>& observed) {
  return FreshTurns(code, jumps, loop).run(observed);
}

bool idle_turns_show(const std::vector<Instruction>& code, const std::vector<flow::Jump>& jumps,
                     const Loop& loop) {
  return FreshTurns(code, jumps, loop).shows_idle();
}

}  // namespace ptxmc::lower
