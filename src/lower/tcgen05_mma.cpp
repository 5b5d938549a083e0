// SPDX-License-Identifier: Apache-2.0
// tcgen05.mma, .sp, .ws (9.7.16.10): D = A B or D = A B + D.
//
// Reads: A in shared memory, or in tensor memory; B in shared memory; scale factors and metadata in tensor
// memory; D where enable-input-d holds. Writes D, but for the lanes that disable-output-lane masks. With
// .cta_group::2 each CTA of the pair has its rows of A and D, and half of the columns of B, at the same
// addresses. The collector buffer changes nothing: memory may be read again whenever it may be reused
// (R281).
#include "isa/table.h"
#include "lower/matrix_values.h"
#include "lower/thread.h"

namespace ptxmc::lower {

using event::EventId;
using event::EventKind;
using event::Expr;
using event::Op;
using event::TensorOp;

namespace {

bool is_address(const program::Operand& operand) {
  return std::holds_alternative<program::Address>(operand.value);
}

/// Drops the lanes whose bit is set; `words` has 32 lanes each (9.7.16.10.9.1).
TensorRegion without_lanes(const TensorRegion& region, const std::vector<std::uint32_t>& words) {
  TensorRegion out;
  for (const TensorBox& box : region) {
    for (std::int64_t lane = box.lane; lane < box.lane + box.lanes; ++lane) {
      const auto word = static_cast<std::size_t>(lane / 32);
      if ((words.at(word) >> (lane % 32) & 1U) != 0) continue;
      const bool joins = !out.empty() && out.back().lane + out.back().lanes == lane &&
                         out.back().column == box.column && out.back().columns == box.columns;
      if (joins) {
        ++out.back().lanes;
      } else {
        out.push_back({lane, 1, box.column, box.columns});
      }
    }
  }
  return out;
}

}  // namespace

/// 9.7.16.10.9.1: lanes of D that stay as they are, 4 words a CTA.
std::vector<std::uint32_t> ThreadLowering::lane_mask(const Instruction& instruction, const State& state) {
  std::vector<std::uint32_t> mask;
  const Operand* lanes = instruction.find(Role::lane_mask);
  if (lanes == nullptr) return mask;
  std::vector<Expr> words;
  add_fragment(state, *lanes, 32, words);
  for (const Expr word : words) {
    if (!unit_.pool().is_constant(word))
      unit_.errors.unsupported(lanes->position, "a mask of lanes that is not constant");
    mask.push_back(static_cast<std::uint32_t>(unit_.pool()[word].constant));
  }
  return mask;
}

Product ThreadLowering::instruction_descriptor(const Instruction& instruction, const State& state) {
  const Operand& source = instruction.operand(Role::descriptor);
  const Expr value = operand(state, source, 32);
  if (!unit_.pool().is_constant(value))
    unit_.errors.unsupported(source.position, "an instruction descriptor that is not constant");
  std::string error;
  const auto product = footprint::decode_product(
      instruction.modifiers.tensor, static_cast<std::uint32_t>(unit_.pool()[value].constant), error);
  if (!product) fail(source.position, error);
  return *product;
}

void ThreadLowering::tensor_product(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
  const isa::Tensor& t = instruction.modifiers.tensor;
  const Product product = instruction_descriptor(instruction, state);
  const Expr accumulates = predicate_operand(state, instruction.operand(Role::enable_d));
  const std::vector<std::uint32_t> mask = lane_mask(instruction, state);

  std::vector<Expr> addresses{tensor_operand(state, instruction.operand(Role::address))};
  const auto ask = [&](Role role) -> std::size_t {  // 0: no such operand, or none in tensor memory
    const Operand* asked = instruction.find(role);
    if (asked == nullptr || !is_address(*asked)) return 0;
    addresses.push_back(tensor_operand(state, *asked));
    return addresses.size() - 1;
  };
  const std::size_t a = ask(Role::a);
  const std::size_t metadata = ask(Role::metadata);
  const std::size_t scale_a = ask(Role::scale_a);
  const std::size_t scale_b = ask(Role::scale_b);

  for (const TensorBinding& binding : bind_tensor(instruction, state, addresses)) {
    const Expr guard = binding.guard;
    unit_.decide(thread_, accumulates, guard);
    const EventId issue = tensor_issue(instruction, TensorOp::mma, guard);
    event::TensorIssue& issued = unit_.graph.events[issue].tensor;
    issued.m = static_cast<std::uint16_t>(product.m);
    issued.n = static_cast<std::uint16_t>(product.n);
    issued.k = static_cast<std::uint16_t>(product.k);
    const TensorAddress d = binding.addresses.front();
    issued.address = d.lane << 16 | d.column;

    std::vector<EventId> accesses;
    std::vector<Expr> arguments{pool.constant(product.m, 64), pool.constant(product.n, 64)};
    const Cluster ctas = tensor_ctas(instruction);
    const auto read_tensor = [&](std::uint32_t cta, const TensorRegion& region, TensorAddress at) {
      check_region(instruction, cta, region, guard);
      TensorValues values;
      accesses.push_back(
          tensor_access(EventKind::read, instruction, cta, region, issue, guard, nullptr, &values));
      arguments.push_back(tensor_contents(values, at));
    };
    const std::int64_t rows = product.m / t.cta_group, columns = product.n / t.cta_group;
    const std::int64_t depth = t.sparse ? product.k / 2 : product.k;
    for (const std::uint32_t cta : ctas) {
      const auto at = [&](std::size_t i) { return binding.addresses.at(i); };
      if (a != 0) {
        read_tensor(cta, multiplicand_region(t, product, at(a)), at(a));
      } else {
        arguments.push_back(read_shared_matrix(instruction, instruction.operand(Role::a), state,
                                               {rows, depth, product.bits}, product.transpose_a, issue, cta,
                                               accesses));
      }
      arguments.push_back(read_shared_matrix(instruction, instruction.operand(Role::b), state,
                                             {columns, product.k, product.bits}, product.transpose_b, issue,
                                             cta, accesses));
      if (t.sparse) read_tensor(cta, metadata_region(t, product, at(metadata)), at(metadata));
      if (t.block_scale) {
        read_tensor(cta, scale_region(t, product, rows, at(scale_a)), at(scale_a));
        read_tensor(cta, scale_region(t, product, product.n, at(scale_b)), at(scale_b));
      }
    }
    for (const Role role : {Role::scale_d, Role::column_mask}) {
      if (const Operand* more = instruction.find(role)) arguments.push_back(operand(state, *more, 64));
    }
    isa::Modifiers named = instruction.modifiers;
    named.tensor.collector = isa::Collector::none;
    const Expr result = uninterpreted(pool, isa::mnemonic(instruction.opcode, named), arguments);
    for (std::size_t c = 0; c < ctas.size(); ++c) {
      TensorRegion region = accumulator_region(t, product, d);
      check_region(instruction, ctas[c], region, guard);
      if (!mask.empty()) {
        const auto first = mask.begin() + static_cast<std::ptrdiff_t>(4 * c);
        region = without_lanes(region, {first, first + 4});
        if (region.empty()) continue;
      }
      accumulate(instruction, ctas[c], region, issue, guard, accumulates, d, result, accesses);
    }
    auto& tracked = state.tensor.tracked.at(t.cta_group - 1U);
    tracked.insert(tracked.end(), accesses.begin(), accesses.end());
  }
}

/// D of one CTA: what the product gives, or that and what D held.
void ThreadLowering::accumulate(const Instruction& instruction, std::uint32_t cta, const TensorRegion& region,
                                EventId issue, Expr guard, Expr accumulates, TensorAddress d, Expr result,
                                std::vector<EventId>& accesses) {
  auto& pool = unit_.pool();
  TensorValues old;
  const Expr reads = pool.conjunction(guard, accumulates);
  const bool may_read = !pool.is_false(accumulates);
  if (may_read)
    accesses.push_back(tensor_access(EventKind::read, instruction, cta, region, issue, reads, nullptr, &old));
  const auto value = [&](event::CellId cell) {
    const Expr place = place_in(cell, d);
    const Expr fresh = upper_half(pool, part_of(pool, result, place));
    for (const TensorValue& before : old) {
      if (before.cell != cell) continue;
      const Expr sum = upper_half(pool, part_of(pool, part_of(pool, result, before.value), place));
      return pool.make(Op::ite, 32, accumulates, sum, fresh);
    }
    return fresh;
  };
  accesses.push_back(tensor_access(EventKind::write, instruction, cta, region, issue, guard, value, nullptr));
  if (may_read) join_halves(accesses[accesses.size() - 2], accesses.back());
}

}  // namespace ptxmc::lower
