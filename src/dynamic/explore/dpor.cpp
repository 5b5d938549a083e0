// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/dpor.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "dynamic/claim/claim.h"
#include "dynamic/explore/canonical_trace.h"
#include "dynamic/explore/commuting_accesses.h"
#include "dynamic/explore/interleaving_completeness.h"
#include "dynamic/explore/run_order.h"
#include "dynamic/explore/spin_loops.h"
#include "support/check.h"

namespace ptxmc::explore {

namespace {

using claim::OrdersLeft;
using exec::ContendedAccess;
using Sequence = std::vector<ContendedAccess>;
using Order = RunTurns;
constexpr std::size_t kRunsOfTurns = 1024;  // unless the user says another number
constexpr std::size_t kMostOpen = 128;      // when there are others that are not taken, whatever comes
constexpr std::size_t kFewRuns = 3;         // of a launch that takes long
constexpr std::size_t kMostTurns = 64;      // whose orders are all looked for
constexpr std::size_t kMostLocations = 16;

/// With how many bytes are accessed there.
using Locations = std::map<trace::Address, std::uint8_t>;

/// Those at which results of atomics, other strong reads or, if these have turns, polls decide.
void add_locations(const trace::Detector& shown, bool of_polls, Locations& locations) {
  for (const auto* more : {&shown.contended(), &shown.decided_by(), &shown.polled()}) {
    if (more == &shown.polled() && !of_polls) continue;
    for (const auto& [at, bytes] : *more) {
      if (locations.size() < kMostLocations) locations.emplace(at, bytes);
    }
  }
}

class Orders {
 public:
  Orders(const VerificationTask& task, const trace::Detector& first, const Locations& locations,
         const exec::Options& limits, std::optional<std::size_t> most, bool of_polls,
         claim::VerifyResult& verified)
      : locations_(locations),
        limits_(limits),
        most_(most),
        verified_(verified),
        waits_(task, first.polled()) {
    limits_.turns.of_polls = of_polls;
    for (const auto& [at, bytes] : locations) {
      limits_.turns.at.insert(at);
      waits_.watch(at, bytes);
    }
    out_.options.push_back(limits);
    out_.shown_by.assign(verified.findings.size(), 0);
    if (most) return;
    // A loop that counts its tries may go round forever in another order.
    const std::uint64_t enough = verified.outcome.instructions + kLongRuns;
    limits_.steps = std::min(limits_.steps.value_or(enough), enough);
  }

  /// And those that the runs have shown to be like them; then it has ended early.
  const Locations& locations() const { return locations_; }
  /// Loops polled memory.
  bool polled() const { return polled_; }

  Runs run() {
    if (!run_with({})) return std::move(out_);
    const Sequence first = orders_.front().turns;
    const bool many = orders_.front().parts() > kMostTurns;
    const bool alike = in_blocks(orders_.front().blocks).size() == first.size();
    if (!shared_in(first).empty() && !alike && limit_reached() == OrdersLeft::none) {
      for (const Sequence& wanted : far_orders(first)) {
        if (limit_reached() != OrdersLeft::none || (many && ran_ > 1)) break;
        run_with(wanted);
      }
    }
    explore();
    if (!told_) leave(OrdersLeft::not_followed);
    verified_.turns.taken = seen_.size();
    verified_.turns.all = left_ == OrdersLeft::none;
    verified_.turns.left = left_;
    return std::move(out_);
  }

 private:
  /// Runs that differ much from the first one: all pairs of threads the other way round; each thread after
  /// all others.
  static std::vector<Sequence> far_orders(const Sequence& first) {
    std::vector<Sequence> out(1);
    std::set<trace::Thread> threads;
    for (const ContendedAccess& turn : first) threads.insert(turn.thread);
    for (auto thread = threads.rbegin(); thread != threads.rend(); ++thread) {
      for (const ContendedAccess& turn : first) {
        if (turn.thread == *thread) out.front().push_back(turn);
      }
    }
    for (const trace::Thread thread : threads) {
      Sequence last = first;
      std::stable_partition(last.begin(), last.end(),
                            [&](const ContendedAccess& turn) { return turn.thread != thread; });
      out.push_back(std::move(last));
    }
    return out;
  }

  /// The first reason is the one that is said.
  void leave(OrdersLeft left) {
    if (left_ == OrdersLeft::none) left_ = left;
  }

  /// Why there shall be no more runs; none: there may.
  OrdersLeft limit_reached() const {
    const std::size_t most = most_.value_or(kRunsOfTurns);
    if (ran_ >= most) return OrdersLeft::too_many;
    if (!most_ && ran_ >= kFewRuns && instructions_ > kLongRuns) return OrdersLeft::too_many;
    if (ended_ || locations_.size() > limits_.turns.at.size()) return OrdersLeft::ended;
    return OrdersLeft::none;
  }

  /// Every order that is not known yet: of each that is, any two turns at a location the other way round.
  void explore() {
    for (std::size_t number = 0; number < orders_.size(); ++number) {
      const Order& order = orders_[number];  // stays where it is
      if (const OrdersLeft left = left_by(order); left != OrdersLeft::none) {
        leave(left);
        read_older(order);
        if (order.parts() > kMostTurns) return;
      }
      if (ran_ > kMostOpen && (left_ != OrdersLeft::none || is_open())) return leave(OrdersLeft::too_many);
      for (std::size_t later = 0; later < order.turns.size(); ++later) {
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
          for (const Sequence& begin : backtrack_prefixes(order, earlier, later)) {
            if (is_known(begin) || !tried_.insert(canonical_trace_of(begin)).second) continue;
            const OrdersLeft limit = limit_reached();
            if (limit == OrdersLeft::none && run_with(begin)) continue;
            return leave(limit == OrdersLeft::none ? OrdersLeft::ended : limit);
          }
        }
      }
    }
  }

  /// Something else decides, too, so that all orders would not be all executions.
  bool is_open() const {
    const auto& decisions = verified_.outcome.decisions;
    return std::any_of(decisions.begin(), decisions.end(), [](const exec::Decision& decision) {
      return decision.what != exec::Decided::waiting && exec::open(decision.sources) != 0;
    });
  }

  /// The same run with all that orders its turns: atomics that decide nothing, and have no turn, acquire as well. Nothing: it
  /// has other turns.
  std::optional<Order> as_it_is(const Order& order) {
    exec::Options options = limits_;
    options.turns.first = order.turns;
    const Waits::Result result = waits_.run_as_it_is(options);
    ++ran_;
    instructions_ += result.verified.outcome.instructions;
    Order out = turns_of(result);
    if (!out.known || out.turns.size() != order.turns.size()) return std::nullopt;
    return out;
  }

  /// One of the writes that the read passes is before it in base causality (8.10.5).
  static bool is_excluded(const Order& executed, const OlderRead& older) {
    const std::set<std::size_t>& before = executed.before[older.read];
    return std::any_of(before.begin(), before.end(), [&](std::size_t turn) {
      return turn >= older.write && executed.turns[turn].writes &&
             executed.turns[turn].at == executed.turns[older.read].at;
    });
  }

  /// Not all executions have an order of turns. In some a read takes what was there before writes that the run has before it;
  /// what goes wrong then happens.
  void read_older(const Order& order) {
    if (!order.known || !order.blocks.empty() || order.parts() > kMostTurns) return;
    const std::set<OlderRead> all = older_reads(order);
    if (all.empty()) return;
    const std::optional<Order> executed = as_it_is(order);
    for (const OlderRead& older : all) {
      const ContendedAccess& read = order.turns[older.read];
      if (verified_.run->instruction(read.site).opcode != isa::Opcode::ld ||
          limit_reached() != OrdersLeft::none)
        continue;
      if (!executed || is_excluded(*executed, older)) continue;
      exec::Options options = limits_;
      options.turns.first.assign(order.turns.begin(),
                                 order.turns.begin() + static_cast<std::ptrdiff_t>(older.read) + 1);
      options.turns.first.back().passes = older.passes;
      if (!tried_older_.emplace(canonical_trace_of(options.turns.first), older.passes).second) continue;
      const Waits::Result result = waits_.run(options);
      ++ran_;
      const exec::Outcome& outcome = result.verified.outcome;
      instructions_ += outcome.instructions;
      const bool passed =
          older.read < outcome.turns.size() && outcome.turns[older.read].passes == older.passes;
      if (!is_whole(outcome) || !passed) continue;
      const std::size_t known = verified_.findings.size();
      add(result, options);
      for (std::size_t i = known; i < verified_.findings.size(); ++i)
        verified_.passed[i] = {read.site, order.turns[older.write].site};
    }
  }

  /// An order that begins so has run. Whether its last turn, which others have come after, writes, is not
  /// said.
  bool is_known(const Sequence& begin) const {
    Sequence other = begin;
    other.back().writes = !other.back().writes;
    return std::any_of(orders_.begin(), orders_.end(), [&](const Order& order) {
      return begins_with(order.signature, begin) || begins_with(order.signature, other);
    });
  }

  /// Why what is known of its turns does not give all others.
  OrdersLeft left_by(const Order& order) const {
    const std::set<trace::Address> shared = shared_in(order.turns);
    if (order.parts() > kMostTurns) return OrdersLeft::long_order;
    if (!order.known) return OrdersLeft::unknown_write;
    if (!told_) return OrdersLeft::not_followed;
    if (order.passes_polls && !shared.empty()) return OrdersLeft::together;
    if (shared.size() > 1 && !all_interleave(order)) return OrdersLeft::together;
    return OrdersLeft::none;
  }

  /// The later of two turns has to come after the earlier one, whatever else there is in between.
  static bool depends(const Order& order, std::size_t later, std::size_t earlier) {
    return order.turns[earlier].thread == order.turns[later].thread ||
           (order.conflict(earlier, later) && !order.alike(later, earlier)) ||
           order.before[later].contains(earlier);
  }

  /// Beginnings of orders with two turns the other way round: what comes before the earlier one, what else
  /// does not come after it, and the later one. As some of that may come after it for other reasons than
  /// turns, also with what the later one needs alone. None: nothing changes, or the later turn comes after
  /// the earlier one in all schedules.
  static std::vector<Sequence> backtrack_prefixes(const Order& order, std::size_t earlier,
                                                  std::size_t later) {
    const std::vector<ContendedAccess>& turns = order.turns;
    const ContendedAccess& second = turns[later];
    if (!order.conflict(earlier, later) || order.alike(later, earlier) ||
        order.before[later].contains(earlier))
      return {};
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
    PTXMC_CHECK(
        out[1].size() <= out[0].size() && out[0].size() <= turns.size(),
        "a beginning has accesses of the order, each once, and the shorter one those that are needed");
    return out;
  }

  /// False: it ended before its end.
  bool run_with(const Sequence& begin) {
    exec::Options options = limits_;
    options.turns.first = begin;
    Waits::Result result = waits_.run(options);
    ++ran_;
    instructions_ += result.verified.outcome.instructions;
    const exec::End end = result.verified.outcome.end;
    ended_ = end != exec::End::finished && end != exec::End::deadlock;
    if (ended_) return false;
    told_ = told_ && result.verified.outcome.turns_told;
    // What executes first need not come first in the memory (8.9.5): a read may take what is written after a
    // barrier that orders nothing.
    if (result.verified.outcome.kept_by_execution) leave(OrdersLeft::by_execution);
    if (result.verified.outcome.kept_by_contents) leave(OrdersLeft::by_contents);
    out_.ordered = out_.ordered && result.ordered;
    add_locations(*result.detector, limits_.turns.of_polls, locations_);
    polled_ = polled_ || !result.detector->polled().empty();
    Order order = turns_of(result);
    add(result, options);
    find_blocks(result, options, order);
    if (seen_.insert(order.signature).second) orders_.push_back(std::move(order));
    return true;
  }

  /// Turns whose order makes no difference: each may be the first of them, and then takes nothing from the others. If that shows
  /// no more than the run did, it is so for all orders of these.
  void find_blocks(const Waits::Result& result, const exec::Options& options, Order& order) {
    std::vector<std::size_t> blocks = blocks_of(order.turns);
    exec::Options blind = options;
    blind.turns.first = order.turns;
    blind.turns.blind = in_blocks(blocks);
    if (blind.turns.blind.empty() || !order.known || !result.verified.outcome.turns_told) return;
    const Waits::Result other = waits_.run(blind);
    ++ran_;
    instructions_ += other.verified.outcome.instructions;
    const claim::VerifyResult &one = result.verified, &two = other.verified;
    Order again = turns_of(other);
    const bool same = two.outcome.end == one.outcome.end && two.waits_settled == one.waits_settled &&
                      again.known && other.ordered && two.outcome.turns_told &&
                      blocks_of(again.turns) == blocks && shows_no_more(two, one);
    if (!same) return;
    order = std::move(again);
    order.blocks = std::move(blocks);
    order.signature = canonical_trace_of(order.turns, order.blocks);
    verified_.turns.alike = true;
  }

  static bool shows_no_more(const claim::VerifyResult& what, const claim::VerifyResult& than) {
    const auto known = [&](const trace::Finding& finding) {
      return std::any_of(than.findings.begin(), than.findings.end(), [&](const trace::Finding& other) {
        return finding.rule == other.rule && finding.first.site == other.first.site &&
               finding.second.site == other.second.site;
      });
    };
    return what.outcome.faults.size() == than.outcome.faults.size() &&
           std::all_of(what.findings.begin(), what.findings.end(), known);
  }

  /// What a run shows, beside what is known.
  void add(const Waits::Result& result, const exec::Options& options) {
    const claim::VerifyResult& shown = result.verified;
    exec::Outcome& all = verified_.outcome;
    if (ran_ == 1) {
      all.decisions.clear();
      verified_.waits_settled = true;
    }
    add_run(shown, options, verified_, out_);
    verified_.waits_settled = verified_.waits_settled && shown.waits_settled;
    all.decisions.insert(all.decisions.end(), shown.outcome.decisions.begin(), shown.outcome.decisions.end());
  }

  Locations locations_;
  exec::Options limits_;
  std::optional<std::size_t> most_;
  claim::VerifyResult& verified_;
  Waits waits_;
  Runs out_;
  std::deque<Order> orders_;
  std::set<CanonicalTrace> seen_;                                 // of orders that ran
  std::set<CanonicalTrace> tried_;                                // of beginnings
  std::set<std::pair<CanonicalTrace, std::size_t>> tried_older_;  // that end with a read, and what it passes
  std::size_t ran_ = 0;
  std::uint64_t instructions_ = 0;
  bool ended_ = false, told_ = true, polled_ = false;
  OrdersLeft left_ = OrdersLeft::none;
};

/// What all orders show, beside what is known already.
struct Shown {
  claim::VerifyResult verified;
  Runs runs;
  bool polled = false;  // loops polled memory
};

Shown take_orders(const VerificationTask& task, const trace::Detector& first, const exec::Options& limits,
                  std::optional<std::size_t> most, bool of_polls, const claim::VerifyResult& known) {
  Locations locations;
  add_locations(first, of_polls, locations);
  for (;;) {
    Shown out{known, {}, false};
    Orders orders(task, first, locations, limits, most, of_polls, out.verified);
    out.runs = orders.run();
    out.polled = orders.polled();
    if (orders.locations().size() == locations.size()) return out;
    locations = orders.locations();
  }
}

/// For all that is known of whole values, open contents may let a loop that polls go on.
bool polls_read_data(const claim::VerifyResult& shown) {
  const auto& decisions = shown.outcome.decisions;
  return std::any_of(decisions.begin(), decisions.end(), [&](const exec::Decision& decision) {
    return decision.what == exec::Decided::control && (decision.sources & bit(exec::Source::data)) != 0;
  });
}

}  // namespace

Runs explore_access_orders(const VerificationTask& task, const trace::Detector& first,
                           const exec::Options& limits, std::optional<std::size_t> most,
                           claim::VerifyResult& verified) {
  Shown shown = take_orders(task, first, limits, most, false, verified);
  if (shown.polled && claim::verdict_of(shown.verified) == claim::Verdict::incomplete) {
    Shown with_polls = take_orders(task, first, limits, most, true, verified);
    shown.runs.polls_read_data = polls_read_data(with_polls.verified);
    if (claim::verdict_of(with_polls.verified) != claim::Verdict::incomplete) shown = std::move(with_polls);
  }
  verified = std::move(shown.verified);
  return std::move(shown.runs);
}

}  // namespace ptxmc::explore
