// SPDX-License-Identifier: Apache-2.0
// Which orders an operation can have, and which of two is stronger: a lattice for each kind of operation. The weakest order of a
// fence is none at all, written as `weak`: the fence is not there.
#pragma once

#include <vector>

#include "generate/sketch.h"

namespace ptxmc::generate {

using Scopes = std::vector<isa::Scope>;  ///< ascending

/// What tests of a size are made of.
struct Alphabet {
  Scopes scopes = {isa::Scope::cta, isa::Scope::gpu};
  std::size_t atomics = 1;  ///< at most so many in a test
  bool sc_apart = false;    ///< fence.sc is no stronger fence.acq_rel: of models that may not have it so
  bool reductions = false;  ///< atomics whose result no thread sees, too
};

/// All orders, of these scopes, that an operation of the kind can have.
std::vector<Order> orders_of(Kind kind, const Scopes& scopes);
/// What `a` orders, `b` orders too.
bool at_most(const Order& a, const Order& b);
/// The greatest of some orders, which there is.
Order strongest(const std::vector<Order>& orders);
Order weakest(Kind kind, const Scopes& scopes);

/// The strongest of those orders that are at most `upper` and not at least `lower`: all that is left below `upper` when
/// `lower` and what is stronger is known.
std::vector<Order> below_without(const Order& upper, const Order& lower, const std::vector<Order>& orders);
/// The orders that say something, among those that an operation of the thread can have: a scope that includes
/// no other thread says nothing (8.5: morally strong accesses include each other), nor does one that includes
/// no more threads than a narrower one.
std::vector<Order> telling_orders(const Sketch& sketch, std::size_t thread, Kind kind, const Scopes& scopes);
/// Which threads a scope includes, seen from a thread: bit t is thread t.
unsigned included(const Sketch& sketch, std::size_t thread, isa::Scope scope);

/// One step weaker.
std::vector<Order> weaker(const Order& order, const std::vector<Order>& orders);

}  // namespace ptxmc::generate
