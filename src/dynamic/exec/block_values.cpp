// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/block_values.h"

#include <algorithm>
#include <limits>

#include "dynamic/exec/known_bits.h"
#include "dynamic/exec/machine.h"
#include "dynamic/exec/straight_paths.h"

namespace ptxmc::exec {

namespace {

constexpr std::uint32_t kMostKept = 16;  // bytes of a register that is kept in memory

/// This class follows all that the instruction accesses in global memory, all that decides it, and all that it leaves in registers.
bool is_told(Act act) {
  switch (act) {
    case Act::multimem:
    case Act::replace_map:
    case Act::store_async:
    case Act::reduce_async:
    case Act::fill_bulk:
    case Act::cancel_launch:
    case Act::query_cancel:
    case Act::discard:
    case Act::allocate:
    case Act::free_blocks:
    case Act::compare_branch:
      return false;
    default:
      return true;
  }
}

/// Its addresses of global memory may move.
bool is_moved(Act act) {
  return act == Act::load || act == Act::store || act == Act::atomic || act == Act::copy_async ||
         act == Act::copy_bulk;
}

/// An operand that is a value, and decides nothing; or that is told of elsewhere.
bool is_data(const Step& step, isa::Role role) {
  switch (role) {
    case isa::Role::result:
    case isa::Role::reduced:
    case isa::Role::report:
    case isa::Role::value:
    case isa::Role::comparand:
      return true;
    case isa::Role::a:
      return step.act == Act::convert_address;
    case isa::Role::predicate:
      return step.act == Act::exchange;
    case isa::Role::address:
    case isa::Role::source_address:
      return is_moved(step.act) || step.act == Act::convert_address;
    default:
      return false;
  }
}

}  // namespace

void BlockValues::start(const Options& options) {
  run_.grid = options.grid;
  if (!follow()) return;
  for (const Warp& warp : run_.warps) {
    rows_.emplace_back(warp.registers.rows.size(), Cells{});
    const auto thread = thread_of(warp, first_of(warp.exists));
    const std::optional<int>& block = run_.threads[thread]->placement.cta;
    places_.push_back(run_.grid->moves.place_of_block(static_cast<std::uint64_t>(block.value_or(0))));
    run_.grid->add_place(places_.back());
  }
  for (const Code& code : run_.codes) {
    for (const Step& step : code.steps) {
      if (step.act != Act::none) given_[&step] = results_of(code, step);
    }
    find_unused(code);
  }
  for (const program::RegisterInit& init : run_.program.register_inits) {
    const auto known = run_.by_number.find(init.thread);
    const auto of_grid = run_.grid->registers.find(init.name);
    if (of_grid == run_.grid->registers.end() || known == run_.by_number.end()) continue;
    Warp& warp = run_.warps[known->second / kLanes];
    const unsigned lane = known->second % kLanes;
    const auto slot = warp.codes[lane]->registers.find(init.name);
    if (slot == warp.codes[lane]->registers.end()) continue;
    const Move move = run_.grid->moves.along(of_grid->second.axis, of_grid->second.factor);
    if (move == kStill) continue;
    warp.taint(slot->second).block |= LaneMask{1} << lane;
    cell(warp, slot->second, lane) = move;
  }
}

/// Atomics of whose results no instruction reads any.
void BlockValues::find_unused(const Code& code) {
  std::set<Slot> read;
  for (const Step& step : code.steps) {
    for (std::size_t role = 0; role < kRoles; ++role) {
      if (!isa::is_written(static_cast<isa::Role>(role))) read.insert(step.by_role[role]);
    }
    read.insert(step.sources.begin(), step.sources.begin() + step.source_count);
    read.insert({step.guard, step.address.base, step.source.base, step.mbarrier.base, step.tensor.base});
    for (const auto& [role, place] : step.in_tensor) read.insert(place.base);
    for (const std::vector<Slot>* all : {&step.values, &step.coordinates, &step.fragments})
      read.insert(all->begin(), all->end());
    if (step.act != Act::load && step.act != Act::atomic && step.act != Act::none)
      read.insert(step.elements.begin(), step.elements.end());
  }
  for (const Step& step : code.steps) {
    const bool one = step.second == kNoSlot && step.results.empty();
    if (step.act == Act::atomic && one && (step.to == kNoSlot || !read.contains(step.to)))
      results_unused_.insert(&step);
  }
}

void BlockValues::check(Warp& warp, const Step& step, LaneMask lanes) {
  if (!is_told(step.act)) refuse(step);
  for (std::size_t role = 0; role < kRoles; ++role) {
    if (!is_data(step, static_cast<isa::Role>(role))) settle(warp, step, step.by_role[role], lanes);
  }
  if (!is_moved(step.act) && step.act != Act::convert_address) {
    settle(warp, step, step.address.base, lanes);
    settle(warp, step, step.source.base, lanes);
  }
  settle(warp, step, step.mbarrier.base, lanes);
  settle(warp, step, step.tensor.base, lanes);
  for (const auto& [role, place] : step.in_tensor) settle(warp, step, place.base, lanes);
  if (step.act == Act::copy_tensor) return;  // it follows its coordinates
  for (const Slot slot : step.coordinates) settle(warp, step, slot, lanes);
}

bool BlockValues::is_known(const Warp& warp, Slot slot, unsigned lane) const {
  return !rests(warp, slot, lane) || rows_[warp.number][slot][lane] != kAnyhow;
}

Move BlockValues::move_of(const Warp& warp, Slot slot, unsigned lane) const {
  return rests(warp, slot, lane) ? rows_[warp.number][slot][lane] : kStill;
}

BlockValues::Operand BlockValues::operand(const Warp& warp, const Step& step, std::size_t number,
                                          unsigned lane) const {
  const Slot slot = step.sources[number];
  return {warp.registers.rows[slot][lane], move_of(warp, slot, lane), width(warp, slot, lane)};
}

void BlockValues::settle_lane(Warp& warp, const Step& step, Slot slot, unsigned lane) {
  const Cell known = cell(warp, slot, lane);
  const std::uint64_t place = place_of(warp);
  if (known == kAnyhow) {
    refuse(step);
  } else if (width(warp, slot, lane) == 1) {
    const Condition& condition = conditions_[known];
    run_.grid->require(place, condition.move, condition.least, condition.most);
  } else {
    const Wide here = run_.grid->moves.at(known, place);
    run_.grid->require(place, known, here, here);
  }
}

void BlockValues::settle(Warp& warp, const Step& step, Slot slot, LaneMask lanes) {
  if (slot == kNoSlot) return;
  lanes &= warp.taint(slot).block;
  for_lanes(lanes, [&](unsigned lane) { settle_lane(warp, step, slot, lane); });
  warp.taint(slot).block &= ~lanes;
}

void BlockValues::settle_known(Warp& warp, const Step& step, Slot slot, LaneMask lanes) {
  for_lanes(lanes & warp.taint(slot).block, [&](unsigned lane) {
    if (is_known(warp, slot, lane)) settle(warp, step, slot, LaneMask{1} << lane);
  });
}

void BlockValues::forget(const Warp& warp, Slot slot, LaneMask lanes) {
  if (slot == kNoSlot) return;
  for_lanes(lanes, [&](unsigned lane) { cell(warp, slot, lane) = kAnyhow; });
}

void BlockValues::forget(const Warp& warp, const Step& step, LaneMask lanes) {
  const auto given = given_.find(&step);
  if (given == given_.end()) return;
  for (const Slot slot : given->second) forget(warp, slot, lanes);
}

void BlockValues::negate(const Warp& warp, Slot from, Slot to, LaneMask mask) {
  for_lanes(mask, [&](unsigned lane) { cell(warp, to, lane) = cell(warp, from, lane); });
}

void BlockValues::convert(Warp& warp, const Step& step, Slot from, LaneMask mask) {
  const bool same =
      step.modifiers().space == isa::Space::global && step.instruction->opcode == isa::Opcode::cvta;
  for_lanes(mask & warp.taint(step.to).block, [&](unsigned lane) {
    const bool kept = same && warp.row(from)[lane] == warp.row(step.to)[lane] &&
                      width(warp, from, lane) == width(warp, step.to, lane);
    cell(warp, step.to, lane) = kept ? move_of(warp, from, lane) : kAnyhow;
  });
}

void BlockValues::vote(Warp& warp, LaneMask group) {
  for_lanes(group, [&](unsigned lane) {
    const Step& own = *warp.waits_at[lane];
    const Slot slot = own.slot(isa::Role::predicate);
    settle_known(warp, own, slot, LaneMask{1} << lane);
  });
}

void BlockValues::after(Warp& warp) {
  for (std::size_t i = 0; i < results_.slots.size(); ++i) {
    const Slot slot = results_.slots[i];
    for_lanes(results_.lanes, [&](unsigned lane) {
      const Cell known = results_.cells[i][lane];
      cell(warp, slot, lane) = known;
      // No condition of a predicate is 0.
      if (known == kStill) warp.taint(slot).block &= ~(LaneMask{1} << lane);
    });
  }
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

void BlockValues::reach(Warp& warp, const Step& step, const Place& place, LaneMask lanes, const Row& at,
                        std::uint64_t bytes, std::uint64_t unit) {
  GridMoves& moves = run_.grid->moves;
  const std::uint64_t own = place_of(warp);
  for_lanes(lanes & warp.taint(place.base).block, [&](unsigned lane) {
    if (!Memory::is_global(at[lane])) return settle(warp, step, place.base, LaneMask{1} << lane);
    const Move move = move_of(warp, place.base, lane);
    const Places::Bounds* const bounds = run_.places->bounds(AddressForms::form_of(warp, place.base, lane));
    const bool plain =
        bounds != nullptr && bounds->low == 0 && bounds->high == 0 && place.wraps == ~Address{0};
    if (move == kAnyhow || !plain) return refuse(step);
    const Wide here = moves.at(move, own), begin = bounds->offset(at[lane]);
    run_.grid->require(own, move, here - begin, here - begin + Wide{bounds->object.bytes} - Wide{bytes});
    if (unit <= 1 || moves.steps_by(move, unit)) return;
    std::vector<std::uint64_t> rests(moves.places());
    for (std::uint64_t other = 0; other < rests.size(); ++other)
      rests[other] = static_cast<std::uint64_t>(moves.at(move, other)) % unit;
    const Move rest = moves.of_values(rests, std::numeric_limits<std::uint64_t>::digits);
    if (rest == kAnyhow) return refuse(step);
    run_.grid->require(own, rest, moves.at(rest, own), moves.at(rest, own));
  });
}

bool BlockValues::keeps_between(const Warp& warp, Slot slot, unsigned lane, std::int64_t least,
                                std::int64_t most) {
  constexpr unsigned kBits = 32;
  const Operand operand{warp.registers.rows[slot][lane], move_of(warp, slot, lane), width(warp, slot, lane)};
  Wide value = 0;
  if (!require_exact(warp, operand, kBits, true, value)) return false;
  if (operand.move == kStill) return true;
  const Wide from = run_.grid->moves.at(operand.move, place_of(warp)) - value;
  run_.grid->require(place_of(warp), operand.move, from + least, from + most);
  return true;
}

Move BlockValues::plus(Move a, Move b, std::int64_t factor) {
  constexpr unsigned kBits = 64;
  return run_.grid->moves.sum(a, run_.grid->moves.times(b, static_cast<std::uint64_t>(factor), kBits), false,
                              kBits);
}

void BlockValues::touch(const Warp& warp, Move move, GridTouch touch, const trace::Range& range) {
  run_.grid->touch(place_of(warp), {move, touch, 0}, range);
}

/// Lanes of one move whose bytes follow each other are told of at once.
void BlockValues::access(Warp& warp, const Step& step, LaneMask lanes, const Row& at, trace::Effect effect) {
  const isa::Modifiers& m = step.modifiers();
  GridCover::Touched touched{kStill, effect == trace::Effect::read ? GridTouch::read : GridTouch::write, 0};
  const bool unused = results_unused_.contains(&step);
  const bool wide_enough = m.scope == isa::Scope::gpu || m.scope == isa::Scope::sys;
  if (effect == trace::Effect::update && unused && wide_enough && m.vector == 1 && step.element_count == 1 &&
      m.packed == isa::Packed::none && m.proxy == isa::Proxy::generic) {
    touched.touch = GridTouch::atomic;
    touched.bytes = step.element_bytes;
  }
  trace::Range all{};
  const auto tell = [&] {
    if (all.bytes != 0) run_.grid->touch(place_of(warp), touched, all);
  };
  const std::uint64_t bytes = step.bytes();
  for_lanes(lanes, [&](unsigned lane) {
    if (!Memory::is_global(at[lane])) return;
    const Move move = move_of(warp, step.address.base, lane);
    if (move == kAnyhow) return refuse(step);
    if (move == touched.move && all.bytes != 0 && at[lane] == all.begin + all.bytes) {
      all.bytes += bytes;
      return;
    }
    tell();
    touched.move = move;
    all = {at[lane], bytes};
  });
  tell();
}

void BlockValues::refuse_global(const Step& step, const trace::Range& range) {
  if (range.bytes != 0 && !Memory::is_shared(range.begin) && !Memory::is_local(range.begin)) refuse(step);
}

/// What a store writes over is known no more.
void BlockValues::store(const Warp& warp, Slot slot, unsigned lane, Address at, std::uint32_t bytes) {
  const auto begin = local_.lower_bound(at < kMostKept ? 0 : at - kMostKept + 1);
  for (auto one = begin; one != local_.end() && one->first < at + bytes;)
    one = one->first + one->second.bytes > at ? local_.erase(one) : std::next(one);
  if (rests(warp, slot, lane) && width(warp, slot, lane) == bytes * 8)
    local_[at] = {bytes, rows_[warp.number][slot][lane]};
}

void BlockValues::load(const Warp& warp, Slot slot, unsigned lane, Address at, std::uint32_t bytes) {
  const auto found = local_.find(at);
  const bool whole =
      found != local_.end() && found->second.bytes == bytes && width(warp, slot, lane) == bytes * 8;
  cell(warp, slot, lane) = whole ? found->second.cell : kAnyhow;
}

}  // namespace ptxmc::exec
