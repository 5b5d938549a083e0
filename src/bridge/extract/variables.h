// SPDX-License-Identifier: Apache-2.0
// The memory of a slice as variables of a litmus test.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bridge/extract/log.h"
#include "bridge/extract/slice.h"

namespace ptxmc::extract {

constexpr std::uint64_t kRow = 16;  // bytes: what a bulk copy moves at least

class Variables {
 public:
  /// Throws Unwritten.
  Variables(const Log& log, const Slice& slice);

  /// "data+4": a place in the bytes in question or in a flag.
  std::string place(trace::Address address) const;
  /// "mbar0"
  const std::string& object(trace::Address address) const { return objects_.at(address); }
  const std::map<trace::Address, std::string>& objects() const { return objects_; }
  bool is_shared(trace::Address address) const { return cta_of(address).has_value(); }
  /// The CTA whose shared memory it is in.
  std::optional<std::uint32_t> cta_of(trace::Address address) const;
  /// All those whose shared memory the slice is about.
  const std::set<std::uint32_t>& ctas() const { return ctas_; }
  /// ".shared .align 16 .b8 data[32];", apart from the objects.
  std::vector<std::string> declarations() const;

 private:
  struct Block {
    trace::Range bytes;  // whole rows
    std::string name;
  };
  void add(trace::Range bytes);
  void add_object(trace::Address address);
  const Block* block_of(trace::Address address) const;

  const Log& log_;
  std::vector<Block> blocks_;
  std::map<trace::Address, std::string> objects_;
  std::set<std::uint32_t> ctas_;
};

/// Why a slice cannot be written.
struct Unwritten {
  std::string why;
};

}  // namespace ptxmc::extract
