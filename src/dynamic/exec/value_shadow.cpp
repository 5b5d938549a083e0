// SPDX-License-Identifier: Apache-2.0
// What is known of values that are stored: which of their bits rest on contents that a launch leaves open, and which terms
// they are.
#include <algorithm>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

/// What is known of an element of a store, in memory and for the observer.
void ValueShadow::store_known(Warp& warp, const Step& step, std::size_t element, unsigned lane,
                              const Stored& to) {
  constexpr unsigned kBitsOfByte = 8;
  const Slot slot = step.elements[element];
  const Sources guard = step.guard == kNoSlot ? Sources{0} : warp.taint(step.guard).of(lane);
  const auto sources = static_cast<Sources>(warp.taint(slot).of(lane) | guard);
  const std::size_t parts = parts_of_element(step);
  std::uint64_t* const told = &stored_known[(lane * step.elements.size() + element) * parts];
  if (known == nullptr) {
    std::fill_n(told, parts, open(sources) == 0 ? kAllBits : 0);
    return;
  }
  const bool executes = (guard & bit(Source::data)) == 0;
  const std::uint64_t bits = executes ? known->of(warp, slot, lane) : 0;
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
  Term term = guarded ? kNoTerm : terms->of(warp, slot, lane);
  term = terms->lowest(term, to.bytes, warp.codes[lane]->widths[slot]);
  if (open(warp.taint(slot).of(lane)) != 0) Terms::store(to.span, to.offset, to.bytes, term);
  const std::size_t parts = parts_of_element(step);
  Term* const told = &stored_terms[(lane * step.elements.size() + element) * parts];
  for (std::size_t i = 0; i < parts; ++i) told[i] = i == 0 ? term : terms->part(term, i);
}

/// Nothing is known of what it gives to these lanes, but for what is told after this.
void ValueShadow::forget(Warp& warp, const Step& step, LaneMask mask) {
  if (known != nullptr) known->forget(warp, step, mask);
  if (terms != nullptr) terms->forget(warp, step, mask);
}

void ValueShadow::start(const Options& options) {
  if (options.known_bits) known = std::make_unique<KnownBits>(run_.codes, run_.warps);
  if (options.terms) {
    run_.memory->follow_terms();
    terms = std::make_unique<Terms>(run_.codes, run_.warps, options.judge != nullptr);
  }
  if (options.judge && options.both_sides && terms != nullptr) {
    paths = std::make_unique<PathConditions>(*terms, options.judge());
    run_.observer.follow(*paths);
  }
}

}  // namespace ptxmc::exec
