// SPDX-License-Identifier: Apache-2.0
#include "skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "random.h"

namespace ptxmc::testing {
namespace {

using namespace trace;
using isa::Proxy;
using isa::Scope;
using isa::Semantics;

constexpr std::array<const char*, 5> kScopes = {"", ".cta", ".cluster", ".gpu", ".sys"};

/// Where things are; every variable has 64 bytes of its own.
constexpr Address place(std::size_t variable) {
  return 0x1000 + 64 * variable;
}

struct Data {
  const char* name;
  const char* space;
  Address at;
  unsigned bytes;
};
const std::array<Data, 4> kData = {{{"x", ".global", place(0), 8},
                                    {"y", ".global", place(1), 8},
                                    {"g", ".global", place(2), 32},
                                    {"s", ".shared", place(3), 32}}};
constexpr std::size_t kFlags = 4, kObjects = 3;

class Drawing {
 public:
  Drawing(std::uint64_t seed, const std::set<std::size_t>& dropped) : random_(seed), dropped_(dropped) {}
  Skeleton run();

 private:
  struct Object {
    unsigned count = 1, left = 1;  // arrivals of the phase
    Phase phase = 0;
    std::vector<std::array<bool, 2>> waited;  // by thread and phase
  };

  void place_threads();
  void unit();
  /// As a rule the thread that did the last thing: programs hand on more than they do side by side.
  std::size_t thread() {
    if (random_.chance(40)) actor_ = random_.below(threads_.size());
    return actor_;
  }
  /// Another one.
  std::size_t partner() {
    return actor_ = (actor_ + 1 + random_.below(threads_.size() - 1)) % threads_.size();
  }
  std::size_t object() { return random_.chance(65) ? 0 : random_.below(kObjects); }
  /// One of two tiles of 16 bytes.
  Address tile() { return random_.chance(80) ? 0 : 16; }
  /// A line of the thread's code, whose line in the text is the site of the event.
  void emit(std::size_t thread, const std::string& line, std::function<void(Observer&, Site)> event);
  void emit(std::size_t thread, const std::string& line) { emit(thread, line, nullptr); }
  static Lanes lanes(std::size_t thread) { return {static_cast<std::uint32_t>(thread), 1}; }
  static Thread number(std::size_t thread) { return static_cast<Thread>(thread) * kLanes; }
  Scope scope() { return random_.pick({Scope::cta, Scope::gpu, Scope::gpu, Scope::sys}); }
  static std::string word(Strength s);

  void data();
  void fence();
  void fence_of(std::size_t t);
  void access(std::size_t t, const std::string& line, Effect effect, Address at, unsigned bytes,
              Strength strength, bool decides);
  void signal();
  void await();
  void await(std::size_t flag, std::size_t thread);
  void relay();
  void count();
  void barrier();
  void named();
  void arrival();
  void object_wait();
  void load();
  void store();
  void copy();
  void wait_groups();
  bool may_arrive(std::size_t t, const Object& o) const {
    return o.phase == 0 || (o.phase < 2 && o.waited[t][0]);
  }
  void arrived(std::size_t object);

  Random random_;
  const std::set<std::size_t>& dropped_;
  std::vector<Placement> threads_;
  bool one_cta_ = true;
  std::vector<std::vector<std::string>> code_;
  struct Drawn {
    std::size_t thread, line;
    std::function<void(Observer&, Site)> event;
  };
  std::vector<Drawn> events_;
  std::array<int, kFlags> written_{};  // 0: nobody wrote it; a counter: how much was added
  std::array<Object, kObjects> objects_;
  std::vector<Phase> bars_;
  std::size_t actor_ = 0, last_flag_ = 0;
  std::array<std::size_t, kFlags> writer_{};
  std::array<bool, kFlags> relayed_{};  // an atomic added to it
  std::size_t registers_ = 0, next_named_ = 1;
};

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
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t cta = one_cta_ ? 0
                              : i == 0 ? 0
                              : i == 1 ? 1
                                       : static_cast<std::uint32_t>(random_.below(2));
    threads_.push_back({cta, one_cluster || one_cta_ ? 0 : cta, 0, 0});
  }
  code_.resize(n);
  for (Object& object : objects_) {
    object.count = object.left = random_.chance(70) ? 1 : 2;
    object.waited.resize(n);
  }
}

void Drawing::access(std::size_t t, const std::string& line, Effect effect, Address at, unsigned bytes,
                     Strength strength, bool decides) {
  emit(t, line, [=](Observer& o, Site site) {
    std::array<Address, kLanes> begin{};
    begin[0] = at;
    o.access({site,
              lanes(t),
              effect,
              Proxy::generic,
              strength,
              static_cast<std::uint8_t>(bytes),
              1,
              begin,
              {},
              0,
              decides});
  });
}

/// A load, store or atomic that nobody waits for.
void Drawing::data() {
  const std::size_t t = thread();
  const Data& v = kData[one_cta_ ? random_.weighted({30, 4, 25, 41}) : random_.weighted({80, 10, 10})];
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
                  bytes, s, false);
  }
  if (kind == 1) {
    const Strength s =
        strength({Semantics::relaxed, Semantics::relaxed, Semantics::release, Semantics::volatile_});
    return access(t, fmt::format("st{}{} {}, {};", word(s), type, at, random_.between(1, 9)), Effect::write,
                  v.at + offset, bytes, s, false);
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
  access(t, line, Effect::update, v.at + offset, bytes, s, false);
}

void Drawing::fence_of(std::size_t t) {
  const Strength s{random_.pick({Semantics::acq_rel, Semantics::acq_rel, Semantics::sc, Semantics::release,
                                 Semantics::acquire}),
                   scope()};
  emit(t, fmt::format("fence{};", word(s)), [=](Observer& o, Site site) { o.fence(site, lanes(t), s); });
}

void Drawing::fence() {
  const std::size_t t = thread();
  if (!one_cta_ || random_.chance(45)) return fence_of(t);
  emit(t, "fence.proxy.async;",
       [=](Observer& o, Site site) { o.proxy_fence(site, lanes(t), Proxy::async, {}); });
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
         4, s, true);
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
  access(t, line, Effect::update, place(8 + f), 4, s, !red);
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
         true);
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
    access(t, line, Effect::update, place(8 + kFlags - 1), 4, s, false);
  }
  written_[kFlags - 1] = 2;
  last_flag_ = kFlags - 1;
}

/// All threads of a block meet.
void Drawing::barrier() {
  const std::uint32_t cta = threads_[thread()].cta;
  std::vector<std::size_t> members;
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    if (threads_[t].cta == cta) members.push_back(t);
  }
  bars_.resize(2);
  const Phase phase = bars_[cta]++;
  for (const std::size_t t : members) {
    emit(t, "bar.sync 0;", [=](Observer& o, Site site) {
      o.barrier_arrive(site, lanes(t), {cta, 0}, phase);
    });
  }
  for (const std::size_t t : members)  // they leave behind the last arrival
    events_.push_back({t, code_[t].size() - 1, [=](Observer& o, Site site) {
                         o.barrier_leave(site, lanes(t), {cta, 0}, phase);
                       }});
}

/// Two threads of a block meet at a number of their own; the first may go on.
void Drawing::named() {
  if (!one_cta_ || next_named_ > 4) return barrier();
  const auto id = static_cast<std::uint8_t>(next_named_++);
  const std::size_t a = thread(), b = (a + 1 + random_.below(threads_.size() - 1)) % threads_.size();
  const bool waits = random_.chance(50);
  const auto arrive = [&](std::size_t t, const char* what) {
    emit(t, fmt::format("bar.{} {}, 64;", what, id), [=](Observer& o, Site site) {
      o.barrier_arrive(site, lanes(t), {0, id}, 0);
    });
  };
  const auto leave = [&](std::size_t t) {
    events_.push_back({t, code_[t].size() - 1, [=](Observer& o, Site site) {
                         o.barrier_leave(site, lanes(t), {0, id}, 0);
                       }});
  };
  arrive(a, waits ? "sync" : "arrive");
  arrive(b, "sync");
  if (waits) leave(a);
  leave(b);
}

void Drawing::arrived(std::size_t index) {
  Object& object = objects_[index];
  if (--object.left != 0) return;
  const Phase phase = object.phase++;
  object.left = object.count;
  events_.push_back({0, 0, [=](Observer& o, Site) { o.mbarrier_complete(place(16 + index), phase); }});
}

void Drawing::arrival() {
  const std::size_t index = object(), t = thread();
  Object& object = objects_[index];
  if (!one_cta_ || !may_arrive(t, object)) return data();
  const Strength s{random_.pick({Semantics::release, Semantics::release, Semantics::relaxed}), Scope::cta};
  const Phase phase = object.phase;
  emit(t, fmt::format("mbarrier.arrive{}.shared::cta.b64 _, [m{}];", word(s), index),
       [=](Observer& o, Site site) {
         o.mbarrier_arrive({site, number(t), place(16 + index), phase, s, 1, 0});
       });
  arrived(index);
}

void Drawing::object_wait() {
  const std::size_t index = object(), t = thread();
  Object& object = objects_[index];
  if (!one_cta_ || object.phase == 0) return arrival();
  const Phase parity = (object.phase - 1) % 2;
  const Strength s{random_.pick({Semantics::acquire, Semantics::acquire, Semantics::relaxed}), Scope::cta};
  const std::size_t p = registers_++;
  object.waited[t][parity] = parity == 0 || object.waited[t][0];
  emit(t, fmt::format("L{}:", p));
  emit(t,
       fmt::format("mbarrier.try_wait.parity{}.shared::cta.b64 %p{}, [m{}], {};", word(s), p, index, parity),
       [=](Observer& o, Site site) {
         o.mbarrier_wait({site, lanes(t), place(16 + index), true, parity, s, true});
       });
  emit(t, fmt::format("@!%p{} bra L{};", p, p));
}

/// 16 bytes of g to s; the bytes count to a phase to which the thread arrives.
void Drawing::load() {
  const std::size_t index = object(), t = thread();
  Object& object = objects_[index];
  if (!one_cta_ || !may_arrive(t, object)) return store();
  const Address from = tile(), to = tile();
  const Phase phase = object.phase;
  const Strength s{Semantics::release, Scope::cta};
  emit(t, fmt::format("mbarrier.arrive.expect_tx.shared::cta.b64 _, [m{}], 16;", index),
       [=](Observer& o, Site site) {
         o.mbarrier_arrive({site, number(t), place(16 + index), phase, s, 1, 16});
       });
  emit(t,
       fmt::format("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s+{}], [g+{}], 16, [m{}];",
                   to, from, index),
       [=](Observer& o, Site site) {
         const std::array<Range, 1> reads{{{place(2) + from, 16}}}, writes{{{place(3) + to, 16}}};
         o.issue({site, number(t), Proxy::async, Tracking::mbarrier, place(16 + index), phase, reads, writes,
                  false});
       });
  arrived(index);
}

void Drawing::store() {
  if (!one_cta_) return data();
  const std::size_t t = thread();
  const Address from = tile(), to = tile();
  const bool reduces = random_.chance(30);
  emit(t,
       fmt::format("cp{}.async.bulk.global.shared::cta.bulk_group{} [g+{}], [s+{}], 16;",
                   reduces ? ".reduce" : "", reduces ? ".add.u32" : "", to, from),
       [=](Observer& o, Site site) {
         const std::array<Range, 1> reads{{{place(3) + from, 16}}}, writes{{{place(2) + to, 16}}};
         o.issue({site, number(t), Proxy::async, Tracking::bulk_group, 0, 0, reads, writes, reduces});
       });
  if (random_.chance(85))
    emit(t, "cp.async.bulk.commit_group;",
         [=](Observer& o, Site site) { o.commit_group(site, number(t), Tracking::bulk_group); });
}

/// 4 or 16 bytes of g to s by cp.async.
void Drawing::copy() {
  if (!one_cta_) return data();
  const std::size_t t = thread();
  const unsigned bytes = random_.chance(50) ? 16 : 4;
  const Address from = tile(), to = tile();
  emit(t,
       fmt::format("cp.async.{}.shared.global [s+{}], [g+{}], {};", bytes == 16 ? "cg" : "ca", to, from,
                   bytes),
       [=](Observer& o, Site site) {
         const std::array<Range, 1> reads{{{place(2) + from, bytes}}}, writes{{{place(3) + to, bytes}}};
         o.issue({site, number(t), Proxy::generic, Tracking::cp_async, 0, 0, reads, writes, false});
       });
  const std::size_t index = object();
  Object& object = objects_[index];
  if (random_.chance(35) && may_arrive(t, object)) {
    const Phase phase = object.phase;
    emit(t, fmt::format("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m{}];", index),
         [=](Observer& o, Site site) {
           o.cp_async_arrive(
               {site, number(t), place(16 + index), phase, {Semantics::release, Scope::cta}, 1, 0});
         });
    return arrived(index);
  }
  if (random_.chance(80))
    emit(t, "cp.async.commit_group;",
         [=](Observer& o, Site site) { o.commit_group(site, number(t), Tracking::cp_async); });
}

void Drawing::wait_groups() {
  if (!one_cta_) return data();
  const std::size_t t = thread();
  const bool bulk = random_.chance(60), reads = bulk && random_.chance(40);
  const std::uint32_t pending = random_.chance(75) ? 0 : 1;
  emit(t, fmt::format("cp.async{}.wait_group{} {};", bulk ? ".bulk" : "", reads ? ".read" : "", pending),
       [=](Observer& o, Site site) {
         o.wait_group(site, number(t), bulk ? Tracking::bulk_group : Tracking::cp_async, pending, reads);
       });
}

void Drawing::unit() {
  switch (random_.weighted({34, 9, 9, 10, 4, 5, 4, 6, 10, 7, 8, 6, 8, 4})) {
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
    default:
      return wait_groups();
  }
}

Skeleton Drawing::run() {
  place_threads();
  Skeleton out;
  out.units = static_cast<std::size_t>(random_.between(5, 11));
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
    if (dropped_.contains(u) && !rests) {
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
  if (one_cta_) add("  .shared .align 16 .b32 s[8] = {0, 0, 0, 0, 0, 0, 0, 0};");
  for (std::size_t f = 0; f < kFlags; ++f) add(fmt::format("  .global .b32 f{} = 0;", f));
  for (std::size_t m = 0; one_cta_ && m < kObjects; ++m)
    add(fmt::format("  .shared .b64 m{} = {};", m, objects_[m].count));
  add("}");
  std::vector<std::vector<std::size_t>> lines(code_.size());
  for (std::size_t t = 0; t < code_.size(); ++t) {
    add(fmt::format("P{} @ cluster {}, cta {} {{", t, threads_[t].cluster, threads_[t].cta));
    for (const std::string& text : code_[t]) lines[t].push_back(add("  " + text));
    add("}");
  }
  add("forall (true)");
  out.threads = threads_;
  for (const Drawn& drawn : events_) {
    const std::vector<std::size_t>& own = lines[drawn.thread];
    const Site site = drawn.line < own.size() ? static_cast<Site>(own[drawn.line]) : 0;
    out.events.emplace_back([event = drawn.event, site](Observer& o) { event(o, site); });
  }
  return out;
}

}  // namespace

Skeleton draw_skeleton(std::uint64_t seed, const std::set<std::size_t>& dropped) {
  return Drawing(seed, dropped).run();
}

}  // namespace ptxmc::testing
