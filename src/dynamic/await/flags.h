// SPDX-License-Identifier: Apache-2.0
// Flags: locations that loops poll. Which writes let a loop go on, in every schedule?
//
// The writes of a location are in no order but base causality's; each order of them that respects it is a way
// in which the location may change. A loop may be left wherever what it then holds lets it go on, unless that
// comes after a write that comes after the loop. What all these places have in common is what the loop takes
// in all schedules, and nothing else is (`Taken`). Whether a run took no more than that is known after it;
// the next run takes just that.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dynamic/await/await_values.h"

namespace ptxmc::trace {

using FlagMap = std::map<Address, Flag>;
/// By location, and by the loops that were left there, in the order of the run.
using TakenMap = std::map<std::pair<Address, std::size_t>, Taken>;

class Flags {
 public:
  explicit Flags(Threads& threads) : threads_(threads) {}
  /// `taken`: null in the first of the runs, in which a loop takes what it reads.
  void watch(const FlagMap& flags, const TakenMap* taken);
  bool empty() const { return locations_.empty(); }

  /// The writes of a location that the thread comes after, and the turns; and the turns at all locations, by
  /// their numbers.
  struct Known {
    WriteSet writes;
    std::vector<bool> turns, all;
  };
  Known known(Thread thread, Range range);
  /// A write of one lane, after these (`known`), which leaves these deposits and tells this of the order of
  /// fence.sc.
  void write(Thread thread, Range range, Strength strength, const FlagValue& value, Known before,
             std::vector<ReleaseClock> deposits, ClockRef seen);
  /// A read in no loop, whose place among the writes counts: it observes the newest one, or what was there before so many.
  void look(Thread thread, Range range, Strength strength, Known before, std::size_t passes = 0);
  /// A read in no loop, by which control goes.
  void decide(Range range);
  /// Bytes are written otherwise: nothing is known of their flags.
  void spoil(Range range);
  /// A loop is not followed.
  void give_up(Site loop) { not_followed_.insert(loop); }
  /// The last turn of a loop, and what it takes.
  struct Read {
    MessageRef message;
    bool observes = false;
  };
  /// What a thread takes that reads what a location held before its newest writes, so many of them.
  MessageRef older(Thread thread, Range range, Strength strength, std::size_t passes);
  struct By {
    Site site = 0;
    Thread thread = 0;
    Range range;
    Strength strength;
    std::size_t read = 0;  // the number of the instruction, and its element there
    unsigned element = 0;
  };
  /// An instruction follows that is the last turn of a loop.
  std::size_t add(PollRead read) {
    reads_.push_back(std::move(read));
    return reads_.size() - 1;
  }
  /// Nothing: it is not followed, and takes what it reads.
  std::optional<Read> read(const By& by);
  /// A fence that acquires what loops of these lanes have read before it.
  void acquire(Lanes lanes, isa::Scope scope);

  /// After the run: loops that are not let go on by the same writes in all schedules, or may wait forever; and what each
  /// of the others takes. `settled`: none took more in this run.
  struct Answer {
    bool settled = true;
    std::set<Site> open;
    TakenMap taken;
    std::set<Address> one_value;  // locations that each loop reads one value of, by which it is left
  };
  Answer answer() const;
  /// The earlier turns that each turn at a location comes after in base causality, in the order of the run.
  /// Nothing: some are not known, or not all strong accesses are morally strong with each other.
  std::optional<std::vector<std::vector<bool>>> before(Address at) const;
  /// How many turns it has. Nothing: some are not known.
  std::optional<std::size_t> turns_at(Address at) const;
  /// The turns at a location, as they are among those at all locations. Nothing: there are too many of these.
  struct Numbered {
    std::size_t number = 0;
    std::vector<bool> behind;  // by number, earlier ones that it comes after in base causality
  };
  std::optional<std::vector<Numbered>> numbered(Address at) const;
  /// Some turn comes after the last turn of a loop, and not in base causality after the write that this read:
  /// they are in no order but for those of another location.
  bool passes_polls() const { return passes_polls_; }

 private:
  template <typename Act>
  void for_locations(Range range, Act&& act);
  FlagLocation* find(Range range);
  void add_turn(FlagLocation& location, FlagTurn turn, Known& before);
  MessageRef message(FlagLocation& location, Thread thread, Strength strength, const Taken& taken) const;
  bool fits(const FlagLocation& location) const;
  /// What the loop takes next: what it does in all schedules, of what it took. False: that is less.
  static bool take(const FlagPoll& poll, FlagCovers& covers, const Taken& all, Taken& next);
  bool passes_poll(Thread thread) const;
  /// The newest write but so many, and those that its atomic passes on.
  static Taken chain_before(const FlagLocation& location, std::size_t passes);
  WriteSet in_base(const FlagLocation& location, Thread thread) const;
  WriteSet known_of(const FlagLocation& location, Thread thread) const;

  Threads& threads_;
  /// Loops of a thread, in its order, and how many of them a fence of each scope was after.
  struct Polled {
    std::vector<std::pair<FlagLocation*, std::size_t>> polls;  // by the number of the loop at the location
    std::array<std::size_t, 5> fenced = {};                    // by isa::Scope
  };

  std::map<Address, FlagLocation> locations_;
  std::map<Thread, Polled> polled_;
  std::vector<Epoch> turns_;  // at all locations, in the order of the run
  bool many_ = false;         // and there were more
  std::vector<PollRead> reads_;
  bool passes_polls_ = false;
  std::set<Site> not_followed_;
  const TakenMap* taken_ = nullptr;
};

}  // namespace ptxmc::trace
