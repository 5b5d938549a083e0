// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "axiomatic/lower/families/access.h"
#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/fragments.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tiles.h"

namespace ptxmc::lower {

/// mma, ldmatrix, stmatrix and movmatrix.
class Matrices : ThreadContext {
 public:
  explicit Matrices(const ThreadContext& context) : ThreadContext(context) {}

  void product(const Instruction& instruction, State& state);
  void load_matrix(const Instruction& instruction, State& state);
  void store_matrix(const Instruction& instruction, State& state);
  void move_matrix(const Instruction& instruction, State& state);

 private:
  Expr arranged(const isa::Modifiers& m, Expr contents);
  static bool stores_alike(const isa::Modifiers& m);
  Expr tile_contents(const Tile& tile, const Words& words);

  Registers registers_{*this};
  Addresses addresses_{*this};
  Tiles tiles_{*this};
  Fragments fragments_{*this};
  std::map<Expr, std::pair<Tile, Words>> loaded_;  // registers that ldmatrix wrote: the matrices
  std::map<Expr, Expr> transposed_;                // registers that movmatrix wrote: what it transposed
};

}  // namespace ptxmc::lower
