// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "explain/verify/findings.h"
#include "program/tasks.h"

namespace ptxmc::explain {

namespace {

using kernel::Decided;
using kernel::End;
using kernel::Source;

constexpr std::size_t kMostShown = 6;  // places of one kind

std::string words(kernel::Sources sources) {
  std::vector<std::string> all;
  if ((sources & bit(Source::data)) != 0) all.emplace_back("data");
  if ((sources & bit(Source::timing)) != 0) all.emplace_back("timing");
  return fmt::format("{}", fmt::join(all, " and "));
}

void add_decisions(const Verified& of, Decided what, std::vector<std::string>& limits) {
  std::vector<std::string> places;
  kernel::Sources sources = 0;
  std::size_t count = 0;
  std::set<trace::Site> sites;
  for (const kernel::Decision& decision : of.outcome.decisions) {
    const bool waits = decision.what == Decided::waiting && what == Decided::control && !of.waits_settled;
    if ((decision.what != what && !waits) || kernel::open(decision.sources) == 0) continue;
    if (!sites.insert(decision.site).second) continue;
    ++count;
    sources = static_cast<kernel::Sources>(sources | kernel::open(decision.sources));
    if (places.size() < kMostShown) places.push_back(line_of(place_of(of, decision.site)));
  }
  if (count == 0) return;
  limits.push_back(
      fmt::format("{} decide{} {} at {}{}", words(sources), std::has_single_bit(sources) ? "s" : "",
                  what == Decided::control ? "control" : "addresses", fmt::join(places, ", "),
                  count > places.size() ? fmt::format(" and {} more", count - places.size()) : ""));
}

/// The order in which threads have their turns decides, and not all orders were taken.
void add_turns(const Verified& of, std::vector<std::string>& limits) {
  if (of.turns.all || decided_by_turns(of).empty()) return;
  limits.push_back(fmt::format("{} decides at {}: {} taken, {}", order_text(of), turns_text(of),
                               plural(of.turns.taken, "order"), of.turns.why));
}

/// In which case the skeleton of synchronization is not one trace, or what decides it was not written race-free.
bool leaves_open(const trace::Finding& finding) {
  return finding.rule == trace::Rule::phase_not_confluent ||
         trace::severity_of(finding.rule) != Severity::note;
}

template <typename Is>
bool executes(const Verified& of, Is&& is) {
  for (trace::Site site = 0; site < of.run->sites(); ++site) {
    if (of.outcome.executed[site] != 0 && is(of.run->instruction(site))) return true;
  }
  return false;
}

/// Because of what was asked for and of the shape of the program, whatever the run shows.
void add_left_out(const Verified& of, std::vector<std::string>& out) {
  if (of.partial())
    out.push_back(fmt::format("only CTA {} of {} ran (--cta all runs the others)", fmt::join(of.ctas, ", "),
                              of.of_ctas));
  if (of.partial() && !of.compared.empty()) out.push_back(of.compared);
  if (of.peers) out.emplace_back("writers outside of the launch wrote 1 into each word, once");
  if (!of.orders) out.emplace_back("no orders were checked");
  if (executes(of, [](const program::Instruction& instruction) {
        return instruction.opcode == isa::Opcode::fence && instruction.modifiers.space != isa::Space::generic;
      }))
    out.emplace_back("fences with .sync_restrict were taken for fences of all memory");
  const program::Program& program = *of.program;
  // What a programmatic dependent does before it waits is told apart.
  if (program.kernels.stated && program::plan_tasks(program).may_overlap())
    out.emplace_back("kernels that may overlap ran one after the other");
  if (std::any_of(program.variables.begin(), program.variables.end(),
                  [](const program::Variable& variable) { return !variable.aliases.empty(); }))
    out.emplace_back("accesses through different names of one location were not told apart");
}

}  // namespace

std::string sites_text(const Verified& verified, const std::vector<trace::Site>& sites) {
  std::vector<std::string> places;
  for (const trace::Site site : sites) {
    if (places.size() < kMostShown) places.push_back(line_of(place_of(verified, site)));
  }
  return fmt::format(
      "{}{}", fmt::join(places, ", "),
      sites.size() > places.size() ? fmt::format(" and {} more", sites.size() - places.size()) : "");
}

std::string turns_text(const Verified& verified) {
  return sites_text(verified, decided_by_turns(verified));
}

std::string_view order_text(const Verified& verified) {
  const std::vector<trace::Site> sites = decided_by_turns(verified);
  const bool atomics = std::all_of(sites.begin(), sites.end(), [&](trace::Site site) {
    return verified.run->instruction(site).opcode == isa::Opcode::atom;
  });
  return atomics ? "the order of atomics" : "the order of atomics, strong reads and writes";
}

std::vector<trace::Site> decided_by_turns(const Verified& verified) {
  std::set<trace::Site> out;
  for (const kernel::Decision& decision : verified.outcome.decisions) {
    const isa::Opcode opcode = verified.run->instruction(decision.site).opcode;
    const bool reads = opcode == isa::Opcode::atom || opcode == isa::Opcode::ld;
    if (reads && decision.what == Decided::control && (decision.sources & bit(Source::turns)) != 0)
      out.insert(decision.site);
  }
  return {out.begin(), out.end()};
}

std::vector<std::string> limits_of(const Verified& verified) {
  std::vector<std::string> out;
  if (!verified.selection.all()) out.emplace_back("findings of some rules are not shown (--only, --ignore)");
  add_left_out(verified, out);
  const kernel::Outcome& outcome = verified.outcome;
  switch (outcome.end) {
    case End::out_of_steps:
      out.emplace_back("ended by --steps");
      break;
    case End::out_of_time:
      out.emplace_back("ended by --timeout");
      break;
    case End::out_of_memory:
      out.emplace_back("ended by --memory");
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
  add_turns(verified, out);
  const bool guessed = std::any_of(outcome.faults.begin(), outcome.faults.end(),
                                   [](const kernel::Fault& fault) { return fault.guessed; });
  if (guessed) out.emplace_back("addresses rest on contents that the launch does not give");
  if (hangs(verified) && is_guessed(outcome.waiting))
    out.emplace_back("a loop rests on contents that the launch does not give");
  if (outcome.end == End::deadlock && !hangs(verified) && !outcome.waiting.empty()) {
    const kernel::Waiting& waiting = outcome.waiting.front();
    const VerifyPlace place = place_of(verified, waiting.site, waiting.threads.front());
    out.push_back(
        fmt::format("ended where {} waits at {} for what {} may do", place.thread, line_of(place),
                    was_left_out(verified) ? "an instruction with an error" : "a CTA that did not run"));
  }
  for (const Severity severity : {Severity::warning, Severity::note}) {
    const auto count =
        std::count_if(verified.findings.begin(), verified.findings.end(), [&](const trace::Finding& finding) {
          return trace::severity_of(finding.rule) == severity && leaves_open(finding);
        });
    const bool warned = severity == Severity::warning &&
                        std::any_of(outcome.faults.begin(), outcome.faults.end(),
                                    [](const kernel::Fault& fault) { return is_warning(fault.kind); });
    if (count == 0 && !warned) continue;
    out.emplace_back(severity == Severity::warning
                         ? "there are warnings"
                         : "an arrival may count to another phase of its mbarrier object");
  }
  if (!verified.excused.empty()) out.push_back("but " + verified.excused);
  return out;
}

std::string avoided_text(const Verified& verified) {
  std::vector<std::string> places;
  for (const trace::Site site : verified.outcome.avoided) {
    if (places.size() < kMostShown) places.push_back(line_of(place_of(verified, site)));
  }
  const std::size_t more = verified.outcome.avoided.size() - places.size();
  return places.empty() ? ""
                        : fmt::format("nobody goes to a trap at {}{}", fmt::join(places, ", "),
                                      more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace ptxmc::explain
