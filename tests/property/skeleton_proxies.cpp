// SPDX-License-Identifier: Apache-2.0
// Accesses through other proxies, tensor maps that are written, and the fences of all proxies.
#include <fmt/format.h>

#include "skeleton_drawing.h"

namespace ptxmc::testing {

namespace {

constexpr std::uint64_t kMapBytes = 128;

constexpr Address map_at(std::size_t map) {
  return 0x20000 + kMapBytes * map;
}

}  // namespace

/// x through one of its other names.
void Drawing::other_proxy() {
  struct Row {
    const char* line;
    Effect effect;
    Proxy proxy;
  };
  static constexpr std::array<Row, 4> kRows{
      {{"sust.weak.u32 [xs+{0}], 1;", Effect::write, Proxy::surface},
       {"suld.weak.u32 %r{1}, [xs+{0}];", Effect::read, Proxy::surface},
       {"tld.weak.u32 %r{1}, [xt+{0}];", Effect::read, Proxy::texture},
       {"cold.weak.u32 %r{1}, [xc+{0}];", Effect::read, Proxy::constant}}};
  const std::size_t t = thread();
  const Row row = kRows[random_.weighted({30, 15, 30, 25})];
  const unsigned offset = random_.chance(75) ? 0 : 4;
  emit(t, fmt::format(fmt::runtime(row.line), offset, registers_++),
       [=, lanes = lanes(t), lane = number(t) % kLanes](Observer& o, Site site) {
         std::array<Address, kLanes> begin{};
         begin[lane] = place(0) + offset;
         Access access{site, lanes, row.effect, row.proxy, {}, 4, 1, begin, {}};
         access.decides = false;
         o.access(access);
       });
}

void Drawing::fence_proxy(std::size_t t, const std::string& line, Proxy proxy, isa::Space space,
                          Strength strength, std::optional<Address> map, bool reads_only) {
  emit(t, line, [=, lanes = lanes(t)](Observer& o, Site site) {
    std::array<Address, kLanes> maps{};
    if (map) maps.fill(*map);
    ProxyFence fence{site, lanes, proxy, strength, space, {}, reads_only};
    if (map) fence.maps = maps;
    o.proxy_fence(fence);
  });
}

void Drawing::fence_async(std::size_t t) {
  switch (random_.weighted({50, 6, 10, 10, 12, 8, 12})) {
    case 0:
      return fence_proxy(t, "fence.proxy.async;", Proxy::async, isa::Space::generic);
    case 1:
      return fence_proxy(t, "fence.proxy.async.global;", Proxy::async, isa::Space::global);
    case 2:
      return fence_proxy(t, "fence.proxy.async.shared::cta;", Proxy::async, isa::Space::shared_cta);
    case 3:
      return fence_proxy(t, "fence.proxy.async.shared::cluster;", Proxy::async, isa::Space::shared_cluster);
    case 4:
      return fence_proxy(t, "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;",
                         Proxy::async, isa::Space::shared_cta, {Semantics::release, Scope::cluster});
    case 5:
      return fence_proxy(
          t, "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster;", Proxy::async,
          isa::Space::shared_cluster, {Semantics::release, Scope::cluster}, std::nullopt, true);
    default:
      return fence_proxy(t, "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
                         Proxy::async, isa::Space::shared_cluster, {Semantics::acquire, Scope::cluster});
  }
}

/// What is written into a map is what it has already, so that copies by it do the same in all schedules.
void Drawing::map() {
  const std::size_t t = thread(), map = random_.chance(75) ? 0 : random_.below(kMaps);
  switch (random_.weighted({30, 25, 25, 20})) {
    case 0:
      emit(t, "mov.u64 %rg, g;");
      return emit(t, fmt::format("tensormap.replace.tile.global_address.global.b1024.b64 [tm{}], %rg;", map),
                  [=, lanes = lanes(t), lane = number(t) % kLanes](Observer& o, Site site) {
                    std::array<Address, kLanes> begin{};
                    begin[lane] = map_at(map);
                    o.access({site, lanes, Effect::write, Proxy::generic, {}, kMapBytes, 1, begin, {}});
                  });
    case 1: {
      const Strength s{Semantics::release, scope()};
      return fence_proxy(t, fmt::format("fence.proxy.tensormap::generic{};", word(s)), Proxy::tensormap,
                         isa::Space::generic, s);
    }
    case 2: {
      const Strength s{Semantics::acquire, scope()};
      return fence_proxy(t, fmt::format("fence.proxy.tensormap::generic{} [tm{}], 128;", word(s), map),
                         Proxy::tensormap, isa::Space::generic, s, map_at(map));
    }
    default:
      return map_store(t);
  }
}

/// The first 16 bytes of s to g, by a map.
void Drawing::map_store(std::size_t t) {
  const std::size_t map = random_.chance(75) ? 0 : random_.below(kMaps);
  const bool reduces = random_.chance(30);
  emit(t,
       fmt::format("cp{}.async.bulk.tensor.1d.global.shared::cta{}.tile.bulk_group [tm{}, {{0}}], [s];",
                   reduces ? ".reduce" : "", reduces ? ".add" : "", map),
       [=, number = number(t), cta = threads_[t].cta](Observer& o, Site site) {
         const std::array<Range, 1> fields{{{map_at(map), kMapBytes}}}, reads{{{shared_at(cta), 16}}},
             writes{{{place(2), 16}}};
         o.issue({site, number, Proxy::tensormap, Tracking::bulk_group, 0, 0, fields, {}, false});
         Operation copy{site, number, Proxy::async, Tracking::bulk_group, 0, 0, reads, writes, reduces};
         copy.through_map = true;
         if (reduces) copy.element = 4;
         o.issue(copy);
       });
  if (random_.chance(85))
    emit(t, "cp.async.bulk.commit_group;", [=, number = number(t)](Observer& o, Site site) {
      o.commit_group(site, number, Tracking::bulk_group);
    });
}

}  // namespace ptxmc::testing
