// SPDX-License-Identifier: Apache-2.0
// clusterlaunchcontrol (PTX 8.6): of a kernel that cancels launches, half of the clusters start when the others are over,
// as in a grid that does not fit the device; those are the ones that can be cancelled. A response is 16 bytes: whether one
// was, and the place of its first CTA. Which one it is rests on timing.
#include <fmt/format.h>

#include <algorithm>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Role;
using isa::Variant;
using trace::Range;
using trace::Tracking;

constexpr std::uint32_t kResponse = 16;  // bytes

}  // namespace

/// Holds the clusters that do not start at once, of a task that cancels launches.
void LaunchCancels::hold_clusters(std::uint32_t task) {
  held_.clear();
  std::vector<std::uint32_t> all;
  bool cancels = false;
  for (std::uint32_t cluster = 0; cluster < run_.clusters.size(); ++cluster) {
    const Cta& cta = run_.ctas[run_.clusters[cluster].ctas.front()];
    if (cta.task != task) continue;
    all.push_back(cluster);
    const Code& code =
        *run_.warps[cta.warps.front()]
             .codes[static_cast<unsigned>(std::countr_zero(run_.warps[cta.warps.front()].exists))];
    cancels = cancels || std::any_of(code.steps.begin(), code.steps.end(), [](const Step& step) {
                return step.instruction->opcode == Opcode::launch_cancel;
              });
  }
  if (!cancels) return;
  held_.assign(all.begin() + static_cast<std::ptrdiff_t>((all.size() + 1) / 2), all.end());
  for (const std::uint32_t cluster : held_) set_ready(cluster, false);
}

/// The next one of those that have not started; false: there is none.
bool LaunchCancels::start_held_cluster() {
  if (held_.empty()) return false;
  set_ready(held_.front(), true);
  held_.erase(held_.begin());
  ++run_.changes;
  return true;
}

void LaunchCancels::set_ready(std::uint32_t cluster, bool ready) {
  for (const std::uint32_t cta : run_.clusters[cluster].ctas) {
    for (const std::uint32_t warp : run_.ctas[cta].warps)
      run_.warps[warp].ready = ready ? run_.warps[warp].exists : 0;
  }
}

/// The first CTA of one that will not start; nothing: all have.
std::optional<std::uint32_t> LaunchCancels::cancel_held_cluster() {
  if (held_.empty()) return std::nullopt;
  const std::vector<std::uint32_t>& ctas = run_.clusters[held_.front()].ctas;
  for (const std::uint32_t cta : ctas) {
    for (const std::uint32_t warp : run_.ctas[cta].warps) run_.warps[warp].exited = run_.warps[warp].exists;
  }
  held_.erase(held_.begin());
  ++run_.changes;
  return ctas.front();
}

/// %ctaid of a CTA: what its threads would read; if they do not, its number, as that of a flat grid.
std::uint64_t LaunchCancels::coordinate_of(std::uint32_t cta, char axis) {
  Warp& warp = run_.warps[run_.ctas[cta].warps.front()];
  const auto lane = static_cast<unsigned>(std::countr_zero(warp.exists));
  const auto& registers = warp.codes[lane]->registers;
  const auto found = registers.find(fmt::format("ctaid_{}", axis));
  if (found != registers.end()) return warp.row(found->second)[lane];
  const program::Thread* of = run_.threads[thread_of(warp, lane)];
  return axis == 'x' ? static_cast<std::uint64_t>(of->placement.cta.value_or(0)) : 0;
}

/// clusterlaunchcontrol.try_cancel.async: a response written through the async proxy, to each CTA of the cluster with
/// .multicast.
void LaunchCancels::cancel_launch(Warp& warp, const Step& step, LaneMask mask) {
  for_lanes(mask, [&](unsigned lane) {
    const Address at = run_.address(warp, step, step.address, lane),
                  object_at = run_.address(warp, step, step.mbarrier, lane);
    if (!machine_.forms.is_aligned(warp, step, lane, step.address.base, at, kResponse))
      return run_.fault(RuleId::misaligned, step, warp, lane,
                        fmt::format("a response at {}", run_.memory->name_at(at)));
    if (!machine_.copies.writable(warp, step, lane, {at, kResponse}, step.address.base)) return;
    if (failed_.contains(run_.ctas[warp.cta].cluster))
      run_.fault(RuleId::bad_operand, Misuse::asks_again, step, warp, lane,
                 "a cluster asks again after it has seen that a request failed");
    else if (unheeded_.contains(run_.ctas[warp.cta].cluster))
      run_.decided(step, Decided::control, bit(Source::timing), false);
    std::array<std::uint32_t, 4> response{};
    if (const auto cta = cancel_held_cluster()) {
      response[0] = 1;
      for (unsigned axis = 0; axis < 3; ++axis)
        response.at(axis + 1) =
            static_cast<std::uint32_t>(coordinate_of(*cta, static_cast<char>('x' + axis)));
    }
    std::vector<std::uint32_t> to = {static_cast<std::uint32_t>(Memory::cta_of(at))};
    if (step.modifiers().multicast) to = run_.clusters[run_.ctas[warp.cta].cluster].ctas;
    for (const std::uint32_t cta : to) {
      const Range written{machine_.copies.in_cta(at, cta), kResponse};
      const Address there = machine_.copies.in_cta(object_at, cta);
      if (machine_.mbarriers.object(warp, step, there, lane) == nullptr) return;
      machine_.copies.issue(warp, step, lane, Tracking::mbarrier, there, {}, {&written, 1});
      const Memory::Span span = *run_.memory->span(written.begin, kResponse);
      std::memcpy(span.data, response.data(), kResponse);
      span.set_sources(0, kResponse, bit(Source::timing));
      machine_.async_stores.signal(warp, step, lane, there, kResponse);
    }
  });
}

/// clusterlaunchcontrol.query_cancel: what a response says. After one that failed and was seen, another request is undefined. Any may
/// fail: where control does not rest on that, whether the next request is one too many is open.
void LaunchCancels::query_cancel(Warp& warp, const Step& step, LaneMask mask) {
  const isa::Variants& asked = step.modifiers().variants;
  const Slot low = step.slot(Role::a), high = static_cast<Slot>(low + 1);
  Taint taint = warp.taint(low);
  taint |= warp.taint(high);
  const auto give = [&](Slot slot, unsigned lane, unsigned word) {
    if (slot == kNoSlot) return;
    const std::uint64_t half = warp.row(word < 2 ? low : high)[lane];
    warp.row(slot)[lane] = word % 2 == 0 ? half & 0xffffffffU : half >> 32U;
  };
  for_lanes(mask, [&](unsigned lane) {
    for (unsigned i = 0; asked.has(Variant::first_cta) && i < 3 && i < step.elements.size(); ++i)
      give(step.elements[i], lane, i + 1);
    if (asked.has(Variant::is_canceled)) {
      give(step.to, lane, 0);
      if (warp.row(step.to)[lane] == 0) failed_.insert(run_.ctas[warp.cta].cluster);
      if (!step.decides) unheeded_.insert(run_.ctas[warp.cta].cluster);
    }
    if (asked.has(Variant::first_cta_x)) give(step.to, lane, 1);
    if (asked.has(Variant::first_cta_y)) give(step.to, lane, 2);
    if (asked.has(Variant::first_cta_z)) give(step.to, lane, 3);
  });
  if (step.to != kNoSlot) warp.taint(step.to).assign(taint, mask);
  for (const Slot slot : step.elements) {
    if (slot != kNoSlot) warp.taint(slot).assign(taint, mask);
  }
}

}  // namespace ptxmc::exec
