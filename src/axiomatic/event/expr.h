// SPDX-License-Identifier: Apache-2.0
// Values of a program as a hash-consed DAG of fixed-width integer expressions over what reads return.
//
// A node has a width in bits: 1 (truth values), 8, 16, 32, 64; or kUnbounded, where integers are mathematical
// and an operation that leaves the signed 64-bit range throws Overflow (the answer becomes Unknown, never
// wrong). A value is stored zero-extended to 64 bits, as the two's complement pattern of its width (so a
// 32-bit -1 is 0xffffffff); unbounded values are plain signed. Builders fold constants and identities (x-x,
// x^x, x*0, x+0, ite of equal branches ...): dependencies (D13) are what is left after folding.
//
// What is not known is a term: a constant symbol (Op::term: an unknown initial value, the place of a
// variable), or an uninterpreted function of known operands (Op::opaque: a matrix product, a quotient by zero).
// Equal operands give equal terms; nothing else is known of them. A Valuation (valuation.h) gives them numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ptxmc::event {

using Value = std::int64_t;
using EventId = std::uint32_t;
constexpr EventId kNoEvent = ~EventId{0};

struct Expr {
  std::uint32_t index = 0;
  friend auto operator<=>(const Expr&, const Expr&) = default;
};

using Width = std::uint8_t;
constexpr Width kUnbounded = 0;

enum class Op : std::uint8_t {
  constant,  // Node::constant
  value_of,  // the value that event Node::atom reads in its part Node::constant (0: its first cell), or, for
             // an initial write with choices, writes
  final_value,  // the final value of memory cell Node::atom
  term,         // an unknown constant: ExprPool::terms()[Node::atom]
  // arithmetic: operands and result have the node's width
  add,
  sub,
  mul,
  mulhi_s,
  mulhi_u,
  div_s,
  div_u,
  rem_s,
  rem_u,
  min_s,
  min_u,
  max_s,
  max_u,
  neg,
  abs,
  and_,
  or_,
  xor_,
  not_,
  shl,
  shr_s,
  shr_u,
  // comparisons: width 1; operands have one width
  eq,
  ne,
  lt_s,
  lt_u,
  le_s,
  le_u,
  // a ? b : c, a of width 1
  ite,
  // width changes: from the operand's width to the node's
  sign_extend,
  zero_extend,
  truncate,
  // an unknown function of two operands of any widths: ExprPool::functions()[Node::constant]
  opaque,
};

struct Node {
  Op op = Op::constant;
  Width width = 64;
  Value constant = 0;
  std::uint32_t atom = 0;
  Expr a, b, c;  // operands; unused ones are index 0
  friend auto operator<=>(const Node&, const Node&) = default;
};

/// An unknown constant, and what is known of it.
struct Term {
  std::string name;  // as states print it: "x_init", "x"
  Width width = 64;
  Value sample = 0;  // a number that it may have
  // The place of a variable: a multiple of `alignment`, not below `least`, with `size` bytes that end at `limit`
  // or before (0: where addresses of that width end). Places of one window do not overlap, unless they are
  // names of one memory; of different windows nothing is known.
  bool is_place = false;
  Value alignment = 1;
  Value size = 0;
  Value least = 0;
  Value limit = 0;
  std::uint32_t window = 0, memory = 0;
  Value stride = 0;                   // bytes of an element of an array; 0: no array
  std::vector<std::string> elements;  // their names
  std::uint64_t line = 0;             // where the variable is declared; 0: nowhere
};

/// The bytes of two places are known not to overlap.
inline bool apart(const Term& a, const Term& b) {
  return a.is_place && b.is_place && a.window == b.window && a.memory != b.memory;
}

/// Result of arithmetic that unbounded integers cannot hold here.
class Overflow : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Number of operands of op.
int arity(Op op);
/// Binary operations whose operands may change places.
bool commutative(Op op);
/// op applied to concrete operands; `operand_width` is the width of a (comparisons, width changes). Division
/// by zero yields all ones (quotient) and the dividend (remainder): programs never see it, as their quotients
/// by zero are terms (9.7.1.8). A shift beyond the width yields what PTX clamps it to.
Value apply(Op op, Width width, Width operand_width, Value a, Value b = 0, Value c = 0);
/// Truncates a pattern to width.
Value wrap(Value value, Width width);
/// The pattern read as a signed number of that width.
Value as_signed(Value value, Width width);

struct Valuation;

class ExprPool {
 public:
  ExprPool();
  /// An empty pool with the terms and functions of another.
  static ExprPool with_names_of(const ExprPool& other);
  Expr constant(Value value, Width width);
  Expr truth(bool value) { return constant(value ? 1 : 0, 1); }
  Expr value_of(EventId event, Width width, std::uint32_t part = 0);
  Expr final_value(std::uint32_t cell, Width width);
  Expr make(Op op, Width width, Expr a, Expr b = {}, Expr c = {});  ///< folds; op is not opaque
  Expr new_term(Term term);
  void set_sample(std::uint32_t id, Value sample) { terms_.at(id).sample = sample; }
  Expr term(std::uint32_t id);
  /// The term, where some expression has it.
  std::optional<Expr> find_term(std::uint32_t id) const;
  Expr opaque(std::string_view function, Width width, Expr a, Expr b = {});
  Expr opaque(Value function, Width width, Expr a, Expr b);
  /// `node`, of this pool or one with the same names, with other operands.
  Expr rebuild(const Node& node, Expr a, Expr b, Expr c) {
    return node.op == Op::opaque ? opaque(node.constant, node.width, a, b)
                                 : make(node.op, node.width, a, b, c);
  }
  // Shorthands on truth values
  Expr conjunction(Expr a, Expr b) { return make(Op::and_, 1, a, b); }
  Expr disjunction(Expr a, Expr b) { return make(Op::or_, 1, a, b); }
  Expr negation(Expr a) { return make(Op::not_, 1, a); }

  const Node& operator[](Expr e) const { return nodes_[e.index]; }
  std::size_t size() const { return nodes_.size(); }
  const std::vector<Term>& terms() const { return terms_; }
  const std::vector<std::string>& functions() const { return functions_; }
  /// Some node is a term: values may be unknown.
  bool has_terms() const { return has_terms_; }
  bool is_constant(Expr e) const { return nodes_[e.index].op == Op::constant; }
  bool is_true(Expr e) const { return is_constant(e) && nodes_[e.index].constant != 0; }
  bool is_false(Expr e) const { return is_constant(e) && nodes_[e.index].constant == 0; }

  /// Event number i becomes to[i], in every atom: no expression changes its index.
  void rename_events(const std::vector<EventId>& to);

  /// The events whose value_of atoms e depends on, ascending.
  std::vector<EventId> atoms(Expr e) const;
  /// Value of e where `lookup` gives atoms (Node with op value_of or final_value) or nothing when not known
  /// yet. Three-valued: a known false conjunct, a known condition of ite ... decide without the rest.
  /// Memoised per call. Without a valuation terms are not known.
  std::optional<Value> evaluate(Expr e, const std::function<std::optional<Value>(const Node&)>& lookup,
                                const Valuation* valuation = nullptr) const;

 private:
  Expr add(const Node& node);
  std::vector<Term> terms_;
  std::vector<std::string> functions_;
  bool has_terms_ = false;
  std::vector<Node> nodes_;
  std::map<Node, std::uint32_t> ids_;
};

}  // namespace ptxmc::event
