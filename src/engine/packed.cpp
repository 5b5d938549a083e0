// SPDX-License-Identifier: Apache-2.0
#include "engine/packed.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "event/expr.h"
#include "support/check.h"

namespace ptxmc::engine {

using event::Value;

namespace {

constexpr std::uint32_t kWordBits = 64;

template <std::size_t kWords>
void sort_keys(std::vector<std::uint64_t>& keys) {
  using Key = std::array<std::uint64_t, kWords>;
  static_assert(sizeof(Key) == kWords * sizeof(std::uint64_t));
  std::vector<Key> all(keys.size() / kWords);
  for (std::size_t i = 0; i < keys.size(); ++i) all[i / kWords][i % kWords] = keys[i];
  keys = {};
  std::sort(all.begin(), all.end());
  keys.reserve(all.size() * kWords);
  for (const Key& key : all) keys.insert(keys.end(), key.begin(), key.end());
}

// Keys of any length: by their places.
void sort_long_keys(std::vector<std::uint64_t>& keys, std::size_t words) {
  std::vector<std::size_t> order(keys.size() / words);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i * words;
  const auto key = [&](std::size_t at) { return keys.begin() + static_cast<std::ptrdiff_t>(at); };
  const auto length = static_cast<std::ptrdiff_t>(words);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(key(a), key(a) + length, key(b), key(b) + length);
  });
  std::vector<std::uint64_t> out;
  out.reserve(keys.size());
  for (const std::size_t at : order) out.insert(out.end(), key(at), key(at) + length);
  keys = std::move(out);
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
    const std::vector<Value>& domain = domains_[i];
    const Field& field = fields_[i];
    if (field.bits == 0) continue;
    const event::Width width = widths_[i];
    const auto at = std::lower_bound(domain.begin(), domain.end(), values[i], [&](Value a, Value b) {
      return event::as_signed(a, width) < event::as_signed(b, width);
    });
    PTXMC_CHECK(at != domain.end() && *at == values[i], "a state's values are in their domains");
    key_[field.word] |= static_cast<std::uint64_t>(at - domain.begin()) << field.shift;
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

void PackedStates::sort() {
  switch (words_) {
    case 1:
      return std::sort(keys_.begin(), keys_.end());
    case 2:
      return sort_keys<2>(keys_);
    default:
      return sort_long_keys(keys_, words_);
  }
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
