// SPDX-License-Identifier: Apache-2.0
#include "generate/relax.h"

#include <algorithm>

namespace ptxmc::generate {

namespace {

using isa::Scope;
using isa::Semantics;

/// Values 1, 2, ... of a location without the one that is gone, and the condition's with them.
void close_gap(Sketch& sketch, int location, int gone) {
  const auto close = [&](std::optional<int>& value) {
    if (!value) return;
    if (*value == gone)
      value.reset();
    else if (*value > gone)
      --*value;
  };
  for (Thread& thread : sketch.threads) {
    for (Operation& o : thread.operations) {
      if (!accesses(o.kind) || o.location != location) continue;
      if (writes(o.kind) && o.value > gone) --o.value;
      close(o.read);
    }
  }
  close(sketch.finals[static_cast<std::size_t>(location)]);
}

/// Threads without operations, and locations without accesses, are gone.
void drop_unused(Sketch& sketch) {
  std::erase_if(sketch.threads, [](const Thread& thread) { return thread.operations.empty(); });
  std::vector<int> numbers(static_cast<std::size_t>(sketch.locations), -1);
  for (const Thread& thread : sketch.threads)
    for (const Operation& o : thread.operations)
      if (accesses(o.kind)) numbers[static_cast<std::size_t>(o.location)] = 0;
  int next = 0;
  std::vector<std::optional<int>> finals;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0) continue;
    numbers[i] = next++;
    finals.push_back(sketch.finals[i]);
  }
  for (Thread& thread : sketch.threads)
    for (Operation& o : thread.operations)
      if (accesses(o.kind)) o.location = numbers[static_cast<std::size_t>(o.location)];
  sketch.locations = next;
  sketch.finals = std::move(finals);
}

Sketch split(const Sketch& sketch, std::size_t thread, std::size_t operation) {
  Sketch out = sketch;
  std::vector<Operation>& code = out.threads[thread].operations;
  const Operation both = code[operation];
  const bool acquires =
      both.order.semantics == Semantics::acquire || both.order.semantics == Semantics::acq_rel;
  const bool releases =
      both.order.semantics == Semantics::release || both.order.semantics == Semantics::acq_rel;
  Operation read = both, write = both;
  read.kind = Kind::load;
  read.order.semantics = acquires ? Semantics::acquire : Semantics::relaxed;
  read.value = 0;
  write.kind = Kind::store;
  write.order.semantics = releases ? Semantics::release : Semantics::relaxed;
  write.read.reset();
  code[operation] = read;
  code.insert(code.begin() + static_cast<std::ptrdiff_t>(operation) + 1, write);
  return out;
}

void relax_operation(const Sketch& sketch, std::size_t t, std::size_t i, const Scopes& scopes,
                     std::vector<Sketch>& out) {
  const Operation& o = sketch.threads[t].operations[i];
  const auto with = [&](const auto& change) {
    Sketch changed = sketch;
    change(changed.threads[t].operations[i]);
    return changed;
  };
  out.push_back(without(sketch, t, i));
  for (const Order& order : weaker(o.order, orders_of(o.kind, scopes)))
    if (!fences(o.kind) || order != Order{})
      out.push_back(with([&](Operation& changed) { changed.order = order; }));
  if (atomic(o.kind)) out.push_back(split(sketch, t, i));
  if (o.read) out.push_back(with([](Operation& changed) { changed.read.reset(); }));
}

/// The thread alone in a CTA; where it is, in a cluster; where it is, on a GPU.
void move_away(const Sketch& sketch, std::size_t t, const Scopes& scopes, std::vector<Sketch>& out) {
  const auto tells = [&](Scope scope) {
    return std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
  };
  const Thread& thread = sketch.threads[t];
  int fresh = 0;  // a number that no place has
  bool cta_shared = false, gpu_shared = false;
  for (std::size_t other = 0; other < sketch.threads.size(); ++other) {
    const Thread& there = sketch.threads[other];
    fresh = std::max({fresh, there.cta + 1, there.cluster + 1, there.gpu + 1});
    if (other == t) continue;
    cta_shared |= there.cta == thread.cta;
    gpu_shared |= there.gpu == thread.gpu;
  }
  const bool cluster_shared = thread.cluster >= 0;
  if (!cta_shared && !cluster_shared && !(gpu_shared && tells(Scope::sys))) return;
  Sketch moved = sketch;
  if (cta_shared && tells(Scope::cluster) && !cluster_shared) {  // the cluster of both CTAs
    for (Thread& mate : moved.threads)
      if (mate.cta == thread.cta) mate.cluster = fresh;
  }
  if (cta_shared)
    moved.threads[t].cta = fresh;
  else if (cluster_shared)
    moved.threads[t].cluster = -1;
  else
    moved.threads[t].gpu = fresh;
  drop_lone_clusters(moved);
  out.push_back(std::move(moved));
}

}  // namespace

Sketch without(const Sketch& sketch, std::size_t thread, std::size_t operation) {
  Sketch out = sketch;
  std::vector<Operation>& code = out.threads[thread].operations;
  const Operation gone = code[operation];
  code.erase(code.begin() + static_cast<std::ptrdiff_t>(operation));
  if (writes(gone.kind)) close_gap(out, gone.location, gone.value);
  drop_unused(out);
  return out;
}

Sketch without_void_fences(const Sketch& sketch) {
  Sketch out = sketch;
  for (Thread& thread : out.threads)
    std::erase_if(thread.operations, [](const Operation& o) { return fences(o.kind) && o.order == Order{}; });
  return out;
}

std::vector<Sketch> relaxations(const Sketch& sketch, const Scopes& scopes) {
  std::vector<Sketch> out;
  for (std::size_t t = 0; t < sketch.threads.size(); ++t) {
    for (std::size_t i = 0; i < sketch.threads[t].operations.size(); ++i)
      relax_operation(sketch, t, i, scopes, out);
    move_away(sketch, t, scopes, out);
  }
  for (std::size_t i = 0; i < sketch.finals.size(); ++i) {
    if (!sketch.finals[i]) continue;
    Sketch changed = sketch;
    changed.finals[i].reset();
    out.push_back(std::move(changed));
  }
  return out;
}

bool minimal(const Sketch& sketch, const Scopes& scopes, Oracle& oracle) {
  if (oracle.allowed(sketch)) return false;
  const std::vector<Sketch> all = relaxations(sketch, scopes);
  return std::all_of(all.begin(), all.end(), [&](const Sketch& relaxed) {
    return relaxed.threads.empty() || oracle.allowed(relaxed);
  });
}

}  // namespace ptxmc::generate
