// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async (9.7.14): products of a warpgroup, whose matrices in shared memory descriptors name. Each of its four
// warps executes the instruction (R251); what it computes, nobody evaluates.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/machine.h"

namespace ptxmc::kernel {

namespace {

using footprint::MatrixSize;
using isa::Opcode;
using isa::Role;

}  // namespace

void Machine::warpgroup(Warp& warp, const Step& step, LaneMask group) {
  if (step.instruction->opcode == Opcode::wgmma_mma) return warpgroup_product(warp, step, group);
  ++changes_;
  if (observer_ == nullptr) return;
  const trace::Lanes all = lanes(warp, group);
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  switch (step.instruction->opcode) {
    case Opcode::wgmma_fence:
      return observer_->wgmma_fence(step.site, all);
    case Opcode::wgmma_commit:
      return observer_->wgmma_commit(step.site, all);
    default:
      return observer_->wgmma_wait(step.site, all,
                                   static_cast<std::uint32_t>(read(warp, step, Role::count, first)));
  }
}

void Machine::warpgroup_product(Warp& warp, const Step& step, LaneMask group) {
  const isa::Matrix& matrix = step.modifiers().matrix;
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  const auto transposed = [&](Role role) { return step.has(role) && read(warp, step, role, first) == 1; };
  std::vector<trace::Range> reads;
  if (step.has(Role::a)) {
    const MatrixSize size{matrix.m, matrix.sparse ? matrix.k / 2 : matrix.k, bits_of(matrix.a)};
    add_matrix(warp, step, group, Role::a, size, transposed(Role::transpose_a), reads);
  }
  const MatrixSize size{matrix.n, matrix.k, bits_of(matrix.b)};
  add_matrix(warp, step, group, Role::b, size, transposed(Role::transpose_b), reads);
  issue(warp, step, first, trace::Tracking::wgmma, 0, reads, {});
  matrix_product(warp, step, group);
}

/// The bytes of the matrix in the shared memory of the CTA that the descriptor names.
void Machine::add_matrix(Warp& warp, const Step& step, LaneMask group, Role role, const MatrixSize& size,
                         bool transposed, std::vector<trace::Range>& out) {
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  const std::uint64_t bits = read(warp, step, role, first);
  for_lanes(group, [&](unsigned lane) {
    if (read(warp, step, role, lane) != bits)
      fault(FaultKind::bad_operand, step, warp, lane,
            "a matrix descriptor that differs between lanes of a warp");
  });
  if (const Sources sources = warp.taint(step.slot(role)).within(group); sources != 0)
    decided(step, Decided::address, sources, false);
  const MatrixBytes& bytes = matrices_.find(footprint::MatrixUnit::wgmma, bits, size, transposed);
  if (!bytes.problem.text.empty())
    return fault(FaultKind::bad_operand, step, warp, first, bytes.problem.text);
  const Address window = memory_->shared(warp.cta);
  for (const footprint::Range& range : bytes.ranges) {
    const trace::Range there{window + static_cast<Address>(range.begin), range.bytes};
    if (!in_memory(warp, step, first, there)) return;
    out.push_back(there);
  }
}

}  // namespace ptxmc::kernel
