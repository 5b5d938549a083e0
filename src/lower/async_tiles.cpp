// SPDX-License-Identifier: Apache-2.0
// The bytes that an asynchronous operation moves at once, as one event each over as many cells as they have
// (9.7.8.24: the size of its elements is unspecified), and what all asynchronous operations have in common:
// an issue event in program order, accesses and completion signals off it (8.9.1.1).
#include <algorithm>

#include "lower/thread.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::Op;
using isa::Space;

namespace {

constexpr std::int64_t kMaxBytes = 1 << 20;    // of a copy
constexpr std::int64_t kBulkGranularity = 16;  // bytes: sizes and addresses of bulk copies (9.7.8.24.6)

}  // namespace

/// Where an operand of an asynchronous operation points.
Location ThreadLowering::tile_location(const Operand& operand, const State& state) {
  const auto* written = std::get_if<program::Address>(&operand.value);
  if (!written) fail(operand.position, "expected an address");
  if (!written->variable.empty()) return base_location(operand);
  const Expr base = base_register(state, *written, operand.position);
  if (!unit_.places.is_fixed(unit_.pool(), base)) {
    unit_.errors.unsupported(operand.position,
                             "an asynchronous operation through an address that is not constant");
  }
  return located(base, operand);
}

std::uint32_t ThreadLowering::constant_operand(const State& state, const Operand& source, const char* what) {
  const Expr value = operand(state, source, unit_.word());
  if (!unit_.pool().is_constant(value)) {
    unit_.errors.unsupported(source.position, std::string(what) + " that is not constant");
  }
  const event::Value number = unit_.pool()[value].constant;
  if (number < 0 || number > kMaxBytes) {
    fail(source.position,
         std::string(what) + " " + std::to_string(number) + ", expected 0 to " + std::to_string(kMaxBytes));
  }
  return static_cast<std::uint32_t>(number);
}

/// 9.7.8.24.6: a multiple of 16 bytes.
std::uint32_t ThreadLowering::bulk_size(const State& state, const Operand& source) {
  const std::uint32_t bytes = constant_operand(state, source, "a size");
  if (bytes == 0 || bytes % kBulkGranularity != 0) {
    fail(source.position, "size " + std::to_string(bytes) + ", expected a multiple of 16 bytes");
  }
  return bytes;
}

ThreadLowering::Tile ThreadLowering::tile(const Instruction& instruction, const Operand& operand,
                                          Location location, const TileUse& use) {
  Layout& layout = unit_.layout;
  const VariableId id = location.variable;
  const std::string& name = layout.variable(id).name;
  if (const isa::Proxy own = layout.variable(id).alias_proxy; own != isa::Proxy::generic) {
    fail(operand.position, name + " is a name of the " + std::string(isa::name_of(own)) +
                               " proxy, an asynchronous operation uses generic names");
  }
  Instruction access;  // what the checks of ordinary accesses look at
  access.opcode = use.writes ? isa::Opcode::st : isa::Opcode::ld;
  access.modifiers.space = use.space;
  check_space(access, location, operand.position);
  layout.note_access(id, std::min(use.bytes, 8U), use.bytes);
  const bool sized = layout.frozen() || layout.type(id) || layout.is_array(id);
  if (location.offset < 0 || (sized && location.offset + use.bytes > layout.extent(id))) {
    fail(operand.position, std::to_string(use.bytes) + " bytes at offset " + std::to_string(location.offset) +
                               " are outside of " + name);
  }
  if (location.offset % use.alignment != 0) {
    fail(operand.position, "misaligned access: offset " + std::to_string(location.offset) + " of " + name +
                               " is no multiple of " + std::to_string(use.alignment) + " bytes");
  }
  Tile tile{id, block(location), {location.offset, use.bytes}, {}, {}, {}};
  layout.note_tile(tile.block, tile.range);
  const std::int64_t element = use.elements ? instruction.modifiers.type->bits / 8 : use.bytes;
  for (std::int64_t at = 0; use.elements && at < use.bytes; at += element) {
    layout.note_cells(tile.block, location.offset + at, static_cast<std::uint32_t>(element));
    layout.note_element(tile.block, {location.offset + at, static_cast<std::uint32_t>(element)});
  }
  if (!layout.frozen()) {  // a placeholder for each element
    for (std::int64_t at = 0; at < use.bytes; at += element) {
      tile.cells.push_back(0);
      tile.widths.push_back(width_of(static_cast<std::uint32_t>(std::min<std::int64_t>(element, 8) * 8),
                                     unit_.options.unbounded));
      tile.begins.push_back(at);
    }
    return tile;
  }
  tile.cells = layout.covering(tile.block, tile.range);
  for (const event::CellId cell : tile.cells) {
    tile.widths.push_back(layout.cell_width(layout.owners()[cell]));
    tile.begins.push_back(layout.owners()[cell].range.begin - location.offset);
  }
  PTXMC_CHECK(!tile.cells.empty() && tile.begins.front() == 0, "a copy that the survey did not find");
  return tile;
}

/// The first `bytes` bytes go from one tile to the other.
void ThreadLowering::link_tiles(const Instruction& instruction, const Tile& from, const Tile& to,
                                std::uint32_t bytes) {
  const bool apart =
      from.block != to.block || from.range.end() <= to.range.begin || to.range.end() <= from.range.begin;
  if (!apart) fail(instruction.position, "source and destination of `" + instruction.text + "` overlap");
  unit_.layout.note_copy(from.block, from.range.begin, to.block, to.range.begin, bytes);
}

Event ThreadLowering::tile_event(EventKind kind, const Instruction& instruction, const Tile& tile,
                                 EventId issue, Expr guard) {
  Event event = new_event(kind, instruction, guard);
  event.issue = issue;
  event.cell = tile.cells.front();
  event.labels.proxy = instruction.modifiers.proxy;
  event.labels.space = unit_.layout.space(tile.name);
  event.labels.name = tile.name;
  event.labels.generic_name = unit_.layout.generic_name(tile.name);
  event.labels.tile = true;
  return event;
}

/// Adds the read of a tile; `words`: the values of its cells.
EventId ThreadLowering::add_tile_read(Event read, const Tile& tile, Words& words) {
  const auto id = static_cast<EventId>(unit_.graph.size());
  std::vector<event::Part> further;
  for (std::size_t k = 0; k < tile.cells.size(); ++k) {
    words.push_back(unit_.pool().value_of(id, tile.widths[k], static_cast<std::uint32_t>(k)));
    if (k > 0) further.push_back({id, tile.cells[k], words[k]});
  }
  read.value = words.front();
  return unit_.add_event(std::move(read), std::move(further));
}

/// Adds the write of a tile: a value for each cell.
EventId ThreadLowering::add_tile_write(Event write, const Tile& tile, const Words& words) {
  std::vector<event::Part> further;
  for (std::size_t k = 1; k < tile.cells.size(); ++k) {
    further.push_back({event::kNoEvent, tile.cells[k], words.at(k)});
  }
  write.value = words.at(0);
  return unit_.add_event(std::move(write), std::move(further));
}

EventId ThreadLowering::issue_event(const Instruction& instruction, Expr guard) {
  return unit_.add_event(new_event(EventKind::issue, instruction, guard));
}

/// The CTAs of a multicast: all of the cluster, or by the bits of its mask, which are ranks in it (D37); else
/// the one that the address names.
ThreadLowering::Cluster ThreadLowering::destinations(const Instruction& instruction, const State& state,
                                                     const Location& location) {
  if (!instruction.modifiers.multicast) return {location.cta.value_or(info_.cta)};
  const Operand* named = instruction.find(Role::cta_mask);
  if (named == nullptr) return cluster_ctas();
  const Operand& operand = *named;
  const std::uint32_t mask = constant_operand(state, operand, "a CTA mask");
  constexpr std::uint32_t kLargestMask = 0xffff;
  if (mask == 0 || mask > kLargestMask)
    fail(operand.position, "CTA mask " + std::to_string(mask) + ", expected 1 to 65535");
  Cluster found;
  for (event::Value rank = 0; rank < 16; ++rank) {
    if ((mask >> rank & 1U) != 0) found.push_back(cta_of_rank(instruction, rank));
  }
  return found;
}

/// R128: what st.async or red.async accesses, and its mbarrier object, are in one other CTA of the cluster.
/// Returns what is wrong otherwise.
std::string ThreadLowering::wrong_remote(const Instruction& instruction, std::uint32_t owner,
                                         EventId access) const {
  const bool store =
      instruction.opcode == isa::Opcode::st_async || instruction.opcode == isa::Opcode::red_async;
  if (!store || !unit_.layout.frozen()) return "";
  const auto cta = unit_.graph.cells[unit_.graph.events[access].cell].cta;
  if (cta != owner) return "`" + instruction.text + "`: memory and mbarrier object are of different CTAs";
  if (owner != info_.cta) return "";
  return "`" + instruction.text + "` acts on its own CTA, expected another one of the cluster";
}

/// The complete-tx of an asynchronous operation: it releases the operation's own accesses, in the CTA of the
/// mbarrier object, at cluster scope (8.9.1.1, D4). `where`: the condition under which it does this, within
/// the guard of its instruction.
void ThreadLowering::complete(const Instruction& instruction, State& state, EventId issue,
                              const Operand& mbarrier, std::uint32_t bytes, std::optional<std::uint32_t> cta,
                              const std::vector<EventId>& accesses, std::optional<Expr> where) {
  std::vector<MbarrierPlace> places;
  if (cta) {
    Location location = tile_location(mbarrier, state);
    location.cta = cta;
    places.push_back(*mbarrier_place(instruction, mbarrier, location, true));
    places.front().guard = unit_.graph.events[issue].guard;
  } else {
    places = mbarrier_places(instruction, mbarrier, state);
  }
  for (MbarrierPlace& place : places) {
    if (where) place.guard = unit_.pool().conjunction(place.guard, *where);
    if (unit_.pool().is_false(place.guard)) continue;
    if (const std::string wrong = wrong_remote(instruction, place.owner, accesses.front()); !wrong.empty()) {
      if (place.guard == event_guard(instruction, state)) fail(mbarrier.position, wrong);
      unit_.graph.misuses.push_back(  // computed addresses: some paths may be fine
          {"mbarrier-misuse", place.guard, instruction.position, instruction.text});
      continue;
    }
    Event signal = mbarrier_event(EventKind::signal, event::MbarrierOp::signal, instruction, place);
    signal.issue = issue;
    signal.labels.semantics = isa::Semantics::release;
    signal.labels.scope = isa::Scope::cluster;
    signal.mbarrier->tx = unit_.pool().constant(bytes, unit_.word());
    const EventId id = unit_.add_event(std::move(signal));
    for (const EventId access : accesses) unit_.graph.tracked.emplace_back(access, id);
  }
}

}  // namespace ptxmc::lower
