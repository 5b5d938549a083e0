// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/terms.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "dynamic/exec/straight_paths.h"
#include "ptx/isa/opcode.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Role;

// The word of a byte: a term, above the number of bytes that were stored, less one, above the number of this
// one.
constexpr std::uint64_t kCopied = Memory::kCopiedByte;
constexpr unsigned kTermShift = 8, kSizeShift = 4;
constexpr std::uint64_t kNibble = 0xf;

/// Its first two sources may change places, to the bit: but two numbers of 64 bits that are none may give either.
bool commutes(const Step& step) {
  const auto& type = step.modifiers().type;
  if (step.source_count < 2 || (type && type->format == isa::Float::f64)) return false;
  switch (step.instruction->opcode) {
    case Opcode::add:
    case Opcode::mul:
    case Opcode::mad:
    case Opcode::fma:
    case Opcode::min:
    case Opcode::max:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
      return true;
    default:
      return false;
  }
}

bool same_function(const Step& a, const Step& b) {
  return a.instruction->opcode == b.instruction->opcode && a.negated == b.negated &&
         a.source_count == b.source_count && a.modifiers() == b.modifiers();
}

/// It gives what it takes.
bool copies(const Step& step) {
  return isa::pure_of(step.instruction->opcode, step.modifiers()) == isa::Pure::move &&
         step.source_count == 1 && step.elements.size() <= 1;
}

}  // namespace

Pairs::Slot& Pairs::find(Slots& slots, std::uint64_t both) {
  constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15ULL;
  const std::size_t last = slots.size() - 1;
  std::size_t at = (both * kMix >> 32U) & last;
  while (slots[at].both != both && slots[at].both != 0) at = (at + 1) & last;
  return slots[at];
}

/// Twice as many slots; where there are the most, the older half is forgotten.
void Pairs::make_room() {
  if (now_.size() == kMost) {
    std::swap(now_, before_);
    now_.assign(kMost, {});
    count_ = 0;
    return;
  }
  Slots more(now_.size() * 2);
  for (const Slot& slot : now_) {
    if (slot.both != 0) find(more, slot.both) = slot;
  }
  now_ = std::move(more);
}

Term& Pairs::of(Term a, Term b) {
  const std::uint64_t both = std::uint64_t{a} << 32U | b;
  Slot* slot = &find(now_, both);
  if (slot->both == both) return slot->term;
  const Term known = find(before_, both).term;
  if (count_ == now_.size() / 2) {
    make_room();
    slot = &find(now_, both);
  }
  ++count_;
  *slot = {both, known};
  return slot->term;
}

Terms::Terms(const std::vector<Code>& codes, const std::vector<Warp>& warps, bool defined)
    : defined_(defined) {
  std::uint64_t number = 0;  // a Tag
  for (Term* tag : {&bytes_, &halves_, &low_, &high_, &signed_, &unsigned_, &not_})
    *tag = fresh({.kind = Definition::Kind::tag, .word = number++});
  for (const Warp& warp : warps) rows_.emplace_back(warp.registers.rows.size(), TermRow{});
  for (const Code& code : codes) {
    for (const Step& step : code.steps) {
      if (step.act != Act::none) results_[&step] = results_of(code, step);
    }
  }
}

Term Terms::fresh(const Definition& definition) {
  if (next_ == ~Term{0}) return kNoTerm;
  if (defined_) definitions_.push_back(definition);
  return ++next_;
}

Term Terms::of_word(Words& words, std::uint64_t word, const Definition& definition) {
  constexpr std::size_t kMost = std::size_t{1} << 22U;
  if (const auto known = words.find(word); known != words.end()) return known->second;
  return words.size() == kMost ? kNoTerm : words[word] = fresh(definition);
}

Term Terms::number_term(std::uint64_t number) {
  return of_word(numbers_, number, {.kind = Definition::Kind::number, .word = number});
}

Term Terms::initial(Address at, std::uint32_t bytes) {
  return of_word(initial_, at << kSizeShift | (bytes - 1),
                 {.kind = Definition::Kind::initial, .bytes = static_cast<std::uint8_t>(bytes), .word = at});
}

Term Terms::pair(Term a, Term b) {
  if (a == kNoTerm || b == kNoTerm) return kNoTerm;
  Term& term = pairs_.of(a, b);
  return term != kNoTerm ? term : term = fresh({.kind = Definition::Kind::pair, .a = a, .b = b});
}

Term Terms::of(Warp& warp, Slot slot, unsigned lane) {
  const Sources sources = open(warp.taint(slot).of(lane));
  if (sources == 0) return number_term(warp.row(slot)[lane]);
  if (sources != bit(Source::data)) return kNoTerm;
  Term& term = row(warp, slot)[lane];
  return term != kNoTerm ? term : term = fresh();
}

Term Terms::function_of(const Step& step) {
  Term& known = function_of_[&step];
  if (known != kNoTerm) return known;
  for (const auto& [other, term] : functions_) {
    if (same_function(*other, step)) return known = term;
  }
  functions_.emplace_back(&step, fresh({.kind = Definition::Kind::function, .step = &step}));
  return known = functions_.back().second;
}

/// The function of the step, of all that it reads in the lane.
Term Terms::applied(Warp& warp, const Step& step, unsigned lane) {
  std::array<Term, kMostSources> sources{};
  for (std::size_t i = 0; i < step.source_count; ++i) sources[i] = of(warp, step.sources[i], lane);
  if (commutes(step) && sources[1] < sources[0]) std::swap(sources[0], sources[1]);
  Term term = function_of(step);
  for (std::size_t i = 0; i < step.source_count; ++i) term = pair(term, sources[i]);
  for (const Role role : {Role::predicate, Role::state, Role::table}) {
    if (step.has(role)) term = pair(term, of(warp, step.slot(role), lane));
  }
  return term;
}

// Where data decides whether it is executed, its result is either of two values.
void Terms::compute(Warp& warp, const Step& step, LaneMask mask) {
  const LaneMask guarded = step.guard == kNoSlot ? 0 : warp.taint(step.guard).open();
  const bool is_copy = copies(step);
  const auto result = [&](Slot slot, unsigned lane, Term term, std::size_t number) {
    if (slot != kNoSlot) row(warp, slot)[lane] = number == 0 ? term : part(term, number);
  };
  for_lanes(mask, [&](unsigned lane) {
    Term term = kNoTerm;
    if ((guarded >> lane & 1U) == 0)
      term = is_copy ? of(warp, step.sources[0], lane) : applied(warp, step, lane);
    std::size_t number = 0;
    result(step.to, lane, term, number);
    result(step.second, lane, term, ++number);
    result(step.slot(Role::state), lane, term, ++number);
    if (step.elements.size() < 2) return;
    for (const Slot slot : step.elements) result(slot, lane, term, ++number);
  });
}

void Terms::forget(Warp& warp, const Step& step, LaneMask mask) {
  for (const Slot slot : results_[&step]) {
    for_lanes(mask, [&](unsigned lane) { row(warp, slot)[lane] = kNoTerm; });
  }
}

void Terms::multiply(Warp& warp, const Step& step, LaneMask group) {
  const Opcode opcode = step.instruction->opcode;
  if (opcode != Opcode::mma && opcode != Opcode::wmma_mma && opcode != Opcode::movmatrix)
    return forget(warp, step, group);
  std::vector<Slot> sources = step.fragments;
  for (const Role role : {Role::a, Role::b, Role::c, Role::metadata, Role::selector, Role::scale_a,
                          Role::scale_a_place, Role::scale_b, Role::scale_b_place}) {
    if (step.has(role)) sources.push_back(step.slot(role));
  }
  Term term = function_of(step);
  for_lanes(group, [&](unsigned lane) {
    for (const Slot slot : sources) term = pair(term, of(warp, slot, lane));
  });
  std::size_t number = 0;
  for (const Slot slot : results_[&step]) {
    ++number;
    for_lanes(group, [&](unsigned lane) { row(warp, slot)[lane] = part(part(term, lane), number); });
  }
}

void Terms::negate(Warp& warp, Slot from, Slot to, LaneMask mask) {
  for_lanes(mask, [&](unsigned lane) { row(warp, to)[lane] = pair(not_, row(warp, from)[lane]); });
}

Term Terms::together(Warp& warp, LaneMask group, Role role) {
  const Step& first = *warp.waits_at[static_cast<unsigned>(std::countr_zero(group))];
  Term term = pair(function_of(first), number_term(group));
  for_lanes(group, [&](unsigned lane) {
    const Step& own = *warp.waits_at[lane];
    Term one = own.has(role) ? of(warp, own.slot(role), lane) : kNoTerm;
    if (own.is_negated(role) != first.is_negated(role)) one = pair(not_, one);
    term = pair(term, one);
  });
  return term;
}

// ---- Memory ---------------------------------------------------------------------------------------------------

Term Terms::byte_at(Address at, std::uint64_t word, Sources sources, std::uint8_t byte) {
  if (open(sources) == 0) return number_term(byte);
  if (open(sources) != bit(Source::data) || word == Memory::kUnknownByte) return kNoTerm;
  if (word == 0) return initial(at, 1);
  if ((word & kCopied) != 0) return initial(word & ~kCopied, 1);
  return pair(static_cast<Term>(word >> kTermShift), number_term(word & ((1U << kTermShift) - 1)));
}

Term Terms::load(Address at, const Memory::Span& span, std::uint64_t offset, std::uint32_t bytes) {
  const std::uint64_t* const words = span.terms + offset;
  const auto address_of = [&](std::uint32_t i) { return words[i] == 0 ? at + i : words[i] & ~kCopied; };
  bool whole = true, as_at_first = true;  // a value that was stored; a range of initial values
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const bool open_data = open(span.sources(offset + i, 1)) == bit(Source::data);
    const bool is_initial = words[i] != Memory::kUnknownByte && (words[i] == 0 || (words[i] & kCopied) != 0);
    as_at_first = as_at_first && open_data && is_initial && address_of(i) == address_of(0) + i;
    whole = whole && open_data && !is_initial && words[i] == words[0] + i &&
            (words[i] >> kSizeShift & kNibble) == bytes - 1 && (words[i] & kNibble) == i;
  }
  if (as_at_first) return initial(address_of(0), bytes);
  if (whole) return static_cast<Term>(words[0] >> kTermShift);
  Term term = bytes_;
  for (std::uint32_t i = 0; i < bytes; ++i)
    term = pair(term, byte_at(at + i, words[i], span.sources(offset + i, 1), span.data[offset + i]));
  return term;
}

Term Terms::extended(Term term, std::uint32_t bits, bool is_signed, std::uint16_t width) {
  return bits >= width ? term : pair(pair(is_signed ? signed_ : unsigned_, number_term(bits)), term);
}

Term Terms::lowest(Term term, std::uint32_t bytes, std::uint16_t width) {
  constexpr unsigned kBitsOfByte = 8;
  return bytes * kBitsOfByte >= width ? term : pair(pair(low_, number_term(bytes)), term);
}

void Terms::store(const Memory::Span& span, std::uint64_t offset, std::uint32_t bytes, Term term) {
  const std::uint64_t word = std::uint64_t{term} << kTermShift | std::uint64_t{bytes - 1} << kSizeShift;
  for (std::uint32_t i = 0; i < bytes; ++i)
    span.terms[offset + i] = term == kNoTerm ? Memory::kUnknownByte : word | i;
}

}  // namespace ptxmc::exec
