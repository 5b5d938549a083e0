// SPDX-License-Identifier: Apache-2.0
// Orders of contended accesses: which lane makes the next one, and who waits for that.
#pragma once

#include <set>

#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

/// Turns at contended locations, as Options::turns gives them.
class Contention : public Unit {
 public:
  using Unit::Unit;

  void start(const Options& options);
  /// What a location held before a turn there; `known`: no other lane had its turn with this one.
  struct Content {
    std::uint64_t value = 0;
    Sources sources = 0;
    bool known = false;
  };
  LaneMask take_turns(Warp& warp, const Step& step, LaneMask mask, const Row& at);
  bool give_turns_up();
  void exit_from_barriers(const Warp& warp, LaneMask mask);
  /// Some write there had a turn.
  bool has_written(Address at) const { return written_.contains(at); }
  bool follows(Address at) const { return !turns_.at.empty() && turns_.at.contains(at); }
  bool includes_all(isa::Scope scope) const;
  /// Turns::of_polls
  bool of_polls() const { return turns_.of_polls; }
  /// Some turn passes others.
  bool keeps_older() const { return keeps_older_; }
  LaneMask followed(LaneMask mask, const Row& at) const;
  LaneMask without_choice(const Step& step, LaneMask mask, const Row& at) const;
  LaneMask takes_one_value(const Step& step, LaneMask mask, const Row& at) const;
  Sources order_of(LaneMask mask, const Row& at) const;
  void compare(unsigned lane, Sources compared, LaneMask failed);
  void count(Warp& warp, const Step& step, unsigned lane, std::uint64_t old, Sources sources);
  void compare_counted(Warp& warp, const Step& step, LaneMask mask);
  LaneMask blind(LaneMask mask, const Row& at) const;
  /// What was there before the writes that the lane's read passes.
  const Content& content_before_turn_of(unsigned lane) const { return content_before(turn_of_[lane]); }
  std::size_t passes(unsigned lane) const {
    return turn_of_[lane] < run_.outcome.turns.size() ? run_.outcome.turns[turn_of_[lane]].passes : 0;
  }

 private:
  void note_turn(Warp& warp, const Step& step, unsigned lane, Address at, std::size_t passes,
                 std::size_t before);
  void note_place(Warp& warp, const Step& step, unsigned lane, const Content& found);
  Awaited awaited_by(Warp& warp, unsigned lane);
  bool only_executes_behind_turns(trace::Thread wanted);
  void let_turns_go_on();
  Content content_of(const Step& step, Address at) const;
  const Content& content_before(std::size_t read) const;

  bool counting_ = true;  // Options::counting
  Turns turns_;
  std::map<Address, std::uint8_t> ordered_;  // Options::ordered
  std::set<Address> one_value_;              // Options::one_value
  std::size_t next_turn_ = 0;                // the number of the next one in Turns::first
  // some warp arrives so at the barrier of its cluster; nothing: not looked for yet
  std::optional<bool> relaxed_arrivals_;
  std::optional<Kept> kept_;
  std::set<Address> written_;                     // where writes had turns
  std::map<std::uint32_t, LaneMask> turn_later_;  // lanes that wait for their turns, by warp
  bool keeps_older_ = false;                      // some turn passes others
  std::vector<Content> before_turn_;              // by turn, while that is so
  std::array<std::size_t, kLanes> turn_of_{};     // by lane: the number of its turn in Outcome::turns
};

}  // namespace ptxmc::exec
