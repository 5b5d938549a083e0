// SPDX-License-Identifier: Apache-2.0
// cp.async and bulk copies (9.7.8.24): what they move and what tells of their completion.
#pragma once

#include "dynamic/exec/grid_moves.h"
#include "dynamic/exec/operations.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class Copies : public Unit {
 public:
  using Unit::Unit;

  void copy_async(Warp&, const Step&, LaneMask);
  void commit(Warp&, const Step&, LaneMask);
  void wait_group(Warp&, const Step&, LaneMask);
  void copy_arrive(Warp&, const Step&, LaneMask);
  void copy_bulk(Warp&, const Step&, LaneMask);
  void prefetch_bulk(Warp&, const Step&, LaneMask);
  void copy_tensor(Warp&, const Step&, LaneMask);
  bool in_global(Warp& warp, const Step& step, unsigned lane, const trace::Range& range);
  std::vector<std::uint32_t> destinations(Warp& warp, const Step& step, unsigned lane);
  Address in_cta(Address at, std::uint32_t cta) const;
  bool in_memory(Warp& warp, const Step& step, unsigned lane, const trace::Range& range, Slot base = kNoSlot);
  bool writable(Warp& warp, const Step& step, unsigned lane, const trace::Range& range, Slot base = kNoSlot);
  trace::Operation operation(const Warp& warp, const Step& step, unsigned lane, trace::Tracking tracking,
                             Address object) const;
  void issue(Warp& warp, const Step& step, unsigned lane, trace::Tracking tracking, Address object,
             std::span<const trace::Range> reads, std::span<const trace::Range> writes,
             std::span<const trace::Signal> signals = {}, std::uint8_t element = 0);

 private:
  /// Copies that one step of a warp has issued.
  struct IssuedCopies {
    std::uint64_t step = 0, issued = 0;
    // from where, and to where
    std::vector<std::pair<std::vector<trace::Range>, std::vector<trace::Range>>> made;
  };
  void copy_bytes(trace::Address to, trace::Address from, std::uint64_t bytes);
  void reduce_bytes(const Step& step, const trace::Range& from, const trace::Range& to);
  bool ignore_ends(Warp& warp, const Step& step, unsigned lane, trace::Range& from, trace::Range& to);
  void keep_masked(Warp& warp, const Step& step, unsigned lane, BulkMove& move);
  void move_bulk(Warp& warp, const Step& step, unsigned lane, const BulkMove& move);
  void move_once(Warp& warp, const Step& step, unsigned lane, const BulkMove& move);
  Address signalled_by(Address object, std::uint32_t cta, bool pair) const;
  void move_box(Warp& warp, const Step& step, unsigned lane, const footprint::MapFields& map,
                const std::vector<std::int64_t>& coordinates);
  std::uint64_t number_of_copy(std::span<const trace::Range> reads, std::span<const trace::Range> writes);

  void tell_moves(const Warp& warp, const Step& step, std::span<const trace::Range> reads,
                  std::span<const trace::Range> writes);
  void follow_addresses(Warp& warp, const Step& step, unsigned lane, const trace::Range& to,
                        const trace::Range& from, std::uint64_t unit);
  void follow_box(Warp& warp, const Step& step, unsigned lane, const footprint::MapFields& map,
                  const std::vector<std::int64_t>& coordinates);
  bool is_whole(const footprint::MapFields& map) const;
  static std::int64_t field(const footprint::MapFields& map, isa::MapField of, std::size_t d);
  static std::int64_t stride_of(const footprint::MapFields& map, std::size_t d);

  IssuedCopies issued_;
  Move moves_ = kAnyhow;  // of the copy that is issued: how its addresses in global memory move
};

}  // namespace ptxmc::exec
