// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "axiomatic/lower/families/access.h"
#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tiles.h"

namespace ptxmc::lower {

/// What a copy may find in a tensor map.
struct MapChoice {
  Expr guard;
  MapFields fields;
};

/// Instructions on tensor maps, and what a copy finds in one.
class TensorMaps : ThreadContext {
 public:
  explicit TensorMaps(const ThreadContext& context) : ThreadContext(context) {}

  void replace_map_field(const Instruction& instruction, State& state);
  void copy_map(const Instruction& instruction, State& state);
  void release_map(const Instruction& instruction, State& state);
  void fence_maps(const Instruction& instruction, State& state);
  void prefetch_map(const Instruction& instruction, State& state);
  std::vector<MapChoice> read_map(const Instruction& instruction, const Operand& operand, const State& state,
                                  EventId issue, std::vector<EventId>& accesses, Expr& rest);

 private:
  /// Bytes are a certain map: as one condition, and as one of conditions on single cells.
  struct MapMatch {
    Expr whole, cells;
  };
  std::pair<std::size_t, event::Value> replaced_field(const Instruction& instruction, const State& state);
  void add_map_fence(const Instruction& instruction, Expr guard, std::vector<event::CellId> fenced);
  bool is_first_of_warp() const;
  Tile map_tile(const Instruction& instruction, const Operand& operand, const Location& place,
                isa::Space space, bool writes);
  std::vector<MapChoice> map_choices(const Instruction& instruction, const Tile& map, const Words& words,
                                     Expr& rest);
  MapMatch holds_map(const Tile& map, const Words& words, const MapFields& fields, event::Value token);

  Registers registers_{*this};
  Addresses addresses_{*this};
  Tiles tiles_{*this};
};

}  // namespace ptxmc::lower
