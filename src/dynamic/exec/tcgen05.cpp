// SPDX-License-Identifier: Apache-2.0
// tcgen05 (9.7.16): allocation, loads and stores, which a warp executes together (R291), waits, fences and commits.
// Tensor memory has no contents here: what is loaded rests on data.
#include <fmt/format.h>

#include <algorithm>

#include "dynamic/exec/machine.h"
#include "ptx/rules/limits.h"

namespace ptxmc::exec {

namespace {

using footprint::TensorAddress;
using footprint::TensorBox;
using footprint::TensorRegion;
using isa::Opcode;
using isa::Role;
using trace::Range;
using trace::TensorOp;

TensorColumns::Shared shared_kind(Opcode opcode) {
  if (opcode == Opcode::tcgen05_alloc) return TensorColumns::Shared::alloc;
  return opcode == Opcode::tcgen05_dealloc ? TensorColumns::Shared::dealloc
                                           : TensorColumns::Shared::relinquish;
}

}  // namespace

void TensorUnit::tensor_collective(Warp& warp, const Step& step, LaneMask group) {
  const isa::Tensor& t = step.modifiers().tensor;
  const unsigned first = first_of(group);
  ++run_.changes;
  check_group(warp, step, first);
  switch (step.instruction->opcode) {
    case Opcode::tcgen05_alloc:
    case Opcode::tcgen05_dealloc:
    case Opcode::tcgen05_relinquish:
      if (meets_peer(warp, step, group)) tensor_manage(warp, step, group);
      return;
    case Opcode::tcgen05_wait:
      run_.observer.tensor_wait(step.site, lanes_of(warp, group), t.stores);
      return;
    default:
      return tensor_move(warp, step, group);
  }
}

void TensorUnit::tensor_manage(Warp& warp, const Step& step, LaneMask group) {
  if (step.instruction->opcode == Opcode::tcgen05_alloc) return tensor_allocate(warp, step, group);
  if (step.instruction->opcode == Opcode::tcgen05_dealloc) return tensor_deallocate(warp, step, group);
  note_allocator(warp, step);
  run_.ctas[warp.cta].tensor.relinquished = true;
}

/// R285, R291: with .cta_group::2 a warp of each CTA of the pair executes it, the n-th time of the one together with the
/// n-th of the other. False: it waits for that.
bool TensorUnit::meets_peer(Warp& warp, const Step& step, LaneMask group) {
  if (step.modifiers().tensor.cta_group != 2) return true;
  const std::vector<std::uint32_t> pair = tensor_ctas(warp, step, first_of(group));
  if (pair.size() != 2) return true;
  const Opcode opcode = step.instruction->opcode;
  const auto kind = static_cast<std::size_t>(shared_kind(opcode));
  const std::uint32_t turn = ++run_.ctas[warp.cta].tensor.executed[kind];
  if (run_.ctas[pair.back()].tensor.executed[kind] < turn) {
    for_lanes(group, [&](unsigned lane) { warp.members[lane] = turn; });
    warp.block(step, group, Wait::pair);
    warp.step_over();
    return false;
  }
  for (const std::uint32_t number : run_.ctas[pair.back()].warps) {
    Warp& other = run_.warps[number];
    LaneMask waiting = 0;
    for_lanes(other.live() & ~other.ready, [&](unsigned lane) {
      const bool same = other.wait[lane] == Wait::pair && other.members[lane] == turn &&
                        other.waits_at[lane]->instruction->opcode == opcode;
      if (same) waiting |= LaneMask{1} << lane;
    });
    if (waiting == 0) continue;
    const Step& its = *other.waits_at[first_of(waiting)];
    other.release(waiting);
    tensor_manage(other, its, waiting);
  }
  return true;
}

/// R286 is about an order, which another schedule may have the other way round where several warps allocate.
void TensorUnit::note_allocator(const Warp& warp, const Step& step) {
  TensorColumns& tensor = run_.ctas[warp.cta].tensor;
  if (tensor.warp && *tensor.warp != warp.number)
    run_.decided(step, Decided::address, bit(Source::timing), false);
  tensor.by_several = tensor.by_several || (tensor.warp && *tensor.warp != warp.number);
  tensor.warp = warp.number;
}

/// R287: one .cta_group in a kernel, executed or not (A11, D44).
void TensorUnit::check_group(Warp& warp, const Step& step, unsigned lane) {
  const std::uint8_t group = step.modifiers().tensor.cta_group;
  std::uint8_t& known = run_.ctas[warp.cta].tensor.cta_group;
  if (group == 0 || known != 0) return;
  known = group;
  for (const Warp& other : run_.warps) {
    if (other.task != warp.task) continue;
    const Code& code = *other.codes[first_of(other.exists)];
    const auto differs = [&](const Step& one) {
      const std::uint8_t its = one.modifiers().tensor.cta_group;
      const bool tensor = isa::traits(one.instruction->opcode).family == isa::Family::tensor;
      return tensor && its != 0 && its != group;
    };
    if (std::any_of(code.steps.begin(), code.steps.end(), differs))
      return run_.fault(
          RuleId::tmem_misuse, step, warp, lane,
          fmt::format(".cta_group::{} in a kernel that also has .cta_group::{}", group, 3 - group));
  }
}

// ---- Allocation -----------------------------------------------------------------------------------------------

/// Nothing: reported.
std::optional<std::int64_t> TensorUnit::column_count(Warp& warp, const Step& step, LaneMask group) {
  const unsigned lane = first_of(group);
  const auto count = [&](unsigned l) { return value_of(warp, step, Role::count, l) & 0xffffffffU; };
  const std::uint64_t columns = count(lane);
  run_.decided_by(warp, step, Role::count, Decided::address, group);
  LaneMask others = 0;
  for_lanes(group, [&](unsigned l) { others |= count(l) != columns ? LaneMask{1} << l : 0; });
  if (others != 0)
    run_.fault(
        RuleId::bad_operand, Misuse::lanes, step, warp, first_of(others),
        fmt::format("{} columns, where another lane of the warp has {}", count(first_of(others)), columns));
  const bool exclusive = step.modifiers().tensor.exclusive;
  if (rules::is_column_count(static_cast<std::int64_t>(columns), exclusive))
    return static_cast<std::int64_t>(columns);
  run_.fault(RuleId::tmem_misuse, step, warp, lane,
             fmt::format("{} columns, of {}", columns,
                         exclusive ? rules::kExclusiveColumnCounts : rules::kColumnCounts));
  return std::nullopt;
}

/// The address is stored weakly (R289), by the first lane.
void TensorUnit::tensor_allocate(Warp& warp, const Step& step, LaneMask group) {
  const unsigned lane = first_of(group);
  const auto columns = column_count(warp, step, group);
  if (!columns) return;
  TensorColumns& tensor = run_.ctas[warp.cta].tensor;
  const std::int64_t wanted = *columns;
  if (tensor.relinquished)
    run_.fault(RuleId::tmem_misuse, step, warp, lane,
               "an allocation after relinquish_alloc_permit");  // R286
  if (wanted > tensor.last)
    run_.fault(RuleId::tmem_misuse, step, warp, lane,
               fmt::format("an allocation of {} columns behind one of {}", wanted, tensor.last));
  note_allocator(warp, step);
  const auto column = tensor.allocate(wanted, step.site, step.modifiers().tensor.exclusive);
  if (!column) {
    for_lanes(group, [&](unsigned l) { warp.waits_at[l] = &step; });
    warp.block(step, group, Wait::columns);
    warp.step_over();
    return;
  }
  TensorUse use;
  use.op = TensorOp::alloc;
  use.lanes = group;
  add_region(warp, step, use, warp.cta, {{0, footprint::kTensorLanes, *column, wanted}}, use.writes);
  issue_tensor(warp, step, use);
  Row at;
  const LaneMask one = LaneMask{1} << lane;
  const ReachedBytes reached = machine_.accesses.reach(warp, step, one, 4, at);
  if (reached.lanes == 0) return;
  const Memory::Span span = machine_.accesses.span_of(reached, at[lane], 4);
  const auto value = static_cast<std::uint64_t>(*column);
  Memory::store(span.data, 4, value);
  const LaneMask tainted = tensor.by_several ? one : 0;
  span.set_sources(0, 4, tainted != 0 ? bit(Source::timing) : Sources{0});
  machine_.forms.store_form(span, at[lane], 0, 4, form_of_allocation(*column, wanted));
  written_[lane] = value;
  trace::Access access{.site = step.site,
                       .lanes = lanes_of(warp, one),
                       .effect = trace::Effect::write,
                       .proxy = isa::Proxy::generic,
                       .strength = {},
                       .bytes = 4,
                       .elements = 1,
                       .begin = at,
                       .written = {written_.data(), kLanes},
                       .tainted = tainted};
  run_.observer.access(access);
}

/// Where the columns lie is an input, unless they are all that there are: other CTAs have allocated there, too (9.7.16.7).
Form TensorUnit::form_of_allocation(std::int64_t column, std::int64_t columns) {
  if (columns == footprint::kTensorColumns) return Places::kNumber;
  return run_.places->fresh({"tensor memory", static_cast<Address>(column),
                             static_cast<std::uint64_t>(columns), rules::kFewestColumns, isa::Space::tensor});
}

/// Is the address one of the allocation that it was computed from? Else what is there rests on where allocations lie.
void TensorUnit::check_form(Warp& warp, const Step& step, Slot base, unsigned lane, const TensorAddress& at) {
  const auto& live = run_.ctas[warp.cta].tensor.live();
  const bool floats = std::any_of(live.begin(), live.end(), [](const TensorColumns::Allocation& one) {
    return one.site && one.columns != footprint::kTensorColumns;
  });
  const Form form = AddressForms::form_of(warp, base, lane);
  const Places::Bounds* const bounds = run_.places->bounds(form);
  const auto column = static_cast<Address>(at.column);
  const bool inside = bounds != nullptr && bounds->low == bounds->high && column >= bounds->object.begin &&
                      column < bounds->object.begin + bounds->object.bytes;
  if (form == Places::kNumber ? floats : !inside)
    run_.decided(step, Decided::address, bit(Source::place), false);
}

void TensorUnit::tensor_deallocate(Warp& warp, const Step& step, LaneMask group) {
  const unsigned lane = first_of(group);
  const auto columns = column_count(warp, step, group);
  if (!columns) return;
  run_.decided_by(warp, step, Role::address, Decided::address, LaneMask{1} << lane);
  const TensorAddress at = footprint::tensor_address(
      static_cast<std::int64_t>(value_of(warp, step, Role::address, lane) & 0xffffffffU));
  check_form(warp, step, step.slot(Role::address), lane, at);
  const bool whole =
      at.lane == 0 && run_.ctas[warp.cta].tensor.free(at.column, *columns, step.modifiers().tensor.exclusive);
  if (!whole)
    run_.fault(RuleId::tmem_misuse, step, warp, lane,
               fmt::format("{} columns from column {}, lane {} on, which are no allocation", *columns,
                           at.column, at.lane));
  TensorUse use;
  use.op = TensorOp::dealloc;
  use.lanes = group;
  for (const std::uint32_t cta : tensor_ctas(warp, step, lane))
    add_region(warp, step, use, cta, {{0, footprint::kTensorLanes, at.column, *columns}}, use.writes);
  issue_tensor(warp, step, use);
  if (whole) retry_allocations(warp.cta);
}

/// Warps that wait for columns.
void TensorUnit::retry_allocations(std::uint32_t cta) {
  for (const std::uint32_t number : run_.ctas[cta].warps) {
    Warp& warp = run_.warps[number];
    LaneMask waiting = 0;
    for_lanes(warp.live() & ~warp.ready, [&](unsigned lane) {
      if (warp.wait[lane] == Wait::columns) waiting |= LaneMask{1} << lane;
    });
    if (waiting == 0) continue;
    const Step& step = *warp.waits_at[first_of(waiting)];
    ++run_.changes;
    warp.release(waiting);
    tensor_allocate(warp, step, waiting);
  }
}

/// R285: all of it is freed before the kernel exits.
void TensorUnit::check_leak(Warp& warp) {
  Cta& cta = run_.ctas[warp.cta];
  const auto alive = [&](std::uint32_t number) { return run_.warps[number].live() != 0; };
  if (cta.tensor.live().empty() || std::any_of(cta.warps.begin(), cta.warps.end(), alive)) return;
  for (const TensorColumns::Allocation& one : cta.tensor.live()) {
    if (!one.site) continue;
    run_.fault(RuleId::tmem_misuse, *run_.sites[*one.site], warp, first_of(warp.exists),
               fmt::format("{} columns that no thread deallocates before the CTA exits", one.columns));
  }
}

// ---- Footprints -----------------------------------------------------------------------------------------------

TensorAddress TensorUnit::tensor_address(Warp& warp, const Step& step, Role role, unsigned lane) {
  for (const auto& [own, place] : step.in_tensor) {
    if (own != role) continue;
    run_.decided_by(warp, step, place.base, Decided::address, LaneMask{1} << lane);
    const auto value = static_cast<std::int64_t>(warp.row(place.base)[lane]) + place.offset;
    const TensorAddress at = footprint::tensor_address(value & 0xffffffff);
    check_form(warp, step, place.base, lane, at);
    return at;
  }
  return {};
}

/// Whose tensor memory an instruction accesses: its CTA's, with .cta_group::2 the peer's too (9.7.16.5.1, R290).
std::vector<std::uint32_t> TensorUnit::tensor_ctas(Warp& warp, const Step& step, unsigned lane) {
  if (step.modifiers().tensor.cta_group != 2) return {warp.cta};
  const std::vector<std::uint32_t>& all = run_.clusters[run_.ctas[warp.cta].cluster].ctas;
  const std::uint32_t peer = run_.ctas[warp.cta].rank ^ 1U;
  if (peer < all.size()) return {warp.cta, all[peer]};
  run_.fault(RuleId::tmem_misuse, step, warp, lane, "there is no other CTA of the pair");
  return {warp.cta};
}

void TensorUnit::add_region(Warp& warp, const Step& step, TensorUse& use, std::uint32_t cta,
                            const TensorRegion& region, std::vector<Range>& out) {
  const unsigned lane = first_of(use.lanes);
  if (!footprint::in_tensor_memory(region)) {
    use.valid = false;
    return run_.fault(RuleId::tmem_misuse, step, warp, lane,
                      "lanes or columns that tensor memory does not have");
  }
  const Address window = run_.memory->tensor(cta);
  for (const TensorBox& box : region) {
    if (use.op != TensorOp::alloc && !run_.ctas[cta].tensor.were_allocated(box.column, box.columns))
      run_.fault(RuleId::tmem_misuse, step, warp, lane,
                 fmt::format("columns {} to {}, of which some were never allocated", box.column,
                             box.column + box.columns - 1));
    if (use.op != TensorOp::alloc && run_.ctas[cta].tensor.crosses(box.column, box.columns))
      run_.decided(step, Decided::address, bit(Source::place), false);
    for (std::int64_t column = box.column; column < box.column + box.columns; ++column) {
      const Range one{window + static_cast<Address>(column * footprint::kTensorLanes + box.lane),
                      static_cast<std::uint64_t>(box.lanes)};
      if (!out.empty() && out.back().begin + out.back().bytes == one.begin) {
        out.back().bytes += one.bytes;
      } else {
        out.push_back(one);
      }
    }
  }
}

void TensorUnit::issue_tensor(Warp& warp, const Step& step, const TensorUse& use) {
  ++run_.changes;
  if (!use.valid) return;
  trace::TensorOperation operation;
  operation.site = step.site;
  operation.lanes = lanes_of(warp, use.lanes);
  operation.op = use.op;
  operation.cta_group = step.modifiers().tensor.cta_group;
  operation.product = use.product;
  operation.reads = use.reads;
  operation.writes = use.writes;
  operation.shared = use.shared;
  operation.shared_a = use.shared_a;
  operation.unpaired = use.unpaired;
  run_.observer.tensor_issue(operation);
}

// ---- Loads, stores, fences and commits --------------------------------------------------------------------------

/// Nothing: a warp of a litmus test that has no number.
std::optional<std::int64_t> TensorUnit::number_in_cta(const Warp& warp) const {
  const std::vector<std::uint32_t>& all = run_.ctas[warp.cta].warps;
  const std::optional<int>& placed = run_.threads[thread_of(warp, first_of(warp.exists))]->placement.warp;
  if (!placed || std::popcount(warp.exists) == 1) return placed;
  return std::find(all.begin(), all.end(), warp.number) - all.begin();
}

void TensorUnit::tensor_move(Warp& warp, const Step& step, LaneMask group) {
  const isa::Tensor& t = step.modifiers().tensor;
  const unsigned first = first_of(group);
  const bool loads = step.instruction->opcode == Opcode::tcgen05_ld;
  const TensorAddress at = tensor_address(warp, step, Role::address, first);
  for_lanes(group, [&](unsigned lane) {
    const TensorAddress other = tensor_address(warp, step, Role::address, lane);
    if (other.lane != at.lane || other.column != at.column)
      run_.fault(RuleId::bad_operand, Misuse::lanes, step, warp, lane,
                 "an address in tensor memory that differs between lanes of a warp");
  });
  const footprint::MoveStart start =
      footprint::move_start(t, at, number_in_cta(warp), run_.readings.lanes_are_named);
  if (start.is_own) run_.outcome.own_lanes.insert(step.site);
  if (!start.is_reached)
    run_.fault(RuleId::tmem_misuse, step, warp, first,
               fmt::format("lane {}, which the warp does not reach", at.lane));
  std::int64_t second = 0;
  if (step.has(Role::half_split))
    second = static_cast<std::int64_t>(value_of(warp, step, Role::half_split, first));
  TensorUse use;
  use.op = loads ? TensorOp::ld : TensorOp::st;
  use.lanes = group;
  add_region(warp, step, use, warp.cta, footprint::move_region(t, start.at, second),
             loads ? use.reads : use.writes);
  issue_tensor(warp, step, use);
  if (!loads) return;
  machine_.matrices.matrix_product(warp, step, group);
  if (!step.has(Role::reduced)) return;
  const Slot reduced = step.slot(Role::reduced);
  for_lanes(group, [&](unsigned lane) { warp.row(reduced)[lane] = 0; });
  warp.taint(reduced).assign({group, 0}, group);
}

void TensorUnit::tensor_fence(Warp& warp, const Step& step, LaneMask mask) {
  run_.observer.tensor_fence(step.site, lanes_of(warp, mask), step.modifiers().tensor.after);
}

/// R283: one arrival, of cluster scope, on each object that it names.
void TensorUnit::tensor_commit(Warp& warp, const Step& step, LaneMask mask) {
  for_lanes(mask, [&](unsigned lane) {
    check_group(warp, step, lane);
    const Address at = run_.address(warp, step, step.mbarrier, lane);
    if (!step.modifiers().multicast) return arrive_behind_tensor(warp, step, lane, at);
    for (const std::uint32_t cta : machine_.copies.destinations(warp, step, lane))
      arrive_behind_tensor(warp, step, lane, machine_.copies.in_cta(at, cta));
  });
}

void TensorUnit::arrive_behind_tensor(Warp& warp, const Step& step, unsigned lane, Address at) {
  Mbarrier* found = machine_.mbarriers.object(warp, step, at, lane);
  if (found == nullptr) return;
  if (found->pending == 0)
    return run_.misuse(
        Misuse::arrivals, step, warp, lane,
        fmt::format("an arrival that the phase does not expect, at {}", run_.memory->name_at(at)));
  ++run_.changes;
  machine_.mbarriers.check_waited(warp, step, lane, at, *found);
  run_.observer.tensor_commit({step.site,
                               thread_of(warp, lane),
                               at,
                               found->phase,
                               {isa::Semantics::release, isa::Scope::cluster},
                               1,
                               0},
                              {step.modifiers().tensor.cta_group, step.modifiers().reads_only});
  if (machine_.mbarriers.is_late({at, found->number, 0, 1})) return;
  --found->pending;
  machine_.mbarriers.try_complete(at, *found);
}

}  // namespace ptxmc::exec
