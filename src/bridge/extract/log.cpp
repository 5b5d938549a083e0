// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/log.h"

#include <algorithm>
#include <bit>

#include "dynamic/order/heap.h"

namespace ptxmc::extract {

namespace {

constexpr std::size_t kMaxEntries = 4'000'000;

}  // namespace

trace::Range common(const trace::Range& a, const trace::Range& b) {
  const trace::Address begin = std::max(a.begin, b.begin);
  return {begin, std::min(a.begin + a.bytes, b.begin + b.bytes) - begin};
}

void Recorder::add(trace::Thread thread, trace::Site site, const Step& step) {
  if (log_.entries.size() == kMaxEntries) {
    log_.complete = false;
    return;
  }
  log_.entries.push_back({thread, site, step});
}

void Recorder::add(trace::Lanes lanes, trace::Site site, const Step& step) {
  for (unsigned lane = 0; lane < trace::kLanes; ++lane) {
    if ((lanes.mask >> lane & 1U) != 0) add(lanes.thread(lane), site, step);
  }
}

std::vector<trace::Range> Recorder::in_question(std::span<const trace::Range> ranges) const {
  std::vector<trace::Range> out;
  for (const trace::Range& range : ranges) {
    for (const trace::Range& wanted : bytes_) {
      if (overlap(range, wanted)) out.push_back(common(range, wanted));
    }
  }
  return out;
}

void Recorder::start(std::span<const trace::Placement> warps) {
  log_.warps.assign(warps.begin(), warps.end());
  std::uint32_t tasks = 0;
  for (const trace::Placement& place : warps) tasks = std::max(tasks, place.task + 1);
  log_.over_at_start.resize(tasks);
}

void Recorder::shared_memory(std::uint32_t cta, trace::Range window) {
  log_.shared.emplace_back(cta, window);
}

void Recorder::start_behind(trace::Lanes lanes, std::span<const std::uint32_t> tasks) {
  std::set<std::uint32_t>& over = log_.over_at_start.at(log_.warps.at(lanes.warp).task);
  for (const std::uint32_t task : tasks) {
    over.insert(task);
    over.insert(log_.over_at_start.at(task).begin(), log_.over_at_start.at(task).end());
  }
}
void Recorder::grid_wait(trace::Site site, trace::Lanes lanes, std::span<const std::uint32_t> tasks) {
  add(lanes, site, GridWait{{tasks.begin(), tasks.end()}});
}

void Recorder::access(const trace::Access& access) {
  MemoryAccess step{access.effect,  access.proxy,           access.strength, {},
                    access.decides, access.polls != nullptr};
  for (unsigned lane = 0; lane < trace::kLanes; ++lane) {
    if ((access.lanes.mask >> lane & 1U) == 0) continue;
    for (unsigned element = 0; element < access.elements; ++element) {
      step.bytes = {access.begin[lane] + std::uint64_t{element} * access.bytes, access.bytes};
      if (step.strong()) {
        step.element = element;
        step.elements = access.elements;
      }
      const bool wanted = std::any_of(bytes_.begin(), bytes_.end(),
                                      [&](const trace::Range& bytes) { return overlap(step.bytes, bytes); });
      note_values(access, lane, element, step);
      note_order(access, lane, step);
      // A turn that comes back decides nothing: it need not be; nor does what a loop reads beside what it waits for.
      step.decides = access.decides && (access.polls == nullptr || ((access.polls->left >> lane & 1U) != 0 &&
                                                                    access.polls->awaits(lane, element)));
      if (step.strong() || wanted) add(access.lanes.thread(lane), access.site, step);
    }
  }
}

/// What it wrote; or of a loop that is left, what else would have led there.
void Recorder::note_values(const trace::Access& access, unsigned lane, unsigned element, MemoryAccess& step) {
  step.value.reset();
  step.leading_out.clear();
  step.first_leads_out = false;
  if (!step.strong()) return;
  std::vector<std::uint64_t>& values = written_[step.bytes.begin];
  const bool left = access.polls != nullptr && (access.polls->left >> lane & 1U) != 0;
  if (left && !values.empty()) {
    const auto leads_to = [&](std::uint64_t value) {
      return access.polls->left_for_one(lane, element, access.elements, {value}).to;
    };
    const auto place = leads_to(values.back());
    for (const std::uint64_t value : values) {
      const bool known =
          std::find(step.leading_out.begin(), step.leading_out.end(), value) != step.leading_out.end();
      if (!known && place && leads_to(value) == place) step.leading_out.push_back(value);
    }
    const bool knows_later = seen_.contains({access.lanes.thread(lane), step.bytes.begin});
    const auto first = initially_ && !knows_later
                           ? initially_(step.bytes.begin, static_cast<std::uint32_t>(step.bytes.bytes))
                           : std::nullopt;
    step.first_leads_out = first && place && leads_to(static_cast<std::uint64_t>(*first)) == place;
    // Shared memory that nothing has written may hold what the loop waits for (8.2.6), and so may what was allocated.
    const bool unset = trace::is_heap(step.bytes.begin) ||
                       std::any_of(log_.shared.begin(), log_.shared.end(), [&](const auto& window) {
                         return step.bytes.begin - window.second.begin < window.second.bytes;
                       });
    if (initially_ && !knows_later && !first && place && unset) {
      const trace::Leads leads = access.polls->left_for_one(lane, element, access.elements, trace::kAnything);
      step.first_leads_out = leads.to == place;
    }
  }
  if ((access.polls == nullptr || left) && (!values.empty() || step.writes()))
    seen_.emplace(access.lanes.thread(lane), step.bytes.begin);
  const bool writes = access.effect != trace::Effect::read && access.polls == nullptr;
  if (!writes || access.written.empty() || (access.tainted >> lane & 1U) != 0) return;
  if (access.words_of_element() > 1) return;
  step.value = static_cast<std::uint64_t>(access.element_of(access.written, lane, element));
  constexpr std::size_t kMost = 64;
  if (values.size() == kMost) values.erase(values.begin());
  values.push_back(*step.value);
}

/// Which of the strong writes of its location it is, or reads before others that came first in the run.
void Recorder::note_order(const trace::Access& access, unsigned lane, MemoryAccess& step) {
  if (!step.strong()) return;
  std::uint64_t& writes = strong_writes_[step.bytes.begin];
  if (step.writes()) ++writes;
  step.passes = (access.passing >> lane & 1U) != 0;
  step.number = step.passes ? writes - std::min<std::uint64_t>(access.passes, writes) : writes;
}

void Recorder::fence(trace::Site site, trace::Lanes lanes, trace::Strength strength, isa::Space memory) {
  add(lanes, site, Fence{strength, memory});
}
void Recorder::proxy_fence(const trace::ProxyFence& fence) {
  add(fence.lanes, fence.site, ProxyFence{fence.proxy, fence.strength, fence.space, fence.reads_only});
}
void Recorder::mbarrier_init_fence(trace::Site site, trace::Lanes lanes) {
  add(lanes, site, InitFence{});
}
void Recorder::warp_sync(trace::Site site, trace::Lanes lanes) {
  add(lanes, site, WarpSync{warp_syncs_++});
}

void Recorder::barrier_arrive(trace::Site site, trace::Lanes lanes, trace::Barrier barrier,
                              trace::Phase phase) {
  add(lanes, site, BarrierStep{false, true, barrier, phase});
}
void Recorder::barrier_leave(trace::Site site, trace::Lanes lanes, trace::Barrier barrier,
                             trace::Phase phase) {
  add(lanes, site, BarrierStep{false, false, barrier, phase});
}
void Recorder::cluster_arrive(trace::Site site, trace::Lanes lanes, trace::Barrier barrier,
                              trace::Phase phase, isa::Semantics semantics) {
  add(lanes, site, BarrierStep{true, true, barrier, phase, semantics});
}
void Recorder::cluster_leave(trace::Site site, trace::Lanes lanes, trace::Barrier barrier, trace::Phase phase,
                             isa::Semantics semantics) {
  add(lanes, site, BarrierStep{true, false, barrier, phase, semantics});
}

void Recorder::mbarrier_init(trace::Site site, trace::Thread thread, trace::Address object,
                             std::uint32_t count) {
  completed_[object] = 0;
  add(thread, site, Init{object, count});
}
void Recorder::mbarrier_invalidate(trace::Site site, trace::Thread thread, trace::Address object) {
  completed_.erase(object);
  add(thread, site, Invalidation{object});
}
void Recorder::add(const trace::Arrival& arrival, bool after_copies, trace::TensorCommit commits) {
  add(arrival.thread, arrival.site,
      Arrive{arrival.object, arrival.phase, arrival.strength, arrival.count, arrival.bytes, after_copies,
             commits});
}
void Recorder::mbarrier_arrive(const trace::Arrival& arrival) {
  add(arrival, false);
}
void Recorder::cp_async_arrive(const trace::Arrival& arrival) {
  add(arrival, true);
}
void Recorder::mbarrier_complete(trace::Address object, trace::Phase phase) {
  completed_[object] = phase + 1;
}

void Recorder::mbarrier_wait(const trace::Wait& wait) {
  if (!wait.succeeded) return;
  trace::Phase phase = wait.expected;
  if (wait.by_parity) {  // the last one of that parity that was over; before the first there is none
    const trace::Phase completed = completed_[wait.object];
    if (completed == 0) return;
    phase = completed - 1;
    if ((phase & 1U) != wait.expected) {
      if (phase == 0) return;
      --phase;
    }
  }
  add(wait.lanes, wait.site, PhaseWait{wait.object, phase, wait.strength});
}

void Recorder::issue(const trace::Operation& operation) {
  add(operation.issuer, operation.site,
      Copy{operation.proxy, operation.tracking, operation.object, operation.phase, operation.reduces,
           in_question(operation.reads), in_question(operation.writes), operation.through_map,
           operation.element, operation.through_map ? trace::Strength{} : operation.strength});
}
void Recorder::commit_group(trace::Site site, trace::Thread thread, trace::Tracking tracking) {
  add(thread, site, Commit{tracking});
}
void Recorder::wait_group(trace::Site site, trace::Thread thread, trace::Tracking tracking,
                          std::uint32_t pending, bool reads_only) {
  add(thread, site, GroupWait{tracking, pending, reads_only});
}
void Recorder::wgmma_fence(trace::Site site, trace::Lanes lanes) {
  add(lanes, site, WgmmaFence{});
}
void Recorder::wgmma_commit(trace::Site site, trace::Lanes lanes) {
  add(lanes, site, Commit{trace::Tracking::wgmma});
}
void Recorder::wgmma_wait(trace::Site site, trace::Lanes lanes, std::uint32_t pending) {
  add(lanes, site, GroupWait{trace::Tracking::wgmma, pending, false});
}

void Recorder::jump_back(trace::Site to, trace::Lanes lanes) {
  log_.has_all_jumps = log_.has_all_jumps && log_.jumps.size() < kMaxEntries;
  if (log_.has_all_jumps) log_.jumps.push_back({log_.entries.size(), to, lanes});
}

/// The first lane stands for the warp in operations that a warp executes.
void Recorder::tensor_issue(const trace::TensorOperation& operation) {
  TensorAccess access{operation.op, operation.cta_group, operation.product, in_question(operation.reads),
                      in_question(operation.writes)};
  if (access.reads.empty() && access.writes.empty()) return;
  add(operation.lanes.thread(static_cast<unsigned>(std::countr_zero(operation.lanes.mask))), operation.site,
      access);
}
void Recorder::tensor_wait(trace::Site site, trace::Lanes lanes, bool stores) {
  add(lanes, site, TensorWait{stores});
}
void Recorder::tensor_fence(trace::Site site, trace::Lanes lanes, bool after) {
  add(lanes, site, TensorFence{after});
}
void Recorder::tensor_commit(const trace::Arrival& arrival, const trace::TensorCommit& commit) {
  add(arrival, false, commit);
}

}  // namespace ptxmc::extract
