// SPDX-License-Identifier: Apache-2.0
// Accesses of locations that loops poll: turns of these loops, and writes of what they wait for.
#include <vector>

#include "dynamic/shadow/detector.h"

namespace ptxmc::trace {

/// A turn of a loop that waits, before the last one: it has read an older write, and takes nothing from the newest.
void Detector::touch_turn(Range range, const ShadowAccess& mark) {
  Kind kind = kinds_[mark.kind];
  kind.keeps = kind.writes();
  kind.decides = false;
  ShadowAccess turn = mark;
  turn.kind = kinds_.find(kind);
  memory_.begin({mark.warp, mark.mask}, turn.kind);
  if (kind.keeps || !memory_.behind_newest(range, turn)) memory_.touch(range, turn);
}

/// A turn of a loop whose flag is watched: it takes what it does in all schedules, the others nothing. By an atomic it releases,
/// too; but of two such loops either may be the first, and nothing else rests on that. False: the last turn is not followed.
bool Detector::touch_flag(const Access& access, Strength strength, const Lane& at, const ShadowAccess& mark) {
  touch_turn(at.range, mark);
  if ((access.polls->left >> at.lane & 1U) == 0) return true;
  const auto read = flags_.read({access.site, at.thread, at.range, strength, at.read, at.element});
  if (!read) return false;
  release_sequences_.read(access.site, at.thread, at.range.begin, access.bytes, strength, read->message,
                          {true, true});
  Kind kind = kinds_[mark.kind];
  kind.decides = read->observes;
  kind.keeps = kind.writes();
  ShadowAccess last = mark;
  last.kind = kinds_.find(kind);
  memory_.begin(lane_of(at.thread), last.kind);
  memory_.touch(at.range, last);
  if (lifetime_.watches_visits()) lifetime_.visit(kind, last, at.range);
  return true;
}

/// The last turn of a loop that is left for other elements of a vector: in other schedules this one may read an older write,
/// and takes nothing from the newest.
void Detector::touch_beside(const Access& access, const Lane& at, const ShadowAccess& mark) {
  Kind kind = kinds_[mark.kind];
  kind.decides = false;
  ShadowAccess beside = mark;
  beside.kind = kinds_.find(kind);
  memory_.begin(lane_of(at.thread), beside.kind);
  memory_.touch(at.range, beside);
  std::vector<Address> awaited;
  const std::uint32_t lanes = access.polls->together ? access.polls->left & access.lanes.mask : 1U << at.lane;
  for_threads({0, lanes}, [&](unsigned lane) {
    for (unsigned element = 0; element < access.elements; ++element) {
      if (access.polls->awaits(lane, element))
        awaited.push_back(access.begin[lane] + std::uint64_t{element} * access.bytes);
    }
  });
  memory_.look_for_stale_beside(at.range, beside, awaited);
  knowledge_.read(at.thread, at.range.begin);
  if (lifetime_.watches_visits()) lifetime_.visit(kind, beside, at.range);
}

/// A write may be to a flag that is watched. By another name it is morally strong with none that reads the flag (8.7), as a weak
/// one, which tells nothing: whether it is in order with these, is looked at as of all accesses.
void Detector::write_flag(const Access& access, Strength strength, const Lane& at, Flags::Known before) {
  const bool updates = access.effect == Effect::update;
  const bool renamed = access.proxy == isa::Proxy::alias && updates;
  if (renamed) strength = {};
  const bool weak = strength.semantics == isa::Semantics::weak;
  if ((access.proxy != isa::Proxy::generic && !renamed) || access.polls != nullptr ||
      (updates && access.elements != 1))
    return flags_.spoil(at.range);
  FlagValue value;
  value.updates = updates;
  if (updates) {
    if (access.rewrites != nullptr && (access.rewrites->tainted >> at.lane & 1U) == 0) {
      value.rewrite = access.rewrites->one;
      value.rewrite->value = access.rewrites->values[at.lane];
      value.rewrite->comparand = access.rewrites->comparands[at.lane];
    }
  } else if (!access.written.empty()) {
    if ((access.tainted >> at.lane & 1U) == 0) {
      value.value = {access.element_of(access.written, at.lane, at.element)};
    } else if (!access.known.empty()) {
      constexpr unsigned kWord = 64;
      const Bits beyond = access.words_of_element() == 1 ? ~Bits{0} << kWord : Bits{0};
      const Bits known = access.element_of(access.known, at.lane, at.element) | beyond;
      value.value = {access.element_of(access.written, at.lane, at.element) & known, known};
    }
  }
  flags_.write(at.thread, at.range, strength, value, std::move(before),
               weak ? std::vector<ReleaseClock>{}
                    : release_sequences_.own(access.site, at.thread, at.range.begin, strength),
               release_sequences_.seen_by_write(at.thread));
}

/// The same of a weak store.
void Detector::write_flags(const Access& access, unsigned lane) {
  const Thread thread = access.lanes.thread(lane);
  if (access.together)
    return flags_.spoil({access.begin[lane], std::uint64_t{access.bytes} * access.elements});
  for (unsigned element = 0; element < access.elements; ++element) {
    const Range range{access.begin[lane] + std::uint64_t{element} * access.bytes, access.bytes};
    write_flag(access, {}, {lane, thread, range, element}, flags_.known(thread, range));
  }
}

}  // namespace ptxmc::trace
