// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/order_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "explain/verify/between.h"
#include "explain/verify/findings.h"
#include "explain/verify/kernels.h"
#include "finding/rules.h"

namespace ptxmc::explain {

namespace {

using finding::RuleId;
using isa::Opcode;
using isa::Semantics;
using trace::Missing;

constexpr const char* kWithinWarp = "add `__syncwarp()` between the two accesses (PTX: bar.warp.sync)";
constexpr const char* kWithinBlock =
    "add `__syncthreads()` between the two accesses, where every thread of the block executes it (PTX: bar.sync 0)";
constexpr const char* kWithinCluster =
    "call `cluster.sync()` between the two accesses (PTX: barrier.cluster.arrive and barrier.cluster.wait)";
constexpr const char* kPublish =
    "publish the first access with a flag: store it with `cuda::memory_order_release`, load it with "
    "`cuda::memory_order_acquire` before the second, at `cuda::thread_scope_device` (PTX: st.release.gpu, "
    "ld.acquire.gpu)";
constexpr const char* kSplit =
    "or move the second access to a later kernel: blocks of a grid share no barrier";
constexpr const char* kBeforeCopy =
    "let the thread that issues the copy wait for the other access: `__syncthreads()` between the two, or an mbarrier at which the "
    "other thread arrives (PTX: bar.sync 0, or mbarrier.arrive and mbarrier.try_wait)";
constexpr const char* kAfterCopy =
    "add `__syncthreads()` after the wait for the first access, before the second (PTX: bar.sync 0)";
constexpr const char* kUpdate =
    "no barrier can stand within one statement: use `atomicAdd()` or another atomic where threads update one element (PTX: atom.add)";
constexpr const char* kReadFirst =
    "split the statement: read into a local variable, call `__syncthreads()`, then write (PTX: bar.sync 0)";
constexpr const char* kReadElsewhere =
    "read what another kernel wrote: no barrier can stand within one statement, and blocks of a grid share none";
constexpr const char* kOneElement =
    "give each thread an element of its own, or write with an atomic such as `atomicExch()` or `atomicMax()` (PTX: atom.exch, "
    "atom.max): no barrier can stand within one statement";

/// The scope that two threads share, in CUDA's words and PTX's.
struct ScopeWords {
  const char *scope, *fence, *ptx;
};
constexpr ScopeWords kBlock = {"cuda::thread_scope_block", "__threadfence_block()", "cta"},
                     kDevice = {"cuda::thread_scope_device", "__threadfence()", "gpu"},
                     kSystem = {"cuda::thread_scope_system", "__threadfence_system()", "sys"};

bool is_fence(const program::Instruction& one) {
  return one.opcode == Opcode::fence;
}

/// An atomic that orders nothing.
bool is_relaxed_atomic(const program::Instruction& one) {
  const isa::Space space = one.modifiers.space;
  return (one.opcode == Opcode::atom || one.opcode == Opcode::red) &&
         one.modifiers.semantics == Semantics::relaxed &&
         (space == isa::Space::global || space == isa::Space::generic);
}

/// If threads of a block have one warp alone, whichever instance of a finding it is.
bool has_one_warp(const claim::VerifyResult& of) {
  if (!of.shape) return false;
  const auto& block = of.shape->block;
  return std::uint64_t{block[0]} * block[1] * block[2] <= trace::kLanes;
}

class OrderAdvice {
 public:
  OrderAdvice(const claim::VerifyResult& of, const std::vector<std::size_t>& group)
      : of_(of),
        group_(group),
        number_(group.front()),
        finding_(of.findings[number_]),
        a_(of.run->thread(finding_.first.thread).placement),
        b_(of.run->thread(finding_.second.thread).placement) {}

  std::vector<std::string> run() const {
    switch (finding_.cause.missing) {
      case Missing::synchronization:
        return finding_.rule == RuleId::race ? unordered() : std::vector<std::string>{};
      case Missing::release:
        return {release()};
      case Missing::acquire:
        return finding_.cause.acquire ? std::vector{acquire()} : std::vector<std::string>{};
      case Missing::scope:
        return {fmt::format("use `{}` at both ends, and `{}` where a fence is the end (PTX: .{})",
                            scope().scope, scope().fence, scope().ptx)};
      case Missing::mutual_scope:
        return {
            fmt::format("use `{}` for both accesses (PTX: .{}), or order them", scope().scope, scope().ptx)};
      default:
        return {};
    }
  }

 private:
  std::string line(trace::Site site) const { return line_of(place_of(of_, site)); }
  const program::Instruction& at(trace::Site site) const { return of_.run->instruction(site); }

  const ScopeWords& scope() const {
    if (a_.gpu != b_.gpu) return kSystem;
    return a_.cta == b_.cta ? kBlock : kDevice;
  }

  std::vector<std::string> unordered() const {
    const trace::Place &first = finding_.first, &second = finding_.second;
    if (first.thread == second.thread) return {};
    const bool in_block = a_.cta == b_.cta;
    if (first.operation || second.operation) {
      if (!in_block || (first.operation && second.operation)) return {};
      return {first.operation ? kAfterCopy : kBeforeCopy};
    }
    if (std::vector<std::string> out = within_statement(in_block); !out.empty()) return out;
    if (in_block) return {has_one_warp(of_) ? kWithinWarp : kWithinBlock};
    if (a_.cluster && a_.cluster == b_.cluster) return {kWithinCluster};
    return between_blocks();
  }

  /// Both are of one statement.
  bool are_in_one_line() const {
    const trace::Site first = finding_.first.site, second = finding_.second.site;
    if (first == second) return true;
    const Origin one = place_of(of_, first).origin, other = place_of(of_, second).origin;
    const bool reads_first = finding_.first.effect == trace::Effect::read    ? first < second
                             : finding_.second.effect == trace::Effect::read ? second < first
                                                                             : false;
    return one.known() && other.known() && one.frames == other.frames && reads_first;
  }

  static bool both_write(const trace::Finding& finding) {
    return finding.first.effect != trace::Effect::read && finding.second.effect != trace::Effect::read;
  }

  /// The writes of the statement race with each other, too.
  bool updates_one_element() const {
    return std::any_of(group_.begin(), group_.end(),
                       [&](std::size_t i) { return both_write(of_.findings[i]); });
  }

  /// Threads execute one statement, in no order; unless they are in different iterations of a loop, no barrier can order them.
  std::vector<std::string> within_statement(bool in_block) const {
    if (of_.iterations.contains(number_) || !are_in_one_line()) return {};
    std::vector<std::string> out;
    if (const std::string lock = relaxed_lock(); !lock.empty() && !in_block) out.push_back(lock);
    if (both_write(finding_)) {
      out.emplace_back(kOneElement);
    } else if (updates_one_element()) {
      out.emplace_back(kUpdate);
    } else {
      out.emplace_back(in_block ? kReadFirst : kReadElsewhere);
    }
    const auto exact = of_.exact.find(number_);
    const bool asked = exact != of_.exact.end() && exact->second.races == true;
    const bool in_loop =
        !of_.run->loops_around(finding_.first.site).value_or(std::vector<trace::Site>{0}).empty();
    if (in_loop && !asked && in_block)
      out.push_back(fmt::format("or, if these are two iterations: {}", kWithinBlock));
    return out;
  }

  /// Atomics that may be meant to tell of the first access, but order nothing; empty: there are none.
  std::string relaxed_lock() const {
    const trace::Site first = finding_.first.site, second = finding_.second.site;
    const auto told = first_between(of_, first, first, is_relaxed_atomic);
    const auto seen = last_before(of_, second, is_relaxed_atomic);
    if (!told || !seen || *told < first) return "";
    const auto released = first_between(of_, first, *told, is_fence),
               acquired = first_between(of_, *seen, second, is_fence);
    const std::string before = "before " + (*told == *seen ? "it" : "the one at " + line(*told)),
                      after = "after " + (*told == *seen ? "it" : "the one at " + line(*seen));
    if (released && acquired) return by_other_threads(*released, *acquired);
    const std::string where = released ? after : acquired ? before : before + " and " + after;
    if (*told == *seen)
      return fmt::format(
          "if the atomic at {} tells that the first access is over: it is relaxed, so add `__threadfence()` {} (PTX: "
          "fence.acq_rel.gpu)",
          line(*told), where);
    return fmt::format(
        "if the atomics at {} and {} are to order the two: they are relaxed, so add `__threadfence()` {} (PTX: "
        "fence.acq_rel.gpu)",
        line(*told), line(*seen), where);
  }

  /// The fences are there: then those that execute them have to know of the accesses of their block, and the other way round.
  std::string by_other_threads(trace::Site released, trace::Site acquired) const {
    const auto is_barrier = [](const program::Instruction& one) { return one.opcode == Opcode::bar_sync; };
    const bool before = !first_between(of_, finding_.first.site, released, is_barrier),
               after = !first_between(of_, acquired, finding_.second.site, is_barrier);
    if (!before && !after) return "";
    const std::string where = (before ? "before the fence at " + line(released) : "") +
                              (before && after ? " and " : "") +
                              (after ? "after the fence at " + line(acquired) : "");
    return fmt::format(
        "if one thread of a block executes the fences for all: add `__syncthreads()` {} (PTX: bar.sync 0)",
        where);
  }

  std::vector<std::string> between_blocks() const {
    std::vector<std::string> out;
    if (std::string lock = relaxed_lock(); !lock.empty()) out.push_back(std::move(lock));
    const bool polls =
        out.empty() && finding_.second.effect == trace::Effect::read &&
        !of_.run->loops_around(finding_.second.site).value_or(std::vector<trace::Site>{}).empty();
    if (polls)
      out.push_back(fmt::format(
          "if the loop at {} waits for this value: access it by `cuda::atomic_ref<T, cuda::thread_scope_device>` at both places (PTX: "
          "st.release.gpu, ld.acquire.gpu)",
          line(finding_.second.site)));
    out.push_back(out.empty() ? kPublish : fmt::format("or {}", kPublish));
    out.emplace_back(kSplit);
    return out;
  }

  bool acquires(trace::Site site) const {
    const Semantics semantics = at(site).modifiers.semantics;
    return semantics == Semantics::acquire || semantics == Semantics::acq_rel ||
           first_between(of_, site, finding_.second.site, is_fence);
  }

  /// "add `__threadfence()` after the read at k.cu:8, or load there with `cuda::memory_order_acquire`"
  std::string at_read(trace::Site site) const {
    const bool loads = at(site).opcode == Opcode::ld;
    return fmt::format("`{}` after the {} at {}, or {} with `cuda::memory_order_acquire`", scope().fence,
                       loads ? "read" : "atomic", line(site), loads ? "load there" : "do it");
  }

  std::string acquire() const {
    return fmt::format("add {}, at `{}` (PTX: fence.acq_rel.{}, ld.acquire.{})",
                       at_read(*finding_.cause.acquire), scope().scope, scope().ptx, scope().ptx);
  }

  std::string release() const {
    const trace::Cause& cause = finding_.cause;
    if (!cause.release || !cause.acquire) return "";
    const bool stores = at(*cause.release).opcode == Opcode::st;
    return fmt::format(
        "add `{}` before the {} at {}, or {} with `cuda::memory_order_release`, at `{}`{} (PTX: fence.acq_rel.{}, "
        "{}.release.{})",
        scope().fence, stores ? "write" : "atomic", line(*cause.release), stores ? "store there" : "do it",
        scope().scope, acquires(*cause.acquire) ? "" : "; and " + at_read(*cause.acquire), scope().ptx,
        stores ? "st" : "atom", scope().ptx);
  }

  const claim::VerifyResult& of_;
  const std::vector<std::size_t>& group_;
  std::size_t number_;  // the first of the group
  const trace::Finding& finding_;
  const program::Placement &a_, &b_;
};

bool is_of_flag(RuleId rule) {
  return rule == RuleId::race || rule == RuleId::scope_too_narrow || rule == RuleId::missing_acquire;
}

}  // namespace

std::vector<std::string> order_advice(const claim::VerifyResult& of, const std::vector<std::size_t>& group) {
  const trace::Finding& finding = of.findings[group.front()];
  if (!of.launched || !is_of_flag(finding.rule) || are_of_two_kernels(of, finding)) return {};
  const bool known = of.run->thread(finding.first.thread).position.known() &&
                     of.run->thread(finding.second.thread).position.known();
  if (!known) return {};  // a writer outside of the launch
  std::vector<std::string> out = OrderAdvice(of, group).run();
  std::erase(out, "");
  return out;
}

}  // namespace ptxmc::explain
