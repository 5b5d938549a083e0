// SPDX-License-Identifier: Apache-2.0
#include "ptx/flow/blocks.h"

#include <algorithm>
#include <utility>

namespace ptxmc::flow {
namespace {

class Builder {
 public:
  explicit Builder(const Code& code) : code_(code) {}

  std::optional<Blocks> run() {
    Jumps jumps = jumps_of(code_);
    const auto compares = [](const program::Instruction& i) {
      return i.opcode == isa::Opcode::branch_compare;
    };
    if (code_.empty() || jumps.repeated || jumps.astray || std::any_of(code_.begin(), code_.end(), compares))
      return std::nullopt;
    jumps_ = std::move(jumps.of);
    divide();
    skip_jumps();
    if (!find_loops()) return std::nullopt;
    nest();
    return std::move(out_);
  }

 private:
  bool is_jump(std::size_t at) const { return jumps_[at].target && *jumps_[at].target < code_.size(); }

  void divide() {
    std::vector<bool> leads(code_.size() + 1, false);
    leads[0] = true;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (is_jump(i)) leads[*jumps_[i].target] = leads[i + 1] = true;
      if (!jumps_[i].falls_through) leads[i + 1] = true;
    }
    std::vector<std::size_t> block_of(code_.size());
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (leads[i]) out_.blocks.push_back({i, i, kNowhere, kNowhere, false});
      out_.blocks.back().end = i + 1;
      block_of[i] = out_.blocks.size() - 1;
    }
    for (std::size_t b = 0; b < out_.blocks.size(); ++b) {
      CodeBlock& block = out_.blocks[b];
      const std::size_t last = block.end - 1;
      if (is_jump(last)) block.target = block_of[*jumps_[last].target];
      if (jumps_[last].falls_through && b + 1 < out_.blocks.size()) block.next = b + 1;
    }
  }

  void skip_jumps() {
    const std::vector<CodeBlock> written = out_.blocks;
    const auto led_to = [&](std::size_t b) {
      for (std::size_t steps = 0; b != kNowhere && steps < written.size(); ++steps) {
        const CodeBlock& block = written[b];
        const bool only_jumps =
            block.end == block.begin + 1 && block.target != kNowhere && !code_[block.begin].guard;
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

  bool find_loops() {
    Graph next(out_.blocks.size());
    for (std::size_t b = 0; b < next.size(); ++b) {
      for (const std::size_t to : {out_.blocks[b].next, out_.blocks[b].target}) {
        if (to != kNowhere) next[b].push_back(to);
      }
    }
    const std::vector<bool> reached = reached_from(0, next);
    for (std::size_t b = 0; b < next.size(); ++b) out_.blocks[b].reachable = b == 0 || reached[b];
    for (NaturalLoop& loop : natural_loops(next)) {
      if (!loop.has_one_entry) return false;
      for (std::size_t b = 0; b < next.size(); ++b) loop.holds[b] = loop.holds[b] && out_.blocks[b].reachable;
      out_.loops.push_back({std::move(loop)});
    }
    return true;
  }

  void nest() {
    const auto size = [&](std::size_t l) {
      return l == kNowhere ? out_.blocks.size() + 1
                           : static_cast<std::size_t>(
                                 std::count(out_.loops[l].holds.begin(), out_.loops[l].holds.end(), true));
    };
    out_.innermost.assign(out_.blocks.size(), kNowhere);
    for (std::size_t l = 0; l < out_.loops.size(); ++l) {
      for (std::size_t b = 0; b < out_.blocks.size(); ++b) {
        if (out_.loops[l].holds[b] && size(l) < size(out_.innermost[b])) out_.innermost[b] = l;
      }
      for (std::size_t outer = 0; outer < out_.loops.size(); ++outer) {
        const bool around = outer != l && out_.loops[outer].holds[out_.loops[l].header];
        if (around && size(outer) < size(out_.loops[l].parent)) out_.loops[l].parent = outer;
      }
    }
  }

  const Code& code_;
  Blocks out_;
  std::vector<Jump> jumps_;
};

}  // namespace

std::optional<Blocks> blocks_of(const Code& code) {
  return Builder(code).run();
}

}  // namespace ptxmc::flow
