// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/exit_target.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "dynamic/exec/known_bits.h"
#include "dynamic/exec/straight_paths.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Role;
using trace::Leads;
using trace::PartlyKnown;

/// The rest of a turn, from a read on, by lane 0 of some registers.
class RestOfTurn {
 public:
  RestOfTurn(const Code& code, const Step& read, std::span<const std::uint64_t> inputs)
      : code_(code),
        read_(read),
        loop_(read.polls != nullptr ? *read.polls : *read.takes),
        rows_(code.slots),
        known_(code.slots, kAllBits) {
    for (const Constant& constant : code.constants) {
      if (constant.variable.empty() && !constant.special) rows_[constant.slot][0] = constant.number;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) rows_[loop_.inputs[i]][0] = inputs[i];
  }

  Leads run(std::span<const PartlyKnown> values) {
    const std::vector<Slot> slots = read_by(read_);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i] != kNoSlot) set(slots[i], values[i]);
    }
    follow(first() + 1, 0);
    if (doubtful_ || left_for_.size() > 1) return {std::nullopt, false};
    if (left_for_.empty()) return {};
    return {*left_for_.begin(), !comes_back_};
  }

 private:
  std::size_t first() const { return read_.site - code_.first; }

  /// To the end of the turn, or out of the loop; where it is not known which way, on both.
  void follow(std::size_t at, unsigned length) {
    if (++paths_ > kMostPaths) doubtful_ = true;
    for (; length < kLongestTurn && !doubtful_; ++length) {
      if (at == first() || at == loop_.again) {
        comes_back_ = true;
        return;
      }
      if (at >= code_.steps.size() || !loop_.steps[at]) break;
      const Step& step = code_.steps[at];
      ++at;
      if (tells_others(step)) {
        tell(step);
        continue;
      }
      if (step.act != Act::none && !is_pure(step)) continue;
      const bool knows = step.guard == kNoSlot || (known_[step.guard] & 1U) != 0;
      const bool executes = step.guard == kNoSlot || ((rows_[step.guard][0] & 1U) != 0) != step.guard_negated;
      if (is_pure(step)) {
        if (executes || !knows) compute(step, knows);
      } else if (!knows) {
        const auto [rows, known] = std::pair(rows_, known_);
        follow(step.target - code_.first, length + 1);
        std::tie(rows_, known_) = std::tie(rows, known);
      } else if (executes) {
        at = step.target - code_.first;
      }
    }
    left_for_.insert(at);
  }

  void set(Slot slot, PartlyKnown value) {
    rows_[slot][0] = static_cast<std::uint64_t>(value.bits);
    known_[slot] = static_cast<std::uint64_t>(value.known);
  }

  /// What the thread that tells the others what it read learns itself.
  void tell(const Step& step) {
    if (step.instruction->opcode == Opcode::shuffle) {
      const Slot value = step.slot(Role::value);
      set(step.to, {rows_[value][0], known_[value]});
      if (step.second != kNoSlot) set(step.second, {1});  // the lane is there
      return;
    }
    const Slot predicate = step.slot(Role::predicate);
    const bool holds = (rows_[predicate][0] & 1U) != 0;
    set(step.to, {holds != step.is_negated(Role::predicate) ? std::uint64_t{1} : 0, known_[predicate]});
  }

  /// Where it is not known whether it is executed, its results are not.
  void compute(const Step& step, bool executes) {
    for (const auto& [from, to] : step.opposites) set(to, {(rows_[from][0] & 1U) ^ 1U, known_[from]});
    if (step.compute == nullptr || step.is_unknown) return;
    const std::vector<Slot> written = written_by(step);
    std::vector<std::uint64_t> known(written.size(), 0);
    if (executes && rests_on_known(step)) {
      std::fill(known.begin(), known.end(), kAllBits);
    } else if (executes) {
      KnownSources sources;
      for (std::size_t i = 0; i < step.source_count; ++i) sources.of[i][0] = known_[step.sources[i]];
      sources.predicate[0] = step.has(Role::predicate) ? known_[step.slot(Role::predicate)] : kAllBits;
      const std::vector<Row> results = known_results(rows_, step, 1, sources);
      for (std::size_t i = 0; i < written.size(); ++i) known[i] = results[i][0];
    }
    step.compute(rows_.data(), step, 1);
    for (std::size_t i = 0; i < written.size(); ++i) known_[written[i]] = known[i];
  }

  bool rests_on_known(const Step& step) const {
    const auto all = [&](Slot slot) { return slot == kNoSlot || known_[slot] == kAllBits; };
    bool out = all(step.slot(Role::predicate)) && all(step.slot(Role::state));
    for (std::size_t i = 0; i < step.source_count; ++i) out = out && all(step.sources[i]);
    return out;
  }

  const Code& code_;
  const Step& read_;
  const PollLoop& loop_;
  std::vector<Row> rows_;             // of all registers, in lane 0
  std::vector<std::uint64_t> known_;  // of these, which bits
  std::set<std::size_t> left_for_;    // on some way
  bool comes_back_ = false, doubtful_ = false;
  unsigned paths_ = 0;
};

}  // namespace

bool tells_others(const Step& step) {
  if (step.guard != kNoSlot || step.to == kNoSlot) return false;
  const isa::WarpMode mode = step.modifiers().warp_mode;
  switch (step.instruction->opcode) {
    case Opcode::bar_red:
      return step.has(Role::predicate);
    case Opcode::vote:
      return mode == isa::WarpMode::any || mode == isa::WarpMode::all;
    case Opcode::shuffle:
      return mode == isa::WarpMode::idx;
    default:
      return false;
  }
}

Leads leads(const Code& code, const Step& read, std::span<const std::uint64_t> inputs,
            std::span<const PartlyKnown> values) {
  return RestOfTurn(code, read, inputs).run(values);
}

}  // namespace ptxmc::exec
