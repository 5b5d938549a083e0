// SPDX-License-Identifier: Apache-2.0
// Circuit: hash-consed Boolean gates. The encoder builds these; cnf.h turns what the axioms reach into
// clauses.
#pragma once

#include <compare>
#include <cstdint>
#include <exception>
#include <span>
#include <unordered_map>
#include <vector>

namespace ptxmc::engine::smt {

/// A node of the circuit or its negation: 2 * node + sign. Node 0 is the constant true.
struct Lit {
  std::uint32_t code = 0;
  std::uint32_t node() const { return code >> 1; }
  bool negative() const { return (code & 1) != 0; }
  Lit operator!() const { return Lit{code ^ 1}; }
  friend auto operator<=>(const Lit&, const Lit&) = default;
};
constexpr Lit kTrue{0};
constexpr Lit kFalse{1};

/// The encoding outgrew its bound.
class TooLarge : public std::exception {};
/// About 4 GB in all.
constexpr std::size_t kMostLiterals = std::size_t{1} << 26;

/// Nodes are the constant, inputs (no children) and conjunctions of two or more literals of earlier nodes;
/// negation is on the edges. Equal gates are one node, so comparing literals compares functions up to this
/// normal form.
class Circuit {
 public:
  /// `most`: literals that the encoding may have.
  explicit Circuit(std::size_t most = kMostLiterals);

  Lit input();
  Lit conjunction(std::vector<Lit> parts);
  Lit conjunction(Lit a, Lit b) { return conjunction(std::vector<Lit>{a, b}); }
  Lit disjunction(std::vector<Lit> parts);
  Lit disjunction(Lit a, Lit b) { return !conjunction(!a, !b); }
  Lit choose(Lit condition, Lit then, Lit otherwise);  ///< condition ? then : otherwise
  Lit exclusive(Lit a, Lit b);                         ///< a xor b

  std::size_t nodes() const { return first_.size() - 1; }
  bool is_input(std::uint32_t node) const { return node != 0 && first_[node] == first_[node + 1]; }
  bool is_gate(std::uint32_t node) const { return first_[node] != first_[node + 1]; }
  std::span<const Lit> children(std::uint32_t node) const {
    return {children_.data() + first_[node], children_.data() + first_[node + 1]};
  }

  /// Counts what else the encoding holds, in literals. Throws TooLarge.
  void charge(std::size_t literals) {
    if (literals > left_) throw TooLarge();
    left_ -= literals;
  }

  /// `root` with the given inputs replaced by false (inputs are nodes; sorted ascending).
  Lit without(Lit root, const std::vector<std::uint32_t>& inputs);

 private:
  std::uint32_t add_node(std::span<const Lit> children);
  std::vector<std::uint32_t> first_;  // children of node i: children_[first_[i] .. first_[i+1])
  std::vector<Lit> children_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> gates_;
  std::size_t left_;  // literals
};

/// Values of all nodes under an assignment of the inputs; gates are evaluated on demand and remembered.
class Valuation {
 public:
  /// inputs[node] for input nodes; nodes beyond its size are false.
  Valuation(const Circuit& circuit, std::vector<char> inputs) : circuit_(circuit), value_(std::move(inputs)) {
    mark_inputs();
  }
  bool operator()(Lit lit) { return node(lit.node()) != lit.negative(); }
  /// Overrides an input and forgets the gates (the stratified evaluation of fixed points uses it).
  void set_inputs(const std::vector<std::uint32_t>& nodes, bool value);

 private:
  void mark_inputs();
  bool node(std::uint32_t node);
  bool settled(std::uint32_t node);
  const Circuit& circuit_;
  std::vector<char> value_;  // 0, 1, or 2: not evaluated yet
  std::vector<std::uint32_t> pending_;
};

}  // namespace ptxmc::engine::smt
