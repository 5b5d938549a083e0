// SPDX-License-Identifier: Apache-2.0
// Reach: where an address that is not constant may point.
//
// A computed address is expanded into one guarded access per place it may name. The places follow from the
// expression: a sum with the address of a variable in it stays within that variable; a choice may be any of
// its branches; anything else (a pointer that was loaded) may be every variable whose address the program
// uses. A trial run then drops the places that no value in memory can make true (value_domains.h), so a
// pointer that is only ever &x or &y costs two accesses. What is left over is an error of the program, on the
// paths where it happens: out of bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "axiomatic/lower/memory/layout.h"
#include "axiomatic/lower/memory/places.h"

namespace ptxmc::lower {

/// Addresses that `address` may be, ascending, of accesses of `bytes` bytes; not the misaligned ones.
std::set<event::Value> possible_addresses(const event::ExprPool& pool, const Layout& layout,
                                          const VariablePlaces& places, event::Expr address,
                                          std::uint32_t bytes);

/// The guard of each place of each computed address, in the order of lowering; and, after a trial run, those
/// to leave out.
class Reach {
 public:
  using Place = std::pair<std::size_t, event::Value>;  // number of the access, address

  /// A new access through a computed address; returns its number.
  std::size_t start() { return seen_++; }
  std::size_t seen() const { return seen_; }
  void roll_back(std::size_t seen);
  /// `here`: the comparison of the address with that of the place.
  void note(std::size_t access, event::Value address, event::Expr guard, event::Expr here) {
    guards_.push_back({{access, address}, guard});
    comparisons_.insert(here);
  }
  const std::set<event::Expr>& comparisons() const { return comparisons_; }
  bool excluded(std::size_t access, event::Value address) const {
    return excluded_.contains({access, address});
  }
  /// VariablePlaces whose guards no execution of the graph satisfies.
  std::set<Place> impossible(const event::ProgramGraph& graph) const;
  void exclude(std::set<Place> places) { excluded_ = std::move(places); }

 private:
  std::size_t seen_ = 0;
  std::vector<std::pair<Place, event::Expr>> guards_;
  std::set<Place> excluded_;
  std::set<event::Expr> comparisons_;
};

}  // namespace ptxmc::lower
