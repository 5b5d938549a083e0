// SPDX-License-Identifier: Apache-2.0
// Why this is enough. Take the smallest execution without such an order: without its last operation, which no
// thread reads from, it has one, and so is the beginning of a run. In the run that operation comes last at
// its location; in the execution it stands before some write there, from which a way of turns leads to it:
// from one to a later one at its location, or to one that comes after it in base causality. Two things forbid
// that: each two of these steps are one of base causality (8.10.5, 8.10.6); or between each two steps that
// are of a location alone stands a fence.sc, as one of these fences would be before that of the steps before
// (8.9.3), and so a turn in base causality before one that it follows at its location. An execution has a
// last operation unless threads read in a circle what others write after their own reads. Some of these
// writes do not rest on the read before them (8.10.4), so that a run has the circle but for one read, which
// comes before the write that it reads in the execution.
//
// The last operation has not every place before a write (has_no_place). Its place has one write directly
// after it, and each write is looked at as that one. What the last operation finds at the place is what that
// write found in the run: the turns before it are the same, and so is what they write. All turns at the
// location are strong, of as many bytes, and include all threads, so that each two are morally strong (8.7);
// else no place is excluded, whether or not there is a race. Two things exclude one:
// - The write is an atomic, which reads the value directly before it, and the last operation would write in between (8.10.3).
//   A compare-and-swap writes there if it finds what it compares with, which rests on nothing that is open. Else it may be a
//   read there, and has the place.
// - The last operation is a try of a loop that goes round with what it finds there. Such a try is no turn, but the last operation
//   is one.
// Tries that go round have no turns. A compare-and-swap is a read then; another atomic writes what it has
// read, and an atomic after it reads the value of the turn before through a chain of atomics, of which no
// write stands between two. None of them has an effect but on the order of others, which would exclude more.
// Lanes of a warp that try at once have turns, though some of them fail. Then the tries of a run are not
// those of an execution, and the second thing excludes nothing. Nor does anything if turns stand for several
// orders, in which they find other values.
#include "dynamic/explore/interleaving_completeness.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

namespace ptxmc::explore {

namespace {

/// Which fences count: those that surely do, or those that might.
enum class Fences : std::uint8_t { sure, possible };

class Interleavings {
 public:
  Interleavings(const TurnOrder& order, Fences which)
      : order_(order), which_(which), fences_(order.turns.size()) {
    using Fenced = exec::ContendedAccess::Fenced;
    std::map<trace::Thread, std::size_t> passed;
    std::map<trace::Address, std::uint8_t> bytes;
    for (std::size_t i = 0; i < order.turns.size(); ++i) {
      const Fenced fenced = order.turns[i].fenced;
      const bool counts = fenced == Fenced::all || (fenced == Fenced::some && which == Fences::possible);
      fences_[i] = passed[order.turns[i].thread] += counts ? 1 : 0;
      const exec::ContendedAccess& turn = order.turns[i];
      const bool alike = bytes.emplace(turn.at, turn.strong).first->second == turn.strong;
      if (turn.strong == 0 || !alike) weak_.insert(turn.at);
      tries_fail_ = tries_fail_ || (turn.tries && !turn.writes);
    }
  }

  bool all_interleave() {
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t last = 0; last < size(); ++last) {
        if (may_stand_before(i, last) || may_be_read_by(i, last)) return false;
      }
    }
    return true;
  }

  std::set<OlderRead> older_reads() {
    std::set<OlderRead> out;
    for (std::size_t i = 0; i < size(); ++i) {
      std::size_t passes = 0;  // writes at the location of this one, from it on
      for (std::size_t last = i; last < size(); ++last) {
        if (order_.turns[last].at != order_.turns[i].at) continue;
        if (order_.turns[last].writes) ++passes;
        if (!order_.turns[last].writes && may_stand_before(i, last)) out.insert({last, passes, i});
      }
    }
    return out;
  }

 private:
  /// By turn: on any way; with a fence.sc between each two steps of a location alone, and with none or one
  /// after the last of them.
  struct OrderCache {
    std::vector<char> anyhow;
    std::array<std::vector<char>, 2> fenced;
  };

  std::size_t size() const { return order_.turns.size(); }
  bool causes(std::size_t one, std::size_t other) const { return order_.before[other].contains(one); }
  bool fence_between(std::size_t one, std::size_t other) const {
    const bool same = order_.turns[one].thread == order_.turns[other].thread;
    return same ? fences_[one] < fences_[other] : which_ == Fences::possible;
  }
  /// At their location the one comes first, or may, in this order or one that it stands for.
  bool precedes(std::size_t one, std::size_t other) const {
    if (order_.turns[one].at != order_.turns[other].at || one == other) return false;
    if (order_.alike(one, other)) return true;
    if (one > other) return false;
    if (order_.conflict(one, other)) return true;
    for (std::size_t i = one + 1; i < other; ++i) {
      if (order_.turns[i].at == order_.turns[one].at && order_.turns[i].writes) return true;
    }
    return false;
  }

  /// Nothing but a way of turns from the first one to the last keeps them from the other order.
  bool may_change(std::size_t first, std::size_t last) const {
    const bool behind = last > first || order_.alike(first, last);
    return behind && order_.turns[first].at == order_.turns[last].at &&
           order_.turns[first].thread != order_.turns[last].thread && !causes(first, last);
  }

  /// The last one, which no thread reads, with a place before the first one, which writes.
  bool may_stand_before(std::size_t first, std::size_t last) {
    return order_.turns[first].writes && may_change(first, last) && !has_no_place(first, last) &&
           leads(first, last, Step::precedes);
  }
  /// The last one never stands directly before the first one, which writes, whatever else there is.
  bool has_no_place(std::size_t first, std::size_t last) const {
    const exec::ContendedAccess &behind = order_.turns[first], &turn = order_.turns[last];
    if (!order_.blocks.empty() || weak_.contains(turn.at)) return false;
    const bool refused = behind.found && std::find(turn.refused.begin(), turn.refused.end(), *behind.found) !=
                                             turn.refused.end();
    if (refused && !tries_fail_) return true;
    const bool would_write = turn.swaps ? behind.found && turn.compared == behind.found : turn.writes;
    return behind.reads && would_write;  // 8.10.3
  }
  /// The first one reads from the last one.
  bool may_be_read_by(std::size_t first, std::size_t last) {
    return order_.turns[first].reads && order_.turns[last].writes && may_change(first, last) &&
           leads(first, last, Step::is_read);
  }

  /// What one turn at a location is to a later one.
  enum class Step : std::uint8_t { precedes, is_read };
  bool follows(std::size_t from, std::size_t to, Step step) const {
    return step == Step::precedes ? precedes(from, to) : reads_from(to, from);
  }

  /// From the newest write before it, or from one that may be.
  bool reads_from(std::size_t read, std::size_t write) const {
    if (!order_.turns[read].reads || !order_.turns[write].writes || !precedes(write, read)) return false;
    for (std::size_t i = write + 1; i < read; ++i) {
      if (order_.turns[i].at == order_.turns[read].at && order_.turns[i].writes && !order_.alike(i, write))
        return false;
    }
    return true;
  }

  /// By steps of one kind of a location alone, beside those of base causality. Where blocks of turns stand
  /// for several orders: in those in which the last turn does not come before one that it comes after.
  OrderCache find_ways(std::size_t first, std::size_t last, Step step) const {
    OrderCache out{std::vector<char>(size()), {std::vector<char>(size()), std::vector<char>(size())}};
    std::vector<std::pair<std::size_t, int>> open;  // turns, and in which of the three they are reached
    const auto reach = [&](std::size_t turn, int how) {
      std::vector<char>& all = how == 2 ? out.anyhow : out.fenced.at(static_cast<std::size_t>(how));
      if (all[turn] != 0) return;
      all[turn] = 1;
      open.emplace_back(turn, how);
    };
    reach(first, 0);
    reach(first, 2);
    // The last turn, which stands before the first one, stands before those after it at their location: that is one step.
    const bool one_step = step == Step::precedes && order_.blocks.empty();
    for (std::size_t next = 0; next < size() && one_step; ++next) {
      if (precedes(first, next)) reach(next, 0);
    }
    while (!open.empty()) {
      const auto [at, how] = open.back();
      open.pop_back();
      for (std::size_t next = 0; next < size(); ++next) {
        if (causes(at, next)) reach(next, how == 0 && fence_between(at, next) ? 1 : how);
        const bool other_order =
            order_.alike(at, next) && order_.turns[next].at == order_.turns[last].at && causes(next, last);
        if (how != 0 && !other_order && follows(at, next, step)) reach(next, how == 1 ? 0 : 2);
      }
    }
    return out;
  }

  const OrderCache& ways(std::size_t first, std::size_t last, Step step) {
    std::map<std::size_t, OrderCache>& known = ways_.at(static_cast<std::size_t>(step));
    if (!order_.blocks.empty()) known.erase(first);
    const auto found = known.find(first);
    return found != known.end() ? found->second
                                : known.emplace(first, find_ways(first, last, step)).first->second;
  }

  /// A way leads from the first to the last one, and none that forbids the other order.
  bool leads(std::size_t first, std::size_t last, Step step) {
    const OrderCache& reached = ways(first, last, step);
    bool out = false;
    for (const std::size_t known : order_.before[last]) {
      if (reached.anyhow[known] == 0) continue;
      out = true;
      const bool at_location = !order_.alike(first, known) && precedes(first, known);
      const bool fenced =
          reached.fenced[1][known] != 0 || (reached.fenced[0][known] != 0 && fence_between(known, last));
      if (at_location || fenced) return false;
    }
    return out;
  }

  const TurnOrder& order_;
  Fences which_;
  std::vector<std::size_t> fences_;  // by turn, those of its thread before it
  std::set<trace::Address> weak_;    // with turns that are not morally strong with each other
  bool tries_fail_ = false;          // and have turns all the same
  std::array<std::map<std::size_t, OrderCache>, 2> ways_;  // by step and the first turn
};

}  // namespace

bool all_interleave(const TurnOrder& order) {
  return Interleavings(order, Fences::sure).all_interleave();
}

std::set<OlderRead> older_reads(const TurnOrder& order) {
  return Interleavings(order, Fences::possible).older_reads();
}

}  // namespace ptxmc::explore
