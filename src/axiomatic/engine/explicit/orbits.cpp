// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/orbits.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "axiomatic/engine/count.h"
#include "axiomatic/engine/explicit/proposition.h"
#include "support/check.h"

namespace ptxmc::engine::explicit_ {

namespace {

using event::EventId;
using event::Value;

/// tuple(a) <= tuple(b), lexicographically, on the patterns of values.
bool require_not_after(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                       const std::vector<event::Expr>& observables, Encoding& encoding,
                       ChoiceSolver& solver) {
  bool consistent = true;
  ChoiceLit equal_so_far = encoding.constant_true();
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Alternatives left = encoding.value(observables[a[k]]);
    const Alternatives right = encoding.value(observables[b[k]]);
    const ChoiceLit still_equal(solver.new_var(kValue, false), true);
    for (const auto& [x, is_x] : left) {
      for (const auto& [y, is_y] : right) {
        if (x > y) consistent = solver.add({~equal_so_far, ~is_x, ~is_y}) && consistent;
        if (x == y) consistent = solver.add({~equal_so_far, ~is_x, ~is_y, still_equal}) && consistent;
      }
    }
    equal_so_far = still_equal;
  }
  return consistent;
}

/// For one class: which thread of the found state stands at each place.
using Arrangement = std::vector<std::size_t>;

class Orbit {
 public:
  Orbit(const Query& query, const std::vector<ThreadSymmetry>& classes, State found, std::size_t witnesses,
        const std::function<bool()>& stop, const Take& take)
      : query_(query),
        classes_(classes),
        found_(std::move(found)),
        witnesses_(witnesses),
        stop_(stop),
        take_(take),
        values_(found_.values),
        source_(query.graph.size()),
        proposition_(query.graph) {
    for (const ThreadSymmetry& c : classes_) {
      Arrangement& places = places_.emplace_back(c.events.size());
      std::iota(places.begin(), places.end(), std::size_t{0});
    }
    std::iota(source_.begin(), source_.end(), EventId{0});
  }

  bool run() { return arrange(0); }

 private:
  std::vector<Value> tuple(std::size_t c, std::size_t thread) const {
    std::vector<Value> out;
    for (const std::uint32_t i : classes_[c].observables[thread]) out.push_back(found_.values[i]);
    return out;
  }

  // Places go through the distinct arrangements of the tuples; equal tuples keep their threads' order.
  bool arrange(std::size_t c) {
    if (c == classes_.size()) return emit();
    std::vector<std::vector<Value>> tuples;
    for (std::size_t t = 0; t < classes_[c].events.size(); ++t) tuples.push_back(tuple(c, t));
    std::vector<std::size_t> rank(tuples.size(), 0);
    for (std::size_t t = 1; t < tuples.size(); ++t) {
      PTXMC_CHECK(tuples[t - 1] <= tuples[t], "a found state is ascending");
      rank[t] = rank[t - 1] + (tuples[t] == tuples[t - 1] ? 0 : 1);
    }
    std::vector<std::size_t> ranks = rank;
    do {
      std::vector<std::size_t> next(tuples.size(), 0);  // next thread of each rank
      for (std::size_t place = 0; place < ranks.size(); ++place) {
        std::size_t& from = next[ranks[place]];
        const auto first =
            static_cast<std::size_t>(std::find(rank.begin(), rank.end(), ranks[place]) - rank.begin());
        places_[c][place] = first + from++;
      }
      place(c);
      if (arrange(c + 1)) return true;
    } while (std::next_permutation(ranks.begin(), ranks.end()));
    return false;
  }

  bool emit() {
    if (stop_()) return true;
    State image;
    image.values = values_;
    image.satisfied = satisfied();
    if (given_ < witnesses_) {
      image.witness = witness();
      ++given_;
    }
    take_(image);
    return false;
  }

  // What the threads of one class did and saw, at their places.
  void place(std::size_t c) {
    const ThreadSymmetry& threads = classes_[c];
    for (std::size_t place = 0; place < threads.events.size(); ++place) {
      const std::size_t from = places_[c][place];
      for (std::size_t k = 0; k < threads.observables[place].size(); ++k)
        values_[threads.observables[place][k]] = found_.values[threads.observables[from][k]];
      for (std::size_t k = 0; k < threads.events[place].size(); ++k)
        source_[threads.events[place][k]] = threads.events[from][k];
    }
  }

  bool satisfied() {
    const event::Execution& x = found_.witness;
    const auto lookup = [&](const event::Node& node) -> std::optional<Value> {
      if (node.op == event::Op::value_of) {
        return x.values[query_.graph.slot_of(source_[node.atom], static_cast<std::size_t>(node.constant))];
      }
      const EventId last = x.final_writes[node.atom];
      if (last == event::kNoEvent) return std::nullopt;
      return x.values[query_.graph.slot_at(last, node.atom)];
    };
    return proposition_.holds(lookup);
  }

  // Event e of the image is what source_[e] was.
  event::Execution witness() const {
    const event::ProgramGraph& graph = query_.graph;
    const event::Execution& x = found_.witness;
    event::Execution out = x;
    std::vector<EventId> image(graph.size());
    for (EventId e = 0; e < graph.size(); ++e) image[source_[e]] = e;
    const auto moved = [&](EventId e) { return e == event::kNoEvent ? e : image[e]; };
    for (EventId e = 0; e < graph.size(); ++e) {
      if (x.exists.test(source_[e])) {
        out.exists.set(e);
      } else {
        out.exists.reset(e);
      }
      for (std::size_t k = 0; k < graph.slots_of(e); ++k) {
        const event::SlotId to = graph.slot_of(e, k), from = graph.slot_of(source_[e], k);
        out.values[to] = x.values[from];
        out.reads_from[to] = moved(x.reads_from[from]);
      }
    }
    for (EventId& last : out.final_writes) last = moved(last);
    for (std::size_t k = 0; k < x.orders.size(); ++k) {
      out.orders[k].clear();
      x.orders[k].for_each([&](std::size_t a, std::size_t b) { out.orders[k].set(image[a], image[b]); });
    }
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const auto& decisions = classes_[c].decisions;
      for (std::size_t place = 0; place < decisions.size(); ++place) {
        for (std::size_t k = 0; k < decisions[place].size(); ++k) {
          out.decisions[decisions[place][k]] = x.decisions[decisions[places_[c][place]][k]];
        }
      }
    }
    return out;
  }

  const Query& query_;
  const std::vector<ThreadSymmetry>& classes_;
  State found_;
  std::size_t witnesses_;
  const std::function<bool()>& stop_;
  const Take& take_;
  std::size_t given_ = 0;            // witnesses
  std::vector<Arrangement> places_;  // per class
  std::vector<Value> values_;        // of the image
  std::vector<EventId> source_;      // per event of the image: the event of the found state that it was
  Proposition proposition_;
};

}  // namespace

bool require_ascending(const std::vector<ThreadSymmetry>& classes,
                       const std::vector<event::Expr>& observables, Encoding& encoding,
                       ChoiceSolver& solver) {
  bool consistent = true;
  for (const ThreadSymmetry& c : classes) {
    for (std::size_t t = 1; t < c.observables.size(); ++t) {
      consistent = require_not_after(c.observables[t - 1], c.observables[t], observables, encoding, solver) &&
                   consistent;
    }
  }
  return consistent && encoding.consistent();
}

bool list_orbit(const Query& query, const std::vector<ThreadSymmetry>& classes, State found,
                std::size_t witnesses, const std::function<bool()>& stop, const Take& take) {
  if (classes.empty()) {
    take(found);
    return false;
  }
  return Orbit(query, classes, std::move(found), witnesses, stop, take).run();
}

// The arrangements of each class's tuples: as many as choose places for one tuple after the other.
std::optional<std::uint64_t> orbit_size(const std::vector<ThreadSymmetry>& classes,
                                        const std::vector<Value>& values) {
  std::optional<std::uint64_t> out = 1;
  for (const ThreadSymmetry& c : classes) {
    std::map<std::vector<Value>, std::uint64_t> equal;
    std::uint64_t threads = 0;
    for (const std::vector<std::uint32_t>& observables : c.observables) {
      std::vector<Value> tuple;
      for (const std::uint32_t i : observables) tuple.push_back(values[i]);
      // threads * (threads - 1) ... over the factorials of the multiplicities, one thread at a time.
      const std::uint64_t same = ++equal[tuple];
      out = product(out, ++threads);
      if (!out) return out;
      PTXMC_CHECK(*out % same == 0, "arrangements of a multiset are a whole number");
      *out /= same;
    }
  }
  return out;
}

}  // namespace ptxmc::engine::explicit_
