// SPDX-License-Identifier: Apache-2.0
// Constant folding of a model.
//
// A model speaks of proxies, asynchronous operations, barriers, accesses of several sizes; most programs have
// few of them. Which base sets are empty, or hold all events, and which base relations are empty, or equal
// others, is known before anything is chosen, and what follows from it is the same for all programs of that
// kind: empty;r = empty, all*all & r = r, [all];r = r, and a `let rec` group without recursion is none. The
// tree that is left for a program of plain loads and stores is about as small as if the rest of the manual
// did not exist, and every later pass over it (bounds, schedules, explanations) costs accordingly.
//
// Folding may only lose what changes no answer. A relation that is enumerated decides, by having no value,
// that a path has no execution; if folding loses one that may have pairs, the model is not specialised.
// Cost: two or three walks of the tree for each kind of program, then a comparison of base values a query.
#include "axiomatic/engine/specialise.h"

#include <algorithm>
#include <set>
#include <utility>

#include "model/cat/walk.h"
#include "support/overloaded.h"

namespace ptxmc::engine {

namespace {

using namespace relation;  // NOLINT: the node types of the tree

class Folder {
 public:
  Folder(const MemoryModel& model, const Facts& facts)
      : model_(model),
        tree_(model.tree),
        facts_(facts),
        plain_(tree_.groups().size()),
        folding_(tree_.groups().size()) {}

  MemoryModel run(std::optional<std::size_t> flag) {
    do {
      restart_ = false;
      attempt(flag);
    } while (restart_);
    return std::move(out_);
  }

 private:
  void attempt(std::optional<std::size_t> flag) {
    out_ = MemoryModel{};
    out_.name = model_.name;
    out_.source = model_.source;
    sets_.assign(tree_.sets().size(), std::nullopt);
    relations_.assign(tree_.relations().size(), std::nullopt);
    groups_.assign(tree_.groups().size(), std::nullopt);
    for (const OrderDeclaration& order : model_.orders) {
      out_.orders.push_back(order);
      out_.orders.back().over = fold(order.over);
    }
    out_.coherence = fold(model_.coherence);
    for (const Constraint& axiom : model_.axioms) out_.axioms.push_back(fold(axiom));
    if (flag) out_.flags.push_back(fold(model_.flags.at(*flag)));
  }

  Constraint fold(const Constraint& constraint) {
    Constraint folded = constraint;
    std::visit([&](auto expression) { folded.expression = fold(expression); }, constraint.expression);
    return folded;
  }

  Set fold(Set s) {
    if (!sets_[s.index]) sets_[s.index] = fold_node(tree_.node(s));
    return *sets_[s.index];
  }
  Rel fold(Rel r) {
    if (!relations_[r.index]) relations_[r.index] = fold_node(tree_.node(r));
    return *relations_[r.index];
  }

  // Left operand first: nodes keep the order of their numbers, which no compiler then chooses. What explains
  // a conflict looks at operands in that order.
  Set fold_node(const SetNode& node) {
    Tree& tree = out_.tree;
    return std::visit(Overloaded{[&](const BaseSet& n) { return base_set(n.base); },
                                 [&](const EmptySet&) { return tree.empty_set(); },
                                 [&](const Universe&) { return tree.universe(); },
                                 [&](const SetUnion& n) {
                                   const auto a = fold(n.a);
                                   return tree.unite(a, fold(n.b));
                                 },
                                 [&](const SetIntersection& n) {
                                   const auto a = fold(n.a);
                                   return tree.intersect(a, fold(n.b));
                                 },
                                 [&](const SetDifference& n) {
                                   const auto a = fold(n.a);
                                   return tree.subtract(a, fold(n.b));
                                 },
                                 [&](const Domain& n) { return tree.domain(fold(n.r)); },
                                 [&](const Range& n) { return tree.range(fold(n.r)); }},
                      node);
  }

  Rel fold_node(const RelNode& node) {
    Tree& tree = out_.tree;
    return std::visit(Overloaded{[&](const BaseRel& n) { return base_relation(n.base); },
                                 [&](const EmptyRel&) { return tree.empty_relation(); },
                                 [&](const Identity&) { return tree.identity(); },
                                 [&](const Restrict& n) { return tree.restrict_to(fold(n.s)); },
                                 [&](const Product& n) {
                                   const auto a = fold(n.a);
                                   return tree.product(a, fold(n.b));
                                 },
                                 [&](const Union& n) {
                                   const auto a = fold(n.a);
                                   return unite(a, fold(n.b));
                                 },
                                 [&](const Intersection& n) {
                                   const auto a = fold(n.a);
                                   return intersect(a, fold(n.b));
                                 },
                                 [&](const Difference& n) {
                                   const auto a = fold(n.a);
                                   return subtract(a, fold(n.b));
                                 },
                                 [&](const Sequence& n) {
                                   const auto a = fold(n.a);
                                   return tree.sequence(a, fold(n.b));
                                 },
                                 [&](const Inverse& n) { return tree.inverse(fold(n.a)); },
                                 [&](const Closure& n) { return tree.closure(fold(n.a)); },
                                 [&](const OrderChoice& n) { return order_choice(n.order); },
                                 [&](const FromReads& n) { return tree.from_reads(fold(n.co)); },
                                 [&](const Variable& n) { return variable(n); }},
                      node);
  }

  Set base_set(std::uint32_t base) {
    switch (facts_.sets[base]) {
      case Facts::Members::none:
        return out_.tree.empty_set();
      case Facts::Members::all:
        return out_.tree.universe();
      case Facts::Members::unknown:
        break;
    }
    return out_.tree.base_set(base);
  }

  Rel base_relation(std::uint32_t base) {
    const std::uint32_t same = facts_.relations[base];
    return same == Facts::kEmpty ? out_.tree.empty_relation() : out_.tree.base_relation(same);
  }

  // Orders come first, and none ranges over what is chosen.
  Rel order_choice(std::uint32_t order) {
    return is_empty(out_.orders[order].over) ? out_.tree.empty_relation() : out_.tree.order_choice(order);
  }

  bool is_empty(Rel r) const { return std::holds_alternative<EmptyRel>(out_.tree.node(r)); }
  bool is_everything(Rel r) const {
    const auto* product = std::get_if<Product>(&out_.tree.node(r));
    return product != nullptr && std::holds_alternative<Universe>(out_.tree.node(product->a)) &&
           std::holds_alternative<Universe>(out_.tree.node(product->b));
  }
  /// Whether `whole` is an intersection of `part` with others.
  bool has_conjunct(Rel whole, Rel part) const {
    if (whole == part) return true;
    const auto* both = std::get_if<Intersection>(&out_.tree.node(whole));
    return both != nullptr && (has_conjunct(both->a, part) || has_conjunct(both->b, part));
  }

  Rel unite(Rel a, Rel b) {
    if (is_everything(a) || has_conjunct(b, a)) return a;
    if (is_everything(b) || has_conjunct(a, b)) return b;
    return out_.tree.unite(a, b);
  }
  Rel intersect(Rel a, Rel b) {
    if (is_everything(a) || has_conjunct(b, a)) return b;
    if (is_everything(b) || has_conjunct(a, b)) return a;
    return out_.tree.intersect(a, b);
  }
  Rel subtract(Rel a, Rel b) {
    if (is_everything(b) || has_conjunct(a, b)) return out_.tree.empty_relation();
    return out_.tree.subtract(a, b);
  }

  // A group whose folded bodies do not mention it is not recursive: from the next attempt on its bodies stand
  // for its variables. While such a body is folded, its own variables are empty, for it has one value
  // whatever they are; what was folded so is forgotten.
  Rel variable(const Variable& n) {
    if (plain_[n.group]) {
      if (folding_[n.group]) return out_.tree.empty_relation();
      folding_[n.group] = true;
      const Rel body = fold(tree_.groups()[n.group].bodies[n.member]);
      folding_[n.group] = false;
      forget(n.group);
      return body;
    }
    if (!groups_[n.group]) fold_group(n.group);
    return out_.tree.groups()[*groups_[n.group]].variables[n.member];
  }

  void forget(std::uint32_t group) {
    cat::Below above{std::vector<bool>(sets_.size()), std::vector<bool>(relations_.size())};
    for (const Rel variable : tree_.groups()[group].variables) above.relations[variable.index] = true;
    cat::mark_above(tree_, above);
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (above.sets[i]) sets_[i].reset();
    }
    for (std::size_t i = 0; i < relations_.size(); ++i) {
      if (above.relations[i]) relations_[i].reset();
    }
  }

  void fold_group(std::uint32_t group) {
    const std::vector<Rel>& bodies = tree_.groups()[group].bodies;
    const std::uint32_t folded = out_.tree.open_group(bodies.size());
    groups_[group] = folded;
    std::vector<Rel> folded_bodies;
    folded_bodies.reserve(bodies.size());
    for (const Rel body : bodies) folded_bodies.push_back(fold(body));
    const bool recursive = std::any_of(folded_bodies.begin(), folded_bodies.end(), [&](Rel body) {
      return cat::depends_on_group(out_.tree, body, folded);
    });
    out_.tree.set_bodies(folded, std::move(folded_bodies));
    if (!recursive) plain_[group] = restart_ = true;
  }

  const MemoryModel& model_;
  const Tree& tree_;
  const Facts& facts_;
  std::vector<bool> plain_;    // groups that turned out not to be recursive
  std::vector<bool> folding_;  // plain groups whose bodies are being folded
  bool restart_ = false;
  MemoryModel out_;
  std::vector<std::optional<Set>> sets_;  // by node of the whole tree
  std::vector<std::optional<Rel>> relations_;
  std::vector<std::optional<std::uint32_t>> groups_;
};

/// The enumerated base relations that a query about the model, and that flag of it, depends on.
std::set<std::uint32_t> enumerated_bases(const MemoryModel& model, const Signature& signature,
                                         std::optional<std::size_t> flag) {
  std::vector<cat::SetOrRel> roots{model.coherence};
  for (const OrderDeclaration& order : model.orders) roots.emplace_back(order.over);
  for (const Constraint& axiom : model.axioms) roots.push_back(axiom.expression);
  if (flag) roots.push_back(model.flags.at(*flag).expression);
  const cat::Below below = cat::nodes_below(model.tree, roots);
  std::set<std::uint32_t> found;
  for (std::size_t i = 0; i < below.relations.size(); ++i) {
    const auto* base = std::get_if<BaseRel>(&model.tree.relations()[i]);
    if (base == nullptr || !below.relations[i]) continue;
    if (signature[base->base].provider == Provider::enumerated) found.insert(base->base);
  }
  return found;
}

}  // namespace

Facts facts_of(const Query& query) {
  const std::size_t rows = query.signature.rows().size();
  Facts facts{std::vector<Facts::Members>(rows, Facts::Members::unknown), {}};
  for (std::uint32_t base = 0; base < rows; ++base) facts.relations.push_back(base);
  for (const SetNode& node : query.model.tree.sets()) {
    const auto* base = std::get_if<BaseSet>(&node);
    if (base == nullptr) continue;
    const std::size_t members = query.base.sets[base->base].count();
    if (members == 0) facts.sets[base->base] = Facts::Members::none;
    if (members == query.graph.size()) facts.sets[base->base] = Facts::Members::all;
  }
  std::vector<std::uint32_t> distinct;
  for (const RelNode& node : query.model.tree.relations()) {
    const auto* base = std::get_if<BaseRel>(&node);
    if (base == nullptr) continue;
    std::uint32_t& fact = facts.relations[base->base];
    switch (query.signature[base->base].provider) {
      case Provider::reads_from:
        break;
      case Provider::enumerated:
        if (!event::may_have_pairs(query.graph, base->base)) fact = Facts::kEmpty;
        break;
      case Provider::fixed: {
        const BitMatrix& value = query.base.relations[base->base];
        const auto same = std::find_if(distinct.begin(), distinct.end(), [&](std::uint32_t other) {
          return query.base.relations[other] == value;
        });
        if (value.empty()) {
          fact = Facts::kEmpty;
        } else if (same != distinct.end()) {
          fact = *same;
        } else {
          distinct.push_back(base->base);
        }
        break;
      }
    }
  }
  return facts;
}

relation::MemoryModel specialise(const MemoryModel& model, const Facts& facts,
                                 std::optional<std::size_t> flag) {
  return Folder(model, facts).run(flag);
}

std::optional<Special> special(const MemoryModel& model, const Signature& signature, const Facts& facts,
                               std::optional<std::size_t> flag) {
  Special out{specialise(model, facts, flag), {}};
  const auto own_flag = flag ? std::optional<std::size_t>(0) : std::nullopt;
  const std::set<std::uint32_t> kept = enumerated_bases(out.model, signature, own_flag);
  for (const std::uint32_t base : enumerated_bases(model, signature, flag)) {
    if (kept.contains(base)) continue;
    if (facts.relations[base] != Facts::kEmpty) return std::nullopt;
    out.dropped.push_back(base);
  }
  return out;
}

const Special* Specialiser::find(const Query& query) const {
  std::optional<std::size_t> flag;
  if (query.ask == Ask::flag) flag = query.flag;
  Key key{facts_of(query), flag};
  const std::scoped_lock lock(mutex_);
  auto known = known_.find(key);
  if (known == known_.end())
    known = known_.emplace(key, special(model_, query.signature, key.first, flag)).first;
  return known->second ? &*known->second : nullptr;
}

void Specialiser::add_enumerated(const Query& query, const Special& special, Result& result) {
  for (State& state : result.states) {
    if (state.witness.exists.size() == 0) continue;  // without witness
    for (const std::uint32_t base : special.dropped)
      state.witness.enumerated[base] = BitMatrix(query.graph.size());
  }
}

}  // namespace ptxmc::engine
