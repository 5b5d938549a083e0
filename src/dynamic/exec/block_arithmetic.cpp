// SPDX-License-Identifier: Apache-2.0
// How results move with the place of their block, from how the sources do. Sums and products by what is the same everywhere follow by a
// rule; of another integer instruction the result is computed for each place.
#include <algorithm>

#include "dynamic/exec/arithmetic.h"
#include "dynamic/exec/block_values.h"
#include "dynamic/exec/known_bits.h"
#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Role;
using Wide = GridMoves::Wide;

constexpr std::uint64_t kMostEvaluations = std::uint64_t{1} << 26U;  // each gives one result at one place
constexpr std::size_t kMostConditions = std::size_t{1} << 22U;
constexpr Wide kFar = Wide{1} << 122U;  // beyond all functions

unsigned bits_of(const Step& step) {
  const isa::Modifiers& m = step.modifiers();
  return m.type ? m.type->bits : 64;
}

bool is_signed(const Step& step) {
  const isa::Modifiers& m = step.modifiers();
  return !m.type || m.type->is_signed();
}

Wide number_of(std::uint64_t value, unsigned bits, bool is_signed) {
  const auto width = static_cast<integer::Width>(bits);
  return is_signed ? Wide{integer::as_signed(value, width)} : Wide{integer::wrap(value, width)};
}

/// The differences for which the comparison says the same as for this one.
std::pair<Wide, Wide> alike(isa::Compare compare, Wide difference) {
  using isa::Compare;
  const auto split = [&](Wide last) {  // the last one below
    return difference <= last ? std::pair{-kFar, last} : std::pair{last + 1, kFar};
  };
  switch (compare) {
    case Compare::lt:
    case Compare::ge:
      return split(-1);
    case Compare::le:
    case Compare::gt:
      return split(0);
    default:
      break;
  }
  if (difference == 0) return {0, 0};
  return difference < 0 ? std::pair{-kFar, Wide{-1}} : std::pair{Wide{1}, kFar};
}

/// What rests on where objects lie follows by sums alone whatever the numbers are (places.h).
bool keeps_addresses(const Warp& warp, const Step& step, unsigned lane) {
  const auto is_address = [&](std::size_t source) {
    return (warp.registers.taints[step.sources[source]].address >> lane & 1U) != 0;
  };
  const Opcode opcode = step.instruction->opcode;
  if (opcode == Opcode::mad) return !is_address(0) && !is_address(1);
  return opcode == Opcode::mov || opcode == Opcode::add || opcode == Opcode::sub || opcode == Opcode::selp;
}

std::uint64_t fitted(const Step& step, std::uint64_t value, unsigned width) {
  if (step.fit.from < 64) {
    const auto from = static_cast<integer::Width>(step.fit.from);
    if (step.fit.is_signed) value = static_cast<std::uint64_t>(integer::as_signed(value, from));
  }
  return integer::wrap(value, static_cast<integer::Width>(width));
}

}  // namespace

BlockValues::Cell BlockValues::condition(const Condition& condition) {
  const GridMoves::Range all = run_.grid->moves.range(condition.move);
  if (condition.least <= all.least && all.most <= condition.most) return kStill;
  const auto near = [&](Wide bound) { return std::clamp(bound, all.least - 1, all.most + 1); };
  if (conditions_.empty()) conditions_.emplace_back();
  const auto [known, fresh] = condition_of_.try_emplace(
      {condition.move, near(condition.least), near(condition.most)}, static_cast<Cell>(conditions_.size()));
  if (!fresh) return known->second;
  if (conditions_.size() >= kMostConditions) return kAnyhow;
  conditions_.push_back(condition);
  return known->second;
}

/// Other blocks that count have the number that the move says, and not one that is that modulo 2^bits.
bool BlockValues::require_exact(const Warp& warp, const Operand& operand, unsigned bits, bool is_signed,
                                Wide& value) {
  value = number_of(operand.value, bits, is_signed);
  if (operand.move == kStill) return true;
  if (operand.move == kAnyhow || bits > operand.bits) return false;
  const Wide least = is_signed ? -(Wide{1} << (bits - 1)) : Wide{0},
             most = (Wide{1} << (is_signed ? bits - 1 : bits)) - 1;
  const Wide from = run_.grid->moves.at(operand.move, place_of(warp)) - value;
  run_.grid->require(place_of(warp), operand.move, from + least, from + most);
  return true;
}

/// When two numbers compare as they do here.
std::optional<BlockValues::Condition> BlockValues::holding(const Warp& warp, const Step& step, unsigned lane,
                                                           isa::Compare compare) {
  const Operand a = operand(warp, step, 0, lane), b = operand(warp, step, 1, lane);
  const bool as_signed = is_signed(step);
  Wide first = 0, second = 0;
  const unsigned bits = bits_of(step);
  if (!require_exact(warp, a, bits, as_signed, first) || !require_exact(warp, b, bits, as_signed, second))
    return std::nullopt;
  const Move by = run_.grid->moves.difference(a.move, b.move);
  if (by == kAnyhow) return std::nullopt;
  const auto [least, most] = alike(compare, first - second);
  const Wide from = run_.grid->moves.at(by, place_of(warp)) - (first - second);
  return Condition{by, from + least, from + most};
}

BlockValues::Cell BlockValues::compared(Warp& warp, const Step& step, unsigned lane) {
  const auto found = holding(warp, step, lane, step.modifiers().compare);
  return found ? condition(*found) : kAnyhow;
}

/// min and max: the one of the two that it is here.
BlockValues::Cell BlockValues::lesser(Warp& warp, const Step& step, unsigned lane) {
  const auto found = holding(warp, step, lane, isa::Compare::le);
  if (!found) return kAnyhow;
  run_.grid->require(place_of(warp), found->move, found->least, found->most);
  const Operand a = operand(warp, step, 0, lane), b = operand(warp, step, 1, lane);
  const bool first_is_less = found->least <= -kFar / 2;
  const bool takes_first = first_is_less == (step.instruction->opcode == Opcode::min);
  return narrowed(warp, step, lane, takes_first ? a.move : b.move);
}

BlockValues::Cell BlockValues::narrowed(const Warp& warp, const Step& step, unsigned lane, Move move) {
  return run_.grid->moves.narrowed(move, width(warp, step.to, lane));
}

BlockValues::Cell BlockValues::sum(Warp& warp, const Step& step, unsigned lane) {
  const Opcode opcode = step.instruction->opcode;
  const Operand a = operand(warp, step, 0, lane);
  const unsigned bits = bits_of(step);
  if (opcode == Opcode::neg || opcode == Opcode::not_)
    return run_.grid->moves.times(a.within(bits), ~std::uint64_t{0}, bits);
  const Operand b = operand(warp, step, 1, lane);
  return run_.grid->moves.sum(a.within(bits), b.within(bits), opcode == Opcode::sub, bits);
}

/// mul and mad of which one factor is the same everywhere.
BlockValues::Cell BlockValues::product(Warp& warp, const Step& step, unsigned lane) {
  Operand a = operand(warp, step, 0, lane), b = operand(warp, step, 1, lane);
  if (b.move != kStill) std::swap(a, b);
  if (b.move != kStill) return kAnyhow;
  const bool wide = step.modifiers().half == isa::MulHalf::wide, as_signed = is_signed(step);
  const unsigned bits = bits_of(step), result = wide ? 2 * bits : bits;
  Wide exact = 0;
  if (wide && !require_exact(warp, a, bits, as_signed, exact)) return kAnyhow;
  const auto factor = static_cast<std::uint64_t>(number_of(b.value, bits, as_signed));
  const Move scaled = run_.grid->moves.times(a.within(bits), factor, result);
  if (step.source_count <= 2) return scaled;
  return run_.grid->moves.sum(scaled, operand(warp, step, 2, lane).within(result), false, result);
}

BlockValues::Cell BlockValues::shifted(Warp& warp, const Step& step, unsigned lane) {
  const Operand a = operand(warp, step, 0, lane), b = operand(warp, step, 1, lane);
  const std::uint64_t by = b.value & 0xffffffffU;
  if (b.move != kStill || by >= bits_of(step)) return kAnyhow;
  return run_.grid->moves.times(a.within(bits_of(step)), std::uint64_t{1} << by, bits_of(step));
}

BlockValues::Cell BlockValues::converted(Warp& warp, const Step& step, unsigned lane) {
  const isa::Modifiers& m = step.modifiers();
  const isa::Type to = m.type.value_or(isa::Type{isa::TypeClass::signed_, 64}),
                  from = m.source_type.value_or(to);
  const Operand a = operand(warp, step, 0, lane);
  if (to.bits <= from.bits) return run_.grid->moves.narrowed(a.within(to.bits), to.bits);
  Wide exact = 0;
  return require_exact(warp, a, from.bits, from.is_signed(), exact)
             ? run_.grid->moves.narrowed(a.move, to.bits)
             : kAnyhow;
}

/// Predicates that the instruction reads: they hold in other blocks as they do here. False: of one that is not known.
bool BlockValues::settle_predicates(Warp& warp, const Step& step, unsigned lane) {
  std::vector<Slot> all = {step.slot(Role::predicate)};
  for (std::size_t i = 0; i < step.source_count; ++i) all.push_back(step.sources[i]);
  std::erase_if(all, [&](Slot slot) { return slot == kNoSlot || width(warp, slot, lane) != 1; });
  if (!std::all_of(all.begin(), all.end(), [&](Slot slot) { return is_known(warp, slot, lane); }))
    return false;
  for (const Slot slot : all) settle(warp, step, slot, LaneMask{1} << lane);
  return true;
}

/// A divisor that is the same everywhere, and numbers that are not negative: what is taken for granted of others is said elsewhere.
bool BlockValues::divides_safely(Warp& warp, const Step& step, unsigned lane) {
  const Operand a = operand(warp, step, 0, lane), b = operand(warp, step, 1, lane);
  const unsigned bits = bits_of(step);
  if (b.move != kStill || number_of(b.value, bits, is_signed(step)) <= 0) return false;
  if (!is_signed(step)) return true;
  const Wide value = number_of(a.value, bits, true);
  if (value < 0 || a.move == kAnyhow) return false;
  const Wide from = run_.grid->moves.at(a.move, place_of(warp)) - value;
  run_.grid->require(place_of(warp), a.move, from, from + (Wide{1} << (bits - 1)) - 1);
  return true;
}

/// Is it one of integers, whose results are registers that its sources alone give?
bool BlockValues::is_followed(const Step& step) const {
  const isa::Modifiers& m = step.modifiers();
  const bool moves = isa::pure_of(step.instruction->opcode, m) == isa::Pure::move;
  return step.compute != nullptr && !step.is_unknown && !step.reads_clock && (moves || !is_floating(m)) &&
         step.counted == kNoSlot && !step.counts_turns && !step.has(Role::state) && bits_of(step) <= 64 &&
         m.packed == isa::Packed::none && isa::pure_of(step.instruction->opcode, m) != isa::Pure::function;
}

/// By a rule; kAnyhow: there is none, or it does not say.
BlockValues::Cell BlockValues::result(Warp& warp, const Step& step, unsigned lane) {
  const Opcode opcode = step.instruction->opcode;
  const isa::Modifiers& m = step.modifiers();
  const bool one_register = step.to != kNoSlot && step.second == kNoSlot && step.elements.size() < 2 &&
                            step.fit.from >= 64 && m.variants == isa::Variants{};
  if (!one_register && opcode != Opcode::setp) return kAnyhow;
  switch (isa::pure_of(opcode, m)) {
    case isa::Pure::move:
      return step.source_count == 1 && width(warp, step.sources[0], lane) == width(warp, step.to, lane)
                 ? operand(warp, step, 0, lane).move
                 : kAnyhow;
    case isa::Pure::convert:
      return converted(warp, step, lane);
    case isa::Pure::select:
      return narrowed(warp, step, lane, operand(warp, step, is_chosen(warp, step, lane) ? 0 : 1, lane).move);
    case isa::Pure::compare:
      return compared(warp, step, lane);
    case isa::Pure::product:
      return m.half == isa::MulHalf::hi ? kAnyhow : product(warp, step, lane);
    case isa::Pure::shift:
      return opcode == Opcode::shl ? shifted(warp, step, lane) : kAnyhow;
    case isa::Pure::apply:
      if (opcode == Opcode::min || opcode == Opcode::max) return lesser(warp, step, lane);
      if (opcode == Opcode::add || opcode == Opcode::sub || opcode == Opcode::neg || opcode == Opcode::not_)
        return sum(warp, step, lane);
      return kAnyhow;
    default:
      return kAnyhow;
  }
}

bool BlockValues::are_still(const Warp& warp, const Step& step, unsigned lane) const {
  const auto end = step.sources.begin() + step.source_count;
  return std::all_of(step.sources.begin(), end,
                     [&](Slot slot) { return move_of(warp, slot, lane) == kStill; });
}

bool BlockValues::is_chosen(Warp& warp, const Step& step, unsigned lane) {
  return is_true(warp, step, Role::predicate, lane);
}

/// By written register and place.
std::vector<std::vector<std::uint64_t>> BlockValues::values_at_places(Warp& warp, const Step& step,
                                                                      unsigned lane) {
  const GridMoves& moves = run_.grid->moves;
  std::vector<Row>& rows = warp.registers.rows;
  std::map<Slot, Row> before;
  std::vector<std::pair<Slot, Operand>> sources;
  for (std::size_t i = 0; i < step.source_count; ++i)
    sources.emplace_back(step.sources[i], operand(warp, step, i, lane));
  if (const Slot slot = step.slot(Role::predicate); slot != kNoSlot)
    sources.emplace_back(slot, Operand{rows[slot][lane], kStill, 1});
  for (const auto& source : sources) before.emplace(source.first, rows[source.first]);
  for (const Slot slot : results_.slots) before.emplace(slot, rows[slot]);
  std::vector<std::vector<std::uint64_t>> out(results_.slots.size(),
                                              std::vector<std::uint64_t>(moves.places()));
  for (std::uint64_t first = 0; first < moves.places(); first += kLanes) {
    for (const auto& [slot, source] : sources) {
      const Wide from = source.move == kStill ? 0 : moves.at(source.move, place_of(warp));
      for (unsigned i = 0; i < kLanes; ++i) {
        const std::uint64_t place = std::min<std::uint64_t>(first + i, moves.places() - 1);
        const Wide by = source.move == kStill ? 0 : moves.at(source.move, place) - from;
        rows[slot][i] = integer::wrap(source.value + static_cast<std::uint64_t>(by),
                                      static_cast<integer::Width>(source.bits));
      }
    }
    step.compute(rows.data(), step, kAllLanes);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool fits = results_.slots[i] == step.to;
      for (unsigned l = 0; l < kLanes && first + l < moves.places(); ++l) {
        const std::uint64_t value = rows[results_.slots[i]][l];
        out[i][first + l] = fits ? fitted(step, value, width(warp, step.to, lane)) : value;
      }
    }
  }
  for (const auto& [slot, row] : before) rows[slot] = row;
  return out;
}

/// Its results at each place, where that is not too much.
void BlockValues::evaluate(Warp& warp, const Step& step, unsigned lane) {
  std::vector<std::uint64_t> key;
  for (std::size_t i = 0; i < step.source_count; ++i) {
    const Operand source = operand(warp, step, i, lane);
    if (source.move == kAnyhow) return;
    // What a move gives is counted from the own place.
    key.insert(key.end(), {source.value, source.move, source.move == kStill ? 0 : place_of(warp)});
  }
  if (const Slot slot = step.slot(Role::predicate); slot != kNoSlot) key.push_back(warp.row(slot)[lane]);
  const auto [known, fresh] = evaluated_.try_emplace(key_of(step, std::move(key)));
  if (fresh) {
    known->second.assign(results_.slots.size(), kAnyhow);
    evaluations_ += run_.grid->moves.places();
    if (evaluations_ > kMostEvaluations) return;
    const auto values = values_at_places(warp, step, lane);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const unsigned bits = width(warp, results_.slots[i], lane);
      const Move move = run_.grid->moves.of_values(values[i], bits);
      known->second[i] = bits == 1 && move != kStill ? kAnyhow : move;
    }
  }
  for (std::size_t i = 0; i < known->second.size(); ++i) results_.cells[i][lane] = known->second[i];
}

BlockValues::Known BlockValues::key_of(const Step& step, std::vector<std::uint64_t> sources) {
  return {&step, std::move(sources)};
}

void BlockValues::before(Warp& warp, const Step& step, LaneMask lanes) {
  results_.lanes = lanes;
  results_.slots = written_by(step);
  results_.cells.assign(results_.slots.size(), Cells{});
  for (Cells& cells : results_.cells) cells.fill(kAnyhow);
  if (step.counted != kNoSlot) refuse(step);
  if (!is_followed(step)) return;
  const LaneMask addresses = taint_of(warp, step).address;
  if (step.guard != kNoSlot) lanes &= ~warp.taint(step.guard).block;
  for_lanes(lanes, [&](unsigned lane) {
    if ((addresses >> lane & 1U) != 0 && !keeps_addresses(warp, step, lane)) return;
    if (step.divides && !divides_safely(warp, step, lane)) return;
    if (!settle_predicates(warp, step, lane)) return;
    const Cell by_rule = are_still(warp, step, lane) ? kStill : result(warp, step, lane);
    if (by_rule == kAnyhow) return evaluate(warp, step, lane);
    for (Cells& cells : results_.cells) cells[lane] = by_rule;
  });
}

}  // namespace ptxmc::exec
