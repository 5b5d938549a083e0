// SPDX-License-Identifier: Apache-2.0
// ld and st (9.7.8), and fences (9.7.12.4).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "dynamic/exec/machine.h"
#include "ptx/integer/arithmetic.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using trace::Effect;

/// The strength of an atomic that only reads: it releases nothing.
trace::Strength strength_of_read(trace::Strength strength) {
  if (strength.semantics == isa::Semantics::acq_rel) strength.semantics = isa::Semantics::acquire;
  if (strength.semantics == isa::Semantics::release) strength.semantics = isa::Semantics::relaxed;
  return strength;
}

/// A strong read that decides, or a swap that fails; one of 128 bits is made outside of turns (Atomics::wide_atomic).
bool may_have_turn(const Step& step) {
  constexpr std::uint32_t kWide = 16;
  if (step.instruction->opcode == Opcode::atom) return step.element_bytes != kWide;
  return step.instruction->opcode == Opcode::ld && step.decides && step.element_count == 1 &&
         step.modifiers().semantics != isa::Semantics::weak;
}

/// ld.global.nc reads by the texture path (8.6, R3); by the readonly proxy it is alike, and so is ldu (D45). A multimem address is an
/// alias of its locations (D50).
isa::Proxy proxy_of(const Step& step) {
  if (isa::is_multimem(step.instruction->opcode)) return isa::Proxy::alias;
  const isa::Modifiers& m = step.modifiers();
  return m.non_coherent || m.read_only || m.uniform ? isa::Proxy::texture : m.proxy;
}

bool only_reads(Opcode opcode) {
  return opcode == Opcode::ld || opcode == Opcode::ldmatrix || opcode == Opcode::wmma_load ||
         opcode == Opcode::multimem_load;
}

/// st.param passes arguments to functions: it names no parameter of the kernel.
bool writes_parameter(const Step& step) {
  return step.instruction->opcode == Opcode::st && step.address.space == isa::Space::param;
}

/// What an instruction may access by a generic address: atomics global and shared memory, of several elements global memory alone
/// (9.7.12.5, 9.7.12.6); so do strong loads and stores (9.7.8.8, 9.7.8.11), but for those that are volatile because a variable of
/// the source is, which may be local. What is constant is neither.
bool may_be_at(const Step& step, Address at, bool constant) {
  const isa::Modifiers& m = step.modifiers();
  const Opcode opcode = step.instruction->opcode;
  const bool global = Memory::is_global(at) && !constant, shared = Memory::is_shared(at);
  const bool nowhere = !Memory::is_global(at) && !shared && !Memory::is_local(at);
  if (nowhere) return true;                             // that is said
  if (opcode == Opcode::atom || opcode == Opcode::red)  // the check for read-only memory reports constants
    return Memory::is_global(at) || (shared && m.vector == 1);
  if (opcode == Opcode::wmma_load || opcode == Opcode::wmma_store) return global || shared;
  if (opcode != Opcode::ld && opcode != Opcode::st) return true;
  if (opcode == Opcode::ld && constant && m.space == isa::Space::global && step.address.space == m.space)
    return false;
  if (opcode == Opcode::ld && m.space == isa::Space::const_ && !constant) return false;
  if (m.semantics == isa::Semantics::mmio || m.mmio || m.uniform) return global;
  return m.semantics == isa::Semantics::weak || m.semantics == isa::Semantics::volatile_ || global || shared;
}

std::uint64_t extended(std::uint64_t value, std::uint32_t bits, bool is_signed, std::uint16_t width) {
  if (is_signed && bits < 64)
    value = static_cast<std::uint64_t>(integer::as_signed(value, static_cast<integer::Width>(bits)));
  return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

}  // namespace

trace::Strength strength_of(const isa::Modifiers& m) {
  if (m.semantics == isa::Semantics::weak) return {};
  const bool system = m.semantics == isa::Semantics::volatile_ || m.semantics == isa::Semantics::mmio;
  return {m.semantics, system ? isa::Scope::sys : m.scope};  // 8.4: relaxed.sys
}

bool Accesses::fits(const Step& step, Address at) const {
  return may_be_at(step, at, run_.memory->has_constants() && run_.memory->is_constant(at));
}

ReachedBytes Accesses::reach(Warp& warp, const Step& step, LaneMask mask, std::uint32_t bytes, Row& at) {
  const ReachedBytes out = reach_here(warp, step, mask, bytes, at);
  if (machine_.blocks.follow()) machine_.blocks.reach(warp, step, step.address, out.lanes, at, bytes, bytes);
  return out;
}

ReachedBytes Accesses::reach_here(Warp& warp, const Step& step, LaneMask mask, std::uint32_t bytes, Row& at) {
  run_.addresses(warp, step, step.address, mask, at);
  LaneMask wrong = 0;
  Address low_bits = 0, low = ~Address{0}, high = 0;
  for_lanes(mask, [&](unsigned lane) {
    low_bits |= at[lane];
    low = std::min(low, at[lane]);
    high = std::max(high, at[lane]);
  });
  ReachedBytes out{mask, low, std::nullopt};
  if (high - low < (Address{1} << Memory::kWindowBits))
    out.together = run_.memory->span(low, high - low + bytes);
  const bool reads_only = only_reads(step.instruction->opcode);
  const bool may_be_constant = run_.memory->has_constants() && !reads_only && !writes_parameter(step);
  const bool named_global =
      step.modifiers().space == isa::Space::global && step.address.space == isa::Space::global;
  const bool elsewhere = named_global && !Memory::is_global(low);
  const bool constant = may_be_constant && out.together && run_.memory->is_constant(low);
  if (out.together && (low_bits & (bytes - 1)) == 0 && !elsewhere && !constant && fits(step, low) &&
      machine_.forms.keeps_bounds(warp, step, mask, {low, high - low + bytes}, bytes))
    return out;
  for_lanes(mask, [&](unsigned lane) {
    const bool of_window = Memory::is_shared(at[lane]) || Memory::is_local(at[lane]);
    if (at[lane] >= Memory::kNowhere || (named_global && of_window)) {
      wrong |= LaneMask{1} << lane;
      run_.address_fault(
          RuleId::wrong_space, step, warp, lane,
          fmt::format("{} bytes at {}, which is no address of .{}", bytes,
                      run_.memory->name_at(at[lane] & ~Memory::kNowhere), isa::name_of(step.address.space)));
    } else if (!fits(step, at[lane])) {
      wrong |= LaneMask{1} << lane;
      run_.address_fault(RuleId::wrong_space, step, warp, lane,
                         fmt::format("{} bytes at {}, in a state space that {} does not access", bytes,
                                     run_.memory->name_at(at[lane]),
                                     step.instruction->text.substr(0, step.instruction->text.find(' '))));
    } else if (Memory::is_multimem(at[lane])) {
      wrong |= LaneMask{1} << lane;
      run_.address_fault(RuleId::wrong_space, step, warp, lane,
                         fmt::format("{} bytes at {}, which only multimem instructions access (8.2.3)", bytes,
                                     run_.memory->name_at(at[lane])));
    } else if (!machine_.forms.in_object(warp, step, lane, {at[lane], bytes}, step.address.base)) {
      wrong |= LaneMask{1} << lane;
    } else if (!run_.memory->span(at[lane], bytes)) {
      wrong |= LaneMask{1} << lane;
      run_.out_of_bounds(step, warp, lane, {at[lane], bytes});
    } else if (may_be_constant && run_.memory->is_constant(at[lane])) {
      wrong |= LaneMask{1} << lane;
      run_.address_fault(RuleId::read_only, step, warp, lane,
                         fmt::format("{} bytes at {}", bytes, run_.memory->name_at(at[lane])));
    } else if (!machine_.forms.is_aligned(warp, step, lane, step.address.base, at[lane], bytes)) {
      wrong |= LaneMask{1} << lane;
      run_.address_fault(RuleId::misaligned, step, warp, lane,
                         fmt::format("{} bytes at {}", bytes, run_.memory->name_at(at[lane])));
    }
  });
  out.lanes &= ~wrong;
  return out;
}

void Accesses::observe(Warp& warp, const Step& step, LaneMask mask, const Row& at, Effect effect,
                       std::span<const std::uint64_t> written, LaneMask tainted, const trace::Polling* polls,
                       const trace::Rewrites* rewrites) {
  const isa::Modifiers& m = step.modifiers();
  const LaneMask chooses = mask & ~machine_.contention.without_choice(step, mask, at);
  const bool contends = effect == Effect::read && polls == nullptr && chooses != 0 && may_have_turn(step);
  // Either half of a packed atomic is an access of its own (8.2.5), so that its location has no turns.
  const bool packed = effect == Effect::update && m.packed != isa::Packed::none;
  const bool by_turns = (effect == Effect::update && !packed) || contends;
  const bool atomic =
      effect == Effect::update || step.instruction->opcode == Opcode::atom;  // or a swap that fails
  const bool placed = atomic && polls == nullptr && swaps_.counts(step, mask, at, effect == Effect::update);
  const bool decides = step.decides || placed;
  // In another schedule it may read another write, and order something else.
  if (decides && m.semantics != isa::Semantics::weak && chooses != 0)
    run_.decided(step, polls == nullptr ? Decided::control : Decided::waiting,
                 by_turns ? machine_.contention.order_of(chooses, at) : bit(Source::timing), false);
  if (effect != Effect::write && m.semantics != isa::Semantics::weak)
    for_lanes(mask, [&](unsigned lane) { warp.last_read[lane] = {&step, at[lane], run_.changes}; });
  if (machine_.branch_sides.are_taken() && effect != Effect::write) look(step, mask, at);
  note_exit_reads(warp, step, mask, at, effect);
  if (mask == 0) return;
  const bool fails = effect == Effect::read && step.instruction->opcode == Opcode::atom;  // a swap
  // One that may succeed for other contents is told as a write of the block.
  if (machine_.blocks.follow())
    machine_.blocks.access(warp, step, mask, at, fails && tainted != 0 ? Effect::update : effect);
  trace::Access access{.site = step.site,
                       .lanes = lanes_of(warp, mask),
                       .effect = effect,
                       .proxy = proxy_of(step),
                       .strength = effect == Effect::read ? strength_of_read(strength_of(m)) : strength_of(m),
                       .bytes = static_cast<std::uint8_t>(step.element_bytes / (packed ? 2 : 1)),
                       .elements = static_cast<std::uint8_t>(step.element_count * (packed ? 2 : 1)),
                       .begin = at,
                       .written = written,
                       .tainted = tainted};
  if (effect == Effect::write && !written.empty()) {  // by a store, of which all of this is told
    if (tainted != 0) access.known = machine_.shadow.stored_bits();
    access.terms = machine_.shadow.stored_terms();
  }
  // What an atomic reads rests on its turn, be its result used or not.
  const bool has_turn =
      effect == Effect::update && polls == nullptr && machine_.contention.followed(mask, at) == mask;
  access.decides = decides || has_turn;
  if (PathConditions* const paths = machine_.shadow.paths()) access.path = paths->number();
  access.contends = contends;
  if (contends && machine_.contention.keeps_older()) note_passing(access, mask, at);
  access.polls = polls;
  if (polls != nullptr) {
    for_lanes(mask, [&](unsigned lane) {
      if (Memory::is_global(at[lane])) run_.outcome.global_waits.insert(step.site);
    });
  }
  access.rewrites = rewrites;
  if (effect == Effect::update) access.commutes = commuting(m);
  access.may_write = fails;
  if (fails) access.open_swap = open_swap(step, tainted, mask, at);
  if (effect == Effect::update && polls == nullptr) access.blind = machine_.contention.blind(mask, at);
  access.no_result =
      step.instruction->opcode == Opcode::red || step.instruction->opcode == Opcode::multimem_reduce;
  run_.observer.access(access);
}

/// Lanes that read what was there before the newest writes.
void Accesses::note_passing(trace::Access& access, LaneMask mask, const Row& at) const {
  for_lanes(mask, [&](unsigned lane) {
    if (!machine_.contention.follows(at[lane]) || machine_.contention.passes(lane) == 0) return;
    access.passing |= LaneMask{1} << lane;
    access.passes = machine_.contention.passes(lane);
  });
}

/// What may let a swap succeed that fails here.
trace::OpenSwap Accesses::open_swap(const Step& step, LaneMask tainted, LaneMask mask, const Row& at) const {
  if (tainted != 0) return trace::OpenSwap::by_contents;
  const bool in_each_place = may_have_turn(step) && machine_.contention.followed(mask, at) == mask;
  return in_each_place ? trace::OpenSwap::no : trace::OpenSwap::by_order;
}

/// A read that decides whether its thread exits, of what another thread writes later.
void Accesses::note_exit_reads(Warp& warp, const Step& step, LaneMask mask, const Row& at, Effect effect) {
  if (!step.guards_exit && (effect == Effect::read || !exit_reads_.any())) return;
  for_lanes(mask, [&](unsigned lane) {
    if (effect != Effect::read) {
      for (const Step* read : exit_reads_.overwritten(thread_of(warp, lane), {at[lane], step.bytes()}))
        run_.outcome.exit_reads.insert(read->site);
    }
    if (effect != Effect::write && step.guards_exit) exit_reads_.read(thread_of(warp, lane), at[lane], step);
  });
}

/// A strong read on which control rests.
void Accesses::look(const Step& step, LaneMask mask, const Row& at) {
  if (step.modifiers().semantics == isa::Semantics::weak || !(step.decides || step.polls || step.takes))
    return;
  for_lanes(mask, [&](unsigned lane) {
    // Whether it reads a write that some contents leave out rests on them.
    if (!machine_.branch_sides.look_at(at[lane], step.bytes()))
      run_.decided(step, Decided::control, bit(Source::data), false);
  });
}

/// R112: ldu reads at one address in all lanes of the warp.
void Accesses::check_uniform(Warp& warp, const Step& step, LaneMask mask, const Row& at) {
  const Address first = at[first_of(mask)];
  LaneMask others = 0;
  for_lanes(mask, [&](unsigned lane) { others |= at[lane] != first ? LaneMask{1} << lane : 0; });
  if (others != 0)
    run_.fault(RuleId::bad_operand, Misuse::lanes, step, warp, first_of(others),
               fmt::format("ldu at {}, where another lane of the warp has {}: all have one address",
                           run_.memory->name_at(at[first_of(others)]), run_.memory->name_at(first)));
}

void Accesses::load(Warp& warp, const Step& step, LaneMask mask) {
  Row at;
  const ReachedBytes reached = reach(warp, step, mask, step.bytes(), at);
  mask = reached.lanes;
  if (mask == 0) return;
  if (step.modifiers().uniform) check_uniform(warp, step, mask, at);
  LaneMask by_turns = may_have_turn(step) ? machine_.contention.followed(mask, at) : 0;
  if (step.polls == nullptr) {
    if (by_turns != 0) mask = machine_.contention.take_turns(warp, step, mask, at);
    by_turns &= mask;
    // Who goes round, and finds what it found before, lets the others go on.
    for_lanes(by_turns, [&](unsigned lane) {
      const Warp::LastRead& last = warp.last_read[lane];
      warp.yields = warp.yields || (last.step != nullptr && last.when == run_.changes);
    });
  } else {
    by_turns = machine_.contention.of_polls() ? by_turns : 0;
    mask &= ~(warp.had_turn & by_turns);  // they have left the loop, and wait for the others
  }
  load_values(warp, step, mask, at, reached, by_turns);
  if (machine_.contention.keeps_older() && step.polls == nullptr) load_older(warp, step, by_turns);
  if (step.polls != nullptr) {
    machine_.polls.poll_once(warp, step, mask, at, by_turns);
  } else if (mask != 0 && !Memory::is_local(at[static_cast<unsigned>(std::countr_zero(mask))])) {
    observe(warp, step, mask, at, Effect::read, {}, 0);
  }
}

/// The lanes whose reads pass writes take what was there before these.
void Accesses::load_older(Warp& warp, const Step& step, LaneMask mask) {
  const isa::Modifiers& m = step.modifiers();
  for_lanes(mask, [&](unsigned lane) {
    if (machine_.contention.passes(lane) == 0) return;
    const Contention::Content& older = machine_.contention.content_before_turn_of(lane);
    const Slot slot = step.elements.front();
    warp.row(slot)[lane] = extended(older.value, std::uint32_t{step.element_bytes} * 8,
                                    !m.type || m.type->is_signed(), warp.codes[lane]->widths[slot]);
    warp.taint(slot).set(lane, static_cast<Sources>(older.sources | bit(Source::turns)));
  });
}

/// Lanes whose bytes depend on the order of coherence.
LaneMask Accesses::unsettled(LaneMask mask, const Row& at, std::uint32_t bytes) const {
  LaneMask out = 0;
  for_lanes(mask, [&](unsigned lane) {
    if (run_.observer.is_unsettled({at[lane], bytes})) out |= LaneMask{1} << lane;
  });
  return out;
}

/// Such a lane, of so many elements: do turns tell the last write of each? They are where writes begin, and an element of a vector has
/// none. `other`: what is said of elements that no turn is followed at.
bool Accesses::told_by_turns(Address at, std::size_t count, std::uint32_t bytes, bool other) const {
  for (std::size_t e = 0; e < count; ++e) {
    const trace::Range element{at + e * bytes, bytes};
    if (!run_.observer.is_unsettled(element)) continue;
    if (!run_.observer.begins_unsettled(element)) return false;
    const bool follows = machine_.contention.follows(element.begin);
    if (follows ? !machine_.contention.has_written(element.begin) : !other) return false;
  }
  return true;
}

/// What the values that lanes read depend on, beside what was stored there; and whether that decides something.
Taint Accesses::reading_taint(Warp& warp, const Step& step, LaneMask mask, const Row& at, LaneMask by_turns) {
  const bool weak = step.modifiers().semantics == isa::Semantics::weak;
  const std::size_t count = std::max<std::size_t>(step.elements.size(), 1);
  const std::uint32_t bytes = step.bytes() / static_cast<std::uint32_t>(count);
  Taint out;
  if (step.guard != kNoSlot) out = warp.taint(step.guard);
  const LaneMask open = run_.observer.has_unsettled() ? unsettled(mask, at, step.bytes()) : 0;
  LaneMask told = 0;
  for_lanes(open, [&](unsigned lane) {
    if (told_by_turns(at[lane], count, bytes, !weak)) told |= LaneMask{1} << lane;
  });
  const LaneMask untold = open & ~told;
  out.timing |= untold;
  out.turns |= weak ? told : by_turns;
  if (!weak)
    out.timing |= mask & ~by_turns & ~machine_.contention.without_choice(step, mask, at) &
                  ~machine_.contention.takes_one_value(step, mask, at);
  const LaneMask decides = !step.decides ? 0 : weak ? open : untold;
  if (decides == 0) return out;
  run_.decided(step, Decided::control, bit(untold == 0 ? Source::turns : Source::timing), false);
  for_lanes(weak ? decides : 0, [&](unsigned lane) {
    for (std::size_t e = 0; e < count; ++e) run_.observer.decides_by_unsettled({at[lane] + e * bytes, bytes});
  });
  return out;
}

void Accesses::load_values(Warp& warp, const Step& step, LaneMask mask, const Row& at,
                           const ReachedBytes& reached, LaneMask by_turns) {
  const std::uint32_t total = step.bytes();
  const auto& type = step.modifiers().type;
  const bool is_signed = !type || type->is_signed();
  const std::uint32_t bytes =
      total / static_cast<std::uint32_t>(std::max<std::size_t>(step.elements.size(), 1));
  Taint guard = reading_taint(warp, step, mask, at, by_turns);
  guard.block |= warp.taint(step.address.base).block & mask;  // other blocks read elsewhere
  for (std::size_t e = 0; e < step.elements.size(); ++e) {
    const Slot slot = step.elements[e];
    if (slot == kNoSlot) continue;
    Row& to = warp.row(slot);
    Taint taint = guard;
    LaneMask addresses = 0;
    FormRow forms;
    for_lanes(mask, [&](unsigned lane) {
      const Memory::Span span = span_of(reached, at[lane], total);
      const std::uint64_t offset = e * bytes;
      to[lane] = extended(Memory::load(span.data + offset, bytes), bytes * 8, is_signed,
                          warp.codes[lane]->widths[slot]);
      const Sources all = span.all(offset, bytes);
      const auto sources = static_cast<Sources>(all & ~unsigned{kAddress});
      if ((all & kAddress) != 0) {
        forms[lane] = machine_.forms.load_form(span, at[lane] + offset, offset, bytes);
        if (is_signed && bytes * 8 < warp.codes[lane]->widths[slot])
          forms[lane] = run_.places->extended({forms[lane], to[lane], bytes * 8}, true);
        addresses |= LaneMask{1} << lane;
      }
      if (sources != 0) taint.set(lane, static_cast<Sources>(sources | guard.of(lane)));
      machine_.shadow.load(warp, slot, lane, {at[lane] + offset, span, offset, bytes, is_signed}, sources,
                           guard.of(lane));
      if ((sources & bit(Source::block)) != 0 && Memory::is_local(at[lane]))
        machine_.blocks.load(warp, slot, lane, at[lane] + offset, bytes);
    });
    warp.taint(slot).assign(taint, mask);
    if (addresses != 0) AddressForms::set_forms(warp, slot, addresses, forms);
  }
}

void Accesses::store(Warp& warp, const Step& step, LaneMask mask) {
  Row at;
  const std::uint32_t total = step.bytes();
  const ReachedBytes reached = reach(warp, step, mask, total, at);
  mask = reached.lanes;
  if (mask == 0) return;
  const std::size_t count = step.elements.size();
  const std::uint32_t bytes = total / static_cast<std::uint32_t>(count);
  const std::size_t parts = parts_of_element(step);
  const std::size_t words = count * parts;
  mask = machine_.contention.take_turns(warp, step, mask, at);
  if (mask == 0) return;
  const auto taint_of = [&](std::size_t e) {
    Taint taint = warp.taint(step.elements[e]);
    if (step.guard != kNoSlot) taint |= warp.taint(step.guard);
    return taint;
  };
  LaneMask tainted = 0, scheduled = 0;
  for (std::size_t e = 0; e < count; ++e) {
    const Taint taint = taint_of(e);
    tainted |= taint.open() & mask;
    scheduled |= taint.scheduled() & mask;
  }
  std::uint64_t changed = 0;
  const Address first = at[static_cast<unsigned>(std::countr_zero(mask))];
  const bool local = Memory::is_local(first);
  if (scheduled != 0 && Memory::is_global(first)) run_.outcome.varies.insert(step.site);
  for (std::size_t e = 0; e < count; ++e) {
    const Row& from = warp.row(step.elements[e]);
    const Taint taint = taint_of(e);
    for_lanes(mask, [&](unsigned lane) {
      const Memory::Span span = span_of(reached, at[lane], total);
      const std::uint64_t offset = e * bytes;
      const std::uint64_t old = Memory::load(span.data + offset, bytes);
      const std::uint64_t now =
          bytes >= 8 ? from[lane] : from[lane] & ((std::uint64_t{1} << (bytes * 8)) - 1);
      changed |= old ^ now;
      if (local) run_.local_state ^= mixed(at[lane] + offset, old) ^ mixed(at[lane] + offset, now);
      Memory::store(span.data + offset, bytes, from[lane]);
      span.set_sources(offset, bytes, taint.any() == 0 ? Sources{0} : taint.of(lane));
      if ((taint.address >> lane & 1U) != 0)
        machine_.forms.store_form(warp, step.elements[e], lane, span, at[lane] + offset, offset, bytes);
      machine_.shadow.store(warp, step, e, lane, {span, offset, bytes}, tainted != 0);
      if (local && machine_.blocks.follow())
        machine_.blocks.store(warp, step.elements[e], lane, at[lane] + offset, bytes);
      for (std::size_t part = 0; part < parts; ++part)
        written_[std::size_t{lane} * words + std::size_t{e} * parts + part] =
            from[lane] >> (part * step.element_bytes * 8U) &
            (step.element_bytes >= 8 ? ~std::uint64_t{0}
                                     : (std::uint64_t{1} << (step.element_bytes * 8U)) - 1);
    });
  }
  if (local) return;  // no other thread sees it
  if (changed != 0) ++run_.changes;
  observe(warp, step, mask, at, Effect::write, {written_.data(), std::size_t{kLanes} * words}, tainted);
  machine_.polls.compare_with_awaited(warp, step, mask, at);
}

/// One of so many bytes by each lane, of the generic proxy, of which no values are told.
void Accesses::tell_weak(const Warp& warp, const Step& step, LaneMask lanes, trace::Effect effect,
                         std::uint64_t bytes, const Row& begin, bool in_warp_order) {
  if (machine_.blocks.follow())
    for_lanes(lanes, [&](unsigned lane) { machine_.blocks.refuse_global(step, {begin[lane], bytes}); });
  trace::Access access{.site = step.site,
                       .lanes = lanes_of(warp, lanes),
                       .effect = effect,
                       .proxy = isa::Proxy::generic,
                       .strength = {},
                       .bytes = static_cast<std::uint8_t>(bytes),
                       .elements = 1,
                       .begin = begin,
                       .written = {}};
  access.in_warp_order = in_warp_order;
  run_.observer.access(access);
}

}  // namespace ptxmc::exec
