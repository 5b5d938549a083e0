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
/// The turns at each location: what tells two runs apart.
using Signature = std::map<trace::Address, std::vector<trace::Thread>>;

constexpr std::size_t kMostRuns = 256;       // unless the user says another number
constexpr std::size_t kFewRuns = 3;          // of a launch that takes long
constexpr std::uint64_t kLong = 10'000'000;  // instructions of all runs
constexpr std::size_t kMostTurns = 64;       // whose orders are all looked for

Signature signature_of(const Sequence& turns) {
  Signature out;
  for (const Turn& turn : turns) out[turn.at].push_back(turn.thread);
  return out;
}

bool begins_with(const Signature& whole, const Signature& part) {
  return std::all_of(part.begin(), part.end(), [&](const auto& one) {
    const auto found = whole.find(one.first);
    return found != whole.end() && found->second.size() >= one.second.size() &&
           std::equal(one.second.begin(), one.second.end(), found->second.begin());
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
         std::optional<std::size_t> most, explain::Verified& verified)
      : limits_(limits), most_(most), verified_(verified), waits_(subject, first.polled()) {
    for (const auto& [at, bytes] : first.contended()) {
      limits_.turns.at.insert(at);
      waits_.watch(at, bytes);
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
      why_ = "and others that are not followed: of lanes of one warp, or with swaps that fail";
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

  /// Every order that is not known yet: another thread has the next turn, wherever that is not behind those that had it.
  void explore() {
    std::vector<Sequence> open(1);
    while (!open.empty()) {
      const Sequence begin = std::move(open.back());
      open.pop_back();
      const Order* order = find(begin);
      if (order == nullptr) {
        if (why_ = limit_reached(); !why_.empty()) return;
        if (!run_with(begin)) {
          why_ = "then it ended";
          return;
        }
        order = find(begin);
        if (order == nullptr) continue;  // there is none that begins so
      }
      if (why_ = why_not_all(*order); !why_.empty()) return;
      add_others(*order, begin, open);
    }
  }

  const Order* find(const Sequence& begin) const {
    const Signature part = signature_of(begin);
    const auto found = std::find_if(orders_.begin(), orders_.end(),
                                    [&](const Order& order) { return begins_with(order.signature, part); });
    return found == orders_.end() ? nullptr : &*found;
  }

  /// Why what is known of its turns does not give all others.
  std::string why_not_all(const Order& order) const {
    const std::set<trace::Address> shared = shared_in(order.turns);
    if (order.turns.size() > kMostTurns) return "and there are others, with too many turns";
    if (!order.known) return "and not all writes there are known";
    // Orders at two locations may be such that no interleaving gives both.
    if (!told_) return "and others that are not followed: of lanes of one warp, or with swaps that fail";
    if (shared.size() > 1) return "and others of several locations together";
    return {};
  }

  static void add_others(const Order& order, const Sequence& begin, std::vector<Sequence>& open) {
    // The turns of the run, those that it is known to begin with first.
    Signature rest = signature_of(begin);
    for (auto& [at, threads] : rest) std::reverse(threads.begin(), threads.end());
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < order.turns.size(); ++i) {
      std::vector<trace::Thread>& threads = rest[order.turns[i].at];
      if (threads.empty()) {
        numbers.push_back(i);
      } else {
        threads.pop_back();
      }
    }
    Sequence before = begin;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      for (std::size_t j = k + 1; j < numbers.size(); ++j) {
        if (!may_be_earlier(order, numbers, k, j)) continue;
        Sequence other = before;
        other.push_back(order.turns[numbers[j]]);
        open.push_back(std::move(other));
      }
      before.push_back(order.turns[numbers[k]]);
    }
  }

  /// May turn j be in the place of turn k, and does that change anything?
  static bool may_be_earlier(const Order& order, const std::vector<std::size_t>& numbers, std::size_t k,
                             std::size_t j) {
    const Turn& turn = order.turns[numbers[j]];
    bool meets = false;
    for (std::size_t i = k; i < j; ++i) {
      const Turn& other = order.turns[numbers[i]];
      if (other.thread == turn.thread || order.before[numbers[j]].contains(numbers[i])) return false;
      meets = meets || other.at == turn.at;
    }
    return meets;
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
  std::set<Signature> seen_;
  std::size_t ran_ = 0;
  std::uint64_t instructions_ = 0;
  bool ended_ = false, told_ = true;
  std::string why_;
};

}  // namespace

Runs take_turn_orders(const Subject& subject, const trace::Detector& first, const kernel::Options& limits,
                      std::optional<std::size_t> most, explain::Verified& verified) {
  return Orders(subject, first, limits, most, verified).run();
}

}  // namespace ptxmc::session
