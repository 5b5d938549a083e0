// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/packed.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <utility>

#include "axiomatic/event/expr.h"
#include "support/check.h"
#include "support/parallel.h"

namespace ptxmc::engine {

using event::Value;

namespace {

constexpr std::uint32_t kWordBits = 64;

/// Ascending, on up to `jobs` threads: by pieces, which are then merged two by two.
template <typename Item, typename Before>
void sort_all(std::vector<Item>& items, std::size_t jobs, const Before& before) {
  const std::size_t pieces = std::bit_floor(std::max<std::size_t>(jobs, 1));
  const auto piece = [&](std::size_t i) {
    return items.begin() + static_cast<std::ptrdiff_t>(items.size() * i / pieces);
  };
  in_parallel(pieces, jobs, [&](std::size_t i) { std::sort(piece(i), piece(i + 1), before); });
  for (std::size_t size = 1; size < pieces; size *= 2) {
    in_parallel(pieces / (2 * size), jobs, [&](std::size_t i) {
      const std::size_t begin = 2 * size * i;
      std::inplace_merge(piece(begin), piece(begin + size), piece(begin + (2 * size)), before);
    });
  }
}

template <std::size_t kWords>
void sort_keys(std::vector<std::uint64_t>& keys, std::size_t jobs) {
  using Key = std::array<std::uint64_t, kWords>;
  static_assert(sizeof(Key) == kWords * sizeof(std::uint64_t));
  std::vector<Key> all(keys.size() / kWords);
  for (std::size_t i = 0; i < keys.size(); ++i) all[i / kWords][i % kWords] = keys[i];
  keys = {};
  sort_all(all, jobs, std::less<>());
  keys.reserve(all.size() * kWords);
  for (const Key& key : all) keys.insert(keys.end(), key.begin(), key.end());
}

// Keys of any length: by their places.
void sort_long_keys(std::vector<std::uint64_t>& keys, std::size_t words, std::size_t jobs) {
  std::vector<std::size_t> order(keys.size() / words);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i * words;
  const auto key = [&](std::size_t at) { return keys.begin() + static_cast<std::ptrdiff_t>(at); };
  const auto length = static_cast<std::ptrdiff_t>(words);
  sort_all(order, jobs, [&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(key(a), key(a) + length, key(b), key(b) + length);
  });
  std::vector<std::uint64_t> out;
  out.reserve(keys.size());
  for (const std::size_t at : order) out.insert(out.end(), key(at), key(at) + length);
  keys = std::move(out);
}

/// Where a value stands in a domain, of which most are of a few values; nothing: it is not there.
std::optional<std::size_t> find_place(const std::vector<Value>& domain, event::Width width, Value value) {
  constexpr std::size_t kFew = 8;
  const auto at = domain.size() <= kFew
                      ? std::find(domain.begin(), domain.end(), value)
                      : std::lower_bound(domain.begin(), domain.end(), value, [&](Value a, Value b) {
                          return event::as_signed(a, width) < event::as_signed(b, width);
                        });
  if (at == domain.end() || *at != value) return std::nullopt;
  return static_cast<std::size_t>(at - domain.begin());
}

std::size_t place_of(const std::vector<Value>& domain, event::Width width, Value value) {
  const auto place = find_place(domain, width, value);
  PTXMC_CHECK(place.has_value(), "a state's values are in their domains");
  return *place;
}

}  // namespace

PackedStates::PackedStates(const event::ProgramGraph& graph, std::vector<std::vector<Value>> domains)
    : domains_(std::move(domains)) {
  PTXMC_CHECK(domains_.size() == graph.observables.size(), "a domain for each observable");
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    const event::Width width = graph.observables[i].width;
    std::vector<Value>& values = domains_[i];
    PTXMC_CHECK(!values.empty(), "an observable has a value");
    std::sort(values.begin(), values.end(),
              [&](Value a, Value b) { return event::as_signed(a, width) < event::as_signed(b, width); });
    values.erase(std::unique(values.begin(), values.end()), values.end());
    widths_.push_back(width);
  }
  place_fields();
}

void PackedStates::place_fields() {
  std::uint32_t word = 0, left = kWordBits;
  const auto place = [&](std::uint32_t bits) {
    if (bits > left) {
      ++word;
      left = kWordBits;
    }
    left -= bits;
    fields_.push_back({word, left, bits});
  };
  for (const auto& values : domains_) place(static_cast<std::uint32_t>(std::bit_width(values.size() - 1)));
  place(1);
  words_ = word + 1;
  key_.resize(words_);
}

void PackedStates::add(const std::vector<Value>& values, bool satisfied) {
  std::fill(key_.begin(), key_.end(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Field& field = fields_[i];
    if (field.bits == 0) continue;
    const std::size_t place = place_of(domains_[i], widths_[i], values[i]);
    key_[field.word] |= static_cast<std::uint64_t>(place) << field.shift;
  }
  if (!satisfied) key_[fields_.back().word] |= std::uint64_t{1} << fields_.back().shift;
  satisfied_ += satisfied ? 1 : 0;
  keys_.insert(keys_.end(), key_.begin(), key_.end());
}

void PackedStates::append(const PackedStates& other) {
  PTXMC_CHECK(other.domains_ == domains_, "states of the same domains");
  keys_.insert(keys_.end(), other.keys_.begin(), other.keys_.end());
  satisfied_ += other.satisfied_;
}

void PackedStates::sort(std::size_t jobs) {
  switch (words_) {
    case 1:
      return sort_all(keys_, jobs, std::less<>());
    case 2:
      return sort_keys<2>(keys_, jobs);
    default:
      return sort_long_keys(keys_, words_, jobs);
  }
}

bool PackedStates::contains(const std::vector<std::uint64_t>& key) const {
  const auto begin_of = [&](std::size_t i) {
    return keys_.begin() + static_cast<std::ptrdiff_t>(i * words_);
  };
  std::size_t from = 0, to = size();
  while (from < to) {
    const std::size_t middle = from + (to - from) / 2;
    const bool less =
        std::lexicographical_compare(begin_of(middle), begin_of(middle + 1), key.begin(), key.end());
    (less ? from : to) = less ? middle + 1 : middle;
  }
  return from < size() && std::equal(key.begin(), key.end(), begin_of(from));
}

std::optional<bool> PackedStates::judged(const std::vector<Value>& values) const {
  std::vector<std::uint64_t> key(words_, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto place = find_place(domains_[i], widths_[i], values[i]);
    if (!place) return std::nullopt;
    if (fields_[i].bits != 0) key[fields_[i].word] |= std::uint64_t{*place} << fields_[i].shift;
  }
  if (contains(key)) return true;
  key[fields_.back().word] |= std::uint64_t{1} << fields_.back().shift;
  return contains(key) ? std::optional(false) : std::nullopt;
}

std::optional<std::size_t> PackedStates::first(bool satisfied) const {
  const Field& fails = fields_.back();
  for (std::size_t i = 0; i < size(); ++i) {
    if (((keys_[i * words_ + fails.word] >> fails.shift & 1) == 0) == satisfied) return i;
  }
  return std::nullopt;
}

void PackedStates::for_each(std::size_t begin, std::size_t end,
                            const std::function<void(const std::vector<std::uint32_t>&, bool)>& f) const {
  PTXMC_CHECK(end <= size(), "there are so many states");
  std::vector<std::uint32_t> codes(domains_.size());
  for (std::size_t at = begin * words_; at < end * words_; at += words_) {
    const auto get = [&](const Field& field) {
      if (field.bits == 0) return std::uint64_t{0};
      return keys_[at + field.word] >> field.shift & ((std::uint64_t{1} << field.bits) - 1);
    };
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint32_t>(get(fields_[i]));
    f(codes, get(fields_.back()) == 0);
  }
}

}  // namespace ptxmc::engine
