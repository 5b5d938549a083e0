// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/cubes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "axiomatic/engine/count.h"
#include "axiomatic/engine/explicit/proposition.h"
#include "support/check.h"

namespace ptxmc::engine::explicit_ {

namespace {

using event::Expr;
using event::Value;

Branch whole(const std::vector<Cube>& cubes) {
  Branch out{{}, std::vector<std::uint32_t>(cubes.size())};
  std::iota(out.cubes.begin(), out.cubes.end(), 0U);
  return out;
}

/// By the value as a signed number of the observable at `level`: which of the cubes `alive` have it.
std::map<Value, Branch> children(const Query& query, const std::vector<Cube>& cubes, std::size_t level,
                                 const std::vector<std::uint32_t>& alive) {
  const event::Width width = query.graph.observables[level].width;
  std::map<Value, Branch> out;
  for (const std::uint32_t c : alive) {
    for (const Value v : cubes[c].values[level]) {
      Branch& child = out[event::as_signed(v, width)];
      if (child.cubes.empty()) child.values.push_back(v);
      child.cubes.push_back(c);
    }
  }
  return out;
}

/// The union of the cubes as a trie, observable by observable: only the branch at hand is kept.
class Trie {
 public:
  Trie(const Query& query, const std::vector<Cube>& cubes, const std::function<bool()>& stop,
       const Take& take)
      : query_(query),
        cubes_(cubes),
        stop_(stop),
        take_(take),
        values_(query.graph.observables.size()),
        proposition_(query.graph) {}

  bool run(const Branch& from) {
    std::copy(from.values.begin(), from.values.end(), values_.begin());
    return branch(from.values.size(), from.cubes);
  }

 private:
  // `alive`: the cubes that have states with the values so far.
  bool branch(std::size_t level, const std::vector<std::uint32_t>& alive) {
    if (level == values_.size()) return emit(cubes_[alive.front()]);
    for (const auto& [number, child] : children(query_, cubes_, level, alive)) {
      values_[level] = child.values.front();
      if (branch(level + 1, child.cubes)) return true;
    }
    return false;
  }

  bool emit(const Cube& cube) {
    if (stop_()) return true;
    State state;
    state.values = values_;
    chosen_.clear();
    for (const Cube::Free& free : cube.free) {
      const Value wanted = values_[free.observable];
      const auto option = std::find_if(free.options.begin(), free.options.end(),
                                       [&](const Cube::Option& o) { return o.value == wanted; });
      PTXMC_CHECK(option != free.options.end(), "a cube has its states");
      chosen_.push_back({free.slot, *option});
    }
    if (cube.free.empty()) {  // found by itself, perhaps without a witness
      state.satisfied = cube.found.satisfied;
      give_witness(state, cube);
    } else {
      state.satisfied = satisfied(cube.found.witness);
      if (give_witness(state, cube)) move_reads(state.witness);
    }
    take_(state);
    return false;
  }

  void move_reads(event::Execution& witness) const {
    for (const auto& [slot, option] : chosen_) {
      witness.values[slot] = option.value;
      witness.reads_from[slot] = option.source;
    }
  }

  // By number of witnesses, not of states: one found by itself may have none.
  bool give_witness(State& state, const Cube& cube) {
    if (given_ >= query_.witnesses || cube.found.witness.exists.size() == 0) return false;
    state.witness = cube.found.witness;
    ++given_;
    return true;
  }

  bool satisfied(const event::Execution& x) {
    const event::ProgramGraph& graph = query_.graph;
    const auto lookup = [&](const event::Node& node) -> std::optional<Value> {
      if (node.op == event::Op::value_of) {
        const event::SlotId slot = graph.slot_of(node.atom, static_cast<std::size_t>(node.constant));
        for (const auto& [chosen, option] : chosen_) {
          if (chosen == slot) return option.value;
        }
        return x.values[slot];
      }
      const event::EventId last = x.final_writes[node.atom];
      if (last == event::kNoEvent) return std::nullopt;
      return x.values[graph.slot_at(last, node.atom)];
    };
    return proposition_.holds(lookup);
  }

  const Query& query_;
  const std::vector<Cube>& cubes_;
  const std::function<bool()>& stop_;
  const Take& take_;
  std::size_t given_ = 0;      // witnesses
  std::vector<Value> values_;  // of the branch
  std::vector<std::pair<event::SlotId, Cube::Option>> chosen_;
  Proposition proposition_;
};

// The same trie, of which branches with the same cubes alive are alike. A cube all of whose states from here on are
// another's is as good as dead.
class Counter {
 public:
  Counter(const std::vector<Cube>& cubes, const std::function<bool()>& stop)
      : cubes_(cubes), stop_(stop), known_(cubes.front().values.size()) {
    if (cubes.size() > kMostCompared) return;
    covers_from_.resize(cubes.size() * cubes.size());
    for (std::size_t a = 0; a < cubes.size(); ++a) {
      for (std::size_t b = 0; b < cubes.size(); ++b) {
        std::size_t level = known_.size();
        while (level > 0 && covers(cubes[a].values[level - 1], cubes[b].values[level - 1])) --level;
        covers_from_[a * cubes.size() + b] = static_cast<std::uint32_t>(level);
      }
    }
  }

  std::optional<std::uint64_t> run() {
    std::vector<std::uint32_t> all(cubes_.size());
    std::iota(all.begin(), all.end(), 0U);
    return below(0, all);
  }

 private:
  static constexpr std::size_t kMostCompared = 1024;  // cubes, each with each

  static bool covers(const std::vector<Value>& all, const std::vector<Value>& some) {
    return std::all_of(some.begin(), some.end(),
                       [&](Value v) { return std::find(all.begin(), all.end(), v) != all.end(); });
  }

  std::vector<std::uint32_t> without_covered(std::size_t level,
                                             const std::vector<std::uint32_t>& alive) const {
    if (covers_from_.empty()) return alive;
    std::vector<std::uint32_t> kept;
    const auto covered_by = [&](std::uint32_t b) {
      return [this, b, level](std::uint32_t a) { return covers_from_[a * cubes_.size() + b] <= level; };
    };
    for (const std::uint32_t b : alive) {
      if (std::any_of(kept.begin(), kept.end(), covered_by(b))) continue;
      std::erase_if(kept, [&](std::uint32_t a) { return covered_by(a)(b); });
      kept.push_back(b);
    }
    std::sort(kept.begin(), kept.end());
    return kept;
  }

  std::optional<std::uint64_t> below(std::size_t level, const std::vector<std::uint32_t>& all) {
    if (level == known_.size()) return 1;
    const std::vector<std::uint32_t> alive = without_covered(level, all);
    if (const auto known = known_[level].find(alive); known != known_[level].end()) return known->second;
    if (stop_()) return std::nullopt;
    std::map<Value, std::vector<std::uint32_t>> children;
    for (const std::uint32_t c : alive) {
      for (const Value v : cubes_[c].values[level]) children[v].push_back(c);
    }
    std::optional<std::uint64_t> out = 0;
    for (const auto& [value, child] : children) {
      out = sum(out, below(level + 1, child));
      if (!out) return out;
    }
    known_[level].emplace(alive, *out);
    return out;
  }

  const std::vector<Cube>& cubes_;
  const std::function<bool()>& stop_;
  std::vector<std::map<std::vector<std::uint32_t>, std::uint64_t>> known_;  // per level, by what is alive
  // Per pair of cubes: the level from which the first has every value of the second. Empty: too many.
  std::vector<std::uint32_t> covers_from_;
};

}  // namespace

std::vector<Branch> branches(const Query& query, const std::vector<Cube>& cubes, std::size_t least) {
  std::vector<Branch> out;
  if (!cubes.empty()) out.push_back(whole(cubes));
  for (std::size_t level = 0; level < query.graph.observables.size() && out.size() < least; ++level) {
    std::vector<Branch> next;
    for (const Branch& branch : out) {
      for (auto& [number, child] : children(query, cubes, level, branch.cubes)) {
        child.values.insert(child.values.begin(), branch.values.begin(), branch.values.end());
        next.push_back(std::move(child));
      }
    }
    out = std::move(next);
  }
  return out;
}

bool list_branch(const Query& query, const std::vector<Cube>& cubes, const Branch& branch,
                 const std::function<bool()>& stop, const Take& take) {
  return Trie(query, cubes, stop, take).run(branch);
}

std::optional<std::uint64_t> count_states(const std::vector<Cube>& cubes, const std::function<bool()>& stop) {
  return Counter(cubes, stop).run();
}

bool shows_proposition(const event::ProgramGraph& graph) {
  std::set<Expr> seen;
  for (const event::Observable& o : graph.observables) seen.insert(o.value);
  std::vector<Expr> open{graph.proposition};
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    if (!seen.insert(e).second) continue;
    const event::Node& node = graph.exprs[e];
    const int operands = event::arity(node.op);
    if (operands == 0 && node.op != event::Op::constant) return false;
    const Expr all[] = {node.a, node.b, node.c};
    open.insert(open.end(), all, all + operands);
  }
  return true;
}

}  // namespace ptxmc::engine::explicit_
