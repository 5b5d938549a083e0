// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "dynamic/claim/hangs.h"
#include "dynamic/claim/severity.h"
#include "explain/verify/advice.h"
#include "explain/verify/consequences.h"
#include "explain/verify/groups.h"
#include "explain/verify/hangs.h"
#include "explain/verify/kernels.h"
#include "explain/verify/met.h"
#include "explain/verify/order_advice.h"
#include "explain/verify/wait_advice.h"
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

Place place_of_access(const claim::VerifyResult& of, const trace::Place& at) {
  static constexpr std::array<const char*, 3> kEffects = {"read", "write", "atomic"};
  Place out = place_of(of, at.site, at.thread);
  if (!accesses_memory(of.run->instruction(at.site).opcode)) return out;
  out.access =
      std::string(at.operation ? "asynchronous " : "") + kEffects.at(static_cast<std::size_t>(at.effect));
  out.proxy = at.proxy;
  return out;
}

/// Accesses that miss one buffer, all that contents which are not given lead astray, and one mistake in one line of a source are of
/// one cause.
bool one_cause(const claim::VerifyResult& of, const exec::Fault& a, const exec::Fault& b) {
  if (a.rule != b.rule || a.guessed != b.guessed) return false;
  if (a.guessed || (!a.object.empty() && a.object == b.object)) return true;
  if (a.object != b.object || a.misuse != b.misuse || a.elected != b.elected) return false;
  const Origin one = place_of(of, a.site).origin, other = place_of(of, b.site).origin;
  return one.known() && one.frames == other.frames;
}

std::vector<std::vector<exec::Fault>> by_cause(const claim::VerifyResult& of) {
  const std::vector<exec::Fault>& faults = of.outcome.faults;
  std::vector<std::vector<exec::Fault>> out;
  for (const exec::Fault& fault : faults) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const std::vector<exec::Fault>& group) {
      return one_cause(of, group.front(), fault);
    });
    if (same == out.end()) {
      out.push_back({fault});
    } else {
      same->push_back(fault);
    }
  }
  return out;
}

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

std::string condition_of(const exec::Contents& contents) {
  return fmt::format("when {}{}", words_text(contents),
                     contents.zero.empty() ? "" : ", but for what threads synchronize by");
}

std::string condition_of(const claim::VerifyResult& of, const claim::PassedWrite& passed) {
  return fmt::format(
      "when {} reads what was there before {} wrote: no fence.sc of both threads excludes that (8.9.3)",
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
  std::set<std::string> lines;
  for (const trace::Site site : {finding.first.site, finding.second.site}) {
    if (led(site)) lines.insert(line_of(place_of(of, site)));
  }
  if (lines.empty()) return "";
  return fmt::format(
      "when contents of memory that the launch does not give lead {} to one element; give them with \"data\"",
      fmt::join(lines, " and "));
}

std::string waived_text(const claim::Idiom& idiom) {
  return fmt::format("waived by --practice ({}): {}", idiom.name, idiom.why);
}

std::string elected_condition(std::optional<unsigned> lane) {
  return lane ? fmt::format("when elect.sync elects lane {}; the PTX ISA does not say which lane it elects",
                            *lane)
              : "";
}

constexpr const char* kOpenContents = "the launch does not give the contents of memory that lead here";

/// What is said of the other faults of one cause, where that differs from what is said of the first.
std::vector<std::string> others_of(const std::vector<exec::Fault>& faults) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> out;
  for (const exec::Fault& fault : faults) {
    if (fault.what == faults.front().what || out.size() == kMost) continue;
    if (std::find(out.begin(), out.end(), "also " + fault.what) == out.end())
      out.push_back("also " + fault.what);
  }
  return out;
}

Finding finding_of(const claim::VerifyResult& of, const std::vector<exec::Fault>& faults) {
  exec::Fault fault = faults.front();
  Finding out = finding_by(finding::rule(fault.rule));
  out.instances = 0;
  for (const exec::Fault& one : faults) {
    out.instances += one.instances;
    out.places.push_back(place_of(of, one.site, one.thread));
    fault.enough = std::max(fault.enough, one.enough);
  }
  const std::vector<std::string> others = others_of(faults);
  const bool outside = fault.rule == finding::RuleId::out_of_bounds;
  out.cause = {outside ? "access out of bounds: " + fault.what : fault.what};
  out.severity = claim::severity_of(of, fault);
  out.condition = elected_condition(fault.elected);
  if (fault.guessed) {
    out.section.clear();
    out.condition = kOpenContents;
    out.advice = {
        "give the \"data\" of what the address is computed from, or the launch that writes it before this one"};
    return out;
  }
  if (const claim::Idiom* idiom = claim::idiom_of(fault); idiom != nullptr && of.severities.practice)
    out.condition = waived_text(*idiom);
  if (const auto shown = of.fault_contents.find(fault.site); shown != of.fault_contents.end())
    out.condition = condition_of(shown->second);
  const RunWords words = words_of(fault.rule);
  out.advice = {std::string(words.fix)};
  out.section = words.section;
  if (outside) advise_bounds(of, fault, out);
  if (!outside || fault.object.empty()) out.cause.insert(out.cause.end(), others.begin(), others.end());
  if (fault.rule == finding::RuleId::trap) advise_trap(of, out);
  if (fault.rule == finding::RuleId::barrier_divergence) advise_divergence(of, fault, out);
  const MisuseWords& misuse = words_of(fault.misuse);
  if (!misuse.fix.empty()) out.advice = {std::string(misuse.fix)};
  if (!misuse.section.empty()) out.section = misuse.section;
  return out;
}

Finding hang_of(const claim::VerifyResult& of, const std::vector<exec::Waiting>& all) {
  Finding out = finding_by(finding::rule(finding::RuleId::hang));
  out.cause = {"deadlock: no thread can continue"};
  if (claim::is_guessed(all)) {
    out.condition = kOpenContents;
    out.advice = {"give the \"data\" that the loop reads, or the launch that writes it before this one"};
  }
  for (const exec::Waiting& waiting : all) {
    Place place = place_of(of, waiting.site, waiting.threads.front());
    place.others = waiting.threads.size() > 1;
    if (place.others) place.who += fmt::format(" and {} more", waiting.threads.size() - 1);
    place.waits = waiting.what;
    out.places.push_back(std::move(place));
  }
  explain_hang(of, all, out);
  return out;
}

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

std::string iteration_text(const claim::Iterations& of) {
  const std::string loop = of.outer ? " of an outer loop" : "";
  if (of.later == 1) return "in the next iteration" + loop;
  if (of.later == -1) return "in the previous iteration" + loop;
  return fmt::format("{} iterations {}{}", std::abs(of.later), of.later > 0 ? "later" : "earlier", loop);
}

Finding finding_of(const claim::VerifyResult& of, const std::vector<std::size_t>& group) {
  const trace::Finding& first = of.findings[group.front()];
  const RunWords words = between_kernels(of, first).value_or(words_of(first));
  Finding out = finding_by(finding::rule(first.rule));
  out.severity = claim::severity_of(of, first);
  out.instances = 0;
  out.number = group.front();
  out.cause = {std::string(words.cause)};
  if (const std::string met = met_elsewhere(of, first); !met.empty()) out.cause.push_back(met);
  out.section = words.section;
  out.advice = {fmt::format(fmt::runtime(words.fix), fmt::arg("proxy", isa::name_of(first.cause.proxy)))};
  if (const auto shown = of.contents.find(group.front()); shown != of.contents.end())
    out.condition = condition_of(shown->second);
  if (const auto passed = of.passed.find(group.front()); passed != of.passed.end())
    out.condition = condition_of(of, passed->second);
  if (out.condition.empty()) out.condition = elected_condition(first.elected);
  if (out.condition.empty()) out.condition = address_condition(of, first);
  if (const claim::Idiom* idiom = claim::idiom_of(of, first); idiom != nullptr && of.severities.practice)
    out.condition = waived_text(*idiom);
  advise_waiting(of, first, out);
  advise_proxy(of, first, out);
  advise_stale_wait(of, first, out);
  if (std::vector<std::string> order = order_advice(of, group); !order.empty()) out.advice = std::move(order);
  std::map<std::tuple<trace::Site, trace::Effect, bool>, std::size_t> known;
  const auto place = [&](const trace::Place& at) {
    const auto [known_at, fresh] = known.try_emplace({at.site, at.effect, at.operation}, out.places.size());
    if (fresh) out.places.push_back(place_of_access(of, at));
    return known_at->second;
  };
  for (const std::size_t number : group) {
    trace::Finding finding = of.findings[number];
    if (finding.rule == finding::RuleId::stale_poll)
      std::swap(finding.first, finding.second);  // the wait comes first
    if (const auto exact = of.exact.find(number); exact != of.exact.end())
      out.exact = believed(of, exact->second);
    out.instances += finding.instances;
    Pair pair{place(finding.first), place(finding.second), {}};
    const auto later = of.iterations.find(number);
    const bool differ = later != of.iterations.end() || finding.first.thread != finding.second.thread;
    if (out.pairs.empty() && pair.first == pair.second && differ) {  // one instruction: both are told
      pair.second = out.places.size();
      out.places.push_back(place_of_access(of, finding.second));
    }
    if (out.pairs.empty() && later != of.iterations.end())
      out.places[pair.second].iteration = iteration_text(later->second);
    if (finding.bytes.bytes != 0) {
      pair.bytes = of.run->text_of(finding.bytes);
      if (const auto named = of.run->object_at(finding.bytes))
        pair.object = named->object, pair.offset = named->offset, pair.size = named->bytes;
    }
    out.pairs.push_back(std::move(pair));
  }
  const bool unreleased = first.cause.missing == trace::Missing::release,
             unacquired = unreleased || first.cause.missing == trace::Missing::acquire;
  if (const auto at = first.cause.release)
    out.ends.push_back({"release", unreleased ? "flag written" : "release", place_of(of, *at)});
  if (const auto at = first.cause.acquire)
    out.ends.push_back({"acquire", unacquired ? "flag read" : "acquire", place_of(of, *at)});
  return out;
}

}  // namespace

Place place_of(const claim::VerifyResult& verified, trace::Site site) {
  const program::Instruction& instruction = verified.run->instruction(site);
  Place out;
  out.position = instruction.position;
  out.text = instruction.text;
  out.origin = origin_at(verified.program->origins, instruction.position);
  return out;
}

namespace {

/// "3", or as CUDA writes it where the launch has more than one dimension: "(3,0,0)".
std::string number_text(std::uint32_t number, const std::array<std::uint32_t, 3>& sides) {
  if (sides[1] == 1 && sides[2] == 1) return std::to_string(number);
  return fmt::format("({},{},{})", number % sides[0], number / sides[0] % sides[1],
                     number / sides[0] / sides[1]);
}

/// "block 0, thread 3"; where there are several launches "block 0, thread 3 of `permute`"
std::string who_of(const claim::VerifyResult& of, const BlockThread& at, const program::Kernel* kernel) {
  claim::LaunchShape shape = of.shape.value_or(claim::LaunchShape{});
  if (kernel != nullptr) shape = {kernel->grid, kernel->block};
  return fmt::format("block {}, thread {}{}", number_text(at.cta, shape.grid),
                     number_text(at.thread, shape.block),
                     kernel == nullptr ? "" : fmt::format(" of `{}`", kernel->function));
}

}  // namespace

Place place_of(const claim::VerifyResult& verified, trace::Site site, trace::Thread thread) {
  Place out = place_of(verified, site);
  const program::Thread& of = verified.run->thread(thread);
  if (!out.position.known()) {
    out.who = "a peer";
    return out;
  }
  out.who = fmt::format("P{}", of.number);
  out.thread = of.number;
  BlockThread at{0, static_cast<std::uint32_t>(of.number)};
  const program::Placement& placement = of.placement;
  if (placement.cta && placement.warp && placement.lane) {
    at.cta = static_cast<std::uint32_t>(*placement.cta);
    at.thread = static_cast<std::uint32_t>(*placement.warp) * trace::kLanes +
                static_cast<std::uint32_t>(*placement.lane);
    const program::Kernel* const kernel = verified.launched ? kernel_of(verified, thread) : nullptr;
    if (verified.launched) out.who = who_of(verified, at, kernel);
    if (kernel != nullptr) out.kernel = kernel->function;
  }
  out.in_launch = at;
  return out;
}

std::vector<std::size_t> representatives(const claim::VerifyResult& verified) {
  std::vector<std::size_t> out;
  for (const std::vector<std::size_t>& group : groups_of(verified)) {
    if (finding::is_race(verified.findings[group.front()].rule)) out.push_back(group.front());
  }
  return out;
}

std::vector<Finding> findings_of(const claim::VerifyResult& verified) {
  std::vector<GroupedFinding> out;
  for (const auto& faults : by_cause(verified)) out.push_back({finding_of(verified, faults)});
  if (claim::hangs(verified)) {
    out.push_back({hang_of(verified, verified.outcome.waiting)});
    out.back().finding.severity = claim::severity_of_hang(verified);
  }
  if (claim::hangs_elsewhere(verified)) {
    const claim::ElectedHang& hang = *verified.elected.hang;
    out.push_back({hang_of(verified, hang.waiting)});
    out.back().finding.severity = claim::severity_of_elected_hang(verified);
    out.back().finding.condition = verified.severities.practice ? waived_text(claim::idiom_of_elected_hang())
                                                                : elected_condition(hang.lane);
  }
  std::vector<std::vector<std::size_t>> groups = groups_of(verified);
  // That copies overwrite each other follows, as a rule, from what is wrong between them and who reads.
  std::stable_partition(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& group) {
    return !std::all_of(group.begin(), group.end(), [&](std::size_t i) {
      const trace::Finding& finding = verified.findings[i];
      return finding::is_race(finding.rule) && finding.first.operation && finding.second.operation &&
             finding.first.effect == trace::Effect::write && finding.second.effect == trace::Effect::write;
    });
  });
  for (const auto& group : groups) out.push_back({finding_of(verified, group), group});
  drop_equal_writes_of_races(verified, out);
  std::erase_if(out, [&](const GroupedFinding& one) { return !verified.selection.takes(one.finding.name); });
  std::vector<Finding> all = in_order_of_cause(verified, std::move(out));
  const claim::AcceptedFindings& accepted = verified.accepted;
  if (accepted.findings.empty()) return all;
  PTXMC_CHECK(accepted.findings.size() == all.size(), "what is accepted was asked of these findings");
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].accepted = accepted.findings[i];
    all[i].fingerprint = accepted.fingerprints[i];
  }
  return all;
}

}  // namespace ptxmc::explain
