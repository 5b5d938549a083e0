// SPDX-License-Identifier: Apache-2.0
// Every access is bounded by the object whose address it was derived from: what lies beside that is not known
// (places.h).
#include <fmt/format.h>

#include <algorithm>

#include "dynamic/exec/machine.h"
#include "support/demangle.h"

namespace ptxmc::exec {

namespace {

using trace::Range;

constexpr std::uint32_t kHalf = 4;

}  // namespace

/// Do the addresses of all lanes have one form, and the bytes lie in its object? False: each lane is to be looked at.
bool AddressForms::keeps_bounds(Warp& warp, const Step& step, LaneMask mask, const Range& all,
                                std::uint32_t unit) {
  const Slot base = step.address.base;
  if ((warp.taint(base).address & mask) != mask || Memory::is_local(all.begin)) return false;
  const FormRow& forms = *warp.registers.forms[base];
  const Form form = forms[static_cast<unsigned>(std::countr_zero(mask))];
  bool same = true;
  for_lanes(mask, [&](unsigned lane) { same = same && forms[lane] == form; });
  const Places::Bounds* const bounds = same ? run_.places->bounds(form) : nullptr;
  if (bounds == nullptr || !run_.places->is_aligned(form, unit)) return false;
  const std::int64_t begin = bounds->offset(all.begin) + bounds->low,
                     end = bounds->offset(all.begin) + bounds->high + static_cast<std::int64_t>(all.bytes);
  if (begin < 0 || end > static_cast<std::int64_t>(bounds->object.bytes)) return false;
  if (bounds->object.reserved) run_.outcome.reserved.insert(step.site);
  if (!run_.places->note(*bounds, begin, end))
    run_.decided(step, Decided::address, bit(Source::place), false);
  return true;
}

bool AddressForms::is_aligned(Warp& warp, const Step& step, unsigned lane, Slot base, Address at,
                              std::uint64_t unit) {
  if (at % unit != 0) return false;
  const Form form = form_of(warp, base, lane);
  if (run_.places->is_aligned(form, unit)) return true;
  const Places::Bounds* const bounds = run_.places->bounds(form);
  run_.fault(RuleId::declared_alignment, step, warp, lane,
             bounds == nullptr
                 ? fmt::format("{}, which need not be a multiple of {}", run_.memory->name_at(at), unit)
                 : fmt::format("{} must be a multiple of {}, and {} is declared with an alignment of {}",
                               run_.memory->name_at(at), unit, short_variable_name(bounds->object.name),
                               bounds->object.align));
  return true;
}

/// The same of some bytes that one lane accesses. False: a fault.
bool AddressForms::in_object(Warp& warp, const Step& step, unsigned lane, const Range& range, Slot base) {
  if (Memory::is_local(range.begin) &&
      (range.begin - run_.memory->local(thread_of(warp, lane))) >> Memory::kWindowBits != 0) {
    run_.address_fault(
        RuleId::wrong_space, step, warp, lane,
        fmt::format("{} bytes at {} of another thread", range.bytes, run_.memory->name_at(range.begin)));
    return false;
  }
  const Form form = form_of(warp, base, lane);
  const Places::Bounds* const bounds = run_.places->bounds(form);
  if (bounds != nullptr && bounds->object.space == isa::Space::local &&
      machine_.locals.has_ended(thread_of(warp, lane), *bounds)) {
    run_.overrun(step, warp, lane,
                 fmt::format("{} bytes at {}, a local variable of a function that has returned", range.bytes,
                             run_.memory->name_at(range.begin)))
        .note(Misuse::dangling);
    return false;
  }
  if (bounds != nullptr) return in_object(warp, step, lane, range, *bounds);
  // A number is an address of what happens to lie there; where nothing does in this run, that is a fault.
  const bool number = form == Places::kNumber && !run_.memory->span(range.begin, range.bytes);
  if (!number && (form != Places::kNumber || open(warp.taint(base).of(lane)) == 0))
    run_.decided(step, Decided::address, bit(Source::place), false);
  return true;
}

bool AddressForms::in_object(Warp& warp, const Step& step, unsigned lane, const Range& range,
                             const Places::Bounds& bounds) {
  const std::int64_t begin = bounds.offset(range.begin), end = begin + static_cast<std::int64_t>(range.bytes),
                     bytes = static_cast<std::int64_t>(bounds.object.bytes);
  if (begin >= 0 && end <= bytes) {
    if (bounds.object.reserved) run_.outcome.reserved.insert(step.site);
    if (begin + bounds.low < 0 || end + bounds.high > bytes ||
        !run_.places->note(bounds, begin + bounds.low, end + bounds.high))
      run_.decided(step, Decided::address, bit(Source::place), false);
    return true;
  }
  Fault& fault = run_.overrun(step, warp, lane,
                              fmt::format("{} bytes at {}{:+}, of {} bytes", range.bytes,
                                          short_variable_name(bounds.object.name), begin, bytes));
  if (begin < 0 || (!fault.object.empty() && fault.object != bounds.object.name)) return false;
  fault.object = bounds.object.name;
  fault.bytes = bounds.object.bytes;
  fault.enough = std::max(fault.enough, static_cast<std::uint64_t>(end));
  return false;
}

/// The bounds of the shared memory that a matrix descriptor names; null: any.
const Places::Bounds* AddressForms::descriptor_bounds(Warp& warp, const Step& step, isa::Role role,
                                                      unsigned lane) {
  const Slot slot = step.slot(role);
  const Form form = form_of(warp, slot, lane);
  const Places::Bounds* const out = run_.places->descriptor_bounds(form);
  if (out == nullptr && (form != Places::kNumber || open(warp.taint(slot).of(lane)) == 0))
    run_.decided(step, Decided::address, bit(Source::place), false);
  return out;
}

// ---- Addresses in memory ----------------------------------------------------------------------------------------

/// Bytes have been written that are an address.
void AddressForms::store_form(const Memory::Span& span, Address at, std::uint64_t offset, std::uint32_t bytes,
                              Form form) {
  if (form == Places::kNumber) return;
  if (form == Places::kLost || (bytes != kHalf && bytes != 2 * kHalf)) {
    const auto sources = static_cast<Sources>(span.sources(offset, bytes) | bit(Source::place));
    return span.set_sources(offset, bytes, sources);
  }
  span.mark_address(offset, bytes);
  in_memory_.store(at, bytes, form, Memory::load(span.data + offset, bytes));
}

void AddressForms::store_form(Warp& warp, Slot slot, unsigned lane, const Memory::Span& span, Address at,
                              std::uint64_t offset, std::uint32_t bytes) {
  if ((warp.taint(slot).address >> lane & 1U) == 0) return;
  store_form(span, at, offset, bytes,
             run_.places->narrowed({form_of(warp, slot, lane), warp.row(slot)[lane]}, bytes * 8));
}

Form AddressForms::load_form(const Memory::Span& span, Address at, std::uint64_t offset,
                             std::uint32_t bytes) {
  return in_memory_.load(*run_.places, at, bytes, span.address_parts(offset, bytes), span.data + offset);
}

void AddressForms::copy_bytes(Address to, Address from, std::uint64_t bytes) {
  run_.memory->copy(to, from, bytes);
  if (in_memory_.has_any()) in_memory_.copy(to, from, bytes);
}

}  // namespace ptxmc::exec
