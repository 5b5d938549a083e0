// SPDX-License-Identifier: Apache-2.0
// Values that were written, as numbers. Two accesses of equal numbers have written the same, if values are compared; a hash
// tells only that two differ.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace ptxmc::trace {

class Values {
 public:
  /// What it is the value of: two of different kinds are never equal.
  enum class Of : std::uint8_t { known, open, object, copy };

  explicit Values(bool compares) : compares_(compares) {}
  bool compares() const { return compares_; }

  /// Odd, so that it is not 0, nor what marks of strong writes say of who observes them (Observed).
  std::uint32_t find(Of of, std::span<const std::uint64_t> words);

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 24U;  // that are told apart: others are not known
  struct Key {
    Of of;
    std::vector<std::uint64_t> words;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  bool compares_;
  std::map<Key, std::uint32_t> numbers_;
};

}  // namespace ptxmc::trace
