// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/input_variation.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "dynamic/shadow/detector.h"
#include "finding/rules.h"

namespace ptxmc::explore {

namespace {

constexpr std::size_t kRunsOfContents = 24;  // unless the user says another number
constexpr std::size_t kMostNumbers = 4;      // that contents are made of

bool is_of_data(const exec::Decision& decision, exec::Decided what) {
  return decision.what == what && (decision.sources & bit(exec::Source::data)) != 0;
}

/// Variables that threads synchronize by: what they hold at first is no data. A launch that leaves it open means 0.
class Synchronizing : public trace::Detector {
 public:
  Synchronizing(const VerificationTask& task, const exec::Options& options)
      : Detector(task.detection(options)), run_(task.test, this, task.inner_maps), options_(options) {}

  std::vector<trace::Address> run() {
    run_.run(options_);
    return std::move(variables_);
  }

  void access(const trace::Access& access) override {
    Detector::access(access);
    const bool strong = access.strength.semantics != isa::Semantics::weak;
    if (!strong && access.effect != trace::Effect::update && access.polls == nullptr) return;
    trace::for_threads(access.lanes,
                       [&](trace::Thread thread) { add(access.begin[thread % trace::kLanes]); });
  }

 private:
  void add(trace::Address at) {
    if (at - last_.begin < last_.bytes) return;
    const auto variable = run_.global_variable_at(at);
    if (!variable) return;
    last_ = *variable;
    if (std::find(variables_.begin(), variables_.end(), last_.begin) == variables_.end())
      variables_.push_back(last_.begin);
  }

  exec::Run run_;
  const exec::Options& options_;
  trace::Range last_;
  std::vector<trace::Address> variables_;  // where they begin
};

/// A number, or what a register of the first thread has held in the end, be that of no contents.
std::optional<std::int64_t> known_number(const exec::Run& run, const program::Operand& operand) {
  if (const auto* number = std::get_if<program::Integer>(&operand.value)) return number->value;
  const auto* reg = std::get_if<program::Register>(&operand.value);
  if (reg == nullptr) return std::nullopt;
  const exec::Run::Value value = run.reg(0, reg->name);
  if (value.sources != 0) return std::nullopt;
  return static_cast<std::int64_t>(value.bits);
}

/// The number that the guard of an instruction compares with: by the setp before it that sets the guard.
std::optional<std::int64_t> compared_with(const exec::Run& run, trace::Site site) {
  const auto& guard = run.instruction(site).guard;
  if (!guard) return std::nullopt;
  for (trace::Site at = site; at-- > 0;) {
    const program::Instruction& setp = run.instruction(at);
    if (setp.opcode != isa::Opcode::setp || setp.operands.empty()) continue;
    const auto* to = std::get_if<program::Register>(&setp.operands.front().value);
    const auto* both = std::get_if<program::RegisterPair>(&setp.operands.front().value);
    const bool sets = (to != nullptr && to->name == guard->reg) ||
                      (both != nullptr && (both->first == guard->reg || both->second == guard->reg));
    if (!sets) continue;
    for (std::size_t i = 1; i < setp.operands.size(); ++i) {
      if (const auto number = known_number(run, setp.operands[i])) return number;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

using Words = exec::Contents::Words;

/// Numbers that open contents are compared with: by what decides first, then by any comparison that ran.
std::vector<std::uint32_t> compared_numbers(const claim::VerifyResult& verified) {
  std::vector<std::uint32_t> out;
  const auto add = [&](std::int64_t number) {
    const auto word = static_cast<std::uint32_t>(number);
    if (out.size() < kMostNumbers && std::find(out.begin(), out.end(), word) == out.end())
      out.push_back(word);
  };
  for (const exec::Decision& decision : verified.outcome.decisions) {
    if (!is_of_data(decision, exec::Decided::control)) continue;
    if (const auto number = compared_with(*verified.run, decision.site)) add(*number);
  }
  for (trace::Site site = 0; site < verified.run->sites(); ++site) {
    const program::Instruction& setp = verified.run->instruction(site);
    if (setp.opcode != isa::Opcode::setp || verified.outcome.executed[site] == 0) continue;
    for (std::size_t i = 1; i < setp.operands.size(); ++i) {
      if (const auto* number = std::get_if<program::Integer>(&setp.operands[i].value)) add(number->value);
    }
  }
  return out;
}

/// What swaps find where they succeed, if that is not 0: a location is empty, for one that synchronizes by it.
std::vector<std::uint32_t> swapped_numbers(const claim::VerifyResult& verified) {
  std::vector<std::uint32_t> out;
  for (trace::Site site = 0; site < verified.run->sites(); ++site) {
    const program::Instruction& swap = verified.run->instruction(site);
    if (swap.modifiers.atomic != isa::AtomicOp::cas || verified.outcome.executed[site] == 0) continue;
    const program::Operand* comparand = swap.find(isa::Role::comparand);
    const auto number = comparand == nullptr ? std::nullopt : known_number(*verified.run, *comparand);
    if (number && *number != 0) out.push_back(static_cast<std::uint32_t>(*number));
  }
  return out;
}

/// Contents for each side of a branch, as far as a number that it compares with can be told, for all threads
/// and for some of them; numbers that rise, fall, and that are what they are by chance; and what swaps wait
/// for, also where threads synchronize.
std::vector<exec::Contents> contents_of(const claim::VerifyResult& verified, std::size_t count,
                                        const std::vector<trace::Address>& zero) {
  std::vector<exec::Contents> out;
  const auto add_with = [&](std::uint32_t word, Words words, const std::vector<trace::Address>& but) {
    const auto same = [&](const exec::Contents& other) {
      return other.word == word && other.words == words && other.zero == but;
    };
    if (word != 0 && out.size() < count && std::none_of(out.begin(), out.end(), same))
      out.push_back({word, words, but});
  };
  const auto add = [&](std::uint32_t word, Words words) { add_with(word, words, zero); };
  const std::vector<std::uint32_t> numbers = compared_numbers(verified);
  constexpr std::uint32_t kOne = 0x3f800000;  // as a floating number; those after it are more, too
  constexpr std::uint32_t kMany = 1024, kFew = 15;
  add(1, Words::numbered);
  add(kOne, Words::numbered);
  for (const Words words : {Words::alike, Words::second}) {
    add(1, words);
    for (const std::uint32_t number : numbers) add(number, words);
  }
  add(kFew, Words::mixed);
  add(kOne, Words::alike);
  add(~std::uint32_t{0}, Words::alike);
  for (const std::uint32_t number : numbers) {
    add(number + 1, Words::alike);
    add(number + 1, Words::mixed);
  }
  for (const std::uint32_t number : swapped_numbers(verified)) add_with(number, Words::alike, {});
  add(kMany, Words::falling);
  add(~std::uint32_t{0}, Words::mixed);
  return out;
}

/// Contents that lead out of the buffers, or to a trap, are none that the launch may have.
bool is_possible(const exec::Outcome& outcome) {
  return outcome.end == exec::End::finished &&
         std::all_of(outcome.faults.begin(), outcome.faults.end(), [](const exec::Fault& fault) {
           return fault.rule == finding::RuleId::barrier_divergence ||
                  fault.rule == finding::RuleId::exited_lane ||
                  fault.rule == finding::RuleId::generic_address;
         });
}

}  // namespace

void try_contents(const VerificationTask& task, const exec::Options& limits, std::optional<std::size_t> most,
                  claim::VerifyResult& verified, Runs& runs) {
  const auto& decisions = verified.outcome.decisions;
  if (std::none_of(decisions.begin(), decisions.end(), [](const exec::Decision& decision) {
        return is_of_data(decision, exec::Decided::control) || is_of_data(decision, exec::Decided::address);
      }))
    return;
  std::uint64_t instructions = verified.outcome.instructions;
  const std::uint64_t first = std::max<std::uint64_t>(instructions, 1);
  if (!most && instructions > kLongRuns) return;
  const std::vector<trace::Address> zero = Synchronizing(task, limits).run();
  for (const exec::Contents& contents : contents_of(verified, most.value_or(kRunsOfContents), zero)) {
    if (!most && instructions > kLongRuns) return;
    exec::Options options = limits;
    options.contents = contents;
    // Contents that are no counts may make loops of any length.
    constexpr std::uint64_t kLonger = 16;
    options.steps = std::min(limits.steps.value_or(~std::uint64_t{0}), first * kLonger + kLongRuns / kLonger);
    claim::VerifyResult shown = run_otherwise(task, options).verified;
    instructions += shown.outcome.instructions;
    if (!is_possible(shown.outcome)) continue;
    std::erase_if(shown.findings,
                  [](const trace::Finding& finding) { return !finding::is_race(finding.rule); });
    const std::size_t findings = verified.findings.size(), faults = verified.outcome.faults.size();
    add_run(shown, std::move(options), verified, runs);
    for (std::size_t i = findings; i < verified.findings.size(); ++i) verified.contents[i] = contents;
    for (std::size_t i = faults; i < verified.outcome.faults.size(); ++i)
      verified.fault_contents[verified.outcome.faults[i].site] = contents;
  }
}

}  // namespace ptxmc::explore
