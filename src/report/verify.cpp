// SPDX-License-Identifier: Apache-2.0
#include "report/verify.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::report {

namespace {

using kernel::Decided;
using kernel::End;
using kernel::Source;

constexpr std::size_t kMostShown = 6;  // of a list

std::string plural(std::uint64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
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

/// Nobody can go on, and not because somebody was left out: memory of the grid that others would write does not change.
bool hangs(const Verified& of) {
  if (of.outcome.end != End::deadlock) return false;
  const auto polls = [](const kernel::Waiting& waiting) { return waiting.polls; };
  return !of.partial || std::none_of(of.outcome.waiting.begin(), of.outcome.waiting.end(), polls);
}

std::size_t errors(const Verified& of) {
  return static_cast<std::size_t>(std::count_if(
      of.findings.begin(), of.findings.end(),
      [](const trace::Finding& finding) { return trace::severity_of(finding.rule) == Severity::error; }));
}

class Text {
 public:
  Text(const Verified& verified, bool quiet) : of_(verified), quiet_(quiet) {}

  std::string run() {
    out_ = fmt::format("Verify {}\n", of_.name);
    for (const kernel::Fault& fault : of_.outcome.faults) finding(fault);
    if (hangs(of_)) hang();
    std::vector<trace::Finding> sorted = of_.findings;
    std::stable_sort(sorted.begin(), sorted.end(), [](const trace::Finding& a, const trace::Finding& b) {
      return trace::severity_of(a.rule) > trace::severity_of(b.rule);
    });
    for (const trace::Finding& finding : sorted) unordered(finding);
    claim();
    if (!quiet_) coverage();
    return out_;
  }

 private:
  std::string line(trace::Site site) const {
    const program::Instruction& instruction = of_.run->instruction(site);
    std::string text = fmt::format("line {}", instruction.position.line);
    if (of_.origins != nullptr) {
      const auto origin = of_.origins->find(instruction.position.line);
      if (origin != of_.origins->end()) text += fmt::format(" ({})", origin->second);
    }
    return text;
  }

  std::string place(trace::Site site) const {
    return fmt::format("{}: {}", line(site), of_.run->instruction(site).text);
  }

  std::string thread(trace::Thread number) const {
    const program::Thread& of = of_.run->thread(number);
    std::string text = fmt::format("P{}", of.number);
    if (of.placement.cta && of.placement.warp && of.placement.lane)
      text =
          fmt::format("thread {} of CTA {}", *of.placement.warp * 32 + *of.placement.lane, *of.placement.cta);
    return text;
  }

  void finding(const kernel::Fault& fault) {
    out_ += fmt::format("Error  {}: {}\n       {}, {}", kernel::name_of(fault.kind), fault.what,
                        place(fault.site), thread(fault.thread));
    if (fault.instances > 1) out_ += fmt::format(", {} times", fault.instances);
    out_ += "\n";
  }

  std::string place(const trace::Place& at) const {
    static constexpr const char* kEffects[] = {"read", "write", "atomic"};
    std::string text =
        fmt::format("{} by {}", kEffects[static_cast<std::size_t>(at.effect)], thread(at.thread));
    if (at.operation) text = fmt::format("asynchronous {}", text);
    if (at.proxy != isa::Proxy::generic) text += fmt::format(", {} proxy", isa::name_of(at.proxy));
    return fmt::format("{}: {}", place(at.site), text);
  }

  std::string missing(const trace::Cause& cause) const {
    switch (cause.missing) {
      case trace::Missing::synchronization:
        return "nothing orders them";
      case trace::Missing::wait:
        return "nothing waits for its completion";
      case trace::Missing::proxy_fence:
        return fmt::format("no fence.proxy.{} stands between them", isa::name_of(cause.proxy));
      case trace::Missing::scope:
        return "the scopes of release and acquire do not include each other";
      case trace::Missing::acquire:
        return "no acquire follows the read that sees the release";
      case trace::Missing::warp_sync:
        return "only an exchange between lanes orders them: bar.warp.sync orders memory, too";
      case trace::Missing::init_fence:
        return "no fence.mbarrier_init or fence.proxy.async follows the init";
    }
    return "";
  }

  void unordered(const trace::Finding& finding) {
    const Severity severity = trace::severity_of(finding.rule);
    const char* word = severity == Severity::error     ? "Error"
                       : severity == Severity::warning ? "Warning"
                                                       : "Note";
    out_ += fmt::format("{:<6} {}: {}\n       {}\n       {}\n", word, trace::name_of(finding.rule),
                        missing(finding.cause), place(finding.first), place(finding.second));
    if (finding.bytes.bytes != 0)
      out_ += fmt::format("       {} at {}", plural(finding.bytes.bytes, "byte"),
                          of_.run->name_of(finding.bytes.begin));
    if (finding.instances > 1) out_ += fmt::format(", {} times", finding.instances);
    if (finding.bytes.bytes != 0 || finding.instances > 1) out_ += "\n";
    const auto end = [&](const char* what, const std::optional<trace::Site>& site) {
      if (site) out_ += fmt::format("       {} {}\n", what, place(*site));
    };
    end("release", finding.cause.release);
    end("acquire", finding.cause.acquire);
  }

  void hang() {
    out_ += "Error  hang: nobody can go on\n";
    std::size_t shown = 0;
    for (const kernel::Waiting& waiting : of_.outcome.waiting) {
      if (shown++ == kMostShown) {
        out_ += fmt::format("       and {} places more\n", of_.outcome.waiting.size() - kMostShown);
        break;
      }
      const std::size_t others = waiting.threads.size() - 1;
      out_ += fmt::format("       {}{} at {}: for {}\n", thread(waiting.threads.front()),
                          others == 0 ? "" : fmt::format(" and {} more", others), place(waiting.site),
                          waiting.what);
    }
  }

  static std::string words(kernel::Sources sources) {
    std::vector<std::string> all;
    if ((sources & bit(Source::data)) != 0) all.emplace_back("data");
    if ((sources & bit(Source::timing)) != 0) all.emplace_back("timing");
    if ((sources & bit(Source::other_cta)) != 0) all.emplace_back("another CTA");
    return fmt::format("{}", fmt::join(all, " and "));
  }

  void claim() {
    std::vector<std::string> limits = of_.assumptions;
    switch (of_.outcome.end) {
      case End::out_of_steps:
        limits.emplace_back("ended by --steps");
        break;
      case End::out_of_time:
        limits.emplace_back("ended by --timeout");
        break;
      case End::stopped:
        limits.emplace_back("interrupted");
        break;
      case End::finished:
      case End::deadlock:
        break;
    }
    for (const Decided what : {Decided::control, Decided::address}) {
      std::vector<std::string> places;
      kernel::Sources sources = 0;
      for (const kernel::Decision& decision : of_.outcome.decisions) {
        if (decision.what != what) continue;
        sources = static_cast<kernel::Sources>(sources | decision.sources);
        if (places.size() < kMostShown) places.push_back(line(decision.site));
      }
      const auto count = static_cast<std::size_t>(
          std::count_if(of_.outcome.decisions.begin(), of_.outcome.decisions.end(),
                        [&](const kernel::Decision& decision) { return decision.what == what; }));
      if (count == 0) continue;
      limits.push_back(
          fmt::format("{} decides {} at {}{}", words(sources),
                      what == Decided::control ? "control" : "addresses", fmt::join(places, ", "),
                      count > places.size() ? fmt::format(" and {} more", count - places.size()) : ""));
    }
    if (of_.outcome.end == End::deadlock && !hangs(of_) && !of_.outcome.waiting.empty())
      limits.push_back(fmt::format("ended where {} waits at {} for what a CTA that did not run may do",
                                   thread(of_.outcome.waiting.front().threads.front()),
                                   line(of_.outcome.waiting.front().site)));
    if (of_.findings.size() > errors(of_)) limits.emplace_back("warnings and notes above");
    const VerifyAnswer answer = answer_of(of_);
    if (answer == VerifyAnswer::exact) {
      out_ +=
          "Claim  race-free in all schedules of this launch: control and addresses rest on ids and "
          "parameters alone\n";
      return;
    }
    out_ += answer == VerifyAnswer::finding ? "Claim  what is said above happens in some schedule"
                                            : "Claim  nothing found in what was run; not all schedules";
    for (std::size_t i = 0; i < limits.size(); ++i) out_ += (i == 0 ? ": " : "; ") + limits[i];
    out_ += "\n";
  }

  void coverage() {
    std::uint64_t all = 0, executed = 0, synchronizing = 0, synchronized = 0;
    std::vector<std::string> missed;
    for (trace::Site site = 0; site < of_.run->sites(); ++site) {
      const program::Instruction& instruction = of_.run->instruction(site);
      if (!instruction.position.known() || instruction.opcode == isa::Opcode::nop) continue;
      const bool ran = of_.outcome.executed[site] != 0, important = synchronizes(instruction);
      ++all;
      executed += ran ? 1 : 0;
      synchronizing += important ? 1 : 0;
      synchronized += important && ran ? 1 : 0;
      if (important && !ran) missed.push_back(place(site));
    }
    out_ += fmt::format("Ran    {} of lanes, {} of warps\n", plural(of_.outcome.instructions, "instruction"),
                        of_.outcome.warp_instructions);
    out_ += fmt::format("Coverage {} of {} instructions, {} of {} of synchronization", executed, all,
                        synchronized, synchronizing);
    if (!missed.empty()) {
      const std::size_t shown = std::min(missed.size(), kMostShown);
      out_ += "; never executed: ";
      for (std::size_t i = 0; i < shown; ++i) out_ += (i == 0 ? "" : ", ") + missed[i];
      if (missed.size() > shown) out_ += fmt::format(" and {} more", missed.size() - shown);
    }
    out_ += "\n";
  }

  const Verified& of_;
  bool quiet_;
  std::string out_;
};

}  // namespace

VerifyAnswer answer_of(const Verified& verified) {
  const kernel::Outcome& outcome = verified.outcome;
  if (!outcome.faults.empty() || hangs(verified) || errors(verified) != 0) return VerifyAnswer::finding;
  // Then the skeleton of synchronization is one trace: control and addresses rest on ids and parameters, and every phase
  // is confluent, or a finding would say so.
  const bool exact =
      outcome.end == End::finished && outcome.decisions.empty() && verified.assumptions.empty() &&
      std::none_of(verified.findings.begin(), verified.findings.end(), [](const trace::Finding& finding) {
        return trace::severity_of(finding.rule) == Severity::warning;
      });
  return exact ? VerifyAnswer::exact : VerifyAnswer::bounded;
}

std::string verify_text(const Verified& verified, bool quiet) {
  return Text(verified, quiet).run();
}

}  // namespace ptxmc::report
