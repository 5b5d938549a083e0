// SPDX-License-Identifier: Apache-2.0
#include "report/verify_claim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ptxmc::report {

namespace {

using kernel::Decided;
using kernel::End;
using kernel::Source;

constexpr std::size_t kMostShown = 6;  // places of one kind

std::string words(kernel::Sources sources) {
  std::vector<std::string> all;
  if ((sources & bit(Source::data)) != 0) all.emplace_back("data");
  if ((sources & bit(Source::timing)) != 0) all.emplace_back("timing");
  if ((sources & bit(Source::other_cta)) != 0) all.emplace_back("another CTA");
  return fmt::format("{}", fmt::join(all, " and "));
}

void add_decisions(const Verified& of, Decided what, std::vector<std::string>& limits) {
  std::vector<std::string> places;
  kernel::Sources sources = 0;
  std::size_t count = 0;
  for (const kernel::Decision& decision : of.outcome.decisions) {
    if (decision.what != what) continue;
    ++count;
    sources = static_cast<kernel::Sources>(sources | decision.sources);
    if (places.size() < kMostShown) places.push_back(line_of(place_of(of, decision.site)));
  }
  if (count == 0) return;
  limits.push_back(
      fmt::format("{} decides {} at {}{}", words(sources), what == Decided::control ? "control" : "addresses",
                  fmt::join(places, ", "),
                  count > places.size() ? fmt::format(" and {} more", count - places.size()) : ""));
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

/// In which case the skeleton of synchronization is not one trace, or what decides it was not written race-free.
bool leaves_open(const trace::Finding& finding) {
  return finding.rule == trace::Rule::phase_not_confluent ||
         trace::severity_of(finding.rule) != Severity::note;
}

bool is_error(const trace::Finding& finding) {
  return trace::severity_of(finding.rule) == Severity::error;
}

}  // namespace

VerifyAnswer answer_of(const Verified& verified) {
  const kernel::Outcome& outcome = verified.outcome;
  const auto& findings = verified.findings;
  if (!outcome.faults.empty() || hangs(verified) || std::any_of(findings.begin(), findings.end(), is_error))
    return VerifyAnswer::finding;
  const bool exact = outcome.end == End::finished && outcome.decisions.empty() &&
                     verified.assumptions.empty() &&
                     std::none_of(findings.begin(), findings.end(), leaves_open);
  return exact ? VerifyAnswer::exact : VerifyAnswer::bounded;
}

std::vector<std::string> limits_of(const Verified& verified) {
  std::vector<std::string> out = verified.assumptions;
  const kernel::Outcome& outcome = verified.outcome;
  switch (outcome.end) {
    case End::out_of_steps:
      out.emplace_back("ended by --steps");
      break;
    case End::out_of_time:
      out.emplace_back("ended by --timeout");
      break;
    case End::stopped:
      out.emplace_back("interrupted");
      break;
    case End::finished:
    case End::deadlock:
      break;
  }
  add_decisions(verified, Decided::control, out);
  add_decisions(verified, Decided::address, out);
  if (outcome.end == End::deadlock && !hangs(verified) && !outcome.waiting.empty()) {
    const kernel::Waiting& waiting = outcome.waiting.front();
    const VerifyPlace place = place_of(verified, waiting.site, waiting.threads.front());
    out.push_back(fmt::format("ended where {} waits at {} for what a CTA that did not run may do",
                              place.thread, line_of(place)));
  }
  for (const Severity severity : {Severity::warning, Severity::note}) {
    const auto count =
        std::count_if(verified.findings.begin(), verified.findings.end(), [&](const trace::Finding& finding) {
          return trace::severity_of(finding.rule) == severity && leaves_open(finding);
        });
    if (count == 0) continue;
    out.emplace_back(severity == Severity::warning
                         ? "there are warnings"
                         : "an arrival may count to another phase of its mbarrier object");
  }
  return out;
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

}  // namespace ptxmc::report
