// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ptx/isa/table.h"
#include "ptx/resolve/code.h"
#include "ptx/resolve/constants.h"
#include "ptx/text/rewrite.h"
#include "support/overloaded.h"

namespace ptxmc::resolve {

namespace {

constexpr std::size_t kMaxRegisters = 32768;  // declared in one thread

/// What a thread takes of its body. A statement with something that is not supported is left out.
class Taker {
 public:
  Taker(const Context& context, Code& code) : context_(context), code_(code) {}

  void run(ptx::Body& body) {
    const ptx::Label* label = nullptr;
    for (const ptx::Statement& statement : body.statements) {
      const auto* targets = std::get_if<ptx::Targets>(&statement.node);
      if (label != nullptr && targets != nullptr) targets_.emplace(label->name.name, targets);
      label = std::get_if<ptx::Label>(&statement.node);
    }
    for (ptx::Statement& statement : body.statements) {
      const auto unsupported = [&](std::string_view word) {
        error(statement.position,
              fmt::format("`.{}` is not supported here; expected an instruction or .reg", word));
      };
      std::visit(Overloaded{[&](ptx::Label& label) { take(label); },
                            [&](ptx::Instruction& instruction) { take(std::move(instruction)); },
                            [&](ptx::Registers& registers) { take(registers); }, [](ptx::Variables&) {},
                            [&](ptx::Prototype&) { unsupported("callprototype"); }, [](ptx::Targets&) {},
                            [](ptx::Location&) {}, [](ptx::Pragma&) {}, [](ptx::Section&) {}},
                 statement.node);
    }
  }

 private:
  void error(Position position, std::string message) { context_.errors.error(position, std::move(message)); }

  void take(const ptx::Label& label);
  void take(ptx::Instruction instruction);
  void take(const ptx::Registers& registers);
  void add(ptx::Instruction instruction);
  void indexed_branch(const ptx::Instruction& instruction);
  bool add_register(const std::string& name, bool percent, const isa::Type& type, Position position);
  bool supported(const RawName& name);
  bool supported(const RawOperand& operand);

  const Context& context_;
  Code& code_;
  std::map<std::string, const ptx::Targets*> targets_;  // by label
};

void Taker::take(const ptx::Label& label) {
  code_.labels.emplace(label.name.name, label.name.position);
  RawStatement place;
  place.labels.push_back(label.name.name);
  place.position = label.name.position;
  code_.statements.push_back(std::move(place));
}

void Taker::take(ptx::Instruction instruction) {
  if (instruction.guard && !supported(*instruction.guard)) return;
  for (const RawOperand& operand : instruction.operands) {
    if (!supported(operand)) return;
  }
  if (instruction.base == "brx") return indexed_branch(instruction);
  add(std::move(instruction));
}

void Taker::add(ptx::Instruction instruction) {
  RawStatement out;
  static_cast<ptx::Instruction&>(out) = std::move(instruction);
  out.text = ptx::squeezed(context_.source, out.extent.begin, out.extent.end, context_.comments);
  code_.statements.push_back(std::move(out));
}

/// brx.idx (9.7.13.3) as branches.
void Taker::indexed_branch(const ptx::Instruction& instruction) {
  const bool fits =
      instruction.operands.size() == 2 && instruction.operands[1].kind == RawOperand::Kind::name;
  const auto targets = fits ? targets_.find(instruction.operands[1].name.name) : targets_.end();
  if (targets == targets_.end())
    return error(instruction.position,
                 "expected `brx.idx index, targets`, targets a label with .branchtargets");
  const std::string place = fmt::format("{}_{}", instruction.position.line, instruction.position.column);
  const std::string predicate = "index$" + place, behind = "behind$" + place;
  if (!add_register(predicate, true, {isa::TypeClass::predicate, 1}, instruction.position)) return;
  ptx::Instruction like = instruction;
  if (like.guard) {
    like.guard_negated = !like.guard_negated;
    code_.labels.emplace(behind, instruction.position);
    add(ptx::jump(behind, like));
    like.guard.reset();
  }
  std::vector<std::string> labels;
  for (const ptx::Name& name : targets->second->names) labels.push_back(name.name);
  for (ptx::Instruction& one : ptx::indexed_branch(like, instruction.operands[0], labels, predicate))
    add(std::move(one));
  if (!instruction.guard) return;
  ptx::Label label;
  label.name.name = behind;
  label.name.position = instruction.position;
  take(label);
}

bool Taker::supported(const RawName& name) {
  const bool special = name.percent && isa::is_special_register(name.name);
  if (special && !isa::special_register(name.name)) {
    const bool vector = isa::special_register(name.name + ".x").has_value();
    error(name.position, vector
                             ? fmt::format("`%{}` is a vector: name `%{}.x`, .y or .z", name.name, name.name)
                             : fmt::format("special register `%{}` is not supported yet", name.name));
    return false;
  }
  if (name.percent && name.name == "_") {
    error(name.position, "`%_` is no register; the bit bucket is `_`");
    return false;
  }
  const std::size_t dot = name.name.find('.');
  if (special || dot == std::string::npos) return true;
  Position component = name.position;
  component.column += static_cast<std::uint32_t>(dot + (name.percent ? 1 : 0));
  component.length = static_cast<std::uint32_t>(name.name.size() - dot);
  error(component, fmt::format("`{}` of a register is not supported yet", name.name.substr(dot)));
  return false;
}

bool Taker::supported(const RawOperand& operand) {
  using Kind = RawOperand::Kind;
  if (operand.kind == Kind::floating) return true;
  if (operand.kind == Kind::descriptor) return supported(operand.name);
  if (!supported(operand.name) || !supported(operand.second)) return false;
  for (const RawOperand& element : operand.elements) {
    if (!supported(element)) return false;
  }
  if (operand.kind == Kind::element) {
    const auto end = operand.name.position.column + operand.name.name.size();
    const bool apart = operand.comma->line != operand.name.position.line || operand.comma->column > end;
    error(*operand.comma,
          operand.name.percent || apart
              ? "expected `,` before `[`"
              : fmt::format("write an element's address in bytes: `[{}+4]`", operand.name.name));
    return false;
  }
  if (operand.kind != Kind::address) return true;
  if (operand.name.name.empty()) {
    error(operand.name.position, "an absolute address names no variable: expected a variable or a register");
  } else if (!operand.second.name.empty()) {
    error(*operand.comma,
          "texture and surface coordinates are not supported; a name of that proxy stands for one location");
  } else if (operand.unified) {
    error(*operand.unified, "`.unified` of an address is not supported yet");
  } else {
    return true;
  }
  return false;
}

// .reg .u32 %r<4>, %x;
void Taker::take(const ptx::Registers& registers) {
  const std::optional<isa::Type> type = take_type(context_.errors, registers.type, true);
  if (!type) return;
  for (const ptx::Declarator& declarator : registers.declarators) {
    const RawName& name = declarator.name;
    if (!supported(name)) return;
    if (!declarator.count && !add_register(name.name, name.percent, *type, name.position)) return;
    for (std::uint32_t i = 0; i < declarator.count.value_or(0); ++i) {
      if (!add_register(name.name + std::to_string(i), name.percent, *type, name.position)) return;
    }
  }
}

bool Taker::add_register(const std::string& name, bool percent, const isa::Type& type, Position position) {
  if (isa::is_special_register(name)) {
    error(position, fmt::format("`%{}` is a special register", name));
    return false;
  }
  if (code_.registers.size() == kMaxRegisters) {
    error(position, fmt::format("more than {} registers in one thread", kMaxRegisters));
    return false;
  }
  if (!code_.declared.insert(name).second) {
    error(position, fmt::format("register `{}` is declared twice", name));
    return false;
  }
  if (!percent) code_.bare_registers.insert(name);
  code_.registers.push_back({name, type, position});
  return true;
}

}  // namespace

void take_body(const Context& context, Code& code, ptx::Body body) {
  Taker(context, code).run(body);
}

}  // namespace ptxmc::resolve
