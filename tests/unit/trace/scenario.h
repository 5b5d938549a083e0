// SPDX-License-Identifier: Apache-2.0
// Events of a run, written down by hand. Thread T is lane 0 of warp T unless a test says otherwise.
#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>

#include "dynamic/shadow/detector.h"

namespace ptxmc::testing {

using namespace ptxmc::trace;
using isa::Proxy;
using isa::Scope;
using isa::Semantics;

constexpr Strength kWeak{};
constexpr Strength strong(Semantics semantics, Scope scope = Scope::gpu) {
  return {semantics, scope};
}

/// Options of most tests, whose CTAs start together.
inline Options together(bool all_pairs = false) {
  Options out;
  out.all_pairs = all_pairs;
  out.readings.ctas_start_together = true;
  return out;
}

class Scenario {
 public:
  /// One warp for each CTA named.
  explicit Scenario(const std::vector<std::uint32_t>& ctas, bool all_pairs = false)
      : Scenario(ctas, together(all_pairs)) {}
  Scenario(const std::vector<std::uint32_t>& ctas, const Options& options) : detector(options) {
    std::vector<Placement> places;
    for (const std::uint32_t cta : ctas) places.push_back({cta, cta / 2, 0, 0});
    detector.start(places);
    for (std::uint32_t cta = 0; cta < 4; ++cta) detector.shared_memory(cta, {0x10000 + cta * 0x1000, 0x1000});
  }
  Scenario(std::span<const Placement> places, bool all_pairs) : Scenario(places, together(all_pairs)) {}
  Scenario(std::span<const Placement> places, const Options& options) : detector(options) {
    detector.start(places);
  }

  Site line = 0;
  Detector detector;

  static Thread thread(unsigned warp, unsigned lane = 0) { return warp * kLanes + lane; }
  void access(Effect effect, Thread t, Address at, Strength strength = kWeak, Proxy proxy = Proxy::generic,
              std::uint8_t bytes = 4, std::uint64_t value = 0, bool decides = true) {
    std::array<Address, kLanes> begin{};
    begin[t % kLanes] = at;
    std::array<std::uint64_t, kLanes> values{};
    values[t % kLanes] = value;
    Access a{++line, lane_of(t), effect, proxy, strength, bytes, 1, begin, {}, 0, decides};
    if (value != 0) a.written = values;
    detector.access(a);
  }
  void write(Thread t, Address at, Strength strength = kWeak) { access(Effect::write, t, at, strength); }
  void read(Thread t, Address at, Strength strength = kWeak) { access(Effect::read, t, at, strength); }
  void update(Thread t, Address at, Strength strength) { access(Effect::update, t, at, strength); }
  /// The last turn of a loop that waits.
  void poll(Thread t, Address at, Strength strength) {
    std::array<Address, kLanes> begin{};
    begin[t % kLanes] = at;
    const Polling polls{~std::uint32_t{0}, nullptr};
    Access a{++line, lane_of(t), Effect::read, Proxy::generic, strength, 4, 1, begin, {}};
    a.polls = &polls;
    detector.access(a);
  }
  /// red, whose result others wait for.
  void reduce(Thread t, Address at, Strength strength) {
    std::array<Address, kLanes> begin{};
    begin[t % kLanes] = at;
    Access a{++line, lane_of(t), Effect::update, Proxy::generic, strength, 4, 1, begin, {}};
    a.no_result = true;
    detector.access(a);
  }
  void fence(Thread t, Semantics semantics = Semantics::acq_rel, Scope scope = Scope::gpu) {
    detector.fence(++line, lane_of(t), {semantics, scope}, isa::Space::generic);
  }
  /// .sync_restrict: a release of the shared memory of its CTA, or an acquire of that of its cluster.
  void restricted_fence(Thread t, Semantics semantics) {
    detector.fence(++line, lane_of(t), {semantics, Scope::cluster},
                   semantics == Semantics::release ? isa::Space::shared_cta : isa::Space::shared_cluster);
  }
  void proxy_fence(Thread t, Proxy proxy = Proxy::async, Strength strength = kWeak,
                   isa::Space space = isa::Space::generic, bool reads_only = false) {
    detector.proxy_fence({++line, lane_of(t), proxy, strength, space, {}, reads_only});
  }
  /// An acquire of the tensormap proxy, for the map there.
  void acquire_map(Thread t, Address map, Scope scope = Scope::gpu) {
    std::array<Address, kLanes> maps{};
    maps.fill(map);
    detector.proxy_fence(
        {++line, lane_of(t), Proxy::tensormap, strong(Semantics::acquire, scope), isa::Space::generic, maps});
  }
  /// A copy reads its map.
  void read_map(Thread t, Address map) {
    const std::array<Range, 1> reads{{{map, 128}}};
    detector.issue({++line, t, Proxy::tensormap, Tracking::bulk_group, 0, 0, reads, {}, false});
  }
  /// Lanes 0 of these warps meet.
  void bar(const std::vector<unsigned>& warps, std::uint8_t id = 0) {
    const Phase phase = phases_[id]++;
    ++line;
    for (const unsigned w : warps) detector.barrier_arrive(line, {w, 1}, {0, id}, phase);
    for (const unsigned w : warps) detector.barrier_leave(line, {w, 1}, {0, id}, phase);
  }
  void arrive(Thread t, Address object, Phase phase,
              Strength strength = strong(Semantics::release, Scope::cta)) {
    detector.mbarrier_arrive({++line, t, object, phase, strength, 1, 0});
  }
  void complete(Address object, Phase phase) { detector.mbarrier_complete(object, phase); }
  void wait(Thread t, Address object, Phase parity,
            Strength strength = strong(Semantics::acquire, Scope::cta)) {
    detector.mbarrier_wait({++line, lane_of(t), object, true, parity, strength, true});
  }
  /// Fills `to` in bulk; phase `phase` of the object tracks it.
  void load(Thread t, Address from, Address to, Address object, Phase phase) {
    const std::array<Range, 1> reads{{{from, 16}}}, writes{{{to, 16}}};
    detector.issue({++line, t, Proxy::async, Tracking::mbarrier, object, phase, reads, writes, false});
  }
  void store(Thread t, Address from, Address to, bool reduces = false) {
    const std::array<Range, 1> reads{{{from, 16}}}, writes{{{to, 16}}};
    detector.issue({++line, t, Proxy::async, Tracking::bulk_group, 0, 0, reads, writes, reduces});
    detector.commit_group(line, t, Tracking::bulk_group);
  }
  void wait_stores(Thread t, std::uint32_t pending = 0, bool reads_only = false) {
    detector.wait_group(++line, t, Tracking::bulk_group, pending, reads_only);
  }
  void copy(Thread t, Address from, Address to) {
    const std::array<Range, 1> reads{{{from, 16}}}, writes{{{to, 16}}};
    detector.issue({++line, t, Proxy::generic, Tracking::cp_async, 0, 0, reads, writes, false});
  }
  void exit(unsigned warp) { detector.exit(++line, {warp, ~std::uint32_t{0}}); }

  /// Names of the rules that were broken, notes left out.
  std::set<std::string> found(bool notes = false) const {
    std::set<std::string> out;
    for (const Finding& finding : detector.findings()) {
      if (notes || severity_of(finding.rule) != Severity::note) out.emplace(name_of(finding.rule));
    }
    return out;
  }

 private:
  std::array<Phase, 16> phases_{};
};

using Rules = std::set<std::string>;
inline constexpr Address kX = 0x1000, kY = 0x2000, kFlag = 0x3000, kShared = 0x10000, kObject = 0x10100;

}  // namespace ptxmc::testing
