// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/memory/places.h"

#include <algorithm>

#include "axiomatic/event/expr_places.h"
#include "axiomatic/lower/memory/typed.h"

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::ExprPool;
using event::Value;
using event::Width;

// Windows (5.1, 6.4.1): addresses of different ones are not comparable. Generic addresses are those of global
// memory.
enum Window : std::uint32_t { kGeneric, kShared, kConstant, kLocal, kParameter };

Window window_of(isa::Space space) {
  switch (space) {
    case isa::Space::shared:
      return kShared;
    case isa::Space::const_:
      return kConstant;
    case isa::Space::local:
      return kLocal;
    case isa::Space::param:
      return kParameter;
    default:
      return kGeneric;
  }
}

constexpr std::uint32_t kTensorWindow = 16;  // that of CTA 0
constexpr Value kColumnUnit = 32;            // "the unit of allocation is 32 columns" (9.7.16.1.2)

/// Columns that one allocation had may be those of a later one: some thread frees columns before it allocates
/// others, or perhaps while another thread does.
bool may_reuse_columns(const program::Program& program) {
  std::size_t allocating = 0, freeing = 0;
  bool in_order = true;
  for (const program::Thread& thread : program.threads) {
    bool frees = false, allocates = false, branches = false;
    for (const program::Instruction& instruction : thread.code()) {
      const bool allocation = instruction.opcode == isa::Opcode::tcgen05_alloc;
      if (allocation && frees) in_order = false;
      allocates = allocates || allocation;
      frees = frees || instruction.opcode == isa::Opcode::tcgen05_dealloc;
      branches = branches || instruction.opcode == isa::Opcode::bra;
    }
    if (branches && allocates && frees) in_order = false;
    allocating += allocates ? 1 : 0;
    freeing += frees ? 1 : 0;
    if (freeing > 0 && allocating > 1) in_order = false;
  }
  return !in_order || (freeing > 0 && allocating > 1);
}

bool in_32_bits(const program::Instruction& instruction) {
  return instruction.modifiers.type && instruction.modifiers.type->bits == 32;
}

/// The register that the program starts with was declared so: %envreg1, say, has half of an address.
bool in_32_bits(const program::Program& program, const program::RegisterInit& init) {
  return std::any_of(program.threads.begin(), program.threads.end(), [&](const program::Thread& thread) {
    return thread.number == init.thread &&
           std::any_of(thread.registers().begin(), thread.registers().end(), [&](const auto& declared) {
             return declared.name == init.name && declared.type.bits == 32;
           });
  });
}

}  // namespace

VariablePlaces::VariablePlaces(const program::Program& program, const Layout& layout, bool symbolic,
                               bool unbounded, bool null_is_address)
    : layout_(layout), symbolic_(symbolic), unbounded_(unbounded), null_is_address_(null_is_address) {
  if (!symbolic) return;
  frees_columns_ = may_reuse_columns(program);
  for (const program::Variable& variable : program.variables) {
    if (!variable.type || variable.type->bits != 32) continue;
    for (const auto& value : variable.initial) narrow_.insert(value.address_of);
  }
  for (const auto& init : program.register_inits) {
    if (!init.value.address_of.empty() && in_32_bits(program, init)) narrow_.insert(init.value.address_of);
  }
  for (const program::Thread& thread : program.threads) {
    for (const program::Instruction& instruction : thread.code()) {
      if (!in_32_bits(instruction)) continue;
      const bool converts =
          instruction.opcode == isa::Opcode::mapa || instruction.opcode == isa::Opcode::cvta;
      narrow_instances_ = narrow_instances_ || converts;
      for (const program::Operand& operand : instruction.operands) {
        if (const auto* address = std::get_if<program::AddressOf>(&operand.value))
          narrow_.insert(address->variable);
      }
    }
  }
}

Expr VariablePlaces::address(ExprPool& pool, const Layout::AddressUse& use, Width width) {
  const Value number = layout_.address(use.first, use.second);
  if (!symbolic_) return pool.constant(number, width);
  auto known = terms_.find(use);
  if (known == terms_.end()) known = terms_.emplace(use, new_term(pool, term_of(use), {use, number})).first;
  return resize(pool, {known->second, false}, width);
}

Expr VariablePlaces::allocation(ExprPool& pool, const TensorAllocation& allocated) {
  if (!symbolic_) return pool.constant(allocated.column, 32);
  if (const auto id = layout_.tensor_variable(allocated.column))
    return address(pool, {*id, std::nullopt}, 32);
  const auto [known, fresh] = allocated_.try_emplace({allocated.owner, allocated.column});
  if (!fresh) return known->second;
  event::Term term;
  term.name = "tmem" + std::to_string(allocated_.size() - 1);
  term.memory = frees_columns_ ? 0 : layout_.variables() + static_cast<std::uint32_t>(allocated_.size());
  lie_in_tensor_memory(term, allocated.owner, allocated.column, allocated.columns);
  return known->second = new_term(pool, std::move(term), {std::nullopt, allocated.column});
}

Expr VariablePlaces::new_term(ExprPool& pool, event::Term term, Use use) {
  const Expr out = pool.new_term(std::move(term));
  uses_.resize(pool.terms().size());
  uses_.back() = use;
  return out;
}

/// 9.7.16.1.2: columns are the lower half of an address, and a CTA has 512; the lane is 0.
void VariablePlaces::lie_in_tensor_memory(event::Term& term, std::uint32_t cta, Value column, Value columns) {
  term.is_place = true;
  term.width = 32;
  term.sample = column;
  term.alignment = kColumnUnit;
  term.size = columns;
  term.limit = footprint::kTensorColumns;
  term.window = kTensorWindow + cta;
}

event::Term VariablePlaces::term_of(const Layout::AddressUse& use) const {
  const auto [id, cta] = use;
  const program::Variable& variable = layout_.variable(layout_.root(id));
  const std::string suffix = cta ? "_cta" + std::to_string(*cta) : "";
  const isa::Space space = layout_.space(id);
  const bool narrow =
      cta ? narrow_instances_ : space == isa::Space::shared || narrow_.contains(layout_.variable(id).name);
  event::Term term;
  term.name = layout_.variable(id).name + suffix;
  term.width = width_of(narrow ? 32 : 64, unbounded_);
  term.sample = layout_.address(id, cta);
  term.line = layout_.variable(id).position.line;
  term.is_place = true;
  if (layout_.is_tensor(id)) {
    lie_in_tensor_memory(term, 0, layout_.tensor_column(layout_.root(id)), variable.elements);
    term.memory = layout_.root(id) + 1;
    return term;
  }
  term.window = cta ? kGeneric : window_of(space);
  term.memory = layout_.root(id) | (cta ? (*cta + 1) << 20 : 0);
  const bool sized = layout_.frozen() || layout_.type(id);  // else the survey does not know yet
  term.alignment = sized ? std::max<Value>(variable.align, std::min<Value>(layout_.stride(id), 16)) : 1;
  term.size = sized ? layout_.extent(id) : 1;
  if (term.window == kGeneric && !null_is_address_) term.least = 1;
  if (layout_.is_array(id)) {
    term.stride = layout_.stride(id);
    for (std::uint32_t e = 0; e < std::min(variable.elements, kMaxNamedElements); ++e)
      term.elements.push_back(layout_.element_name(id, e) + suffix);
    term.elements.front() = term.name;
  }
  return term;
}

Expr VariablePlaces::at(ExprPool& pool, Value number, Width width) {
  const auto location = layout_.locate(number);
  if (!symbolic_ || !location) return pool.constant(number, width);
  return pool.make(event::Op::add, width, address(pool, {location->variable, location->cta}, width),
                   pool.constant(location->offset, width));
}

std::optional<Value> VariablePlaces::number_of(const ExprPool& pool, Expr e) const {
  if (pool.is_constant(e)) return pool[e].constant;
  const auto sum = event::place_sum(pool, e);
  if (!sum || sum->term >= uses_.size() || !uses_[sum->term]) return std::nullopt;
  return event::wrap(static_cast<Value>(static_cast<std::uint64_t>(uses_[sum->term]->number) +
                                        static_cast<std::uint64_t>(sum->offset)),
                     sum->width);
}

std::optional<Location> VariablePlaces::locate(const ExprPool& pool, Expr e) const {
  const auto number = number_of(pool, e);
  if (!number || (symbolic_ && pool.is_constant(e))) return std::nullopt;
  auto location = layout_.locate(*number);
  if (!symbolic_ || !location) return location;
  const auto& use = uses_[event::place_sum(pool, e)->term]->variable;
  const bool same = use && location->variable == use->first && location->cta == use->second;
  return same ? location : std::nullopt;  // a far offset may meet the number of another variable
}

}  // namespace ptxmc::lower
