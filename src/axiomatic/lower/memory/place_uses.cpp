// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/memory/place_uses.h"

#include <algorithm>
#include <vector>

#include "axiomatic/event/expr_places.h"

namespace ptxmc::lower {
namespace {

using event::Event;
using event::Expr;
using event::Node;
using event::Op;
using event::Value;

constexpr std::size_t kMostNumbers = 16;

/// How far an address may be from the variable.
enum class Range : std::uint8_t { inside, anywhere, wrapped };

/// What a value may be.
struct Content {
  bool any_number = false;
  bool unknown = false;  // a term that is no address: any number, whatever the layout
  std::set<Value> numbers;
  std::set<std::uint32_t> places;  // terms
  Range range = Range::inside;
  bool depends = false;  // on the layout
  friend bool operator==(const Content&, const Content&) = default;
};

Content number() {
  Content out;
  out.any_number = true;
  return out;
}

Content dependent() {
  Content out;
  out.depends = true;
  return out;
}

void join(Content& out, const Content& more) {
  out.any_number = out.any_number || more.any_number;
  out.unknown = out.unknown || more.unknown;
  out.numbers.insert(more.numbers.begin(), more.numbers.end());
  if (out.numbers.size() > kMostNumbers) out.any_number = true;
  if (out.any_number) out.numbers.clear();
  out.places.insert(more.places.begin(), more.places.end());
  out.range = std::max(out.range, more.range);
  out.depends = out.depends || more.depends;
}

class Contents {
 public:
  Contents(const event::ProgramGraph& graph, const std::set<Expr>& comparisons)
      : graph_(graph),
        pool_(graph.exprs),
        comparisons_(comparisons),
        cells_(graph.cells.size()),
        contents_(graph.exprs.size()) {
    for (bool grows = true; grows;) {
      for (std::uint32_t i = 0; i < pool_.size(); ++i) contents_[i] = compute(Expr{i});
      grows = false;
      for (event::SlotId s = 0; s < graph.slot_count(); ++s) {
        const event::Slot slot = graph.slot(s);
        if (!graph.events[slot.event].is_write()) continue;
        Content& held = cells_[slot.cell];
        const Content before = held;
        join(held, stored(graph.events[slot.event], slot.value));
        grows = grows || !(held == before);
      }
    }
  }

  const Content& of(Expr e) const { return contents_[e.index]; }

 private:
  Content stored(const Event& write, Expr value) const {
    if (write.kind != event::EventKind::initial_write || write.choices.empty()) return of(value);
    Content out;
    for (const Value choice : write.choices) out.numbers.insert(choice);
    return out;
  }

  Content compute(Expr e) const {
    const Node& node = pool_[e];
    if (node.op == Op::constant) {
      Content out;
      out.numbers.insert(node.constant);
      return out;
    }
    if (const auto sum = event::place_sum(pool_, e)) {
      Content out;
      out.places.insert(sum->term);
      if (!event::inside(pool_.terms()[sum->term], sum->offset)) out.range = Range::anywhere;
      return out;
    }
    switch (node.op) {
      case Op::value_of:
        return node.atom < graph_.size() && graph_.events[node.atom].is_access()
                   ? cells_[graph_.slot(graph_.slot_of(node)).cell]
                   : number();
      case Op::final_value:
        return cells_[node.atom];
      case Op::term: {
        Content out;
        out.unknown = true;
        return out;
      }
      case Op::ite: {
        Content out = of(node.b);
        join(out, of(node.c));
        out.depends = out.depends || of(node.a).depends;
        return out;
      }
      case Op::zero_extend: {
        Content out = of(node.a);
        if (!out.places.empty() && out.range != Range::inside) out.range = Range::wrapped;
        if (out.places.empty()) out = out.depends ? dependent() : number();
        return out;
      }
      default:
        return of_operation(e, node);
    }
  }

  Content of_operation(Expr e, const Node& node) const {
    const int operands = event::arity(node.op);
    const Content& a = of(node.a);
    const Content none;
    const Content& b = operands > 1 ? of(node.b) : none;
    if (a.depends || b.depends) return dependent();
    if (a.places.empty() && b.places.empty()) return number();
    switch (node.op) {
      case Op::add:
        return a.places.empty() || b.places.empty() ? moved(a, b) : dependent();
      case Op::sub:
        if (one_place(a, b)) return number();
        return b.places.empty() ? moved(a, b) : dependent();
      case Op::eq:
        return comparable(e, a, b) ? number() : dependent();
      case Op::and_:
        return below_alignment(node, a, b) ? number() : dependent();
      case Op::truncate:
        return truncated(a, node.width);
      default:
        return dependent();
    }
  }

  static Content moved(const Content& a, const Content& b) {
    Content out = a;
    join(out, b);
    out.range = std::max(out.range, Range::anywhere);
    out.any_number = out.any_number || out.unknown || !out.numbers.empty();
    out.numbers.clear();
    return out;
  }

  /// Both are addresses of one variable.
  static bool one_place(const Content& a, const Content& b) {
    const auto only = [](const Content& c) {
      return c.places.size() == 1 && !c.any_number && !c.unknown && c.numbers.empty();
    };
    return only(a) && only(b) && a.places == b.places && std::max(a.range, b.range) != Range::wrapped;
  }

  bool comparable(Expr e, const Content& a, const Content& b) const {
    if (one_place(a, b)) return true;
    const bool names = comparisons_.contains(e);
    if (!names && (a.range != Range::inside || b.range != Range::inside)) return false;
    for (const std::uint32_t x : a.places) {
      const auto meets = [&](std::uint32_t y) {
        return x != y && !event::apart(pool_.terms()[x], pool_.terms()[y]);
      };
      if (!names && std::any_of(b.places.begin(), b.places.end(), meets)) return false;
    }
    return never_equal(a, b, names) && never_equal(b, a, names);
  }

  /// No number that `numbers` may be is an address that `places` may be.
  bool never_equal(const Content& numbers, const Content& places, bool names) const {
    if (places.places.empty()) return true;
    if (numbers.any_number || (numbers.unknown && !names)) return false;
    return std::all_of(places.places.begin(), places.places.end(), [&](std::uint32_t id) {
      const event::Term& term = pool_.terms()[id];
      return std::all_of(numbers.numbers.begin(), numbers.numbers.end(), [&](Value at) {
        if (names && at == 0) return true;
        return !may_hold(term, at);
      });
    });
  }

  /// Some byte of the variable can have the address.
  static bool may_hold(const event::Term& term, Value at) {
    const Value first = at - at % term.alignment;
    for (Value begin = first; begin >= 0 && begin > at - term.size; begin -= term.alignment) {
      if (event::may_be_at(term, begin)) return true;
    }
    return false;
  }

  bool below_alignment(const Node& node, const Content& a, const Content& b) const {
    const bool masked = pool_.is_constant(node.b) && a.range == Range::inside && b.places.empty();
    return masked && std::all_of(a.places.begin(), a.places.end(), [&](std::uint32_t id) {
             return static_cast<std::uint64_t>(pool_[node.b].constant) <
                    static_cast<std::uint64_t>(pool_.terms()[id].alignment);
           });
  }

  /// An address that fits stays what it is.
  Content truncated(const Content& a, event::Width width) const {
    const bool fits = std::all_of(a.places.begin(), a.places.end(),
                                  [&](std::uint32_t id) { return pool_.terms()[id].width == width; });
    if (!fits || a.range != Range::inside) return dependent();
    Content out = a;
    out.numbers.clear();
    for (const Value value : a.numbers) out.numbers.insert(event::wrap(value, width));
    return out;
  }

  const event::ProgramGraph& graph_;
  const event::ExprPool& pool_;
  const std::set<Expr>& comparisons_;
  std::vector<Content> cells_;
  std::vector<Content> contents_;  // by expression
};

/// Asks about every expression that engines, or the user, look at.
class Uses {
 public:
  Uses(const event::ProgramGraph& graph, const std::set<Expr>& comparisons)
      : graph_(graph), contents_(graph, comparisons) {}

  std::optional<Position> find() {
    for (const Event& e : graph_.events) of_event(e);
    for (const event::Decision& d : graph_.decisions) ask(d.condition, {});
    for (const Expr e : graph_.assumptions) ask(e, {});
    for (const event::Misuse& misuse : graph_.misuses) ask(misuse.guard, misuse.position);
    for (const event::Hang& hang : graph_.hangs) ask(hang.guard, hang.position);
    ask(graph_.proposition, {});
    ask(graph_.filter, {});
    for (const event::Observable& seen : graph_.observables) {
      ask(seen.value, {});
      if (!found_ && contents_.of(seen.value).range != Range::inside) found_ = Position{};
    }
    return found_;
  }

 private:
  void ask(Expr e, Position position) {
    if (!found_ && contents_.of(e).depends) found_ = position;
  }
  void ask(const std::optional<Expr>& e, Position position) {
    if (e) ask(*e, position);
  }
  void of_event(const Event& e) {
    ask(e.guard, e.position);
    if (e.barrier) {
      ask(e.barrier->id, e.position);
      ask(e.barrier->count, e.position);
    }
    if (!e.mbarrier) return;
    const event::Mbarrier& m = *e.mbarrier;
    for (const auto& operand : {m.count, m.tx, m.token, m.parity, m.seen}) ask(operand, e.position);
  }

  const event::ProgramGraph& graph_;
  Contents contents_;
  std::optional<Position> found_;
};

}  // namespace

std::optional<Position> use_of_places(const event::ProgramGraph& graph, const std::set<Expr>& comparisons) {
  const auto& terms = graph.exprs.terms();
  if (std::none_of(terms.begin(), terms.end(), [](const event::Term& term) { return term.is_place; }))
    return std::nullopt;
  return Uses(graph, comparisons).find();
}

}  // namespace ptxmc::lower
