// SPDX-License-Identifier: Apache-2.0
// Addresses as expressions.
//
// Where a variable lies is not known, but for its alignment and that no two overlap. A program that only adds
// offsets to addresses, stores, loads and compares them and accesses what they name behaves alike in each
// layout: there an address is the number that the layout (layout.h) gives it. For others, addresses are terms
// (axiomatic/event/expr.h): `VariablePlaces` makes either, and finds the variable that an address names by its form, never by
// its number. place_uses.h tells which of the two a program needs.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "axiomatic/event/expr.h"
#include "axiomatic/lower/memory/layout.h"

namespace ptxmc::lower {

class VariablePlaces {
 public:
  /// `null_is_address`: a variable may lie at address 0 of global memory.
  VariablePlaces(const program::Program& program, const Layout& layout, bool symbolic, bool unbounded,
                 bool null_is_address);

  bool symbolic() const { return symbolic_; }
  /// The address of a variable, or of its instance in a CTA.
  event::Expr address(event::ExprPool& pool, const Layout::AddressUse& use, event::Width width);
  /// What a tcgen05.alloc writes: the address of columns that lie from `column` on in the layout (9.7.16.7.1).
  event::Expr allocation(event::ExprPool& pool, const TensorAllocation& allocated);
  /// The address that has this number in the layout.
  event::Expr at(event::ExprPool& pool, event::Value number, event::Width width);
  /// An address whose variable is known, or a number.
  bool is_fixed(const event::ExprPool& pool, event::Expr e) const { return number_of(pool, e).has_value(); }
  /// What an address names; nothing when that is no variable, or is not known.
  std::optional<Location> locate(const event::ExprPool& pool, event::Expr e) const;
  /// The number of a fixed address in the layout.
  std::optional<event::Value> number_of(const event::ExprPool& pool, event::Expr e) const;

 private:
  /// What a term is the address of: a variable, or columns of tensor memory.
  struct Use {
    std::optional<Layout::AddressUse> variable;
    event::Value number = 0;  // in the layout
  };
  event::Expr new_term(event::ExprPool& pool, event::Term term, Use use);
  static void lie_in_tensor_memory(event::Term& term, std::uint32_t cta, event::Value column,
                                   event::Value columns);
  event::Term term_of(const Layout::AddressUse& use) const;

  const Layout& layout_;
  bool symbolic_, unbounded_, null_is_address_;
  std::set<std::string> narrow_;  // variables whose address some instruction takes in 32 bits
  bool narrow_instances_ = false;
  std::map<Layout::AddressUse, event::Expr> terms_;
  bool frees_columns_ = false;  // before it allocates others, as far as the code tells
  std::map<std::pair<std::uint32_t, event::Value>, event::Expr> allocated_;  // by owner and column
  std::vector<std::optional<Use>> uses_;                                     // by term
};

}  // namespace ptxmc::lower
