// SPDX-License-Identifier: Apache-2.0
// Shadow memory: for each byte that was accessed, the accesses that a later one may race with. Bytes that are accessed
// alike share a cell: 16 of them until an access splits the granule.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "dynamic/shadow/shadow_access.h"

namespace ptxmc::trace {

/// Marks that cells which were accessed alike have in common, until one of them is accessed otherwise.
class MarkList {
 public:
  std::span<const ShadowAccess> all() const {
    return marks_ == nullptr ? std::span<const ShadowAccess>() : *marks_;
  }
  bool empty() const { return all().empty(); }
  /// This cell's own, to be changed.
  std::vector<ShadowAccess>& edit() {
    if (marks_ == nullptr) {
      marks_ = std::make_shared<std::vector<ShadowAccess>>();
    } else if (marks_.use_count() > 1) {
      marks_ = std::make_shared<std::vector<ShadowAccess>>(*marks_);
    }
    return *marks_;
  }
  void clear() {
    if (marks_.use_count() > 1) {
      marks_ = nullptr;
    } else if (marks_ != nullptr) {
      marks_->clear();
    }
  }
  bool shares(const MarkList& other) const { return marks_ == other.marks_; }

 private:
  std::shared_ptr<std::vector<ShadowAccess>> marks_;
};

/// Marks that nothing has taken the place of. As a rule one write and one read; the others stand after them.
struct Cell {
  ShadowAccess write, read;
  MarkList more;
  bool message = false;  // a strong write of these bytes may be observed (release_sequences.h)
  bool writes = false;   // some of `more` are writes
  bool object = false;   // part of a live mbarrier object (R194)
  bool forgot = false;   // there were more unordered writes of equal values than are remembered
  bool swaps = false;    // some are swaps that may write (Kind::is_open_swap)

  /// Nothing that is done to both makes them differ.
  bool is_like(const Cell& other) const {
    return write == other.write && read == other.read && more.shares(other.more) &&
           message == other.message && writes == other.writes && object == other.object &&
           forgot == other.forgot && swaps == other.swaps;
  }
};

class Shadow {
 public:
  static constexpr Address kGranule = 16;
  /// Calls visit(Cell&, begin, bytes) for the cells of a range, which lie in it whole.
  template <typename Visit>
  void visit(Address begin, std::uint64_t bytes, Visit&& visit) {
    const Address end = begin + bytes;
    while (begin < end) {
      Granule& granule = granule_at(begin);
      const Address base = begin & ~(kGranule - 1);
      const Address until = end < base + kGranule ? end : base + kGranule;
      // The largest power of two that divides both ends and the granule.
      const auto needed = static_cast<std::uint8_t>(std::countr_zero((begin | until) | kGranule));
      if (granule.shift > needed || granule.first == kNone) divide(granule, needed);
      const unsigned size = 1U << granule.shift;
      for (; begin < until; begin += size)
        visit(cell(granule.first + static_cast<std::uint32_t>((begin - base) >> granule.shift)), begin, size);
    }
  }
  std::size_t cells() const { return next_; }

 private:
  static constexpr Address kPage = 4096;
  static constexpr std::uint32_t kBlock = 1024;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Granule {
    std::uint32_t first = kNone;  // of its cells
    std::uint8_t shift = 4;       // a cell has 1 << shift bytes
  };
  using Page = std::array<Granule, kPage / kGranule>;

  Granule& granule_at(Address address) {
    const Address number = address / kPage;
    if (number != last_number_ || last_page_ == nullptr) {
      std::unique_ptr<Page>& page = pages_[number];
      if (page == nullptr) page = std::make_unique<Page>();
      last_number_ = number;
      last_page_ = page.get();
    }
    return (*last_page_)[(address % kPage) / kGranule];
  }
  void divide(Granule& granule, std::uint8_t shift);
  std::uint32_t allocate(std::uint8_t shift);
  Cell& cell(std::uint32_t number) { return blocks_[number / kBlock][number % kBlock]; }

  std::unordered_map<Address, std::unique_ptr<Page>> pages_;
  Address last_number_ = 0;
  Page* last_page_ = nullptr;
  std::vector<std::unique_ptr<Cell[]>> blocks_;  // of cells
  std::uint32_t next_ = 0;                       // the first cell that is not in use
  // first cells of granules that were divided further, by shift
  std::array<std::vector<std::uint32_t>, 5> free_;
};

}  // namespace ptxmc::trace
