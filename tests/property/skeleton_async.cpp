// SPDX-License-Identifier: Apache-2.0
// Barriers, mbarrier objects and asynchronous copies.
#include <fmt/format.h>

#include "skeleton_drawing.h"

namespace ptxmc::testing {

/// The lanes of the warp meet: by a barrier, or by exchanging values, which orders no memory.
void Drawing::meet_lanes() {
  const bool exchanges = random_.chance(40);
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    const bool last = t + 1 == threads_.size();
    const std::string line = exchanges
                                 ? fmt::format("shfl.sync.idx.b32 %r{}, 7, 0, 31, 0xffffffff;", registers_++)
                                 : "bar.warp.sync 0xffffffff;";
    std::function<void(Observer&, Site)> event;
    if (last) {
      event = [exchanges, lanes = Lanes{0, warps_[0].lanes}](Observer& o, Site site) {
        exchanges ? o.exchange(site, lanes) : o.warp_sync(site, lanes);
      };
    }
    emit(t, line, std::move(event));
  }
}

/// All threads of a block meet.
void Drawing::barrier() {
  if (in_warp_) return meet_lanes();
  if (cluster_ && random_.chance(60)) return meet_cluster();
  const std::uint32_t cta = threads_[thread()].cta;
  std::vector<std::size_t> members;
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    if (threads_[t].cta == cta) members.push_back(t);
  }
  bars_.resize(2);
  const Phase phase = bars_[cta]++;
  for (const std::size_t t : members) {
    emit(t, "bar.sync 0;", [=, lanes = lanes(t)](Observer& o, Site site) {
      o.barrier_arrive(site, lanes, {cta, 0}, phase);
    });
  }
  for (const std::size_t t : members)  // they leave behind the last arrival
    events_.push_back({t, code_[t].size() - 1, [=, lanes = lanes(t)](Observer& o, Site site) {
                         o.barrier_leave(site, lanes, {cta, 0}, phase);
                       }});
}

/// Two threads of a block meet at a number of their own; the first may go on.
void Drawing::named() {
  if (!one_cta_ || in_warp_ || next_named_ > 4) return barrier();
  const auto id = static_cast<std::uint8_t>(next_named_++);
  const std::size_t a = thread(), b = (a + 1 + random_.below(threads_.size() - 1)) % threads_.size();
  const bool waits = random_.chance(50);
  const auto arrive = [&](std::size_t t, const char* what) {
    emit(t, fmt::format("bar.{} {}, 64;", what, id), [=, lanes = lanes(t)](Observer& o, Site site) {
      o.barrier_arrive(site, lanes, {0, id}, 0);
    });
  };
  const auto leave = [&](std::size_t t) {
    events_.push_back({t, code_[t].size() - 1, [=, lanes = lanes(t)](Observer& o, Site site) {
                         o.barrier_leave(site, lanes, {0, id}, 0);
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
  events_.push_back({0, 0, [=](Observer& o, Site) { o.mbarrier_complete(object_at(index), phase); }});
}

/// All threads of the cluster meet; ends that are relaxed order nothing by themselves.
void Drawing::meet_cluster() {
  const Phase phase = cluster_phase_++;
  const Barrier barrier{threads_[0].cluster, 0};
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    const bool relaxed = random_.chance(35);
    const Semantics semantics = relaxed ? Semantics::relaxed : Semantics::release;
    emit(t, fmt::format("barrier.cluster.arrive{};", relaxed ? ".relaxed" : ""),
         [=, lanes = lanes(t)](Observer& o, Site site) {
           o.cluster_arrive(site, lanes, barrier, phase, semantics);
         });
  }
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    emit(t, "barrier.cluster.wait;", [=, lanes = lanes(t)](Observer& o, Site site) {
      o.cluster_leave(site, lanes, barrier, phase, Semantics::acquire);
    });
  }
}

void Drawing::arrival() {
  const std::size_t index = object(), t = thread();
  if (!shared_ || !may_arrive(t, objects_[index])) return data();
  arrive_at(t, index);
}

void Drawing::arrive_at(std::size_t t, std::size_t index) {
  const Object& object = objects_[index];
  const bool by_default = cluster_ && random_.chance(25);
  const Strength s{random_.pick({Semantics::release, Semantics::release, Semantics::relaxed}),
                   cluster_ && !by_default && random_.chance(75) ? Scope::cluster : Scope::cta};
  const Phase phase = object.phase;
  const bool bare = by_default && s.semantics == Semantics::release;
  emit(t,
       fmt::format("mbarrier.arrive{}{}.b64 _, [{}];", bare ? "" : word(s), window(t, index),
                   object_name(t, index)),
       [=, number = number(t)](Observer& o, Site site) {
         Arrival arrival{site, number, object_at(index), phase, s, 1, 0};
         arrival.scope_is_default = bare;
         o.mbarrier_arrive(arrival);
       });
  arrived(index);
}

/// Data of one thread block's shared memory, handed to a thread of the other one by an arrival at its object.
void Drawing::hand_over() {
  const std::size_t t = thread();
  const std::uint32_t there = 1 - threads_[t].cta;
  const std::size_t index = random_.below(kObjects) + there * kObjects;
  if (!may_arrive(t, objects_[index])) return data();
  const std::uint32_t cta = random_.chance(50) ? there : threads_[t].cta;  // whose memory it is
  const auto touch = [&](std::size_t thread, bool writes) {
    const bool own = threads_[thread].cta == cta;
    const std::string at = own ? "[s]" : "[%rs]";
    const char* const space = own ? ".shared" : ".shared::cluster";
    const std::string line = writes ? fmt::format("st.weak{}.u32 {}, {};", space, at, random_.between(1, 9))
                                    : fmt::format("ld.weak{}.u32 %r{}, {};", space, registers_++, at);
    access(thread, line, writes ? Effect::write : Effect::read, shared_at(cta), 4, {}, {});
  };
  touch(t, random_.chance(70));
  while (objects_[index].phase == 0) arrive_at(t, index);
  for (std::size_t u = 0; u < threads_.size(); ++u) {
    if (threads_[u].cta != there || random_.chance(20)) continue;
    wait_for(u, index);
    touch(u, random_.chance(50));
  }
}

void Drawing::object_wait() {
  const std::size_t index = object(), t = thread();
  if (!shared_ || objects_[index].phase == 0 || !is_near(t, index)) return arrival();
  wait_for(t, index);
}

/// For the newest phase of the object that is complete.
void Drawing::wait_for(std::size_t t, std::size_t index) {
  Object& object = objects_[index];
  const Phase parity = (object.phase - 1) % 2;
  const Strength s{random_.pick({Semantics::acquire, Semantics::acquire, Semantics::relaxed}),
                   cluster_ && random_.chance(60) ? Scope::cluster : Scope::cta};
  const std::size_t p = registers_++;
  object.waited[t][parity] = parity == 0 || object.waited[t][0];
  emit(t, fmt::format("L{}:", p));
  emit(t,
       fmt::format("mbarrier.try_wait.parity{}.shared::cta.b64 %p{}, [{}], {};", word(s), p,
                   object_name(t, index), parity),
       [=, lanes = lanes(t)](Observer& o, Site site) {
         o.mbarrier_wait({site, lanes, object_at(index), true, parity, s, true});
       });
  emit(t, fmt::format("@!%p{} bra L{};", p, p));
}

/// An arrival, with bytes that are to come; the caller says that it has arrived when they are on their way.
void Drawing::expect(std::size_t t, std::size_t index, unsigned bytes) {
  const Phase phase = objects_[index].phase;
  const bool wide = cluster_ && random_.chance(50);
  const Strength s{Semantics::release, wide ? Scope::cluster : Scope::cta};
  emit(t,
       fmt::format("mbarrier.arrive.expect_tx{}{}.b64 _, [{}], {};", wide ? ".release.cluster" : "",
                   window(t, index), object_name(t, index), bytes),
       [=, number = number(t)](Observer& o, Site site) {
         Arrival arrival{site, number, object_at(index), phase, s, 1, bytes};
         arrival.scope_is_default = !wide;
         o.mbarrier_arrive(arrival);
       });
}

/// An operation whose bytes count to the phase that is next.
Operation Drawing::tracked(std::size_t index) const {
  Operation out;
  out.object = object_at(index);
  out.phase = objects_[index].phase;
  return out;
}

void Drawing::issue(std::size_t t, const std::string& line, Operation what, std::vector<Range> reads,
                    std::vector<Range> writes) {
  what.issuer = number(t);
  emit(t, line, [=, reads = std::move(reads), writes = std::move(writes)](Observer& o, Site site) {
    Operation one = what;
    one.site = site;
    one.reads = reads;
    one.writes = writes;
    o.issue(one);
  });
}

/// Some copies are strong: of 16 bytes at once.
bool Drawing::make_strong(Operation& copy) {
  if (!random_.chance(25)) return false;
  copy.strength = {Semantics::relaxed, Scope::gpu};
  copy.element = 16;
  return true;
}

/// Bytes that come from elsewhere, and count to a phase to which the thread arrives.
void Drawing::load() {
  const std::size_t index = object(), t = thread();
  if (!shared_ || !may_arrive(t, objects_[index])) return store();
  if (cluster_ && random_.chance(20)) return fill_all(t, index % kObjects);
  if (is_near(t, index)) return fill(t, index);
  switch (random_.weighted({40, 35, 25})) {
    case 0:
      return fill(t, index);
    case 1:
      return fill_peer(t, index);
    default:
      return store_peer(t, index);
  }
}

/// Two phases with bytes, and the same thread waits for both; what the second wait acquires, the first may have not.
void Drawing::refill() {
  const std::size_t index = object(), t = thread();
  for (int phase = 0; phase < 2; ++phase) {
    if (!shared_ || !is_near(t, index) || !may_arrive(t, objects_[index])) return data();
    fill(t, index);
    if (objects_[index].left == objects_[index].count) wait_for(t, index);
  }
  data();
}

/// 16 bytes of g to s.
void Drawing::fill(std::size_t t, std::size_t index) {
  const Address from = tile(), to = tile();
  expect(t, index, 16);
  const bool near = is_near(t, index);
  Operation what = tracked(index);
  const bool strong = make_strong(what);
  issue(t,
        fmt::format("cp.async.bulk{}{}.global.mbarrier::complete_tx::bytes{} [{}+{}], [g+{}], 16, [{}];",
                    strong ? ".relaxed.gpu" : "", near ? ".shared::cta" : ".shared::cluster",
                    strong ? ".b128" : "", near ? "s" : "%rs", to, from, object_name(t, index)),
        what, {{place(2) + from, 16}}, {{shared_at(cta_of(index)) + to, 16}});
  arrived(index);
}

/// The same to both thread blocks.
void Drawing::fill_all(std::size_t t, std::size_t index) {
  const std::array<std::size_t, 2> both{index, index + kObjects};
  for (const std::size_t o : both) {
    if (!may_arrive(t, objects_[o])) return data();
  }
  const Address from = tile(), to = tile();
  for (const std::size_t o : both) expect(t, o, 16);
  emit(t,
       fmt::format("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                   "[s+{}], [g+{}], 16, [m{}], 3;",
                   to, from, index),
       [=, number = number(t),
        signals = std::array{Signal{object_at(both[0]), objects_[both[0]].phase},
                             Signal{object_at(both[1]), objects_[both[1]].phase}}](Observer& o, Site site) {
         for (std::size_t cta = 0; cta < 2; ++cta) {
           const std::array<Range, 1> reads{{{place(2) + from, 16}}};
           const std::array<Range, 1> writes{{{shared_at(static_cast<std::uint32_t>(cta)) + to, 16}}};
           o.issue({site, number, Proxy::async, Tracking::mbarrier, signals[cta].object, signals[cta].phase,
                    reads, writes, false, 0, signals});
         }
       });
  for (const std::size_t o : both) arrived(o);
}

/// 16 bytes of the own s to that of the other thread block.
void Drawing::fill_peer(std::size_t t, std::size_t index) {
  const Address from = tile(), to = tile();
  expect(t, index, 16);
  issue(
      t,
      fmt::format("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%rs+{}], [s+{}], "
                  "16, [{}];",
                  to, from, object_name(t, index)),
      tracked(index), {{shared_at(threads_[t].cta) + from, 16}}, {{shared_at(cta_of(index)) + to, 16}});
  arrived(index);
}

/// st.async or red.async of a word of the other thread block.
void Drawing::store_peer(std::size_t t, std::size_t index) {
  const Address to = tile();
  const bool reduces = random_.chance(40);
  expect(t, index, 4);
  Operation what = tracked(index);
  what.proxy = Proxy::generic;
  what.reduces = reduces;
  if (reduces) what.strength = {Semantics::relaxed, Scope::cluster};
  issue(t,
        fmt::format("{}.shared::cluster.mbarrier::complete_tx::bytes{}.u32 [%rs+{}], 1, [{}];",
                    reduces ? "red.async.relaxed.cluster" : "st.async.weak", reduces ? ".add" : "", to,
                    object_name(t, index)),
        what, {}, {{shared_at(cta_of(index)) + to, 4}});
  arrived(index);
}

void Drawing::store() {
  if (!shared_) return data();
  const std::size_t t = thread();
  if (maps_ && random_.chance(60)) return map_store(t);
  const Address from = tile(), to = tile();
  const bool reduces = random_.chance(30);
  Operation what{.tracking = Tracking::bulk_group, .reads = {}, .writes = {}, .reduces = reduces};
  if (reduces) what.element = 4;
  const bool strong = !reduces && make_strong(what);
  issue(t,
        fmt::format("cp{}.async.bulk{}.global.shared::cta.bulk_group{} [g+{}], [s+{}], 16;",
                    reduces ? ".reduce" : "", strong ? ".relaxed.gpu" : "",
                    reduces  ? ".add.u32"
                    : strong ? ".b128"
                             : "",
                    to, from),
        what, {{shared_at(threads_[t].cta) + from, 16}}, {{place(2) + to, 16}});
  if (random_.chance(85))
    emit(t, "cp.async.bulk.commit_group;", [=, number = number(t)](Observer& o, Site site) {
      o.commit_group(site, number, Tracking::bulk_group);
    });
}

/// 4 or 16 bytes of g to s by cp.async.
void Drawing::copy() {
  if (!shared_) return data();
  const std::size_t t = thread();
  const unsigned bytes = random_.chance(50) ? 16 : 4;
  const Address from = tile(), to = tile();
  issue(t,
        fmt::format("cp.async.{}.shared.global [s+{}], [g+{}], {};", bytes == 16 ? "cg" : "ca", to, from,
                    bytes),
        {.proxy = Proxy::generic, .tracking = Tracking::cp_async, .reads = {}, .writes = {}},
        {{place(2) + from, bytes}}, {{shared_at(threads_[t].cta) + to, bytes}});
  const std::size_t index = object();
  Object& object = objects_[index];
  if (random_.chance(35) && is_near(t, index) && may_arrive(t, object)) {
    const Phase phase = object.phase;
    emit(t, fmt::format("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [{}];", object_name(t, index)),
         [=, number = number(t)](Observer& o, Site site) {
           o.cp_async_arrive({site, number, object_at(index), phase, {Semantics::release, Scope::cta}, 1, 0});
         });
    return arrived(index);
  }
  if (random_.chance(80))
    emit(t, "cp.async.commit_group;", [=, number = number(t)](Observer& o, Site site) {
      o.commit_group(site, number, Tracking::cp_async);
    });
}

void Drawing::wait_groups() {
  if (!shared_) return data();
  const std::size_t t = thread();
  const bool bulk = random_.chance(60), reads = bulk && random_.chance(40);
  const std::uint32_t pending = random_.chance(75) ? 0 : 1;
  emit(t, fmt::format("cp.async{}.wait_group{} {};", bulk ? ".bulk" : "", reads ? ".read" : "", pending),
       [=, number = number(t)](Observer& o, Site site) {
         o.wait_group(site, number, bulk ? Tracking::bulk_group : Tracking::cp_async, pending, reads);
       });
}

}  // namespace ptxmc::testing
