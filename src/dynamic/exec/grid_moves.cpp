// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/grid_moves.h"

#include <algorithm>

#include "support/check.h"

namespace ptxmc::exec {

namespace {

constexpr std::size_t kMostTerms = 8;
constexpr std::size_t kMostValues = std::size_t{1} << 24U;  // of functions that are known by their values
constexpr std::uint64_t kSmall = std::uint64_t{1} << 61U;   // factors of which the difference is one
constexpr std::size_t kMostMoves = std::size_t{1} << 16U;

/// A number modulo 2^bits, near 0.
std::int64_t near_zero(std::uint64_t value, unsigned bits) {
  return integer::as_signed(value, static_cast<integer::Width>(bits));
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
}

std::uint64_t hash_of(std::span<const std::int64_t> values) {
  std::uint64_t hash = 1;
  for (const std::int64_t value : values)
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15ULL ^ hash >> 29U;
  return hash;
}

}  // namespace

GridMoves::GridMoves(const Sides& clusters, const Sides& cluster)
    : clusters_(clusters), cluster_(cluster), places_(clusters[0] * clusters[1] * clusters[2]), moves_(1) {
  PTXMC_CHECK(places_ != 0 && places_ <= kMostPlaces,
              "a grid that is followed has some clusters, and not too many");
  for (const std::uint64_t side : clusters) largest_.push_back(side - 1);
  known_[{}] = kStill;
}

std::uint64_t GridMoves::place_of_block(std::uint64_t block) const {
  std::array<std::uint64_t, kAxes> at{};
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    const std::uint64_t side = clusters_.at(axis) * cluster_.at(axis);
    at.at(axis) = block % side / cluster_.at(axis);
    block /= side;
  }
  return (at[2] * clusters_[1] + at[1]) * clusters_[0] + at[0];
}

std::uint64_t GridMoves::block_at(std::uint64_t place) const {
  std::uint64_t out = 0;
  for (std::size_t axis = kAxes; axis-- > 0;)
    out = out * clusters_.at(axis) * cluster_.at(axis) + coordinate(axis, place) * cluster_.at(axis);
  return out;
}

std::uint64_t GridMoves::coordinate(std::size_t axis, std::uint64_t place) const {
  for (std::size_t before = 0; before < axis; ++before) place /= clusters_.at(before);
  return place % clusters_.at(axis);
}

std::int64_t GridMoves::value(std::uint32_t function, std::uint64_t place) const {
  return function < kAxes ? static_cast<std::int64_t>(coordinate(function, place))
                          : functions_[function - kAxes][place];
}

/// Without the terms that are nothing modulo 2^bits. A sum that does not fit 128 bits is not followed.
Move GridMoves::intern(Terms terms, unsigned bits) {
  Terms kept;
  long double most = 0;
  for (const auto& [function, factor] : terms) {
    const std::int64_t near = near_zero(static_cast<std::uint64_t>(factor), bits);
    if (near == 0 || largest_[function] == 0) continue;
    most += static_cast<long double>(magnitude(near)) * static_cast<long double>(largest_[function]);
    kept.emplace_back(function, near);
  }
  constexpr long double kFits = 0x1p120L;
  if (kept.size() > kMostTerms || most > kFits) return kAnyhow;
  if (const auto found = known_.find(kept); found != known_.end()) return found->second;
  if (moves_.size() >= kMostMoves) return kAnyhow;
  const auto number = static_cast<Move>(moves_.size());
  known_[kept] = number;
  moves_.push_back(std::move(kept));
  return number;
}

Move GridMoves::along(unsigned axis, std::int64_t factor) {
  return intern({{axis, factor}}, 64);
}

Move GridMoves::sum(Move a, Move b, bool subtracts, unsigned bits) {
  if (a == kAnyhow || b == kAnyhow) return kAnyhow;
  Terms out = moves_[a];
  for (const auto& [function, factor] : moves_[b]) {
    const auto at = std::lower_bound(out.begin(), out.end(), function,
                                     [](const auto& term, std::uint32_t one) { return term.first < one; });
    const std::uint64_t more =
        subtracts ? ~static_cast<std::uint64_t>(factor) + 1 : static_cast<std::uint64_t>(factor);
    if (at != out.end() && at->first == function) {
      at->second = static_cast<std::int64_t>(static_cast<std::uint64_t>(at->second) + more);
    } else {
      out.insert(at, {function, static_cast<std::int64_t>(more)});
    }
  }
  return intern(std::move(out), bits);
}

Move GridMoves::difference(Move a, Move b) {
  if (a == kAnyhow || b == kAnyhow) return kAnyhow;
  const auto is_small = [](const auto& term) { return magnitude(term.second) < kSmall; };
  for (const Move one : {a, b}) {
    if (!std::all_of(moves_[one].begin(), moves_[one].end(), is_small)) return kAnyhow;
  }
  return sum(a, b, true, 64);
}

Move GridMoves::times(Move a, std::uint64_t factor, unsigned bits) {
  if (a == kAnyhow) return kAnyhow;
  Terms out = moves_[a];
  for (auto& [function, own] : out) own = static_cast<std::int64_t>(static_cast<std::uint64_t>(own) * factor);
  return intern(std::move(out), bits);
}

Move GridMoves::narrowed(Move a, unsigned bits) {
  return a == kAnyhow ? a : intern(moves_[a], bits);
}

/// Is each the sum of factors times the coordinates, modulo 2^bits? The neighbours of the first place say which.
bool GridMoves::is_linear(std::span<const std::int64_t> values, unsigned bits, Terms& out) const {
  std::uint64_t step = 1;
  std::array<std::uint64_t, kAxes> factors{};
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    if (clusters_.at(axis) > 1) factors.at(axis) = static_cast<std::uint64_t>(values[step]);
    out.emplace_back(axis, static_cast<std::int64_t>(factors.at(axis)));
    step *= clusters_.at(axis);
  }
  for (std::uint64_t place = 0; place < places_; ++place) {
    std::uint64_t sum = 0;
    for (std::size_t axis = 0; axis < kAxes; ++axis) sum += factors.at(axis) * coordinate(axis, place);
    if (near_zero(sum, bits) != values[place]) return false;
  }
  return true;
}

std::optional<std::uint32_t> GridMoves::function(std::vector<std::int64_t> values) {
  const std::uint64_t hash = hash_of(values);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto one = begin; one != end; ++one) {
    if (functions_[one->second - kAxes] == values) return one->second;
  }
  if ((functions_.size() + 1) * places_ > kMostValues) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(functions_.size() + kAxes);
  std::uint64_t largest = 0;
  for (const std::int64_t value : values) largest = std::max(largest, magnitude(value));
  largest_.push_back(largest);
  functions_.push_back(std::move(values));
  by_hash_.emplace(hash, number);
  return number;
}

Move GridMoves::of_values(std::span<const std::uint64_t> by_place, unsigned bits) {
  std::vector<std::int64_t> values;
  values.reserve(by_place.size());
  for (const std::uint64_t value : by_place) values.push_back(near_zero(value - by_place[0], bits));
  Terms linear;
  if (is_linear(values, bits, linear)) return intern(std::move(linear), bits);
  const auto found = function(std::move(values));
  return found ? intern({{*found, 1}}, 64) : kAnyhow;
}

GridMoves::Wide GridMoves::at(Move move, std::uint64_t place) const {
  Wide out = 0;
  for (const auto& [function, factor] : moves_[move]) out += Wide{factor} * value(function, place);
  return out;
}

GridMoves::Range GridMoves::range(Move move) {
  const auto [known, fresh] = ranges_.try_emplace(move);
  Range& out = known->second;
  if (!fresh) return out;
  const Terms& terms = moves_[move];
  if (terms.empty() || terms.back().first < kAxes) {
    for (const auto& [axis, factor] : terms)
      (factor < 0 ? out.least : out.most) += Wide{factor} * static_cast<std::int64_t>(clusters_.at(axis) - 1);
    return out;
  }
  out.least = out.most = at(move, 0);
  for (std::uint64_t place = 1; place < places_; ++place) {
    const Wide here = at(move, place);
    out.least = std::min(out.least, here);
    out.most = std::max(out.most, here);
  }
  return out;
}

bool GridMoves::steps_by(Move move, std::uint64_t unit) {
  const auto divides = [unit](const auto& term) {
    return term.second % static_cast<std::int64_t>(unit) == 0;
  };
  const Terms& terms = moves_[move];
  if (std::all_of(terms.begin(), terms.end(), divides)) return true;
  const Wide first = at(move, 0);
  for (std::uint64_t place = 1; place < places_; ++place) {
    if ((at(move, place) - first) % static_cast<std::int64_t>(unit) != 0) return false;
  }
  return true;
}

}  // namespace ptxmc::exec
