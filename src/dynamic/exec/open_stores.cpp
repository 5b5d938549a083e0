// SPDX-License-Identifier: Apache-2.0
// Stores at addresses that open contents decide, where paths are followed: they are made at each place where they may be, under
// the condition that it is this one (paths.h). What they write may be there, or not, so that the bytes rest on data.
#include <algorithm>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

/// Stores so where it can. The result: the lanes that are done. The addresses of the others are known, or too little is known of
/// them.
LaneMask BranchSides::store_everywhere(Warp& warp, const Step& step, LaneMask mask, bool aside) {
  const bool plain = step.act == Act::store && step.modifiers().semantics == isa::Semantics::weak &&
                     step.polls == nullptr && step.address.base != kNoSlot;
  if (machine_.shadow.paths() == nullptr || !plain) return 0;
  const Slot base = step.address.base;
  if (std::find(step.elements.begin(), step.elements.end(), base) != step.elements.end()) return 0;
  const Taint& taint = warp.taint(base);
  const LaneMask other = taint.timing | taint.turns | taint.token | taint.place | taint.machine;
  LaneMask done = 0;
  for_lanes(mask & taint.data & ~other, [&](unsigned lane) {
    if (store_everywhere_by(warp, step, lane, aside)) done |= LaneMask{1} << lane;
  });
  if (done != 0) run_.outcome.both_sides.insert(step.site);
  return done;
}

bool BranchSides::store_everywhere_by(Warp& warp, const Step& step, unsigned lane, bool aside) {
  const Slot base = step.address.base;
  const unsigned bits = warp.codes[lane]->widths[base];
  const Term term = machine_.shadow.term_of(warp, base, lane);
  PathConditions& paths = *machine_.shadow.paths();
  const PathConditions::Path before = paths.now[lane];
  const ConditionJudge::Numbers numbers = paths.numbers(before, term, bits);
  std::uint64_t& value = warp.row(base)[lane];
  const std::uint64_t here = value;
  if (!numbers || (!aside && std::find(numbers->begin(), numbers->end(), here) == numbers->end()))
    return false;
  if (!std::all_of(numbers->begin(), numbers->end(),
                   [&](std::uint64_t number) { return is_stored_inside(warp, step, lane, number); }))
    return false;
  const LaneMask one = LaneMask{1} << lane;
  const Taint taint = warp.taint(base);
  warp.taint(base).data &= ~one;
  bool done = true;
  for (const std::uint64_t number : *numbers) {
    value = number;
    paths.now[lane] = paths.longer(before, {term, true, static_cast<std::uint8_t>(bits), number});
    done = done && access_on_way(warp, step, one, aside || number != here);
  }
  value = here;
  warp.taint(base).assign(taint, one);
  paths.now[lane] = before;
  return done;
}

/// With this number as its base, the store is one of aligned bytes of the object that the address is of.
bool BranchSides::is_stored_inside(Warp& warp, const Step& step, unsigned lane, std::uint64_t number) {
  const Place& place = step.address;
  Address at = (number + static_cast<Address>(place.offset)) & place.wraps;
  const isa::Space space = place.space;
  if (space == isa::Space::shared || space == isa::Space::shared_cta) {
    const Address in_own = at ^ Memory::in_cluster(run_.ctas[warp.cta].rank, 0);
    if (in_own >> Memory::kWindowBits != 0) return false;
    at = run_.memory->shared(warp.cta) + in_own;
  } else if (space != isa::Space::global && (space != isa::Space::generic || place.names_variable)) {
    return false;
  }
  const std::uint32_t bytes = step.bytes();
  const bool right_space =
      space == isa::Space::global ? Memory::is_global(at) : Memory::is_global(at) || Memory::is_shared(at);
  if (!right_space || (at & (bytes - 1)) != 0 || !run_.memory->span(at, bytes) ||
      run_.memory->is_constant(at) || !machine_.accesses.fits(step, at))
    return false;
  const Places::Bounds* const bounds = run_.places->bounds(AddressForms::form_of(warp, place.base, lane));
  if (bounds == nullptr) return false;
  const std::int64_t begin = bounds->offset(at) + bounds->low,
                     end = bounds->offset(at) + bounds->high + static_cast<std::int64_t>(bytes);
  return begin >= 0 && end <= static_cast<std::int64_t>(bounds->object.bytes);
}

}  // namespace ptxmc::exec
