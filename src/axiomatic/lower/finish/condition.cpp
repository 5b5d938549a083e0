// SPDX-License-Identifier: Apache-2.0
// Conditions: from names to final values. Constants take the width of what they are compared with (so -1
// equals 0xffffffff at 32 bits); of two widths the narrower is extended by its own signedness; an order
// comparison is unsigned when either side is, and untyped values are signed.
#include <algorithm>
#include <cctype>
#include <optional>

#include "axiomatic/lower/finish/finish.h"
#include "axiomatic/lower/unit/loops.h"
#include "axiomatic/lower/unit/matrix_values.h"
#include "ptx/program/names.h"
#include "support/check.h"

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::Observable;
using event::Op;
using program::Condition;
using program::StateName;

/// r2 before r10: runs of digits compare as numbers.
bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    std::size_t x = i, y = j;
    while (x < a.size() && digit(a[x])) ++x;
    while (y < b.size() && digit(b[y])) ++y;
    if (x - i != y - j) return x - i < y - j;
    const int order = a.compare(i, x - i, b, j, y - j);
    if (order != 0) return order < 0;
    i = x, j = y;
  }
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

/// A term of a comparison.
struct Term {
  Typed value;
  bool constant = false;  // has no width of its own
};

class ConditionLowering {
 public:
  explicit ConditionLowering(Unit& unit) : unit_(unit) {}

  Expr lower(const program::ConditionPtr& condition) {
    PTXMC_CHECK(condition != nullptr, "an empty part of a condition");
    return lower(*condition);
  }

  /// Value of a name at the end, and how states show it.
  Observable observe(const StateName& name) {
    return name.thread ? observe_register(name) : observe_memory(name);
  }

 private:
  Expr lower(const Condition& condition) {
    return std::visit([&](const auto& node) { return lower(node, condition.position); }, condition.node);
  }
  Expr lower(const program::Conjunction& c, Position) {
    Expr result = unit_.pool().truth(true);
    for (const auto& part : c.parts) result = unit_.pool().conjunction(result, lower(part));
    return result;
  }
  Expr lower(const program::Disjunction& c, Position) {
    Expr result = unit_.pool().truth(false);
    for (const auto& part : c.parts) result = unit_.pool().disjunction(result, lower(part));
    return result;
  }
  Expr lower(const program::Negation& c, Position) { return unit_.pool().negation(lower(c.part)); }
  Expr lower(const program::Implication& c, Position) {
    const Expr left = lower(c.left);
    return unit_.pool().disjunction(unit_.pool().negation(left), lower(c.right));
  }
  Expr lower(const program::Comparison& c, Position position) {
    const Term left = term(c.left, position), right = term(c.right, position);
    auto& pool = unit_.pool();
    const event::Width wl = pool[left.value.expr].width, wr = pool[right.value.expr].width;
    const bool take_right = left.constant || (!right.constant && narrower(wl, wr));
    const event::Width width = take_right ? wr : wl;
    const Expr a = resize(pool, left.value, width), b = resize(pool, right.value, width);
    const bool is_signed =
        (left.constant || left.value.is_signed) && (right.constant || right.value.is_signed);
    return compare(pool, c.op, is_signed, a, b);
  }

  Term term(const program::ConditionTerm& term, Position position) {
    if (const auto* name = std::get_if<StateName>(&term)) {
      const Observable seen = observe(*name);
      return {{seen.value, seen.is_signed}, false};
    }
    const auto& initial = std::get<program::InitialValue>(term);
    if (initial.address_of.empty())
      return {{unit_.pool().constant(initial.integer, unit_.word()), true}, true};
    const VariableId id = unit_.layout.find(initial.address_of, position);
    unit_.layout.use_address(id);
    return {{unit_.places.address(unit_.pool(), {id, std::nullopt}, unit_.word()), true}, true};
  }

  Observable observe_register(const StateName& name) {
    const auto& threads = unit_.graph.threads;
    const auto thread = std::find_if(threads.begin(), threads.end(),
                                     [&](const event::ThreadInfo& t) { return t.number == *name.thread; });
    if (thread == threads.end())
      unit_.errors.fail(name.position, "unknown thread P" + std::to_string(*name.thread));
    const auto t = static_cast<std::size_t>(thread - threads.begin());
    const BodyAnalysis& body = unit_.bodies.of(unit_.program.threads[t]);
    if (body.find(program::upper_half_name(name.name))) {
      unit_.errors.fail(name.position,
                        name.name + " has 128 bits; name registers that mov.b128 copied its halves to");
    }
    Typed value{unit_.pool().constant(0, unit_.word()), true};
    const std::optional<std::size_t> index = body.find(name.name);
    if (index && !unit_.final_registers[t].empty()) value = unit_.final_registers[t][*index];
    Observable seen;
    seen.name = std::to_string(*name.thread) + ":" + name.name;
    seen.value = value.expr;
    seen.is_signed = value.is_signed;
    seen.width = unit_.pool()[seen.value].width;
    return seen;
  }

  Observable observe_memory(const StateName& name) {
    Layout& layout = unit_.layout;
    const VariableId id = layout.find(name.name, name.position);
    const auto& root = layout.variable(layout.root(id));
    if (root.elements > 1 && !name.element) {
      unit_.errors.fail(name.position,
                        name.name + " is an array, expected an element such as " + name.name + "[0]");
    }
    const std::uint32_t element = name.element.value_or(0);
    if (element >= root.elements) {
      unit_.errors.fail(name.position, name.name + " has " + std::to_string(root.elements) +
                                           " elements, found [" + std::to_string(element) + "]");
    }
    if (layout.is_tensor(id)) return observe_tensor(name, id, element);
    if (layout.bits(id) > 64) {
      unit_.errors.fail(name.position,
                        name.name + " has 128 bits; name registers that its halves were loaded into");
    }
    Observable seen;
    seen.name = layout.is_array(id) ? layout.element_name(id, element) : "[" + name.name + "]";
    seen.width = layout.width(id);
    const auto bytes = static_cast<std::uint32_t>(layout.stride(id));
    seen.value = final_bytes(name, layout.named_block(id, name.position),
                             {element * layout.stride(id), bytes}, seen.width);
    seen.is_signed = layout.is_signed(id);
    seen.is_memory = true;
    return seen;
  }

  /// A column of tensor memory: the value of all its lanes, or an opaque one where they differ.
  Observable observe_tensor(const StateName& name, VariableId id, std::uint32_t element) {
    auto& pool = unit_.pool();
    Layout& layout = unit_.layout;
    const std::uint32_t cta = layout.named_tensor_cta(id, name.position);
    const TensorRegion column{{0, footprint::kTensorLanes, layout.tensor_column(id) + element, 1}};
    Observable seen;
    seen.name = layout.element_name(id, element);
    seen.width = 32;
    seen.is_signed = false;
    seen.is_memory = true;
    layout.note_tensor(cta, column);
    if (!layout.frozen()) {
      seen.value = pool.final_value(0, 32);
      return seen;
    }
    std::vector<Expr> lanes;
    Expr same = pool.truth(true);
    for (const event::CellId cell : layout.tensor_covering(cta, column)) {
      lanes.push_back(pool.final_value(cell, 32));
      same = pool.conjunction(same, pool.make(Op::eq, 1, lanes.back(), lanes.front()));
    }
    const Expr mixed = upper_half(pool, uninterpreted(pool, "lanes", lanes));
    seen.value = pool.make(Op::ite, 32, same, lanes.front(), mixed);
    return seen;
  }

  /// The final value of a range of bytes, from the cells that hold it.
  Expr final_bytes(const StateName& name, const Block& block, Range range, event::Width width) {
    auto& pool = unit_.pool();
    Layout& layout = unit_.layout;
    if (!layout.frozen()) {
      layout.observe(block, range);
      return pool.final_value(0, width);
    }
    std::optional<Expr> whole;
    const std::vector<event::CellId> cells = layout.covering(block, range);
    note_final_read(cells);
    for (const event::CellId cell : cells) {
      const Range& held = layout.owners()[cell].range;
      const event::Width cell_width = layout.cell_width(layout.owners()[cell]);
      Expr part = pool.final_value(cell, cell_width);
      const std::int64_t shift = (held.begin - range.begin) * 8;  // to the left
      if (shift == 0 && cell_width == width) return part;
      if (cell_width == event::kUnbounded || width == event::kUnbounded) {
        unit_.errors.unsupported(name.position, "parts of " + name.name + " with unbounded integers");
      }
      if (shift < 0) part = pool.make(Op::shr_u, cell_width, part, pool.constant(-shift, cell_width));
      part = resize(pool, {part, false}, width);
      if (shift > 0) part = pool.make(Op::shl, width, part, pool.constant(shift, width));
      whole = whole ? pool.make(Op::or_, width, *whole, part) : part;
    }
    PTXMC_CHECK(whole.has_value(), "a condition names bytes that the survey did not find");
    return *whole;
  }

  /// A final value is one read (8.10.3, reading "tearing"); a name that occurs twice is read once.
  void note_final_read(const std::vector<event::CellId>& cells) {
    auto& reads = unit_.graph.final_reads;
    if (cells.size() < 2 || unit_.options.readings.tears_at_bytes) return;
    if (std::find(reads.begin(), reads.end(), cells) == reads.end()) reads.push_back(cells);
  }

  Unit& unit_;
};

bool before(const StateName& a, const StateName& b) {
  if (a.thread.has_value() != b.thread.has_value()) return a.thread.has_value();
  if (a.thread != b.thread) return *a.thread < *b.thread;
  if (a.name != b.name) return natural_less(a.name, b.name);
  return a.element.value_or(0) < b.element.value_or(0);
}

event::Goal goal_of(program::Quantifier quantifier) {
  switch (quantifier) {
    case program::Quantifier::exists:
      return event::Goal::exists;
    case program::Quantifier::not_exists:
      return event::Goal::not_exists;
    case program::Quantifier::forall:
      return event::Goal::forall;
  }
  return event::Goal::exists;
}

}  // namespace

void lower_condition(Unit& unit) {
  ConditionLowering lowering(unit);
  const program::Property& property = unit.program.property;
  std::vector<StateName> shown = property.locations;
  program::add_names(property.condition, shown);
  std::stable_sort(shown.begin(), shown.end(), before);
  shown.erase(
      std::unique(shown.begin(), shown.end(),
                  [](const StateName& a, const StateName& b) { return !before(a, b) && !before(b, a); }),
      shown.end());
  for (const StateName& name : shown) unit.graph.observables.push_back(lowering.observe(name));
  const Expr always = unit.pool().truth(true);
  unit.graph.proposition = property.condition ? lowering.lower(property.condition) : always;
  unit.graph.filter = property.filter ? lowering.lower(property.filter) : always;
  unit.graph.goal = property.condition ? goal_of(property.quantifier) : event::Goal::forall;
}

}  // namespace ptxmc::lower
