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
  events_.push_back({0, 0, [=](Observer& o, Site) { o.mbarrier_complete(place(16 + index), phase); }});
}

void Drawing::arrival() {
  const std::size_t index = object(), t = thread();
  Object& object = objects_[index];
  if (!one_cta_ || !may_arrive(t, object)) return data();
  const Strength s{random_.pick({Semantics::release, Semantics::release, Semantics::relaxed}), Scope::cta};
  const Phase phase = object.phase;
  emit(t, fmt::format("mbarrier.arrive{}.shared::cta.b64 _, [m{}];", word(s), index),
       [=, number = number(t)](Observer& o, Site site) {
         o.mbarrier_arrive({site, number, place(16 + index), phase, s, 1, 0});
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
       [=, lanes = lanes(t)](Observer& o, Site site) {
         o.mbarrier_wait({site, lanes, place(16 + index), true, parity, s, true});
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
       [=, number = number(t)](Observer& o, Site site) {
         o.mbarrier_arrive({site, number, place(16 + index), phase, s, 1, 16});
       });
  emit(t,
       fmt::format("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s+{}], [g+{}], 16, [m{}];",
                   to, from, index),
       [=, number = number(t)](Observer& o, Site site) {
         const std::array<Range, 1> reads{{{place(2) + from, 16}}}, writes{{{place(3) + to, 16}}};
         o.issue({site, number, Proxy::async, Tracking::mbarrier, place(16 + index), phase, reads, writes,
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
       [=, number = number(t)](Observer& o, Site site) {
         const std::array<Range, 1> reads{{{place(3) + from, 16}}}, writes{{{place(2) + to, 16}}};
         o.issue({site, number, Proxy::async, Tracking::bulk_group, 0, 0, reads, writes, reduces});
       });
  if (random_.chance(85))
    emit(t, "cp.async.bulk.commit_group;", [=, number = number(t)](Observer& o, Site site) {
      o.commit_group(site, number, Tracking::bulk_group);
    });
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
       [=, number = number(t)](Observer& o, Site site) {
         const std::array<Range, 1> reads{{{place(2) + from, bytes}}}, writes{{{place(3) + to, bytes}}};
         o.issue({site, number, Proxy::generic, Tracking::cp_async, 0, 0, reads, writes, false});
       });
  const std::size_t index = object();
  Object& object = objects_[index];
  if (random_.chance(35) && may_arrive(t, object)) {
    const Phase phase = object.phase;
    emit(
        t, fmt::format("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [m{}];", index),
        [=, number = number(t)](Observer& o, Site site) {
          o.cp_async_arrive({site, number, place(16 + index), phase, {Semantics::release, Scope::cta}, 1, 0});
        });
    return arrived(index);
  }
  if (random_.chance(80))
    emit(t, "cp.async.commit_group;", [=, number = number(t)](Observer& o, Site site) {
      o.commit_group(site, number, Tracking::cp_async);
    });
}

void Drawing::wait_groups() {
  if (!one_cta_) return data();
  const std::size_t t = thread();
  const bool bulk = random_.chance(60), reads = bulk && random_.chance(40);
  const std::uint32_t pending = random_.chance(75) ? 0 : 1;
  emit(t, fmt::format("cp.async{}.wait_group{} {};", bulk ? ".bulk" : "", reads ? ".read" : "", pending),
       [=, number = number(t)](Observer& o, Site site) {
         o.wait_group(site, number, bulk ? Tracking::bulk_group : Tracking::cp_async, pending, reads);
       });
}

}  // namespace ptxmc::testing
