// SPDX-License-Identifier: Apache-2.0
// From an instruction's address to the scalar accesses it performs and the cells they cover.
//
// A vector or packed access is a set of scalar accesses in no order (8.2.4, 8.2.5), a weak .b128 access one
// of two halves, a strong one a single access of 16 bytes (D11); both are readings. A scalar access covers
// one cell or more; its value is put together from them, least significant byte first (5.2). An address that
// is not constant becomes one guarded access per place that it may name (reach.h).
#include <algorithm>

#include "lower/thread.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::Op;
using isa::Semantics;
using isa::Space;

namespace {

constexpr std::uint32_t kWord = 8;                         // bytes
constexpr std::size_t kMaxTargets = 256;                   // places of one computed address
constexpr std::int64_t kFarthest = std::int64_t{1} << 40;  // bytes: beyond the largest variable

/// The sum of two offsets, or one that is outside of every variable.
std::int64_t moved(std::int64_t offset, std::int64_t by) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(offset, by, &sum)) return by < 0 ? -kFarthest : kFarthest;
  return sum;
}

std::string bytes_of(std::int64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// No variable has a byte at that address.
bool leaves_variables(const Layout& layout, const std::optional<Location>& location, std::int64_t offset) {
  if (!location) return true;
  const std::int64_t at = moved(location->offset, offset);
  return at < 0 || at >= layout.extent(location->variable);
}

}  // namespace

ThreadLowering::Shape ThreadLowering::shape_of(const Instruction& instruction) const {
  const isa::Modifiers& m = instruction.modifiers;
  Shape shape;
  if (!m.type) return shape;
  shape.bytes = m.type->bits / 8u;
  shape.count = m.vector;
  if (whole_vector(instruction)) {
    shape.bytes = *shape.bytes * shape.count;
    shape.count = 1;
    return shape;
  }
  const bool atomic = instruction.opcode == isa::Opcode::atom || instruction.opcode == isa::Opcode::red;
  const bool split = m.semantics == Semantics::weak || unit_.options.readings.wide_in_halves;
  const bool halves = m.type->bits == 128 && split && !atomic;
  if (m.packed != isa::Packed::none || halves) {
    shape.bytes = *shape.bytes / 2;
    shape.count *= 2;
  }
  return shape;
}

Location ThreadLowering::base_location(const Operand& operand) const {
  const auto& address = std::get<program::Address>(operand.value);
  return {unit_.layout.find(address.variable, operand.position), address.offset, std::nullopt};
}

Location ThreadLowering::located(Expr address, const Operand& operand) const {
  const auto& written = std::get<program::Address>(operand.value);
  const auto location = unit_.places.locate(unit_.graph.exprs, address);
  if (!location)
    fail(operand.position, "register " + written.base_register + " holds no address of a variable");
  return {location->variable, moved(location->offset, written.offset), location->cta};
}

Block ThreadLowering::block(const Location& location) const {
  const Layout& layout = unit_.layout;
  const VariableId root = layout.root(location.variable);
  if (layout.is_shared(root)) return {root, location.cta.value_or(info_.cta)};
  if (layout.space(root) == Space::local) return {root, thread_};
  return {root, -1};
}

/// Whether a computed address may name this place: like check_space, as a question.
bool ThreadLowering::reachable(const Instruction& instruction, const Location& location) const {
  try {
    check_space(instruction, location, instruction.position);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

void ThreadLowering::check_space(const Instruction& instruction, const Location& location,
                                 Position position) const {
  const Layout& layout = unit_.layout;
  const Space space = instruction.modifiers.space, own = layout.space(location.variable);
  const std::string& name = layout.variable(location.variable).name;
  if (own == Space::tensor)
    fail(position, name + " is in tensor memory, which only tcgen05 instructions access");
  const bool shared = own == Space::shared;
  const bool names_shared =
      space == Space::shared || space == Space::shared_cta || space == Space::shared_cluster;
  if (info_.host && own != Space::global) {
    fail(position, "a host thread cannot access ." + std::string(isa::name_of(own)) + " variable " + name);
  }
  if (space != Space::generic && (names_shared ? !shared : space != own)) {
    fail(position, "variable " + name + " is ." + std::string(isa::name_of(own)) + ", the access is ." +
                       std::string(isa::name_of(space)));
  }
  const bool reads_only = instruction.opcode == isa::Opcode::ld;
  if (!reads_only && (own == Space::const_ || own == Space::param)) {
    fail(position, "variable " + name + " is ." + std::string(isa::name_of(own)) + " and cannot be written");
  }
  const bool atomic = instruction.opcode == isa::Opcode::atom || instruction.opcode == isa::Opcode::red;
  const bool strong = instruction.modifiers.semantics != Semantics::weak;
  if ((atomic || strong) && own != Space::global && own != Space::shared) {
    fail(position, "variable " + name + " is ." + std::string(isa::name_of(own)) +
                       ", a strong access is of .global or .shared memory");
  }
  if (instruction.modifiers.semantics == Semantics::mmio && own != Space::global) {
    fail(position,
         "variable " + name + " is ." + std::string(isa::name_of(own)) + ", .mmio is for .global memory");
  }
  if (!location.cta || *location.cta == info_.cta) return;
  if (space == Space::shared || space == Space::shared_cta) {
    fail(position, "the address names " + name + " of another CTA, expected .shared::cluster");
  }
  const auto& threads = unit_.graph.threads;
  const bool near = std::any_of(threads.begin(), threads.end(), [&](const event::ThreadInfo& other) {
    return !other.host && other.cta == *location.cta && other.cluster == info_.cluster;
  });
  if (!near) fail(position, "the address names " + name + " of a CTA in another cluster");
}

ThreadLowering::Access ThreadLowering::access(const Instruction& instruction, const Operand& operand,
                                              Location location, std::uint32_t bytes) {
  Layout& layout = unit_.layout;
  const VariableId id = location.variable;
  const isa::Type untyped{isa::TypeClass::signed_, 64};
  Access access;
  access.name = id;
  access.is_signed = instruction.modifiers.type.value_or(layout.type(id).value_or(untyped)).is_signed();
  access.words = bytes > kWord ? bytes / kWord : 1;
  access.width = width_of(std::min(bytes, kWord) * 8, unit_.options.unbounded);
  if (!layout.frozen()) {
    access.cells.assign(access.words, 0);
    access.bytes.assign(access.words, std::min(bytes, kWord));
    return access;
  }
  const Range range{location.offset, bytes};
  access.cells = layout.covering(block(location), range);
  std::int64_t at = range.begin;
  for (const event::CellId cell : access.cells) {
    const Range& covered = layout.owners()[cell].range;
    PTXMC_CHECK(covered.begin == at && covered.end() <= range.end(),
                "an access that the survey did not find");
    access.bytes.push_back(covered.bytes);
    at = covered.end();
  }
  PTXMC_CHECK(at == range.end(), "an access that the survey did not find");
  if (access.width == event::kUnbounded && access.cells.size() > access.words) {
    unit_.errors.unsupported(operand.position, "accesses of several sizes to " + layout.variable(id).name +
                                                   " with unbounded integers");
  }
  return access;
}

/// The scalar accesses at one place. Fails where the place is none for this instruction.
ThreadLowering::Target ThreadLowering::target(const Instruction& instruction, const Operand& operand,
                                              Location location, const Shape& shape) {
  Layout& layout = unit_.layout;
  const VariableId id = location.variable;
  const isa::Proxy proxy = instruction.modifiers.proxy, own = layout.variable(id).alias_proxy;
  if (own != isa::Proxy::generic && own != proxy) {
    fail(operand.position, layout.variable(id).name + " is a name of the " + std::string(isa::name_of(own)) +
                               " proxy, the access is of the " + std::string(isa::name_of(proxy)) + " proxy");
  }
  check_space(instruction, location, operand.position);
  const auto element = static_cast<std::uint32_t>(layout.stride(id));
  const std::uint32_t bytes = shape.bytes.value_or(element), total = bytes * shape.count;
  if (shape.bytes) layout.note_access(id, bytes, total);
  const bool sized = layout.frozen() || layout.type(id) || layout.is_array(id);
  const std::int64_t end = sized ? layout.extent(id) : kFarthest;
  if (location.offset < 0 || location.offset > end - total) {
    const std::string what = total == element && location.offset % element == 0
                                 ? "offset " + std::to_string(location.offset) + " is"
                                 : bytes_of(total) + " at offset " + std::to_string(location.offset) + " are";
    fail(operand.position, what + " outside of " + layout.variable(id).name);
  }
  if (sized && location.offset % total != 0) {
    fail(operand.position, "misaligned access: offset " + std::to_string(location.offset) + " of " +
                               layout.variable(id).name + " is no multiple of " + bytes_of(total));
  }
  Target target;
  for (std::uint32_t i = 0; i < shape.count; ++i) {
    Location at = location;
    at.offset += static_cast<std::int64_t>(i) * bytes;
    layout.note_cells(block(at), at.offset, shape.bytes ? std::optional<std::uint32_t>(bytes) : std::nullopt);
    target.scalars.push_back(access(instruction, operand, at, bytes));
  }
  return target;
}

/// Where the instruction acts, with the guards of its events. Adds the decisions that they need.
std::vector<ThreadLowering::Target> ThreadLowering::targets(const Instruction& instruction,
                                                            const Operand& operand, const State& state) {
  const auto* written = std::get_if<program::Address>(&operand.value);
  if (!written) fail(operand.position, "expected an address in `" + instruction.text + "`");
  std::optional<Location> location;
  Expr address;
  if (!written->variable.empty()) {
    location = base_location(operand);
  } else {
    const event::Width word = unit_.word();
    const Expr base = base_register(state, *written, operand.position);
    address = unit_.pool().make(Op::add, word, base, unit_.pool().constant(written->offset, word));
    if (unit_.places.is_fixed(unit_.pool(), base)) {
      // On a path that need not be taken, to leave the variable is what an execution may do wrong.
      const Expr guard = event_guard(instruction, state);
      if (!unit_.pool().is_true(guard) &&
          leaves_variables(unit_.layout, unit_.places.locate(unit_.pool(), base), written->offset)) {
        unit_.graph.misuses.push_back({"out-of-bounds", guard, instruction.position, instruction.text});
        return {};
      }
      location = located(base, operand);
    }
  }
  if (!location)
    return computed_targets(instruction, operand, state, address, event_guard(instruction, state));
  Target only = target(instruction, operand, *location, shape_of(instruction));
  only.guard = event_guard(instruction, state);
  return {only};
}

std::vector<ThreadLowering::Target> ThreadLowering::computed_targets(const Instruction& instruction,
                                                                     const Operand& operand, const State&,
                                                                     Expr address, Expr guard) {
  auto& pool = unit_.pool();
  Layout& layout = unit_.layout;
  const Shape shape = shape_of(instruction);
  // The size of an untyped access is that of the variable it meets; 8 bytes is what addresses are aligned to
  // then.
  const std::uint32_t total = shape.bytes.value_or(1) * shape.count;
  const std::size_t number = unit_.reach.start();
  std::vector<Target> found;
  Expr rest = guard;
  for (const event::Value place : possible_addresses(pool, layout, unit_.places, address, total)) {
    const Location location = *layout.locate(place);
    if (!reachable(instruction, location)) continue;
    if (!shape.bytes && location.offset % layout.stride(location.variable) != 0) continue;
    if (unit_.reach.excluded(number, place)) continue;
    const Expr here = pool.make(Op::eq, 1, address, unit_.places.at(pool, place, unit_.word()));
    if (pool.is_false(here)) continue;
    Target next = target(instruction, operand, location, shape);
    unit_.decide(thread_, here, rest);
    next.guard = pool.conjunction(rest, here);
    next.here = here;
    for (Access& scalar : next.scalars) {
      scalar.computed = true;
      scalar.address = address;
    }
    unit_.reach.note(number, place, next.guard, here);
    rest = pool.conjunction(rest, pool.negation(here));
    found.push_back(std::move(next));
    if (found.size() > kMaxTargets) {
      fail(operand.position, "the address may name more than " + std::to_string(kMaxTargets) + " places");
    }
  }
  if (!pool.is_false(rest)) {
    unit_.graph.misuses.push_back({"out-of-bounds", rest, instruction.position, instruction.text});
  }
  return found;
}

Event ThreadLowering::access_event(EventKind kind, const Instruction& instruction, Expr guard,
                                   const Access& access) {
  Event event = new_event(kind, instruction, guard);
  const isa::Modifiers& m = instruction.modifiers;
  event.cell = access.cells.front();
  if (access.computed) event.address = access.address;
  event.labels.semantics = m.semantics;
  const bool system =
      m.semantics == Semantics::volatile_ || m.semantics == Semantics::mmio;  // 8.4: relaxed.sys
  event.labels.scope = m.semantics == Semantics::weak ? isa::Scope::none : system ? isa::Scope::sys : m.scope;
  // ld.global.nc reads by the texture path (8.6): nothing the kernel writes is ordered before it (R3).
  const bool by_texture = m.non_coherent && !unit_.options.readings.nc_is_generic;
  event.labels.proxy = by_texture ? isa::Proxy::texture : m.proxy;
  event.labels.space = unit_.layout.space(access.name);
  event.labels.name = access.name;
  event.labels.generic_name = unit_.layout.generic_name(access.name);
  return event;
}

/// Adds the read; returns its words.
ThreadLowering::Words ThreadLowering::add_read(Event read, const Access& access, EventId& id) {
  auto& pool = unit_.pool();
  id = static_cast<EventId>(unit_.graph.size());
  std::vector<event::Part> further;
  Words words;
  std::uint32_t at = 0;  // bits
  for (std::size_t k = 0; k < access.cells.size(); ++k) {
    const Width cell = width_of(access.bytes[k] * 8, unit_.options.unbounded);
    const Expr value = pool.value_of(id, cell, static_cast<std::uint32_t>(k));
    if (k == 0) {
      read.value = value;
    } else {
      further.push_back({id, access.cells[k], value});
    }
    if (at % (kWord * 8) == 0) {
      words.push_back(resize(pool, {value, false}, access.width));
    } else {
      const Expr wide = resize(pool, {value, false}, access.width);
      const Expr shifted =
          pool.make(Op::shl, access.width, wide, pool.constant(at % (kWord * 8), access.width));
      words.back() = pool.make(Op::or_, access.width, words.back(), shifted);
    }
    at += access.bytes[k] * 8;
  }
  unit_.add_event(std::move(read), std::move(further));
  return words;
}

/// Adds the write of `words`, cell by cell.
EventId ThreadLowering::add_write(Event write, const Access& access, const Words& words) {
  auto& pool = unit_.pool();
  std::vector<event::Part> further;
  std::uint32_t at = 0;
  for (std::size_t k = 0; k < access.cells.size(); ++k) {
    const Width cell = width_of(access.bytes[k] * 8, unit_.options.unbounded);
    Expr value = words.at(at / (kWord * 8));
    const std::uint32_t shift = at % (kWord * 8);
    if (shift != 0) value = pool.make(Op::shr_u, access.width, value, pool.constant(shift, access.width));
    value = resize(pool, {value, false}, cell);
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
ThreadLowering::Words ThreadLowering::choose(const std::vector<Target>& places,
                                             const std::vector<Words>& values, const Access& element) {
  auto& pool = unit_.pool();
  if (!element.computed) return values.front();
  Words chosen(values.front().size(), pool.constant(0, element.width));
  for (std::size_t t = places.size(); t-- > 0;) {
    // The guards are a chain of alternatives, so the first that holds decides.
    for (std::size_t w = 0; w < chosen.size(); ++w) {
      const Typed value{values[t][w], element.is_signed};
      const Expr read = resize(pool, value, element.width);
      chosen[w] = pool.make(Op::ite, element.width, places[t].here, read, chosen[w]);
    }
  }
  return chosen;
}

/// The events from `first` on are the elements of one vector or packed access.
void ThreadLowering::join_vector(EventId first) {
  for (EventId e = first; e < unit_.graph.size(); ++e) unit_.graph.events[e].vector = first;
}

}  // namespace ptxmc::lower
