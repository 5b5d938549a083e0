// SPDX-License-Identifier: Apache-2.0
#include "session/verify_turns.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "session/verify_waits.h"

namespace ptxmc::session {

namespace {

using kernel::Turn;
using Sequence = std::vector<Turn>;
/// Turns at one location that may change places: a write, or reads between two writes.
struct Block {
  bool writes = false;
  std::vector<trace::Thread> threads;  // in order
  friend auto operator<=>(const Block&, const Block&) = default;
};
/// The turns at each location: what tells two runs apart.
using Signature = std::map<trace::Address, std::vector<Block>>;

constexpr std::size_t kMostRuns = 1024;      // unless the user says another number
constexpr std::size_t kFewRuns = 3;          // of a launch that takes long
constexpr std::uint64_t kLong = 10'000'000;  // instructions of all runs
constexpr std::size_t kMostTurns = 64;       // whose orders are all looked for
constexpr std::size_t kMostLocations = 16;

Signature signature_of(const Sequence& turns) {
  Signature out;
  for (const Turn& turn : turns) {
    std::vector<Block>& blocks = out[turn.at];
    if (turn.writes || blocks.empty() || blocks.back().writes) blocks.push_back({turn.writes, {}});
    std::vector<trace::Thread>& threads = blocks.back().threads;
    threads.insert(std::upper_bound(threads.begin(), threads.end(), turn.thread), turn.thread);
  }
  return out;
}

bool begins_with(const std::vector<Block>& whole, const std::vector<Block>& part) {
  if (part.size() > whole.size()) return false;
  if (!std::equal(part.begin(), part.end() - 1, whole.begin())) return false;
  const Block &last = part.back(), &other = whole[part.size() - 1];
  return last.writes == other.writes &&
         std::includes(other.threads.begin(), other.threads.end(), last.threads.begin(), last.threads.end());
}

bool begins_with(const Signature& whole, const Signature& part) {
  return std::all_of(part.begin(), part.end(), [&](const auto& one) {
    const auto found = whole.find(one.first);
    return found != whole.end() && begins_with(found->second, one.second);
  });
}

/// Locations at which several threads have turns.
std::set<trace::Address> shared_in(const Sequence& turns) {
  std::map<trace::Address, trace::Thread> first;
  std::set<trace::Address> out;
  for (const Turn& turn : turns) {
    if (first.emplace(turn.at, turn.thread).first->second != turn.thread) out.insert(turn.at);
  }
  return out;
}

/// A run, and what is known of its turns.
struct Order {
  Sequence turns;
  Signature signature;
  /// By turn: the earlier ones at its location that come before it in base causality.
  std::vector<std::set<std::size_t>> before;
  bool known = false;  // of every location with turns of several threads
};

class Orders {
 public:
  Orders(const Subject& subject, const trace::Detector& first, const kernel::Options& limits,
         std::optional<std::size_t> most, bool of_polls, explain::Verified& verified)
      : limits_(limits), most_(most), verified_(verified), waits_(subject, first.polled()) {
    limits_.turns.of_polls = of_polls;
    for (const auto* locations : {&first.contended(), &first.decided_by()}) {
      for (const auto& [at, bytes] : *locations) {
        if (limits_.turns.at.size() < kMostLocations && limits_.turns.at.insert(at).second)
          waits_.watch(at, bytes);
      }
    }
    out_.options.push_back(limits);
    out_.shown_by.assign(verified.findings.size(), 0);
  }

  Runs run() {
    if (!run_with({})) return std::move(out_);
    const Sequence first = orders_.front().turns;
    if (!shared_in(first).empty() && limit_reached().empty()) {
      for (const Sequence& wanted : far_orders(first)) {
        if (!limit_reached().empty() || (first.size() > kMostTurns && ran_ > 1)) break;
        run_with(wanted);
      }
    }
    explore();
    if (why_.empty() && !told_)
      why_ = "and others that are not followed: of lanes of one warp, or of swaps that may fail";
    verified_.turns.taken = seen_.size();
    verified_.turns.all = why_.empty();
    verified_.turns.why = why_;
    return std::move(out_);
  }

 private:
  /// Runs that differ much from the first one: all pairs of threads the other way round; each thread behind all others.
  static std::vector<Sequence> far_orders(const Sequence& first) {
    std::vector<Sequence> out(1);
    std::set<trace::Thread> threads;
    for (const Turn& turn : first) threads.insert(turn.thread);
    for (auto thread = threads.rbegin(); thread != threads.rend(); ++thread) {
      for (const Turn& turn : first) {
        if (turn.thread == *thread) out.front().push_back(turn);
      }
    }
    for (const trace::Thread thread : threads) {
      Sequence last = first;
      std::stable_partition(last.begin(), last.end(),
                            [&](const Turn& turn) { return turn.thread != thread; });
      out.push_back(std::move(last));
    }
    return out;
  }

  /// Why there shall be no more runs; empty: there may.
  std::string limit_reached() const {
    const std::size_t most = most_.value_or(kMostRuns);
    if (ran_ >= most) return "and there are others (--choices)";
    if (!most_ && ran_ >= kFewRuns && instructions_ > kLong) return "and there are others (--choices)";
    if (ended_) return "then it ended";
    return {};
  }

  /// Every order that is not known yet: of each that is, any two turns at a location the other way round.
  void explore() {
    for (std::size_t number = 0; number < orders_.size(); ++number) {
      const Order& order = orders_[number];  // stays where it is
      if (why_ = why_not_all(order); !why_.empty()) return;
      for (std::size_t later = 0; later < order.turns.size(); ++later) {
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
          for (const Sequence& begin : reversed(order, earlier, later)) {
            if (is_known(begin) || !tried_.insert(signature_of(begin)).second) continue;
            if (why_ = limit_reached(); !why_.empty()) return;
            if (!run_with(begin)) {
              why_ = "then it ended";
              return;
            }
          }
        }
      }
    }
  }

  /// An order that begins so has run. Whether its last turn, which others have come behind, writes, is not said.
  bool is_known(const Sequence& begin) const {
    Sequence other = begin;
    other.back().writes = !other.back().writes;
    const Signature one = signature_of(begin), two = signature_of(other);
    return std::any_of(orders_.begin(), orders_.end(), [&](const Order& order) {
      return begins_with(order.signature, one) || begins_with(order.signature, two);
    });
  }

  /// Why what is known of its turns does not give all others.
  std::string why_not_all(const Order& order) const {
    const std::set<trace::Address> shared = shared_in(order.turns);
    if (order.turns.size() > kMostTurns) return "and there are others, with too many turns";
    if (!order.known) return "and not all writes there are known";
    if (!told_) return "and others that are not followed: of lanes of one warp, or of swaps that may fail";
    if (shared.size() > 1 && !are_interleaved(order.turns, shared))
      return "and others of several locations together";
    return {};
  }

  /// Orders at several locations may be such that no interleaving of the threads gives all of them: in a circle, each thread
  /// has a turn at one of them behind that of another thread, and later a turn at another one before that of another thread.
  /// Not if a fence.sc stands between these two: one of the fences would come before that of the thread before (8.9.3), and so
  /// a turn in base causality before one that it follows at its location.
  static bool are_interleaved(const Sequence& turns, const std::set<trace::Address>& shared) {
    std::map<trace::Address, std::vector<std::size_t>> at;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (shared.contains(turns[i].at)) at[turns[i].at].push_back(i);
    }
    std::vector<char> behind_other(turns.size()), before_other(turns.size());
    for (const auto& [place, numbers] : at) {
      for (std::size_t i = 1; i < numbers.size(); ++i) {
        const bool other = turns[numbers[i - 1]].thread != turns[numbers[i]].thread;
        behind_other[numbers[i]] = before_other[numbers[i - 1]] = other ? 1 : 0;
      }
    }
    std::map<trace::Thread, std::vector<std::size_t>> unfenced;  // of a thread, since its last fence
    for (std::size_t i = 0; i < turns.size(); ++i) {
      std::vector<std::size_t>& mine = unfenced[turns[i].thread];
      if (turns[i].fenced) mine.clear();
      if (!shared.contains(turns[i].at)) continue;
      const bool leads = std::any_of(mine.begin(), mine.end(), [&](std::size_t first) {
        return turns[first].at != turns[i].at && (behind_other[first] != 0 || before_other[i] != 0);
      });
      if (leads) return false;
      mine.push_back(i);
    }
    return true;
  }

  /// The later of two turns has to be behind the earlier one, whatever else there is in between.
  static bool depends(const Order& order, std::size_t later, std::size_t earlier) {
    const Turn &one = order.turns[earlier], &other = order.turns[later];
    return one.thread == other.thread || (one.at == other.at && (one.writes || other.writes)) ||
           order.before[later].contains(earlier);
  }

  /// Beginnings of orders with two turns the other way round: what comes before the earlier one, what else is not behind it,
  /// and the later one. As some of that may be behind it for other reasons than turns, also with what the later one needs alone.
  /// None: nothing changes, or the later turn is behind the earlier one in all schedules.
  static std::vector<Sequence> reversed(const Order& order, std::size_t earlier, std::size_t later) {
    const std::vector<Turn>& turns = order.turns;
    const Turn &first = turns[earlier], &second = turns[later];
    if (first.at != second.at || !(first.writes || second.writes)) return {};
    std::vector<std::size_t> behind{earlier}, free;
    for (std::size_t i = earlier + 1; i < turns.size(); ++i) {
      if (i == later) continue;
      const bool is_behind = std::any_of(behind.begin(), behind.end(),
                                         [&](std::size_t before) { return depends(order, i, before); });
      (is_behind ? behind : free).push_back(i);
    }
    for (const std::size_t i : behind) {
      if (i < later && (turns[i].thread == second.thread || order.before[later].contains(i))) return {};
    }
    std::set<std::size_t> needed;
    for (auto i = free.rbegin(); i != free.rend(); ++i) {
      const bool is_needed =
          (*i < later && turns[*i].thread == second.thread) ||
          std::any_of(needed.begin(), needed.end(), [&](std::size_t n) { return depends(order, n, *i); });
      if (is_needed) needed.insert(*i);
    }
    std::vector<Sequence> out(2,
                              Sequence(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(earlier)));
    std::vector<std::size_t> after{later};
    for (const std::size_t i : free) {
      if (i > later && std::any_of(after.begin(), after.end(),
                                   [&](std::size_t before) { return depends(order, i, before); })) {
        after.push_back(i);
        continue;
      }
      out[0].push_back(turns[i]);
      if (needed.contains(i)) out[1].push_back(turns[i]);
    }
    for (Sequence& begin : out) begin.push_back(second);
    return out;
  }

  /// False: it ended before its end.
  bool run_with(const Sequence& begin) {
    kernel::Options options = limits_;
    options.turns.first = begin;
    Waits::Result result = waits_.run(options);
    ++ran_;
    instructions_ += result.verified.outcome.instructions;
    const kernel::End end = result.verified.outcome.end;
    ended_ = end != kernel::End::finished && end != kernel::End::deadlock;
    if (ended_) return false;
    told_ = told_ && result.verified.outcome.turns_told;
    Order order = order_of(result);
    add(result, std::move(options));
    if (seen_.insert(order.signature).second) orders_.push_back(std::move(order));
    return true;
  }

  static Order order_of(const Waits::Result& result) {
    Order out;
    out.turns = result.verified.outcome.turns;
    out.signature = signature_of(out.turns);
    out.before.resize(out.turns.size());
    out.known = true;
    for (const trace::Address at : shared_in(out.turns)) {
      std::vector<std::size_t> numbers;
      for (std::size_t i = 0; i < out.turns.size(); ++i) {
        if (out.turns[i].at == at) numbers.push_back(i);
      }
      const auto before = result.detector->before(at);
      if (!before || before->size() != numbers.size()) {
        out.known = false;
        continue;
      }
      for (std::size_t later = 0; later < numbers.size(); ++later) {
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
          if ((*before)[later][earlier]) out.before[numbers[later]].insert(numbers[earlier]);
        }
      }
    }
    return out;
  }

  /// What a run shows, beside what is known.
  void add(const Waits::Result& result, kernel::Options options) {
    const explain::Verified& shown = result.verified;
    kernel::Outcome& all = verified_.outcome;
    if (ran_ == 1) {
      all.decisions.clear();
      verified_.waits_settled = true;
    }
    add_run(shown, std::move(options), verified_, out_);
    verified_.waits_settled = verified_.waits_settled && shown.waits_settled;
    all.decisions.insert(all.decisions.end(), shown.outcome.decisions.begin(), shown.outcome.decisions.end());
  }

  kernel::Options limits_;
  std::optional<std::size_t> most_;
  explain::Verified& verified_;
  Waits waits_;
  Runs out_;
  std::deque<Order> orders_;
  std::set<Signature> seen_;   // of orders that ran
  std::set<Signature> tried_;  // of beginnings
  std::size_t ran_ = 0;
  std::uint64_t instructions_ = 0;
  bool ended_ = false, told_ = true;
  std::string why_;
};

}  // namespace

Runs take_turn_orders(const Subject& subject, const trace::Detector& first, const kernel::Options& limits,
                      std::optional<std::size_t> most, explain::Verified& verified) {
  explain::Verified plain = verified;
  Runs runs = Orders(subject, first, limits, most, false, plain).run();
  const bool polls = std::any_of(first.polled().begin(), first.polled().end(), [&](const auto& polled) {
    return first.contended().contains(polled.first) || first.decided_by().contains(polled.first);
  });
  if (polls && explain::answer_of(plain) == explain::VerifyAnswer::bounded) {
    explain::Verified with_polls = verified;
    Runs more = Orders(subject, first, limits, most, true, with_polls).run();
    if (explain::answer_of(with_polls) != explain::VerifyAnswer::bounded) {
      verified = std::move(with_polls);
      return more;
    }
  }
  verified = std::move(plain);
  return runs;
}

}  // namespace ptxmc::session
