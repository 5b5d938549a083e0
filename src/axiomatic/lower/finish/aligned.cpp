// SPDX-License-Identifier: Apache-2.0
// Exchanges that all threads come to alike, as code that compilers write mostly does.
//
// The lanes that a membermask names meet at an object of their own, and so do the threads of a CTA at a barrier that no
// instruction names a count for. It completes a phase when each of them has arrived once more, or has exited. Take what
// each thread does at that object in program order. As long as the operations with one number exist under one condition
// in all threads, each thread that gets to number k has passed as many before it as all others have, and none exits
// before it comes there: so a thread that passes number k has met just the others' number k, on every path. No path need
// be tried to know the result, which may be a condition of branches after it; by it further exchanges may turn out to be
// alike. That a thread waits forever at an earlier barrier (liveness) changes nothing: a thread that passes has met all.
#include <algorithm>
#include <map>
#include <optional>

#include "axiomatic/event/guards.h"
#include "axiomatic/lower/finish/finish.h"
#include "axiomatic/lower/finish/substitution.h"

namespace ptxmc::lower {
namespace {

using event::EventId;
using event::Expr;
using event::ThreadId;

/// A warp's object, by kind of exchange and membermask; or one of a CTA, by its number.
struct Object {
  std::uint32_t cta = 0;
  std::optional<int> warp = std::nullopt;
  event::Value kind = 0, number = 0;
  friend auto operator<=>(const Object&, const Object&) = default;
};
/// An operation at an object: its arrival, and the index into Unit::exchanges, if it is one.
struct Step {
  EventId arrival = event::kNoEvent;
  std::optional<std::size_t> exchange = std::nullopt;
};
/// Per thread in program order.
using Sequences = std::map<ThreadId, std::vector<Step>>;

class Aligned {
 public:
  Aligned(Unit& unit, std::set<EventId>& known) : unit_(unit), pool_(unit.pool()), known_(known) {
    std::map<EventId, std::size_t> numbers;
    for (std::size_t i = 0; i < unit.exchanges.size(); ++i) numbers.emplace(unit.exchanges[i].arrival, i);
    for (EventId e = 0; e < unit.graph.size(); ++e) {
      const event::Event& arrival = unit.graph.events[e];
      if (arrival.kind != event::EventKind::arrival || !arrival.barrier) continue;
      const auto number = numbers.find(e);
      const bool exchanges = number != numbers.end();
      if (const auto object = object_of(arrival))
        objects_[*object][arrival.thread].push_back(
            {e, exchanges ? std::optional(number->second) : std::nullopt});
    }
    leave_out_counted();
    for (auto& [object, threads] : objects_) {
      for (ThreadId t = 0; t < unit.graph.threads.size(); ++t) {
        if (takes_part(object, t)) threads.try_emplace(t);
      }
    }
  }

  void run() {
    while (true) {
      Replacements results;
      for (const auto& [object, threads] : objects_) resolve(threads, results);
      if (results.empty()) return;
      close(pool_, results);
      rewrite_exchanges(unit_, results);
    }
  }

 private:
  /// The object of an arrival; nothing: of a kind that is left to the paths.
  std::optional<Object> object_of(const event::Event& arrival) const {
    const event::Barrier& barrier = *arrival.barrier;
    const event::ThreadInfo& thread = unit_.graph.threads[arrival.thread];
    if (barrier.cluster || barrier.instance_first || !pool_.is_constant(barrier.id)) return std::nullopt;
    const event::Value number = pool_[barrier.id].constant;
    if (!barrier.warp) return Object{thread.cta, std::nullopt, 0, number};
    if (!barrier.exchange || !thread.warp) return std::nullopt;
    return Object{thread.cta, thread.warp, barrier.instance, number};
  }

  bool takes_part(const Object& object, ThreadId t) const {
    const event::ThreadInfo& thread = unit_.graph.threads[t];
    if (thread.cta != object.cta || !object.warp) return thread.cta == object.cta;
    return thread.warp == object.warp && (thread.lanes & static_cast<std::uint32_t>(object.number)) != 0;
  }

  /// Barriers of a CTA that an instruction gives a count for, or may, by a number from a register.
  void leave_out_counted() {
    for (const event::Event& arrival : unit_.graph.events) {
      if (arrival.kind != event::EventKind::arrival || !arrival.barrier) continue;
      const event::Barrier& barrier = *arrival.barrier;
      if (barrier.cluster || barrier.warp || barrier.instance_first) continue;
      const bool constant = pool_.is_constant(barrier.id);
      if (constant && !barrier.count) continue;
      std::erase_if(objects_, [&](const auto& entry) {
        const Object& object = entry.first;
        return !object.warp && object.cta == unit_.graph.threads[arrival.thread].cta &&
               (!constant || object.number == pool_[barrier.id].constant);
      });
    }
  }

  /// Where the operation is executed, as far as its thread gets there.
  std::vector<event::Literal> condition_of(EventId arrival) const {
    std::vector<event::Literal> parts = event::conjuncts(pool_, unit_.graph.events[arrival].guard);
    std::erase_if(parts, [&](const event::Literal& part) { return unit_.blocks.contains(part.atom); });
    return parts;
  }

  /// Number k of all threads: under one condition, and exchanges all of them, or none (R170).
  bool alike(const Sequences& threads, std::size_t k) const {
    const std::vector<Step>& first = threads.begin()->second;
    return first.size() > k && std::all_of(threads.begin(), threads.end(), [&](const auto& thread) {
             const std::vector<Step>& steps = thread.second;
             return steps.size() > k && steps[k].exchange.has_value() == first[k].exchange.has_value() &&
                    condition_of(steps[k].arrival) == condition_of(first[k].arrival);
           });
  }

  /// What a lane gives, and nothing on paths on which it waits forever at an earlier barrier, so that results have a value
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

  void resolve(const Sequences& threads, Replacements& results) {
    for (std::size_t k = 0; alike(threads, k); ++k) {
      const auto first = threads.begin()->second[k].exchange;
      if (!first || known_.contains(unit_.exchanges[*first].wait)) continue;
      std::vector<Exchange> all;
      for (const auto& [thread, steps] : threads) all.push_back(given(unit_.exchanges[*steps[k].exchange]));
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
  std::set<EventId>& known_;  // waits of exchanges with results
  std::map<Object, Sequences> objects_;
};

}  // namespace

void resolve_aligned(Unit& unit, std::set<EventId>& resolved) {
  if (!unit.exchanges.empty()) Aligned(unit, resolved).run();
}

}  // namespace ptxmc::lower
