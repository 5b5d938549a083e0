// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/scopes.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::ptx {

namespace {

constexpr std::size_t kMaxDepth = 128;
constexpr std::size_t kMaxDigits = 9;  // of a number in a range's name

std::string_view without_percent(std::string_view spelled) {
  if (spelled.starts_with('%')) spelled.remove_prefix(1);
  return spelled;
}

/// Calls f(prefix, number) for each way to read a name as one of a range, the shortest prefix first; until it gives
/// true.
template <typename F>
void each_range(std::string_view name, F f) {
  std::size_t digits = 0;
  while (digits < std::min(kMaxDigits, name.size()) && name[name.size() - 1 - digits] >= '0' &&
         name[name.size() - 1 - digits] <= '9')
    ++digits;
  for (; digits != 0; --digits) {
    const std::string_view number = name.substr(name.size() - digits);
    if (number.front() == '0' && digits != 1) continue;
    std::uint32_t value = 0;
    for (const char c : number) value = value * 10 + static_cast<std::uint32_t>(c - '0');
    if (f(name.substr(0, name.size() - digits), value)) return;
  }
}

/// The largest number behind a `$` in a name.
std::uint64_t largest_suffix(std::string_view name) {
  std::uint64_t largest = 0;
  for (std::size_t at = name.find('$'); at != std::string_view::npos; at = name.find('$', at + 1)) {
    std::uint64_t value = 0;
    for (std::size_t i = at + 1; i < name.size() && i <= at + 15 && name[i] >= '0' && name[i] <= '9'; ++i)
      value = value * 10 + static_cast<std::uint64_t>(name[i] - '0');
    largest = std::max(largest, value);
  }
  return largest;
}

}  // namespace

Scopes::Scopes(Errors& errors, std::string owner) : errors_(errors), owner_(std::move(owner)) {
  body_.scopes.emplace_back();
  open_.emplace_back();
}

bool Scopes::open(Position position) {
  if (open_.size() > kMaxDepth) {
    errors_.error(position, fmt::format("more than {} blocks inside each other", kMaxDepth));
    return false;
  }
  const auto here = static_cast<std::uint32_t>(body_.statements.size());
  const auto id = static_cast<std::uint32_t>(body_.scopes.size());
  body_.scopes.push_back({current(), here, here, position});
  open_.push_back({id, {}});
  return true;
}

void Scopes::close() {
  for (std::vector<std::uint32_t>* entities : open_.back().declared) entities->pop_back();
  body_.scopes[current()].end = static_cast<std::uint32_t>(body_.statements.size());
  open_.pop_back();
}

const Scopes::Entity* Scopes::entity(std::string_view spelled) const {
  const Entity* found = nullptr;
  if (const auto own = names_.find(spelled); own != names_.end() && !own->second.empty())
    found = &entities_[own->second.back()];
  if (ranges_.empty()) return found;
  each_range(spelled, [&](std::string_view prefix, std::uint32_t number) {
    const auto range = ranges_.find(prefix);
    if (range == ranges_.end()) return false;
    const std::vector<std::uint32_t>& all = range->second;
    const auto inner = std::find_if(all.rbegin(), all.rend(),
                                    [&](std::uint32_t id) { return number < entities_[id].count; });
    if (inner == all.rend()) return false;
    if (found == nullptr || entities_[*inner].scope > found->scope) found = &entities_[*inner];
    return !digits_before_range_;
  });
  return found;
}

bool Scopes::declare(Declarator& declarator, std::string_view spelled, std::string_view noun) {
  declarator.name.scope = current();
  const bool range = declarator.count.has_value();
  Table& table = range ? ranges_ : names_;
  const Entity* before = nullptr;
  if (!range) {
    before = entity(spelled);
  } else if (const auto same = table.find(spelled); same != table.end() && !same->second.empty()) {
    before = &entities_[same->second.back()];
  }
  if (before != nullptr && before->scope == current()) {
    errors_.error(declarator.name.position,
                  fmt::format("{}`{}{}` is declared twice", noun, declarator.name.name, range ? "0" : ""),
                  {{before->position, "the first is here"}});
    return false;
  }
  std::vector<std::uint32_t>& entities = table[spelled];
  entities.push_back(static_cast<std::uint32_t>(entities_.size()));
  open_.back().declared.push_back(&entities);
  entities_.push_back(
      {current(), spelled, range, declarator.count.value_or(0), {}, declarator.name.position});
  const char last = spelled.back();
  digits_before_range_ = digits_before_range_ || (range && last >= '0' && last <= '9');
  return true;
}

bool Scopes::declare_parameter(Declarator& declarator) {
  parameters_.push_back((declarator.name.percent ? "%" : "") + declarator.name.name);
  return declare(declarator, parameters_.back(), "variable ");
}

bool Scopes::declare_label(Name& label, std::string_view spelled) {
  label.scope = current();
  const auto [first, fresh] =
      label_of_.emplace(Place(current(), spelled), static_cast<std::uint32_t>(labels_.size()));
  if (!fresh) {
    errors_.error(label.position, fmt::format("label `{}` occurs twice in {}", label.name, owner_),
                  {{labels_[first->second].position, "the first is here"}});
    return false;
  }
  labels_.push_back({current(), spelled, false, 0, {}, label.position});
  return true;
}

std::uint32_t Scopes::find(std::string_view spelled) {
  if (const Entity* found = entity(spelled)) return found->scope;
  undeclared_.insert(without_percent(spelled));
  return kUndeclared;
}

void Scopes::add(Statement statement) {
  statement.scope = current();
  body_.statements.push_back(std::move(statement));
}

std::uint32_t Scopes::label_scope(std::string_view label, std::uint32_t scope) const {
  while (true) {
    if (label_of_.contains(Place(scope, label))) return scope;
    if (scope == 0) return kUndeclared;
    scope = body_.scopes[scope].parent;
  }
}

// A label may stand below its use: what was not declared then may be one.
void Scopes::find_labels(Statement& statement) const {
  const auto find = [&](Name& name) {
    if (name.scope == kUndeclared && !name.percent) name.scope = label_scope(name.name, statement.scope);
  };
  if (auto* targets = std::get_if<Targets>(&statement.node); targets != nullptr && !targets->calls) {
    for (Name& name : targets->names) find(name);
  }
  auto* instruction = std::get_if<Instruction>(&statement.node);
  if (instruction == nullptr) return;
  for (Operand& operand : instruction->operands) {
    if (operand.kind == Operand::Kind::name && !operand.has_offset) find(operand.name);
  }
}

/// Gives those entities of nested scopes a name that share theirs with something else; false: there are none.
/// Without regard to `%`, which some notations leave out. A range and a name in it are both renamed.
bool Scopes::name_shared() {
  struct Uses {
    std::size_t names = 0;
    std::size_t ranges = 0;
    std::uint32_t largest = 0;     // count of the ranges
    std::uint32_t smallest = ~0u;  // number of a name that a range might have
    bool within = false;           // a range of another prefix might have the same names
  };
  std::unordered_map<std::string_view, Uses> uses;
  std::uint64_t next = 0;
  for (const Entity& e : entities_) {
    Uses& u = uses[without_percent(e.spelled)];
    ++(e.range ? u.ranges : u.names);
    if (e.range) u.largest = std::max(u.largest, e.count);
    next = std::max(next, largest_suffix(e.spelled));
  }
  for (const std::string_view name : undeclared_) {
    ++uses[name].names;
    next = std::max(next, largest_suffix(name));
  }
  std::vector<std::string_view> in_range;
  for (const auto& [name, own] : uses) {
    each_range(name, [&, &own = own, &name = name](std::string_view prefix, std::uint32_t number) {
      const auto range = uses.find(prefix);
      if (range == uses.end() || range->second.ranges == 0) return false;
      if (own.names != 0) range->second.smallest = std::min(range->second.smallest, number);
      if (number < range->second.largest || own.ranges != 0) in_range.push_back(name);
      if (own.ranges != 0) range->second.within = true;
      return false;
    });
  }
  for (const std::string_view name : in_range) uses.find(name)->second.within = true;
  for (const Entity& label : labels_) next = std::max(next, largest_suffix(label.spelled));
  bool any = false;
  for (std::uint32_t i = 0; i < entities_.size(); ++i) {
    Entity& e = entities_[i];
    const Uses& u = uses.find(without_percent(e.spelled))->second;
    const bool shared = u.within || (e.range ? u.ranges > 1 || u.smallest < e.count : u.names > 1);
    if (e.scope == 0 || !shared) continue;
    e.name = fmt::format("{}${}{}", without_percent(e.spelled), ++next, e.range ? "$" : "");
    (e.range ? shared_ranges_ : shared_names_).emplace(Place(e.scope, e.spelled), i);
    any = true;
  }
  std::unordered_map<std::string_view, std::size_t> labels;
  for (const Entity& label : labels_) ++labels[label.spelled];
  for (Entity& label : labels_) {
    if (label.scope == 0 || labels[label.spelled] == 1) continue;
    label.name = fmt::format("{}${}", label.spelled, ++next);
    any = true;
  }
  return any;
}

void Scopes::rename(Name& name) const {
  if (name.scope == 0 || name.scope == kUndeclared) return;
  const std::string spelled = (name.percent ? "%" : "") + name.name.substr(0, name.name.find('.'));
  const std::string component = name.name.substr(std::min(name.name.find('.'), name.name.size()));
  if (const auto own = shared_names_.find(Place(name.scope, spelled)); own != shared_names_.end()) {
    name.name = entities_[own->second].name + component;
    return;
  }
  if (const auto label = label_of_.find(Place(name.scope, spelled)); label != label_of_.end()) {
    if (!labels_[label->second].name.empty()) name.name = labels_[label->second].name;
    return;
  }
  each_range(spelled, [&](std::string_view prefix, std::uint32_t number) {
    const auto range = shared_ranges_.find(Place(name.scope, prefix));
    if (range == shared_ranges_.end() || number >= entities_[range->second].count) return false;
    name.name = fmt::format("{}{}{}", entities_[range->second].name, number, component);
    return true;
  });
}

void Scopes::rename(Declarator& declarator) const {
  const Places& places = declarator.count ? shared_ranges_ : shared_names_;
  const std::string spelled = (declarator.name.percent ? "%" : "") + declarator.name.name;
  const auto found = places.find(Place(declarator.name.scope, spelled));
  if (found != places.end()) declarator.name.name = entities_[found->second].name;
}

void Scopes::rename(Operand& operand) const {
  rename(operand.name);
  rename(operand.second);
  for (Operand& element : operand.elements) rename(element);
}

void Scopes::rename(Statement& statement) const {
  if (auto* label = std::get_if<Label>(&statement.node)) rename(label->name);
  if (auto* targets = std::get_if<Targets>(&statement.node)) {
    for (Name& name : targets->names) rename(name);
  }
  if (auto* registers = std::get_if<Registers>(&statement.node)) {
    for (Declarator& declarator : registers->declarators) rename(declarator);
  }
  if (auto* variables = std::get_if<Variables>(&statement.node)) {
    for (Variable& variable : variables->variables) {
      rename(variable.declarator);
      if (!variable.initial) continue;
      for (Symbol& symbol : variable.initial->symbols) rename(symbol.name);
    }
  }
  if (auto* instruction = std::get_if<Instruction>(&statement.node)) {
    if (instruction->guard) rename(*instruction->guard);
    for (Operand& operand : instruction->operands) rename(operand);
  }
}

Body Scopes::finish() {
  body_.scopes.front().end = static_cast<std::uint32_t>(body_.statements.size());
  if (!labels_.empty()) {
    for (Statement& statement : body_.statements) find_labels(statement);
  }
  if (body_.scopes.size() > 1 && name_shared()) {
    for (Statement& statement : body_.statements) rename(statement);
  }
  return std::move(body_);
}

}  // namespace ptxmc::ptx
