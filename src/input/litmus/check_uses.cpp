// SPDX-License-Identifier: Apache-2.0
// Names and constants that are likely slips: a register of the condition that its thread never names, one that is
// read before any write, a constant that does not fit, a name that occurs once. In a file with PTX declarations the
// first is an error, as is a variable that is not declared (ParseState::use_variable); the others are warnings.
#include <fmt/format.h>

#include <algorithm>

#include "input/litmus/raw.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"
#include "support/nearest.h"

namespace ptxmc::litmus {

std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates,
                         const char* sign) {
  const std::optional<std::string> suggestion = nearest(name, candidates);
  return suggestion ? fmt::format("; did you mean `{}{}`?", sign, *suggestion) : "";
}

namespace {

constexpr std::size_t kMaxWarnings = 50;

/// A slice of a thread's code that its backward branches repeat: what stands in it may run before anything else
/// in it does.
struct Loop {
  std::size_t begin, end;
};

std::vector<Loop> loops_of(const RawThread& thread) {
  std::map<std::string, std::size_t> labels;
  for (std::size_t i = 0; i < thread.code.size(); ++i) {
    for (const std::string& label : thread.code[i].labels) labels.emplace(label, i);
  }
  std::vector<Loop> loops;
  for (std::size_t i = 0; i < thread.code.size(); ++i) {
    for (const Operand& operand : thread.code[i].operands) {
      const auto* label = std::get_if<LabelName>(&operand.value);
      const auto target = label == nullptr ? labels.end() : labels.find(label->name);
      if (target != labels.end() && target->second <= i) loops.push_back({target->second, i});
    }
  }
  std::sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) { return a.begin < b.begin; });
  std::vector<Loop> merged;
  for (const Loop& loop : loops) {
    if (merged.empty() || loop.begin > merged.back().end) {
      merged.push_back(loop);
    } else {
      merged.back().end = std::max(merged.back().end, loop.end);
    }
  }
  return merged;
}

bool fits(std::int64_t value, unsigned bits) {
  if (bits >= 64) return true;
  return value >= -(std::int64_t{1} << (bits - 1)) && value < std::int64_t{1} << bits;
}

class UseChecker {
 public:
  explicit UseChecker(ParseState& state) : state_(state) {}

  void run() {
    for (const RegisterInit& init : state_.test.register_inits) {
      if (RawThread* thread = state_.find_thread(init.thread)) written_[key(*thread, init.name)] = 0;
    }
    for (const RawThread& thread : state_.threads) {
      note(thread);
      read_before_write(thread);
      for (const Instruction& instruction : thread.code) operands(instruction);
    }
    initial_values();
    for (const StateName& name : state_.test.property.locations) state_name(name);
    condition(state_.test.property.filter);
    condition(state_.test.property.condition);
    for (const auto& [name, use] : state_.implicit) {
      if (use.count == 1 && !state_.ptx_declarations)
        warn(use.first, fmt::format("`{}` occurs only here and is declared nowhere; it is zero{}", name,
                                    did_you_mean(name, state_.variable_names(name), "")));
    }
  }

 private:
  using Key = std::pair<int, std::string>;
  static Key key(const RawThread& thread, const std::string& name) { return {thread.thread.number, name}; }

  /// How the file writes registers.
  const char* sign() const { return state_.test.native ? "%" : ""; }

  void warn(Position position, std::string message) {
    if (state_.warnings.size() >= kMaxWarnings) return;
    state_.warnings.push_back({Severity::warning, state_.test.source, position, std::move(message)});
  }

  /// Where each register is first written, and how wide it is by its declaration or its writes.
  void note(const RawThread& thread) {
    for (const RegisterDeclaration& declared : thread.registers) {
      width_[key(thread, declared.name)] = declared.type.bits;
      named_[thread.thread.number].push_back(declared.name);
    }
    for (std::size_t i = 0; i < thread.uses.size(); ++i) {
      for (const RegisterUse& use : thread.uses[i]) {
        if (use.write) written_.emplace(key(thread, use.name), i);
        named_[thread.thread.number].push_back(use.name);
      }
      const Instruction& instruction = thread.code[i];
      for (const Operand& operand : instruction.operands) written_width(thread, instruction, operand);
    }
  }

  void written_width(const RawThread& thread, const Instruction& instruction, const Operand& operand) {
    const std::optional<isa::Use> use = use_of(operand, instruction.modifiers);
    const auto widen = [&](const std::string& name, std::uint32_t least) {
      if (thread.declared.contains(name)) return;
      std::uint32_t& bits = width_[key(thread, name)];
      bits = std::max(bits, least);
    };
    const std::uint32_t bits = use ? use->bits : 64;
    const auto& value = operand.value;
    if (const auto* r = std::get_if<Register>(&value)) widen(r->name, bits);
    if (const auto* p = std::get_if<RegisterPair>(&value)) {
      widen(p->first, bits);
      widen(p->second, 1);
    }
    if (const auto* v = std::get_if<VectorOperand>(&value)) {
      for (const auto& element : v->elements) {
        if (const auto* r = std::get_if<Register>(&element)) widen(r->name, bits);
      }
    }
  }

  void read_before_write(const RawThread& thread) {
    const std::vector<Loop> loops = loops_of(thread);
    std::size_t loop = 0;
    std::set<std::string> told;
    for (std::size_t i = 0; i < thread.uses.size(); ++i) {
      while (loop < loops.size() && loops[loop].end < i) ++loop;
      const bool repeated = loop < loops.size() && loops[loop].begin <= i;
      const std::size_t limit = repeated ? loops[loop].end + 1 : i;
      const auto known = [&](const RegisterUse& use) {
        const auto first = written_.find(key(thread, use.name));
        const bool initial = state_.initialised.contains({thread.thread.number, use.name});
        return initial || (first != written_.end() && first->second < limit);
      };
      // fragments; a matrix of which nothing is written is data that nothing asks for
      std::set<std::size_t> filled;
      for (const RegisterUse& use : thread.uses[i]) {
        if (use.fragment != 0 && known(use)) filled.insert(use.fragment);
      }
      for (const RegisterUse& use : thread.uses[i]) {
        if (use.write || known(use) || (use.fragment != 0 && !filled.contains(use.fragment))) continue;
        if (!told.insert(use.name).second) continue;
        warn(use.position,
             fmt::format("register `{}{}` of P{} is read before anything writes it; it is zero{}", sign(),
                         use.name, thread.thread.number,
                         did_you_mean(use.name, others(thread.thread.number, use.name, limit), sign())));
      }
    }
  }

  /// The other registers that something before `limit` writes.
  std::vector<std::string> others(int thread, const std::string& name, std::size_t limit) {
    std::vector<std::string> out;
    for (const std::string& other : named_[thread]) {
      const auto first = written_.find({thread, other});
      if (other != name && first != written_.end() && first->second < limit) out.push_back(other);
    }
    return out;
  }

  void operands(const Instruction& instruction) {
    for (const Operand& operand : instruction.operands) {
      const std::optional<isa::Use> use = use_of(operand, instruction.modifiers);
      if (!use) continue;
      if (const auto* n = std::get_if<Integer>(&operand.value))
        constant(instruction, n->value, *use, operand);
      const auto* vector = std::get_if<VectorOperand>(&operand.value);
      if (vector == nullptr) continue;
      for (const auto& element : vector->elements) {
        if (const auto* n = std::get_if<Integer>(&element)) constant(instruction, n->value, *use, operand);
      }
    }
  }

  void constant(const Instruction& instruction, std::int64_t value, isa::Use use, const Operand& operand) {
    const bool memory = isa::traits(instruction.opcode).family == isa::Family::memory;
    const bool packed = instruction.modifiers.packed != isa::Packed::none;
    const unsigned bits = memory && !packed ? instruction.modifiers.type->bits : use.bits;
    if (!fits(value, bits))
      warn(operand.position, fmt::format("`{}` does not fit the {} bits of `{}`; the rest is cut off", value,
                                         bits, isa::mnemonic(instruction.opcode, instruction.modifiers)));
  }

  void initial_values() {
    for (const Variable& variable : state_.test.variables) {
      if (!variable.type || variable.map) continue;
      for (const InitialValue& value : variable.initial) {
        if (value.address_of.empty() && !fits(value.integer, variable.type->bits))
          warn(variable.position, fmt::format("`{}` does not fit the {} bits of `{}`; the rest is cut off",
                                              value.integer, variable.type->bits, variable.name));
      }
    }
  }

  void state_name(const StateName& name) {
    if (!name.thread || state_.find_thread(*name.thread) == nullptr) return;
    const int thread = *name.thread;
    const std::vector<std::string>& named = named_[thread];
    const bool known = std::find(named.begin(), named.end(), name.name) != named.end();
    if (written_.contains({thread, name.name}) || isa::is_special_register(name.name)) return;
    if (!told_.insert({thread, name.name}).second) return;
    const std::string advice = did_you_mean(name.name, others(thread, name.name, ~std::size_t{0}), sign());
    if (!known && state_.ptx_declarations) {
      state_.errors.error(name.position,
                          fmt::format("P{} names no register `{}{}`{}", thread, sign(), name.name, advice));
    } else {
      warn(name.position,
           fmt::format("P{} never writes register `{}{}`; it is zero{}", thread, sign(), name.name, advice));
    }
  }

  void condition(const ConditionPtr& part) {
    if (!part) return;
    if (const auto* c = std::get_if<Comparison>(&part->node)) comparison(*c, part->position);
    if (const auto* c = std::get_if<Conjunction>(&part->node)) {
      for (const ConditionPtr& each : c->parts) condition(each);
    }
    if (const auto* c = std::get_if<Disjunction>(&part->node)) {
      for (const ConditionPtr& each : c->parts) condition(each);
    }
    if (const auto* c = std::get_if<Negation>(&part->node)) condition(c->part);
    if (const auto* c = std::get_if<Implication>(&part->node)) {
      condition(c->left);
      condition(c->right);
    }
  }

  void comparison(const Comparison& c, Position position) {
    for (const ConditionTerm* term : {&c.left, &c.right}) {
      if (const auto* name = std::get_if<StateName>(term)) state_name(*name);
    }
    const auto against = [&](const ConditionTerm& a, const ConditionTerm& b) {
      const auto* name = std::get_if<StateName>(&a);
      const auto* value = std::get_if<InitialValue>(&b);
      if (name == nullptr || value == nullptr || !value->address_of.empty()) return;
      const unsigned bits = width_of(*name);
      if (!fits(value->integer, bits))
        warn(position, fmt::format("`{}` does not fit the {} bits of `{}`; the rest is cut off",
                                   value->integer, bits, name->name));
    };
    against(c.left, c.right);
    against(c.right, c.left);
  }

  unsigned width_of(const StateName& name) {
    if (name.thread) {
      const auto found = width_.find({*name.thread, name.name});
      return found == width_.end() ? 64 : found->second;
    }
    const Variable* variable = state_.find_variable(name.name);
    return variable != nullptr && variable->type ? variable->type->bits : 64;
  }

  ParseState& state_;
  std::map<Key, std::size_t> written_;             // the first instruction that writes a register
  std::map<Key, std::uint32_t> width_;             // bits
  std::map<int, std::vector<std::string>> named_;  // registers of a thread
  std::set<Key> told_;                             // of the condition's registers
};

}  // namespace

void check_uses(ParseState& state) {
  if (!state.errors.any()) UseChecker(state).run();
}

}  // namespace ptxmc::litmus
