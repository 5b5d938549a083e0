// SPDX-License-Identifier: Apache-2.0
// What a flag may hold: its writes in each order that base causality leaves them, and which of them a loop that is left
// has met in all of these.
#pragma once

#include <boost/dynamic_bitset.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "dynamic/order/release_sequences.h"

namespace ptxmc::trace {

constexpr std::size_t kMostFlagStates = 1U << 21;  // of a run

/// A set of the writes of a location, by their numbers in the order of the run.
class WriteSet {
 public:
  void insert(std::size_t write) {
    if (write >= bits_.size()) bits_.resize(write + 1);
    bits_.set(write);
  }
  void clear() { bits_.clear(); }
  bool contains(std::size_t write) const { return write < bits_.size() && bits_.test(write); }
  bool empty() const { return bits_.none(); }
  bool includes(const WriteSet& other) const {
    return other.bits_.size() == bits_.size() ? other.bits_.is_subset_of(bits_)
                                              : (other.bits_ & resized(other)).count() == other.bits_.count();
  }
  WriteSet& operator&=(const WriteSet& other) {
    bits_ &= other.resized(*this);
    return *this;
  }
  WriteSet& operator|=(const WriteSet& other) {
    if (bits_.size() < other.bits_.size()) bits_.resize(other.bits_.size());
    bits_ |= other.resized(*this);
    return *this;
  }
  /// Calls act for each of them until it says true: did it?
  template <typename Act>
  bool any_of(Act&& act) const {
    for (std::size_t w = bits_.find_first(); w != Bitset::npos; w = bits_.find_next(w)) {
      if (act(w)) return true;
    }
    return false;
  }
  template <typename Act>
  void for_each(Act&& act) const {
    any_of([&](std::size_t w) {
      act(w);
      return false;
    });
  }
  friend bool operator==(const WriteSet& a, const WriteSet& b) { return a.includes(b) && b.includes(a); }

 private:
  using Bitset = boost::dynamic_bitset<std::uint64_t>;
  Bitset resized(const WriteSet& as) const {
    Bitset out = bits_;
    out.resize(as.bits_.size());
    return out;
  }
  Bitset bits_;
};

/// A location, what it holds at first (nothing: that is not known), and how many bytes a loop reads of it.
struct Flag {
  std::uint8_t bytes = 0;
  std::optional<Bits> initial;
  /// That is what no launch can say: a loop that may find what it waits for there finds it in some execution (8.2.6).
  bool is_unset = false;
};

/// What a write makes of what the location held.
struct FlagValue {
  bool updates = false;            // an atomic
  PartlyKnown value = kAnything;   // of a plain write: what of it is the same in all schedules
  std::optional<Rewrite> rewrite;  // of an atomic; nothing: it is not
  PartlyKnown behind(PartlyKnown old) const;
};

struct FlagWrite {
  Epoch epoch;
  Thread thread = 0;
  Strength strength;
  FlagValue value;
  WriteSet before;  // earlier writes that it comes after in causality order (8.9.5)
  std::vector<ReleaseClock> deposits;
  ClockRef sent;  // of tensor memory (ReleaseSequence::sent)
  ClockRef seen;  // of the order of fence.sc (ReleaseSequence::seen)
};

/// And those before them.
WriteSet with_before(const std::vector<FlagWrite>& writes, const WriteSet& some);

/// What the last turn of a loop takes: of the writes of its location, in the order of the run, those whose releases reach
/// it; those that it observes (8.9.2), and whether these are all that it does in this run; those that are before what it reads.
struct Taken {
  WriteSet writes, observed;
  bool observes = false;
  WriteSet behind = {};
};

/// An instruction in the last turn of a loop, which reads one location, or an element of a vector at each of several.
struct PollRead {
  Thread thread = 0;
  unsigned elements = 1;
  Polling polls;
};

/// The last turn of a loop, at one location.
struct FlagPoll {
  Site site = 0;
  Epoch epoch;
  Thread thread = 0;
  Strength strength;
  std::size_t read = 0;  // the number of the instruction, and its element there
  unsigned element = 0;
  WriteSet known;            // writes that it comes after
  std::vector<bool> behind;  // writes that come after it
  bool is_before(std::size_t write) const { return write < behind.size() && behind[write]; }
  /// Where its thread has acquired what it reads: by it, or by later fences, of each scope the first (8.8).
  struct Acquired {
    isa::Scope scope = isa::Scope::none;
    Epoch epoch;
  };
  std::vector<Acquired> acquired;
  std::size_t seen = 0;  // writes of the run before it
  WriteSet chain;        // what it observes in this run
  Taken took;
};

/// A write of the location, or a read whose place among them counts (Access::contends).
struct FlagTurn {
  Epoch epoch;
  Thread thread = 0;
  Strength strength;
  std::optional<std::size_t> write;  // its number
  std::vector<bool> before;          // earlier turns at the location that it comes after
  std::size_t number = 0;            // among the turns at all locations
  std::vector<bool> behind;          // of those, earlier ones that it comes after in base causality
};

/// A read whose place counts, and what it observes there.
struct FlagLook {
  Epoch epoch;
  WriteSet observed;
};

struct FlagLocation {
  Flag flag;
  bool spoilt = false;   // it is not followed any more
  bool decides = false;  // also in no loop, what it holds decides what is done
  std::vector<FlagTurn> turns;
  std::vector<FlagLook> looks;
  std::vector<FlagWrite> writes;
  std::vector<FlagPoll> polls;
  WriteSet chain;  // the newest write, and those that its atomic passes on
  Taken told;      // what the last loop took, and the message of it
  MessageRef told_by;
};

/// Which releases of writes reach a loop that takes those of others: what a release knows of another one, it passes on (8.9.5).
class FlagCovers {
 public:
  FlagCovers(const FlagLocation& location, const Threads& threads)
      : location_(location), threads_(threads), known_(location.writes.size() * location.writes.size()) {}
  bool operator()(const FlagPoll& poll, std::size_t more, std::size_t less);
  /// The same where `more` comes after another loop, if that one has taken what `less` releases.
  bool through(const FlagPoll& relay, const FlagPoll& poll, std::size_t more, std::size_t less) const;
  /// By write: a number of those that nothing tells apart, but what a loop knows of them.
  const std::vector<std::size_t>& alike();

 private:
  /// For each release of one of two writes, whichever the loop is: those of the other that know it, a bit
  /// each.
  using Pairs = std::vector<std::uint32_t>;
  static Pairs find(const FlagWrite& more, const FlagWrite& less);
  bool follows(const FlagPoll& poll, const ReleaseClock& more, const ReleaseClock& less) const;
  const FlagLocation& location_;
  const Threads& threads_;
  std::vector<std::optional<Pairs>> known_;
  std::vector<std::size_t> alike_;
};

/// Wherever a loop may be left: what it takes of a location, where it goes on, and what it may read there.
struct LeftLoop {
  Taken taken;
  std::size_t to = 0;
  std::set<PartlyKnown> values;
  bool reads_unset = false;  // or what was there at first, which is anything
  /// The same wherever that is, of which all bits are known.
  bool reads_one_value() const { return values.size() == 1 && ~values.begin()->known == 0 && !reads_unset; }
};
/// Nothing: what it reads at this location may keep it waiting forever, or there are too many ways.
std::optional<LeftLoop> left_in_all(const FlagLocation& location, std::size_t poll,
                                    std::span<const PollRead> reads, FlagCovers& covers, std::size_t& budget);
/// By element, what it may be left for: is it for any combination of these, and goes on there? Whatever is in the other
/// elements. (If not, what an element says rests on others.)
bool goes_on(const PollRead& read, const std::map<unsigned, std::set<PartlyKnown>>& values, std::size_t to);

}  // namespace ptxmc::trace
