// SPDX-License-Identifier: Apache-2.0
#include "lower/layout.h"

#include <algorithm>

#include "support/check.h"

namespace ptxmc::lower {
namespace {

using event::CellId;
using event::Value;

// Addresses fit 32 bits, as those of shared memory do, and are far from the constants that tests use.
constexpr Value kFirstAddress = 0x10000000;
constexpr Value kAddressStep = 0x1000;  // at least, between variables
constexpr std::uint32_t kMaxElements = 1u << 20;
constexpr std::uint32_t kUntypedBits = 64;
constexpr std::uint32_t kMaxNamedElements = 64;  // of an array, whose addresses print as names

void collect(const litmus::Condition& condition, std::set<Value>& out);

void collect(const litmus::ConditionPtr& condition, std::set<Value>& out) {
  if (condition) collect(*condition, out);
}

void collect(const litmus::Condition& condition, std::set<Value>& out) {
  if (const auto* c = std::get_if<litmus::Comparison>(&condition.node)) {
    for (const auto* term : {&c->left, &c->right}) {
      if (const auto* value = std::get_if<litmus::InitialValue>(term)) out.insert(value->integer);
    }
  } else if (const auto* all = std::get_if<litmus::Conjunction>(&condition.node)) {
    for (const auto& part : all->parts) collect(part, out);
  } else if (const auto* any = std::get_if<litmus::Disjunction>(&condition.node)) {
    for (const auto& part : any->parts) collect(part, out);
  } else if (const auto* no = std::get_if<litmus::Negation>(&condition.node)) {
    collect(no->part, out);
  } else if (const auto* implies = std::get_if<litmus::Implication>(&condition.node)) {
    collect(implies->left, out);
    collect(implies->right, out);
  }
}

/// Every integer that the test writes down.
std::set<Value> constants_of(const litmus::Test& test) {
  std::set<Value> found;
  for (const auto& variable : test.variables) {
    for (const auto& initial : variable.initial) found.insert(initial.integer);
  }
  for (const auto& init : test.register_inits) found.insert(init.value.integer);
  for (const auto& thread : test.threads) {
    for (const auto& instruction : thread.code) {
      for (const auto& operand : instruction.operands) {
        if (const auto* integer = std::get_if<litmus::Integer>(&operand.value)) found.insert(integer->value);
      }
    }
  }
  collect(test.condition, found);
  collect(test.filter, found);
  return found;
}

}  // namespace

Layout::Layout(const litmus::Test& test, const Errors& errors, bool unbounded)
    : test_(test), errors_(errors), unbounded_(unbounded) {
  for (VariableId id = 0; id < test.variables.size(); ++id) {
    check_variable(test.variables[id]);
    if (!ids_.emplace(test.variables[id].name, id).second) {
      errors_.fail(test.variables[id].position, "variable " + test.variables[id].name + " is declared twice");
    }
  }
  resolve_aliases();
  assign_addresses();
}

void Layout::check_variable(const litmus::Variable& variable) const {
  using isa::Space;
  switch (variable.space) {
    case Space::generic:
    case Space::global:
    case Space::shared:
    case Space::shared_cta:
    case Space::shared_cluster:
      break;
    case Space::const_:
    case Space::local:
    case Space::param:
      errors_.unsupported(variable.position,
                          "." + std::string(isa::name_of(variable.space)) + " variable " + variable.name);
  }
  if (variable.type && variable.type->cls == isa::TypeClass::floating) {
    errors_.unsupported(variable.position, "floating-point variable " + variable.name);
  }
  if (variable.elements == 0 || variable.elements > kMaxElements) {
    errors_.fail(variable.position, "array " + variable.name + " has " + std::to_string(variable.elements) +
                                        " elements, expected 1 to " + std::to_string(kMaxElements));
  }
  if (variable.initial.size() > variable.elements) {
    errors_.fail(variable.position, "more initial values than elements of " + variable.name);
  }
  if (!variable.aliases.empty() && !variable.initial.empty()) {
    errors_.fail(variable.position, variable.name + " is an alias and has no initial value of its own");
  }
}

void Layout::resolve_aliases() {
  const auto count = static_cast<VariableId>(test_.variables.size());
  for (VariableId id = 0; id < count; ++id) {
    VariableId at = id;
    std::optional<VariableId> generic;
    for (VariableId steps = 0; !variable(at).aliases.empty(); ++steps) {
      if (steps == count)
        errors_.fail(variable(id).position, "the aliases of " + variable(id).name + " form a circle");
      if (!generic && variable(at).alias_proxy == isa::Proxy::generic) generic = at;
      at = find(variable(at).aliases, variable(at).position);
    }
    root_.push_back(at);
    generic_.push_back(generic.value_or(at));
  }
}

void Layout::assign_addresses() {
  const std::set<Value> constants = constants_of(test_);
  Value start = kFirstAddress;
  while (true) {
    base_.clear();
    Value next = start;
    for (VariableId id = 0; id < test_.variables.size(); ++id) {
      base_.push_back(next);
      const Value bytes = static_cast<Value>(variable(root_[id]).elements) * stride(id);
      next += (bytes / kAddressStep + 1) * kAddressStep;
    }
    const auto clash = constants.lower_bound(start);
    if (clash == constants.end() || *clash >= next) return;
    start = *clash / kAddressStep * kAddressStep + kAddressStep;
  }
}

VariableId Layout::find(const std::string& name, Position position) const {
  const auto place = ids_.find(name);
  if (place == ids_.end()) errors_.fail(position, "unknown variable " + name);
  return place->second;
}

std::uint32_t Layout::bits(VariableId id) const {
  if (type(id)) return type(id)->bits;
  const auto first = first_access_.find(root_[id]);
  return first == first_access_.end() ? kUntypedBits : first->second.bits;
}

event::Width Layout::width(VariableId id) const {
  const std::uint32_t b = bits(id);
  return unbounded_ && b == 64 ? event::kUnbounded : static_cast<event::Width>(b);
}

std::uint32_t Layout::stride(VariableId id) const {
  return (type(id) ? type(id)->bits : kUntypedBits) / 8;
}

bool Layout::is_shared(VariableId id) const {
  const isa::Space space = variable(root_[id]).space;
  return space == isa::Space::shared || space == isa::Space::shared_cta ||
         space == isa::Space::shared_cluster;
}

std::optional<Location> Layout::locate(Value address) const {
  const auto after = std::upper_bound(base_.begin(), base_.end(), address);
  if (after == base_.begin()) return std::nullopt;
  const auto id = static_cast<VariableId>(after - base_.begin() - 1);
  const Value offset = address - base_[id];
  if (offset >= static_cast<Value>(variable(root_[id]).elements) * stride(id)) return std::nullopt;
  return Location{id, offset};
}

std::vector<std::pair<Value, std::string>> Layout::symbols() const {
  std::vector<std::pair<Value, std::string>> result;
  for (const VariableId id : address_used_) {
    result.emplace_back(base_[id], variable(id).name);
    for (std::uint32_t e = 1; e < std::min(variable(root_[id]).elements, kMaxNamedElements); ++e) {
      result.emplace_back(base_[id] + static_cast<Value>(e) * stride(id), element_name(id, e));
    }
  }
  return result;
}

void Layout::note_access(VariableId id, std::uint32_t bits, Position position, const std::string& text) {
  const VariableId root = root_[id];
  const auto bytes = [](std::uint32_t b) { return std::to_string(b / 8) + (b == 8 ? " byte" : " bytes"); };
  if (type(id)) {
    if (type(id)->bits != bits) {
      errors_.unsupported(position, "partial overlap of " + variable(id).name + ": this access has " +
                                        bytes(bits) + ", the variable's elements have " +
                                        bytes(type(id)->bits));
    }
    return;
  }
  if (variable(root).elements > 1 && bits != kUntypedBits) {
    errors_.unsupported(position, "partial overlap of " + variable(id).name + ": this access has " +
                                      bytes(bits) + ", elements of an untyped array have " +
                                      bytes(kUntypedBits));
  }
  if (!frozen_) {
    first_access_.try_emplace(root, FirstAccess{bits, position.line, text});
    return;
  }
  const FirstAccess& first = first_access_.at(root);
  if (first.bits != bits) {
    errors_.unsupported(position, "partial overlap of " + variable(id).name + ": this access has " +
                                      bytes(bits) + ", `" + first.text + "` in line " +
                                      std::to_string(first.line) + " has " + bytes(first.bits));
  }
}

CellId Layout::cell_of(const CellKey& key) {
  const auto [place, fresh] = cells_.try_emplace(key, static_cast<CellId>(cells_.size()));
  PTXMC_CHECK(!fresh || !frozen_, "a cell that the survey did not find");
  return place->second;
}

CellId Layout::cell(VariableId id, std::uint32_t element, std::uint32_t cta) {
  return cell_of({root_[id], is_shared(id) ? static_cast<std::int64_t>(cta) : -1, element});
}

CellId Layout::named_cell(VariableId id, std::uint32_t element, Position position) {
  const VariableId root = root_[id];
  if (!is_shared(id)) return cell_of({root, -1, element});
  std::set<std::int64_t> ctas;
  for (const auto& [key, cell] : cells_) {
    if (key.variable == root) ctas.insert(key.cta);
  }
  if (ctas.size() > 1) {
    errors_.fail(position, variable(id).name + " has an instance in each of " + std::to_string(ctas.size()) +
                               " CTAs; name a register that was loaded from it instead");
  }
  return cell_of({root, ctas.empty() ? 0 : *ctas.begin(), element});
}

void Layout::freeze() {
  frozen_ = true;
  CellId next = 0;
  for (auto& [key, cell] : cells_) {
    cell = next++;
    CellOwner owner{key.variable, key.element, std::nullopt};
    if (key.cta >= 0) owner.cta = static_cast<std::uint32_t>(key.cta);
    owners_.push_back(owner);
  }
}

std::string Layout::element_name(VariableId id, std::uint32_t element) const {
  const std::string& name = variable(id).name;
  return variable(root_[id]).is_array || variable(root_[id]).elements > 1
             ? name + "[" + std::to_string(element) + "]"
             : name;
}

}  // namespace ptxmc::lower
