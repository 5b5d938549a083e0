// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/claim.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/verify/limits.h"

namespace ptxmc::explain {

namespace {

/// Of orders of turns: how many there are.
std::string taken_text(const TurnOrders& turns) {
  if (turns.taken == 1) return turns.alike ? "all come to one, which was" : "there is one, which was";
  return turns.alike ? fmt::format("{} differ, all", turns.taken)
                     : fmt::format("there are {}, all", turns.taken);
}

/// What control and addresses rest on beside ids and parameters.
std::string resting_text(const Verified& verified) {
  std::string out;
  if (!decided_by_turns(verified).empty())
    out += fmt::format(" and on {} at {}, of which {} taken", order_text(verified), turns_text(verified),
                       taken_text(verified.turns));
  const auto& ways = verified.outcome.both_ways;
  if (!ways.empty())
    out += fmt::format("{} on data at {}, where both ways were taken", out.empty() ? " and" : ", and",
                       sites_text(verified, {ways.begin(), ways.end()}));
  return out.empty() ? " only" : out;
}

bool synchronizes(const program::Instruction& instruction) {
  const isa::OpcodeTraits& traits = isa::traits(instruction.opcode);
  if (traits.has(isa::Trait::commits) || traits.has(isa::Trait::waits)) return true;
  switch (traits.family) {
    case isa::Family::fence:
    case isa::Family::barrier:
    case isa::Family::mbarrier:
      return true;
    default:
      return instruction.opcode == isa::Opcode::cp_async_arrive;
  }
}

bool is_error(const trace::Finding& finding) {
  return trace::severity_of(finding.rule) == Severity::error;
}

}  // namespace

std::string_view name_of(VerifyAnswer answer) {
  switch (answer) {
    case VerifyAnswer::finding:
      return "finding";
    case VerifyAnswer::bounded:
      return "bounded";
    case VerifyAnswer::exact:
      break;
  }
  return "exact";
}

VerifyAnswer answer_of(const Verified& verified) {
  const kernel::Outcome& outcome = verified.outcome;
  const auto& findings = verified.findings;
  const Selection& selection = verified.selection;
  const bool faulty =
      std::any_of(outcome.faults.begin(), outcome.faults.end(), [&](const kernel::Fault& fault) {
        return fault.is_error() && selection.takes(kernel::name_of(fault.kind));
      });
  const bool wrong = std::any_of(findings.begin(), findings.end(), [&](const trace::Finding& finding) {
    return is_error(finding) && selection.takes(trace::name_of(finding.rule));
  });
  const bool stuck = hangs(verified) && !is_guessed(outcome.waiting) && selection.takes(kHangRule);
  if (faulty || wrong || stuck) return VerifyAnswer::finding;
  return limits_of(verified).empty() ? VerifyAnswer::exact : VerifyAnswer::bounded;
}

std::string claim_of(const Verified& verified) {
  const kernel::Outcome& outcome = verified.outcome;
  switch (answer_of(verified)) {
    case VerifyAnswer::finding:
      return "what is said above happens in some schedule";
    case VerifyAnswer::bounded:
      return fmt::format(
          "{} found in what was run{}; NOT all schedules",
          verified.findings.empty() && outcome.faults.empty() && !hangs(verified) ? "nothing" : "no error",
          verified.schedules == 0 ? "" : fmt::format(" ({} schedules)", verified.schedules + 1));
    case VerifyAnswer::exact:
      break;
  }
  const auto& decisions = outcome.decisions;
  const bool waits = std::any_of(decisions.begin(), decisions.end(), [](const kernel::Decision& decision) {
    return decision.what == kernel::Decided::waiting;
  });
  const auto& findings = verified.findings;
  const bool equal = std::any_of(findings.begin(), findings.end(), [](const trace::Finding& finding) {
    return finding.rule == trace::Rule::equal_bytes;
  });
  const std::string avoided = avoided_text(verified);
  return fmt::format(
      "race-free {}in ALL schedules of this launch{}: control and addresses rest on ids and parameters{}; "
      "every phase is confluent{}{}",
      verified.under.empty() ? "" : fmt::format("under {} ", verified.under),
      avoided.empty() ? "" : fmt::format(" in which {}", avoided), resting_text(verified),
      waits ? "; the same writes let the loops that poll memory go on" : "",
      equal ? "; but for bytes into which equal values are written in either order" : "");
}

Coverage coverage_of(const Verified& verified) {
  Coverage out;
  for (trace::Site site = 0; site < verified.run->sites(); ++site) {
    const program::Instruction& instruction = verified.run->instruction(site);
    if (!instruction.position.known() || instruction.opcode == isa::Opcode::nop) continue;
    const bool ran = verified.outcome.executed[site] != 0, important = synchronizes(instruction);
    ++out.all;
    out.executed += ran ? 1 : 0;
    out.synchronizing += important ? 1 : 0;
    out.synchronized += important && ran ? 1 : 0;
    if (important && !ran) out.never.push_back(place_of(verified, site));
  }
  return out;
}

}  // namespace ptxmc::explain
