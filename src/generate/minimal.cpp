// SPDX-License-Identifier: Apache-2.0
#include "generate/minimal.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "generate/name.h"
#include "generate/relax.h"
#include "generate/skeletons.h"
#include "generate/symmetry.h"
#include "support/parallel.h"

namespace ptxmc::generate {

namespace {

using Orders = std::vector<Order>;  // of all operations, thread by thread

Sketch with(const Sketch& sketch, const Orders& orders) {
  Sketch out = sketch;
  std::size_t next = 0;
  for (Thread& thread : out.threads)
    for (Operation& o : thread.operations) o.order = orders[next++];
  return without_void_fences(out);
}

/// What a model says of the programs of one skeleton. What is allowed stays so where orders are weaker, what is forbidden where
/// they are stronger: the oracle is asked where no answer that there is says it.
class Answers {
 public:
  Answers(const Sketch& skeleton, Oracle& oracle) : skeleton_(skeleton), oracle_(oracle) {}

  bool allowed(const Orders& orders, const Wanted& condition) {
    const auto known = places_.find(orders);
    if (known != places_.end()) return met(*asked_[known->second].states, condition);
    for (const Asked& other : asked_) {
      const bool said = met(*other.states, condition);
      if (said ? below(orders, other.orders) : below(other.orders, orders)) return said;
    }
    return met(states(orders), condition);
  }
  const std::vector<State>& states(const Orders& orders) {
    const auto [place, fresh] = places_.try_emplace(orders, asked_.size());
    if (fresh) asked_.push_back({orders, &oracle_.states(with(skeleton_, orders))});
    return *asked_[place->second].states;
  }

 private:
  struct Asked {
    Orders orders;
    const std::vector<State>* states;  ///< the oracle's
  };
  static bool met(const std::vector<State>& states, const Wanted& condition) {
    return std::any_of(states.begin(), states.end(),
                       [&](const State& state) { return meets(state, condition); });
  }
  static bool below(const Orders& a, const Orders& b) {
    return std::equal(a.begin(), a.end(), b.begin(), at_most);
  }

  const Sketch& skeleton_;
  Oracle& oracle_;
  std::vector<Asked> asked_;
  std::map<Orders, std::size_t> places_;
};

/// The minimal tests of one skeleton.
class Search {
 public:
  /// `other`: of a model that allows what is looked for; null: it does not matter.
  Search(const Sketch& skeleton, const Scopes& scopes, Oracle& oracle, Oracle* other,
         std::function<void(const Sketch&)> found)
      : skeleton_(skeleton),
        scopes_(scopes),
        oracle_(oracle),
        answers_(skeleton, oracle),
        other_(other),
        found_(std::move(found)),
        symmetries_(symmetries(skeleton)) {
    for (std::size_t t = 0; t < skeleton.threads.size(); ++t) {
      for (const Operation& o : skeleton.threads[t].operations) {
        choices_.push_back(telling_orders(skeleton, t, o.kind, scopes));
        top_.push_back(strongest(choices_.back()));
        bottom_.push_back(weakest(o.kind, scopes));
        fences_ |= fences(o.kind);
      }
    }
  }

  void run() {
    forbidden_at_top_ = &answers_.states(top_);
    Sketch conditioned = skeleton_;
    choose(conditioned, 0, 0);
  }

 private:
  /// What the reads from thread t, operation i on return, in every way.
  void choose(Sketch& sketch, std::size_t t, std::size_t i) {
    if (t == sketch.threads.size()) return choose_final(sketch, 0);
    if (i == sketch.threads[t].operations.size()) return choose(sketch, t + 1, 0);
    Operation& o = sketch.threads[t].operations[i];
    if (!reads(o.kind)) return choose(sketch, t, i + 1);
    if (o.kind == Kind::exchange) {  // a load whose value does not matter is not needed
      o.read.reset();
      choose(sketch, t, i + 1);
    }
    for (int value = 0; value <= last_value(sketch, o.location); ++value) {
      if (writes(o.kind) && value == o.value) continue;
      sketch.threads[t].operations[i].read = value;
      choose(sketch, t, i + 1);
    }
    sketch.threads[t].operations[i].read.reset();
  }

  static int last_value(const Sketch& sketch, int location) {
    int last = 0;
    for (const Thread& thread : sketch.threads)
      for (const Operation& o : thread.operations)
        if (writes(o.kind) && o.location == location) last = std::max(last, o.value);
    return last;
  }

  void choose_final(Sketch& sketch, int location) {
    if (location == sketch.locations) return explore_condition(sketch);
    std::optional<int>& final = sketch.finals[static_cast<std::size_t>(location)];
    final.reset();
    choose_final(sketch, location + 1);
    const int last = last_value(sketch, location);
    for (int value = 1; last > 1 && value <= last; ++value) {
      final = value;
      choose_final(sketch, location + 1);
    }
    final.reset();
  }

  void explore_condition(const Sketch& sketch) {
    const std::string own = symmetries_.empty() ? "" : write(sketch);
    for (const std::vector<std::size_t>& order : symmetries_)
      if (write(arranged(sketch, order)) < own) return;  // it is another condition's
    const Wanted condition = wanted(sketch);
    if (std::any_of(forbidden_at_top_->begin(), forbidden_at_top_->end(),
                    [&](const State& state) { return meets(state, condition); }))
      return;
    if (other_ != nullptr && !other_->allowed(with(sketch, bottom_))) return;
    if (!answers_.allowed(bottom_, condition)) {
      if (!fences_) report(with(sketch, bottom_));
      return;
    }
    if (!needed_at_bottom(sketch)) return;
    seen_.clear();
    explore(sketch, condition, top_);
  }

  /// Whatever is forbidden without a part, and with the weakest orders, is forbidden without it anyway.
  bool needed_at_bottom(const Sketch& sketch) {
    const Sketch weakest = with(sketch, bottom_);
    for (const Sketch& relaxed : relaxations(weakest, scopes_))
      if (!relaxed.threads.empty() && !oracle_.allowed(relaxed)) return false;
    return true;
  }

  void explore(const Sketch& sketch, const Wanted& condition, const Orders& upper) {
    if (!seen_.insert(upper).second || answers_.allowed(upper, condition)) return;
    const Orders least = descend(condition, upper);
    const bool whole =
        std::none_of(least.begin(), least.end(), [](const Order& o) { return o == Order{}; }) ||
        all_fences_there(least);
    if (whole) report(with(sketch, least));
    for (std::size_t k = 0; k < least.size(); ++k) {
      for (const Order& order : below_without(upper[k], least[k], choices_[k])) {
        Orders below = upper;
        below[k] = order;
        explore(sketch, condition, below);
      }
    }
  }

  /// Else the test is one of a smaller skeleton.
  bool all_fences_there(const Orders& orders) const {
    std::size_t next = 0;
    for (const Thread& thread : skeleton_.threads)
      for (const Operation& o : thread.operations)
        if (const Order& order = orders[next++]; fences(o.kind) && order == Order{}) return false;
    return true;
  }

  /// A minimal element that is at most `upper`, which is forbidden.
  Orders descend(const Wanted& condition, Orders at) {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t k = 0; k < at.size() && !moved; ++k) {
        for (const Order& order : weaker(at[k], choices_[k])) {
          Orders below = at;
          below[k] = order;
          if (answers_.allowed(below, condition)) continue;
          at = std::move(below);
          moved = true;
          break;
        }
      }
    }
    return at;
  }

  void report(const Sketch& sketch) {
    if (other_ != nullptr && !other_->allowed(sketch)) return;
    if (minimal(sketch, scopes_, oracle_)) found_(canonical(sketch));
  }

  const Sketch& skeleton_;
  const Scopes& scopes_;
  Oracle& oracle_;
  Answers answers_;
  Oracle* const other_;
  const std::function<void(const Sketch&)> found_;
  const std::vector<std::vector<std::size_t>> symmetries_;  // of the skeleton
  std::vector<Orders> choices_;                             // by operation
  Orders top_, bottom_;
  bool fences_ = false;
  const std::vector<State>* forbidden_at_top_ = nullptr;  // the states that are not
  std::set<Orders> seen_;
};

bool same_program(const Sketch& a, const Sketch& b) {
  return std::equal(a.threads.begin(), a.threads.end(), b.threads.begin(), b.threads.end(),
                    [](const Thread& s, const Thread& t) { return s.operations == t.operations; });
}

using TestsByText = std::map<std::string, Sketch>;  // by encoding

/// What find() looks for.
struct Wish {
  const session::Session& forbids;
  const session::Session* allows = nullptr;  ///< null: nothing more is asked
};

/// The minimal tests of so many operations.
TestsByText find(std::size_t size, const Alphabet& alphabet, const Wish& wish, const Budget& budget,
                 unsigned jobs) {
  // Those that differ by where their threads are follow each other, and have many questions in common.
  std::vector<std::vector<Sketch>> programs;
  for_each_skeleton(size, alphabet, [&](const Sketch& skeleton) {
    budget.check();
    if (programs.empty() || !same_program(programs.back().front(), skeleton)) programs.emplace_back();
    programs.back().push_back(skeleton);
  });
  struct Oracles {
    Oracle forbids;
    std::optional<Oracle> allows;
  };
  std::deque<Oracles> oracles;
  for (unsigned job = 0; job < jobs; ++job) {
    oracles.push_back({Oracle(wish.forbids, budget), std::nullopt});
    if (wish.allows != nullptr) oracles.back().allows.emplace(*wish.allows, budget);
  }
  TestsByText tests;
  std::mutex mutex;
  in_parallel(programs.size(), jobs, [&](std::size_t i, std::size_t job) {
    Oracle& forbids = oracles[job].forbids;
    Oracle* allows = oracles[job].allows ? &*oracles[job].allows : nullptr;
    const auto found = [&](const Sketch& test) {
      const std::lock_guard lock(mutex);
      tests.try_emplace(encode(test), test);
    };
    for (const Sketch& skeleton : programs[i])
      Search(skeleton, alphabet.scopes, forbids, allows, found).run();
    forbids.forget(size);
    if (allows != nullptr) allows->forget(size);
  });
  for (auto& [code, test] : tests) give_name(test);
  return tests;
}

}  // namespace

std::vector<Sketch> minimal_tests(std::size_t size, const Alphabet& alphabet, const session::Session& session,
                                  const Budget& budget, unsigned jobs) {
  std::vector<Sketch> all;
  for (auto& [code, test] : find(size, alphabet, {session}, budget, jobs)) {
    test.doc = "Minimal: every relaxation of it is allowed.";
    all.push_back(test);
  }
  return all;
}

std::vector<Difference> differences(std::size_t size, const Alphabet& alphabet, const session::Session& first,
                                    const session::Session& second, const Budget& budget, unsigned jobs) {
  std::vector<Difference> all;
  for (auto& [code, test] : find(size, alphabet, {first, &second}, budget, jobs)) all.push_back({test, true});
  for (auto& [code, test] : find(size, alphabet, {second, &first}, budget, jobs))
    all.push_back({test, false});
  return all;
}

}  // namespace ptxmc::generate
