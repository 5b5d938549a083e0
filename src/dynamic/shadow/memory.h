// SPDX-License-Identifier: Apache-2.0
// Accesses of memory against the marks of those before them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "dynamic/order/execution_knowledge.h"
#include "dynamic/order/finding.h"
#include "dynamic/order/objects.h"
#include "dynamic/order/release_sequences.h"
#include "dynamic/shadow/buffer_reuse.h"
#include "dynamic/shadow/history.h"
#include "dynamic/shadow/observed.h"
#include "dynamic/shadow/open_swaps.h"
#include "dynamic/shadow/order_cache.h"
#include "dynamic/shadow/shadow.h"
#include "dynamic/shadow/unsettled.h"

namespace ptxmc::trace {

class Memory {
 public:
  /// What is remembered of accesses that are over.
  enum class Remember : std::uint8_t {
    newest,            // what tells whether a later one races, if no two writes are equal
    not_hidden,        // and what those stand before that others may equal
    all,               // every access of every byte
    all_unrestricted,  // the same, of a program in which no fence is of one state space
  };
  Memory(const Threads& threads, const Kinds& kinds, const ProxyFences& fences,
         const RestrictedFences& restricted, ReleaseSequences& release_sequences,
         const ExecutionKnowledge& knowledge, const Objects& objects, Findings& findings, Remember remember);

  /// Pairs of accesses that race are left out if no contents have both, where all pairs are looked at.
  void follow(Paths& paths) { paths_ = &paths; }
  /// An instruction of these lanes follows, or they may have learnt something since the last access.
  void begin(Lanes lanes, KindId kind, bool anew = false) { order_cache_.begin(lanes, kind, anew); }
  /// An access of the lanes in the mark, all of them of these ranges; some of those of the instruction.
  void touch(std::span<const Range> ranges, const ShadowAccess& mark);
  void touch(Range range, const ShadowAccess& mark) { touch({&range, 1}, mark); }
  /// The lane of the instruction comes after the newest writes of the range, so that a read takes what they wrote.
  bool behind_newest(Range range, const ShadowAccess& mark);
  /// A strong read by one lane whose value others go on with: may it miss a write whose release its thread has seen?
  void look_for_stale(Range range, const ShadowAccess& mark);
  /// The same of an element of a vector, beside those (at these addresses) whose values let a loop go on.
  void look_for_stale_beside(Range range, const ShadowAccess& mark, std::span<const Address> awaited);
  /// Bytes of an mbarrier object: it is live from here on, or not any more.
  void set_object(Address at, bool live);
  /// The bytes are an object's, whatever was done with them before.
  void claim(Address at, const Place& user);
  /// A strong access follows that acquires what it reads: what orders it is what its thread knows before.
  void look_for_contention(Range range, const ShadowAccess& mark);
  const Unsettled& unsettled() const { return unsettled_; }
  /// No two accesses of it, of which one writes, are unordered and for that morally strong (else they race).
  bool is_ordered(Range range) const;
  const LeftOpen& left_open() const { return left_open_; }
  OpenSwaps& swaps() { return swaps_; }
  const OpenSwaps& swaps() const { return swaps_; }
  /// A message was left at a location.
  void set_message(Range range);

 private:
  struct Related {
    Pair pair = Pair::harmless;
    Thread thread = 0;
  };
  /// What an access made of the last cell that was looked at closely. Those of its cells that are like that become the
  /// same: a matrix is many cells with one past.
  struct Example {
    bool known = false;
    Cell before, after;
    std::vector<std::size_t> found;  // numbers of findings
  };
  void look_at(Address at);
  void touch_like(Cell& cell, Range range, const ShadowAccess& mark, const Kind& kind);
  void touch_cell(Cell& cell, Range range, const ShadowAccess& mark, const Kind& kind);
  void touch_all(Range range, const ShadowAccess& mark, const Kind& kind);
  Related relate(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind) const;
  void relate_swaps(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind);
  bool replaces(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind,
                bool newest = false) const;
  bool quick(Cell& cell, const ShadowAccess& now, const Kind& kind);
  bool quick_write(Cell& cell, const ShadowAccess& now, const Kind& kind);
  bool quick_read(Cell& cell, const ShadowAccess& now, const Kind& kind);
  bool gives_way(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind, bool newest = false);
  bool leave_the_same(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind) const;
  void contend(Pair pair, Address at) {
    if (pair == Pair::strong && contended_.size() < kManyContended) contended_.insert(at);
  }
  void note_unfollowed(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind);
  void report_object(Range range, const ShadowAccess& now, const Kind& kind);
  Pair relate_in_cell(const std::vector<ShadowAccess>& marks, const ShadowAccess& before,
                      const ShadowAccess& now, const Kind& kind, Range range);
  bool gives_way_to(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind, Pair pair,
                    bool newest);
  void slow(Cell& cell, Range range, const ShadowAccess& now, const Kind& kind);
  void note_lockstep(const ShadowAccess& before, const Kind& kind, Thread thread, Range range);
  std::uint32_t lanes_left(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind, Pair pair,
                           std::size_t kept);
  bool passes(const std::vector<ShadowAccess>& marks, const ShadowAccess& before, const ShadowAccess& now,
              const Kind& kind);
  std::uint32_t observes_newest(const ShadowAccess& now, const Kind& kind);
  bool carries_on(const ShadowAccess& read, const Kind& kind) const;
  void drop_repeated(std::vector<ShadowAccess>& kept, const ShadowAccess& now, const Kind& kind) const;
  void put(Cell& cell, std::vector<ShadowAccess>& kept, ShadowAccess now, const Kind& kind,
           std::uint32_t behind);
  Thread lane_that_is(Pair pair, const ShadowAccess& mark, const Kind& kind, Thread thread) const;
  bool starts_too_early(const ShadowAccess& before, const Kind& kind, Thread thread) const;
  bool are_equal(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind) const;
  bool is_hidden(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind) const;
  Lanes readers_of(const ShadowAccess& mark) const;
  void note_refill(const Cell& cell, const ShadowAccess& now, const Kind& kind);
  void add_stale(const ShadowAccess& write, const ShadowAccess& read, Range range, const Cause& cause);
  bool came_late(const ShadowAccess& before, const Kind& kind, Thread thread) const;
  Missing missing_between(const ShadowAccess* first_mark, const Kind& first, const Kind& second) const;
  void note_phase(const Kind& operation, Time end, Finding& finding);
  void report(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind, Related related,
              Range range);

  const Threads& threads_;
  const Kinds& kinds_;
  ReleaseSequences& release_sequences_;
  const ExecutionKnowledge& knowledge_;
  const Objects& objects_;
  Findings& findings_;
  Order order_;
  OrderCache order_cache_;
  Observed observed_;
  BufferReuse buffer_reuse_;
  Shadow shadow_;
  static constexpr std::size_t kManyContended = std::size_t{1} << 16U;
  std::set<Address> contended_;  // pieces of locations at which some are
  OpenSwaps swaps_;
  Unsettled unsettled_;
  LeftOpen left_open_;
  std::vector<ShadowAccess> marks_, kept_;  // of the cell that is looked at
  Example example_;                         // of this access
  std::optional<History> history_;
  Paths* paths_ = nullptr;
  bool keeps_hidden_ = false;
  bool forgets_ = false;  // this access
};

}  // namespace ptxmc::trace
