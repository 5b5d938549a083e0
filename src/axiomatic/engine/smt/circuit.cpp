// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/smt/circuit.h"

#include <algorithm>
#include <map>

#include "support/check.h"

namespace ptxmc::engine::smt {

namespace {

constexpr char kUnknown = 2;

std::uint64_t hash_of(std::span<const Lit> lits) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (const Lit lit : lits) hash = (hash ^ lit.code) * 0xff51afd7ed558ccdULL + (hash >> 29);
  return hash;
}

}  // namespace

Circuit::Circuit(std::size_t most) : first_{0, 0}, left_(most) {}  // node 0: the constant

std::uint32_t Circuit::add_node(std::span<const Lit> children) {
  charge(children.size() + 1);
  const auto node = static_cast<std::uint32_t>(nodes());
  children_.insert(children_.end(), children.begin(), children.end());
  first_.push_back(static_cast<std::uint32_t>(children_.size()));
  return node;
}

Lit Circuit::input() {
  return Lit{2 * add_node({})};
}

Lit Circuit::conjunction(std::vector<Lit> parts) {
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (!parts.empty() && parts.front() == kTrue) parts.erase(parts.begin());
  if (parts.empty()) return kTrue;
  if (parts.front() == kFalse) return kFalse;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {  // a literal and its negation are neighbours
    if (parts[i].node() == parts[i + 1].node()) return kFalse;
  }
  if (parts.size() == 1) return parts.front();
  const std::uint64_t hash = hash_of(parts);
  const auto [begin, end] = gates_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const auto existing = children(it->second);
    if (std::equal(existing.begin(), existing.end(), parts.begin(), parts.end())) return Lit{2 * it->second};
  }
  const std::uint32_t node = add_node(parts);
  gates_.emplace(hash, node);
  return Lit{2 * node};
}

Lit Circuit::disjunction(std::vector<Lit> parts) {
  for (Lit& part : parts) part = !part;
  return !conjunction(std::move(parts));
}

Lit Circuit::choose(Lit condition, Lit then, Lit otherwise) {
  if (condition == kTrue || then == otherwise) return then;
  if (condition == kFalse) return otherwise;
  return disjunction(conjunction(condition, then), conjunction(!condition, otherwise));
}

Lit Circuit::exclusive(Lit a, Lit b) {
  if (a == kFalse) return b;
  if (b == kFalse) return a;
  if (a == kTrue) return !b;
  if (b == kTrue) return !a;
  if (a == b) return kFalse;
  if (a == !b) return kTrue;
  return disjunction(conjunction(a, !b), conjunction(!a, b));
}

// Children have smaller numbers than their gate, so that ascending order is bottom-up.
Lit Circuit::without(Lit root, const std::vector<std::uint32_t>& inputs) {
  std::map<std::uint32_t, Lit> rebuilt;
  std::vector<std::uint32_t> open{root.node()};
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    if (!rebuilt.emplace(node, Lit{2 * node}).second) continue;
    for (const Lit child : children(node)) open.push_back(child.node());
  }
  for (auto& [node, lit] : rebuilt) {
    if (std::binary_search(inputs.begin(), inputs.end(), node)) lit = kFalse;
    if (lit == kFalse || !is_gate(node)) continue;
    std::vector<Lit> parts(children(node).begin(), children(node).end());
    for (Lit& part : parts) part = part.negative() ? !rebuilt.at(part.node()) : rebuilt.at(part.node());
    lit = conjunction(std::move(parts));
  }
  const Lit result = rebuilt.at(root.node());
  return root.negative() ? !result : result;
}

void Valuation::mark_inputs() {
  value_.resize(circuit_.nodes(), 0);
  for (std::uint32_t node = 1; node < value_.size(); ++node) {
    if (circuit_.is_gate(node)) value_[node] = kUnknown;
  }
  value_[0] = 1;
}

void Valuation::set_inputs(const std::vector<std::uint32_t>& nodes, bool value) {
  for (const std::uint32_t node : nodes) {
    PTXMC_CHECK(circuit_.is_input(node), "only inputs can be set");
    value_.resize(std::max<std::size_t>(value_.size(), circuit_.nodes()), 0);
    value_[node] = value ? 1 : 0;
  }
  mark_inputs();
}

bool Valuation::node(std::uint32_t node) {
  if (node >= value_.size()) {  // created after the valuation
    const std::size_t old = value_.size();
    value_.resize(circuit_.nodes(), 0);
    for (std::size_t i = old; i < value_.size(); ++i) {
      if (circuit_.is_gate(static_cast<std::uint32_t>(i))) value_[i] = kUnknown;
    }
  }
  pending_.push_back(node);
  while (!pending_.empty()) {
    if (settled(pending_.back())) pending_.pop_back();
  }
  return value_[node] != 0;
}

// False: a child has to be evaluated first, and is pending.
bool Valuation::settled(std::uint32_t node) {
  if (value_[node] != kUnknown) return true;
  for (const Lit child : circuit_.children(node)) {
    if (value_[child.node()] == kUnknown) {
      pending_.push_back(child.node());
      return false;
    }
    if ((value_[child.node()] != 0) == child.negative()) {
      value_[node] = 0;
      return true;
    }
  }
  value_[node] = 1;
  return true;
}

}  // namespace ptxmc::engine::smt
