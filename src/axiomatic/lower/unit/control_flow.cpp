// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/control_flow.h"

#include <algorithm>
#include <map>
#include <string>

#include "ptx/isa/opcode.h"

namespace ptxmc::lower {
namespace {

using program::Instruction;
using Code = std::vector<Instruction>;

bool ends(const Instruction& instruction) {
  return isa::traits(instruction.opcode).has(isa::Trait::ends) && !instruction.guard;
}

class Builder {
 public:
  explicit Builder(const Code& code) : code_(code) {}

  std::optional<ControlFlow> run() {
    if (code_.empty() || !find_targets()) return std::nullopt;
    divide();
    skip_jumps();
    visit(0);
    std::reverse(order_.begin(), order_.end());
    find_dominators();
    if (!find_loops()) return std::nullopt;
    nest();
    return std::move(out_);
  }

 private:
  bool find_targets() {
    std::map<std::string, std::size_t> labels;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      for (const std::string& label : code_[i].labels) {
        if (!labels.emplace(label, i).second) return false;
      }
    }
    targets_.assign(code_.size(), kNoBlock);
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const program::Operand* target = code_[i].find(isa::Role::label);
      if (target == nullptr) continue;
      const auto place = labels.find(std::get<program::LabelName>(target->value).name);
      if (place == labels.end() || code_[i].opcode != isa::Opcode::bra) return false;
      targets_[i] = place->second;
    }
    return true;
  }

  void divide() {
    std::vector<char> leads(code_.size() + 1, 0);
    leads[0] = 1;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (targets_[i] != kNoBlock) leads[targets_[i]] = leads[i + 1] = 1;
      if (ends(code_[i])) leads[i + 1] = 1;
    }
    std::vector<std::size_t> block_of(code_.size());
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (leads[i] != 0) out_.blocks.push_back({i, i, kNoBlock, kNoBlock, false});
      out_.blocks.back().end = i + 1;
      block_of[i] = out_.blocks.size() - 1;
    }
    for (std::size_t b = 0; b < out_.blocks.size(); ++b) {
      CodeBlock& block = out_.blocks[b];
      const std::size_t last = block.end - 1;
      const bool jumps = targets_[last] != kNoBlock;
      if (jumps) block.target = block_of[targets_[last]];
      const bool goes_on = !ends(code_[last]) && (!jumps || code_[last].guard);
      if (goes_on && b + 1 < out_.blocks.size()) block.next = b + 1;
    }
  }

  void skip_jumps() {
    const std::vector<CodeBlock> written = out_.blocks;
    const auto led_to = [&](std::size_t b) {
      for (std::size_t steps = 0; b != kNoBlock && steps < written.size(); ++steps) {
        const CodeBlock& block = written[b];
        const bool only_jumps =
            block.end == block.begin + 1 && block.target != kNoBlock && !code_[block.begin].guard;
        if (!only_jumps) return b;
        b = block.target;
      }
      return b;
    };
    for (CodeBlock& block : out_.blocks) {
      block.target = led_to(block.target);
      block.next = led_to(block.next);
    }
  }

  std::vector<std::size_t> successors(std::size_t b) const {
    std::vector<std::size_t> out;
    for (const std::size_t to : {out_.blocks[b].next, out_.blocks[b].target}) {
      if (to != kNoBlock) out.push_back(to);
    }
    return out;
  }

  /// Depth first; `order_` is a postorder.
  void visit(std::size_t from) {
    std::vector<std::pair<std::size_t, std::size_t>> open{{from, 0}};
    out_.blocks[from].reachable = true;
    while (!open.empty()) {
      const auto [b, k] = open.back();
      const std::vector<std::size_t> next = successors(b);
      if (k == next.size()) {
        order_.push_back(b);
        open.pop_back();
        continue;
      }
      ++open.back().second;
      if (out_.blocks[next[k]].reachable) continue;
      out_.blocks[next[k]].reachable = true;
      open.emplace_back(next[k], 0);
    }
  }

  /// K. Cooper, T. Harvey, K. Kennedy: A Simple, Fast Dominance Algorithm (2001).
  void find_dominators() {
    rank_.assign(out_.blocks.size(), 0);
    for (std::size_t k = 0; k < order_.size(); ++k) rank_[order_[k]] = k;
    before_.resize(out_.blocks.size());
    for (const std::size_t b : order_) {
      for (const std::size_t to : successors(b)) before_[to].push_back(b);
    }
    dominator_.assign(out_.blocks.size(), kNoBlock);
    dominator_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::size_t b : order_) {
        if (b == 0) continue;
        std::size_t common = kNoBlock;
        for (const std::size_t from : before_[b]) {
          if (dominator_[from] == kNoBlock) continue;
          common = common == kNoBlock ? from : meet(common, from);
        }
        changed = changed || dominator_[b] != common;
        dominator_[b] = common;
      }
    }
  }

  std::size_t meet(std::size_t a, std::size_t b) const {
    while (a != b) {
      while (rank_[a] > rank_[b]) a = dominator_[a];
      while (rank_[b] > rank_[a]) b = dominator_[b];
    }
    return a;
  }

  bool dominates(std::size_t a, std::size_t b) const { return meet(a, b) == a; }

  bool find_loops() {
    std::map<std::size_t, NaturalLoop> by_header;
    for (const std::size_t b : order_) {
      for (const std::size_t to : successors(b)) {
        if (rank_[to] > rank_[b]) continue;
        if (!dominates(to, b)) return false;
        NaturalLoop& loop = by_header[to];
        loop.header = to;
        loop.holds.resize(out_.blocks.size(), 0);
        if (loop.jump_back.empty() || loop.jump_back.back() != b) loop.jump_back.push_back(b);
        loop.holds[to] = 1;
        hold_all_before(loop, b);
      }
    }
    for (auto& [header, loop] : by_header) out_.loops.push_back(std::move(loop));
    return true;
  }

  void hold_all_before(NaturalLoop& loop, std::size_t b) const {
    std::vector<std::size_t> open{b};
    while (!open.empty()) {
      const std::size_t here = open.back();
      open.pop_back();
      if (loop.holds[here] != 0) continue;
      loop.holds[here] = 1;
      open.insert(open.end(), before_[here].begin(), before_[here].end());
    }
  }

  void nest() {
    const auto size = [&](std::size_t l) {
      return l == kNoBlock ? out_.blocks.size() + 1
                           : static_cast<std::size_t>(
                                 std::count(out_.loops[l].holds.begin(), out_.loops[l].holds.end(), 1));
    };
    out_.innermost.assign(out_.blocks.size(), kNoBlock);
    for (std::size_t l = 0; l < out_.loops.size(); ++l) {
      for (std::size_t b = 0; b < out_.blocks.size(); ++b) {
        if (out_.loops[l].holds[b] != 0 && size(l) < size(out_.innermost[b])) out_.innermost[b] = l;
      }
      for (std::size_t outer = 0; outer < out_.loops.size(); ++outer) {
        const bool around = outer != l && out_.loops[outer].holds[out_.loops[l].header] != 0;
        if (around && size(outer) < size(out_.loops[l].parent)) out_.loops[l].parent = outer;
      }
    }
  }

  const Code& code_;
  ControlFlow out_;
  std::vector<std::size_t> targets_;              // by instruction
  std::vector<std::size_t> order_;                // blocks that are reached, in reverse postorder
  std::vector<std::size_t> rank_;                 // in that order, by block
  std::vector<std::vector<std::size_t>> before_;  // predecessors
  std::vector<std::size_t> dominator_;            // the immediate one
};

}  // namespace

std::optional<ControlFlow> control_flow(const Code& code) {
  return Builder(code).run();
}

}  // namespace ptxmc::lower
