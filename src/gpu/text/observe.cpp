// SPDX-License-Identifier: Apache-2.0
#include "gpu/text/observe.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "axiomatic/lower/lower.h"
#include "gpu/text/facts.h"
#include "support/check.h"
#include "support/diagnostic.h"

namespace ptxmc::gpu {

using program::Condition;
using program::StateName;

namespace {

/// The names of a condition, in its order, and its comparisons.
class ConditionNames {
 public:
  explicit ConditionNames(std::vector<StateName>& out) : out_(out) {}

  const std::vector<program::Comparison>& comparisons() const { return comparisons_; }

  void add(const program::ConditionPtr& condition) {
    if (condition) std::visit([&](const auto& node) { add(node); }, condition->node);
  }
  void add(const program::Comparison& c) {
    comparisons_.push_back(c);
    for (const auto* term : {&c.left, &c.right}) {
      if (const auto* name = std::get_if<StateName>(term)) out_.push_back(*name);
    }
  }
  void add(const program::Conjunction& c) {
    for (const auto& part : c.parts) add(part);
  }
  void add(const program::Disjunction& c) {
    for (const auto& part : c.parts) add(part);
  }
  void add(const program::Negation& c) { add(c.part); }
  void add(const program::Implication& c) {
    add(c.left);
    add(c.right);
  }

 private:
  std::vector<StateName>& out_;
  std::vector<program::Comparison> comparisons_;
};

/// Pointers are compared as numbers above all integers that they may hold.
constexpr std::uint64_t kFirstAddress = std::uint64_t{1} << 62;

std::uint64_t pointer_term(std::uint64_t value) {
  return value % 2 == 0 ? value / 2 : kFirstAddress + value / 2;
}

std::uint64_t wrap(std::uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

std::int64_t extend(std::uint64_t value, int bits) {
  if (bits >= 64) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>((wrap(value, bits) ^ sign) - sign);
}

std::string text_of(const StateName& name) {
  if (name.thread) return fmt::format("{}:{}", *name.thread, name.name);
  return name.element ? fmt::format("{}[{}]", name.name, *name.element) : fmt::format("[{}]", name.name);
}

/// A thread of the CTA whose shared memory the name is of: the one whose memory the program accesses under
/// that name, else the first (lowering allows no other).
int holder_of(const event::ProgramGraph& graph, const std::string& name) {
  std::uint32_t cta = 0;
  for (const event::Cell& cell : graph.cells) {
    const bool part =
        cell.name == name || cell.name.starts_with(name + "[") || cell.name.starts_with(name + "+");
    if (part && cell.cta) cta = *cell.cta;
  }
  const auto thread = std::find_if(graph.threads.begin(), graph.threads.end(),
                                   [&](const event::ThreadInfo& t) { return !t.host && t.cta == cta; });
  return thread == graph.threads.end() ? -1 : thread->number;
}

struct Term {
  std::uint64_t value = 0;
  int bits = 64;
  bool is_signed = true;
  bool constant = false;
};

bool compare(isa::Compare op, Term a, Term b) {
  const int bits = a.constant ? b.bits : b.constant ? a.bits : std::max(a.bits, b.bits);
  const bool is_signed = (a.constant || a.is_signed) && (b.constant || b.is_signed);
  const auto widened = [&](const Term& t) {
    return wrap(t.is_signed ? static_cast<std::uint64_t>(extend(t.value, t.bits)) : t.value, bits);
  };
  const std::uint64_t x = widened(a), y = widened(b);
  const bool less = is_signed ? extend(x, bits) < extend(y, bits) : x < y;
  switch (op) {
    case isa::Compare::eq:
      return x == y;
    case isa::Compare::ne:
      return x != y;
    case isa::Compare::lt:
      return less;
    case isa::Compare::ge:
      return !less;
    case isa::Compare::le:
      return less || x == y;
    case isa::Compare::gt:
      return !less && x != y;
    case isa::Compare::none:
      break;
  }
  PTXMC_CHECK(false, "a comparison without an operator");
  return false;
}

}  // namespace

Observation::Observation(const program::Program& test) : test_(test) {
  std::vector<StateName> all;
  ConditionNames names(all);
  names.add(test.property.condition);
  names.add(test.property.filter);
  all.insert(all.end(), test.property.locations.begin(), test.property.locations.end());
  const event::ProgramGraph graph = lower::lower(test, {});
  std::vector<std::string> symbols;
  for (const auto& symbol : graph.symbols) symbols.push_back(symbol.second);
  for (const event::Term& term : graph.exprs.terms()) {
    if (!term.is_place) continue;
    symbols.push_back(term.name);
    symbols.insert(symbols.end(), term.elements.begin(), term.elements.end());
  }
  find_addresses(symbols);
  for (const StateName& name : all) {
    Observed observed{name, text_of(name), 64, true};
    const bool known =
        std::any_of(names_.begin(), names_.end(), [&](const Observed& o) { return o.name == name; });
    if (known) continue;
    const auto shown = std::find_if(graph.observables.begin(), graph.observables.end(),
                                    [&](const event::Observable& o) { return o.name == observed.text; });
    if (shown != graph.observables.end()) {
      observed.bits = static_cast<int>(shown->width);
      observed.is_signed = shown->is_signed && shown->width != 1;
    }
    if (!name.thread) observed.holder = holder_of(graph, name.name);
    observed.pointer = observed.bits == 64 && !addresses_.empty();
    names_.push_back(std::move(observed));
  }
  check_addresses(test.property.condition);
  check_addresses(test.property.filter);
}

/// Finds the variables in global memory whose addresses the program uses.
void Observation::find_addresses(const std::vector<std::string>& shown) {
  const auto known = [&](const std::string& text) {
    return std::find(shown.begin(), shown.end(), text) != shown.end();
  };
  for (const program::Variable& variable : test_.variables) {
    if (variable.space != isa::Space::global || variable.alias_proxy != isa::Proxy::generic) continue;
    for (std::uint32_t i = 0; i < variable.elements; ++i) {
      const std::string text = i == 0 ? variable.name : fmt::format("{}[{}]", variable.name, i);
      if (known(text)) addresses_.push_back({text, variable.name, i});
    }
  }
}

/// A pointer's value is known for addresses in `addresses_` alone.
void Observation::check_addresses(const program::ConditionPtr& condition) const {
  std::vector<StateName> ignored;
  ConditionNames names(ignored);
  names.add(condition);
  for (const program::Comparison& c : names.comparisons()) {
    for (const auto& [term, other] : {std::pair{&c.left, &c.right}, std::pair{&c.right, &c.left}}) {
      const auto* value = std::get_if<program::InitialValue>(term);
      if (value == nullptr || value->address_of.empty()) continue;
      const auto* name = std::get_if<StateName>(other);
      const bool pointer =
          name != nullptr && std::any_of(names_.begin(), names_.end(),
                                         [&](const Observed& o) { return o.name == *name && o.pointer; });
      const bool known = std::any_of(addresses_.begin(), addresses_.end(),
                                     [&](const AddressName& a) { return a.variable == value->address_of; });
      if (pointer && known) continue;
      Diagnostics diagnostics(test_.source);
      diagnostics.error(
          condition->position,
          fmt::format("cannot run on a GPU yet: its condition is over the address of `{}`, and no "
                      "64-bit value that is observed holds one",
                      value->address_of));
      throw CannotRun(diagnostics);
    }
  }
}

/// The bits of a value in an outcome.
int Observation::bits_of(const Observed& o) const {
  const unsigned field = field_bits(names_.size());
  return is_narrowed(o, field) ? static_cast<int>(field) : o.bits;
}

std::uint64_t Observation::address_term(const std::string& variable) const {
  const auto found = std::find_if(addresses_.begin(), addresses_.end(), [&](const AddressName& a) {
    return a.variable == variable && a.element == 0;
  });
  PTXMC_CHECK(found != addresses_.end(), "an address that has no name");
  return kFirstAddress + static_cast<std::uint64_t>(found - addresses_.begin());
}

std::string Observation::print(const Values& values) const {
  std::string out;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const Observed& o = names_[i];
    if (o.pointer) {
      const std::uint64_t value = values[i] / 2;
      out += fmt::format("{}{}={};", i == 0 ? "" : " ", o.text,
                         values[i] % 2 == 0 ? std::to_string(value) : addresses_.at(value).text);
      continue;
    }
    out += fmt::format("{}{}={};", i == 0 ? "" : " ", o.text,
                       o.is_signed ? std::to_string(extend(values[i], bits_of(o)))
                                   : std::to_string(wrap(values[i], o.bits)));
  }
  return out;
}

bool Observation::satisfied(const Values& values) const {
  return !test_.property.condition || holds(*test_.property.condition, values);
}

bool Observation::kept(const Values& values) const {
  return !test_.property.filter || holds(*test_.property.filter, values);
}

bool Observation::holds(const Condition& condition, const Values& values) const {
  const auto term = [&](const program::ConditionTerm& t) -> Term {
    if (const auto* constant = std::get_if<program::InitialValue>(&t)) {
      if (!constant->address_of.empty()) return {address_term(constant->address_of), 64, true, true};
      return {static_cast<std::uint64_t>(constant->integer), 64, true, true};
    }
    const auto& name = std::get<StateName>(t);
    const auto found =
        std::find_if(names_.begin(), names_.end(), [&](const Observed& o) { return o.name == name; });
    PTXMC_CHECK(found != names_.end(), "a name of the condition that is not observed");
    const std::uint64_t value = values[static_cast<std::size_t>(found - names_.begin())];
    if (is_narrowed(*found, field_bits(names_.size())))
      return {wrap(static_cast<std::uint64_t>(extend(value, bits_of(*found))), found->bits), found->bits,
              true, false};
    return {found->pointer ? pointer_term(value) : value, found->bits, found->is_signed, false};
  };
  const auto all = [&](const std::vector<program::ConditionPtr>& parts, bool wanted) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const program::ConditionPtr& part) { return holds(*part, values) == wanted; });
  };
  if (const auto* c = std::get_if<program::Comparison>(&condition.node))
    return compare(c->op, term(c->left), term(c->right));
  if (const auto* c = std::get_if<program::Conjunction>(&condition.node)) return all(c->parts, true);
  if (const auto* c = std::get_if<program::Disjunction>(&condition.node)) return !all(c->parts, false);
  if (const auto* c = std::get_if<program::Negation>(&condition.node)) return !holds(*c->part, values);
  const auto& c = std::get<program::Implication>(condition.node);
  return !holds(*c.left, values) || holds(*c.right, values);
}

}  // namespace ptxmc::gpu
