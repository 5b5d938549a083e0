// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/proof.h"

#include <fmt/format.h>

#include <algorithm>

#include "dynamic/claim/claim.h"
#include "finding/rules.h"
#include "support/beyond_limits.h"
#include "support/diagnostic.h"

namespace ptxmc::repair {

namespace {

constexpr std::uint32_t kBarriers = 16;  // a CTA has so many (9.7.12.1)
constexpr std::uint32_t kWarpThreads = 32;
constexpr const char* kBarrier = "bar.sync 0";
constexpr const char* kClusterWait = "barrier.cluster.wait";

bool puts_in(const Edit& edit, const char* instruction) {
  return edit.text.find(instruction) != std::string::npos;
}

/// A number that no barrier of the module may have: none where one is computed, as all may be in use then.
std::optional<std::uint32_t> free_barrier(const std::string& module) {
  std::vector<bool> used(kBarriers, false);
  for (const char* name : {"bar.", "barrier."}) {
    for (std::size_t at = module.find(name); at != std::string::npos; at = module.find(name, at + 1)) {
      const std::size_t begin = module.find_first_of(" \t;", at);
      const std::size_t operand = module.find_first_not_of(" \t", begin);
      if (operand == std::string::npos || module[operand] < '0' || module[operand] > '9') continue;
      const unsigned long number = std::strtoul(module.c_str() + operand, nullptr, 10);
      if (number < kBarriers) used[number] = true;
    }
  }
  for (std::uint32_t number = kBarriers; number-- > 1;) {
    if (!used[number]) return number;
  }
  return std::nullopt;
}

/// The same with barriers that complete only if all threads of the block come to them: each has a number of its own, and counts the
/// threads, so that none that has exited stands for one that comes. Nothing: there are not so many.
std::optional<std::vector<Edit>> counted(std::vector<Edit> edits, const std::string& module,
                                         std::uint32_t threads) {
  const std::optional<std::uint32_t> number = free_barrier(module);
  if (!number || threads == 0) return std::nullopt;
  const std::string barrier =
      fmt::format("bar.sync {}, {}", *number, (threads + kWarpThreads - 1) / kWarpThreads * kWarpThreads);
  for (Edit& edit : edits) {
    if (const std::size_t at = edit.text.find(kBarrier); at != std::string::npos) {
      edit.text.replace(at, std::string_view(kBarrier).size(), barrier);
    } else if (puts_in(edit, kClusterWait)) {
      edit.text.insert(edit.text.find(kClusterWait), barrier + "; ");
    }
  }
  return edits;
}

/// Warps come to a barrier that was put in, and to another one, as if it were one: that is an accident.
bool meets_another(const claim::VerifyResult& verified, const OldLines& old) {
  return std::any_of(verified.outcome.apart.begin(), verified.outcome.apart.end(), [&](trace::Site site) {
    return old(verified.run->instruction(site).position.line) == 0;
  });
}

/// A launch that the kernel takes has no findings of other kinds than the given one: races, at most.
bool takes(const std::vector<explain::Finding>& there, const FindingKeys& given) {
  return std::all_of(there.begin(), there.end(), [&](const explain::Finding& finding) {
    if (finding.severity < Severity::warning) return true;
    if (finding.rule != nullptr && finding.rule->kind == finding::Kind::race) return true;
    return std::any_of(given.begin(), given.end(),
                       [&](const FindingKey& key) { return std::get<0>(key) == finding.name; });
  });
}

}  // namespace

bool ended(const claim::VerifyResult& verified) {
  return verified.outcome.end == exec::End::finished || verified.outcome.end == exec::End::deadlock;
}

Proofs::Proofs(const KernelAsked& asked, const KernelRun& now, const ModuleText& module)
    : asked_(asked),
      verified_(now.verification->verified),
      module_(module),
      given_{asked.verify, keys_of(explain::findings_of(verified_), same_line), threads_of(verified_)} {}

std::uint32_t Proofs::threads_of(const claim::VerifyResult& verified) const {
  const auto product = [](const std::array<std::uint32_t, 3>& sides) {
    return sides[0] * sides[1] * sides[2];
  };
  std::uint32_t out = verified.shape ? product(verified.shape->block) : 0;
  for (const program::Kernel& kernel : verified.program->kernels.kernels)
    out = std::max(out, product(kernel.block));
  return out;
}

std::optional<KernelRepair> Proofs::of(const KernelCandidate& candidate, const explain::Finding& finding) {
  const Verdict here = ask(candidate, finding, given_);
  if (here.answer != Answer::yes) return std::nullopt;
  KernelRepair out{candidate.what,
                   edited(module_.text(), candidate.edits),
                   candidate.orders,
                   candidate.cost,
                   here.claim,
                   candidate.source,
                   {}};
  for (const Ground& other : others()) {
    const Verdict there = ask(candidate, finding, other);
    if (there.answer != Answer::open)
      out.elsewhere.push_back({other.name, there.answer == Answer::yes, there.claim});
  }
  return out;
}

Proofs::Verdict Proofs::ask(const KernelCandidate& candidate, const explain::Finding& finding,
                            const Ground& ground) const {
  const Verdict out = ask(candidate.edits, finding, ground);
  const bool barrier = std::any_of(candidate.edits.begin(), candidate.edits.end(), [](const Edit& edit) {
    return puts_in(edit, kBarrier) || puts_in(edit, kClusterWait);
  });
  if (out.answer != Answer::yes || !barrier) return out;
  const auto all_come = counted(candidate.edits, module_.text(), ground.threads);
  if (!all_come) return {Answer::open, out.claim};
  return {ask(*all_come, finding, ground).answer, out.claim};
}

Proofs::Verdict Proofs::ask(const std::vector<Edit>& edits, const explain::Finding& finding,
                            const Ground& ground) const {
  try {
    const KernelRun changed = ground.verify(edited(module_.text(), edits));
    const claim::VerifyResult& verified = changed.verification->verified;
    if (!ended(verified)) return {};
    if (verified.outcome.end != exec::End::finished)
      return {Answer::no};  // what comes after a hang is not seen
    const OldLines old(module_.text(), edits);
    if (meets_another(verified, old)) return {Answer::no};
    const FindingKeys now = keys_of(explain::findings_of(verified), old), gone = keys_of(finding, same_line);
    const bool some_left =
        std::any_of(gone.begin(), gone.end(), [&](const FindingKey& k) { return now.contains(k); });
    const bool fresh = !std::includes(ground.before.begin(), ground.before.end(), now.begin(), now.end());
    return {some_left || fresh ? Answer::no : Answer::yes, claim::verdict_of(verified)};
  } catch (const BeyondLimits&) {
  } catch (const InputError&) {  // no module that can be run
  } catch (const OutOfTime&) {
  }
  return {};
}

std::optional<Proofs::Ground> Proofs::ground_of(const OtherLaunch& other) const {
  try {
    const KernelRun run = other.verify(module_.text());
    const claim::VerifyResult& verified = run.verification->verified;
    const std::vector<explain::Finding> found = explain::findings_of(verified);
    if (!ended(verified) || !takes(found, given_.before)) return std::nullopt;
    return Ground{other.verify, keys_of(found, same_line), threads_of(verified), other.name};
  } catch (const BeyondLimits&) {
  } catch (const InputError&) {
  } catch (const OutOfTime&) {
  }
  return std::nullopt;
}

const std::vector<Proofs::Ground>& Proofs::others() {
  if (!others_) {
    others_.emplace();
    for (const OtherLaunch& other : asked_.others) {
      if (auto ground = ground_of(other)) others_->push_back(std::move(*ground));
    }
  }
  return *others_;
}

}  // namespace ptxmc::repair
