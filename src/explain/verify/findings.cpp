// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

#include "dynamic/claim/hangs.h"
#include "dynamic/claim/severity.h"
#include "explain/verify/kernels.h"
#include "explain/verify/met.h"
#include "explain/words/runs.h"
#include "finding/rules.h"
#include "support/check.h"

namespace ptxmc::explain {

namespace {

/// Others, of which a finding may be, meet, arrive, wait or end.
bool accesses_memory(isa::Opcode opcode) {
  const isa::OpcodeTraits& traits = isa::traits(opcode);
  if (traits.has(isa::Trait::commits) || traits.has(isa::Trait::waits)) return false;
  switch (traits.family) {
    case isa::Family::memory:
    case isa::Family::async_copy:
    case isa::Family::matrix:
    case isa::Family::tensor:
    case isa::Family::exchange:
      return true;
    default:
      return false;
  }
}

VerifyPlace place_of_access(const claim::VerifyResult& of, const trace::Place& at) {
  static constexpr std::array<const char*, 3> kEffects = {"read", "write", "atomic"};
  VerifyPlace out = place_of(of, at.site, at.thread);
  if (!accesses_memory(of.run->instruction(at.site).opcode)) return out;
  out.access =
      std::string(at.operation ? "asynchronous " : "") + kEffects.at(static_cast<std::size_t>(at.effect));
  out.proxy = at.proxy;
  return out;
}

/// Accesses that miss one buffer, or all that contents which nobody gave lead astray, are of one cause.
bool one_cause(const exec::Fault& a, const exec::Fault& b) {
  if (a.kind != b.kind || a.guessed != b.guessed) return false;
  return a.guessed || (!a.object.empty() && a.object == b.object);
}

std::vector<std::vector<exec::Fault>> by_cause(const std::vector<exec::Fault>& faults) {
  std::vector<std::vector<exec::Fault>> out;
  for (const exec::Fault& fault : faults) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const std::vector<exec::Fault>& group) {
      return one_cause(group.front(), fault);
    });
    if (same == out.end()) {
      out.push_back({fault});
    } else {
      same->push_back(fault);
    }
  }
  return out;
}

namespace {

std::string words_text(const exec::Contents& contents) {
  switch (contents.words) {
    case exec::Contents::Words::alike:
      break;
    case exec::Contents::Words::second:
      return fmt::format("each second word of global memory that the launch leaves open is {:#x}",
                         contents.word);
    case exec::Contents::Words::numbered:
      return fmt::format("each word of global memory that the launch leaves open is {:#x} and its number",
                         contents.word);
    case exec::Contents::Words::falling:
      return fmt::format("each word of global memory that the launch leaves open is {:#x} less its number",
                         contents.word);
    case exec::Contents::Words::mixed:
      return fmt::format(
          "words of global memory that the launch leaves open are numbers from 0 to {:#x}, by chance",
          contents.word);
  }
  return fmt::format("each word of global memory that the launch leaves open is {:#x}", contents.word);
}

}  // namespace

std::string condition_of(const exec::Contents& contents) {
  return fmt::format("where {}{}", words_text(contents),
                     contents.zero.empty() ? "" : ", but for what threads synchronize by");
}

std::string condition_of(const claim::VerifyResult& of, const claim::PassedWrite& passed) {
  return fmt::format(
      "where {} reads what was there before {} wrote: no fence.sc of both threads excludes that (8.9.3)",
      line_of(place_of(of, passed.read)), line_of(place_of(of, passed.write)));
}

/// A race whose accesses meet where open contents lead; empty: contents that are open give no address of it.
std::string address_condition(const claim::VerifyResult& of, const trace::Finding& finding) {
  if (!finding::is_race(finding.rule)) return "";
  const auto led = [&](trace::Site site) {
    const auto& decisions = of.outcome.decisions;
    return std::any_of(decisions.begin(), decisions.end(), [&](const exec::Decision& decision) {
      return decision.site == site && decision.what == exec::Decided::address &&
             (exec::open(decision.sources) & bit(exec::Source::data)) != 0;
    });
  };
  std::string lines;
  for (const trace::Site site : std::set{finding.first.site, finding.second.site}) {
    if (led(site)) lines += (lines.empty() ? "" : " and ") + line_of(place_of(of, site));
  }
  if (lines.empty()) return "";
  return fmt::format(
      "where contents of memory that the launch does not give lead {} to the same place; \"data\" says what "
      "they are",
      lines);
}

std::string waived_text(const claim::Idiom& idiom) {
  return fmt::format("claim::waived by --practice ({}): {}", idiom.name, idiom.why);
}

std::string elected_condition(std::optional<unsigned> lane) {
  return lane
             ? fmt::format("where elect.sync elects lane {}; the PTX ISA does not say which one it is", *lane)
             : "";
}

VerifyFinding finding_of(const claim::VerifyResult& of, const std::vector<exec::Fault>& faults) {
  exec::Fault fault = faults.front();
  VerifyFinding out;
  out.rule = finding::name_of(fault.kind);
  out.instances = 0;
  for (const exec::Fault& one : faults) {
    out.instances += one.instances;
    out.places.push_back(place_of(of, one.site, one.thread));
    fault.enough = std::max(fault.enough, one.enough);
  }
  out.cause = fault.what;
  out.severity = claim::severity_of(of, fault);
  out.condition = elected_condition(fault.elected);
  if (fault.guessed) {
    out.cause += ", where contents of memory lead that the launch does not give";
    out.advice =
        "give the \"data\" of what the address is computed from, or the launch that writes it before this one";
    return out;
  }
  if (const claim::Idiom* idiom = claim::idiom_of(fault); idiom != nullptr && of.severities.practice)
    out.condition = waived_text(*idiom);
  if (const auto shown = of.fault_contents.find(fault.site); shown != of.fault_contents.end())
    out.condition = condition_of(shown->second);
  const RunWords words = words_of(fault.kind);
  out.advice = words.fix;
  out.section = words.section;
  if (fault.kind != finding::RuleId::out_of_bounds) return out;
  if (fault.what.ends_with(", which was freed")) {
    out.advice = "free it after the last access";
    return out;
  }
  if (fault.object.empty()) {
    out.advice =
        "pass an address in a buffer: is a number passed where the kernel takes an address, or a field not set?";
    return out;
  }
  out.cause += fmt::format(", {}{} too far", out.instances > 1 ? "up to " : "", fault.enough - fault.bytes);
  if (const auto size = of.sizes.find(fault.object); size != of.sizes.end())
    out.advice =
        fmt::format("correct the index, or allocate more: {}{} at least", size->second, fault.enough);
  return out;
}

VerifyFinding hang_of(const claim::VerifyResult& of, const std::vector<exec::Waiting>& all) {
  VerifyFinding out;
  out.rule = finding::name_of(finding::RuleId::hang);
  out.cause = "no thread can continue";
  out.section = "8.9.6";
  if (claim::is_guessed(all)) {
    out.cause += ", where contents of memory lead that the launch does not give";
    out.advice = "give the \"data\" that the loop reads, or the launch that writes it before this one";
  }
  for (const exec::Waiting& waiting : all) {
    VerifyPlace place = place_of(of, waiting.site, waiting.threads.front());
    if (waiting.threads.size() > 1) place.thread += fmt::format(" and {} more", waiting.threads.size() - 1);
    place.waits = waiting.what;
    out.places.push_back(std::move(place));
  }
  return out;
}

/// Findings of one rule and one cause that share an instruction, or are about mbarrier objects that one instruction made,
/// or whose instructions stand in the same two lines of the language behind: copies of them that a compiler made.
class Groups {
 public:
  Groups(const claim::VerifyResult& of) : parent_(of.findings.size()) {
    for (const trace::Finding& finding : of.findings) plain_.push_back(is_plain(finding));
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    std::map<std::tuple<finding::RuleId, trace::Missing, trace::Site>, std::size_t> sites, families;
    std::map<std::tuple<finding::RuleId, trace::Missing, std::string, std::string>, std::size_t> lines;
    const auto join = [&](auto& known, const auto& key, std::size_t i) {
      const auto [at, fresh] = known.try_emplace(key, i);
      if (!fresh) parent_[root(i)] = root(at->second);
    };
    const std::map<Pair, std::size_t> causes = causes_of(of.findings);
    for (std::size_t i = 0; i < of.findings.size(); ++i) {
      const trace::Finding& finding = of.findings[i];
      const trace::Missing missing = finding.cause.missing;
      if (const auto cause = causes.find(pair_of(finding)); is_plain(finding) && cause != causes.end()) {
        parent_[root(i)] = root(cause->second);
        continue;
      }
      const std::string first = place_of(of, finding.first.site).origin.text(),
                        second = place_of(of, finding.second.site).origin.text();
      for (const trace::Site site : {finding.first.site, finding.second.site})
        join(sites, std::tuple(finding.rule, missing, site), i);
      if (finding.family) join(families, std::tuple(finding.rule, missing, *finding.family), i);
      if (!first.empty() && !second.empty())
        join(lines, std::tuple(finding.rule, missing, std::min(first, second), std::max(first, second)), i);
    }
  }

  /// In the order of the first of each.
  std::vector<std::vector<std::size_t>> all() {
    std::map<std::size_t, std::size_t> numbers;
    std::vector<std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      const auto [at, fresh] = numbers.try_emplace(root(i), out.size());
      if (fresh) out.emplace_back();
      out[at->second].push_back(i);
    }
    for (std::vector<std::size_t>& group : out)
      std::stable_partition(group.begin(), group.end(), [&](std::size_t i) { return !plain_[i]; });
    return out;
  }

 private:
  using Pair = std::pair<trace::Site, trace::Site>;

  static Pair pair_of(const trace::Finding& finding) {
    return std::minmax(finding.first.site, finding.second.site);
  }
  /// A race of which no more is known than that nothing orders it.
  static bool is_plain(const trace::Finding& finding) {
    return finding.rule == finding::RuleId::race && finding.cause.missing == trace::Missing::synchronization;
  }
  /// The first race of each pair that has a cause: in other schedules the pair may race because nothing orders it.
  static std::map<Pair, std::size_t> causes_of(const std::vector<trace::Finding>& findings) {
    std::map<Pair, std::size_t> out;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const bool caused = findings[i].cause.missing != trace::Missing::synchronization;
      if (caused && finding::severity_of(findings[i].rule) == Severity::error &&
          finding::is_race(findings[i].rule))
        out.try_emplace(pair_of(findings[i]), i);
    }
    return out;
  }

  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  std::vector<std::size_t> parent_;
  std::vector<bool> plain_;  // of each finding: is_plain()
};

/// The engine's word, unless the litmus test, which has the phases of the run, may have other ones than the schedule that
/// the finding is about.
claim::ExactAnswer believed(const claim::VerifyResult& of, const claim::ExactAnswer& answer) {
  const auto is_doubtful = [](const trace::Finding& finding) {
    return finding.rule == finding::RuleId::phase_not_confluent ||
           finding.rule == finding::RuleId::stale_poll || finding.rule == finding::RuleId::wait_overtaken;
  };
  claim::ExactAnswer out = answer;
  if (answer.races == false && std::any_of(of.findings.begin(), of.findings.end(), is_doubtful)) {
    out.races.reset();
    out.why = "waits may see other phases than those of the run, which the litmus test has";
  }
  return out;
}

/// How what was issued is waited for, and by whom.
void advise_waiting(const claim::VerifyResult& of, const trace::Finding& finding, VerifyFinding& out) {
  const bool of_exit =
      finding.rule == finding::RuleId::exit_in_flight || finding.rule == finding::RuleId::exit_in_flight_read;
  const bool of_wait = finding::is_race(finding.rule) && finding.cause.missing == trace::Missing::wait &&
                       finding.first.proxy != isa::Proxy::tensor;
  if (!finding.first.operation || (!of_exit && !of_wait)) return;
  const Waited waited = waited_by(of.run->instruction(finding.first.site), finding.first.effect);
  // Groups are of one thread.
  const bool tells = of_wait && waited.in_group && finding.first.thread != finding.second.thread;
  out.advice = fmt::format("{}, {}before {}", waited.how, tells ? "then a barrier of the two threads, " : "",
                           of_exit ? "the exit" : "the second access");
  if (of_wait) out.section = waited.section;
}

VerifyFinding finding_of(const claim::VerifyResult& of, const std::vector<std::size_t>& group) {
  const trace::Finding& first = of.findings[group.front()];
  const RunWords words = between_kernels(of, first).value_or(words_of(first));
  VerifyFinding out;
  out.rule = finding::name_of(first.rule);
  out.severity = claim::severity_of(of, first);
  out.instances = 0;
  out.number = group.front();
  out.cause = words.cause;
  if (const std::string met = met_elsewhere(of, first); !met.empty()) out.cause += "; " + met;
  out.section = words.section;
  out.advice = fmt::format(fmt::runtime(words.fix), fmt::arg("proxy", isa::name_of(first.cause.proxy)));
  if (const auto shown = of.contents.find(group.front()); shown != of.contents.end())
    out.condition = condition_of(shown->second);
  if (const auto passed = of.passed.find(group.front()); passed != of.passed.end())
    out.condition = condition_of(of, passed->second);
  if (out.condition.empty()) out.condition = elected_condition(first.elected);
  if (out.condition.empty()) out.condition = address_condition(of, first);
  if (const claim::Idiom* idiom = claim::idiom_of(of, first); idiom != nullptr && of.severities.practice)
    out.condition = waived_text(*idiom);
  advise_waiting(of, first, out);
  std::map<std::tuple<trace::Site, trace::Effect, bool>, std::size_t> known;
  const auto place = [&](const trace::Place& at) {
    const auto [known_at, fresh] = known.try_emplace({at.site, at.effect, at.operation}, out.places.size());
    if (fresh) out.places.push_back(place_of_access(of, at));
    return known_at->second;
  };
  for (const std::size_t number : group) {
    const trace::Finding& finding = of.findings[number];
    if (const auto exact = of.exact.find(number); exact != of.exact.end())
      out.exact = believed(of, exact->second);
    out.instances += finding.instances;
    VerifyPair pair{place(finding.first), place(finding.second), {}};
    if (out.pairs.empty() && pair.first == pair.second && finding.first.thread != finding.second.thread) {
      pair.second = out.places.size();  // one instruction of two threads: both are told
      out.places.push_back(place_of_access(of, finding.second));
    }
    if (finding.bytes.bytes != 0)
      pair.bytes =
          fmt::format("{} at {}", plural(finding.bytes.bytes, "byte"), of.run->name_of(finding.bytes.begin));
    out.pairs.push_back(std::move(pair));
  }
  if (first.cause.release) out.ends.emplace_back("release", place_of(of, *first.cause.release));
  if (first.cause.acquire) out.ends.emplace_back("acquire", place_of(of, *first.cause.acquire));
  return out;
}

}  // namespace

std::string plural(std::uint64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

VerifyPlace place_of(const claim::VerifyResult& verified, trace::Site site) {
  const program::Instruction& instruction = verified.run->instruction(site);
  VerifyPlace out;
  out.position = instruction.position;
  out.text = instruction.text;
  out.origin = origin_at(verified.program->origins, instruction.position);
  return out;
}

VerifyPlace place_of(const claim::VerifyResult& verified, trace::Site site, trace::Thread thread) {
  VerifyPlace out = place_of(verified, site);
  const program::Thread& of = verified.run->thread(thread);
  if (!out.position.known()) {
    out.thread = "a peer";
    return out;
  }
  out.thread = fmt::format("P{}", of.number);
  out.number = of.number;
  out.in_cta = static_cast<std::uint32_t>(of.number);
  const program::Placement& placement = of.placement;
  if (placement.cta && placement.warp && placement.lane) {
    out.cta = static_cast<std::uint32_t>(*placement.cta);
    out.in_cta = static_cast<std::uint32_t>(*placement.warp) * trace::kLanes +
                 static_cast<std::uint32_t>(*placement.lane);
    out.thread = fmt::format("thread {} of CTA {}", out.in_cta, out.cta);
  }
  return out;
}

std::string line_of(const VerifyPlace& place) {
  if (!place.position.known()) return "outside of the launch";
  const std::string line = fmt::format("line {}", place.position.line);
  return place.origin.known() ? fmt::format("{} ({})", line, place.origin.text()) : line;
}

std::vector<std::size_t> representatives(const claim::VerifyResult& verified) {
  std::vector<std::size_t> out;
  for (const std::vector<std::size_t>& group : Groups(verified).all()) {
    if (finding::is_race(verified.findings[group.front()].rule)) out.push_back(group.front());
  }
  return out;
}

std::vector<VerifyFinding> findings_of(const claim::VerifyResult& verified) {
  std::vector<VerifyFinding> out;
  for (const auto& faults : by_cause(verified.outcome.faults)) out.push_back(finding_of(verified, faults));
  if (claim::hangs(verified)) {
    out.push_back(hang_of(verified, verified.outcome.waiting));
    out.back().severity = claim::severity_of_hang(verified);
  }
  if (claim::hangs_elsewhere(verified)) {
    const claim::ElectedHang& hang = *verified.elected.hang;
    out.push_back(hang_of(verified, hang.waiting));
    out.back().severity = claim::severity_of_elected_hang(verified);
    out.back().condition = verified.severities.practice ? waived_text(claim::idiom_of_elected_hang())
                                                        : elected_condition(hang.lane);
  }
  std::vector<std::vector<std::size_t>> groups = Groups(verified).all();
  // That copies overwrite each other follows, as a rule, from what is wrong between them and who reads.
  std::stable_partition(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& group) {
    return !std::all_of(group.begin(), group.end(), [&](std::size_t i) {
      const trace::Finding& finding = verified.findings[i];
      return finding::is_race(finding.rule) && finding.first.operation && finding.second.operation &&
             finding.first.effect == trace::Effect::write && finding.second.effect == trace::Effect::write;
    });
  });
  for (const auto& group : groups) out.push_back(finding_of(verified, group));
  std::erase_if(out, [&](const VerifyFinding& finding) { return !verified.selection.takes(finding.rule); });
  std::stable_sort(out.begin(), out.end(),
                   [](const VerifyFinding& a, const VerifyFinding& b) { return a.severity > b.severity; });
  return out;
}

}  // namespace ptxmc::explain
