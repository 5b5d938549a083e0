// SPDX-License-Identifier: Apache-2.0
// Paths: literals of a transitive closure, on demand.
#pragma once

#include <map>
#include <vector>

#include "axiomatic/engine/smt/relations.h"

namespace ptxmc::engine::smt {

class Paths {
 public:
  Paths(Relations& relations, relation::Rel base, relation::Rel closure);
  Lit pair(event::EventId a, event::EventId b);

 private:
  using EventSet = std::vector<event::EventId>;
  std::uint32_t intern(const EventSet& set);
  std::uint32_t exits(
      event::EventId a);  ///< sources of dynamic pairs that a reaches by at most one fixed step
  std::uint32_t entries(
      event::EventId b);  ///< targets of dynamic pairs that reach b by at most one fixed step
  Lit route(std::uint32_t exits, std::uint32_t entries);
  Lit follow(std::uint32_t exits, std::uint32_t entries);
  std::optional<Lit> decided(std::uint32_t exits, std::uint32_t entries);

  Relations& relations_;
  relation::Rel base_, closure_;
  const Skeleton& skeleton_;
  bool acyclic_;
  std::vector<EventSet> sets_;
  std::map<EventSet, std::uint32_t> ids_;
  std::map<event::EventId, std::uint32_t> exits_, entries_;
  relation::BitSet sources_, targets_;  // ends of dynamic pairs
  std::map<std::pair<std::uint32_t, std::uint32_t>, Lit> routes_;
};

}  // namespace ptxmc::engine::smt
