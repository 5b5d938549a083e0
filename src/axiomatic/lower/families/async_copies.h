// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/completions.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/reductions.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tiles.h"

namespace ptxmc::lower {

/// cp.async, cp.async.bulk, cp.reduce.async.bulk, their prefetch, and clusterlaunchcontrol.try_cancel.
class AsyncCopies : ThreadContext {
 public:
  explicit AsyncCopies(const ThreadContext& context) : ThreadContext(context) {}

  void copy_plain(const Instruction& instruction, State& state);
  void copy_bulk(const Instruction& instruction, State& state);
  void reduce_bulk(const Instruction& instruction, State& state);
  void cancel_launch(const Instruction& instruction, State& state);
  void prefetch_bulk(const Instruction& instruction, State& state);

 private:
  /// A bulk operation that has read its source.
  struct Bulk {
    std::uint32_t bytes = 0;
    Expr guard;
    Tile from;
    Location place;  // of the destination
    EventId issue = event::kNoEvent;
    std::vector<EventId> reads;
    Words words;             // of the source's cells
    std::uint32_t left = 0;  // bytes of the destination before those that are copied
  };

  Bulk begin_bulk(const Instruction& instruction, State& state, bool elements);
  std::vector<EventId> write_tile(const Instruction& instruction, const Bulk& bulk, const Tile& to);
  Tile masked_tile(const Instruction& instruction, const State& state, const Bulk& bulk);
  Words masked_words(const Bulk& bulk, const Tile& to);
  std::uint32_t ignored(const Instruction& instruction, const State& state, Role role);
  Tile cut_tile(const Instruction& instruction, const Bulk& bulk);
  Words cut_words(const Bulk& bulk, const Tile& to);
  void check_other_cta(const Instruction& instruction, const Location& place, Expr guard);
  std::uint32_t bulk_size(const State& state, const Operand& operand);

  Registers registers_{*this};
  Addresses addresses_{*this};
  Tiles tiles_{*this};
  Reductions reductions_{*this};
  Completions completions_{*this};
};

}  // namespace ptxmc::lower
