// SPDX-License-Identifier: Apache-2.0
// Addresses in memory, where the arguments of a launch lead: what the driver saw there just before the launch.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "input/record/memory.h"

namespace ptxmc::record {

/// What was seen for one launch at a time.
class AccessedBytes {
 public:
  struct Window {
    std::uint64_t address = 0, bytes = 0;
  };

  void start();
  /// An argument, or another word that may be an address.
  void follow(std::uint64_t word) { found_.push_back(word); }
  /// Where the words found so far lead, each once: a few kilobytes from there, not all of them known.
  std::vector<Window> wanted(Memory& memory);
  void see(Memory& memory, std::uint64_t address, std::string_view bytes);
  /// The addresses in an allocation, by offset.
  const std::map<std::uint64_t, std::uint64_t>& addresses_in(const Allocation& allocation) const;

 private:
  std::vector<std::uint64_t> found_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> asked_;                    // allocation, offset
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> addresses_;  // by allocation
};

}  // namespace ptxmc::record
