// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/barrier_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "finding/rules.h"
#include "repair/kernel/code_points.h"
#include "repair/kernel/nesting.h"

namespace ptxmc::repair {

namespace {

using finding::RuleId;
using isa::Opcode;
using program::Instruction;

constexpr std::uint32_t kWarp = 32;

class Barriers {
 public:
  Barriers(const Asking& asking, const ModuleChanges& changes)
      : of_(asking.verified), asking_(asking), changes_(changes) {}

  std::vector<Way> run() {
    const bool misused = asking_.finding != nullptr && (asking_.finding->rule == RuleId::barrier_reuse ||
                                                        asking_.finding->rule == RuleId::barrier_misuse ||
                                                        asking_.finding->rule == RuleId::barrier_divergence);
    if (of_.outcome.waiting.empty() && of_.outcome.apart.empty() && !misused) return {};
    for (const program::Thread& thread : of_.program->threads) {
      if (!seen_.insert(thread.body.get()).second) continue;
      arrivals(thread.code());
      hoists(thread.code());
      counts_of_objects(thread.code());
    }
    for (const exec::Waiting& waiting : of_.outcome.waiting) {
      count_of_barrier(waiting);
      parity(waiting);
    }
    return std::move(out_);
  }

 private:
  void arrivals(const std::vector<Instruction>& code);
  void hoists(const std::vector<Instruction>& code);
  void counts_of_objects(const std::vector<Instruction>& code);
  void count_of_barrier(const exec::Waiting& waiting);
  void parity(const exec::Waiting& waiting);

  /// Threads wait at it, or meet there by accident.
  bool concerns(const Instruction& i) const {
    const auto is = [&](trace::Site site) { return of_.run->instruction(site).position == i.position; };
    return std::any_of(of_.outcome.apart.begin(), of_.outcome.apart.end(), is) ||
           std::any_of(of_.outcome.waiting.begin(), of_.outcome.waiting.end(),
                       [&](const exec::Waiting& waiting) { return is(waiting.site); });
  }

  const claim::VerifyResult& of_;
  const Asking& asking_;
  const ModuleChanges& changes_;
  std::set<const program::Body*> seen_;
  std::vector<Way> out_;
};

// A thread that arrives and goes on may come again before the phase is complete (9.7.12.1).
void Barriers::arrivals(const std::vector<Instruction>& code) {
  for (const Instruction& i : code) {
    if (i.opcode != Opcode::bar_arrive || !i.position.known()) continue;
    std::string to(changes_.mnemonic(i));
    to.replace(to.find("arrive"), std::string_view("arrive").size(), "sync");
    out_.push_back({changes_.respelt_as(i, to)});
  }
}

// The barrier of a branch, which not all threads take, stands before the branch, where all come.
void Barriers::hoists(const std::vector<Instruction>& code) {
  const bool any = std::any_of(code.begin(), code.end(), [&](const Instruction& i) {
    return i.opcode == Opcode::bar_sync && i.position.known() && concerns(i);
  });
  if (!any) return;
  const Nesting nesting(code);
  for (std::size_t n = 0; n < code.size(); ++n) {
    if (code[n].opcode != Opcode::bar_sync || !code[n].position.known() || !concerns(code[n])) continue;
    for (const std::size_t branch : nesting.branches(n)) {
      if (!code[branch].position.known() || code[branch].text.empty()) continue;
      out_.push_back({changes_.hoisted(code[n], code[branch])});
      out_.back().front().nesting = nesting(branch);
    }
  }
}

// As many arrivals as come to an object at which threads wait.
void Barriers::counts_of_objects(const std::vector<Instruction>& code) {
  std::set<std::uint32_t> counts;
  for (const exec::Waiting& waiting : of_.outcome.waiting) {
    if (waiting.phase && waiting.phase->expected > waiting.phase->pending && waiting.phase->pending != 0)
      counts.insert(waiting.phase->expected - waiting.phase->pending);
  }
  for (const Instruction& i : code) {
    if (i.opcode != Opcode::mbarrier_init || !i.position.known()) continue;
    for (const std::uint32_t count : counts)
      out_.push_back(
          {changes_.with_operand(i, 1, std::to_string(count), fmt::format("of {} arrivals", count))});
  }
}

// The same of a barrier with a number: whole warps.
void Barriers::count_of_barrier(const exec::Waiting& waiting) {
  const Instruction& i = of_.run->instruction(waiting.site);
  if (!waiting.barrier || waiting.barrier->count == 0 || waiting.barrier->arrived == 0 ||
      i.opcode != Opcode::bar_sync || !i.position.known())
    return;
  const std::uint32_t count = (waiting.barrier->arrived + kWarp - 1) / kWarp * kWarp;
  if (count != waiting.barrier->count)
    out_.push_back({changes_.with_operand(i, 1, std::to_string(count), fmt::format("of {} threads", count))});
}

// The thread waits for the phase that is complete before the first, or for the one after it (9.7.12.15.16).
void Barriers::parity(const exec::Waiting& waiting) {
  const Instruction& i = of_.run->instruction(waiting.site);
  const bool waits = i.opcode == Opcode::mbarrier_try_wait || i.opcode == Opcode::mbarrier_test_wait;
  if (!waits || !i.modifiers.parity || !waiting.phase || !i.position.known()) return;
  constexpr std::size_t kParity = 2;  // after the result and the object
  if (i.operands.size() <= kParity) return;
  const program::Operand& operand = i.operands[kParity];
  if (const auto* number = std::get_if<program::Integer>(&operand.value)) {
    const std::string other = std::to_string(1 - (number->value & 1));
    out_.push_back({changes_.with_operand(i, kParity, other, "for the phase of parity " + other)});
  } else if (const auto* name = std::get_if<program::Register>(&operand.value)) {
    out_.push_back({changes_.with_other_parity(i, kParity, name->name)});
  }
}

}  // namespace

std::vector<Way> barrier_changes(const Asking& asking, const ModuleChanges& changes) {
  return Barriers(asking, changes).run();
}

}  // namespace ptxmc::repair
