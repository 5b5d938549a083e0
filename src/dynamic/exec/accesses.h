// SPDX-License-Identifier: Apache-2.0
// ld and st (9.7.8): where they access memory, what they move, and what the observer is told.
#pragma once

#include "dynamic/exec/exit_reads.h"
#include "dynamic/exec/swap_places.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

/// How strong an access or a fence is, and at which scope (8.4).
trace::Strength strength_of(const isa::Modifiers& m);

/// Bytes of some lanes.
struct ReachedBytes {
  LaneMask lanes = 0;  // whose bytes exist and are aligned; the others are faults
  Address low = 0;
  std::optional<Memory::Span> together;  // from `low` on, where one object holds the bytes of all
};

/// Where an element of a store goes.
struct Stored {
  const Memory::Span& span;
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
};

class Accesses : public Unit {
 public:
  using Unit::Unit;

  void start(const Options& options) { swaps_.start(options, run_.codes); }
  const SwapPlaces& swaps() const { return swaps_; }
  void load(Warp&, const Step&, LaneMask);
  void store(Warp&, const Step&, LaneMask);
  /// `at`: where an instruction accesses so many bytes, which are aligned to themselves.
  ReachedBytes reach(Warp& warp, const Step& step, LaneMask mask, std::uint32_t bytes, Row& at);
  bool fits(const Step& step, Address at) const;
  /// One lane's of them, of which there are so many.
  Memory::Span span_of(const ReachedBytes& reached, Address at, std::uint32_t bytes) const {
    if (!reached.together) return *run_.memory->span(at, bytes);
    const Address offset = at - reached.low;
    Memory::Span span = *reached.together;
    span.data += offset;
    span.taint += offset;
    if (span.terms != nullptr) span.terms += offset;
    return span;
  }
  /// `tainted`: of what is written, see trace::Access; of swaps that fail, those that may succeed for other contents.
  void observe(Warp& warp, const Step& step, LaneMask mask, const Row& at, trace::Effect effect,
               std::span<const std::uint64_t> written, LaneMask tainted,
               const trace::Polling* polls = nullptr, const trace::Rewrites* rewrites = nullptr);
  void tell_weak(const Warp& warp, const Step& step, LaneMask lanes, trace::Effect effect,
                 std::uint64_t bytes, const Row& begin, bool in_warp_order = false);

 private:
  ReachedBytes reach_here(Warp& warp, const Step& step, LaneMask mask, std::uint32_t bytes, Row& at);
  LaneMask unsettled(LaneMask mask, const Row& at, std::uint32_t bytes) const;
  bool told_by_turns(Address at, std::size_t count, std::uint32_t bytes, bool other) const;
  void check_uniform(Warp& warp, const Step& step, LaneMask mask, const Row& at);
  Taint reading_taint(Warp& warp, const Step& step, LaneMask mask, const Row& at, LaneMask by_turns);
  void load_values(Warp& warp, const Step& step, LaneMask mask, const Row& at, const ReachedBytes& reached,
                   LaneMask by_turns);
  void note_exit_reads(Warp&, const Step&, LaneMask, const Row& at, trace::Effect);
  void note_passing(trace::Access& access, LaneMask mask, const Row& at) const;
  trace::OpenSwap open_swap(const Step& step, LaneMask tainted, LaneMask mask, const Row& at) const;
  void look(const Step& step, LaneMask mask, const Row& at);
  void load_older(Warp& warp, const Step& step, LaneMask mask);

  ExitReads exit_reads_;
  SwapPlaces swaps_;
  std::array<std::uint64_t, kScratchWords> written_{};  // by one instruction
};

}  // namespace ptxmc::exec
