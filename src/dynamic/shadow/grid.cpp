// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/grid.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace ptxmc::trace {
namespace {

using GridPlace = std::array<std::int64_t, 3>;

constexpr std::size_t kMostIntervals = std::size_t{1} << 22;  // of an instruction in all CTAs
constexpr std::size_t kMostPairs = 2;                         // of CTAs, for two instructions

GridPlace place_of(const GridShape& grid, std::uint64_t cta) {
  const auto side = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  return {side(cta % grid.extents[0]), side(cta / grid.extents[0] % grid.extents[1]),
          side(cta / grid.extents[0] / grid.extents[1])};
}

/// What one instruction accesses in the CTA that is first of those that ran, and how far that moves with each axis.
struct Moving {
  Touched touched;
  const Intervals* first = nullptr;
  GridPlace at{}, by{};

  Address offset(const GridPlace& there) const {
    std::int64_t all = 0;
    for (std::size_t axis = 0; axis < all_axes; ++axis) all += (there[axis] - at[axis]) * by[axis];
    return static_cast<Address>(all);
  }
  static constexpr std::size_t all_axes = 3;
};

/// As far as the first lies from there, if all do.
std::optional<std::int64_t> distance(const Intervals& from, const Intervals& to) {
  if (from.size() != to.size() || from.empty()) return std::nullopt;
  const Address by = to.front().begin - from.front().begin;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (to[i].begin - from[i].begin != by || to[i].end - from[i].end != by) return std::nullopt;
  }
  return static_cast<std::int64_t>(by);
}

/// Every byte of the first is one of the others: a CTA at the edge does less.
bool within(const Intervals& inner, const Intervals& outer, Address by) {
  auto at = outer.begin();
  for (const Interval& one : inner) {
    while (at != outer.end() && at->end + by < one.end) ++at;
    if (at == outer.end() || at->begin + by > one.begin) return false;
  }
  return true;
}

/// Two CTAs that differ along one axis alone say how far an instruction moves with it; all others must agree. Nothing: they
/// do not.
std::optional<Moving> follow(const std::vector<Footprints::OfCta>& ctas, const GridShape& grid,
                             const Touched& touched) {
  Moving out;
  out.touched = touched;
  std::vector<std::pair<GridPlace, const Intervals*>> known;
  for (std::size_t i = 0; i < ctas.size(); ++i) {
    const auto found = ctas[i].find(touched);
    if (found != ctas[i].end()) known.emplace_back(place_of(grid, grid.ran[i]), &found->second);
  }
  if (known.empty()) return std::nullopt;
  out.at = known.front().first;
  out.first = known.front().second;
  for (std::size_t axis = 0; axis < out.by.size(); ++axis) {
    if (grid.extents[axis] == 1) continue;
    const auto next = std::find_if(known.begin() + 1, known.end(), [&](const auto& one) {
      for (std::size_t other = 0; other < out.by.size(); ++other) {
        if ((one.first[other] != out.at[other]) != (other == axis)) return false;
      }
      return distance(*out.first, *one.second).has_value();
    });
    if (next == known.end()) return std::nullopt;
    const std::int64_t steps = next->first[axis] - out.at[axis], far = *distance(*out.first, *next->second);
    if (far % steps != 0) return std::nullopt;
    out.by[axis] = far / steps;
  }
  for (const auto& [place, intervals] : known) {
    if (!within(*intervals, *out.first, out.offset(place))) return std::nullopt;
  }
  return out;
}

struct Owned {
  Interval bytes;
  std::uint64_t cta = 0, cluster = 0;

  bool is_of_same(const Owned& other) const { return cluster == other.cluster; }
};

std::uint64_t cluster_of(const GridShape& grid, const GridPlace& place) {
  std::uint64_t cluster = 0;
  for (std::size_t axis = place.size(); axis-- > 0;)
    cluster =
        cluster * grid.extents.at(axis) + static_cast<std::uint64_t>(place.at(axis)) / grid.cluster.at(axis);
  return cluster;
}

void sort(std::vector<Owned>& all) {
  std::sort(all.begin(), all.end(), [](const Owned& a, const Owned& b) { return a.bytes < b.bytes; });
}

/// What it accesses in all CTAs, ascending; empty: too much.
std::vector<Owned> everywhere(const Moving& moving, const GridShape& grid, std::uint64_t ctas) {
  std::vector<Owned> out;
  if (moving.first->size() > kMostIntervals / ctas) return out;
  out.reserve(moving.first->size() * ctas);
  for (std::uint64_t cta = 0; cta < ctas; ++cta) {
    const GridPlace place = place_of(grid, cta);
    const Address by = moving.offset(place);
    const std::uint64_t cluster = cluster_of(grid, place);
    for (const Interval& one : *moving.first) out.push_back({{one.begin + by, one.end + by}, cta, cluster});
  }
  sort(out);
  return out;
}

/// The same of CTAs that all ran.
std::vector<Owned> gathered(const std::vector<Footprints::OfCta>& ctas, const GridShape& grid,
                            const Touched& touched) {
  std::vector<Owned> out;
  for (std::size_t i = 0; i < ctas.size() && out.size() < kMostIntervals; ++i) {
    const auto found = ctas[i].find(touched);
    if (found == ctas[i].end()) continue;
    const std::uint64_t cluster = cluster_of(grid, place_of(grid, grid.ran[i]));
    for (const Interval& one : found->second) out.push_back({one, grid.ran[i], cluster});
  }
  if (out.size() >= kMostIntervals) return {};
  sort(out);
  return out;
}

/// CTAs in which two instructions meet.
void find_meetings(const std::vector<Owned>& a, const std::vector<Owned>& b, std::set<std::uint64_t>& out) {
  Furthest<Owned> of_a, of_b;
  std::size_t found = 0;
  for (std::size_t i = 0, j = 0; (i < a.size() || j < b.size()) && found < kMostPairs;) {
    const bool from_a = j == b.size() || (i < a.size() && a[i].bytes < b[j].bytes);
    const Owned& one = from_a ? a[i++] : b[j++];
    const Owned* other = (from_a ? of_b : of_a).meets(one);
    (from_a ? of_a : of_b).add(one);
    if (other == nullptr) continue;
    ++found;
    out.insert({one.cta, other->cta});
  }
}

/// An instruction, and what it accesses: in all CTAs, or where that is not known in those that ran.
struct Followed {
  Touched touched;
  bool known = true;             // of all CTAs
  std::optional<Moving> moving;  // nothing: of those that ran
  Interval box{~Address{0}, 0};  // all of its bytes lie there
  std::vector<Owned> bytes;      // if they may meet others
};

void widen(Interval& box, const Intervals& by, Address moved) {
  box.begin = std::min(box.begin, by.front().begin + moved);
  box.end = std::max(box.end, by.back().end + moved);
}

/// `all`: all CTAs ran.
Followed followed(const std::vector<Footprints::OfCta>& ctas, const GridShape& grid, const Touched& touched,
                  bool all) {
  Followed out{touched, true, std::nullopt, {~Address{0}, 0}, {}};
  if (!all) out.moving = follow(ctas, grid, touched);
  if (!out.moving) {
    out.known = all;
    for (const Footprints::OfCta& cta : ctas) {
      const auto found = cta.find(touched);
      if (found != cta.end()) widen(out.box, found->second, 0);
    }
    return out;
  }
  for (unsigned corner = 0; corner < 8; ++corner) {
    GridPlace there{};
    for (std::size_t axis = 0; axis < there.size(); ++axis)
      there.at(axis) = (corner >> axis & 1U) != 0 ? static_cast<std::int64_t>(grid.extents.at(axis)) - 1 : 0;
    widen(out.box, *out.moving->first, out.moving->offset(there));
  }
  return out;
}

bool may_meet(const Followed& a, const Followed& b) {
  const bool harmless = a.touched.touch == b.touched.touch && a.touched.touch != Touch::write;
  return !harmless && a.box.begin < b.box.end && b.box.begin < a.box.end;
}

}  // namespace

Compared compare(const std::vector<Footprints::OfCta>& ctas, const GridShape& grid, std::size_t most) {
  Compared out;
  out.ctas = grid.extents[0] * grid.extents[1] * grid.extents[2];
  std::set<Touched> touched;
  for (const Footprints::OfCta& cta : ctas) {
    for (const auto& [one, intervals] : cta) touched.insert(one);
  }
  std::set<Site> sites, unknown;
  std::vector<Followed> known;
  for (const Touched& one : touched) {
    sites.insert(one.site);
    known.push_back(followed(ctas, grid, one, grid.ran.size() == out.ctas));
    if (!known.back().known) unknown.insert(one.site);
  }
  for (Followed& one : known) {
    if (std::none_of(known.begin(), known.end(), [&](const Followed& other) { return may_meet(one, other); }))
      continue;
    one.bytes = one.moving ? everywhere(*one.moving, grid, out.ctas) : gathered(ctas, grid, one.touched);
    if (one.bytes.empty()) unknown.insert(one.touched.site);
  }
  out.instructions = sites.size();
  out.followed = sites.size() - unknown.size();
  std::set<std::uint64_t> meet;
  for (auto a = known.begin(); a != known.end(); ++a) {
    for (auto b = a; b != known.end() && meet.size() < most; ++b) {
      if (may_meet(*a, *b)) find_meetings(a->bytes, b->bytes, meet);
    }
  }
  out.meet.assign(meet.begin(), meet.end());
  if (out.meet.size() > most) out.meet.resize(most);
  return out;
}

}  // namespace ptxmc::trace
