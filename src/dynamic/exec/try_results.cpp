// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/try_results.h"

#include <algorithm>
#include <map>

#include "dynamic/exec/straight_paths.h"
#include "ptx/program/register_use.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;

bool is_wait(const Step& step) {
  const Opcode opcode = step.instruction->opcode;
  return opcode == Opcode::mbarrier_try_wait || opcode == Opcode::mbarrier_test_wait;
}

bool is_try(const Step& step) {
  return is_wait(step) && !step.waits_in_loop && step.to != kNoSlot && step.guard == kNoSlot;
}

/// The same in all schedules.
bool reads_constants(const Step& step) {
  const isa::Space space = step.address.space;
  return step.instruction->opcode == Opcode::ld &&
         (space == isa::Space::param || space == isa::Space::const_);
}

class Tokens {
 public:
  explicit Tokens(Code& code) : code_(code) {
    for (std::size_t at = 0; at < code.steps.size(); ++at) {
      Slots written;
      add_written(code, code.steps[at], written);
      for (const Slot slot : written) writers_[slot].push_back(at);
    }
  }

  void run() {
    std::set<std::size_t> tries;
    for (std::size_t at = 0; at < code_.steps.size(); ++at) {
      Step& step = code_.steps[at];
      if (step.act != Act::none || step.compute != nullptr || !step.jumps || step.guard == kNoSlot) continue;
      if (!skips_wait(at, true) && !skips_wait(at, false)) continue;
      const auto from = tries_behind(step.guard);
      if (!from || from->empty()) continue;
      step.token = skips_wait(at, true) ? Step::Token::skips_if_taken : Step::Token::skips_if_not;
      tries.insert(from->begin(), from->end());
    }
    for (const std::size_t at : tries) code_.steps[at].is_tried_ahead = decides_tokens_alone(at);
  }

 private:
  StraightPath side(std::size_t branch, bool taken) const {
    const Step& step = code_.steps[branch];
    Facts facts = constants_of(code_);
    facts.of[step.guard] = Fact::number;
    facts.rows[step.guard][0] = taken != step.guard_negated ? 1 : 0;
    return path_from(code_, facts, taken ? step.target - code_.first : branch + 1);
  }

  /// One side leads to a wait, and from there to where the other one leads.
  bool skips_wait(std::size_t branch, bool taken) const {
    const StraightPath waiting = side(branch, !taken), other = side(branch, taken);
    if (waiting.empty()) return false;
    const std::size_t wait = waiting.back();
    if (!code_.steps[wait].waits_in_loop || code_.steps[wait].guard != kNoSlot) return false;
    Facts facts = constants_of(code_);
    const StraightPath out = path_out(code_, facts, wait);
    const auto meet = meeting(out, other);
    if (!meet || std::find(other.begin(), other.end(), wait) != other.end()) return false;
    Slots written;
    add_written(code_, waiting, code_.steps.size(), written);
    add_written(code_, out, *meet, written);
    add_written(code_, other, *meet, written);
    return none_is_read_from(code_, *meet, written);
  }

  /// What a register rests on, through what is computed: the tries. Nothing: on other things, too.
  std::optional<std::set<std::size_t>> tries_behind(Slot first) const {
    std::set<std::size_t> tries;
    Slots seen{first};
    std::vector<Slot> open{first};
    while (!open.empty()) {
      const auto writers = writers_.find(open.back());
      open.pop_back();
      if (writers == writers_.end()) continue;
      for (const std::size_t at : writers->second) {
        const Step& step = code_.steps[at];
        if (is_try(step)) {
          tries.insert(at);
        } else if (is_pure(step)) {
          for (const Slot slot : slots_of(code_, program::register_use(*step.instruction).reads)) {
            if (seen.insert(slot).second) open.push_back(slot);
          }
        } else if (!reads_constants(step)) {
          return std::nullopt;
        }
      }
    }
    return tries;
  }

  /// Its result goes nowhere but to such branches: then it is taken to fail.
  bool decides_tokens_alone(std::size_t try_at) const {
    Slots resting{code_.steps[try_at].to};
    for (bool grows = true; grows;) {
      grows = false;
      for (const Step& step : code_.steps) {
        const Slots reads = slots_of(code_, program::register_use(*step.instruction).reads);
        const bool rests =
            std::any_of(reads.begin(), reads.end(), [&](Slot slot) { return resting.contains(slot); });
        if (!rests || step.token != Step::Token::none) continue;
        if (!is_pure(step)) return false;
        const std::size_t before = resting.size();
        add_written(code_, step, resting);
        grows |= resting.size() != before;
      }
    }
    return true;
  }

  Code& code_;
  std::map<Slot, std::vector<std::size_t>> writers_;
};

}  // namespace

void find_try_results(Code& code) {
  const auto tries = std::count_if(code.steps.begin(), code.steps.end(), is_try);
  if (tries != 0) Tokens(code).run();
}

}  // namespace ptxmc::exec
