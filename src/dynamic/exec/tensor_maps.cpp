// SPDX-License-Identifier: Apache-2.0
// Tensor maps in memory (9.7.8.25, 9.7.12.15.18): 128 bytes, which are copied as others are, and which copies read through
// the tensormap proxy.
#include <fmt/format.h>

#include "dynamic/exec/machine.h"
#include "ptx/footprint/map_bytes.h"
#include "ptx/isa/isa.h"
#include "ptx/rules/limits.h"
#include "ptx/rules/reductions.h"
#include "support/refuse.h"

namespace ptxmc::exec {

namespace {

using footprint::kMapBytes;
using isa::Role;
using trace::Range;

}  // namespace

/// The map that a tensor copy names; nothing: reported, or no copy can go through it.
std::optional<footprint::MapFields> TensorMaps::map_of_copy(Warp& warp, const Step& step, unsigned lane) {
  const Address at = run_.address(warp, step, step.tensor, lane);
  const auto wrong = [&](const std::string& what, Misuse misuse = Misuse::none) {
    const auto there = run_.memory->span(at, kMapBytes);
    run_.address_fault(RuleId::tensor_map, step, warp, lane, what,
                       there ? run_.memory->sources(at, kMapBytes) : 0)
        .note(misuse);
  };
  auto map = run_.memory->map_at(at);
  if (!map) {
    wrong(fmt::format("no tensor map at {}", run_.memory->name_at(at)));
    return std::nullopt;
  }
  if (const Sources sources = run_.memory->sources(at, kMapBytes); sources != 0)
    run_.decided(step, Decided::address, sources, false);
  if (!machine_.forms.is_aligned(warp, step, lane, step.tensor.base, at, rules::kMapAlignment)) {
    wrong(fmt::format("a tensor map at {}, which is no multiple of {}", run_.memory->name_at(at),
                      rules::kMapAlignment));
    return std::nullopt;
  }
  const isa::LoadMode mode = step.modifiers().load_mode;
  const footprint::Problem problem = footprint::map_problem(*map, mode);
  if (problem.unsupported)
    refuse(run_.program.source, step.instruction->position, problem.text + " is not supported by verify yet");
  if (!problem.text.empty()) {
    wrong(problem.text);
    return std::nullopt;
  }
  const std::size_t rank = footprint::map_rank(*map), asked = step.modifiers().dimensions;
  const std::size_t wanted = isa::coordinates_of(mode, asked) + isa::offsets_of(mode, asked);
  if (rank != asked || step.coordinates.size() != wanted) {
    wrong(fmt::format("a tensor of {} dimensions, accessed as one of {}", rank, asked), Misuse::map_rank);
    return std::nullopt;
  }
  const isa::AtomicOp reduction = step.modifiers().atomic;
  const isa::TensorElement element = footprint::map_element(*map);
  if (reduction != isa::AtomicOp::none && !rules::reduced_type(reduction, element)) {
    wrong(fmt::format("a reduction .{} of elements of type {}, which does not exist", isa::name_of(reduction),
                      isa::name_of(element)),
          Misuse::reduction);
    return std::nullopt;
  }
  return map;
}

/// cp.async.bulk.prefetch.tensor moves nothing, and asks of its map what a copy does (9.7.8.24.11).
void TensorMaps::prefetch_tensor(Warp& warp, const Step& step, LaneMask mask) {
  for_lanes(mask, [&](unsigned lane) { map_of_copy(warp, step, lane); });
}

/// A part of the copy: a thread that waits for that waits for this.
void TensorMaps::read_map(Warp& warp, const Step& step, unsigned lane, trace::Tracking tracking,
                          Address object, std::span<const trace::Signal> signals) {
  const Address at = run_.address(warp, step, step.tensor, lane);
  if (run_.memory->is_constant(at)) return;
  const Range map{at, kMapBytes};
  trace::Operation told = machine_.copies.operation(warp, step, lane, tracking, object);
  told.proxy = isa::Proxy::tensormap;
  told.reads = {&map, 1};
  told.signals = signals;
  if (machine_.blocks.follow() && Memory::is_global(at))
    machine_.blocks.touch(warp, kStill, GridTouch::read, map);
  run_.observer.issue(told);
}

/// R157: a weak access of the whole object.
void TensorMaps::replace_map(Warp& warp, const Step& step, LaneMask mask) {
  const isa::Modifiers& m = step.modifiers();
  for_lanes(mask, [&](unsigned lane) {
    const Address at = run_.address(warp, step, step.address, lane);
    const std::int64_t ordinal =
        step.has(Role::ordinal) ? static_cast<std::int64_t>(value_of(warp, step, Role::ordinal, lane)) : 0;
    const auto field = footprint::map_field(m.map_field, ordinal);
    if (!field)
      return run_.fault(RuleId::bad_operand, step, warp, lane,
                        fmt::format("field {} of .{}", ordinal, isa::name_of(m.map_field)));
    if (!machine_.copies.writable(warp, step, lane, {at, kMapBytes}, step.address.base)) return;
    if (!machine_.forms.is_aligned(warp, step, lane, step.address.base, at, rules::kMapAlignment))
      return run_.fault(RuleId::misaligned, step, warp, lane,
                        fmt::format("a tensor map at {}", run_.memory->name_at(at)));
    if (Memory::is_local(at))
      return run_.fault(RuleId::wrong_space, step, warp, lane,
                        fmt::format("a tensor map at {}", run_.memory->name_at(at)));
    const auto place = footprint::map_range(*field);
    const Memory::Span span = *run_.memory->span(at, kMapBytes);
    if (run_.memory->sources(at, kMapBytes) == 0) footprint::begin_map(span.data);
    Memory::store(span.data + place.begin, place.bytes, value_of(warp, step, Role::value, lane));
    const Sources sources = warp.taint(step.slot(Role::value)).of(lane);
    span.set_sources(static_cast<std::uint64_t>(place.begin), place.bytes, sources);
    ++run_.changes;
    Row places{};
    places[lane] = at;
    machine_.accesses.tell_weak(warp, step, LaneMask{1} << lane, trace::Effect::write, kMapBytes, places);
  });
}

/// tensormap.cp_fenceproxy: the warp copies the map through the generic proxy, and releases what it wrote
/// (R158, R159). The copy is the first lane's, and the others come after it.
void TensorMaps::copy_map(Warp& warp, const Step& step, LaneMask group) {
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  const Address to = run_.address(warp, step, step.address, first),
                from = run_.address(warp, step, step.source, first);
  if (!machine_.copies.writable(warp, step, first, {to, kMapBytes}, step.address.base) ||
      !machine_.copies.in_memory(warp, step, first, {from, kMapBytes}, step.source.base))
    return;
  for (const auto& [at, base] : {std::pair{to, step.address.base}, std::pair{from, step.source.base}}) {
    if (!machine_.forms.is_aligned(warp, step, first, base, at, rules::kMapAlignment))
      return run_.fault(RuleId::misaligned, step, warp, first,
                        fmt::format("a tensor map at {}", run_.memory->name_at(at)));
  }
  machine_.forms.copy_bytes(to, from, kMapBytes);
  ++run_.changes;
  for (const bool writes : {false, true}) {
    Row places{};
    places[first] = writes ? to : from;
    machine_.accesses.tell_weak(warp, step, LaneMask{1} << first,
                                writes ? trace::Effect::write : trace::Effect::read, kMapBytes, places);
  }
  run_.observer.warp_sync(step.site, lanes_of(warp, group));
  const isa::Modifiers& m = step.modifiers();
  Row maps{};
  maps.fill(to);
  run_.observer.proxy_fence({step.site,
                             lanes_of(warp, group),
                             isa::Proxy::tensormap,
                             {m.semantics, m.scope},
                             isa::Space::generic,
                             maps});
}

}  // namespace ptxmc::exec
