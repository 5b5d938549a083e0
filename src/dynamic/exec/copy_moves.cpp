// SPDX-License-Identifier: Apache-2.0
// Where asynchronous copies of other blocks read and write global memory (block_values.h).
#include "dynamic/exec/machine.h"
#include "ptx/rules/limits.h"

namespace ptxmc::exec {

using trace::Range;

/// Bytes of global memory, and how they move from block to block; what other blocks read elsewhere is something else there.
void Copies::tell_moves(const Warp& warp, const Step& step, std::span<const Range> reads,
                        std::span<const Range> writes) {
  for (const bool written : {false, true}) {
    for (const Range& range : written ? writes : reads) {
      if (!Memory::is_global(range.begin)) {
        machine_.blocks.refuse_global(step, range);
      } else if (moves_ == kAnyhow) {
        machine_.blocks.refuse(step);
      } else {
        machine_.blocks.touch(warp, moves_, written ? GridTouch::write : GridTouch::read, range);
      }
    }
  }
}

/// Where the copy of a lane reads and writes: how the address in global memory moves, if there is one.
void Copies::follow_addresses(Warp& warp, const Step& step, unsigned lane, const Range& to, const Range& from,
                              std::uint64_t unit) {
  moves_ = kStill;
  if (!machine_.blocks.follow()) return;
  for (const auto& [place, range] : {std::pair{&step.address, &to}, std::pair{&step.source, &from}}) {
    if (range->bytes == 0) continue;
    Row at{};
    at[lane] = range->begin;
    machine_.blocks.reach(warp, step, *place, LaneMask{1} << lane, at, range->bytes, unit);
    if (Memory::is_global(range->begin)) moves_ = machine_.blocks.move_of(warp, place->base, lane);
  }
}

/// Does the whole tensor lie in one object?
bool Copies::is_whole(const footprint::MapFields& map) const {
  std::uint64_t bytes = isa::bits_of(footprint::map_element(map)) / 8;
  for (std::size_t d = 0; d < footprint::map_rank(map); ++d)
    bytes += static_cast<std::uint64_t>((field(map, isa::MapField::global_dim, d) - 1) * stride_of(map, d));
  return run_.memory->span(static_cast<Address>(map[0]), bytes).has_value();
}

std::int64_t Copies::field(const footprint::MapFields& map, isa::MapField of, std::size_t d) {
  return map[*footprint::map_field(of, static_cast<std::int64_t>(d))];
}

std::int64_t Copies::stride_of(const footprint::MapFields& map, std::size_t d) {
  return d == 0 ? isa::bits_of(footprint::map_element(map)) / 8
                : field(map, isa::MapField::global_stride, d - 1);
}

/// A box of a tensor: other blocks have it elsewhere in the tensor, not across its ends. Along a dimension in which this one reaches across
/// an end it is at the same coordinate in all blocks that count.
void Copies::follow_box(Warp& warp, const Step& step, unsigned lane, const footprint::MapFields& map,
                        const std::vector<std::int64_t>& coordinates) {
  moves_ = kStill;
  if (!machine_.blocks.follow()) return;
  const LaneMask one = LaneMask{1} << lane;
  const Place& shared = step.modifiers().space != isa::Space::global ? step.address : step.source;
  machine_.blocks.settle(warp, step, shared.base, one);
  const bool plain = step.modifiers().load_mode == isa::LoadMode::tile &&
                     map[*footprint::map_field(isa::MapField::interleave_layout, 0)] == 0 &&
                     isa::bits_of(footprint::map_element(map)) >= 8 && is_whole(map);
  for (std::size_t d = 0; d < step.coordinates.size(); ++d) {
    const Slot slot = step.coordinates[d];
    const std::int64_t last =
        plain ? field(map, isa::MapField::global_dim, d) - field(map, isa::MapField::box_dim, d) : -1;
    const bool inside = coordinates[d] >= 0 && coordinates[d] <= last;
    if (!inside || !machine_.blocks.keeps_between(warp, slot, lane, 0, last)) {
      machine_.blocks.settle(warp, step, slot, one);
      continue;
    }
    moves_ = machine_.blocks.plus(moves_, machine_.blocks.move_of(warp, slot, lane), stride_of(map, d));
  }
}

}  // namespace ptxmc::exec
