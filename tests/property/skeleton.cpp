// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "skeleton_drawing.h"

namespace ptxmc::testing {

std::string Drawing::word(Strength s) {
  switch (s.semantics) {
    case Semantics::weak:
      return ".weak";
    case Semantics::relaxed:
      return std::string(".relaxed") + kScopes[static_cast<std::size_t>(s.scope)];
    case Semantics::acquire:
      return std::string(".acquire") + kScopes[static_cast<std::size_t>(s.scope)];
    case Semantics::release:
      return std::string(".release") + kScopes[static_cast<std::size_t>(s.scope)];
    case Semantics::acq_rel:
      return std::string(".acq_rel") + kScopes[static_cast<std::size_t>(s.scope)];
    case Semantics::sc:
      return std::string(".sc") + kScopes[static_cast<std::size_t>(s.scope)];
    default:
      return ".volatile";
  }
}

void Drawing::emit(std::size_t thread, const std::string& line, std::function<void(Observer&, Site)> event) {
  code_[thread].push_back(line);
  if (event) events_.push_back({thread, code_[thread].size() - 1, std::move(event)});
}

void Drawing::place_threads() {
  const std::size_t n = random_.chance(70) ? 2 : 3;
  one_cta_ = random_.chance(65);
  const bool one_cluster = random_.chance(60);
  tensor_ = one_cta_ && !loose_ && random_.chance(35);
  cluster_ = !one_cta_ && one_cluster && !loose_ && random_.chance(60);
  shared_ = one_cta_ || cluster_;
  proxies_ = !loose_ && !tensor_ && random_.chance(15);
  maps_ = shared_ && !loose_ && !tensor_ && !proxies_ && random_.chance(18);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t cta = one_cta_ ? 0
                              : i == 0 ? 0
                              : i == 1 ? 1
                                       : static_cast<std::uint32_t>(random_.below(2));
    threads_.push_back({cta, one_cluster || one_cta_ ? 0 : cta, 0, 0});
  }
  place_lanes();
  code_.resize(n);
  for (std::size_t o = 0; o < kObjects; ++o) {
    const unsigned count = random_.chance(70) ? 1 : 2;
    for (Object* object : {&objects_[o], &objects_[o + kObjects]}) {
      object->count = object->left = count;
      object->waited.resize(n);
    }
  }
  if (!cluster_) return;
  for (std::size_t t = 0; t < n; ++t) {
    const std::uint32_t other = 1 - threads_[t].cta;
    emit(t, fmt::format("mapa.shared::cluster.u32 %rs, s, {};", other));
    for (std::size_t o = 0; o < kObjects; ++o)
      emit(t, fmt::format("mapa.shared::cluster.u32 %rm{}, m{}, {};", o, o, other));
  }
}

/// Threads of a block may be lanes of one warp: what is one for the clocks may be any of the model's.
void Drawing::place_lanes() {
  const bool together = !tensor_ && random_.chance(60);
  in_warp_ = together && one_cta_ && random_.chance(35);
  for (const Placement& place : threads_) {
    std::uint32_t warp = 0;
    while (warp < warps_.size() && (!together || warps_[warp].cta != place.cta)) ++warp;
    if (warp == warps_.size()) {
      warps_.push_back(place);
      warps_.back().lanes = 0;
    }
    auto lane = static_cast<unsigned>(random_.below(kLanes));
    while ((warps_[warp].lanes >> lane & 1U) != 0) lane = (lane + 1) % kLanes;
    warps_[warp].lanes |= 1U << lane;
    numbers_.push_back(warp * kLanes + lane);
  }
}

void Drawing::access(std::size_t t, const std::string& line, Effect effect, Address at, unsigned bytes,
                     Strength strength, Reads reads) {
  emit(t, line, [=, lanes = lanes(t), lane = number(t) % kLanes](Observer& o, Site site) {
    std::array<Address, kLanes> begin{};
    begin[lane] = at;
    const Polling polling{~std::uint32_t{0}, nullptr};
    Access access{site, lanes, effect, Proxy::generic, strength, static_cast<std::uint8_t>(bytes),
                  1,    begin, {}};
    access.decides = reads.decides;
    access.polls = reads.polls ? &polling : nullptr;
    access.no_result = reads.no_result;
    o.access(access);
  });
}

/// A load, store or atomic that nobody waits for.
void Drawing::data() {
  const std::size_t t = thread();
  if (proxies_ && random_.chance(40)) return other_proxy();
  const Data& variable = kData[shared_ ? random_.weighted({30, 4, 25, 41}) : random_.weighted({80, 10, 10})];
  Data v = variable;
  if (cluster_ && variable.at == shared_at(0)) {
    const bool peer = random_.chance(50);
    v.at = shared_at(peer ? 1 - threads_[t].cta : threads_[t].cta);
    if (peer) v = {"%rs", ".shared::cluster", v.at, v.bytes};
  }
  const unsigned bytes = v.bytes == 8 && random_.chance(12) ? 8 : random_.chance(8) ? 1 : 4;
  const unsigned offset = bytes == 8 || random_.chance(70)
                              ? 0
                              : bytes * static_cast<unsigned>(random_.below(v.bytes == 8 ? 2 : 4));
  const std::string at = fmt::format("[{}+{}]", v.name, offset);
  const std::size_t kind = random_.weighted({40, 40, bytes == 1 ? 0U : 12U, bytes == 1 ? 0U : 8U});
  const bool weak = random_.chance(60);
  const Scope scope = this->scope();
  const auto strength = [&](std::initializer_list<Semantics> strong) {
    const Semantics semantics = random_.pick(strong);
    return weak ? Strength{} : Strength{semantics, scope};
  };
  const std::string type = fmt::format("{}.u{}", v.space, 8 * bytes);
  if (kind == 0) {
    const Strength s =
        strength({Semantics::relaxed, Semantics::relaxed, Semantics::acquire, Semantics::volatile_});
    const std::string reg = fmt::format("%r{}{}", bytes == 8 ? "d" : "", registers_++);
    return access(t, fmt::format("ld{}{} {}, {};", word(s), type, reg, at), Effect::read, v.at + offset,
                  bytes, s, {});
  }
  if (kind == 1) {
    const Strength s =
        strength({Semantics::relaxed, Semantics::relaxed, Semantics::release, Semantics::volatile_});
    return access(t, fmt::format("st{}{} {}, {};", word(s), type, at, random_.between(1, 9)), Effect::write,
                  v.at + offset, bytes, s, {});
  }
  const Semantics semantics =
      kind == 2
          ? random_.pick({Semantics::relaxed, Semantics::acquire, Semantics::release, Semantics::acq_rel})
          : random_.pick({Semantics::relaxed, Semantics::release});
  const Strength s{semantics, scope};
  const std::string reg = fmt::format("%r{}{}", bytes == 8 ? "d" : "", registers_++);
  const std::string line =
      kind == 2 ? fmt::format("atom{}{}.add.u{} {}, {}, 1;", word(s), v.space, 8 * bytes, reg, at)
                : fmt::format("red{}{}.add.u{} {}, 1;", word(s), v.space, 8 * bytes, at);
  access(t, line, Effect::update, v.at + offset, bytes, s, {});
}

void Drawing::fence_of(std::size_t t) {
  if (shared_ && random_.chance(25)) return restricted_fence(t);
  const Strength s{random_.pick({Semantics::acq_rel, Semantics::acq_rel, Semantics::sc, Semantics::release,
                                 Semantics::acquire}),
                   scope()};
  emit(t, fmt::format("fence{};", word(s)),
       [=, lanes = lanes(t)](Observer& o, Site site) { o.fence(site, lanes, s, isa::Space::generic); });
}

void Drawing::fence() {
  const std::size_t t = thread();
  if (proxies_ && random_.chance(55)) {
    const Proxy proxy = random_.pick({Proxy::constant, Proxy::texture, Proxy::surface});
    return fence_proxy(t, fmt::format("fence.proxy.{};", isa::name_of(proxy)), proxy, isa::Space::generic);
  }
  if (!shared_ || random_.chance(45)) return fence_of(t);
  fence_async(t);
}

/// One thread writes a flag; now and then it writes the next value, too.
void Drawing::signal() {
  std::size_t f = 0;
  while (f < kFlags - 1 && written_[f] != 0) ++f;
  std::size_t t = thread();
  if (f > 0 && !relayed_[f - 1] && random_.chance(25)) t = writer_[--f];
  if (f == kFlags - 1) return data();
  if (random_.chance(35)) fence_of(t);
  const Strength s{random_.pick({Semantics::release, Semantics::release, Semantics::relaxed,
                                 Semantics::relaxed, Semantics::volatile_, Semantics::weak}),
                   scope()};
  writer_[f] = t;
  last_flag_ = f;
  access(t, fmt::format("st{}.global.u32 [f{}], {};", word(s), f, ++written_[f]), Effect::write, place(8 + f),
         4, s, {});
}

/// An atomic between a write and whoever waits for its sum: only then is its order to the write the same in all
/// schedules.
void Drawing::relay() {
  const std::size_t f = last_flag_;
  if (f == kFlags - 1 || written_[f] == 0 || relayed_[f]) return await();
  const std::size_t t = partner();
  const Strength s{
      random_.pick({Semantics::relaxed, Semantics::acquire, Semantics::release, Semantics::acq_rel}),
      scope()};
  const bool red =
      (s.semantics == Semantics::relaxed || s.semantics == Semantics::release) && random_.chance(40);
  const std::string line =
      red ? fmt::format("red{}.global.add.u32 [f{}], 1;", word(s), f)
          : fmt::format("atom{}.global.add.u32 %r{}, [f{}], 1;", word(s), registers_++, f);
  access(t, line, Effect::update, place(8 + f), 4, s, {.decides = true, .no_result = red});
  relayed_[f] = true;
  ++written_[f];
  await(f, partner());
}

void Drawing::await() {
  std::size_t f = last_flag_;
  if (random_.chance(20)) f = random_.below(kFlags);
  if (written_[f] == 0) return signal();
  await(f, random_.chance(70) ? partner() : thread());
}

void Drawing::await(std::size_t f, std::size_t t) {
  const Strength s{random_.pick({Semantics::acquire, Semantics::acquire, Semantics::relaxed,
                                 Semantics::relaxed, Semantics::volatile_, Semantics::weak}),
                   f == kFlags - 1 ? Scope::gpu : scope()};
  const std::size_t r = registers_++;
  emit(t, fmt::format("L{}:", r));
  access(t, fmt::format("ld{}.global.u32 %r{}, [f{}];", word(s), r, f), Effect::read, place(8 + f), 4, s,
         {true, true});
  emit(t, fmt::format("setp.ne.u32 %p{}, %r{}, {};", r, r, written_[f]));
  emit(t, fmt::format("@%p{} bra L{};", r, r));
  if (random_.chance(35)) fence_of(t);
}

/// The last flag counts: two equal additions, and nobody waits before both are there.
void Drawing::count() {
  if (written_[kFlags - 1] != 0) return await();
  const std::size_t a = thread(), b = (a + 1 + random_.below(threads_.size() - 1)) % threads_.size();
  const Strength s{random_.pick({Semantics::release, Semantics::relaxed, Semantics::acq_rel}), Scope::gpu};
  const bool red = s.semantics != Semantics::acq_rel && random_.chance(40);
  for (const std::size_t t : {a, b}) {
    const std::string line =
        red ? fmt::format("red{}.global.add.u32 [f{}], 1;", word(s), kFlags - 1)
            : fmt::format("atom{}.global.add.u32 %r{}, [f{}], 1;", word(s), registers_++, kFlags - 1);
    access(t, line, Effect::update, place(8 + kFlags - 1), 4, s, {.no_result = red});
  }
  written_[kFlags - 1] = 2;
  last_flag_ = kFlags - 1;
}

/// Somebody writes one of two flags, in whatever order with others: of loose programs.
void Drawing::contend() {
  const std::size_t t = thread(), f = random_.below(2);
  const std::int64_t value = random_.chance(70) ? 1 : 2;
  const bool adds = random_.chance(45);
  const Semantics semantics = random_.chance(70) ? Semantics::release : Semantics::relaxed;
  const Strength s{semantics, random_.chance(80) ? Scope::gpu : Scope::cta};
  if (random_.chance(25)) fence_of(t);
  emit(t, fmt::format("{}{}.global{}.u32 [f{}], {};", adds ? "red" : "st", word(s), adds ? ".add" : "", f,
                      value));
}

/// Somebody waits for a value of it, or for a larger one.
void Drawing::watch() {
  const std::size_t t = thread(), f = random_.below(2), r = registers_++;
  const Strength s{random_.chance(75) ? Semantics::acquire : Semantics::relaxed,
                   random_.chance(85) ? Scope::gpu : Scope::cta};
  emit(t, fmt::format("L{}:", r));
  emit(t, random_.chance(15) ? fmt::format("atom{}.global.add.u32 %r{}, [f{}], 0;", word(s), r, f)
                             : fmt::format("ld{}.global.u32 %r{}, [f{}];", word(s), r, f));
  emit(t, fmt::format("setp.{}.u32 %p{}, %r{}, {};", random_.chance(50) ? "ne" : "lt", r, r,
                      random_.between(1, 3)));
  emit(t, fmt::format("@%p{} bra L{};", r, r));
  if (random_.chance(25)) fence_of(t);
}

void Drawing::unit() {
  if (loose_ && contended_ && random_.chance(55)) return random_.chance(55) ? contend() : watch();
  if (tensor_ && random_.chance(65)) return tensor();
  if (maps_ && random_.chance(40)) return map();
  if (cluster_ && random_.chance(15)) return hand_over();
  if (shared_ && random_.chance(12)) return pass_memory();
  switch (random_.weighted({34, 9, 9, 10, 4, 5, 4, 6, 10, 7, 8, 6, 8, 4, 4})) {
    case 0:
      return data();
    case 1:
      return fence();
    case 2:
      return signal();
    case 3:
      return await();
    case 4:
      return count();
    case 5:
      return barrier();
    case 6:
      return named();
    case 7:
      return arrival();
    case 8:
      return object_wait();
    case 9:
      return load();
    case 10:
      return store();
    case 11:
      return copy();
    case 13:
      return relay();
    case 14:
      return refill();
    default:
      return wait_groups();
  }
}

Skeleton Drawing::run() {
  place_threads();
  Skeleton out;
  out.units = static_cast<std::size_t>(random_.between(5, 11));
  contended_ = loose_ && random_.chance(50);
  const std::size_t missing = loose_ && random_.chance(40) ? random_.below(out.units) : out.units;
  for (std::size_t u = 0; u < out.units; ++u) {
    const std::size_t kept_events = events_.size();
    const auto kept_code = code_;
    const auto objects = objects_;
    const auto written = written_;
    unit();
    const bool rests = !std::equal(written.begin(), written.end(), written_.begin()) ||
                       std::any_of(objects.begin(), objects.end(), [&](const Object& o) {
                         const Object& now = objects_[static_cast<std::size_t>(&o - objects.data())];
                         return o.phase != now.phase || o.left != now.left || o.waited != now.waited;
                       });
    if (u == missing || (dropped_.contains(u) && !rests)) {
      events_.resize(kept_events);
      code_ = kept_code;
    }
  }
  std::size_t line = 1;
  const auto add = [&](const std::string& text) {
    out.text += text + "\n";
    return line++;
  };
  add("PTX skeleton");
  add("{");
  add("  .global .align 8 .b32 x[2] = {0, 0}; .global .align 8 .b32 y[2] = {0, 0};");
  add("  .global .align 16 .b32 g[8] = {0, 0, 0, 0, 0, 0, 0, 0};");
  if (proxies_) add("  xs @ surface aliases x; xc @ constant aliases x; xt @ texture aliases x;");
  if (shared_) add("  .shared .align 128 .b32 s[8] = {0, 0, 0, 0, 0, 0, 0, 0};");
  for (std::size_t m = 0; maps_ && m < kMaps; ++m)
    add(fmt::format("  .global .tensormap tm{} = tensor(g, .u32, dims={{4}}, box={{4}});", m));
  if (tensor_)
    add("  .tensor .b32 t[32] = {0}; .shared .align 16 .b32 a[1024] = {0}; .shared .align 16 .b32 b[64] = "
        "{0};");
  for (std::size_t f = 0; f < kFlags; ++f) add(fmt::format("  .global .b32 f{} = 0;", f));
  for (std::size_t m = 0; shared_ && m < kObjects; ++m)
    add(fmt::format("  .shared .b64 m{} = {};", m, objects_[m].count));
  add("}");
  std::vector<std::vector<std::size_t>> lines(code_.size());
  for (std::size_t t = 0; t < code_.size(); ++t) {
    add(fmt::format("P{} @ cluster {}, cta {}{} {{", t, threads_[t].cluster, threads_[t].cta,
                    in_warp_ ? ", warp 0" : ""));
    for (const std::string& text : code_[t]) lines[t].push_back(add("  " + text));
    add("}");
  }
  add("forall (true)");
  out.warps = warps_;
  for (std::uint32_t cta = 0; cta < 2; ++cta) out.windows.push_back({cta, {shared_at(cta), 0x10000}});
  for (const Drawn& drawn : events_) {
    const std::vector<std::size_t>& own = lines[drawn.thread];
    const Site site = drawn.line < own.size() ? static_cast<Site>(own[drawn.line]) : 0;
    out.events.emplace_back([event = drawn.event, site](Observer& o) { event(o, site); });
  }
  return out;
}

Skeleton draw_skeleton(std::uint64_t seed, const std::set<std::size_t>& dropped) {
  return Drawing(seed, dropped, false).run();
}

Skeleton draw_loose_skeleton(std::uint64_t seed) {
  const std::set<std::size_t> none;
  return Drawing(seed, none, true).run();
}

}  // namespace ptxmc::testing
