// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/wait_advice.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "explain/verify/between.h"
#include "explain/verify/findings.h"
#include "explain/words/runs.h"
#include "finding/rules.h"

namespace ptxmc::explain {

namespace {

using isa::Opcode;

/// A group of copies of one thread: the two calls, each in CUDA's words and PTX's.
struct GroupCalls {
  std::string_view commit, wait, ptx_commit, ptx_wait;
  bool bulk = false;
};
constexpr GroupCalls kCopies = {"__pipeline_commit()", "__pipeline_wait_prior(0)", "cp.async.commit_group",
                                "cp.async.wait_group 0"};
constexpr GroupCalls kBulk = {"cuda::ptx::cp_async_bulk_commit_group()",
                              "cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>{})",
                              "cp.async.bulk.commit_group", "cp.async.bulk.wait_group 0", true};
constexpr GroupCalls kBulkRead = {"cuda::ptx::cp_async_bulk_commit_group()",
                                  "cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>{})",
                                  "cp.async.bulk.commit_group", "cp.async.bulk.wait_group.read 0", true};

const GroupCalls& calls_of(WaitedBy by) {
  if (by == WaitedBy::copies) return kCopies;
  return by == WaitedBy::bulk ? kBulk : kBulkRead;
}

bool is_phase_wait(const program::Instruction& one) {
  return one.opcode == Opcode::mbarrier_try_wait || one.opcode == Opcode::mbarrier_test_wait;
}

class WaitAdvice {
 public:
  WaitAdvice(const claim::VerifyResult& of, const trace::Finding& finding, bool of_exit)
      : of_(of), finding_(finding), before_(of_exit ? "the exit" : "the second access") {
    const bool is_told =
        !of_exit && finding.first.thread != finding.second.thread;  // groups are of one thread
    then_ = is_told ? ", then `__syncthreads()`" : "";
  }

  std::string group(const GroupCalls& calls) const {
    const auto is = [&](Opcode opcode) {
      return [&calls, opcode](const program::Instruction& one) {
        return one.opcode == opcode && one.modifiers.bulk == calls.bulk;
      };
    };
    const trace::Site from = finding_.first.site, to = finding_.second.site;
    const auto commit = first_between(of_, from, to, is(Opcode::cp_async_commit));
    const auto wait = first_between(of_, commit.value_or(from), to, is(Opcode::cp_async_wait));
    if (!commit)
      return fmt::format("call `{}` after the copy and `{}` in the same thread{}, before {} (PTX: {}, {})",
                         calls.commit, calls.wait, then_, before_, calls.ptx_commit, calls.ptx_wait);
    if (!wait)
      return fmt::format("add `{}` after the commit at {}, in the same thread{}, before {} (PTX: {})",
                         calls.wait, line(*commit), then_, before_, calls.ptx_wait);
    return fmt::format(
        "the wait at {} leaves the group of this copy open: let it leave fewer, as `{}` does{}, before {} (PTX: {})",
        line(*wait), calls.wait, then_, before_, calls.ptx_wait);
  }

  std::string phase() const {
    std::string which = "the phase that its bytes count to";
    std::string parity = "parity";
    if (finding_.phase) {
      const trace::Phase phase = finding_.phase->phase;
      which = fmt::format("phase {} of {}", phase, of_.run->name_of(finding_.phase->object));
      parity = std::to_string(phase & 1U);
    }
    const bool waits =
        first_between(of_, finding_.first.site, finding_.second.site, is_phase_wait).has_value();
    return fmt::format(
        "wait for {}, before {}: `while (!cuda::ptx::mbarrier_try_wait_parity(&bar, {}));` (PTX: "
        "mbarrier.try_wait.parity){}",
        which, before_, parity,
        waits ? "; a phase ends early if expect_tx announces fewer bytes than its copies bring" : "");
  }

  std::string other(std::string_view how) const { return fmt::format("{}, before {}", how, before_); }

 private:
  std::string line(trace::Site site) const { return line_of(place_of(of_, site)); }

  const claim::VerifyResult& of_;
  const trace::Finding& finding_;
  std::string_view before_;
  std::string_view then_;
};

}  // namespace

void advise_waiting(const claim::VerifyResult& of, const trace::Finding& finding, Finding& out) {
  const bool of_exit =
      finding.rule == finding::RuleId::exit_in_flight || finding.rule == finding::RuleId::exit_in_flight_read;
  const bool of_wait = finding::is_race(finding.rule) && finding.cause.missing == trace::Missing::wait &&
                       finding.first.proxy != isa::Proxy::tensor;
  if (!finding.first.operation || (!of_exit && !of_wait)) return;
  const Waited waited = waited_by(of.run->instruction(finding.first.site), finding.first.effect);
  const WaitAdvice advice(of, finding, of_exit);
  switch (waited.by) {
    case WaitedBy::phase:
      out.advice = {advice.phase()};
      break;
    case WaitedBy::copies:
    case WaitedBy::bulk:
    case WaitedBy::bulk_read:
      out.advice = {advice.group(calls_of(waited.by))};
      break;
    case WaitedBy::products:
    case WaitedBy::tensor_commit:
      out.advice = {advice.other(waited.how)};
      break;
  }
  if (of_wait) out.section = waited.section;
}

}  // namespace ptxmc::explain
