// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/fragments.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tiles.h"

namespace ptxmc::lower {

/// wmma.load and wmma.store.
class Wmma : ThreadContext {
 public:
  explicit Wmma(const ThreadContext& context) : ThreadContext(context) {}

  void load(const Instruction& instruction, State& state);
  void store(const Instruction& instruction, State& state);

 private:
  /// A fragment of C that a load wrote: where it came from, and how its elements lie there.
  struct Loaded {
    std::vector<Expr> registers;
    isa::Matrix matrix;
    Tile from;
    Words words;
  };
  Tile lines(const Instruction& instruction, const State& state, bool writes);
  Expr contents(const Tile& tile, const Words& words);
  const Loaded* loaded(const isa::Matrix& matrix, const std::vector<Expr>& registers) const;
  void note_copy(const Tile& from, const Tile& to);

  Registers registers_{*this};
  Addresses addresses_{*this};
  Tiles tiles_{*this};
  Fragments fragments_{*this};
  std::map<Expr, Loaded> loaded_;  // by the first register
};

}  // namespace ptxmc::lower
