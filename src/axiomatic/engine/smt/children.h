// SPDX-License-Identifier: Apache-2.0
// Children of tree nodes: one visitor for each analysis that only walks.
#pragma once

#include "model/relation/memory_model.h"
#include "support/overloaded.h"

namespace ptxmc::engine::smt {

/// Calls on_set / on_rel for each operand.
template <typename OnSet, typename OnRel>
void for_each_child(const relation::SetNode& node, OnSet&& on_set, OnRel&& on_rel) {
  const auto both = [&](const auto& n) {
    on_set(n.a);
    on_set(n.b);
  };
  std::visit(Overloaded{
                 [](const relation::BaseSet&) {},
                 [](const relation::EmptySet&) {},
                 [](const relation::Universe&) {},
                 [&](const relation::SetUnion& n) { both(n); },
                 [&](const relation::SetIntersection& n) { both(n); },
                 [&](const relation::SetDifference& n) { both(n); },
                 [&](const relation::Domain& n) { on_rel(n.r); },
                 [&](const relation::Range& n) { on_rel(n.r); },
             },
             node);
}

/// The same for relations. An order's choice has the relation it is declared over as its operand; a variable
/// has none.
template <typename OnSet, typename OnRel>
void for_each_child(const relation::MemoryModel& model, const relation::RelNode& node, OnSet&& on_set,
                    OnRel&& on_rel) {
  const auto both = [&](const auto& n) {
    on_rel(n.a);
    on_rel(n.b);
  };
  std::visit(Overloaded{
                 [](const relation::BaseRel&) {},
                 [](const relation::EmptyRel&) {},
                 [](const relation::Identity&) {},
                 [](const relation::Variable&) {},
                 [&](const relation::Restrict& n) { on_set(n.s); },
                 [&](const relation::Product& n) {
                   on_set(n.a);
                   on_set(n.b);
                 },
                 [&](const relation::Union& n) { both(n); },
                 [&](const relation::Intersection& n) { both(n); },
                 [&](const relation::Difference& n) { both(n); },
                 [&](const relation::Sequence& n) { both(n); },
                 [&](const relation::Inverse& n) { on_rel(n.a); },
                 [&](const relation::Closure& n) { on_rel(n.a); },
                 [&](const relation::FromReads& n) { on_rel(n.co); },
                 [&](const relation::OrderChoice& n) { on_rel(model.orders[n.order].over); },
             },
             node);
}

}  // namespace ptxmc::engine::smt
