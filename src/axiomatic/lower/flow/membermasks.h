// SPDX-License-Identifier: Apache-2.0
// Membermasks that a program computes: what activemask, match.sync or vote.sync gave, say. Who takes part in an exchange is
// part of its barrier, so each mask that there may be is a path of its own.
#pragma once

#include <cstdint>
#include <set>

#include "axiomatic/lower/families/context.h"

namespace ptxmc::lower {

class Membermasks : ThreadContext {
 public:
  explicit Membermasks(const ThreadContext& context) : ThreadContext(context) {}

  /// What `mask`, of 32 bits and no constant, may be. `instruction`: whose it is, for what is beyond limits.
  std::set<std::uint32_t> possible(const Instruction& instruction, Expr mask) const;

 private:
  using Masks = std::set<std::uint32_t>;

  bool add(Expr e, Masks& out) const;
  bool add_combinations(const event::Node& node, Masks& out) const;
  bool add_result(const event::Node& node, Masks& out) const;
  bool add_subsets(std::uint32_t lanes, Masks& out) const;
};

}  // namespace ptxmc::lower
