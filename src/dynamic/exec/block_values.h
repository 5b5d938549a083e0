// SPDX-License-Identifier: Apache-2.0
// Values that rest on the place of their block in the grid (Source::block), and how: numbers move with that place (grid_moves.h),
// predicates hold as long as a function of it lies between two numbers. So a run says of other blocks which of them go the same ways, and
// which bytes they access (grid_cover.h). A value of which this is not known decides nothing: the instruction that it decides is refused.
// All of it is off unless the options ask for it.
#pragma once

#include <array>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "dynamic/exec/grid_cover.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class BlockValues : public Unit {
 public:
  using Unit::Unit;

  void start(const Options& options);
  bool follow() const { return run_.grid != nullptr; }
  /// The instruction, executed by a lane, does what is not followed.
  void refuse(const Step& step) { run_.grid->refuse(step.site); }
  /// An instruction that is not on registers is about to be executed: what its operands decide is the same in other blocks, but for
  /// addresses of global memory.
  void check(Warp& warp, const Step& step, LaneMask lanes);

  // ---- Registers ------------------------------------------------------------------------------------------------
  /// Other blocks that count have the same there: after this the lanes rest on no block.
  void settle(Warp& warp, const Step& step, Slot slot, LaneMask lanes);
  /// The same of those lanes for which it is known how they move.
  void settle_known(Warp& warp, const Step& step, Slot slot, LaneMask lanes);
  /// Nothing is known of how these move.
  void forget(const Warp& warp, Slot slot, LaneMask lanes);
  /// The same of all that an instruction which is not on registers alone gives.
  void forget(const Warp& warp, const Step& step, LaneMask lanes);
  /// An instruction on registers, before and after it is executed by lanes that rest on a block.
  void before(Warp& warp, const Step& step, LaneMask lanes);
  void after(Warp& warp);
  void negate(const Warp& warp, Slot from, Slot to, LaneMask mask);
  /// A conversion between generic and global addresses, which are the same.
  void convert(Warp& warp, const Step& step, Slot from, LaneMask mask);
  /// The predicates of a vote, where it is known how they move.
  void vote(Warp& warp, LaneMask group);

  // ---- Memory ---------------------------------------------------------------------------------------------------
  /// So many bytes that each lane accesses by the address in a register: in all blocks that count they lie in the same object, aligned.
  void reach(Warp& warp, const Step& step, const Place& place, LaneMask lanes, const Row& at,
             std::uint64_t bytes, std::uint64_t unit);
  /// They are accessed, if they are global.
  void access(Warp& warp, const Step& step, LaneMask lanes, const Row& at, trace::Effect effect);
  void touch(const Warp& warp, Move move, GridTouch touch, const trace::Range& range);
  /// Other blocks that count have a signed number of 32 bits there that is between these, as this one has. False: that cannot be said.
  bool keeps_between(const Warp& warp, Slot slot, unsigned lane, std::int64_t least, std::int64_t most);
  /// One move, and so many times another one, of addresses.
  Move plus(Move a, Move b, std::int64_t factor);
  /// How the address in a register moves.
  Move move_of(const Warp& warp, Slot slot, unsigned lane) const;
  /// The instruction accesses these bytes. Those of global memory are refused: nothing says how they move.
  void refuse_global(const Step& step, const trace::Range& range);
  /// Local variables hold values that move.
  void store(const Warp& warp, Slot slot, unsigned lane, Address at, std::uint32_t bytes);
  void load(const Warp& warp, Slot slot, unsigned lane, Address at, std::uint32_t bytes);

 private:
  /// A number has its move, a predicate its condition; kAnyhow: neither is known.
  using Cell = std::uint32_t;
  using Cells = std::array<Cell, kLanes>;
  using Wide = GridMoves::Wide;
  struct Condition {
    Move move = kStill;
    Wide least = 0, most = 0;
  };
  struct Operand {
    std::uint64_t value = 0;
    Move move = kStill;
    unsigned bits = 64;  // of its register
    /// Its move for so many bits.
    Move within(unsigned of) const { return move == kStill || bits >= of ? move : kAnyhow; }
  };
  struct Results {
    LaneMask lanes = 0;
    std::vector<Slot> slots;
    std::vector<Cells> cells;
  };
  struct Kept {
    std::uint32_t bytes = 0;
    Cell cell = kAnyhow;
  };
  using Known = std::pair<const Step*, std::vector<std::uint64_t>>;

  std::uint64_t place_of(const Warp& warp) const { return places_[warp.number]; }
  Cell& cell(const Warp& warp, Slot slot, unsigned lane) { return rows_[warp.number][slot][lane]; }
  unsigned width(const Warp& warp, Slot slot, unsigned lane) const { return warp.codes[lane]->widths[slot]; }
  bool rests(const Warp& warp, Slot slot, unsigned lane) const {
    return (warp.registers.taints[slot].block >> lane & 1U) != 0;
  }
  Operand operand(const Warp& warp, const Step& step, std::size_t number, unsigned lane) const;
  bool is_known(const Warp& warp, Slot slot, unsigned lane) const;
  void find_unused(const Code& code);
  void settle_lane(Warp& warp, const Step& step, Slot slot, unsigned lane);
  bool settle_predicates(Warp& warp, const Step& step, unsigned lane);

  // ---- Rules (block_arithmetic.cpp) -------------------------------------------------------------------------------
  bool is_followed(const Step& step) const;
  Cell result(Warp& warp, const Step& step, unsigned lane);
  Cell sum(Warp& warp, const Step& step, unsigned lane);
  Cell product(Warp& warp, const Step& step, unsigned lane);
  Cell shifted(Warp& warp, const Step& step, unsigned lane);
  Cell converted(Warp& warp, const Step& step, unsigned lane);
  Cell compared(Warp& warp, const Step& step, unsigned lane);
  Cell lesser(Warp& warp, const Step& step, unsigned lane);
  Cell narrowed(const Warp& warp, const Step& step, unsigned lane, Move move);
  bool require_exact(const Warp& warp, const Operand& operand, unsigned bits, bool is_signed, Wide& value);
  std::optional<Condition> holding(const Warp& warp, const Step& step, unsigned lane, isa::Compare compare);
  bool divides_safely(Warp& warp, const Step& step, unsigned lane);
  bool are_still(const Warp& warp, const Step& step, unsigned lane) const;
  static bool is_chosen(Warp& warp, const Step& step, unsigned lane);
  static Known key_of(const Step& step, std::vector<std::uint64_t> sources);
  void evaluate(Warp& warp, const Step& step, unsigned lane);
  std::vector<std::vector<std::uint64_t>> values_at_places(Warp& warp, const Step& step, unsigned lane);
  Cell condition(const Condition& condition);

  std::vector<std::uint64_t> places_;     // by warp
  std::vector<std::vector<Cells>> rows_;  // by warp, of registers that rest on a block
  std::unordered_map<const Step*, std::vector<Slot>> given_;
  std::set<const Step*> results_unused_;
  std::vector<Condition> conditions_;
  std::map<std::tuple<Move, Wide, Wide>, Cell> condition_of_;
  Results results_;
  std::map<Known, std::vector<Cell>> evaluated_;
  std::uint64_t evaluations_ = 0;
  std::map<Address, Kept> local_;
};

}  // namespace ptxmc::exec
