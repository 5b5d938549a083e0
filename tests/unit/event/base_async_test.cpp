// SPDX-License-Identifier: Apache-2.0
// Base sets and relations of asynchronous operations and of their proxy.
#include <doctest/doctest.h>

#include "build.h"

namespace ptxmc::event {
namespace {

using isa::Proxy;
using isa::Scope;
using isa::Semantics;
using isa::Space;

/// Two CTAs of one cluster and a third apart; a cell of .global memory and one of the first CTA.
struct Copies {
  Build b;
  CellId global = b.cell(), shared = b.cell();
  ThreadId t = b.thread(0, 0, 0), peer = b.thread(1, 0, 0), far = b.thread(2, 0, 1);
  EventId before = b.write(t, global, 1);
  EventId issue = b.add(b.make(EventKind::issue, t, Semantics::weak, Scope::none));
  EventId read = copy(b.read(t, global));
  EventId write = copy(b.write(t, shared, 1));
  EventId signal = b.add(b.make(EventKind::signal, t, Semantics::release, Scope::cluster));
  EventId after = b.read(t, shared);

  Copies() {
    b.graph.cells[shared].cta = 0;
    for (const EventId e : {read, write}) b.graph.events[e].labels.proxy = Proxy::async;
    b.graph.events[read].labels.space = Space::global;
    b.graph.events[write].labels.space = Space::shared;
    Event& completion = b.graph.events[signal];
    completion.issue = issue;
    completion.mbarrier.emplace();
    completion.mbarrier->op = MbarrierOp::signal;
    completion.mbarrier->object = b.graph.exprs.constant(64, 64);
    completion.mbarrier->owner = 1;
    b.graph.tracked.emplace_back(write, signal);
    b.graph.completed.emplace_back(read, after);
  }
  EventId copy(EventId e) {
    b.graph.events[e].issue = issue;
    b.graph.events[e].labels.tile = true;
    return e;
  }
  EventId fence(ThreadId thread, Space space) {
    const EventId f = b.proxy_fence(thread, Proxy::async);
    b.graph.events[f].labels.space = space;
    return f;
  }
};

TEST_CASE_FIXTURE(Copies, "asynchronous events are not in program order, their issue is") {
  const auto po = b.relation("po");
  CHECK(po.test(before, issue));
  CHECK(po.test(issue, after));
  CHECK(po.test(before, after));
  for (const EventId e : {read, write, signal}) {
    for (EventId other = 0; other < b.graph.size(); ++other) {
      CHECK(!po.test(e, other));
      CHECK(!po.test(other, e));
    }
    CHECK(b.relation("issue").test(issue, e));
    CHECK(b.set("A").test(e));
  }
  CHECK(b.relation("issue").count() == 3);
  CHECK(b.set("ISS").count() == 1);
  CHECK(b.set("A").count() == 3);
  CHECK(b.relation("same").test(read, write));
  CHECK(!b.relation("same").test(issue, read));
}

TEST_CASE_FIXTURE(Copies, "own and done are what lowering says") {
  CHECK(b.relation("own").count() == 1);
  CHECK(b.relation("own").test(write, signal));
  CHECK(b.relation("done").count() == 1);
  CHECK(b.relation("done").test(read, after));
}

TEST_CASE_FIXTURE(Copies, "proxies: bulk copies are async, the rest of their operation is generic") {
  CHECK(b.set("ASY").count() == 2);
  CHECK(!b.set("GEN").test(read));
  CHECK(b.set("GEN").test(signal));
  CHECK(b.set("GEN").test(issue));
  CHECK(b.set("REL").test(signal));
}

TEST_CASE_FIXTURE(Copies, "a completion signal is in the CTA of its mbarrier object") {
  const EventId near = b.fence(peer, Semantics::acquire, Scope::cta);
  const EventId own = b.fence(t, Semantics::acquire, Scope::cta);
  const EventId elsewhere = b.fence(far, Semantics::acquire, Scope::cluster);
  CHECK(b.relation("mscope").test(signal, near));
  CHECK(!b.relation("mscope").test(signal, own));
  CHECK(!b.relation("mscope").test(signal, elsewhere));
}

TEST_CASE_FIXTURE(Copies, "a proxy fence is for the state space that it names, in its CTA or cluster") {
  const EventId all = fence(far, Space::generic), global_only = fence(far, Space::global);
  const EventId own = fence(t, Space::shared_cta), peers = fence(peer, Space::shared_cta);
  const EventId cluster = fence(peer, Space::shared_cluster), other = fence(far, Space::shared_cluster);
  const auto pf = b.relation("pf");
  CHECK((pf.test(all, read) && pf.test(all, write)));
  CHECK((pf.test(global_only, read) && !pf.test(global_only, write)));
  CHECK((!pf.test(own, read) && pf.test(own, write)));
  CHECK((!pf.test(peers, read) && !pf.test(peers, write)));
  CHECK((!pf.test(cluster, read) && pf.test(cluster, write)));
  CHECK((!pf.test(other, read) && !pf.test(other, write)));
  CHECK(!pf.test(all, before));
}

TEST_CASE_FIXTURE(Copies, "one-directional fences are apart from the others") {
  const EventId release = fence(t, Space::shared_cta), acquire = fence(peer, Space::shared_cluster);
  b.graph.events[release].labels.semantics = Semantics::release;
  b.graph.events[acquire].labels.semantics = Semantics::acquire;
  const EventId both = fence(t, Space::generic), of_reads = fence(t, Space::shared_cluster);
  b.graph.events[of_reads].labels.semantics = Semantics::release;
  b.graph.events[of_reads].labels.reads_only = true;
  CHECK(b.set("PFREAD").count() == 1);
  CHECK(b.set("PFREAD").test(of_reads));
  CHECK(b.set("PFREL").count() == 1);
  CHECK(b.set("PFREL").test(release));
  CHECK(b.set("PFACQ").test(acquire));
  CHECK(b.set("PF").count() == 1);
  CHECK(b.set("PF").test(both));
  CHECK(b.relation("pf").test(release, write));
}

TEST_CASE_FIXTURE(Copies, "same proxy, close enough: async in one cluster") {
  const auto copy_by = [&](ThreadId thread) {
    const EventId e = b.write(thread, shared, 2);
    b.graph.events[e].labels.proxy = Proxy::async;
    return e;
  };
  const EventId near = copy_by(peer), away = copy_by(far);
  CHECK(b.relation("spx").test(write, near));
  CHECK(!b.relation("spx").test(write, away));
  CHECK(!b.relation("spx").test(write, after));
}

TEST_CASE_FIXTURE(Copies, "the elements of a copy have no size") {
  const EventId wide = b.write(peer, shared, 1);
  b.graph.events[wide].first_part = 0;
  b.graph.events[wide].part_count = 1;
  b.graph.parts.push_back({wide, global, b.graph.exprs.constant(1, 32)});
  CHECK(b.relation("uni").test(wide, write));
  CHECK(!b.relation("full").test(wide, write));
  CHECK(!b.relation("uni").test(wide, after));
}

TEST_CASE("a release of the tensormap proxy is for every map or for one, an acquire for one") {
  Build b;
  const CellId map = b.cell(), rest = b.cell(), other = b.cell();
  const ThreadId t = b.thread(0), far = b.thread(1);
  const EventId read = b.read(t, map);
  b.graph.events[read].labels.proxy = Proxy::tensormap;
  b.graph.events[read].first_part = static_cast<std::uint32_t>(b.graph.parts.size());
  b.graph.events[read].part_count = 1;
  b.graph.parts.push_back({read, rest, b.graph.exprs.value_of(read, 32, 1)});
  const auto fence = [&](Semantics semantics, std::vector<CellId> fenced) {
    const EventId f = b.proxy_fence(far, Proxy::tensormap);  // in another CTA
    b.graph.events[f].labels.semantics = semantics;
    b.graph.events[f].named = std::move(fenced);
    return f;
  };
  const EventId every = fence(Semantics::release, {}), own = fence(Semantics::release, {map, rest}),
                elsewhere = fence(Semantics::release, {other}),
                acquire = fence(Semantics::acquire, {rest, map}), part = fence(Semantics::acquire, {map}),
                nothing = fence(Semantics::acquire, {}), async = b.proxy_fence(far, Proxy::async);
  for (const char* relation : {"pf", "pf-any"}) {
    CHECK(b.relation(relation).test(every, read));
    CHECK(b.relation(relation).test(own, read));
    // 9.7.12.15.18: the acquire is of its user's thread block [reading proxy-fence]
    CHECK(b.relation(relation).test(acquire, read) == (std::string_view(relation) == "pf-any"));
    for (const EventId f : {elsewhere, part, nothing, async}) CHECK(!b.relation(relation).test(f, read));
  }
}

}  // namespace
}  // namespace ptxmc::event
