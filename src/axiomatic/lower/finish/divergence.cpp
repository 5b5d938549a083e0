// SPDX-License-Identifier: Apache-2.0
// Lanes of one warp that are litmus threads of their own, where all of them must do the same: an aligned
// barrier is for all lanes of the warp that have not exited before, or for none (9.7.12.1, R169), and a bra.uni goes
// one way (9.7.11.2, R292). Number k of the aligned barriers of a lane meets number k of another. As in a run
// (dynamic/exec/convergence.h), a lane has exited before if it did so by a guarded exit, at which others may go on.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "axiomatic/lower/finish/finish.h"
#include "finding/rules.h"

namespace ptxmc::lower {

using event::Expr;
using event::ThreadId;

namespace {

using Barriers = std::vector<const Unit::Converged*>;
using Branches = std::map<std::pair<std::string, std::size_t>, const Unit::Converged*>;

struct Lane {
  Barriers barriers;
  Branches branches;  // by text, and how many of the same text are before it
  Expr left;          // it has exited before what it does not come to
};

bool same_warp(const event::ProgramGraph& graph, ThreadId a, ThreadId b) {
  const event::ThreadInfo& x = graph.threads[a];
  const event::ThreadInfo& y = graph.threads[b];
  return x.warp && x.cta == y.cta && x.kernel == y.kernel && x.warp == y.warp;
}

/// All lanes of the warps in which some lane must do as the others do.
std::map<ThreadId, Lane> lanes_of(Unit& unit) {
  std::map<ThreadId, Lane> lanes;
  std::set<ThreadId> some;
  for (const Unit::Converged& one : unit.converged) some.insert(one.thread);
  for (ThreadId t = 0; t < unit.graph.threads.size(); ++t) {
    if (std::any_of(some.begin(), some.end(),
                    [&](ThreadId other) { return other == t || same_warp(unit.graph, other, t); }))
      lanes[t].left = unit.pool().truth(false);
  }
  std::map<std::pair<ThreadId, std::string>, std::size_t> seen;
  for (const Unit::Converged& one : unit.converged) {
    Lane& lane = lanes[one.thread];
    if (one.exits) {
      lane.left = unit.pool().disjunction(lane.left, one.guard);
    } else if (one.taken) {
      lane.branches[{one.text, seen[{one.thread, one.text}]++}] = &one;
    } else {
      lane.barriers.push_back(&one);
    }
  }
  return lanes;
}

class Check {
 public:
  explicit Check(Unit& unit) : unit_(unit), pool_(unit.pool()) {}

  void run() {
    const std::map<ThreadId, Lane> lanes = lanes_of(unit_);
    for (auto a = lanes.begin(); a != lanes.end(); ++a) {
      for (auto b = std::next(a); b != lanes.end(); ++b) {
        if (!same_warp(unit_.graph, a->first, b->first)) continue;
        barriers(a->second, b->second);
        branches(a->second.branches, b->second.branches);
      }
    }
  }

 private:
  void barriers(const Lane& a, const Lane& b) {
    for (std::size_t k = 0; k < std::max(a.barriers.size(), b.barriers.size()); ++k) {
      const Unit::Converged* x = k < a.barriers.size() ? a.barriers[k] : nullptr;
      const Unit::Converged* y = k < b.barriers.size() ? b.barriers[k] : nullptr;
      if (x != nullptr && y != nullptr && !are_same(*x, *y)) {
        misuse(*x, pool_.conjunction(x->guard, y->guard));
        continue;
      }
      alone(x, y, b);
      alone(y, x, a);
    }
  }

  /// Two instructions are the same: one instruction of one body, or like ones of two bodies.
  bool are_same(const Unit::Converged& x, const Unit::Converged& y) const {
    const auto& threads = unit_.program.threads;
    const bool one_body = threads[x.thread].body == threads[y.thread].body;
    return x.text == y.text && (!one_body || x.position.line == y.position.line) &&
           (!one_body || x.position.column == y.position.column);
  }

  /// A lane executes it, and another does not, nor has it left before.
  void alone(const Unit::Converged* one, const Unit::Converged* same, const Lane& other) {
    if (one == nullptr) return;
    const Expr comes = same == nullptr ? pool_.truth(false) : same->guard;
    const Expr misses = pool_.conjunction(pool_.negation(comes), pool_.negation(other.left));
    misuse(*one, pool_.conjunction(one->guard, misses));
  }

  void branches(const Branches& a, const Branches& b) {
    for (const auto& [name, x] : a) {
      const auto y = b.find(name);
      if (y == b.end()) continue;
      const Expr both = pool_.conjunction(x->guard, y->second->guard);
      const Expr apart = pool_.disjunction(pool_.conjunction(*x->taken, pool_.negation(*y->second->taken)),
                                           pool_.conjunction(pool_.negation(*x->taken), *y->second->taken));
      misuse(*x, pool_.conjunction(both, apart));
    }
  }

  void misuse(const Unit::Converged& at, Expr guard) {
    if (!pool_.is_false(guard))
      unit_.graph.misuses.push_back({finding::RuleId::barrier_divergence, guard, at.position, at.text});
  }

  Unit& unit_;
  event::ExprPool& pool_;
};

}  // namespace

void check_converged(Unit& unit) {
  if (!unit.converged.empty()) Check(unit).run();
}

}  // namespace ptxmc::lower
