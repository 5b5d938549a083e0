// SPDX-License-Identifier: Apache-2.0
// How deep an instruction of a body is in branches and loops: a change stands as far out as it can.
#pragma once

#include <cstddef>
#include <vector>

#include "ptx/flow/jumps.h"

namespace ptxmc::repair {

class Nesting {
 public:
  explicit Nesting(const flow::Code& code);

  /// How many branches decide whether it is executed, and how many loops it is in.
  std::size_t operator()(std::size_t index) const { return branches(index).size() + loops(index); }
  /// Whenever one of the two is executed, the other one is, as often, and it comes first.
  bool together(std::size_t first, std::size_t second) const;
  /// The branches that decide whether it is executed, the innermost first, by their numbers in the code.
  std::vector<std::size_t> branches(std::size_t index) const;

 private:
  std::size_t loops(std::size_t index) const;
  bool comes_after(std::size_t index, std::size_t from) const;

  flow::Graph next_;
  std::vector<std::size_t> dominator_, postdominator_;
  std::vector<flow::NaturalLoop> loops_;
};

}  // namespace ptxmc::repair
