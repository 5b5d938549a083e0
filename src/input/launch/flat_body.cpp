// SPDX-License-Identifier: Apache-2.0
#include "input/launch/flat_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "input/launch/any_value.h"
#include "input/launch/call_targets.h"
#include "ptx/isa/table.h"
#include "ptx/text/module.h"
#include "ptx/text/rewrite.h"
#include "ptx/text/vectors.h"

namespace ptxmc::launch {

namespace {

constexpr std::size_t kMaxInstructions = std::size_t{1} << 20;  // with all calls

bool is_predefined(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::name && operand.name.percent &&
         operand.name.scope == ptx::kUndeclared && isa::is_special_register(operand.name.name);
}

/// Whether all instructions of that name write their first operand.
bool writes_first(std::string_view base) {
  bool known = false;
  for (const isa::Form& form : isa::forms()) {
    if (form.base != base) continue;
    if (form.operands.empty() || !isa::is_written(form.operands.front().role)) return false;
    known = true;
  }
  return known;
}

}  // namespace

Flat FlatBody::take() {
  declare_registers();
  flat_.body.scopes.emplace_back();
  return std::move(flat_);
}

void FlatBody::place(const std::string& label, Position position) {
  ptx::Label out;
  out.name.name = label;
  out.name.scope = 0;
  out.name.position = position;
  flat_.body.statements.push_back({0, std::move(out), position});
}

void FlatBody::add(ptx::Instruction instruction) {
  const Position position = instruction.position;
  if (++instructions_ > kMaxInstructions) {
    error(position, fmt::format("more than {} instructions with all calls", kMaxInstructions));
    throw ptx::TooManyErrors();
  }
  flat_.body.statements.push_back({0, std::move(instruction), position});
}

void FlatBody::insert(std::size_t at, std::vector<ptx::Instruction> instructions) {
  const std::size_t end = size();
  for (ptx::Instruction& instruction : instructions) add(std::move(instruction));
  auto& statements = flat_.body.statements;
  const auto place = [&](std::size_t i) { return statements.begin() + static_cast<std::ptrdiff_t>(i); };
  std::rotate(place(at), place(end), statements.end());
}

ptx::Instruction FlatBody::renamed(Frame& frame, const ptx::Instruction& instruction) {
  ptx::Instruction out = instruction;
  if (out.guard) rename(frame, *out.guard);
  if (!out.operands.empty() && is_predefined(out.operands.front()) && writes_first(out.base)) {
    error(out.operands.front().name.position,
          fmt::format("`%{}` is a predefined register, which nothing writes (10)",
                      out.operands.front().name.name));
    out.operands.front().name.name = "_";  // reported
    out.operands.front().name.percent = false;
  }
  for (ptx::Operand& operand : out.operands) {
    if (ptx::moved_elements(out) != 0) ptx::expand_special(operand);
    rename(frame, operand);
  }
  return out;
}

void FlatBody::rename(Frame& frame, ptx::Operand& operand) {
  if (operand.kind == ptx::Operand::Kind::name && operand.name.percent && settle(operand)) return;
  if (!operand.name.name.empty()) rename(frame, operand.name);
  if (!operand.second.name.empty()) rename(frame, operand.second);
  for (ptx::Operand& element : operand.elements) rename(frame, element);
}

/// A predefined register that the launch settles.
bool FlatBody::settle(ptx::Operand& operand) {
  if (!is_predefined(operand)) return false;
  const std::string special = operand.name.name;
  const Predefined value = predefined_(special);
  if (value.everywhere) {
    operand.kind = ptx::Operand::Kind::integer;
    operand.number = static_cast<std::int64_t>(*value.everywhere);
    operand.name = {};
  } else if (value.by_thread) {
    std::string name = special;
    std::replace(name.begin(), name.end(), '.', '_');
    if (name == special) name = "own_" + name;  // no predefined register is called so
    flat_.by_thread.emplace(name, special);
    operand.name.name = name;
    use_register(name, "u32");
  }
  return true;
}

void FlatBody::rename(Frame& frame, ptx::Name& name) {
  if (name.name == "_" && !name.percent) return;
  if (name.scope == ptx::kUndeclared) {
    if (!name.percent) use_of_module(name);
    return;
  }
  if (const ptx::Type* type = frame.names.find_register(name.name)) {
    const std::size_t dot = std::min(name.name.find('.'), name.name.size());
    name.name.insert(dot, frame.suffix);
    name.percent = true;
    const std::string whole = name.name.substr(0, name.name.find('.'));
    frame.registers.emplace(whole, type);
    use_register(whole, *type);
  } else if (const ptx::Variable* variable = frame.names.find_variable(name.name)) {
    name.name = object(frame, *variable, name.position);
    name.scope = ptx::kUndeclared;
    if (variable->space == "local") frame.locals.insert(name.name);
  } else if (parameters_.has(name.name) && frame.suffix.empty()) {
    flat_.parameters.insert(name.name);
    name.scope = ptx::kUndeclared;
  } else {
    name.name += frame.suffix;  // a label
    name.scope = 0;
  }
}

void FlatBody::use_of_module(ptx::Name& name) {
  if (ptx::find_variable(module_, name.name) != nullptr) {
    flat_.variables.insert(name.name);
  } else if (const ptx::Function* function = called_by(module_, name.name)) {
    name.name = address_of(*function).name.name;
  }
}

ptx::Operand FlatBody::address_of(const ptx::Function& function) {
  flat_.functions.insert(function.name.name);
  return ptx::variable(function.name.name);
}

/// The unique name of memory that a body declares. That of a function is the same in each call of it.
std::string FlatBody::object(Frame& frame, const ptx::Variable& variable, Position use) {
  if (variable.space == "param") {
    error(use, fmt::format("the address of `{}`, which is passed to a function, is not supported",
                           variable.name()));
    return variable.name();
  }
  const auto [known, fresh] = object_names_.try_emplace(&variable, variable.name());
  if (!fresh) return known->second;
  const bool dynamic = variable.linkage == ptx::Linkage::external;
  std::string& name = known->second;
  if (dynamic || (frame.function.entry && !flat_.objects.contains(name))) {
    flat_.objects.emplace(name, &variable);
    return name;
  }
  for (int i = 1; flat_.objects.contains(name) || ptx::find_variable(module_, name) != nullptr; ++i)
    name = fmt::format("{}${}", variable.name(), i);
  flat_.objects.emplace(name, &variable);
  return name;
}

void FlatBody::use_register(const std::string& name, std::string_view type) {
  ptx::Type named;
  named.name = type;
  use_register(name, named);
}

std::string FlatBody::fresh_register(const std::string& stem, std::string_view type) {
  std::string name = fmt::format("{}${}", stem, ++fresh_);
  use_register(name, type);
  return name;
}

std::vector<ptx::Instruction> FlatBody::any_value(const ptx::Instruction& like, const std::string& name,
                                                  std::uint32_t bits) {
  use_register(kAnyScratch, "b32");
  return launch::any_value(like, name, bits);
}

std::vector<ptx::Instruction> FlatBody::any_carry(const ptx::Instruction& like) {
  use_register(kAnySum, "u32");
  return launch::any_carry(like);
}

void FlatBody::declare_registers() {
  std::vector<ptx::Statement> declarations;
  for (const auto& [name, type] : used_) {
    ptx::Registers out;
    out.type = type;
    ptx::Declarator& declarator = out.declarators.emplace_back();
    declarator.name.name = name;
    declarator.name.percent = true;
    declarator.name.scope = 0;
    declarations.push_back({0, std::move(out), {}});
  }
  auto& statements = flat_.body.statements;
  statements.insert(statements.begin(), std::make_move_iterator(declarations.begin()),
                    std::make_move_iterator(declarations.end()));
}

ptx::Instruction FlatBody::renamed_guard(Frame& frame, const ptx::Instruction& instruction) {
  ptx::Instruction like = instruction;
  like.operands.clear();
  if (like.guard) rename(frame, *like.guard);
  return like;
}

std::string FlatBody::fresh_label(const std::string& stem) {
  return fmt::format("{}${}", stem, ++fresh_);
}

}  // namespace ptxmc::launch
