// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ptx/isa/newer.h"
#include "ptx/isa/table.h"
#include "ptx/resolve/code.h"
#include "ptx/resolve/constants.h"
#include "ptx/text/rewrite.h"
#include "ptx/text/vectors.h"
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
  void partial_store(const ptx::Instruction& instruction);
  void vector_move(const ptx::Instruction& instruction, std::size_t elements);
  bool take_vector(const ptx::Registers& registers, const std::string& name, bool percent,
                   const isa::Type& type, Position position);
  void name_components(RawName& name) const;
  void name_components(RawOperand& operand) const;
  bool supported(const RawName& name);
  bool supported(const RawOperand& operand);

  const Context& context_;
  Code& code_;
  std::map<std::string, const ptx::Targets*> targets_;  // by label
  std::map<std::string, std::uint8_t> vectors_;         // registers that are vectors, and their elements
};

void Taker::take(const ptx::Label& label) {
  code_.labels.emplace(label.name.name, label.name.position);
  RawStatement place;
  place.labels.push_back(label.name.name);
  place.position = label.name.position;
  code_.statements.push_back(std::move(place));
}

void Taker::take(ptx::Instruction instruction) {
  const std::uint8_t moved = ptx::moved_elements(instruction);
  for (RawOperand& operand : instruction.operands) {
    if (moved != 0) ptx::expand_special(operand);
    name_components(operand);
  }
  if (instruction.guard) name_components(*instruction.guard);
  if (instruction.guard && !supported(*instruction.guard)) return;
  for (const RawOperand& operand : instruction.operands) {
    if (operand.kind == RawOperand::Kind::address && !operand.second.name.empty()) {
      if (const auto newer = isa::newer_form(instruction.base, instruction.words))
        return error(instruction.base_position, newer->message);
    }
    if (!supported(operand)) return;
  }
  if (moved != 0) return vector_move(instruction, moved);
  if (ptx::is_partial_store(instruction)) return partial_store(instruction);
  if (instruction.base == "brx") return indexed_branch(instruction);
  add(std::move(instruction));
}

void Taker::add(ptx::Instruction instruction) {
  RawStatement out;
  static_cast<ptx::Instruction&>(out) = std::move(instruction);
  out.text = ptx::squeezed(context_.source, out.extent.begin, out.extent.end, context_.comments);
  code_.statements.push_back(std::move(out));
}

/// brx.idx (9.7.11.4) as branches.
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
  for (ptx::Instruction& one :
       ptx::indexed_branch(like, instruction.operands[0], labels, predicate, ptx::make(like, "trap", {}, {})))
    add(std::move(one));
  if (!instruction.guard) return;
  ptx::Label label;
  label.name.name = behind;
  label.name.position = instruction.position;
  take(label);
}

/// st of 32 bytes with `_` (9.7.8.11) as one of each other element. A release would order them, which nothing does.
void Taker::partial_store(const ptx::Instruction& instruction) {
  std::vector<ptx::Instruction> stores = ptx::element_stores(instruction);
  const bool releases =
      std::find(instruction.words.begin(), instruction.words.end(), "release") != instruction.words.end();
  if (stores.empty() || releases)
    return error(instruction.operands[1].position, stores.empty()
                                                       ? "a vector of `_` alone stores nothing"
                                                       : "`_` in a store with .release is not modelled");
  for (ptx::Instruction& one : stores) add(std::move(one));
}

/// mov.v2 or .v4 (9.7.8.4) as one of each element.
void Taker::vector_move(const ptx::Instruction& instruction, std::size_t elements) {
  const std::vector<RawOperand>& operands = instruction.operands;
  if (operands.size() != 2)
    return error(instruction.end_position,
                 fmt::format("`mov` takes 2 operands (a vector, a vector), found {}", operands.size()));
  for (const RawOperand& operand : operands) {
    if (operand.kind != RawOperand::Kind::vector)
      return error(operand.position,
                   fmt::format("`mov.v{}` takes a vector: `{{...}}`, a register of .v{}{}", elements,
                               elements, elements == 4 ? ", or one such as %ctaid" : ""));
    if (operand.elements.size() != elements)
      return error(operand.position, fmt::format("`.v{}` takes {} elements, found {}", elements, elements,
                                                 operand.elements.size()));
  }
  std::vector<std::string> fresh;
  if (ptx::overlap(operands[0], operands[1])) {
    isa::Type type{isa::TypeClass::bits, 64};
    for (const std::string_view word : instruction.words) type = isa::parse_type(word).value_or(type);
    for (std::size_t i = 0; i < elements; ++i) {
      fresh.push_back(
          fmt::format("element${}_{}_{}", instruction.position.line, instruction.position.column, i));
      if (!add_register(fresh.back(), true, type, instruction.position)) return;
    }
  }
  for (ptx::Instruction& one : ptx::element_moves(instruction, operands[0], operands[1], fresh))
    add(std::move(one));
}

/// `v.r` is `v.x`.
void Taker::name_components(RawName& name) const {
  const std::size_t dot = name.name.find('.');
  if (dot == std::string::npos) return;
  const auto vector = vectors_.find(name.name.substr(0, dot));
  const std::uint8_t index = ptx::component_index(std::string_view(name.name).substr(dot + 1));
  if (vector == vectors_.end() || index >= vector->second) return;
  name.name.replace(dot + 1, std::string::npos, ptx::component(index));
}

void Taker::name_components(RawOperand& operand) const {
  const auto vector = vectors_.find(operand.name.name);
  if (operand.kind == RawOperand::Kind::name && !operand.has_offset && vector != vectors_.end())
    ptx::expand(operand, vector->second);
  name_components(operand.name);
  name_components(operand.second);
  for (RawOperand& element : operand.elements) name_components(element.name);
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
  const auto vector = vectors_.find(name.name.substr(0, dot));
  if (code_.declared.contains(name.name)) return true;
  Position component = name.position;
  component.column += static_cast<std::uint32_t>(dot + (name.percent ? 1 : 0));
  component.length = static_cast<std::uint32_t>(name.name.size() - dot);
  error(component,
        vector == vectors_.end()
            ? fmt::format("`{}` of a register that is no vector", name.name.substr(dot))
            : fmt::format("`{}` of a vector of {} registers", name.name.substr(dot), vector->second));
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
  ptx::Type element = registers.type;
  element.vector = 0;
  const std::optional<isa::Type> type = take_type(context_.errors, element, registers.type.vector == 0);
  if (!type) return;
  for (const ptx::Declarator& declarator : registers.declarators) {
    const RawName& name = declarator.name;
    if (!supported(name)) return;
    const auto declare = [&](const std::string& full) {
      return registers.type.vector == 0 ? add_register(full, name.percent, *type, name.position)
                                        : take_vector(registers, full, name.percent, *type, name.position);
    };
    if (!declarator.count && !declare(name.name)) return;
    for (std::uint32_t i = 0; i < declarator.count.value_or(0); ++i) {
      if (!declare(name.name + std::to_string(i))) return;
    }
  }
}

/// 5.4.2: of 2 or 4 elements, 128 bits at most.
bool Taker::take_vector(const ptx::Registers& registers, const std::string& name, bool percent,
                        const isa::Type& type, Position position) {
  constexpr unsigned kMostBits = 128;
  const std::uint8_t count = registers.type.vector;
  if (count > ptx::kMostComponents || count * type.bits > kMostBits) {
    error(registers.type.vector_position,
          fmt::format("a vector of {} registers of .{} is larger than {} bits", count, isa::name_of(type),
                      kMostBits));
    return false;
  }
  vectors_.emplace(name, count);
  for (std::uint8_t i = 0; i < count; ++i) {
    if (!add_register(fmt::format("{}.{}", name, ptx::component(i)), percent, type, position)) return false;
  }
  return true;
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
