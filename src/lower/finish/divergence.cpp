// SPDX-License-Identifier: Apache-2.0
// Lanes of one warp that are litmus threads of their own, where all of them must do the same: an aligned
// barrier is for all lanes of the warp that have not exited, or for none (9.7.12.1, R169), and a bra.uni goes
// one way (9.7.11.2, R292). Number k of the aligned barriers of a lane meets number k of another.
#include <map>
#include <utility>

#include "lower/finish/finish.h"

namespace ptxmc::lower {

using event::Expr;
using event::ThreadId;

namespace {

using Barriers = std::vector<const Unit::Converged*>;
using Branches = std::map<std::pair<std::string, std::size_t>, const Unit::Converged*>;

struct Lane {
  Barriers barriers;
  Branches branches;  // by text, and how many of the same text are before it
  bool exits = false;
};

bool same_warp(const event::ProgramGraph& graph, ThreadId a, ThreadId b) {
  const event::ThreadInfo& x = graph.threads[a];
  const event::ThreadInfo& y = graph.threads[b];
  return x.warp && x.cta == y.cta && x.kernel == y.kernel && x.warp == y.warp;
}

std::map<ThreadId, Lane> lanes_of(const Unit& unit) {
  std::map<ThreadId, Lane> lanes;
  std::map<std::pair<ThreadId, std::string>, std::size_t> seen;
  for (const Unit::Converged& one : unit.converged) {
    if (!one.taken) {
      lanes[one.thread].barriers.push_back(&one);
    } else {
      lanes[one.thread].branches[{one.text, seen[{one.thread, one.text}]++}] = &one;
    }
  }
  for (auto& [thread, lane] : lanes) {
    for (const program::Instruction& instruction : unit.program.threads[thread].code())
      lane.exits = lane.exits || instruction.opcode == isa::Opcode::exit;
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
    for (std::size_t k = 0; k < std::min(a.barriers.size(), b.barriers.size()); ++k) {
      const Unit::Converged& x = *a.barriers[k];
      const Unit::Converged& y = *b.barriers[k];
      if (x.text != y.text) {
        misuse(x, pool_.conjunction(x.guard, y.guard));
        continue;
      }
      // A lane that does not come there may have exited.
      if (!b.exits) misuse(x, pool_.conjunction(x.guard, pool_.negation(y.guard)));
      if (!a.exits) misuse(y, pool_.conjunction(y.guard, pool_.negation(x.guard)));
    }
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
    if (!pool_.is_false(guard)) unit_.graph.misuses.push_back({"divergent", guard, at.position, at.text});
  }

  Unit& unit_;
  event::ExprPool& pool_;
};

}  // namespace

void check_converged(Unit& unit) {
  if (!unit.converged.empty()) Check(unit).run();
}

}  // namespace ptxmc::lower
