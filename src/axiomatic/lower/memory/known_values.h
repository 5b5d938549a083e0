// SPDX-License-Identifier: Apache-2.0
// What is known of a value without running anything: which of its bits are fixed, or the few numbers that it may be.
//
// An abstract interpretation of expressions (axiomatic/event/expr.h): what the atoms may be is given, and all else follows from
// the operators. Bits see that `2 << 32 | x` has a 2 above and that `b * 1024` is a multiple of 1024, whatever x and b
// are; sets see what comes of few numbers. Nothing: no value at all, as no execution comes there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "axiomatic/event/expr.h"

namespace ptxmc::lower {

struct Known {
  std::uint64_t zeros = 0, ones = 0;             ///< bits that are known to be so
  std::optional<std::set<event::Value>> values;  ///< it is one of these; nothing: they are many
  friend bool operator==(const Known&, const Known&) = default;

  static Known anything() { return {}; }
  static Known nothing() { return {0, 0, std::set<event::Value>{}}; }
  static Known of(std::set<event::Value> values, event::Width width);
  bool is_nothing() const { return values && values->empty(); }
  bool may_be(event::Value value) const;
};

/// What is known of an atom of which nothing else is known: a variable lies at a multiple of its alignment.
Known known_of_atom(const event::ExprPool& pool, const event::Node& atom);
/// One or the other, of one width.
Known joined(const Known& a, const Known& b, event::Width width);

class KnownValues {
 public:
  /// `atoms`: of nodes without operands that are no constants.
  using Atoms = std::function<Known(const event::Node&)>;
  KnownValues(const event::ExprPool& pool, Atoms atoms) : pool_(pool), atoms_(std::move(atoms)) {}

  /// An expression that nothing was asked of yet is taken to be that.
  void suppose(event::Expr e, Known known) { memo_.insert_or_assign(e.index, std::move(known)); }
  const Known& of(event::Expr e);
  void forget() { memo_.clear(); }

 private:
  Known compute(const event::Node& node) const;
  Known choice(const event::Node& node) const;
  std::optional<Known> pointwise(const event::Node& node, const std::vector<const Known*>& operands) const;
  const Known& known(event::Expr e) const { return memo_.at(e.index); }

  const event::ExprPool& pool_;
  Atoms atoms_;
  std::unordered_map<std::uint32_t, Known> memo_;
};

}  // namespace ptxmc::lower
