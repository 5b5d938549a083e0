// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/memory/layout.h"

#include <algorithm>

#include "support/check.h"

namespace ptxmc::lower {
namespace {

using event::Value;

// Addresses fit 32 bits, as those of shared memory do, and are far from the constants that programs use.
constexpr Value kFirstAddress = 0x10000000;
constexpr Value kAddressStep = 0x1000;  // at least, between variables
constexpr std::uint32_t kMaxElements = 1u << 20;
constexpr std::uint32_t kUntypedBits = 64;

void collect(const program::Condition& condition, std::set<Value>& out);

void collect(const program::ConditionPtr& condition, std::set<Value>& out) {
  if (condition) collect(*condition, out);
}

void collect(const program::Condition& condition, std::set<Value>& out) {
  if (const auto* c = std::get_if<program::Comparison>(&condition.node)) {
    for (const auto* term : {&c->left, &c->right}) {
      if (const auto* value = std::get_if<program::InitialValue>(term)) out.insert(value->integer);
    }
  } else if (const auto* all = std::get_if<program::Conjunction>(&condition.node)) {
    for (const auto& part : all->parts) collect(part, out);
  } else if (const auto* any = std::get_if<program::Disjunction>(&condition.node)) {
    for (const auto& part : any->parts) collect(part, out);
  } else if (const auto* no = std::get_if<program::Negation>(&condition.node)) {
    collect(no->part, out);
  } else if (const auto* implies = std::get_if<program::Implication>(&condition.node)) {
    collect(implies->left, out);
    collect(implies->right, out);
  }
}

/// Every integer that the program writes down.
std::set<Value> constants_of(const program::Program& program) {
  std::set<Value> found;
  for (const auto& variable : program.variables) {
    for (const auto& initial : variable.initial) found.insert(initial.integer);
  }
  for (const auto& init : program.register_inits) found.insert(init.value.integer);
  for (const auto& thread : program.threads) {
    for (const auto& instruction : thread.code()) {
      for (const auto& operand : instruction.operands) {
        if (const auto* integer = std::get_if<program::Integer>(&operand.value)) found.insert(integer->value);
      }
    }
  }
  collect(program.property.condition, found);
  collect(program.property.filter, found);
  return found;
}

}  // namespace

Layout::Layout(const program::Program& program, const Errors& errors, bool unbounded, std::uint32_t ctas)
    : program_(program), errors_(errors), unbounded_(unbounded), ctas_(ctas) {
  for (VariableId id = 0; id < program.variables.size(); ++id) {
    check_variable(program.variables[id]);
    if (!ids_.emplace(program.variables[id].name, id).second) {
      errors_.fail(program.variables[id].position,
                   "variable " + program.variables[id].name + " is declared twice");
    }
  }
  resolve_aliases();
  assign_tensor_columns();
  assign_addresses();
}

void Layout::check_variable(const program::Variable& variable) const {
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
  const auto count = static_cast<VariableId>(program_.variables.size());
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
  const std::set<Value> constants = constants_of(program_);
  Value start = kFirstAddress;
  while (true) {
    regions_.clear();
    Value next = start;
    const auto add = [&](VariableId id, std::optional<std::uint32_t> cta) {
      regions_.push_back({next, id, cta});
      next += (reserved(id) / kAddressStep + 1) * kAddressStep;
    };
    for (VariableId id = 0; id < variables(); ++id) {
      if (!is_tensor(id)) add(id, std::nullopt);
    }
    for (VariableId id = 0; id < variables(); ++id) {
      for (std::uint32_t cta = 0; is_shared(id) && cta < ctas_; ++cta) add(id, cta);
    }
    const auto clash = constants.lower_bound(start);
    if (clash == constants.end() || *clash >= next) return;
    start = *clash / kAddressStep * kAddressStep + kAddressStep;
  }
}

std::int64_t Layout::reserved(VariableId id) const {
  const std::int64_t bits = type(id) ? type(id)->bits : kUntypedBits;
  return static_cast<std::int64_t>(variable(root_[id]).elements) * bits / 8;
}

Value Layout::address(VariableId id, std::optional<std::uint32_t> cta) const {
  if (is_tensor(id)) return tensor_columns_.at(id);
  for (const Region& region : regions_) {
    if (region.variable == id && region.cta == cta) return region.base;
  }
  PTXMC_CHECK(false, "an instance without an address");
  return 0;
}

VariableId Layout::find(const std::string& name, Position position) const {
  const auto place = ids_.find(name);
  if (place == ids_.end()) errors_.fail(position, "unknown variable " + name);
  return place->second;
}

std::uint32_t Layout::bits(VariableId id) const {
  if (type(id)) return type(id)->bits;
  const auto size = sizes_.find(root_[id]);
  if (size == sizes_.end() || is_array(id)) return kUntypedBits;
  // What `[x]` shows of a variable that is accessed as a vector is all of it, as far as a value can hold it.
  return std::max(size->second.bits, std::min(size->second.bytes * 8, kUntypedBits));
}

std::int64_t Layout::extent(VariableId id) const {
  const std::int64_t elements = variable(root_[id]).elements * stride(id);
  const auto size = sizes_.find(root_[id]);
  if (type(id) || is_array(id) || size == sizes_.end()) return elements;
  return std::max<std::int64_t>(elements, size->second.bytes);
}

event::Width Layout::width(VariableId id) const {
  const std::uint32_t b = bits(id);
  return unbounded_ && b == 64 ? event::kUnbounded : static_cast<event::Width>(b);
}

bool Layout::is_shared(VariableId id) const {
  const isa::Space space = variable(root_[id]).space;
  return space == isa::Space::shared || space == isa::Space::shared_cta ||
         space == isa::Space::shared_cluster;
}

std::string Layout::too_little_alignment(VariableId id, std::uint64_t needed) const {
  const program::Variable& declared = variable(root_[id]);
  if (declared.align == 0 || declared.align >= needed) return "";
  return "misaligned access: " + variable(id).name + " is declared with an alignment of " +
         std::to_string(declared.align) + ", the access needs " + std::to_string(needed) + " (5.4.5)";
}

bool Layout::is_array(VariableId id) const {
  return variable(root_[id]).is_array || variable(root_[id]).elements > 1;
}

isa::Space Layout::space(VariableId id) const {
  const isa::Space space = variable(root_[id]).space;
  if (is_shared(id)) return isa::Space::shared;
  return space == isa::Space::generic ? isa::Space::global : space;
}

MapFields Layout::map_fields(VariableId id) const {
  const auto& map = variable(id).map;
  PTXMC_CHECK(map.has_value(), "a variable that is no tensor map");
  return fields_of(*map, address(find(map->base, variable(id).position)) + map->offset);
}

std::optional<Location> Layout::before(Value address) const {
  const auto after = std::upper_bound(regions_.begin(), regions_.end(), address,
                                      [](Value a, const Region& region) { return a < region.base; });
  if (after == regions_.begin()) return std::nullopt;
  const Region& region = *std::prev(after);
  return Location{region.variable, address - region.base, region.cta};
}

std::optional<Location> Layout::locate(Value address) const {
  const auto found = before(address);
  if (!found || found->offset >= std::max(reserved(found->variable), extent(found->variable)))
    return std::nullopt;
  return found;
}

std::vector<std::pair<Value, std::string>> Layout::symbols() const {
  std::vector<std::pair<Value, std::string>> result;
  for (const auto& [id, cta] : address_used_) {
    const std::string suffix = cta ? "_cta" + std::to_string(*cta) : "";
    result.emplace_back(address(id, cta), variable(id).name + suffix);
    for (std::uint32_t e = 1; e < std::min(variable(root_[id]).elements, kMaxNamedElements); ++e) {
      result.emplace_back(address(id, cta) + e * stride(id), element_name(id, e) + suffix);
    }
  }
  return result;
}

void Layout::note_access(VariableId id, std::uint32_t scalar, std::uint32_t total) {
  if (frozen_ || type(id)) return;
  Size& size = sizes_[root_[id]];
  size.bits = std::min(std::max(size.bits, scalar * 8), kUntypedBits);
  size.bytes = std::max(size.bytes, total);
}

void Layout::note_cells(const Block& block, std::int64_t begin, std::optional<std::uint32_t> bytes) {
  if (frozen_) return;
  if (bytes) {
    cells_.access(block, {begin, *bytes});
  } else {
    wholes_.push_back({block, begin});
  }
}

Block Layout::named_block(VariableId id, Position position) const {
  const VariableId root = root_[id];
  const isa::Space space = this->space(id);
  const bool local = space == isa::Space::local;
  if (!is_shared(id) && !local) return {root, -1};
  const std::vector<std::int64_t> instances = cells_.instances(root);
  if (instances.size() > 1) {
    errors_.fail(position, variable(id).name + " has an instance in each of " +
                               std::to_string(instances.size()) + (local ? " threads" : " CTAs") +
                               "; name a register that was loaded from it instead");
  }
  return {root, instances.empty() ? 0 : instances.front()};
}

std::size_t Layout::knowledge() const {
  std::size_t sum = address_used_.size() + allocations_.size();
  for (const auto& [variable, size] : sizes_) sum += 1 + size.bits + size.bytes;
  sum += written_.size();
  for (const auto& values : fields_) sum += values.size();
  return sum;
}

// A tensor map is fields, not bytes.
void Layout::shatter() {
  for (VariableId id = 0; id < variables(); ++id) {
    if (root_[id] == id && !is_tensor(id) && !variable(id).map) cells_.shatter(id);
  }
}

void Layout::freeze() {
  frozen_ = true;
  for (const Whole& whole : wholes_) {
    cells_.access(whole.block, {whole.begin, bits(whole.block.variable) / 8});
  }
  for (VariableId id = 0; id < variables(); ++id) {
    const auto& initial = variable(id).initial;
    const bool zero = std::all_of(initial.begin(), initial.end(), [](const program::InitialValue& value) {
      return value.integer == 0 && value.address_of.empty();
    });
    if (!zero || !variable(id).open.empty()) cells_.refine(root_[id]);
  }
  cells_.freeze();
  owners_ = cells_.owners();
  freeze_tensor();
}

std::string Layout::element_name(VariableId id, std::int64_t element) const {
  const std::string& name = variable(id).name;
  return is_array(id) ? name + "[" + std::to_string(element) + "]" : name;
}

std::string Layout::cell_name(const CellOwner& owner) const {
  const VariableId id = owner.block.variable;
  if (is_tensor(id)) return tensor_cell_name(owner);
  const std::int64_t size = stride(id), first = owner.range.begin / size,
                     last = (owner.range.end() - 1) / size;
  if (variable(id).map) {
    const bool all = owner.range.begin == 0 && owner.range.bytes == footprint::kMapBytes;
    return variable(id).name + (all ? "" : "+" + std::to_string(owner.range.begin));
  }
  const bool whole = owner.range.begin % size == 0 && owner.range.bytes == size;
  const std::string inside = whole ? "" : "+" + std::to_string(owner.range.begin % size);
  if (first == last || !is_array(id))
    return element_name(id, std::min<std::int64_t>(first, variable(id).elements - 1)) + inside;
  return variable(id).name + "[" + std::to_string(first) + ".." + std::to_string(last) + "]";
}

event::Width Layout::cell_width(const CellOwner& owner) const {
  if (is_tensor(owner.block.variable)) return 32;
  const std::uint32_t bits = std::min(owner.range.bytes, 8U) * 8;  // of a wide cell: whatever stands for it
  return unbounded_ && bits == 64 ? event::kUnbounded : static_cast<event::Width>(bits);
}

}  // namespace ptxmc::lower
