// SPDX-License-Identifier: Apache-2.0
// From the tree to literals, top-down: an axiom asks for the pairs it forbids, a pair asks for the pairs it
// is made of. What bounds decide costs nothing, what no axiom reaches is never built.
#include "axiomatic/engine/smt/relations.h"

#include <algorithm>

#include "axiomatic/engine/smt/acyclic.h"
#include "axiomatic/engine/smt/children.h"
#include "axiomatic/engine/smt/paths.h"

namespace ptxmc::engine::smt {

using namespace relation;  // NOLINT: the node types of the tree
using event::EventId;

namespace {

constexpr Lit kUnset{~std::uint32_t{0}};

}  // namespace

Relations::Relations(const Query& query, const Bounds& bounds, const Reach& reach, const Guards& guards,
                     Program& program, Circuit& circuit, Cnf& cnf, const Deadline& deadline)
    : query_(query),
      tree_(query.model.tree),
      bounds_(bounds),
      reach_(reach),
      program_(program),
      guards_(guards),
      circuit_(circuit),
      cnf_(cnf),
      deadline_(deadline),
      fixed_points_(circuit, cnf),
      size_(query.graph.size()),
      pairs_(tree_.relations().size()),
      members_(tree_.sets().size()),
      columns_(tree_.relations().size()),
      skeletons_(tree_.relations().size()),
      paths_(tree_.relations().size()) {
  find_components();
}

Relations::~Relations() = default;

Lit Relations::pair(Rel r, EventId a, EventId b) {
  const RelBound& bound = bounds_.of(r);
  if (!bound.may.test(a, b)) return kFalse;
  if (bound.must.test(a, b)) return both(a, b);
  auto& memo = pairs_[r.index];
  if (memo.empty()) {
    circuit_.charge(size_ * size_);
    memo.assign(size_ * size_, kUnset);
  }
  const std::size_t at = a * size_ + b;
  if (memo[at] != kUnset) return memo[at];
  const Lit lit = recursion_.deeper([&] { return build(r, a, b); });
  pairs_[r.index][at] = lit;
  return lit;
}

Lit Relations::build(Rel r, EventId a, EventId b) {
  return std::visit(
      Overloaded{
          [&](const BaseRel& n) { return build_base(n.base, a, b); },
          [&](const EmptyRel&) { return kFalse; },
          [&](const Identity&) { return both(a, b); },
          [&](const Restrict& n) { return member(n.s, a); },
          [&](const Product& n) { return circuit_.conjunction(member(n.a, a), member(n.b, b)); },
          [&](const Union& n) { return circuit_.disjunction(pair(n.a, a, b), pair(n.b, a, b)); },
          [&](const Intersection& n) { return circuit_.conjunction(pair(n.a, a, b), pair(n.b, a, b)); },
          [&](const Difference& n) { return circuit_.conjunction(pair(n.a, a, b), !pair(n.b, a, b)); },
          [&](const Sequence& n) { return build_sequence(n, a, b); },
          [&](const Inverse& n) { return pair(n.a, b, a); },
          [&](const Closure& n) {
            auto& paths = paths_[r.index];
            if (!paths) paths = std::make_unique<Paths>(*this, n.a, r);
            return paths->pair(a, b);
          },
          [&](const OrderChoice& n) { return build_choice(n.order, a, b); },
          [&](const FromReads& n) { return build_from_reads(n.co, a, b); },
          [&](const Variable& n) { return build_variable(n, r, a, b); },
      },
      tree_.node(r));
}

Lit Relations::build_base(std::uint32_t base, EventId a, EventId b) {
  switch (query_.signature[base].provider) {
    case Provider::fixed:
      return both(a, b);
    case Provider::reads_from:
      return program_.reads_from(a, b);
    case Provider::enumerated:
      break;
  }
  std::vector<Lit> parts;
  for (const Alternative& alternative : program_.alternatives(base)) {
    if (alternative.value.test(a, b)) parts.push_back(alternative.chosen);
  }
  return circuit_.conjunction(both(a, b), circuit_.disjunction(std::move(parts)));
}

const BitMatrix& Relations::columns(Rel r) {
  BitMatrix& matrix = columns_[r.index];
  if (matrix.size() != size_) {
    matrix = BitMatrix(size_);
    matrix.assign_inverse(bounds_.of(r).may);
  }
  return matrix;
}

Lit Relations::build_sequence(const Sequence& node, EventId a, EventId b) {
  const relation::Word* row = bounds_.of(node.a).may.row(a);
  const relation::Word* column = columns(node.b).row(b);
  const std::size_t words = words_for(size_);
  std::vector<Lit> parts;
  for (std::size_t w = 0; w < words; ++w) {
    const relation::Word common = row[w] & column[w];
    for_each_bit(&common, 1, [&](std::size_t bit) {
      const auto middle = static_cast<EventId>(w * kWordBits + bit);
      const Lit first = pair(node.a, a, middle);
      if (first != kFalse) parts.push_back(circuit_.conjunction(first, pair(node.b, middle, b)));
    });
  }
  return circuit_.disjunction(std::move(parts));
}

Lit Relations::build_choice(std::uint32_t order, EventId a, EventId b) {
  const OrderDeclaration& declaration = query_.model.orders[order];
  const Lit active = circuit_.disjunction(pair(declaration.over, a, b), pair(declaration.over, b, a));
  const Program::Direction direction =
      program_.direction(order, std::min(a, b), std::max(a, b), declaration.partial);
  return circuit_.conjunction(active, a < b ? direction.forward : direction.backward);
}

Lit Relations::build_from_reads(Rel co, EventId r, EventId w) {
  const event::ProgramGraph& graph = query_.graph;
  std::vector<Lit> parts;
  for (std::size_t k = 0; k < graph.slots_of(r); ++k) {
    const event::CellId cell = graph.slot(graph.slot_of(r, k)).cell;
    if (!graph.covers(w, cell)) continue;
    for (EventId source = 0; source < size_; ++source) {
      const Lit from = program_.reads_from(source, r, cell);
      if (from != kFalse) parts.push_back(circuit_.conjunction(from, pair(co, source, w)));
    }
  }
  return circuit_.disjunction(std::move(parts));
}

Lit Relations::build_variable(const Variable& node, Rel r, EventId a, EventId b) {
  const Rel body = tree_.groups()[node.group].bodies[node.member];
  const FixedPoints::Key key{(std::uint64_t{r.index} << 32) | a, b};
  return fixed_points_.compute(key, component(r), exact(r), [&] { return pair(body, a, b); });
}

Lit Relations::member(Set s, EventId a) {
  const SetBound& bound = bounds_.of(s);
  if (!bound.may.test(a)) return kFalse;
  if (bound.must.test(a)) return program_.exists(a);
  auto& memo = members_[s.index];
  if (memo.empty()) memo.assign(size_, kUnset);
  if (memo[a] != kUnset) return memo[a];
  const Lit lit = build_member(tree_.node(s), a);
  members_[s.index][a] = lit;
  return lit;
}

Lit Relations::build_member(const SetNode& node, EventId a) {
  return std::visit(
      Overloaded{
          [&](const BaseSet&) { return program_.exists(a); },
          [&](const EmptySet&) { return kFalse; },
          [&](const Universe&) { return program_.exists(a); },
          [&](const SetUnion& n) { return circuit_.disjunction(member(n.a, a), member(n.b, a)); },
          [&](const SetIntersection& n) { return circuit_.conjunction(member(n.a, a), member(n.b, a)); },
          [&](const SetDifference& n) { return circuit_.conjunction(member(n.a, a), !member(n.b, a)); },
          [&](const Domain& n) {
            std::vector<Lit> parts;
            for (EventId b = 0; b < size_; ++b) parts.push_back(pair(n.r, a, b));
            return circuit_.disjunction(std::move(parts));
          },
          [&](const Range& n) {
            std::vector<Lit> parts;
            for (EventId b = 0; b < size_; ++b) parts.push_back(pair(n.r, b, a));
            return circuit_.disjunction(std::move(parts));
          },
      },
      node);
}

const Skeleton& Relations::skeleton(Rel r) {
  auto& skeleton = skeletons_[r.index];
  if (!skeleton) skeleton = std::make_unique<Skeleton>(bounds_, guards_, path_parts(tree_, r));
  return *skeleton;
}

Lit Relations::edge(const Skeleton& skeleton, EventId a, EventId b) {
  if (skeleton.demoted.test(a, b)) return both(a, b);
  std::vector<Lit> lits;
  for (const Rel part : skeleton.parts) lits.push_back(pair(part, a, b));
  return circuit_.disjunction(std::move(lits));
}

void Relations::assume_acyclic(Rel r) {
  acyclic_.push_back(path_parts(tree_, r));
}

// The acyclic relation must hold r's pairs literally: closures simplify under this assumption, so the clauses
// that enforce it may depend on r's own literals, which are built below the closure, but not on the
// closure's.
bool Relations::known_acyclic(Rel r) const {
  const std::vector<Rel> parts = path_parts(tree_, r);
  return std::any_of(acyclic_.begin(), acyclic_.end(), [&](const std::vector<Rel>& outer) {
    return std::all_of(parts.begin(), parts.end(), [&](Rel part) {
      return std::any_of(outer.begin(), outer.end(),
                         [&](Rel big) { return included(tree_, part, big, Through::literals); });
    });
  });
}

std::optional<Lit> Relations::decided_direction(Rel r, EventId a, EventId b) {
  const RelNode& node = tree_.node(r);
  if (const auto* n = std::get_if<OrderChoice>(&node)) {
    const OrderDeclaration& declaration = query_.model.orders[n->order];
    const BitMatrix& over = bounds_.of(declaration.over).must;
    if (declaration.partial || !(over.test(a, b) || over.test(b, a))) return std::nullopt;
    return pair(r, a, b);
  }
  if (const auto* n = std::get_if<Union>(&node)) {
    if (const auto lit = decided_direction(n->a, a, b)) return lit;
    return decided_direction(n->b, a, b);
  }
  if (const auto* n = std::get_if<Closure>(&node)) return decided_direction(n->a, a, b);
  if (const auto* n = std::get_if<Intersection>(&node)) {
    const auto always = [&](Rel x) { return bounds_.of(x).must.test(a, b) && bounds_.of(x).must.test(b, a); };
    if (always(n->b)) return decided_direction(n->a, a, b);
    if (always(n->a)) return decided_direction(n->b, a, b);
  }
  return std::nullopt;
}

void Relations::require_acyclic(Rel r) {
  encode_acyclic(*this, r);
}

// A closure is a component of its own unless it takes part in a `let rec` group: depends on a variable and is
// below a body. Numbers ascend with evaluation order.
void Relations::find_components() {
  const std::size_t n = tree_.relations().size();
  components_.resize(n);
  for (std::size_t i = 0; i < n; ++i) components_[i] = i;
  for (const RecGroup& group : tree_.groups()) {
    if (group.bodies.empty()) continue;
    std::size_t last = 0;
    std::size_t first = n;
    for (const Rel variable : group.variables) first = std::min<std::size_t>(first, variable.index);
    for (const Rel body : group.bodies) last = std::max<std::size_t>(last, body.index);
    // Every node built while the group was open; those that do not depend on it are none the worse for
    // company.
    for (std::size_t i = first; i <= std::max(first, last); ++i) components_[i] = std::max(first, last);
  }
}

}  // namespace ptxmc::engine::smt
