// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/exit_reads.h"

#include <algorithm>
#include <utility>

#include "dynamic/exec/flow.h"
#include "support/check.h"

namespace ptxmc::exec {

namespace {

constexpr trace::Address kWidest = 32;  // bytes of a load

bool is_exit(const Step& step) {
  return step.act == Act::leave;
}
/// A thread may be missed there that has exited.
bool is_barrier(const Step& step) {
  return step.act == Act::barrier || step.act == Act::cluster_arrive || step.act == Act::cluster_wait;
}

/// The steps that come between a branch and where its sides meet.
bool parts_at_barrier(const Code& code, const ControlFlow& flow, std::size_t branch) {
  const std::size_t meet = flow.postdominators[branch];
  std::vector<bool> seen(flow.next.size(), false);
  std::vector<std::size_t> open = flow.next[branch];
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (at == meet || at >= code.steps.size() || seen[at]) continue;
    seen[at] = true;
    if (is_barrier(code.steps[at])) return true;
    open.insert(open.end(), flow.next[at].begin(), flow.next[at].end());
  }
  return false;
}

/// Registers on whose values it rests whether a thread exits in front of a barrier.
class ExitValues {
 public:
  explicit ExitValues(Code& code) : code_(code), feeds_(code.slots, 0) {}

  void run() {
    const bool any = std::any_of(code_.steps.begin(), code_.steps.end(), is_barrier);
    if (!any) return;
    find_branches();
    while (std::exchange(changed_, false)) {
      for (const Step& step : code_.steps) pass(step);
    }
    for (Step& step : code_.steps) step.guards_exit = may_read(step) && gives(step);
  }

 private:
  void add(Slot slot) {
    if (slot == kNoSlot || feeds_[slot] != 0) return;
    feeds_[slot] = 1;
    changed_ = true;
  }
  bool is_fed(Slot slot) const { return slot != kNoSlot && feeds_[slot] != 0; }
  bool gives(const Step& step) const {
    const auto fed = [&](Slot slot) { return is_fed(slot); };
    return is_fed(step.to) || is_fed(step.second) ||
           std::any_of(step.elements.begin(), step.elements.end(), fed) ||
           std::any_of(step.results.begin(), step.results.end(), fed);
  }
  /// What another thread may write.
  static bool may_read(const Step& step) {
    const isa::Opcode opcode = step.instruction->opcode;
    const isa::Space space = step.address.space;
    return (opcode == isa::Opcode::ld && space != isa::Space::param && space != isa::Space::const_) ||
           opcode == isa::Opcode::atom;
  }

  void find_branches() {
    const ControlFlow flow = control_flow(code_);
    for (std::size_t at = 0; at < code_.steps.size(); ++at) {
      const Step& step = code_.steps[at];
      const bool branches = flow.next[at].size() > 1;
      if (!branches || !(is_exit(step) || parts_at_barrier(code_, flow, at))) continue;
      add(step.guard);
      if (step.act == Act::compare_branch) add_operands(step);
    }
  }

  void add_operands(const Step& step) {
    for (std::size_t i = 0; i < step.source_count; ++i) add(step.sources[i]);
    for (const Slot slot : step.by_role) add(slot);
  }

  /// What its results rest on, where these feed. What goes through memory may be what any load gives.
  void pass(const Step& step) {
    const bool stores = step.instruction->opcode == isa::Opcode::st;
    if (stores && through_memory_) {
      for (const Slot slot : step.elements) add(slot);
      add(step.slot(isa::Role::value));
    }
    if (stores || !gives(step)) return;
    if (may_read(step) && !std::exchange(through_memory_, true)) changed_ = true;
    add(step.guard);
    add_operands(step);
    for (const auto& [from, opposite] : step.opposites) add(from);
    add(step.address.base);
  }

  Code& code_;
  std::vector<char> feeds_;      // by register
  bool through_memory_ = false;  // what a load gives feeds
  bool changed_ = false;
};

}  // namespace

void find_exit_reads(Code& code) {
  ExitValues(code).run();
}

void ExitReads::read(trace::Thread thread, trace::Address begin, const Step& step) {
  PTXMC_CHECK(step.bytes() <= kWidest, "a load is not so wide");
  Readers& readers = reads_.try_emplace({begin, step.site}, Readers{&step, thread, false}).first->second;
  readers.several = readers.several || readers.first != thread;
}

std::vector<const Step*> ExitReads::overwritten(trace::Thread thread, const trace::Range& range) const {
  std::vector<const Step*> out;
  const trace::Address least = range.begin - std::min(range.begin, kWidest - 1);
  for (auto at = reads_.lower_bound({least, 0}); at != reads_.end(); ++at) {
    const trace::Address begin = at->first.first;
    const Readers& readers = at->second;
    if (begin >= range.begin + range.bytes) break;
    const bool overlaps = range.begin < begin + readers.step->bytes();
    if (overlaps && (readers.several || readers.first != thread)) out.push_back(readers.step);
  }
  return out;
}

}  // namespace ptxmc::exec
