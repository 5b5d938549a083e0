// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/convergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dynamic/exec/machine.h"
#include "ptx/rules/together.h"
#include "support/check.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;

/// The oldest are forgotten: only lanes that never come to where their ways meet leave so many.
constexpr std::size_t kMostParted = 64;

/// The first one counts.
void tell_once(Convergence::Problems& out, const Step& step, LaneMask lanes, std::string what) {
  if (out) return;
  out.emplace();
  out->step = &step;
  out->lane = first_of(lanes);
  out->what = std::move(what);
}

constexpr const char* kPassed = "only some threads of the warp execute it: a branch takes the others past it";

}  // namespace

bool is_aligned(const Step& step) {
  return rules::is_together(step.instruction->opcode, step.modifiers());
}

bool Convergence::Executed::is(const Code& other_code, const Step& other) const {
  return step == &other || (code != &other_code && step->instruction->text == other.instruction->text);
}

/// Others have executed it.
void Convergence::miss(Problems& out, std::uint64_t number, std::string what) const {
  PTXMC_CHECK(number >= base_ && number - base_ < executed_.size(),
              "what a live lane has not executed is remembered");
  const Executed& executed = executed_[number - base_];
  tell_once(out, *executed.step, executed.lanes, std::move(what));
}

/// What all live lanes have executed.
void Convergence::forget(LaneMask live) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for_lanes(live, [&](unsigned lane) { least = std::min(least, count_[lane]); });
  while (!executed_.empty() && base_ < least) {
    executed_.pop_front();
    ++base_;
  }
}

void Convergence::part(LaneMask lanes, trace::Site meet) {
  if (parted_.size() == kMostParted) parted_.erase(parted_.begin());
  parted_.push_back({meet, lanes});
}

Convergence::Problems Convergence::come(trace::Site to, LaneMask lanes) {
  Problems out;
  const auto differ = [&](std::uint64_t a, std::uint64_t b) {
    if (a != b && std::min(a, b) >= base_)  // else it was said when the first of them came
      miss(out, std::min(a, b), kPassed);
  };
  for (Parted& parted : parted_) {
    const LaneMask come = parted.meet == to ? lanes & parted.pending : 0;
    if (come == 0) continue;
    parted.pending &= ~come;
    if (!parted.count) parted.count = count_[first_of(come)];
    for_lanes(come, [&](unsigned lane) { differ(count_[lane], *parted.count); });
    for_lanes(parted.pending, [&](unsigned lane) {
      if (count_[lane] > *parted.count) differ(count_[lane], *parted.count);
    });
  }
  std::erase_if(parted_, [](const Parted& parted) { return parted.pending == 0; });
  return out;
}

Convergence::Problems Convergence::execute(const Code& code, const Step& step, LaneMask lanes,
                                           LaneMask live) {
  Problems out;
  const auto problem = [&](std::string what) { tell_once(out, step, lanes, std::move(what)); };
  if (gone_ != 0) problem(fmt::format("{} threads of the warp have ended without it", std::popcount(gone_)));
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint64_t number = count_[lane]++ - base_;
    if (number == executed_.size()) executed_.push_back({&code, &step, 0});
    if (!executed_[number].is(code, step)) problem("other threads of the warp are at another one");
    executed_[number].lanes |= LaneMask{1} << lane;
  });
  for (const Parted& parted : parted_) {
    for_lanes(parted.count ? parted.pending & lanes : 0, [&](unsigned lane) {
      if (count_[lane] > *parted.count) problem(kPassed);
    });
  }
  forget(live);
  return out;
}

Convergence::Problems Convergence::leave(LaneMask lanes, LaneMask live, bool guarded) {
  Problems out;
  for (Parted& parted : parted_) parted.pending &= ~lanes;
  if (!guarded) {
    for_lanes(lanes, [&](unsigned lane) {
      if (count_[lane] - base_ < executed_.size())
        miss(out, count_[lane], "other threads of the warp end without it");
    });
    gone_ |= lanes;
  }
  forget(live);
  return out;
}

// ---- Branches -------------------------------------------------------------------------------------------------

const Partings::Known& Partings::known(const Code& code) {
  const auto [found, fresh] = codes_.try_emplace(&code);
  Known& known = found->second;
  if (!fresh) return known;
  known.any = std::any_of(code.steps.begin(), code.steps.end(), is_aligned);
  if (known.any) known.flow = control_flow(code);
  return known;
}

std::optional<trace::Site> Partings::meeting(const Code& code, const Step& branch) {
  const auto [found, fresh] = branches_.try_emplace(&branch);
  if (!fresh) return found->second;
  const Known& known = this->known(code);
  if (!known.any) return std::nullopt;
  const ControlFlow& control = known.flow;
  const std::size_t from = branch.site - code.first, meet = control.postdominators[from];
  if (meet >= code.steps.size()) return std::nullopt;
  std::vector<bool> seen(code.steps.size() + 1, false);
  std::vector<std::size_t> open = control.next[from];
  bool any = false;
  while (!open.empty() && !any) {
    const std::size_t at = open.back();
    open.pop_back();
    if (at == meet || at >= code.steps.size() || seen[at]) continue;
    seen[at] = true;
    any = is_aligned(code.steps[at]);
    open.insert(open.end(), control.next[at].begin(), control.next[at].end());
  }
  if (any) found->second = code.first + static_cast<trace::Site>(meet);
  return found->second;
}

}  // namespace ptxmc::exec
