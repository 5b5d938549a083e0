// SPDX-License-Identifier: Apache-2.0
// What bulk copies move: to which CTAs of a cluster, the boxes of tensors, the bytes, and what tells of their completion (9.7.8.24).
#include <fmt/format.h>

#include <algorithm>

#include "dynamic/exec/machine.h"
#include "ptx/integer/arithmetic.h"
#include "ptx/rules/limits.h"
#include "support/check.h"
#include "support/refuse.h"

namespace ptxmc::exec {

namespace {

using trace::Range;
using trace::Tracking;

bool some_overlap(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  return std::adjacent_find(ranges.begin(), ranges.end(), trace::overlap) != ranges.end();
}

}  // namespace

/// The CTAs that get a copy: of a multicast those whose ranks the mask names (9.7.8.24.6, D37), all of them without one.
std::vector<std::uint32_t> Copies::destinations(Warp& warp, const Step& step, unsigned lane) {
  const Cluster& cluster = run_.clusters[run_.ctas[warp.cta].cluster];
  if (!step.has(isa::Role::cta_mask)) return cluster.ctas;
  const std::uint64_t bits = step.modifiers().wide_mask ? 0xffffffffU : 0xffffU;
  const std::uint64_t mask = value_of(warp, step, isa::Role::cta_mask, lane) & bits;
  run_.decided_by(warp, step, isa::Role::cta_mask, Decided::address, LaneMask{1} << lane);
  if (mask == 0 || mask >> cluster.ctas.size() != 0)
    run_.fault(RuleId::bad_operand, step, warp, lane,
               fmt::format("a mask {:#x} of CTAs in a cluster of {}", mask, cluster.ctas.size()));
  std::vector<std::uint32_t> out;
  for (std::size_t rank = 0; rank < cluster.ctas.size(); ++rank) {
    if ((mask >> rank & 1U) != 0) out.push_back(cluster.ctas[rank]);
  }
  return out;
}

/// The same place in the shared memory of another CTA.
Address Copies::in_cta(Address at, std::uint32_t cta) const {
  return run_.memory->shared(cta) + Memory::in_window(at);
}

/// Which object a destination of a multicast signals: its own. A pair of CTAs signals in one of the two, whose rank is
/// even or odd as the object's CTA is.
Address Copies::signalled_by(Address object, std::uint32_t cta, bool pair) const {
  if (!pair) return in_cta(object, cta);
  const std::uint32_t parity = run_.ctas[Memory::cta_of(object)].rank & 1U;
  const std::uint32_t rank = (run_.ctas[cta].rank & ~1U) | parity;
  const std::vector<std::uint32_t>& all = run_.clusters[run_.ctas[cta].cluster].ctas;
  return in_cta(object, rank < all.size() ? all[rank] : cta);
}

/// The bytes of a bulk copy, and what tells of their completion.
void Copies::move_bulk(Warp& warp, const Step& step, unsigned lane, const BulkMove& move) {
  if (!move.signals || !step.modifiers().multicast) return move_once(warp, step, lane, move);
  const std::vector<std::uint32_t> all = destinations(warp, step, lane);
  const bool pair = step.modifiers().tensor.cta_group == 2;
  BulkMove to_all = move;
  for (const std::uint32_t cta : all) {
    const Address at = signalled_by(move.object, cta, pair);
    const Mbarrier* found = machine_.mbarriers.object(warp, step, at, lane);
    if (found == nullptr) return;
    to_all.signalled.push_back({at, found->phase});
  }
  for (const std::uint32_t cta : all) {
    BulkMove one = to_all;
    for (Range& range : one.to) range.begin = in_cta(range.begin, cta);
    if (one.box) one.box->begin = in_cta(one.box->begin, cta);
    one.object = signalled_by(move.object, cta, pair);
    move_once(warp, step, lane, one);
  }
}

void Copies::move_once(Warp& warp, const Step& step, unsigned lane, const BulkMove& move) {
  const isa::Modifiers& m = step.modifiers();
  Mbarrier* found = nullptr;
  if (move.signals) {
    found = machine_.mbarriers.object(warp, step, move.object, lane);
    if (found == nullptr) return;
  }
  // The copy of a box that leaves its tensor writes all of the shared memory.
  const std::span<const Range> whole =
      move.box ? std::span<const Range>{&*move.box, 1} : std::span<const Range>{};
  const bool into_box = move.box && move.signals;
  const Tracking tracking = move.signals ? Tracking::mbarrier : Tracking::bulk_group;
  if (move.of_tensor) machine_.tensor_maps.read_map(warp, step, lane, tracking, move.object, move.signalled);
  issue(warp, step, lane, tracking, move.object, move.box && !into_box ? whole : move.from,
        into_box ? whole : move.to, move.signalled, move.element);
  if (move.clears) {
    const Memory::Span span = *run_.memory->span(move.box->begin, move.box->bytes);
    std::memset(span.data, 0, move.box->bytes);
    span.set_sources(0, static_cast<std::uint32_t>(move.box->bytes), move.cleared);
  }
  for (std::size_t i = 0; i < std::min(move.from.size(), move.to.size()); ++i) {
    if (m.atomic == isa::AtomicOp::none) {
      copy_bytes(move.to[i].begin, move.from[i].begin, move.to[i].bytes);
    } else {
      reduce_bytes(step, move.from[i], move.to[i]);
    }
  }
  if (found == nullptr || machine_.mbarriers.is_late({move.object, found->number, move.counted, 0})) return;
  machine_.mbarriers.count_bytes(warp, step, lane, move.object, *found,
                                 -static_cast<std::int64_t>(move.counted));
  machine_.mbarriers.try_complete(move.object, *found);
}

void Copies::copy_bytes(Address to, Address from, std::uint64_t bytes) {
  machine_.forms.copy_bytes(to, from, bytes);
  if (machine_.blocks.follow() && moves_ != kStill) {
    const Sources copied = run_.memory->sources(from, bytes);
    run_.memory->taint(to, bytes, static_cast<Sources>(copied | bit(Source::block)));
  }
  if (!run_.observer.is_unsettled({from, bytes})) return;
  const Sources copied = run_.memory->sources(from, bytes);
  run_.memory->taint(to, bytes, static_cast<Sources>(copied | bit(Source::timing)));
}

/// Element by element; sums of integers are computed, of the rest nothing is known.
void Copies::reduce_bytes(const Step& step, const Range& from, const Range& to) {
  const isa::Modifiers& m = step.modifiers();
  const std::uint32_t bytes = m.type ? m.type->bits / 8U : 4;
  const bool adds = m.atomic == isa::AtomicOp::add && m.type && !m.type->is_floating();
  const Memory::Span source = *run_.memory->span(from.begin, from.bytes),
                     target = *run_.memory->span(to.begin, to.bytes);
  PTXMC_CHECK(from.bytes == to.bytes, "an element for each");
  const bool open = run_.observer.is_unsettled(from);
  for (std::uint64_t at = 0; at + bytes <= to.bytes; at += bytes) {
    const std::uint64_t old = Memory::load(target.data + at, bytes),
                        value = Memory::load(source.data + at, bytes);
    Sources sources = static_cast<Sources>(source.sources(at, bytes) | target.sources(at, bytes));
    if (!adds) sources |= bit(Source::data);
    if (open) sources |= bit(Source::timing);
    Memory::store(target.data + at, bytes, adds ? old + value : old);
    target.set_sources(at, bytes, sources);
  }
}

/// cp.async.bulk.tensor (9.7.8.24.9, 9.7.8.24.10) through a map in tiled mode, or of rows by number: elements outside of the
/// tensor are zero, or no numbers, in shared memory, and are not written in global memory.
void Copies::copy_tensor(Warp& warp, const Step& step, LaneMask mask) {
  for_lanes(mask, [&](unsigned lane) {
    const auto map = machine_.tensor_maps.map_of_copy(warp, step, lane);
    if (!map) return;
    std::vector<std::int64_t> coordinates;
    for (const Slot slot : step.coordinates) {
      const bool offset =
          coordinates.size() >= isa::coordinates_of(step.modifiers().load_mode, step.modifiers().dimensions);
      coordinates.push_back(offset ? static_cast<std::int64_t>(warp.row(slot)[lane] & 0xffffU)
                                   : integer::as_signed(warp.row(slot)[lane], 32));
      if (const Sources sources = without_block(warp.taint(slot).of(lane)); sources != 0)
        run_.decided(step, Decided::address, sources, false);
    }
    follow_box(warp, step, lane, *map, coordinates);
    move_box(warp, step, lane, *map, coordinates);
  });
}

void Copies::move_box(Warp& warp, const Step& step, unsigned lane, const footprint::MapFields& map,
                      const std::vector<std::int64_t>& coordinates) {
  const bool load = step.modifiers().space != isa::Space::global;
  const isa::LoadMode mode = step.modifiers().load_mode;
  const footprint::Problem problem = footprint::place_problem(map, mode, coordinates);
  if (problem.unsupported)
    refuse(run_.program.source, step.instruction->position,
           problem.text + " are not supported by verify yet");
  if (!problem.text.empty()) return run_.fault(RuleId::bad_operand, step, warp, lane, problem.text);
  const footprint::Box box = footprint::box_of(map, mode, coordinates);
  const auto tensor = static_cast<Address>(map[0]);
  const Address shared = run_.address(warp, step, load ? step.address : step.source, lane);
  const Range whole{shared, box.bytes};
  if (!machine_.forms.is_aligned(warp, step, lane, (load ? step.address : step.source).base, shared,
                                 rules::kBulkAlignment))
    return run_.fault(RuleId::misaligned, step, warp, lane,
                      fmt::format("a box at {}", run_.memory->name_at(shared)));
  if (!in_memory(warp, step, lane, whole, (load ? step.address : step.source).base)) return;
  std::vector<Range> in_tensor, in_box;
  for (const footprint::Run& run : box.runs) {
    in_tensor.push_back({tensor + static_cast<Address>(run.global), run.bytes});
    in_box.push_back({shared + static_cast<Address>(run.shared), run.bytes});
    const Range& in_global = in_tensor.back();
    if (load ? !in_memory(warp, step, lane, in_global) : !writable(warp, step, lane, in_global)) return;
  }
  if (!load && step.modifiers().atomic == isa::AtomicOp::none && some_overlap(in_tensor))
    return run_.fault(
        RuleId::tensor_map, Misuse::rows, step, warp, lane,
        "two rows of the box are at the same bytes of the tensor, and the copy writes them in no order");
  std::uint64_t inside = 0;
  for (const Range& range : in_box) inside += range.bytes;
  BulkMove move{load, in_box, in_tensor, whole, 0, 0};
  if (load) move = {true, in_tensor, in_box, whole, 0, box.bytes, inside < box.bytes};
  move.of_tensor = true;
  if (step.modifiers().atomic != isa::AtomicOp::none)
    move.element = static_cast<std::uint8_t>(isa::bits_of(footprint::map_element(map)) / 8);
  move.cleared = footprint::fills_with_nan(map) ? bit(Source::data) : Sources{0};
  if (load) move.object = run_.address(warp, step, step.mbarrier, lane);
  move_bulk(warp, step, lane, move);
}

}  // namespace ptxmc::exec
