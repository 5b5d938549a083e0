// SPDX-License-Identifier: Apache-2.0
// The bytes that an asynchronous operation moves at once, as one event each over as many cells as they have
// (9.7.8.24: the size of its elements is unspecified), and what all asynchronous operations have in common:
// an issue event in program order, accesses and completion signals off it (8.9.1.1).
#include "axiomatic/lower/families/tiles.h"

#include <algorithm>

#include "ptx/rules/limits.h"
#include "support/check.h"

namespace ptxmc::lower {

Tile Tiles::tile(const Instruction& instruction, const Operand& operand, Location location,
                 const TileUse& use) {
  const VariableId id = location.variable;
  const std::string& name = layout_.variable(id).name;
  if (const isa::Proxy own = layout_.variable(id).alias_proxy; own != isa::Proxy::generic) {
    fail(operand.position, name + " is a name of the " + std::string(isa::name_of(own)) +
                               " proxy, an asynchronous operation uses generic names");
  }
  Instruction access;  // what the checks of ordinary accesses look at
  access.opcode = use.writes ? isa::Opcode::st : isa::Opcode::ld;
  access.modifiers.space = use.space;
  addresses_.check_space(access, location, operand.position);
  layout_.note_access(id, std::min(use.bytes, 8U), use.bytes);
  const bool sized = layout_.frozen() || layout_.type(id) || layout_.is_array(id);
  if (location.offset < 0 || (sized && location.offset + use.bytes > layout_.extent(id))) {
    fail(operand.position, std::to_string(use.bytes) + " bytes at offset " + std::to_string(location.offset) +
                               " are outside of " + name);
  }
  if (location.offset % use.alignment != 0) {
    fail(operand.position, "misaligned access: offset " + std::to_string(location.offset) + " of " + name +
                               " is no multiple of " + std::to_string(use.alignment) + " bytes");
  }
  if (const std::string why = layout_.too_little_alignment(id, use.alignment); !why.empty())
    fail(operand.position, why);
  Tile tile{id, addresses_.block(location), {location.offset, use.bytes}, {}, {}, {}};
  layout_.note_tile(tile.block, tile.range);
  const std::int64_t element = use.elements ? instruction.modifiers.type->bits / 8 : use.bytes;
  for (std::int64_t at = 0; use.elements && at < use.bytes; at += element) {
    note_access(tile.block, {location.offset + at, static_cast<std::uint32_t>(element)});
  }
  if (!layout_.frozen()) {  // a placeholder for each element
    for (std::int64_t at = 0; at < use.bytes; at += element) {
      tile.cells.push_back(0);
      tile.widths.push_back(width_of(static_cast<std::uint32_t>(std::min<std::int64_t>(element, 8) * 8),
                                     unit_.options.unbounded));
      tile.begins.push_back(at);
    }
    return tile;
  }
  tile.cells = layout_.covering(tile.block, tile.range);
  for (const event::CellId cell : tile.cells) {
    tile.widths.push_back(layout_.cell_width(layout_.owners()[cell]));
    tile.begins.push_back(layout_.owners()[cell].range.begin - location.offset);
  }
  PTXMC_CHECK(!tile.cells.empty() && tile.begins.front() == 0, "a copy that the survey did not find");
  return tile;
}

void Tiles::note_access(const Block& block, const Range& range) {
  layout_.note_cells(block, range.begin, range.bytes);
  layout_.note_element(block, range);
}

/// The first `bytes` bytes go from one tile to the other.
void Tiles::link_tiles(const Instruction& instruction, const Tile& from, const Tile& to,
                       std::uint32_t bytes) {
  const bool apart =
      from.block != to.block || from.range.end() <= to.range.begin || to.range.end() <= from.range.begin;
  if (!apart) fail(instruction.position, "source and destination of `" + instruction.text + "` overlap");
  layout_.note_copy(from.block, from.range.begin, to.block, to.range.begin, bytes);
}

std::vector<Tile> Tiles::accesses(const Instruction& instruction, const Tile& tile) const {
  if (!is_strong_copy(instruction)) return {tile};
  constexpr std::int64_t kPiece = rules::kBulkAlignment;
  std::vector<Tile> out;
  std::int64_t last = -1;
  for (std::size_t k = 0; k < tile.cells.size(); ++k) {
    const std::int64_t piece = tile.begins[k] / kPiece;
    if (piece != last)
      out.push_back({tile.name, tile.block, {tile.range.begin + piece * kPiece, kPiece}, {}, {}, {}});
    last = piece;
    out.back().cells.push_back(tile.cells[k]);
    out.back().widths.push_back(tile.widths[k]);
    out.back().begins.push_back(tile.begins[k] % kPiece);
  }
  return out;
}

EventId Tiles::read(const Instruction& instruction, const Tile& tile, EventId issue, Expr guard,
                    Words& words) {
  return add_tile_read(tile_event(EventKind::read, instruction, tile, issue, guard), tile, words);
}

EventId Tiles::write(const Instruction& instruction, const Tile& tile, EventId issue, Expr guard,
                     const Words& words) {
  return add_tile_write(tile_event(EventKind::write, instruction, tile, issue, guard), tile, words);
}

Event Tiles::tile_event(EventKind kind, const Instruction& instruction, const Tile& tile, EventId issue,
                        Expr guard) {
  Event event = new_event(kind, instruction, guard);
  event.issue = issue;
  event.cell = tile.cells.front();
  event.labels.proxy = instruction.modifiers.proxy;
  event.labels.space = layout_.space(tile.name);
  event.labels.name = tile.name;
  event.labels.generic_name = layout_.generic_name(tile.name);
  event.labels.tile = !is_strong_copy(instruction);
  if (is_strong_copy(instruction)) {
    event.labels.semantics = instruction.modifiers.semantics;
    event.labels.scope = instruction.modifiers.scope;
  }
  return event;
}

EventId Tiles::add_tile_read(Event read, const Tile& tile, Words& words) {
  const auto id = static_cast<EventId>(graph_.size());
  std::vector<event::Part> further;
  for (std::size_t k = 0; k < tile.cells.size(); ++k) {
    words.push_back(pool_.value_of(id, tile.widths[k], static_cast<std::uint32_t>(k)));
    if (k > 0) further.push_back({id, tile.cells[k], words[k]});
  }
  read.value = words.front();
  return unit_.add_event(std::move(read), std::move(further));
}

EventId Tiles::add_tile_write(Event write, const Tile& tile, const Words& words) {
  std::vector<event::Part> further;
  for (std::size_t k = 1; k < tile.cells.size(); ++k) {
    further.push_back({event::kNoEvent, tile.cells[k], words.at(k)});
  }
  write.value = words.at(0);
  return unit_.add_event(std::move(write), std::move(further));
}

}  // namespace ptxmc::lower
