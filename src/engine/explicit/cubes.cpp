// SPDX-License-Identifier: Apache-2.0
#include "engine/explicit/cubes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "support/check.h"

namespace ptxmc::engine::explicit_ {

namespace {

using event::Expr;
using event::Value;

/// The union of the cubes as a trie, observable by observable: only the branch at hand is kept.
class Trie {
 public:
  Trie(const Query& query, const std::vector<Cube>& cubes, const std::function<bool()>& stop,
       std::vector<State>& out)
      : query_(query), cubes_(cubes), stop_(stop), out_(out), values_(query.graph.observables.size()) {}

  bool run() {
    std::vector<std::uint32_t> all(cubes_.size());
    std::iota(all.begin(), all.end(), 0U);
    return branch(0, all);
  }

 private:
  // `alive`: the cubes that have states with the values so far.
  bool branch(std::size_t level, const std::vector<std::uint32_t>& alive) {
    if (level == values_.size()) return emit(cubes_[alive.front()]);
    const event::Width width = query_.graph.observables[level].width;
    std::map<Value, std::pair<Value, std::vector<std::uint32_t>>>
        children;  // by the value as a signed number
    for (const std::uint32_t c : alive) {
      for (const Value v : cubes_[c].values[level]) {
        auto& child = children[event::as_signed(v, width)];
        child.first = v;
        child.second.push_back(c);
      }
    }
    for (const auto& [number, child] : children) {
      values_[level] = child.first;
      if (branch(level + 1, child.second)) return true;
    }
    return false;
  }

  bool emit(const Cube& cube) {
    if (stop_()) return true;
    State& state = out_.emplace_back();
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
      return false;
    }
    state.satisfied = satisfied(cube.found.witness);
    if (!give_witness(state, cube)) return false;
    for (const auto& [slot, option] : chosen_) {
      state.witness.values[slot] = option.value;
      state.witness.reads_from[slot] = option.source;
    }
    return false;
  }

  // By number of witnesses, not of states: one found by itself may have none.
  bool give_witness(State& state, const Cube& cube) {
    if (given_ >= query_.witnesses || cube.found.witness.exists.size() == 0) return false;
    state.witness = cube.found.witness;
    ++given_;
    return true;
  }

  bool satisfied(const event::Execution& x) const {
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
    const std::optional<Value> value = graph.exprs.evaluate(graph.proposition, lookup);
    PTXMC_CHECK(value.has_value(), "a state decides the proposition");
    return *value != 0;
  }

  const Query& query_;
  const std::vector<Cube>& cubes_;
  const std::function<bool()>& stop_;
  std::vector<State>& out_;
  std::size_t given_ = 0;      // witnesses
  std::vector<Value> values_;  // of the branch
  std::vector<std::pair<event::SlotId, Cube::Option>> chosen_;
};

}  // namespace

bool append_states(const Query& query, const std::vector<Cube>& cubes, const std::function<bool()>& stop,
                   std::vector<State>& out) {
  return !cubes.empty() && Trie(query, cubes, stop, out).run();
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
