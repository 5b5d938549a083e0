// SPDX-License-Identifier: Apache-2.0
// API synchronization as base sets and relations: hostsync, and proxy fences of every kind.
#include <doctest/doctest.h>

#include "build.h"

namespace ptxmc::event {
namespace {

using isa::Proxy;

TEST_CASE("hostsync is what the graph says") {
  Build b;
  const ThreadId p = b.thread(0), q = b.thread(1);
  const EventId end = b.add(b.make(EventKind::api, p, isa::Semantics::weak, isa::Scope::none));
  const EventId start = b.add(b.make(EventKind::api, q, isa::Semantics::weak, isa::Scope::none));
  CHECK(b.relation("hostsync").empty());
  b.graph.api_sync = {{end, start}};
  CHECK(b.relation("hostsync").test(end, start));
  CHECK(!b.relation("hostsync").test(start, end));
}

TEST_CASE("an API event fences all proxies but tensormap, in every CTA; a proxy fence its own") {
  Build b;
  const CellId x = b.cell();
  const ThreadId p = b.thread(0), q = b.thread(1);
  const EventId api = b.add(b.make(EventKind::api, p, isa::Semantics::weak, isa::Scope::none));
  const EventId fence = b.proxy_fence(p, Proxy::constant);
  const auto read = [&](Proxy proxy) {
    const EventId e = b.read(q, x);
    b.graph.events[e].labels.proxy = proxy;
    return e;
  };
  const EventId generic = read(Proxy::generic), constant = read(Proxy::constant),
                texture = read(Proxy::texture), tensormap = read(Proxy::tensormap);
  const EventId end = b.add(b.make(EventKind::end, q, isa::Semantics::weak, isa::Scope::none));
  for (const char* set : {"PF", "ALIAS", "API", "GEN"}) CHECK_MESSAGE(b.set(set).test(api), set);
  for (const char* set : {"PF", "ALIAS", "API"}) CHECK_MESSAGE(!b.set(set).test(end), set);
  CHECK(!b.set("API").test(fence));
  CHECK(b.relation("pf").test(api, constant));
  CHECK(b.relation("pf").test(api, texture));
  CHECK(!b.relation("pf").test(api, generic));
  CHECK(!b.relation("pf").test(api, tensormap));
  CHECK(!b.relation("pf").test(fence, constant));  // of another CTA
  CHECK(b.relation("pf-any").test(fence, constant));
  CHECK(!b.relation("pf-any").test(fence, texture));
}

}  // namespace
}  // namespace ptxmc::event
