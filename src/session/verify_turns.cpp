// SPDX-License-Identifier: Apache-2.0
#include "session/verify_turns.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "session/turn_blocks.h"
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

/// `of`: blocks of turns whose order makes no difference (turn_blocks.h), by turn; nothing: each is one of its own.
Signature signature_of(const Sequence& turns, const std::vector<std::size_t>& of = {}) {
  Signature out;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const Turn& turn = turns[i];
    std::vector<Block>& blocks = out[turn.at];
    const bool alone = of.empty() || of[i] == i;
    if ((turn.writes && alone) || blocks.empty() || (blocks.back().writes && alone))
      blocks.push_back({turn.writes, {}});
    std::vector<trace::Thread>& threads = blocks.back().threads;
    threads.insert(std::upper_bound(threads.begin(), threads.end(), turn.thread), turn.thread);
  }
  return out;
}

/// The turns at one location, in some order of those that may change places.
bool begins_with(const std::vector<Block>& whole, const std::vector<const Turn*>& part) {
  std::size_t next = 0;
  for (const Block& block : whole) {
    std::vector<trace::Thread> threads;
    for (; next < part.size() && threads.size() < block.threads.size(); ++next) {
      if (part[next]->writes != block.writes) return false;
      threads.push_back(part[next]->thread);
    }
    std::sort(threads.begin(), threads.end());
    if (!std::includes(block.threads.begin(), block.threads.end(), threads.begin(), threads.end()))
      return false;
  }
  return next == part.size();
}

bool begins_with(const Signature& whole, const Sequence& part) {
  std::map<trace::Address, std::vector<const Turn*>> at;
  for (const Turn& turn : part) at[turn.at].push_back(&turn);
  return std::all_of(at.begin(), at.end(), [&](const auto& one) {
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
  /// By turn, the first one of its block (turn_blocks.h): an order of those of one is as good as another.
  std::vector<std::size_t> blocks;
  bool alike(std::size_t a, std::size_t b) const { return !blocks.empty() && blocks[a] == blocks[b]; }
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
    return std::any_of(orders_.begin(), orders_.end(), [&](const Order& order) {
      return begins_with(order.signature, begin) || begins_with(order.signature, other);
    });
  }

  /// Why what is known of its turns does not give all others.
  std::string why_not_all(const Order& order) const {
    const std::set<trace::Address> shared = shared_in(order.turns);
    if (order.turns.size() > kMostTurns) return "and there are others, with too many turns";
    if (!order.known) return "and not all writes there are known";
    if (!told_) return "and others that are not followed: of lanes of one warp, or of swaps that may fail";
    if (shared.size() > 1 && !are_interleaved(order, shared))
      return "and others of several locations together";
    return {};
  }

  /// Orders at several locations may be such that no interleaving of the threads gives all of them: in a circle, each thread
  /// has a turn at one of them behind that of another thread, and later a turn at another one before that of another thread.
  /// Not if a fence.sc stands between these two: one of the fences would come before that of the thread before (8.9.3), and so
  /// a turn in base causality before one that it follows at its location.
  static bool are_interleaved(const Order& order, const std::set<trace::Address>& shared) {
    const Sequence& turns = order.turns;
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
    for (const std::size_t i : in_blocks(order.blocks)) behind_other[i] = before_other[i] = 1;
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
    return one.thread == other.thread ||
           (one.at == other.at && (one.writes || other.writes) && !order.alike(later, earlier)) ||
           order.before[later].contains(earlier);
  }

  /// Beginnings of orders with two turns the other way round: what comes before the earlier one, what else is not behind it,
  /// and the later one. As some of that may be behind it for other reasons than turns, also with what the later one needs alone.
  /// None: nothing changes, or the later turn is behind the earlier one in all schedules.
  static std::vector<Sequence> reversed(const Order& order, std::size_t earlier, std::size_t later) {
    const std::vector<Turn>& turns = order.turns;
    const Turn &first = turns[earlier], &second = turns[later];
    if (first.at != second.at || !(first.writes || second.writes) || order.alike(later, earlier)) return {};
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
    out_.ordered = out_.ordered && result.ordered;
    Order order = order_of(result);
    add(result, options);
    find_blocks(result, options, order);
    if (seen_.insert(order.signature).second) orders_.push_back(std::move(order));
    return true;
  }

  /// Turns whose order makes no difference: each may be the first of them, and then takes nothing from the others. If that shows
  /// no more than the run did, it is so for all orders of these.
  void find_blocks(const Waits::Result& result, const kernel::Options& options, Order& order) {
    std::vector<std::size_t> blocks = blocks_of(order.turns);
    kernel::Options blind = options;
    blind.turns.first = order.turns;
    blind.turns.blind = in_blocks(blocks);
    if (blind.turns.blind.empty() || !order.known || !result.verified.outcome.turns_told) return;
    const Waits::Result other = waits_.run(blind);
    ++ran_;
    instructions_ += other.verified.outcome.instructions;
    const explain::Verified &one = result.verified, &two = other.verified;
    Order again = order_of(other);
    const bool same = two.outcome.end == one.outcome.end && two.waits_settled == one.waits_settled &&
                      again.known && other.ordered && two.outcome.turns_told &&
                      blocks_of(again.turns) == blocks && shows_no_more(two, one);
    if (!same) return;
    order = std::move(again);
    order.blocks = std::move(blocks);
    order.signature = signature_of(order.turns, order.blocks);
    verified_.turns.alike = true;
  }

  static bool shows_no_more(const explain::Verified& what, const explain::Verified& than) {
    const auto known = [&](const trace::Finding& finding) {
      return std::any_of(than.findings.begin(), than.findings.end(), [&](const trace::Finding& other) {
        return finding.rule == other.rule && finding.first.site == other.first.site &&
               finding.second.site == other.second.site;
      });
    };
    return what.outcome.faults.size() == than.outcome.faults.size() &&
           std::all_of(what.findings.begin(), what.findings.end(), known);
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
  void add(const Waits::Result& result, const kernel::Options& options) {
    const explain::Verified& shown = result.verified;
    kernel::Outcome& all = verified_.outcome;
    if (ran_ == 1) {
      all.decisions.clear();
      verified_.waits_settled = true;
    }
    add_run(shown, options, verified_, out_);
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
