// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/grid_cover.h"

#include <algorithm>

namespace ptxmc::exec {

namespace {

constexpr std::size_t kMostIntervals = std::size_t{1} << 20U;  // of one kind at one place
constexpr std::size_t kMostOwned = std::size_t{1} << 22U;      // of those that are compared, at all places

bool harmless(const GridCover::Touched& a, const GridCover::Touched& b) {
  if (a.touch != b.touch) return false;
  return a.touch == GridTouch::read || (a.touch == GridTouch::atomic && a.bytes == b.bytes);
}

}  // namespace

/// What is touched in one way at a place that ran, and where that is at the others that are like it.
struct GridCover::Group {
  std::uint64_t place = 0;
  Touched touched;
  const trace::Intervals* intervals = nullptr;
  Wide begin = 0, end = 0;  // all of it lies there, at whatever place
};

struct GridCover::Owned {
  trace::Interval bytes;
  std::uint64_t place = 0;
  const Group* group = nullptr;

  /// Bytes of one owner move together: whether they overlap is seen in the run.
  bool is_of_same(const Owned& other) const {
    return place == other.place && group->touched.move == other.group->touched.move;
  }
};

void GridCover::require(std::uint64_t place, Move move, Wide least, Wide most) {
  const GridMoves::Range all = moves.range(move);
  if (least <= all.least && all.most <= most) return;
  const auto [known, fresh] = of_place_[place].conditions.try_emplace(move, Between{least, most});
  if (fresh) return;
  known->second.least = std::max(known->second.least, least);
  known->second.most = std::min(known->second.most, most);
}

void GridCover::touch(std::uint64_t place, const Touched& touched, const trace::Range& bytes) {
  if (bytes.bytes == 0) return;
  trace::Intervals& all = of_place_[place].touched[touched];
  const trace::Interval one{bytes.begin, bytes.begin + bytes.bytes};
  if (trace::extend_last(all, one)) return;
  if (all.size() >= kMostIntervals) {
    trace::join(all);
    overflowed_ = overflowed_ || all.size() >= kMostIntervals / 2;
    if (overflowed_) return;
  }
  all.push_back(one);
}

bool GridCover::is_alike(const OfPlace& of, std::uint64_t place) const {
  return std::all_of(of.conditions.begin(), of.conditions.end(), [&](const auto& condition) {
    const Wide value = moves.at(condition.first, place);
    return condition.second.least <= value && value <= condition.second.most;
  });
}

std::optional<std::uint64_t> GridCover::find_alike() {
  alike_.assign(moves.places(), 0);
  for (std::uint64_t place = 0; place < moves.places(); ++place) {
    const auto found = std::find_if(of_place_.begin(), of_place_.end(),
                                    [&](const auto& one) { return is_alike(one.second, place); });
    if (found == of_place_.end()) return place;
    alike_[place] = found->first;
  }
  return std::nullopt;
}

std::vector<GridCover::Group> GridCover::groups() {
  std::vector<Group> out;
  for (auto& [place, of] : of_place_) {
    for (auto& [touched, intervals] : of.touched) {
      trace::join(intervals);
      const GridMoves::Range range = moves.range(touched.move);
      const Wide here = moves.at(touched.move, place);
      out.push_back({place, touched, &intervals, Wide{intervals.front().begin} + range.least - here,
                     Wide{intervals.back().end} + range.most - here});
    }
  }
  return out;
}

bool GridCover::expand(const Group& group, std::vector<Owned>& out) const {
  const Wide here = moves.at(group.touched.move, group.place);
  for (std::uint64_t place = 0; place < moves.places(); ++place) {
    if (alike_[place] != group.place) continue;
    if (out.size() + group.intervals->size() > kMostOwned) return false;
    const auto by = static_cast<Address>(moves.at(group.touched.move, place) - here);
    for (const trace::Interval& one : *group.intervals)
      out.push_back({{one.begin + by, one.end + by}, place, &group});
  }
  return true;
}

GridCover::Answer GridCover::find_meetings() {
  const std::vector<Group> all = groups();
  std::vector<Owned> owned;
  for (const Group& one : all) {
    const bool may_meet = std::any_of(all.begin(), all.end(), [&](const Group& other) {
      return !harmless(one.touched, other.touched) && one.begin < other.end && other.begin < one.end;
    });
    if (may_meet && !expand(one, owned)) return {Verdict::too_much, {}, {}};
  }
  std::sort(owned.begin(), owned.end(),
            [](const Owned& a, const Owned& b) { return a.bytes.begin < b.bytes.begin; });
  std::map<std::pair<GridTouch, std::uint8_t>, trace::Furthest<Owned>> before;
  for (const Owned& one : owned) {
    const Touched& touched = one.group->touched;
    for (const auto& [kind, furthest] : before) {
      if (harmless(touched, {kStill, kind.first, kind.second})) continue;
      const Owned* const other = furthest.meets(one);
      if (other == nullptr) continue;
      return {Verdict::meet, {moves.block_at(other->place), moves.block_at(one.place)}, {}};
    }
    before[{touched.touch, touched.bytes}].add(one);
  }
  return {Verdict::covered, {}, {}};
}

GridCover::Answer GridCover::judge() {
  if (!refused_.empty()) return {Verdict::refused, {}, refused_};
  if (overflowed_) return {Verdict::too_much, {}, {}};
  if (const auto other = find_alike()) return {Verdict::more, {moves.block_at(*other)}, {}};
  return find_meetings();
}

}  // namespace ptxmc::exec
