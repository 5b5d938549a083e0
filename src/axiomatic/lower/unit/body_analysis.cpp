// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/body_analysis.h"

#include <algorithm>

#include "axiomatic/lower/unit/waiting.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"

namespace ptxmc::lower {

using isa::Opcode;
using program::Instruction;

namespace {

constexpr std::size_t kMaxJumpsBack = 256;

bool is_poll(Opcode opcode) {
  return opcode == Opcode::mbarrier_test_wait || opcode == Opcode::mbarrier_try_wait;
}

}  // namespace

BodyAnalysis::BodyAnalysis(const program::Program& program, const program::Thread& thread,
                           const Errors& errors)
    : body_(*thread.body) {
  find_registers(program);
  find_jumps(errors);
  std::size_t jumps_back = 0;
  for (std::size_t i = 0; i < jumps_.size(); ++i) jumps_back += jumps_[i].target && *jumps_[i].target <= i;
  if (jumps_back > kMaxJumpsBack) {
    errors.fail(thread.position,
                "more than " + std::to_string(kMaxJumpsBack) + " jumps backwards in one thread");
  }
  loops_ = find_loops(body_.code, jumps_, observed_registers(program));
  for (const Loop& loop : loops_.loops) counters_.push_back(counters_of(body_.code, jumps_, loop));
}

void BodyAnalysis::find_registers(const program::Program& program) {
  std::set<std::string> names;
  uses_.reserve(body_.code.size());
  for (const auto& declaration : body_.registers) names.insert(declaration.name);
  for (const Instruction& instruction : body_.code) {
    const program::RegisterUse& use = uses_.emplace_back(register_use(instruction));
    names.insert(use.reads.begin(), use.reads.end());
    names.insert(use.writes.begin(), use.writes.end());
    opcodes_.insert(instruction.opcode);
  }
  for (const program::RegisterInit& init : program.register_inits) {
    const bool runs = std::any_of(
        program.threads.begin(), program.threads.end(),
        [&](const program::Thread& t) { return t.number == init.thread && t.body.get() == &body_; });
    if (runs) names.insert(init.name);
  }
  registers_.assign(names.begin(), names.end());
  declared_.resize(registers_.size());
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    special_.push_back(isa::is_special_register(registers_[i]) ? 1 : 0);
    changes_.push_back(isa::special_register(registers_[i]) == isa::Special::of_moment ? 1 : 0);
    indices_.emplace(registers_[i], i);
  }
  for (const auto& declaration : body_.registers) {
    auto& type = declared_[index(declaration.name)];
    if (!type) type = declaration.type;
  }
}

std::optional<std::size_t> BodyAnalysis::find(const std::string& name) const {
  const auto found = indices_.find(name);
  return found == indices_.end() ? std::nullopt : std::optional(found->second);
}

void BodyAnalysis::find_jumps(const Errors& errors) {
  flow::Jumps jumps = flow::jumps_of(body_.code);
  if (jumps.repeated) {
    const Instruction& second = body_.code[*jumps.repeated];
    errors.fail(second.position, "label " + second.labels.front() + " stands twice");
  }
  if (jumps.astray) {
    const program::Operand& label = body_.code[*jumps.astray].operand(isa::Role::label);
    errors.fail(label.position, "unknown label " + std::get<program::LabelName>(label.value).name);
  }
  jumps_ = std::move(jumps.of);
}

bool BodyAnalysis::always_executed(std::size_t at) const {
  if (!enclosing(at).empty()) return false;
  return !flow::is_live(
      flow::successors(jumps_), 0, [&](std::size_t here) { return here == body_.code.size(); },
      [&](std::size_t here) { return here == at; });
}

bool BodyAnalysis::polls(const Loop& loop) const {
  return std::any_of(body_.code.begin() + static_cast<std::ptrdiff_t>(loop.begin),
                     body_.code.begin() + static_cast<std::ptrdiff_t>(loop.end) + 1,
                     [](const Instruction& instruction) { return is_poll(instruction.opcode); });
}

bool BodyAnalysis::only_polls(const Loop& loop) const {
  if (!polls(loop)) return false;
  for (std::size_t i = loop.begin; i <= loop.end; ++i) {
    const Opcode opcode = body_.code[i].opcode;
    if (opcode == Opcode::ld || opcode == Opcode::atom || opcode == Opcode::api_call) return false;
  }
  return true;
}

const std::vector<char>& BodyAnalysis::live(std::size_t at) const {
  if (live_.empty()) find_live();
  return live_[at];
}

// The usual backwards data-flow analysis. At the end of the thread nothing is read.
void BodyAnalysis::find_live() const {
  const std::size_t n = body_.code.size();
  live_.assign(n + 1, std::vector<char>(registers_.size(), 0));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = n; i-- > 0;) {
      std::vector<char> live(registers_.size(), 0);
      const auto join = [&](std::size_t next) {
        for (std::size_t r = 0; r < live.size(); ++r) live[r] = static_cast<char>(live[r] | live_[next][r]);
      };
      if (jumps_[i].falls_through) join(i + 1);
      if (jumps_[i].target) join(*jumps_[i].target);
      if (!body_.code[i].guard) {
        for (const std::string& name : uses_[i].writes) live[index(name)] = 0;
      }
      for (const std::string& name : uses_[i].reads) live[index(name)] = 1;
      changed = changed || live != live_[i];
      live_[i] = std::move(live);
    }
  }
}

const BodyAnalysis& BodyAnalyses::of(const program::Thread& thread) {
  auto& analysis = known_[thread.body.get()];
  if (!analysis) analysis = std::make_unique<const BodyAnalysis>(program_, thread, errors_);
  return *analysis;
}

}  // namespace ptxmc::lower
