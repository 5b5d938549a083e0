// SPDX-License-Identifier: Apache-2.0
// What is said of two accesses that race.
#include <algorithm>
#include <utility>

#include "dynamic/shadow/memory.h"

namespace ptxmc::trace {

/// One of the lanes of a mark that is this to what the thread does now.
Thread Memory::lane_that_is(Pair pair, const ShadowAccess& mark, const Kind& kind, Thread thread) const {
  ShadowAccess one = mark;
  for (std::uint32_t rest = mark.mask; rest != 0; rest &= rest - 1) {
    one.mask = rest & (~rest + 1);
    if (order_.relate(one, kind, thread) == pair) return first_of(one);
  }
  return first_of(mark);
}

/// What issued the operation is ordered after the access, and the operation is not.
bool Memory::starts_too_early(const ShadowAccess& before, const Kind& kind, Thread thread) const {
  const Thread issuer = threads_.issuer(thread);
  return issuer != thread && order_.relate(before, kind, issuer) == Pair::ordered;
}

/// Two writes of one value, as far as that is known.
bool Memory::are_equal(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind) const {
  const Kind& first = kinds_[before.kind];
  return first.effect == Effect::write && kind.effect == Effect::write && before.value != 0 &&
         before.value == now.value && first.bytes == kind.bytes && first.elements == kind.elements;
}

/// The threads of an access; of an operation, the one that issued it.
Lanes Memory::readers_of(const ShadowAccess& mark) const {
  return kinds_[mark.kind].operation ? lane_of(threads_.issuer(first_of(mark))) : Lanes{mark.warp, mark.mask};
}

/// What an asynchronous write takes the place of, of its own kind, and whose reads of that it comes after.
void Memory::note_refill(const Cell& cell, const ShadowAccess& now, const Kind& kind) {
  if (cell.write.mask == 0) return;
  const Kind& old = kinds_[cell.write.kind];
  const bool alike = old.operation && old.agent == kind.agent && old.object == kind.object &&
                     old.proxy == kind.proxy && old.tensor.op == kind.tensor.op;
  if (!alike) return;
  buffer_reuse_.note(now, cell.write);
  const auto note = [&](const ShadowAccess& mark) {
    const bool reads = mark.mask != 0 && !kinds_[mark.kind].writes() &&
                       (mark.value & Observed::kBehindWrites) != 0;  // and not what was there before
    if (!reads || !order_cache_.ordered(mark, now)) return;
    buffer_reuse_.note_reader(now, readers_of(mark));
  };
  note(cell.read);
  for (const ShadowAccess& mark : cell.more.all()) note(mark);
}

/// Nothing orders the two, and the one that happens now was meant to come first: the other one reads what no
/// thread has written, or writes over what this one is there to read.
bool Memory::came_late(const ShadowAccess& before, const Kind& kind, Thread thread) const {
  const Kind& first = kinds_[before.kind];
  if (history_ || first.writes() == kind.writes()) return false;
  if (kind.writes()) {
    const auto is_shared = [](const Kind& one) {
      return one.proxy == isa::Proxy::tensor || (one.proxy == isa::Proxy::async && one.place != kNotShared);
    };
    return (is_shared(first) || is_shared(kind)) &&
           std::none_of(marks_.begin(), marks_.end(),
                        [&](const ShadowAccess& mark) { return kinds_[mark.kind].writes(); });
  }
  constexpr unsigned kSteps = 8;
  ShadowAccess write = before;
  for (unsigned i = 0; i < kSteps; ++i) {
    const std::optional<ShadowAccess> there = buffer_reuse_.yet_to_read(write, threads_.issuer(thread));
    if (!there) return false;
    if (order_.relate(*there, kind, thread) == Pair::ordered) return true;
    write = *there;
  }
  return false;
}

/// What is missing between two that race, for no reason that is known better.
Missing Memory::missing_between(const ShadowAccess* first_mark, const Kind& first, const Kind& second) const {
  // Its own thread has waited for it, or a thread has that told that thread; nothing tells of that.
  const bool complete = first_mark != nullptr && first.proxy == isa::Proxy::tensor &&
                        threads_.knows(threads_.issuer(first_of(*first_mark)), OrderKind::tensor_done,
                                       order_.epoch(*first_mark));
  if (first.operation && !complete) return Missing::wait;
  const bool alike =
      first.strong() && second.strong() && first.proxy == second.proxy && first.bytes == second.bytes;
  return alike ? Missing::mutual_scope : Missing::synchronization;
}

/// To which its first access counts, an operation that is over with a phase; and a wait of the other thread that may have been
/// meant for it.
void Memory::note_phase(const Kind& operation, Time end, Finding& finding) {
  if (!operation.operation || operation.agent != Agent::object) return;
  finding.phase = objects_.phase_of(operation.object, end);
  if (!finding.phase) return;
  const std::optional<Finding> wait =
      objects_.wait_before_first(operation.object, finding.phase->phase, finding.second.thread);
  if (wait) findings_.add(*wait);
}

void Memory::report(const ShadowAccess& before, const ShadowAccess& now, const Kind& kind, Related related,
                    Range range) {
  const Kind& first = kinds_[before.kind];
  if (paths_ != nullptr && history_ && (first.path != 0 || kind.path != 0) &&
      paths_->exclude({first.path, first_of(before) % kLanes}, {kind.path, related.thread % kLanes}))
    return;
  Finding finding;
  finding.first = {first.site, threads_.issuer(lane_that_is(related.pair, before, kind, related.thread)),
                   first.effect, first.proxy, first.operation};
  finding.second = {kind.site, threads_.issuer(related.thread), kind.effect, kind.proxy, kind.operation};
  finding.bytes = range;
  const bool frees = first.tensor.op == TensorOp::dealloc || kind.tensor.op == TensorOp::dealloc;
  if (related.pair == Pair::freed || frees) {
    finding.rule = RuleId::tmem_free;
    finding.cause.missing = related.pair == Pair::freed ? Missing::synchronization : Missing::wait;
  } else if (starts_too_early(before, kind, related.thread)) {
    finding.cause.missing = Missing::wgmma_fence;
  } else if (related.pair == Pair::issued) {
    finding.rule = RuleId::tcgen05_order;
    finding.cause.missing = Missing::wait;
  } else if (related.pair == Pair::fence) {
    finding.rule = RuleId::tcgen05_fence;
    finding.cause.missing = Missing::tensor_fence;
  } else if (related.pair == Pair::proxy) {
    const bool war = !first.writes() && first.proxy == isa::Proxy::generic && kind.proxy == isa::Proxy::async;
    finding.rule = war ? RuleId::cross_proxy_war : RuleId::proxy_race;
    finding.cause = {
        Missing::proxy_fence, kind.proxy == isa::Proxy::generic ? first.proxy : kind.proxy, {}, {}};
  } else if (are_equal(before, now, kind)) {
    finding.rule = RuleId::equal_bytes;
    finding.cause.missing = Missing::synchronization;
  } else if (related.pair == Pair::exchanged) {
    finding.rule = RuleId::warp_exchange;
    finding.cause.missing = Missing::warp_sync;
  } else if (related.pair == Pair::ended) {
    finding.rule = RuleId::before_grid_wait;
    finding.cause.missing = Missing::synchronization;
  } else if (related.pair == Pair::remote) {  // one cause in all of a kernel
    finding.rule = RuleId::remote_arrival;
    finding.cause.missing = Missing::scope;
  } else if (const std::optional<Cause> cause =
                 release_sequences_.why(finding.second.thread, order_.epoch(before))) {
    const bool beside = kind.elements > 1 && cause->acquire == kind.site;  // no acquire could be in between
    const bool plain = cause->missing == Missing::release || cause->missing == Missing::state_space;
    finding.rule = beside || plain                    ? RuleId::race
                   : cause->missing == Missing::scope ? RuleId::scope_too_narrow
                                                      : RuleId::missing_acquire;
    finding.cause = beside ? Cause{Missing::one_access, kind.proxy, std::nullopt, std::nullopt} : *cause;
  } else {
    finding.rule = RuleId::race;
    finding.late = came_late(before, kind, related.thread);
    if (finding.late) std::swap(finding.first, finding.second);
    if (!finding.late && first.operation && first.writes() && !kind.writes())
      buffer_reuse_.note_taker(before, readers_of(now));
    finding.cause.missing =
        finding.late ? missing_between(nullptr, kind, first) : missing_between(&before, first, kind);
    note_phase(finding.late ? kind : first, order_.epoch(finding.late ? now : before).time, finding);
  }
  example_.found.push_back(findings_.add(finding));
}

}  // namespace ptxmc::trace
