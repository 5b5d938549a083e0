// SPDX-License-Identifier: Apache-2.0
// tcgen05.mma, .sp, .ws (9.7.16.10): D = A B or D = A B + D.
//
// Reads: A in shared memory, or in tensor memory; B in shared memory; scale factors and metadata in tensor
// memory; D where enable-input-d holds. Writes D, but for the lanes that disable-output-lane masks. With
// .cta_group::2 each CTA of the pair has its rows of A and D, and half of the columns of B, at the same
// addresses. The collector buffer changes nothing: memory may be read again whenever it may be reused
// (R281).
#include "axiomatic/lower/families/tcgen05_mma.h"

#include "axiomatic/lower/unit/matrix_values.h"
#include "ptx/isa/table.h"

namespace ptxmc::lower {

using event::Op;
using event::TensorOp;
using footprint::Product;

/// 9.7.16.10.9.1: lanes of D that stay as they are, 4 words a CTA.
std::vector<std::uint32_t> Tcgen05Mma::lane_mask(const Instruction& instruction, const State& state) {
  std::vector<std::uint32_t> mask;
  const Operand* lanes = instruction.find(Role::lane_mask);
  if (lanes == nullptr) return mask;
  std::vector<Expr> words;
  fragments_.add_fragment(state, *lanes, 32, words);
  for (const Expr word : words) {
    if (!pool_.is_constant(word)) unsupported(lanes->position, "a mask of lanes that is not constant");
    mask.push_back(static_cast<std::uint32_t>(pool_[word].constant));
  }
  return mask;
}

Product Tcgen05Mma::instruction_descriptor(const Instruction& instruction, const State& state) {
  const Operand& source = instruction.operand(Role::descriptor);
  const Expr value = registers_.operand(state, source, 32);
  if (!pool_.is_constant(value))
    unsupported(source.position, "an instruction descriptor that is not constant");
  std::string error;
  const auto product = footprint::decode_product(instruction.modifiers.tensor,
                                                 static_cast<std::uint32_t>(pool_[value].constant), error);
  if (!product) fail(source.position, error);
  return *product;
}

/// What the instruction reads from registers, and its addresses in tensor memory.
Tcgen05Mma::Operation Tcgen05Mma::read_operands(const Instruction& instruction, const State& state) {
  Operation op{instruction,
               instruction_descriptor(instruction, state),
               registers_.predicate_operand(state, instruction.operand(Role::enable_d)),
               lane_mask(instruction, state),
               {memory_.tensor_operand(state, instruction.operand(Role::address))},
               {}};
  for (const Role role : {Role::a, Role::metadata, Role::scale_a, Role::scale_b}) {
    const Operand* operand = instruction.find(role);
    if (operand == nullptr || !std::holds_alternative<program::Address>(operand->value)) continue;
    op.address_of.emplace(role, op.addresses.size());
    op.addresses.push_back(memory_.tensor_operand(state, *operand));
  }
  return op;
}

void Tcgen05Mma::tensor_product(const Instruction& instruction, State& state) {
  const Operation op = read_operands(instruction, state);
  for (const TensorBinding& binding : memory_.bind_tensor(instruction, state, op.addresses)) {
    unit_.decide(thread_, op.accumulates, binding.guard);
    Execution at{op, binding, add_issue(op, binding), {}, {}};
    const Cluster ctas = memory_.tensor_ctas(instruction);
    const Expr result = multiply(at, state, ctas);
    for (std::size_t c = 0; c < ctas.size(); ++c) {
      const TensorRegion region = written_region(at, ctas, c);
      if (!region.empty()) accumulate(at, ctas[c], region, result);
    }
    auto& tracked = state.tensor.tracked.at(instruction.modifiers.tensor.cta_group - 1U);
    tracked.insert(tracked.end(), at.accesses.begin(), at.accesses.end());
    auto& of_a = state.tensor.reads_of_a.at(instruction.modifiers.tensor.cta_group - 1U);
    of_a.insert(of_a.end(), at.reads_of_a.begin(), at.reads_of_a.end());
  }
}

EventId Tcgen05Mma::add_issue(const Operation& op, const TensorBinding& binding) {
  const EventId issue = memory_.tensor_issue(op.instruction, TensorOp::mma, binding.guard);
  event::TensorIssue& issued = graph_.events[issue].tensor;
  issued.m = static_cast<std::uint16_t>(op.product.m);
  issued.n = static_cast<std::uint16_t>(op.product.n);
  issued.k = static_cast<std::uint16_t>(op.product.k);
  const TensorAddress d = binding.addresses.front();
  issued.address = d.lane << 16 | d.column;
  return issue;
}

/// A B of all CTAs, as one opaque value.
Expr Tcgen05Mma::multiply(Execution& at, const State& state, const Cluster& ctas) {
  const Instruction& instruction = at.op.instruction;
  std::vector<Expr> arguments{pool_.constant(at.op.product.m, 64), pool_.constant(at.op.product.n, 64)};
  for (const std::uint32_t cta : ctas) read_multiplicands(at, state, cta, arguments);
  for (const Role role : {Role::scale_d, Role::column_mask}) {
    if (const Operand* more = instruction.find(role))
      arguments.push_back(registers_.operand(state, *more, 64));
  }
  isa::Modifiers named = instruction.modifiers;
  named.tensor.collector = isa::Collector::none;
  return uninterpreted(pool_, isa::mnemonic(instruction.opcode, named), arguments);
}

/// A, B, metadata and scale factors of one CTA.
void Tcgen05Mma::read_multiplicands(Execution& at, const State& state, std::uint32_t cta,
                                    std::vector<Expr>& arguments) {
  const Instruction& instruction = at.op.instruction;
  const isa::Tensor& t = instruction.modifiers.tensor;
  const Product& product = at.op.product;
  const std::int64_t rows = product.m / t.cta_group, columns = product.n / t.cta_group;
  const std::int64_t depth = t.sparse ? product.k / 2 : product.k;
  const auto address = [&](Role role) { return at.binding.addresses.at(at.op.address_of.at(role)); };
  const auto read_tensor = [&](const TensorRegion& region, TensorAddress origin, bool scales = false) {
    memory_.check_region(instruction, cta, region, at.binding.guard);
    TensorValues values;
    at.accesses.push_back(memory_.tensor_access(EventKind::read, instruction, cta, region, at.issue,
                                                at.binding.guard, nullptr, &values));
    event::Labels& labels = graph_.events[at.accesses.back()].labels;
    labels.multiplicand = true;
    labels.unpaired = scales && unit_.options.readings.scales_are_apart;
    arguments.push_back(memory_.tensor_contents(values, origin));
  };
  const auto read_shared = [&](Role role, const footprint::MatrixSize& size, bool transposed) {
    arguments.push_back(shared_.read_shared_matrix(instruction, instruction.operand(role), state, size,
                                                   transposed, at.issue, cta, at.accesses));
  };
  if (at.op.address_of.contains(Role::a)) {
    read_tensor(multiplicand_region(t, product, address(Role::a)), address(Role::a));
  } else {
    const std::size_t before = at.accesses.size();
    read_shared(Role::a, {rows, depth, product.bits}, product.transpose_a);
    at.reads_of_a.insert(at.reads_of_a.end(), at.accesses.begin() + static_cast<std::ptrdiff_t>(before),
                         at.accesses.end());
  }
  read_shared(Role::b, {columns, product.k, product.bits}, product.transpose_b);
  if (t.sparse) read_tensor(metadata_region(t, product, address(Role::metadata)), address(Role::metadata));
  if (!t.block_scale) return;
  read_tensor(scale_region(t, product, rows, address(Role::scale_a)), address(Role::scale_a), true);
  read_tensor(scale_region(t, product, product.n, address(Role::scale_b)), address(Role::scale_b), true);
}

/// D of CTA number `c` without the lanes that are masked.
TensorRegion Tcgen05Mma::written_region(const Execution& at, const Cluster& ctas, std::size_t c) {
  const Instruction& instruction = at.op.instruction;
  const TensorRegion region =
      accumulator_region(instruction.modifiers.tensor, at.op.product, at.binding.addresses.front());
  memory_.check_region(instruction, ctas[c], region, at.binding.guard);
  if (at.op.lane_mask.empty()) return region;
  const auto first = at.op.lane_mask.begin() + static_cast<std::ptrdiff_t>(4 * c);
  return footprint::without_lanes(region, {first, first + 4});
}

/// D of one CTA: what the product gives, or that and what D held.
void Tcgen05Mma::accumulate(Execution& at, std::uint32_t cta, const TensorRegion& region, Expr result) {
  const Instruction& instruction = at.op.instruction;
  const Expr guard = at.binding.guard, accumulates = at.op.accumulates;
  TensorValues old;
  const Expr reads = pool_.conjunction(guard, accumulates);
  const bool may_read = !pool_.is_false(accumulates);
  if (may_read)
    at.accesses.push_back(
        memory_.tensor_access(EventKind::read, instruction, cta, region, at.issue, reads, nullptr, &old));
  const auto value = [&](event::CellId cell) {
    const Expr place = memory_.place_in(cell, at.binding.addresses.front());
    const Expr fresh = upper_half(pool_, part_of(pool_, result, place));
    for (const TensorValue& before : old) {
      if (before.cell != cell) continue;
      const Expr sum = upper_half(pool_, part_of(pool_, part_of(pool_, result, before.value), place));
      return pool_.make(Op::ite, 32, accumulates, sum, fresh);
    }
    return fresh;
  };
  at.accesses.push_back(
      memory_.tensor_access(EventKind::write, instruction, cta, region, at.issue, guard, value, nullptr));
  if (may_read) memory_.join_halves(at.accesses[at.accesses.size() - 2], at.accesses.back());
}

}  // namespace ptxmc::lower
