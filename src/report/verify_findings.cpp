// SPDX-License-Identifier: Apache-2.0
#include "report/verify_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

#include "support/check.h"

namespace ptxmc::report {

namespace {

/// What is missing, in words: why the two are unordered, and what to do.
struct Words {
  trace::Missing missing;
  std::string_view cause, advice, section;
};
constexpr std::array<Words, 9> kWords = {{
    {trace::Missing::synchronization, "nothing orders them",
     "a barrier between them, or a release behind the first and an acquire before the second", "8.9.5"},
    {trace::Missing::wait, "nothing waits for its completion",
     "wait for the mbarrier phase or the group before the second access", "9.7.8.24.1"},
    {trace::Missing::proxy_fence,
     "they are ordered, but go through two proxies, and no proxy fence stands between them",
     "a fence.proxy.{proxy} behind the first access, before what orders it", "8.6"},
    {trace::Missing::scope, "the scopes of release and acquire do not include each other",
     "give both a scope that includes the two threads", "8.5"},
    {trace::Missing::acquire, "no acquire pattern follows the read that sees the release",
     "an acquire, or a fence behind the read", "8.8"},
    {trace::Missing::warp_sync, "only an exchange of values between the lanes stands between them",
     "bar.warp.sync orders memory, too", "9.7.12.2"},
    {trace::Missing::tensor_fence,
     "the first is known to be complete, or issued before, but no tcgen05.fence stands behind what tells it",
     "tcgen05.fence::after_thread_sync behind the wait, before the second access, and "
     "fence::before_thread_sync "
     "behind the first where another thread is told",
     "9.7.16.6.3"},
    {trace::Missing::init_fence, "no fence follows the init that makes it visible to the async proxy",
     "fence.mbarrier_init or fence.proxy.async behind the init", "9.7.12.15"},
    {trace::Missing::mutual_scope, "both are strong, but the scope of one does not include the other thread",
     "give both a scope that includes the two threads, or order them", "8.7.1"},
}};

/// The same, where the first access is one of tensor memory.
constexpr Words kTensorWait = {trace::Missing::wait, "nothing waits for its completion",
                               "tcgen05.wait::ld or wait::st behind it, or tcgen05.commit and a wait for its "
                               "phase, before the second access",
                               "9.7.16.6.2.1"};

/// How an asynchronous operation is waited for: what makes its completion known, and the section.
struct Waited {
  std::string_view how, section;
};
constexpr Waited
    kByPhase = {"a wait for the phase of its mbarrier object", "9.7.8.24.1"},
    kByTensorCommit = {"tcgen05.commit behind it and a wait for the phase that it arrives at",
                       "9.7.16.6.2.1"},
    kByProducts =
        {"wgmma.commit_group behind it and a wgmma.wait_group whose count does not leave its group open",
         "9.7.14.7.3"},
    kByCopies =
        {"cp.async.commit_group behind it and a cp.async.wait_group, by the same thread, whose count does "
         "not leave its group open (or cp.async.mbarrier.arrive and a wait for its phase)",
         "9.7.8.24.3"},
    kByBulk =
        {"cp.async.bulk.commit_group behind it and a cp.async.bulk.wait_group, by the same thread, "
         "whose count does not leave its group open",
         "9.7.8.24.3"},
    kByBulkRead = {
        "cp.async.bulk.commit_group behind it and a cp.async.bulk.wait_group.read, by the same "
        "thread, whose count does not leave its group open",
        "9.7.8.24.3"};

Waited waited_by(const Verified& of, const trace::Place& operation) {
  const program::Instruction& instruction = of.run->instruction(operation.site);
  const isa::OpcodeTraits& traits = isa::traits(instruction.opcode);
  if (instruction.opcode == isa::Opcode::wgmma_mma) return kByProducts;
  if (instruction.opcode == isa::Opcode::cp_async) return kByCopies;
  if (traits.family == isa::Family::tensor) return kByTensorCommit;
  const bool bulk = instruction.opcode == isa::Opcode::cp_async_bulk ||
                    instruction.opcode == isa::Opcode::cp_reduce_async_bulk ||
                    instruction.opcode == isa::Opcode::cp_async_bulk_tensor ||
                    instruction.opcode == isa::Opcode::cp_reduce_async_bulk_tensor;
  if (!bulk || instruction.modifiers.space != isa::Space::global) return kByPhase;
  return operation.effect == trace::Effect::read ? kByBulkRead : kByBulk;
}

/// Rules that say more than what is missing.
struct RuleWords {
  trace::Rule rule;
  std::string_view cause, advice, section;
};
constexpr std::array<RuleWords, 15> kRuleWords = {{
    {trace::Rule::equal_bytes, "nothing orders them, and both write the same value", "", "8.7.1"},
    {trace::Rule::tensor_freed, "the tensor memory may be deallocated before it is used",
     "tcgen05.dealloc behind the completion of all that uses the columns", "9.7.16.7.1"},
    {trace::Rule::remote_arrival,
     "an arrival at the mbarrier object of another CTA has .cta scope, which does not include the thread "
     "that waits",
     "give the arrival .cluster scope", "9.7.12.15.13"},
    {trace::Rule::mbarrier_uninitialised,
     "nothing orders the operation behind the init of its mbarrier object", "a barrier behind mbarrier.init",
     "9.7.12.15"},
    {trace::Rule::mbarrier_misuse, "the bytes belong to a live mbarrier object",
     "mbarrier.inval before they hold something else", "9.7.12.15"},
    {trace::Rule::phase_not_confluent,
     "nothing orders the arrival behind the phase before: it may count to that one", "", "9.7.12.15.4"},
    {trace::Rule::wait_overtaken,
     "the next phase may complete before the wait looks, which then waits for a parity or a state that has "
     "gone by",
     "an arrival at the next phase that comes after the wait, of this thread or of one that it synchronizes "
     "with",
     "9.7.12.15.16"},
    {trace::Rule::mbarrier_no_complete,
     "no other arrival of the phase comes after it: it may be the one that completes the phase",
     "mbarrier.arrive without .noComplete", "9.7.12.15.13"},
    {trace::Rule::mbarrier_invalidated,
     "nothing orders it before mbarrier.inval: it may find no object any more",
     "a barrier of all threads that use the object, before mbarrier.inval", "9.7.12.15.10"},
    {trace::Rule::stale_poll, "it waits for a phase that is known to be over, and returns at once",
     "the parity of the phase that is under way", "9.7.12.15.16"},
    {trace::Rule::barrier_reuse, "nothing orders the arrival behind the barrier's phase before",
     "another barrier, or one that all its threads wait at", "9.7.12.1"},
    {trace::Rule::exit_in_flight, "the CTA may exit before the operation has written its shared memory",
     "wait for it before the exit", "5.1.7"},
    {trace::Rule::shared_after_exit, "the CTA may exit before another has used its shared memory",
     "barrier.cluster behind the last use, before the exit", "5.1.7"},
    {trace::Rule::exit_in_flight_read, "the CTA may exit before the operation has read its shared memory",
     "cp.async.bulk.wait_group.read 0 before the exit", "5.1.7"},
    {trace::Rule::lost_value,
     "what the loop waits for may be overwritten before it is read, and then it waits for ever",
     "whoever overwrites it must know that the loop has been left", "8.9.6"},
}};

Words words_of(const trace::Finding& finding) {
  const auto missing = finding.cause.missing;
  const bool tensor = finding.first.operation && finding.first.proxy == isa::Proxy::tensor;
  for (const RuleWords& words : kRuleWords) {
    if (words.rule == finding.rule) return {missing, words.cause, words.advice, words.section};
  }
  if (tensor && missing == trace::Missing::wait) return kTensorWait;
  const auto* found = std::find_if(kWords.begin(), kWords.end(),
                                   [&](const Words& words) { return words.missing == missing; });
  PTXMC_CHECK(found != kWords.end(), "a cause has no words");
  return *found;
}

VerifyPlace place_of(const Verified& of, const trace::Place& at) {
  static constexpr std::array<const char*, 3> kEffects = {"read", "write", "atomic"};
  VerifyPlace out = place_of(of, at.site, at.thread);
  out.access =
      std::string(at.operation ? "asynchronous " : "") + kEffects.at(static_cast<std::size_t>(at.effect));
  out.proxy = at.proxy;
  return out;
}

/// Accesses that miss one buffer, or all that contents which nobody gave lead astray, are of one cause.
bool one_cause(const kernel::Fault& a, const kernel::Fault& b) {
  if (a.kind != b.kind || a.guessed != b.guessed) return false;
  return a.guessed || (!a.object.empty() && a.object == b.object);
}

std::vector<std::vector<kernel::Fault>> by_cause(const std::vector<kernel::Fault>& faults) {
  std::vector<std::vector<kernel::Fault>> out;
  for (const kernel::Fault& fault : faults) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const std::vector<kernel::Fault>& group) {
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

struct FaultWords {
  const char* advice;
  const char* section;
};
const std::map<kernel::FaultKind, FaultWords> kFaultWords{
    {kernel::FaultKind::wgmma_register_in_flight,
     {"wgmma.commit_group and wgmma.wait_group before the access", "9.7.14.7.3"}},
    {kernel::FaultKind::wgmma_register_unfenced,
     {"wgmma.fence between the access and the wgmma.mma_async", "9.7.14.7.1"}},
    {kernel::FaultKind::wgmma_register_behind_fence,
     {"the access in front of the wgmma.fence: in CUDA, an empty asm volatile with the register as \"+f\" or "
      "\"+r\" keeps "
      "it there",
      "9.7.14.7.1"}},
    {kernel::FaultKind::wgmma_unfenced, {"wgmma.fence before the wgmma.mma_async", "9.7.14.7.1"}},
    {kernel::FaultKind::absent_lane,
     {"the lane in the membermask, and the shuffle executed by it, unless nothing uses the value",
      "9.7.8.6"}},
};

std::string condition_of(const kernel::Contents& contents) {
  return fmt::format("where {} word of global memory that the launch leaves open is {:#x}{}",
                     contents.alternate ? "each second" : "each", contents.word,
                     contents.zero.empty() ? "" : ", but for what threads synchronize by");
}

VerifyFinding finding_of(const Verified& of, const std::vector<kernel::Fault>& faults) {
  kernel::Fault fault = faults.front();
  VerifyFinding out;
  out.rule = kernel::name_of(fault.kind);
  out.instances = 0;
  for (const kernel::Fault& one : faults) {
    out.instances += one.instances;
    out.places.push_back(place_of(of, one.site, one.thread));
    fault.enough = std::max(fault.enough, one.enough);
  }
  out.cause = fault.what;
  if (fault.guessed) {
    out.severity = Severity::warning;
    out.cause += ", where contents of memory lead that the launch does not give";
    out.advice =
        "the \"data\" of what the address is computed from, or the launch that writes it before this one";
    return out;
  }
  if (is_warning(fault.kind)) out.severity = Severity::warning;
  if (const auto shown = of.fault_contents.find(fault.site); shown != of.fault_contents.end())
    out.condition = condition_of(shown->second);
  if (const auto words = kFaultWords.find(fault.kind); words != kFaultWords.end()) {
    out.advice = words->second.advice;
    out.section = words->second.section;
  }
  if (fault.kind != kernel::FaultKind::out_of_bounds) return out;
  if (fault.object.empty()) {
    out.advice =
        "an address in a buffer: is a number passed where the kernel takes an address, or a field not set?";
    return out;
  }
  out.cause += fmt::format(", {}{} too far", out.instances > 1 ? "up to " : "", fault.enough - fault.bytes);
  if (const auto size = of.sizes.find(fault.object); size != of.sizes.end())
    out.advice = fmt::format("memory, unless the index is wrong: {}{} at least", size->second, fault.enough);
  return out;
}

VerifyFinding hang_of(const Verified& of) {
  VerifyFinding out;
  out.rule = "hang";
  out.cause = "nobody can go on";
  out.section = "8.9.6";
  for (const kernel::Waiting& waiting : of.outcome.waiting) {
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
  Groups(const Verified& of) : parent_(of.findings.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    std::map<std::tuple<trace::Rule, trace::Missing, trace::Site>, std::size_t> sites, families;
    std::map<std::tuple<trace::Rule, trace::Missing, std::string, std::string>, std::size_t> lines;
    const auto join = [&](auto& known, const auto& key, std::size_t i) {
      const auto [at, fresh] = known.try_emplace(key, i);
      if (!fresh) parent_[root(i)] = root(at->second);
    };
    for (std::size_t i = 0; i < of.findings.size(); ++i) {
      const trace::Finding& finding = of.findings[i];
      const trace::Missing missing = finding.cause.missing;
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
    return out;
  }

 private:
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  std::vector<std::size_t> parent_;
};

/// The engine's word, unless the litmus test, which has the phases of the run, may have other ones than the schedule that
/// the finding is about.
ExactAnswer believed(const Verified& of, const ExactAnswer& answer) {
  const auto is_doubtful = [](const trace::Finding& finding) {
    return finding.rule == trace::Rule::phase_not_confluent || finding.rule == trace::Rule::stale_poll ||
           finding.rule == trace::Rule::wait_overtaken;
  };
  ExactAnswer out = answer;
  if (answer.races == false && std::any_of(of.findings.begin(), of.findings.end(), is_doubtful)) {
    out.races.reset();
    out.why = "waits may see other phases than those of the run, which the litmus test has";
  }
  return out;
}

VerifyFinding finding_of(const Verified& of, const std::vector<std::size_t>& group) {
  const trace::Finding& first = of.findings[group.front()];
  const Words words = words_of(first);
  VerifyFinding out;
  out.rule = trace::name_of(first.rule);
  out.severity = trace::severity_of(first.rule);
  out.instances = 0;
  out.number = group.front();
  out.cause = words.cause;
  out.section = words.section;
  out.advice = fmt::format(fmt::runtime(words.advice), fmt::arg("proxy", isa::name_of(first.cause.proxy)));
  if (const auto shown = of.contents.find(group.front()); shown != of.contents.end())
    out.condition = condition_of(shown->second);
  const bool of_exit =
      first.rule == trace::Rule::exit_in_flight || first.rule == trace::Rule::exit_in_flight_read;
  const bool of_wait = trace::is_race(first.rule) && first.cause.missing == trace::Missing::wait &&
                       first.first.proxy != isa::Proxy::tensor;
  if (first.first.operation && (of_exit || of_wait)) {
    const Waited waited = waited_by(of, first.first);
    out.advice = fmt::format("{}, before {}", waited.how, of_exit ? "the exit" : "the second access");
    if (of_wait) out.section = waited.section;
  }
  std::map<std::tuple<trace::Site, trace::Effect, bool>, std::size_t> known;
  const auto place = [&](const trace::Place& at) {
    const auto [known_at, fresh] = known.try_emplace({at.site, at.effect, at.operation}, out.places.size());
    if (fresh) out.places.push_back(place_of(of, at));
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
      out.places.push_back(place_of(of, finding.second));
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

bool was_left_out(const Verified& verified) {
  using enum kernel::FaultKind;
  constexpr std::array kLeavesOut = {out_of_bounds, misaligned,    wrong_space, mbarrier_misuse,
                                     tensor_map,    tensor_memory, bad_operand};
  return std::any_of(verified.outcome.faults.begin(), verified.outcome.faults.end(), [&](const auto& fault) {
    return std::find(kLeavesOut.begin(), kLeavesOut.end(), fault.kind) != kLeavesOut.end();
  });
}

bool hangs(const Verified& verified) {
  if (verified.outcome.end != kernel::End::deadlock) return false;
  const auto polls = [](const kernel::Waiting& waiting) { return waiting.polls; };
  return (!verified.partial() && !verified.peers && !was_left_out(verified)) ||
         std::none_of(verified.outcome.waiting.begin(), verified.outcome.waiting.end(), polls);
}

VerifyPlace place_of(const Verified& verified, trace::Site site) {
  const program::Instruction& instruction = verified.run->instruction(site);
  VerifyPlace out;
  out.position = instruction.position;
  out.text = instruction.text;
  out.origin = origin_at(verified.program->origins, instruction.position);
  return out;
}

VerifyPlace place_of(const Verified& verified, trace::Site site, trace::Thread thread) {
  VerifyPlace out = place_of(verified, site);
  const program::Thread& of = verified.run->thread(thread);
  if (!out.position.known()) {
    out.thread = "a peer";
    return out;
  }
  out.thread = fmt::format("P{}", of.number);
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

std::vector<std::size_t> representatives(const Verified& verified) {
  std::vector<std::size_t> out;
  for (const std::vector<std::size_t>& group : Groups(verified).all()) {
    if (trace::is_race(verified.findings[group.front()].rule)) out.push_back(group.front());
  }
  return out;
}

std::vector<VerifyFinding> findings_of(const Verified& verified) {
  std::vector<VerifyFinding> out;
  for (const auto& faults : by_cause(verified.outcome.faults)) out.push_back(finding_of(verified, faults));
  if (hangs(verified)) out.push_back(hang_of(verified));
  for (const auto& group : Groups(verified).all()) out.push_back(finding_of(verified, group));
  std::stable_sort(out.begin(), out.end(),
                   [](const VerifyFinding& a, const VerifyFinding& b) { return a.severity > b.severity; });
  return out;
}

}  // namespace ptxmc::report
