// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/completions.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/reductions.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tensor_maps.h"
#include "axiomatic/lower/families/tiles.h"
#include "ptx/footprint/tensor_map.h"

namespace ptxmc::lower {

/// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and the prefetch.
class TensorCopies : ThreadContext {
 public:
  explicit TensorCopies(const ThreadContext& context) : ThreadContext(context) {}

  void copy_tensor(const Instruction& instruction, State& state);
  void prefetch_tensor(const Instruction& instruction, State& state);

 private:
  /// A map that a copy may go through, and the box that it means.
  struct BoxChoice {
    Expr guard;
    MapFields fields;
    footprint::Box box;
  };
  std::vector<std::int64_t> tensor_places(const Instruction& instruction, const State& state);
  std::string box_problem(const MapFields& fields, const footprint::Box& box) const;
  std::vector<BoxChoice> boxes(const Instruction& instruction, const Operand& operand, State& state,
                               EventId issue, std::vector<EventId>& accesses);
  void misuse_map(const Instruction& instruction, State& state, EventId issue,
                  const std::vector<EventId>& accesses, Expr invalid);
  Tile tensor_tile(const Instruction& instruction, const Operand& operand, const BoxChoice& choice,
                   const TileUse& use);
  Tile shared_tile(const Instruction& instruction, const Operand& operand, const Location& place,
                   const BoxChoice& choice, const TileUse& use);
  static std::vector<BoxChoice> ascending(const Instruction& instruction, const BoxChoice& choice);
  void load_box(const Instruction& instruction, State& state, EventId issue, const BoxChoice& choice,
                const std::vector<EventId>& of_map);
  void store_box(const Instruction& instruction, State& state, EventId issue, const BoxChoice& choice);
  void reduce_box(const Instruction& instruction, State& state, EventId issue, const BoxChoice& choice);
  Expr filling(const MapFields& fields, Width width);
  isa::Type reduced(const Instruction& instruction, const BoxChoice& choice) const;

  Registers registers_{*this};
  Addresses addresses_{*this};
  Tiles tiles_{*this};
  Reductions reductions_{*this};
  Completions completions_{*this};
  TensorMaps maps_{*this};
};

}  // namespace ptxmc::lower
