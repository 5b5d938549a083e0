// SPDX-License-Identifier: Apache-2.0
#include "generate/orders.h"

#include <algorithm>

#include "support/check.h"

namespace ptxmc::generate {

using isa::Scope;
using isa::Semantics;

namespace {

/// 8.4, table 17, and 9.7.12.4: acq_rel is both, and a fence.sc is a fence.acq_rel.
bool semantics_at_most(Semantics a, Semantics b) {
  if (a == b || a == Semantics::weak || b == Semantics::sc) return true;
  if (b == Semantics::acq_rel) return a != Semantics::sc;
  return a == Semantics::relaxed && b != Semantics::weak;
}

std::vector<Semantics> strong_semantics(Kind kind) {
  switch (kind) {
    case Kind::load:
      return {Semantics::relaxed, Semantics::acquire};
    case Kind::store:
      return {Semantics::relaxed, Semantics::release};
    case Kind::exchange:
    case Kind::reduction:  // an atom may acquire by its letter, whatever becomes of what it reads
      return {Semantics::relaxed, Semantics::acquire, Semantics::release, Semantics::acq_rel};
    case Kind::fence:
      return {Semantics::acquire, Semantics::release, Semantics::acq_rel, Semantics::sc};
    case Kind::fence_sc:
      return {Semantics::sc};
    case Kind::fence_acq_rel:
      return {Semantics::acquire, Semantics::release, Semantics::acq_rel};
    case Kind::proxy:
    case Kind::wait:
    case Kind::barrier:
    case Kind::result:
      return {};
  }
  return {};
}

std::vector<Order> maximal(const std::vector<Order>& orders) {
  std::vector<Order> most;
  for (const Order& order : orders) {
    const bool covered = std::any_of(orders.begin(), orders.end(), [&](const Order& other) {
      return other != order && at_most(order, other);
    });
    if (!covered) most.push_back(order);
  }
  return most;
}

}  // namespace

bool at_most(const Order& a, const Order& b) {
  return semantics_at_most(a.semantics, b.semantics) && a.scope <= b.scope;
}

std::vector<Order> orders_of(Kind kind, const Scopes& scopes) {
  std::vector<Order> orders;
  if (!atomic(kind)) orders.push_back({});
  for (const Semantics semantics : strong_semantics(kind))
    for (const Scope scope : scopes) orders.push_back({semantics, scope});
  return orders;
}

Order strongest(const std::vector<Order>& orders) {
  const std::vector<Order> most = maximal(orders);
  PTXMC_CHECK(most.size() == 1, "orders have a greatest one");
  return most[0];
}

Order weakest(Kind kind, const Scopes& scopes) {
  return orders_of(kind, scopes).front();
}

unsigned included(const Sketch& sketch, std::size_t thread, Scope scope) {
  const Thread& own = sketch.threads[thread];
  unsigned threads = 0;
  for (std::size_t t = 0; t < sketch.threads.size(); ++t) {
    const Thread& other = sketch.threads[t];
    const bool cluster = own.cluster >= 0 && own.cluster == other.cluster;
    const bool in = t == thread || scope == Scope::sys || (scope == Scope::gpu && other.gpu == own.gpu) ||
                    (scope != Scope::none && other.cta == own.cta) || (scope == Scope::cluster && cluster);
    if (in) threads |= 1U << t;
  }
  return threads;
}

std::vector<Order> telling_orders(const Sketch& sketch, std::size_t thread, Kind kind, const Scopes& scopes) {
  Scopes telling;
  unsigned before = atomic(kind) ? 0 : 1U << thread;  // an atomic has some scope
  for (const Scope scope : scopes) {
    const unsigned now = included(sketch, thread, scope);
    if (now != before) telling.push_back(scope);
    before = now;
  }
  return orders_of(kind, telling);
}

std::vector<Order> below_without(const Order& upper, const Order& lower, const std::vector<Order>& orders) {
  std::vector<Order> left;
  for (const Order& order : orders)
    if (at_most(order, upper) && !at_most(lower, order)) left.push_back(order);
  return maximal(left);
}

std::vector<Order> weaker(const Order& order, const std::vector<Order>& orders) {
  return below_without(order, order, orders);
}

}  // namespace ptxmc::generate
