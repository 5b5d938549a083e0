// SPDX-License-Identifier: Apache-2.0
// What is known of values that are stored: which of their bits rest on contents that a launch leaves open, and which terms
// they are.
#include <algorithm>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

/// What is known of an element of a store, in memory and for the observer.
void ValueShadow::store_bits(Warp& warp, const Step& step, std::size_t element, unsigned lane,
                             const Stored& to) {
  constexpr unsigned kBitsOfByte = 8;
  const Slot slot = step.elements[element];
  const Sources guard = step.guard == kNoSlot ? Sources{0} : warp.taint(step.guard).of(lane);
  const auto sources = static_cast<Sources>(warp.taint(slot).of(lane) | guard);
  const std::size_t parts = parts_of_element(step);
  std::uint64_t* const told = &stored_bits_[(lane * step.elements.size() + element) * parts];
  if (bits_ == nullptr) {
    std::fill_n(told, parts, open(sources) == 0 ? kAllBits : 0);
    return;
  }
  const bool executes = (guard & bit(Source::data)) == 0;
  const std::uint64_t bits = executes ? bits_->of(warp, slot, lane) : 0;
  if ((sources & bit(Source::data)) != 0) KnownBits::store(to.span, to.offset, to.bytes, sources, bits);
  const bool of_data = (open(sources) & ~unsigned{bit(Source::data)}) == 0;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::uint64_t part = bits >> (i * step.element_bytes * kBitsOfByte);
    told[i] = of_data ? known_extended(part, step.element_bytes * kBitsOfByte, false) : 0;
  }
}

/// What an element of a store is, in memory and for the observer.
void ValueShadow::store_term(Warp& warp, const Step& step, std::size_t element, unsigned lane,
                             const Stored& to) {
  const Slot slot = step.elements[element];
  const bool guarded = step.guard != kNoSlot && open(warp.taint(step.guard).of(lane)) != 0;
  Term term = guarded ? kNoTerm : terms_->of(warp, slot, lane);
  term = terms_->lowest(term, to.bytes, warp.codes[lane]->widths[slot]);
  if (open(warp.taint(slot).of(lane)) != 0) Terms::store(to.span, to.offset, to.bytes, term);
  const std::size_t parts = parts_of_element(step);
  Term* const told = &stored_terms_[(lane * step.elements.size() + element) * parts];
  for (std::size_t i = 0; i < parts; ++i) told[i] = i == 0 ? term : terms_->part(term, i);
}

void ValueShadow::store(Warp& warp, const Step& step, std::size_t element, unsigned lane, const Stored& to,
                        bool open) {
  if (bits_ != nullptr || open) store_bits(warp, step, element, lane, to);
  if (terms_ != nullptr) store_term(warp, step, element, lane, to);
}

void ValueShadow::load(Warp& warp, Slot slot, unsigned lane, const Loaded& from, Sources sources,
                       Sources guard) {
  const std::uint32_t bits = from.bytes * 8;
  if (bits_ != nullptr && (guard & bit(Source::data)) == 0)
    bits_->set(
        warp, slot, lane,
        known_extended(KnownBits::in_memory(from.span, from.offset, from.bytes), bits, from.is_signed));
  if (terms_ == nullptr || open(sources) != bit(Source::data) || open(guard) != 0) return;
  terms_->set(warp, slot, lane,
              terms_->extended(terms_->load(from.at, from.span, from.offset, from.bytes), bits,
                               from.is_signed, warp.codes[lane]->widths[slot]));
}

void ValueShadow::store_half(const Stored& to, std::size_t word, bool first, Term term, bool upper,
                             bool open) {
  if (terms_ == nullptr) return;
  const Term own = terms_->half(term, upper);
  if (open) Terms::store(to.span, to.offset, to.bytes, own);
  stored_terms_.at(word) = first ? own : terms_->halves(stored_terms_.at(word), own);
}

void ValueShadow::forget(Warp& warp, const Step& step, LaneMask mask) {
  if (machine_.blocks.follow()) machine_.blocks.forget(warp, step, mask);
  if (bits_ != nullptr) bits_->forget(warp, step, mask);
  if (terms_ != nullptr) terms_->forget(warp, step, mask);
}

void ValueShadow::forget(Warp& warp, Slot slot, LaneMask lanes) {
  if (machine_.blocks.follow()) machine_.blocks.forget(warp, slot, lanes);
  for_lanes(lanes, [&](unsigned lane) {
    if (bits_ != nullptr) bits_->set(warp, slot, lane, 0);
    set_term(warp, slot, lane, kNoTerm);
  });
}

void ValueShadow::execute_together(Warp& warp, const Step& step, LaneMask group) {
  if (machine_.blocks.follow()) machine_.blocks.forget(warp, step, group);
  if (bits_ != nullptr) bits_->forget(warp, step, group);
  if (terms_ != nullptr) terms_->multiply(warp, step, group);
}

ValueShadow::Results ValueShadow::before(Warp& warp, const Step& step, LaneMask mask, const Taint& taint) {
  if (terms_ != nullptr) {
    const LaneMask open_data = step.is_unknown || step.divides ? kAllLanes : taint.data;
    terms_->compute(warp, step, mask & open_data & ~(taint.open() & ~taint.data));
  }
  Results out;
  if (bits_ != nullptr) out.partly = taint.data & mask;
  if (out.partly != 0) out.known = bits_->results(warp, step, out.partly);
  return out;
}

void ValueShadow::after(Warp& warp, const Step& step, LaneMask mask, const Taint& taint,
                        const Results& results) {
  if (bits_ == nullptr) return;
  bits_->forget(warp, step, taint.data & mask & ~results.partly);
  if (results.partly != 0) bits_->keep(warp, step, results.partly, results.known);
}

void ValueShadow::negate(Warp& warp, Slot from, Slot to, LaneMask mask) {
  if (bits_ != nullptr)
    for_lanes(mask, [&](unsigned lane) { bits_->set(warp, to, lane, bits_->of(warp, from, lane)); });
  if (terms_ != nullptr) terms_->negate(warp, from, to, mask);
}

void ValueShadow::start(const Options& options) {
  if (options.known_bits) bits_ = std::make_unique<KnownBits>(run_.codes, run_.warps);
  if (options.terms) {
    run_.memory->follow_terms();
    terms_ = std::make_unique<Terms>(run_.codes, run_.warps, options.judge != nullptr);
  }
  if (options.judge && options.both_sides && terms_ != nullptr) {
    paths_ = std::make_unique<PathConditions>(*terms_, options.judge());
    run_.observer.follow(*paths_);
  }
}

}  // namespace ptxmc::exec
