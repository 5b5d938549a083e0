// SPDX-License-Identifier: Apache-2.0
// Memory that device code allocates by malloc. Each allocation is an object of its own, at a place of its own, so that an
// address of what was freed is an address of nothing. Allocations of a thread lie in a window of the thread: where the nth
// one lies is the same in all schedules.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "dynamic/exec/bytes.h"
#include "dynamic/exec/contents.h"
#include "dynamic/exec/places.h"
#include "dynamic/order/heap.h"

namespace ptxmc::exec {

class Heap {
 public:
  using Address = trace::Address;
  static constexpr Address kBegin = trace::kHeapBegin, kEnd = trace::kHeapEnd;
  static bool is_of(Address address) { return trace::is_heap(address); }
  /// What malloc promises of an address.
  static constexpr std::uint64_t kAlign = 16;
  /// The most bytes of one allocation, and of all that are not freed.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24U,
                                 kMostTogether = std::uint64_t{1} << 28U;

  struct Block {
    Places::Object object;
    Bytes data, taints;            // as those of Memory: all is initial, and may be anything
    std::unique_ptr<Bytes> terms;  // null: they are not followed
    bool freed = false;
  };

  explicit Heap(std::size_t threads);
  /// From here on contents, or terms, are those of each new allocation.
  void fill_open(const Contents& contents) { contents_ = contents; }
  void follow_terms() { follows_terms_ = true; }

  /// Nothing: that is more than is followed here.
  std::optional<Places::Object> allocate(std::size_t thread, std::uint64_t bytes);
  void free(Block& block);
  /// The last one that begins at the address or before it, freed or not.
  Block* block_before(Address address);
  const Block* block_before(Address address) const;
  /// The one that has all of these bytes now; null: there is none.
  const Block* block_at(Address begin, std::uint64_t bytes) const;
  /// "malloc(64)+12"
  std::string name_at(Address address) const;

 private:
  void fill(Block& block) const;

  Address window_ = 0;  // bytes of each thread's
  std::map<Address, Block> blocks_;
  std::unordered_map<std::size_t, Address> ends_;  // where the next allocation of a thread begins
  std::uint64_t bytes_ = 0;                        // that are not freed
  std::optional<Contents> contents_;
  bool follows_terms_ = false;
};

}  // namespace ptxmc::exec
