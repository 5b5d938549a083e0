// SPDX-License-Identifier: Apache-2.0
// What is known of values that are stored: which of their bits rest on contents that a launch leaves open, and which terms
// they are.
#include <algorithm>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

/// What is known of an element of a store, in memory and for the observer.
void Machine::store_known(Warp& warp, const Step& step, std::size_t element, unsigned lane,
                          const Stored& to) {
  constexpr unsigned kBitsOfByte = 8;
  const Slot slot = step.elements[element];
  const Sources guard = step.guard == kNoSlot ? Sources{0} : warp.taint(step.guard).of(lane);
  const auto sources = static_cast<Sources>(warp.taint(slot).of(lane) | guard);
  const std::size_t parts = parts_of_element(step);
  std::uint64_t* const told = &stored_known_[(lane * step.elements.size() + element) * parts];
  if (known_ == nullptr) {
    std::fill_n(told, parts, open(sources) == 0 ? kAllBits : 0);
    return;
  }
  const bool executes = (guard & bit(Source::data)) == 0;
  const std::uint64_t known = executes ? known_->of(warp, slot, lane) : 0;
  if ((sources & bit(Source::data)) != 0) KnownBits::store(to.span, to.offset, to.bytes, sources, known);
  const bool of_data = (open(sources) & ~unsigned{bit(Source::data)}) == 0;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::uint64_t part = known >> (i * step.element_bytes * kBitsOfByte);
    told[i] = of_data ? known_extended(part, step.element_bytes * kBitsOfByte, false) : 0;
  }
}

/// What an element of a store is, in memory and for the observer.
void Machine::store_term(Warp& warp, const Step& step, std::size_t element, unsigned lane, const Stored& to) {
  const Slot slot = step.elements[element];
  const bool guarded = step.guard != kNoSlot && open(warp.taint(step.guard).of(lane)) != 0;
  Term term = guarded ? kNoTerm : terms_->of(warp, slot, lane);
  term = terms_->lowest(term, to.bytes, warp.codes[lane]->widths[slot]);
  if (open(warp.taint(slot).of(lane)) != 0) Terms::store(to.span, to.offset, to.bytes, term);
  const std::size_t parts = parts_of_element(step);
  Term* const told = &stored_terms_[(lane * step.elements.size() + element) * parts];
  for (std::size_t i = 0; i < parts; ++i) told[i] = i == 0 ? term : terms_->part(term, i);
}

}  // namespace ptxmc::exec
