// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/loop_form.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "axiomatic/lower/unit/waiting.h"
#include "ptx/flow/blocks.h"
#include "ptx/isa/opcode.h"
#include "ptx/program/register_use.h"

namespace ptxmc::lower {
namespace {

using program::Instruction;
using Code = std::vector<Instruction>;

constexpr std::size_t kMostBlocks = 4096;

class Writer {
 public:
  Writer(const Code& code, const flow::Blocks& flow) : code_(code), flow_(flow) {
    for (const Instruction& instruction : code) {
      if (instruction.opcode == isa::Opcode::bra) jump_ = instruction;
    }
  }

  bool has_plain_loops() const {
    return std::all_of(flow_.loops.begin(), flow_.loops.end(),
                       [&](const flow::BlockLoop& loop) { return is_plain(loop); });
  }

  std::optional<Code> run() {
    place(flow::kNowhere);
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const std::size_t following = k + 1 < places_.size() ? places_[k + 1] : flow::kNowhere;
      if (is_latch(places_[k])) {
        add_jump(flow_.loops[places_[k] - flow_.blocks.size()].header, position_, places_[k]);
      } else if (!add_block(places_[k], following)) {
        return std::nullopt;
      }
    }
    return std::move(out_);
  }

 private:
  // Places: blocks, and behind them the latches of loops: jumps back that all others lead to.
  bool is_latch(std::size_t place) const { return place != flow::kNowhere && place >= flow_.blocks.size(); }

  bool inside(std::size_t loop, std::size_t block) const {
    return loop == flow::kNowhere || (block != flow::kNowhere && flow_.loops[loop].holds[block]);
  }

  bool is_plain(const flow::BlockLoop& loop) const {
    const auto first =
        static_cast<std::size_t>(std::find(loop.holds.begin(), loop.holds.end(), true) - loop.holds.begin());
    const std::size_t last = *std::max_element(loop.latches.begin(), loop.latches.end());
    if (first != loop.header || (loop.latches.size() != 1 && !begins_with_wait(loop))) return false;
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
      const bool within = b >= first && b <= last;
      // A block that is skipped may stand anywhere.
      if (flow_.blocks[b].reachable && within != loop.holds[b]) return false;
      if (within && b != last && jumps_over_exit(loop, b)) return false;
    }
    return true;
  }

  /// One of its jumps back closes a loop that only waits, which another one is around.
  bool begins_with_wait(const flow::BlockLoop& loop) const {
    std::vector<flow::Jump> jumps(code_.size());
    for (const flow::CodeBlock& block : flow_.blocks) {
      if (block.target == flow::kNowhere) continue;
      const std::size_t last = block.end - 1;
      jumps[last] = {flow_.blocks[block.target].begin, code_[last].guard.has_value()};
    }
    return std::any_of(loop.latches.begin(), loop.latches.end(), [&](std::size_t b) {
      if (b < loop.header || flow_.blocks[b].target != loop.header) return false;
      const Loop inner{flow_.blocks[loop.header].begin, flow_.blocks[b].end - 1, std::nullopt};
      return waits(code_, jumps, inner, {}).has_value();
    });
  }

  /// A jump within the loop over one that leaves it.
  bool jumps_over_exit(const flow::BlockLoop& loop, std::size_t b) const {
    const flow::CodeBlock& block = flow_.blocks[b];
    return block.target != flow::kNowhere && block.next != flow::kNowhere && loop.holds[block.target] &&
           !loop.holds[block.next];
  }

  /// What a loop, or the whole code, has, in topological order, loops in it as a whole.
  void place(std::size_t loop) {
    // headers and blocks, by what is to stand before them
    std::map<std::size_t, std::set<std::size_t>> waits_for;
    const auto item_of = [&](std::size_t block) {
      std::size_t l = flow_.innermost[block];
      if (l == loop) return block;
      while (flow_.loops[l].parent != loop) l = flow_.loops[l].parent;
      return flow_.loops[l].header;
    };
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
      if (!flow_.blocks[b].reachable || !inside(loop, b)) continue;
      waits_for[item_of(b)];
      for (const std::size_t to : {flow_.blocks[b].next, flow_.blocks[b].target}) {
        const bool here = to != flow::kNowhere && inside(loop, to);
        if (!here || (loop != flow::kNowhere && to == flow_.loops[loop].header)) continue;
        if (item_of(to) != item_of(b)) waits_for[item_of(to)].insert(item_of(b));
      }
    }
    while (!waits_for.empty()) {
      const auto ready = std::find_if(waits_for.begin(), waits_for.end(),
                                      [](const auto& item) { return item.second.empty(); });
      const std::size_t item = ready->first;
      waits_for.erase(ready);
      for (auto& [other, before] : waits_for) before.erase(item);
      const std::size_t l = flow_.innermost[item];
      if (l == loop) {
        places_.push_back(item);
      } else {
        place(loop_in(loop, l));
      }
    }
    if (loop != flow::kNowhere && needs_latch(loop)) places_.push_back(flow_.blocks.size() + loop);
  }

  /// The loop directly in `outer` that holds `inner`, or is it.
  std::size_t loop_in(std::size_t outer, std::size_t inner) const {
    while (flow_.loops[inner].parent != outer) inner = flow_.loops[inner].parent;
    return inner;
  }

  bool needs_latch(std::size_t loop) {
    const std::vector<std::size_t>& back = flow_.loops[loop].latches;
    const flow::CodeBlock& last = flow_.blocks[back.front()];
    const bool closes = back.size() == 1 && places_.back() == back.front();
    if (closes && last.target != last.next && flow_.innermost[back.front()] == loop) return false;
    latches_.insert(loop);
    return true;
  }

  /// Where an edge from a block leads: to the latch where it goes back.
  std::size_t place_of(std::size_t from, std::size_t to) const {
    for (const std::size_t loop : latches_) {
      if (flow_.loops[loop].header == to && flow_.loops[loop].holds[from]) return flow_.blocks.size() + loop;
    }
    return to;
  }

  std::string label(std::size_t place) const { return "block " + std::to_string(place); }

  void set_target(Instruction& jump, std::size_t place) const {
    for (program::Operand& operand : jump.operands) {
      if (operand.place.role == isa::Role::label) operand.value = program::LabelName{label(place)};
    }
  }

  void add_jump(std::size_t to, Position position, std::size_t latch = flow::kNowhere) {
    Instruction jump = jump_;
    jump.labels.clear();
    jump.guard.reset();
    jump.modifiers.aligned = false;
    jump.position = position;
    jump.text = "bra";
    if (latch != flow::kNowhere) jump.labels.push_back(label(latch));
    set_target(jump, to);
    out_.push_back(std::move(jump));
  }

  /// False: the end of the code, which others fall through to, is in the middle now.
  bool add_block(std::size_t b, std::size_t following) {
    const flow::CodeBlock& block = flow_.blocks[b];
    const std::size_t first = out_.size();
    out_.insert(out_.end(), code_.begin() + static_cast<std::ptrdiff_t>(block.begin),
                code_.begin() + static_cast<std::ptrdiff_t>(block.end));
    out_[first].labels.push_back(label(b));
    Instruction& last = out_.back();
    position_ = last.position;
    const bool falls_off = block.next == flow::kNowhere && block.end == code_.size() &&
                           (block.target == flow::kNowhere || last.guard) &&
                           !(isa::traits(last.opcode).has(isa::Trait::ends) && !last.guard);
    if (falls_off && following != flow::kNowhere) return false;
    const std::size_t next = block.next == flow::kNowhere ? flow::kNowhere : place_of(b, block.next);
    if (block.target == flow::kNowhere) {
      if (next != flow::kNowhere && next != following) add_jump(next, position_);
      return true;
    }
    const std::size_t target = place_of(b, block.target), loop = flow_.innermost[b];
    const bool leaves = next != flow::kNowhere && !inside(loop, block.next) && inside(loop, block.target);
    if (next != flow::kNowhere && next != following && (target == following || leaves)) {
      last.guard->negated = !last.guard->negated;
      set_target(last, next);
      if (target != following) add_jump(target, position_);
      return true;
    }
    set_target(last, target);
    if (next != flow::kNowhere && next != following) add_jump(next, position_);
    return true;
  }

  const Code& code_;
  const flow::Blocks& flow_;
  Instruction jump_;                 // some jump of the code
  std::vector<std::size_t> places_;  // in their new order
  std::set<std::size_t> latches_;    // loops
  Position position_;
  Code out_;
};

}  // namespace

std::optional<Code> with_plain_loops(const Code& code) {
  const std::optional<flow::Blocks> found = flow::blocks_of(code);
  if (!found || found->loops.empty() || found->blocks.size() > kMostBlocks) return std::nullopt;
  Writer writer(code, *found);
  if (writer.has_plain_loops()) return std::nullopt;
  return writer.run();
}

namespace {

/// Registers that nothing declares are those of the code: some may stand in what no path reaches alone.
bool keeps_registers(const program::Body& body, const Code& code) {
  const auto names = [](const Code& all) {
    std::set<std::string> out;
    for (const Instruction& instruction : all) {
      const program::RegisterUse use = register_use(instruction);
      out.insert(use.reads.begin(), use.reads.end());
      out.insert(use.writes.begin(), use.writes.end());
    }
    return out;
  };
  return !body.registers.empty() || names(body.code) == names(code);
}

}  // namespace

std::optional<program::Program> with_plain_loops(const program::Program& program) {
  std::map<const program::Body*, std::shared_ptr<const program::Body>> changed;
  std::optional<program::Program> out;
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    const std::shared_ptr<const program::Body>& body = program.threads[t].body;
    const auto [place, is_new] = changed.try_emplace(body.get(), nullptr);
    if (is_new) {
      auto code = with_plain_loops(body->code);
      if (code && keeps_registers(*body, *code)) {
        program::Body other = *body;
        other.code = std::move(*code);
        place->second = std::make_shared<const program::Body>(std::move(other));
      }
    }
    if (!place->second) continue;
    if (!out) out = program;
    out->threads[t].body = place->second;
  }
  return out;
}

}  // namespace ptxmc::lower
