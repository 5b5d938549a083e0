// SPDX-License-Identifier: Apache-2.0
// From an instruction's address to the scalar accesses it performs and the cells they cover.
//
// A vector or packed access is a set of scalar accesses in no order (8.2.4, 8.2.5), a weak .b128 access one
// of two halves, a strong one a single access of 16 bytes (D11); both are readings. A scalar access covers
// one cell or more; its value is put together from them, least significant byte first (5.2). An address that
// is not constant becomes one guarded access per place that it may name (memory/reach.h).
#include "axiomatic/lower/families/accesses.h"

#include <algorithm>

#include "finding/rules.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Op;
using isa::Semantics;

namespace {

constexpr std::uint32_t kWord = 8;         // bytes
constexpr std::size_t kMaxTargets = 4096;  // places of one computed address

std::string bytes_of(std::int64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// No variable has a byte at that address.
bool leaves_variables(const Layout& layout, const std::optional<Location>& location, std::int64_t offset) {
  if (!location) return true;
  const std::int64_t at = moved_offset(location->offset, offset);
  return at < 0 || at >= layout.extent(location->variable);
}

}  // namespace

Shape Accesses::shape_of(const Instruction& instruction) const {
  const isa::Modifiers& m = instruction.modifiers;
  Shape shape;
  if (!m.type) return shape;
  shape.bytes = m.type->bits / 8u;
  shape.count = m.vector;
  if (words_.whole_vector(instruction)) {
    shape.bytes = *shape.bytes * shape.count;
    shape.count = 1;
    return shape;
  }
  const bool atomic = instruction.opcode == isa::Opcode::atom || instruction.opcode == isa::Opcode::red;
  const bool split = m.semantics == Semantics::weak || unit_.options.readings.wide_in_halves;
  const bool halves = m.type->bits == 128 && split && !atomic;
  const std::uint32_t parts = halves ? 2 : isa::parts_of(m.packed);
  shape.bytes = *shape.bytes / parts;
  shape.count *= parts;
  return shape;
}

Access Accesses::access(const Instruction& instruction, const Operand& operand, Location location,
                        std::uint32_t bytes) {
  const VariableId id = location.variable;
  const isa::Type untyped{isa::TypeClass::signed_, 64};
  Access access;
  access.name = id;
  access.is_signed = instruction.modifiers.type.value_or(layout_.type(id).value_or(untyped)).is_signed();
  access.words = bytes > kWord ? bytes / kWord : 1;
  access.width = width_of(std::min(bytes, kWord) * 8, unit_.options.unbounded);
  if (!layout_.frozen()) {
    access.cells.assign(access.words, 0);
    access.bytes.assign(access.words, std::min(bytes, kWord));
    return access;
  }
  const Range range{location.offset, bytes};
  access.cells = layout_.covering(addresses_.block(location), range);
  std::int64_t at = range.begin;
  for (const event::CellId cell : access.cells) {
    const Range& covered = layout_.owners()[cell].range;
    PTXMC_CHECK(covered.begin == at && covered.end() <= range.end(),
                "an access that the survey did not find");
    access.bytes.push_back(covered.bytes);
    at = covered.end();
  }
  PTXMC_CHECK(at == range.end(), "an access that the survey did not find");
  if (access.width == event::kUnbounded && access.cells.size() > access.words) {
    unsupported(operand.position,
                "accesses of several sizes to " + layout_.variable(id).name + " with unbounded integers");
  }
  return access;
}

/// The scalar accesses at one place. Fails where the place is none for this instruction.
Target Accesses::target(const Instruction& instruction, const Operand& operand, Location location,
                        const Shape& shape) {
  const VariableId id = location.variable;
  const isa::Proxy proxy = instruction.modifiers.proxy, own = layout_.variable(id).alias_proxy;
  if (own != isa::Proxy::generic && own != proxy) {
    fail(operand.position, layout_.variable(id).name + " is a name of the " + std::string(isa::name_of(own)) +
                               " proxy, the access is of the " + std::string(isa::name_of(proxy)) + " proxy");
  }
  addresses_.check_space(instruction, location, operand.position);
  const auto element = static_cast<std::uint32_t>(layout_.stride(id));
  const std::uint32_t bytes = shape.bytes.value_or(element), total = bytes * shape.count;
  if (shape.bytes) layout_.note_access(id, bytes, total);
  const bool sized = layout_.frozen() || layout_.type(id) || layout_.is_array(id);
  const std::int64_t end = sized ? layout_.extent(id) : kFarthest;
  if (location.offset < 0 || location.offset > end - total) {
    const std::string what = total == element && location.offset % element == 0
                                 ? "offset " + std::to_string(location.offset) + " is"
                                 : bytes_of(total) + " at offset " + std::to_string(location.offset) + " are";
    fail(operand.position, what + " outside of " + layout_.variable(id).name);
  }
  if (sized && location.offset % total != 0) {
    fail(operand.position, "misaligned access: offset " + std::to_string(location.offset) + " of " +
                               layout_.variable(id).name + " is no multiple of " + bytes_of(total));
  }
  if (const std::string why = layout_.too_little_alignment(id, total); !why.empty())
    fail(operand.position, why);
  Target target;
  for (std::uint32_t i = 0; i < shape.count; ++i) {
    Location at = location;
    at.offset += static_cast<std::int64_t>(i) * bytes;
    layout_.note_cells(addresses_.block(at), at.offset,
                       shape.bytes ? std::optional<std::uint32_t>(bytes) : std::nullopt);
    target.scalars.push_back(access(instruction, operand, at, bytes));
  }
  return target;
}

/// Where the instruction acts, with the guards of its events. Adds the decisions that they need.
std::vector<Target> Accesses::targets(const Instruction& instruction, const Operand& operand,
                                      const State& state) {
  auto [location, base, address] = addresses_.named_place(instruction, operand, state);
  if (!location && unit_.places.is_fixed(pool_, base)) {
    // On a path that need not be taken, to leave the variable is what an execution may do wrong.
    const Expr guard = registers_.event_guard(instruction, state);
    const std::int64_t offset = std::get<program::Address>(operand.value).offset;
    if (!pool_.is_true(guard) && leaves_variables(layout_, unit_.places.locate(pool_, base), offset)) {
      misuse(finding::RuleId::out_of_bounds, guard, instruction);
      return {};
    }
    location = addresses_.located(base, operand);
  }
  if (!location)
    return computed_targets(instruction, operand, state, address, registers_.event_guard(instruction, state));
  std::vector<Target> only;
  only.push_back(target(instruction, operand, *location, shape_of(instruction)));
  only.front().guard = registers_.event_guard(instruction, state);
  return only;
}

std::vector<Target> Accesses::computed_targets(const Instruction& instruction, const Operand& operand,
                                               const State&, Expr address, Expr guard) {
  const Shape shape = shape_of(instruction);
  // The size of an untyped access is that of the variable it meets; 8 bytes is what addresses are aligned to
  // then.
  const std::uint32_t total = shape.bytes.value_or(1) * shape.count;
  const std::size_t number = unit_.reach.start();
  std::vector<Target> found;
  Expr rest = guard;
  for (const event::Value place : possible_addresses(pool_, layout_, unit_.places, address, total)) {
    const Location location = *layout_.locate(place);
    if (!addresses_.reachable(instruction, location)) continue;
    if (!shape.bytes && location.offset % layout_.stride(location.variable) != 0) continue;
    if (unit_.reach.excluded(number, place)) continue;
    const Expr here = pool_.make(Op::eq, 1, address, unit_.places.at(pool_, place, unit_.word()));
    if (pool_.is_false(here)) continue;
    Target next = target(instruction, operand, location, shape);
    unit_.decide(thread_, here, rest);
    next.guard = pool_.conjunction(rest, here);
    next.here = here;
    for (Access& scalar : next.scalars) {
      scalar.computed = true;
      scalar.address = address;
    }
    unit_.reach.note(number, place, next.guard, here);
    rest = pool_.conjunction(rest, pool_.negation(here));
    found.push_back(std::move(next));
    if (found.size() > kMaxTargets) {
      fail(operand.position, "the address may name more than " + std::to_string(kMaxTargets) + " places");
    }
  }
  if (!pool_.is_false(rest)) {
    misuse(finding::RuleId::out_of_bounds, rest, instruction);
  }
  return found;
}

Target Accesses::place(const Instruction& instruction, const Operand& operand, const Location& location,
                       Expr guard) {
  Target out = target(instruction, operand, location, shape_of(instruction));
  out.guard = guard;
  return out;
}

Event Accesses::access_event(EventKind kind, const Instruction& instruction, Expr guard,
                             const Access& access) {
  Event event = new_event(kind, instruction, guard);
  const isa::Modifiers& m = instruction.modifiers;
  event.cell = access.cells.front();
  if (access.computed) event.address = access.address;
  event.labels.semantics = m.semantics;
  const bool system =
      m.semantics == Semantics::volatile_ || m.semantics == Semantics::mmio;  // 8.4: relaxed.sys
  event.labels.scope = m.semantics == Semantics::weak ? isa::Scope::none : system ? isa::Scope::sys : m.scope;
  // ld.global.nc reads by the texture path (8.6): nothing the kernel writes is ordered before it (R3). So it is of the
  // readonly proxy (PTX ISA 9.4), to which no fence leads.
  const bool by_texture = m.read_only || (m.non_coherent && !unit_.options.readings.nc_is_generic);
  event.labels.proxy = by_texture ? isa::Proxy::texture : m.proxy;
  event.labels.space = layout_.space(access.name);
  event.labels.name = access.name;
  event.labels.generic_name = layout_.generic_name(access.name);
  return event;
}

/// Adds the read; returns its words.
Words Accesses::add_read(Event read, const Access& access, EventId& id) {
  id = static_cast<EventId>(graph_.size());
  std::vector<event::Part> further;
  Words words;
  std::uint32_t at = 0;  // bits
  for (std::size_t k = 0; k < access.cells.size(); ++k) {
    const Width cell = width_of(access.bytes[k] * 8, unit_.options.unbounded);
    const Expr value = pool_.value_of(id, cell, static_cast<std::uint32_t>(k));
    if (k == 0) {
      read.value = value;
    } else {
      further.push_back({id, access.cells[k], value});
    }
    if (at % (kWord * 8) == 0) {
      words.push_back(resize(pool_, {value, false}, access.width));
    } else {
      const Expr wide = resize(pool_, {value, false}, access.width);
      const Expr shifted =
          pool_.make(Op::shl, access.width, wide, pool_.constant(at % (kWord * 8), access.width));
      words.back() = pool_.make(Op::or_, access.width, words.back(), shifted);
    }
    at += access.bytes[k] * 8;
  }
  unit_.add_event(std::move(read), std::move(further));
  return words;
}

/// Adds the write of `words`, cell by cell.
EventId Accesses::add_write(Event write, const Access& access, const Words& words) {
  std::vector<event::Part> further;
  std::uint32_t at = 0;
  for (std::size_t k = 0; k < access.cells.size(); ++k) {
    const Width cell = width_of(access.bytes[k] * 8, unit_.options.unbounded);
    Expr value = words.at(at / (kWord * 8));
    const std::uint32_t shift = at % (kWord * 8);
    if (shift != 0) value = pool_.make(Op::shr_u, access.width, value, pool_.constant(shift, access.width));
    value = resize(pool_, {value, false}, cell);
    if (k == 0) {
      write.value = value;
    } else {
      further.push_back({event::kNoEvent, access.cells[k], value});
    }
    at += access.bytes[k] * 8;
  }
  return unit_.add_event(std::move(write), std::move(further));
}

/// The words read at the place that exists; zero where none does (out of bounds).
Words Accesses::choose(const std::vector<Target>& places, const std::vector<Words>& values,
                       const Access& element) {
  if (!element.computed) return values.front();
  Words chosen(values.front().size(), pool_.constant(0, element.width));
  for (std::size_t t = places.size(); t-- > 0;) {
    // The guards are a chain of alternatives, so the first that holds decides.
    for (std::size_t w = 0; w < chosen.size(); ++w) {
      const Typed value{values[t][w], element.is_signed};
      const Expr read = resize(pool_, value, element.width);
      chosen[w] = pool_.make(Op::ite, element.width, places[t].here, read, chosen[w]);
    }
  }
  return chosen;
}

/// The events from `first` on are the elements of one vector or packed access.
void Accesses::join_vector(EventId first) {
  for (EventId e = first; e < graph_.size(); ++e) graph_.events[e].vector = first;
}

}  // namespace ptxmc::lower
