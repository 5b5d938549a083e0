// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "axiomatic/lower/families/access.h"
#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// Bytes that an asynchronous operation reads or writes at once.
struct Tile {
  VariableId name = 0;
  Block block;
  Range range;
  std::vector<event::CellId> cells;  // ascending by address
  std::vector<Width> widths;         // of each cell's value
  std::vector<std::int64_t> begins;  // of each cell, from the tile's begin
};
struct TileUse {
  isa::Space space = isa::Space::generic;
  std::uint32_t bytes = 0, alignment = 1;
  bool writes = false;
  bool elements = false;  // divided into elements of the instruction's type
};

/// 9.7.8.24.6 (PTX ISA 9.3): a copy whose accesses are strong, each of them of 16 bytes.
inline bool is_strong_copy(const Instruction& instruction) {
  const isa::Modifiers& m = instruction.modifiers;
  return instruction.opcode == isa::Opcode::cp_async_bulk && m.semantics == isa::Semantics::relaxed;
}

/// Reads and writes of tiles.
class Tiles : ThreadContext {
 public:
  explicit Tiles(const ThreadContext& context) : ThreadContext(context) {}

  Tile tile(const Instruction& instruction, const Operand& operand, Location location, const TileUse& use);
  /// In the survey: single bytes of the range are no accesses.
  void note_access(const Block& block, const Range& range);
  void link_tiles(const Instruction& instruction, const Tile& from, const Tile& to, std::uint32_t bytes);
  /// What single accesses of the instruction cover of it: all, or of a strong copy 16 bytes each.
  std::vector<Tile> accesses(const Instruction& instruction, const Tile& tile) const;
  /// Adds the read of what one access covers; `words`: the values of its cells.
  EventId read(const Instruction& instruction, const Tile& tile, EventId issue, Expr guard, Words& words);
  /// Adds its write: a value for each cell.
  EventId write(const Instruction& instruction, const Tile& tile, EventId issue, Expr guard,
                const Words& words);
  // The same, of events that are more than that: made, completed, added.
  Event tile_event(EventKind kind, const Instruction& instruction, const Tile& tile, EventId issue,
                   Expr guard);
  EventId add_tile_read(Event read, const Tile& tile, Words& words);
  EventId add_tile_write(Event write, const Tile& tile, const Words& words);

 private:
  Addresses addresses_{*this};
};

}  // namespace ptxmc::lower
