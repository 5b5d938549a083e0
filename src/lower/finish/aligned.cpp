// SPDX-License-Identifier: Apache-2.0
// Exchanges that all lanes come to alike, as code that compilers write mostly does.
//
// The lanes that a membermask names meet at an object of their own, which completes a phase when each of them has arrived
// once more, or has exited. Take the exchanges of each lane at that object in program order. As long as those with one
// number exist under one condition in all lanes, each lane that gets to number k has passed as many before it as all
// others have, and none exits before it comes there: so who passes number k has met just the others' number k, on every
// path. No path need be tried to know the result, which may be a condition of branches behind; by it further exchanges
// may turn out to be alike. That a lane waits for ever at an earlier barrier (liveness) changes nothing: whoever passes
// has met all.
#include <algorithm>
#include <map>
#include <tuple>

#include "event/guards.h"
#include "lower/finish/finish.h"
#include "lower/finish/substitution.h"

namespace ptxmc::lower {
namespace {

using event::EventId;
using event::Expr;
using event::ThreadId;

/// CTA, warp, kind of exchange, membermask.
using Object = std::tuple<std::uint32_t, int, event::Value, std::uint32_t>;
/// Indices into Unit::exchanges, per lane in program order.
using Sequences = std::map<ThreadId, std::vector<std::size_t>>;

class Aligned {
 public:
  explicit Aligned(Unit& unit) : unit_(unit), pool_(unit.pool()) {
    for (std::size_t i = 0; i < unit.exchanges.size(); ++i) {
      const Exchange& exchange = unit.exchanges[i];
      const event::ThreadInfo& thread = unit.graph.threads[exchange.thread];
      if (exchange.kind == ExchangeKind::barrier || !thread.warp) continue;
      const event::Value kind = unit.graph.events[exchange.arrival].barrier->instance;
      objects_[{thread.cta, *thread.warp, kind, exchange.mask}][exchange.thread].push_back(i);
    }
    for (auto& [object, lanes] : objects_) {
      for (ThreadId t = 0; t < unit.graph.threads.size(); ++t) {
        const event::ThreadInfo& thread = unit.graph.threads[t];
        const bool named = thread.cta == std::get<0>(object) && thread.warp == std::get<1>(object) &&
                           (thread.lanes & std::get<3>(object)) != 0;
        if (named) lanes.try_emplace(t);
      }
    }
  }

  std::set<EventId> run() {
    while (true) {
      Replacements results;
      for (const auto& [object, lanes] : objects_) resolve(lanes, results);
      if (results.empty()) return std::move(known_);
      close(pool_, results);
      Substitution substitute(pool_, results);
      const auto rewrite = [&](Expr e) { return substitute(e); };
      for (Exchange& exchange : unit_.exchanges) {
        for (Expr* e : {&exchange.guard, &exchange.value, &exchange.source, &exchange.clamp})
          *e = rewrite(*e);
        for (Expr& choice : exchange.choices) choice = rewrite(choice);
      }
      rewrite_graph(unit_, rewrite);
    }
  }

 private:
  /// Where the exchange is executed, as far as its lane gets there.
  std::vector<event::Literal> condition_of(std::size_t exchange) const {
    const EventId arrival = unit_.exchanges[exchange].arrival;
    std::vector<event::Literal> parts = event::conjuncts(pool_, unit_.graph.events[arrival].guard);
    std::erase_if(parts, [&](const event::Literal& part) { return unit_.blocks.contains(part.atom); });
    return parts;
  }

  bool alike(const Sequences& lanes, std::size_t k) const {
    const std::vector<std::size_t>& first = lanes.begin()->second;
    return first.size() > k && std::all_of(lanes.begin(), lanes.end(), [&](const auto& lane) {
             return lane.second.size() > k && condition_of(lane.second[k]) == condition_of(first[k]);
           });
  }

  /// What a lane gives, and nothing on paths on which it waits for ever at an earlier barrier, so that results have a value
  /// there, too. No path without that lane has an execution that passes; but its guards are asked for.
  Exchange given(const Exchange& exchange) const {
    Exchange out = exchange;
    for (const event::Literal& part : event::conjuncts(pool_, unit_.graph.events[exchange.arrival].guard)) {
      if (!unit_.blocks.contains(part.atom)) continue;
      const Expr passes = part.positive ? part.atom : pool_.negation(part.atom);
      const event::Width width = pool_[out.value].width;
      out.value = width == 1 ? pool_.conjunction(passes, out.value)
                             : pool_.make(event::Op::ite, width, passes, out.value, pool_.constant(0, width));
    }
    return out;
  }

  void resolve(const Sequences& lanes, Replacements& results) {
    for (std::size_t k = 0; alike(lanes, k); ++k) {
      if (known_.contains(unit_.exchanges[lanes.begin()->second[k]].wait)) continue;
      std::vector<Exchange> all;
      for (const auto& [thread, exchanges] : lanes) all.push_back(given(unit_.exchanges[exchanges[k]]));
      std::vector<const Exchange*> met;
      for (const Exchange& one : all) met.push_back(&one);
      for (const Exchange& self : all) {
        const ExchangeResult result = exchange_result(unit_, self, met);
        results[{self.wait, 0}] = result.value;
        if (gives_predicate(self)) results[{self.wait, 1}] = result.predicate;
        known_.insert(self.wait);
      }
    }
  }

  Unit& unit_;
  event::ExprPool& pool_;
  std::map<Object, Sequences> objects_;
  std::set<EventId> known_;
};

}  // namespace

std::set<EventId> resolve_aligned(Unit& unit) {
  return Aligned(unit).run();
}

}  // namespace ptxmc::lower
