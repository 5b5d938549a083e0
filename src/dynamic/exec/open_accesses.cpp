// SPDX-License-Identifier: Apache-2.0
// Accesses at addresses that open contents decide, where paths are followed: they are made at each place where they may be. What
// they write may be there, or not, so that the bytes rest on data; what they read is data. A store is made under the condition that
// its place is this one (paths.h). A load or an atomic has none: it is as if it were made at all of them, which only races more.
#include <algorithm>
#include <bit>
#include <vector>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

/// By lane, the numbers that a base may be; what it is in this run is the last one.
struct BranchSides::OpenBases {
  LaneMask lanes = 0;
  std::array<std::vector<std::uint64_t>, kLanes> numbers;
};

/// Accesses so where it can. The result: the lanes that are done. The addresses of the others are known, or too little is known of
/// them.
LaneMask BranchSides::access_everywhere(Warp& warp, const Step& step, LaneMask mask, bool aside) {
  if (machine_.shadow.paths() == nullptr || !is_plain_access(step) || step.address.base == kNoSlot) return 0;
  const Slot base = step.address.base;
  const Taint& taint = warp.taint(base);
  const LaneMask other = taint.timing | taint.turns | taint.token | taint.place | taint.machine;
  const LaneMask open = mask & taint.data & ~other;
  if (open == 0) return 0;
  const Code& code = *warp.codes[static_cast<unsigned>(std::countr_zero(open))];
  const std::vector<Slot> results = results_of(code, step);
  if (std::find(results.begin(), results.end(), base) != results.end()) return 0;
  OpenBases bases;
  for_lanes(open, [&](unsigned lane) { find_bases(warp, step, lane, aside, bases); });
  const LaneMask done = step.act == Act::store ? store_everywhere(warp, step, bases, aside)
                        : bases.lanes == 0     ? 0
                        : read_everywhere(warp, step, bases, results, aside) ? bases.lanes
                                                                             : 0;
  if (done != 0) run_.outcome.both_sides.insert(step.site);
  return done;
}

/// The numbers that the base of a lane may be, if each leads to bytes of its object, and the one of this run is among them.
void BranchSides::find_bases(Warp& warp, const Step& step, unsigned lane, bool aside, OpenBases& out) {
  const Slot base = step.address.base;
  const unsigned bits = warp.codes[lane]->widths[base];
  PathConditions& paths = *machine_.shadow.paths();
  ConditionJudge::Numbers numbers =
      paths.numbers(paths.now[lane], machine_.shadow.term_of(warp, base, lane), bits);
  if (!numbers) return;
  std::uint64_t& value = warp.row(base)[lane];
  const std::uint64_t before = value;
  const auto here = std::find(numbers->begin(), numbers->end(), before);
  if (here == numbers->end() && !aside) return;
  if (here != numbers->end()) std::iter_swap(here, std::prev(numbers->end()));
  const bool inside = std::all_of(numbers->begin(), numbers->end(), [&](std::uint64_t number) {
    value = number;
    return is_inside(warp, step, lane);
  });
  value = before;
  if (!inside) return;
  out.lanes |= LaneMask{1} << lane;
  out.numbers[lane] = std::move(*numbers);
}

/// The lanes by themselves, as two of them may not store to one place together.
LaneMask BranchSides::store_everywhere(Warp& warp, const Step& step, const OpenBases& bases, bool aside) {
  const Slot base = step.address.base;
  PathConditions& paths = *machine_.shadow.paths();
  LaneMask all = 0;
  for_lanes(bases.lanes, [&](unsigned lane) {
    const LaneMask one = LaneMask{1} << lane;
    const unsigned bits = warp.codes[lane]->widths[base];
    const Term term = machine_.shadow.term_of(warp, base, lane);
    const PathConditions::Path before = paths.now[lane];
    std::uint64_t& value = warp.row(base)[lane];
    const std::uint64_t here = value;
    const Taint taint = warp.taint(base);
    warp.taint(base).data &= ~one;
    bool done = true;
    for (const std::uint64_t number : bases.numbers[lane]) {
      value = number;
      paths.now[lane] = paths.longer(before, {term, true, static_cast<std::uint8_t>(bits), number});
      done = done && access_on_way(warp, step, one, aside || number != here);
    }
    value = here;
    warp.taint(base).assign(taint, one);
    paths.now[lane] = before;
    if (done) all |= one;
  });
  return all;
}

/// All lanes together, at one place of each after the other. False: of some place it cannot be told.
bool BranchSides::read_everywhere(Warp& warp, const Step& step, const OpenBases& bases,
                                  const std::vector<Slot>& results, bool aside) {
  const Slot base = step.address.base;
  Row& row = warp.row(base);
  const Row here = row;
  const Taint taint = warp.taint(base);
  warp.taint(base).data &= ~bases.lanes;
  std::vector<Taint> given(results.size());
  std::size_t most = 0;
  for_lanes(bases.lanes, [&](unsigned lane) { most = std::max(most, bases.numbers[lane].size()); });
  bool done = true;
  for (std::size_t i = 0; i < most && done; ++i) {
    LaneMask lanes = 0, own = 0;
    for_lanes(bases.lanes, [&](unsigned lane) {
      if (i >= bases.numbers[lane].size()) return;
      row[lane] = bases.numbers[lane][i];
      (row[lane] == here[lane] && !aside ? own : lanes) |= LaneMask{1} << lane;
    });
    done = access_on_way(warp, step, lanes, true) && access_on_way(warp, step, own, false);
    for (std::size_t r = 0; r < results.size(); ++r) {
      const Taint now = warp.taint(results[r]);
      done = done && (now.address & (lanes | own)) == 0;  // what it may be an address of is not known
      Taint of;
      of.assign(now, lanes | own);
      given[r] |= of;
    }
  }
  for_lanes(bases.lanes, [&](unsigned lane) { row[lane] = here[lane]; });
  warp.taint(base).assign(taint, bases.lanes);
  for (std::size_t r = 0; r < results.size(); ++r) {
    given[r].data |= bases.lanes;
    warp.taint(results[r]).assign(given[r], bases.lanes);
    machine_.shadow.forget(warp, results[r], bases.lanes);
  }
  return done;
}

/// The access is one of aligned bytes of the object that the address is of.
bool BranchSides::is_inside(Warp& warp, const Step& step, unsigned lane) {
  const Place& place = step.address;
  const Resolved resolved = run_.resolve(warp, step, place, lane);
  const Address at = resolved.at;
  const std::uint32_t bytes = step.bytes();
  const bool known = !resolved.wrong && at < Memory::kNowhere && (at & (bytes - 1)) == 0 &&
                     run_.memory->span(at, bytes) && machine_.accesses.fits(step, at);
  if (!known || (step.act != Act::load && run_.memory->is_constant(at))) return false;
  if (place.space == isa::Space::global && !Memory::is_global(at)) return false;
  const Places::Bounds* const bounds = run_.places->bounds(AddressForms::form_of(warp, place.base, lane));
  if (bounds == nullptr) return false;
  const std::int64_t begin = bounds->offset(at) + bounds->low,
                     end = bounds->offset(at) + bounds->high + static_cast<std::int64_t>(bytes);
  return begin >= 0 && end <= static_cast<std::int64_t>(bounds->object.bytes);
}

}  // namespace ptxmc::exec
