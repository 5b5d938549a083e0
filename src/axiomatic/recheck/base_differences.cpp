// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/recheck/base_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "axiomatic/event/guards.h"
#include "axiomatic/recheck/describe.h"
#include "axiomatic/recheck/naive_base.h"

namespace ptxmc::check {
namespace {

using event::EventId;
using event::Expr;
using event::ProgramGraph;
using V = const BaseView&;

constexpr std::size_t kMostLeaves = 12;

/// Truth of a guard where its leaves, comparisons, have these truths.
bool truth(const ProgramGraph& graph, Expr e, const std::vector<Expr>& leaves, std::uint32_t truths) {
  const auto leaf = std::lower_bound(leaves.begin(), leaves.end(), e);
  if (leaf != leaves.end() && *leaf == e) return (truths >> (leaf - leaves.begin())) & 1;
  const event::Node& node = graph.exprs[e];
  const auto part = [&](Expr x) { return truth(graph, x, leaves, truths); };
  switch (node.op) {
    case event::Op::and_:
      return part(node.a) && part(node.b);
    case event::Op::or_:
      return part(node.a) || part(node.b);
    case event::Op::xor_:
      return part(node.a) != part(node.b);
    case event::Op::not_:
      return !part(node.a);
    case event::Op::ite:
      return part(node.a) ? part(node.b) : part(node.c);
    default:
      return node.constant != 0;
  }
}

/// The parts of a conjunction, each with whether it is negated.
std::set<std::pair<Expr, bool>> parts(const ProgramGraph& graph, Expr guard) {
  std::set<std::pair<Expr, bool>> out;
  std::vector<Expr> open{guard};
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    const event::Node& node = graph.exprs[e];
    if (node.op == event::Op::and_) {
      open.push_back(node.a);
      open.push_back(node.b);
    } else {
      const bool negated = node.op == event::Op::not_;
      out.emplace(negated ? node.a : e, negated);
    }
  }
  return out;
}

/// One says what the other denies, or no truths of the comparisons in them make both true. Not all that
/// exclude each other are found: there may be too many truths to try.
bool exclude_each_other(const ProgramGraph& graph, Expr a, Expr b) {
  const auto claims = parts(graph, a);
  for (const auto& [part, negated] : parts(graph, b)) {
    if (claims.contains({part, !negated})) return true;
  }
  std::vector<Expr> all = event::leaves(graph.exprs, a);
  for (const Expr leaf : event::leaves(graph.exprs, b)) all.push_back(leaf);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() > kMostLeaves) return false;
  for (std::uint32_t truths = 0; truths >> all.size() == 0; ++truths) {
    if (truth(graph, a, all, truths) && truth(graph, b, all, truths)) return false;
  }
  return true;
}

std::optional<std::string> set_difference(V v, const relation::BaseRow& row, const relation::BitSet& set) {
  const NaiveMember member = naive_set(row.name);
  if (!member) return fmt::format("base set {} has no naive definition", row.name);
  for (EventId e = 0; e < v.graph.size(); ++e) {
    if (member(v, e) == set.test(e)) continue;
    return fmt::format("base set {}: the table {} {}, the definition does not agree", row.name,
                       set.test(e) ? "has" : "lacks", describe(v.graph, e));
  }
  return std::nullopt;
}

std::optional<std::string> relation_difference(V v, const relation::BaseRow& row,
                                               const relation::BitMatrix& matrix) {
  const NaiveRelated related = naive_relation(row.name);
  if (!related) return fmt::format("base relation {} has no naive definition", row.name);
  for (EventId a = 0; a < v.graph.size(); ++a) {
    for (EventId b = 0; b < v.graph.size(); ++b) {
      const bool in_table = matrix.test(a, b);
      if (related(v, a, b) == in_table) continue;
      if (row.name == "po" && !in_table && exclude_each_other(v.graph, v.at(a).guard, v.at(b).guard))
        continue;
      return fmt::format("base relation {}: the table {} {} and {}, the definition does not agree", row.name,
                         in_table ? "relates" : "does not relate", describe(v.graph, a),
                         describe(v.graph, b));
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> base_differences(const ProgramGraph& graph, const event::BaseValues& base,
                                          const relation::Signature& signature) {
  const BaseView view(graph);
  std::vector<std::string> out;
  for (std::uint32_t id = 0; id < signature.rows().size(); ++id) {
    const relation::BaseRow& row = signature[id];
    if (row.provider != relation::Provider::fixed) continue;
    const auto difference = row.sort == relation::Sort::set
                                ? set_difference(view, row, base.sets[id])
                                : relation_difference(view, row, base.relations[id]);
    if (difference) out.push_back(*difference);
  }
  return out;
}

}  // namespace ptxmc::check
