// SPDX-License-Identifier: Apache-2.0
#include "generate/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generate/access_kinds.h"

namespace ptxmc::generate {

namespace {

/// The same write, of a location and with an mbarrier object of its own, completed and loaded.
Thread getting(Operation write, int location, int object) {
  write.location = location;
  Thread thread;
  thread.operations = {write};
  for (Operation& waiting : wait_for(write.access_kind, Direction::write, object))
    thread.operations.push_back(std::move(waiting));
  thread.operations.push_back(tensor_fence(false));
  Operation load;
  load.location = location;
  load.access_kind = AccessKind::tensor;
  thread.operations.push_back(load);
  for (Operation& waiting : wait_for(load.access_kind, Direction::read, 0))
    thread.operations.push_back(std::move(waiting));
  return thread;
}

/// The same of an operand of its own, which holds a value from the beginning on.
Thread multiplying(AccessKind access_kind, int location, int object) {
  Operation read;
  read.location = location;
  read.access_kind = access_kind;
  if (committed(access_kind)) read.object = object;
  Thread thread;
  thread.operations = {read};
  add_results(object, thread);
  return thread;
}

std::set<AccessKind> operands_at(const Sketch& sketch, int location) {
  std::set<AccessKind> out;
  for (const Thread& thread : sketch.threads)
    for (const Operation& o : thread.operations)
      if (accesses(o.kind) && o.location == location && multiplies(o.access_kind)) out.insert(o.access_kind);
  return out;
}

int writes_at(const Sketch& sketch, int location) {
  int count = 0;
  for (const Thread& thread : sketch.threads)
    for (const Operation& o : thread.operations)
      if (writes(o.kind) && o.location == location) count = std::max(count, o.value);
  return count;
}

/// In a CTA of its own; of what both CTAs of a pair do, the other CTA has a thread that does nothing.
void add_thread(Thread thread, bool pair, Sketch& sketch) {
  for (const Thread& other : sketch.threads) {
    thread.cta = std::max(thread.cta, other.cta + 1);
    if (pair) thread.cluster = std::max(thread.cluster, other.cluster + 1);
  }
  sketch.threads.push_back(std::move(thread));
  if (!pair) return;
  Thread peer;
  peer.cta = sketch.threads.back().cta + 1;
  peer.cluster = sketch.threads.back().cluster;
  sketch.threads.push_back(std::move(peer));
}

}  // namespace

Products with_products(const Sketch& sketch) {
  Products out{sketch};
  int object = last_number(sketch);
  for (const Thread& thread : sketch.threads) {
    for (const Operation& o : thread.operations) {
      if (!opaque(o.access_kind)) continue;
      out.threads[{o.location, o.value}] = out.sketch.threads.size();
      const int location = out.sketch.locations++;
      add_thread(getting(o, location, ++object), sketch.pair, out.sketch);
    }
  }
  const std::vector<Storage> storage = storage_of(sketch);
  for (int location = 0; location < sketch.locations; ++location) {
    const Storage& there = storage[static_cast<std::size_t>(location)];
    for (const AccessKind access_kind : operands_at(sketch, location)) {
      for (int value = 0; value <= writes_at(sketch, location); ++value) {
        out.operands[{location, access_kind, value}] = out.sketch.threads.size();
        const int at = out.sketch.locations++;
        add_thread(multiplying(access_kind, at, ++object), sketch.pair && committed(access_kind), out.sketch);
        out.sketch.initial.resize(static_cast<std::size_t>(out.sketch.locations));
        out.sketch.initial.back() = {value, there.bulk ? kBulkElements : 1};
      }
    }
  }
  return out;
}

std::string value_text(const Products& products, int location, int value) {
  const auto place = products.threads.find({location, value});
  return place == products.threads.end() ? fmt::format("{}", value) : fmt::format("P{}:%r0", place->second);
}

std::string product_text(const Products& products, const Operation& read, int value) {
  return fmt::format("P{}:%r0", products.operands.at({read.location, read.access_kind, value}));
}

std::vector<std::string> products_differ(const Products& products) {
  std::vector<std::string> parts;
  for (const auto& [written, thread] : products.threads) {
    const auto [location, value] = written;
    for (int other = 0; other <= writes_at(products.sketch, location); ++other) {
      const bool said = other < value && products.threads.contains({location, other});
      if (other == value || said) continue;
      parts.push_back(fmt::format("~(P{}:%r0 == {})", thread, value_text(products, location, other)));
    }
  }
  for (const auto& [held, thread] : products.operands) {
    for (const auto& [other, other_thread] : products.operands) {
      const auto& [location, access_kind, value] = held;
      if (std::get<0>(other) == location && std::get<1>(other) == access_kind && std::get<2>(other) < value)
        parts.push_back(fmt::format("~(P{}:%r0 == P{}:%r0)", other_thread, thread));
    }
  }
  return parts;
}

}  // namespace ptxmc::generate
