// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async (9.7.14): products of a warpgroup, whose matrices in shared memory descriptors name. Each
// of its four warps executes the instruction (R251); what it computes is not evaluated.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "dynamic/exec/machine.h"
#include "ptx/rules/limits.h"

namespace ptxmc::exec {

namespace {

using footprint::MatrixSize;
using isa::Opcode;
using isa::Role;

LaneMask waiting_for_products(const Warp& warp) {
  LaneMask out = 0;
  for_lanes(warp.live() & ~warp.ready, [&](unsigned lane) {
    if (warp.wait[lane] == Wait::products) out |= LaneMask{1} << lane;
  });
  return out;
}

}  // namespace

void Warpgroups::warpgroup(Warp& warp, const Step& step, LaneMask group) {
  if (step.instruction->opcode == Opcode::wgmma_mma) return warpgroup_product(warp, step, group);
  ++run_.changes;
  execute_together(warp, step);
  const trace::Lanes all = lanes_of(warp, group);
  switch (step.instruction->opcode) {
    case Opcode::wgmma_fence:
      warp.wgmma.fence();
      run_.observer.wgmma_fence(step.site, all);
      return;
    case Opcode::wgmma_commit:
      warp.wgmma.commit();
      run_.observer.wgmma_commit(step.site, all);
      return retry_products(warp);
    default:
      return wait_for_products(warp, step, group);
  }
}

/// A product is complete when all warps of the warpgroup have issued it (R251).
void Warpgroups::wait_for_products(Warp& warp, const Step& step, LaneMask group) {
  if (are_issued(warp, pending_of(warp, step, group))) return end_wait_for_products(warp, step, group);
  warp.block(step, group, Wait::products);
  warp.step_over();
}

void Warpgroups::end_wait_for_products(Warp& warp, const Step& step, LaneMask group) {
  const std::uint32_t pending = pending_of(warp, step, group);
  warp.wgmma.wait(pending);
  run_.observer.wgmma_wait(step.site, lanes_of(warp, group), pending);
}

/// By the others of its warpgroup that are there: the groups of the warp, but for the last ones.
bool Warpgroups::are_issued(const Warp& warp, std::uint32_t pending) const {
  for (const std::uint32_t number : group_of(warp).warps) {
    const Warp& other = run_.warps[number];
    if (other.live() != 0 && other.wgmma.committed() + pending < warp.wgmma.committed()) return false;
  }
  return true;
}

/// One has issued more: who of its warpgroup waits for that.
void Warpgroups::retry_products(const Warp& warp) {
  for (const std::uint32_t number : run_.ctas[warp.cta].warps) {
    Warp& other = run_.warps[number];
    const LaneMask waiting = waiting_for_products(other);
    if (waiting == 0) continue;
    const Step& step = *other.waits_at[static_cast<unsigned>(std::countr_zero(waiting))];
    if (!are_issued(other, pending_of(other, step, waiting))) continue;
    end_wait_for_products(other, step, waiting);
    other.release(waiting);
  }
}

/// No other thread goes on: the warps of a warpgroup do not execute the same instructions, which is a fault
/// at the end.
bool Warpgroups::give_products_up() {
  bool some = false;
  for (Warp& warp : run_.warps) {
    const LaneMask waiting = waiting_for_products(warp);
    if (waiting == 0) continue;
    end_wait_for_products(warp, *warp.waits_at[static_cast<unsigned>(std::countr_zero(waiting))], waiting);
    warp.release(waiting);
    some = true;
  }
  if (some) ++run_.changes;
  return some;
}

Warpgroups::Warpgroup Warpgroups::group_of(const Warp& warp) const {
  const std::vector<std::uint32_t>& all = run_.ctas[warp.cta].warps;
  const auto own = static_cast<std::size_t>(std::find(all.begin(), all.end(), warp.number) - all.begin());
  const std::size_t member = own % kGroupWarps, begin = own - member;
  return {std::span(all).subspan(begin, std::min(kGroupWarps, all.size() - begin)), member};
}

/// An instruction for the whole warpgroup (R251). Copies of it at several places count as one, as for barriers
/// [reading aligned-barrier].
void Warpgroups::execute_together(const Warp& warp, const Step& step,
                                  const GroupSteps::Descriptors& matrices) {
  using Match = GroupSteps::Match;
  const auto [group, member] = group_of(warp);
  const auto first = static_cast<unsigned>(std::countr_zero(warp.live()));
  const auto [match, other] =
      group_steps_[group.front()].execute(member, group.size(), *warp.codes[first], step, matrices);
  if (match == Match::another_place) run_.outcome.apart.insert({other->site, step.site});
  if (match == Match::another || (match == Match::another_place && run_.readings.one_place))
    run_.fault(RuleId::barrier_divergence, step, warp, first,
               "other warps of the warpgroup are at another instruction, and it is for all of them");
  if (match == Match::other_matrices)
    run_.fault(RuleId::bad_operand, Misuse::warps, step, warp, first,
               "a matrix descriptor that differs between warps of a warpgroup");
}

/// setmaxnreg: all warps of a warpgroup execute the same ones (9.7.17.5). A warp has at first what .maxnreg says; without it the
/// count is not known.
void Warpgroups::set_registers(Warp& warp, const Step& step, LaneMask group) {
  execute_together(warp, step);
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  const auto count = static_cast<std::uint32_t>(value_of(warp, step, Role::count, first));
  if (!rules::is_register_count(count))
    return run_.fault(
        RuleId::bad_operand, step, warp, first,
        fmt::format("{} registers, where setmaxnreg takes a multiple of {} from {} to {}", count,
                    rules::kRegisterUnit, rules::kFewestRegisters, rules::kMostRegisters));
  const bool less = step.modifiers().variants.has(isa::Variant::decrease);
  if (warp.registers_owned == 0) warp.registers_owned = warp.codes[first]->body->registers_of_thread;
  if (warp.registers_owned != 0 && (less ? warp.registers_owned < count : warp.registers_owned > count))
    run_.fault(RuleId::bad_operand, step, warp, first,
               fmt::format("{} registers, where the warp has {}", count, warp.registers_owned));
  if (!less || warp.registers_owned == 0) run_.outcome.pools.insert(step.site);
  warp.registers_owned = count;
  run_.observer.registers_set(step.site, lanes_of(warp, group));
}

/// Its four warps, contiguous and the first a multiple of four, execute the same instructions (9.7.14, R251).
void Warpgroups::check_warpgroups(std::uint32_t task) {
  for (const Warp& warp : run_.warps) {
    if (warp.task != task) continue;
    const auto [group, member] = group_of(warp);
    const auto lane = static_cast<unsigned>(std::countr_zero(warp.exists));
    const auto steps = group_steps_.find(group.front());
    if (steps == group_steps_.end()) continue;
    if (group.size() < kGroupWarps)
      run_.fault(RuleId::barrier_divergence, *steps->second.last(), warp, lane,
                 "a warpgroup that has no four warps");
    if (const Step* const missing = steps->second.missing(member))
      run_.fault(RuleId::barrier_divergence, *missing, warp, lane,
                 "this warp ends without it, and other warps of its warpgroup execute it");
  }
}

/// The first of the registers of one product is named.
void Warpgroups::register_fault(Warp& warp, const Step& step, const WgmmaRegisters::Problem& problem) {
  const Step*& known = register_faults_.try_emplace({problem.kind, problem.product}, &step).first->second;
  if (known == &step)
    run_.fault(problem.kind, step, warp, static_cast<unsigned>(std::countr_zero(warp.live())), problem.what);
}

/// Registers that matrices are in. An instruction for the whole warp is executed when all lanes are there.
void Warpgroups::check_registers(Warp& warp, const Step& step) {
  const auto first = static_cast<unsigned>(std::countr_zero(warp.active));
  if (step.instruction->opcode == Opcode::wgmma_mma) return;
  if (const auto problem = warp.wgmma.touch(*warp.codes[first], step)) register_fault(warp, step, *problem);
}

void Warpgroups::warpgroup_product(Warp& warp, const Step& step, LaneMask group) {
  const isa::Matrix& matrix = step.modifiers().matrix;
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  const auto descriptor = [&](Role role) { return step.has(role) ? value_of(warp, step, role, first) : 0; };
  execute_together(warp, step, {descriptor(Role::a), descriptor(Role::b)});
  if (const auto problem = warp.wgmma.use(*warp.codes[first], step, run_.readings.first_fence_is_free))
    register_fault(warp, step, *problem);
  const auto transposed = [&](Role role) { return step.has(role) && value_of(warp, step, role, first) == 1; };
  std::vector<trace::Range> reads;
  if (step.has(Role::a)) {
    const MatrixSize size{matrix.m, matrix.sparse ? matrix.k / 2 : matrix.k, bits_of(matrix.a)};
    add_matrix(warp, step, group, Role::a, size, transposed(Role::transpose_a), reads);
  }
  const MatrixSize size{matrix.n, matrix.k, bits_of(matrix.b)};
  add_matrix(warp, step, group, Role::b, size, transposed(Role::transpose_b), reads);
  machine_.copies.issue(warp, step, first, trace::Tracking::wgmma, 0, reads, {});
  machine_.matrices.matrix_product(warp, step, group);
}

/// The bytes of the matrix in the shared memory of the CTA that the descriptor names.
void Warpgroups::add_matrix(Warp& warp, const Step& step, LaneMask group, Role role, const MatrixSize& size,
                            bool transposed, std::vector<trace::Range>& out) {
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  const std::uint64_t bits = value_of(warp, step, role, first);
  for_lanes(group, [&](unsigned lane) {
    if (value_of(warp, step, role, lane) != bits)
      run_.fault(RuleId::bad_operand, Misuse::lanes, step, warp, lane,
                 "a matrix descriptor that differs between lanes of a warp");
  });
  run_.decided_by(warp, step, role, Decided::address, group);
  const MatrixBytes& bytes =
      run_.matrix_footprints.find(footprint::MatrixUnit::wgmma, bits, size, transposed);
  if (!bytes.problem.text.empty())
    return run_.fault(RuleId::bad_operand, step, warp, first, bytes.problem.text);
  const Places::Bounds* const bounds = machine_.forms.descriptor_bounds(warp, step, role, first);
  const Address window = run_.memory->shared(warp.cta);
  for (const footprint::Range& range : bytes.ranges) {
    const trace::Range there{window + static_cast<Address>(range.begin), range.bytes};
    if (bounds != nullptr && !machine_.forms.in_object(warp, step, first, there, *bounds)) return;
    if (!machine_.copies.in_memory(warp, step, first, there)) return;
    out.push_back(there);
  }
}

}  // namespace ptxmc::exec
