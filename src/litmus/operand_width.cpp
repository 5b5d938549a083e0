// SPDX-License-Identifier: Apache-2.0
// Widths of operands. ld, st and cvt take registers that are wider than they need (9.4.1); all others want the
// exact size, and .b32 suits each type of 32 bits.
#include "litmus/operand_width.h"

#include <algorithm>

#include "isa/matrix.h"

namespace ptxmc::litmus {

using isa::Fragment;
using isa::Opcode;

namespace {

constexpr Use kPredicate{1, true};
constexpr Use kWord{32, true};
constexpr Use kDouble{64, true};

Use bits_of(const isa::Modifiers& m) {
  const std::uint16_t bits = m.type ? m.type->bits : 64;
  return {std::max<std::uint16_t>(bits, bits == 1 ? 1 : 16), true};
}

Use at_least(Use use) {
  use.exact = false;
  return use;
}

Use doubled(Use use) {
  use.bits = static_cast<std::uint16_t>(use.bits * 2);
  return use;
}

bool is_vector(const Instruction& instruction, std::size_t i) {
  return std::holds_alternative<VectorOperand>(instruction.operands[i].value);
}

std::optional<Use> access(const Instruction& instruction, std::size_t i) {
  const isa::Modifiers& m = instruction.modifiers;
  if (m.packed != isa::Packed::none) return kWord;
  const bool exact = instruction.opcode == Opcode::atom || instruction.opcode == Opcode::red ||
                     instruction.opcode == Opcode::st_async || instruction.opcode == Opcode::red_async;
  (void)i;
  return exact ? bits_of(m) : at_least(bits_of(m));
}

std::optional<Use> mbarrier(const Instruction& instruction, std::size_t i) {
  switch (instruction.opcode) {
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_drop:
      return i == 0 ? kDouble : kWord;
    case Opcode::mbarrier_test_wait:
    case Opcode::mbarrier_try_wait:
      if (i == 0) return kPredicate;
      return i == 2 && !instruction.modifiers.parity ? kDouble : kWord;
    case Opcode::mbarrier_pending_count:
      return i == 0 ? kWord : kDouble;
    default:
      return kWord;
  }
}

std::optional<Use> barrier(const Instruction& instruction, std::size_t i) {
  if (instruction.opcode != Opcode::bar_red) return kWord;
  if (i + 1 == instruction.operands.size()) return kPredicate;
  return i == 0 && instruction.modifiers.barrier_red != isa::BarrierRed::popc ? kPredicate : kWord;
}

std::optional<Use> arithmetic(const Instruction& instruction, std::size_t i) {
  const isa::Modifiers& m = instruction.modifiers;
  const bool wide = m.half == isa::MulHalf::wide;
  if (wide && (i == 0 || i == 3)) return doubled(bits_of(m));
  const bool shift = instruction.opcode == Opcode::shl || instruction.opcode == Opcode::shr;
  return shift && i == 2 ? kWord : bits_of(m);
}

std::optional<Use> move(const Instruction& instruction, std::size_t i) {
  const Use use = bits_of(instruction.modifiers);
  if (!is_vector(instruction, i)) return use;
  const auto& vector = std::get<VectorOperand>(instruction.operands[i].value);
  return Use{static_cast<std::uint16_t>(use.bits / vector.elements.size()), true};
}

std::optional<Use> between_lanes(const Instruction& instruction, std::size_t i, bool second) {
  const isa::Modifiers& m = instruction.modifiers;
  if (second) return kPredicate;
  switch (instruction.opcode) {
    case Opcode::vote:
      if (i == 1) return kPredicate;
      return i == 0 && m.warp_mode != isa::WarpMode::ballot ? kPredicate : kWord;
    case Opcode::match:
      return i == 1 ? bits_of(m) : kWord;
    default:
      return kWord;
  }
}

std::optional<Use> matrix(const Instruction& instruction, std::size_t i) {
  const isa::Matrix& m = instruction.modifiers.matrix;
  constexpr Fragment kFragments[] = {Fragment::d, Fragment::a, Fragment::b, Fragment::c};
  if (instruction.opcode == Opcode::mma)
    return i < 4 ? Use{static_cast<std::uint16_t>(isa::fragment_bits(m, kFragments[i])), true} : kWord;
  if (instruction.opcode != Opcode::wgmma_mma) return kWord;
  const std::size_t scale = m.sparse ? 5 : 3;
  if (i == scale) return kPredicate;
  if ((i == 1 || i == 2) && !is_vector(instruction, i)) return kDouble;
  return kWord;
}

std::optional<Use> selection(const Instruction& instruction, std::size_t i) {
  const bool comparison = instruction.opcode == Opcode::setp;
  if ((comparison && i == 0) || i == 3) return kPredicate;
  return bits_of(instruction.modifiers);
}

std::optional<Use> copy(const Instruction& instruction, std::size_t i) {
  if (instruction.opcode == Opcode::cp_async && i == 3) return std::nullopt;  // a size, or whether to ignore
  const std::size_t mask = instruction.opcode == Opcode::cp_async_bulk_tensor ? 3 : 4;
  if (i == mask) return Use{16, true};  // of CTAs
  return kWord;
}

std::optional<Use> map_replace(const Instruction& instruction, std::size_t i) {
  return i + 1 == instruction.operands.size() ? bits_of(instruction.modifiers) : kWord;
}

}  // namespace

namespace {

/// 9.7.16: descriptors in shared memory and masks of columns have 64 bits, masks of CTAs 16; enable-input-d
/// is a predicate.
std::optional<Use> tensor(const Instruction& instruction, std::size_t i) {
  if (instruction.opcode == Opcode::tcgen05_commit) return Use{16, true};
  if (instruction.opcode == Opcode::tcgen05_cp) return kDouble;
  if (instruction.opcode != Opcode::tcgen05_mma) return kWord;
  const isa::Tensor& t = instruction.modifiers.tensor;
  if (i == 1 || i == 2) return kDouble;
  std::size_t enable = tensor_descriptor(instruction) + (t.block_scale ? 3U : 1U);
  const bool masked = enable < instruction.operands.size() &&
                      std::holds_alternative<VectorOperand>(instruction.operands[enable].value);
  if (masked) ++enable;
  if (i == enable) return kPredicate;
  return i > enable && t.weight_stationary ? kDouble : kWord;
}

}  // namespace

std::size_t tensor_descriptor(const Instruction& instruction) {
  return instruction.modifiers.tensor.sparse ? 4 : 3;  // behind D, A, B and metadata
}

std::optional<Use> use_of(const Instruction& instruction, std::size_t i, bool second) {
  const isa::Modifiers& m = instruction.modifiers;
  switch (instruction.opcode) {
    case Opcode::ld:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::st_async:
    case Opcode::red_async:
      return access(instruction, i);
    case Opcode::bar_sync:
    case Opcode::bar_arrive:
    case Opcode::bar_red:
      return barrier(instruction, i);
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_expect_tx:
    case Opcode::mbarrier_complete_tx:
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_drop:
    case Opcode::mbarrier_test_wait:
    case Opcode::mbarrier_try_wait:
    case Opcode::mbarrier_pending_count:
      return mbarrier(instruction, i);
    case Opcode::mov:
      return move(instruction, i);
    case Opcode::cvt:
      if (i == 1 && m.source_type) return at_least({std::max<std::uint16_t>(m.source_type->bits, 16), true});
      return at_least(bits_of(m));
    case Opcode::selp:
    case Opcode::setp:
      return selection(instruction, i);
    case Opcode::cvta:
      return bits_of(m);
    case Opcode::mapa:
      return i == 2 ? kWord : bits_of(m);
    case Opcode::branch_compare:
      return kDouble;
    case Opcode::cp_async:
    case Opcode::cp_async_bulk:
    case Opcode::cp_reduce_async_bulk:
    case Opcode::cp_async_bulk_prefetch:
    case Opcode::cp_async_bulk_tensor:
    case Opcode::cp_reduce_async_bulk_tensor:
    case Opcode::cp_async_bulk_prefetch_tensor:
      return copy(instruction, i);
    case Opcode::tensormap_replace:
      return map_replace(instruction, i);
    case Opcode::st_bulk:
      return kDouble;
    case Opcode::shuffle:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
    case Opcode::active_mask:
      return between_lanes(instruction, i, second);
    case Opcode::tcgen05_alloc:
    case Opcode::tcgen05_dealloc:
    case Opcode::tcgen05_ld:
    case Opcode::tcgen05_st:
    case Opcode::tcgen05_cp:
    case Opcode::tcgen05_mma:
    case Opcode::tcgen05_commit:
      return tensor(instruction, i);
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix:
    case Opcode::mma:
    case Opcode::wgmma_mma:
      return matrix(instruction, i);
    default:
      return m.type ? arithmetic(instruction, i) : std::nullopt;
  }
}

}  // namespace ptxmc::litmus
