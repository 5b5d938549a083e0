// SPDX-License-Identifier: Apache-2.0
// Minimal tests: compared with an enumeration that knows no lattice and no skeletons, and the shapes of the literature.
#include "generate/minimal.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "generate/judge.h"
#include "generate/name.h"
#include "generate/relax.h"
#include "generate/symmetry.h"

using namespace ptxmc;
using namespace ptxmc::generate;

namespace {

/// Every test of so many operations: all orders, places and conditions, with nothing left out but what is not minimal by
/// definition.
class Naive {
 public:
  Naive(const Alphabet& alphabet, const session::Session& session)
      : alphabet_(alphabet), oracle_(session, budget_) {}

  std::set<std::string> minimal_of(std::size_t size) {
    divide(size);
    return found_;
  }
  std::size_t tried() const { return tried_; }

 private:
  void divide(std::size_t left) {
    if (left == 0) return fill(0, 0, 0);
    for (std::size_t size = 1; size <= left; ++size) {
      sketch_.threads.emplace_back();
      sketch_.threads.back().operations.resize(size);
      divide(left - size);
      sketch_.threads.pop_back();
    }
  }

  void fill(std::size_t t, std::size_t i, int locations) {
    if (t == sketch_.threads.size()) return place(0, 0, locations);
    if (i == sketch_.threads[t].operations.size()) return fill(t + 1, 0, locations);
    for (const Kind kind : {Kind::load, Kind::store, Kind::exchange, Kind::fence}) {
      for (const Order& order : orders_of(kind, alphabet_.scopes)) {
        if (kind == Kind::fence && order == Order{}) continue;
        const int last = kind == Kind::fence ? 0 : locations;
        for (int location = 0; location <= last; ++location) {
          Operation o;
          o.kind = kind, o.order = order, o.location = location;
          sketch_.threads[t].operations[i] = o;
          fill(t, i + 1, kind == Kind::fence ? locations : std::max(locations, location + 1));
        }
      }
    }
  }

  void place(std::size_t t, int ctas, int locations) {
    if (t == sketch_.threads.size()) return number(locations);
    for (int cta = 0; cta <= ctas; ++cta) {
      sketch_.threads[t].cta = cta;
      place(t + 1, std::max(ctas, cta + 1), locations);
    }
  }

  void number(int locations) {
    std::size_t atomics = 0;
    std::vector<int> values(static_cast<std::size_t>(locations), 0);
    for (Thread& thread : sketch_.threads) {
      for (Operation& o : thread.operations) {
        o.value = writes(o.kind) ? ++values[static_cast<std::size_t>(o.location)] : 0;
        atomics += o.kind == Kind::exchange ? 1 : 0;
      }
    }
    if (atomics > alphabet_.atomics) return;
    sketch_.locations = locations;
    sketch_.finals.assign(static_cast<std::size_t>(locations), std::nullopt);
    condition(values, 0, 0);
  }

  void condition(const std::vector<int>& values, std::size_t t, std::size_t i) {
    if (t == sketch_.threads.size()) return finals(values, 0);
    if (i == sketch_.threads[t].operations.size()) return condition(values, t + 1, 0);
    const Operation o = sketch_.threads[t].operations[i];
    const int last = reads(o.kind) ? values[static_cast<std::size_t>(o.location)] : -1;
    for (int value = -1; value <= last; ++value) {
      if (value >= 0) sketch_.threads[t].operations[i].read = value;
      condition(values, t, i + 1);
    }
    sketch_.threads[t].operations[i].read.reset();
  }

  void finals(const std::vector<int>& values, std::size_t location) {
    if (location == values.size()) return judge();
    for (int value = 0; value <= values[location]; ++value) {
      if (value != 0) sketch_.finals[location] = value;
      finals(values, location + 1);
    }
    sketch_.finals[location].reset();
  }

  void judge() {
    ++tried_;
    if (minimal(sketch_, alphabet_.scopes, oracle_)) found_.insert(encode(canonical(sketch_)));
  }

  const Alphabet alphabet_;
  const Budget budget_;
  Oracle oracle_;
  Sketch sketch_;
  std::set<std::string> found_;
  std::size_t tried_ = 0;
};

std::set<std::string> found(std::size_t size, const Alphabet& alphabet, const session::Session& session) {
  std::set<std::string> codes;
  const Budget budget;
  for (const Sketch& test : minimal_tests(size, alphabet, session, budget, 1))
    codes.insert(encode(canonical(test)));
  return codes;
}

std::set<std::string> names(std::size_t size, const Alphabet& alphabet) {
  const session::Session session(judging({}));
  std::set<std::string> all;
  const Budget budget;
  for (const Sketch& test : minimal_tests(size, alphabet, session, budget, 1)) all.insert(test.name);
  return all;
}

}  // namespace

TEST_CASE("the search finds what an enumeration of everything finds") {
  const session::Session session(judging({}));
  struct Case {
    std::size_t size;
    Alphabet alphabet;
  };
  const Case kCases[] = {{1, {{isa::Scope::cta, isa::Scope::gpu}, 1}},
                         {2, {{isa::Scope::cta, isa::Scope::gpu}, 2}},
                         {3, {{isa::Scope::gpu}, 0}}};
  for (const Case& c : kCases) {
    Naive naive(c.alphabet, session);
    const std::set<std::string> all = naive.minimal_of(c.size);
    MESSAGE(c.size << " operations: " << naive.tried() << " tests, " << all.size() << " minimal");
    CHECK(found(c.size, c.alphabet, session) == all);
    CHECK((c.size == 1 || !all.empty()));
  }
}

TEST_CASE("minimal tests of four operations have the shapes of the literature") {
  const std::set<std::string> all = names(4, {{isa::Scope::gpu}, 0});
  for (const char* name : {"MP+weak-release.gpu+acquire.gpu-weak", "S+weak-release.gpu+acquire.gpu-weak",
                           "LB+weak-release.gpu+acquire.gpu-weak"})
    CHECK_MESSAGE(all.contains(name), name);
}

TEST_CASE("a relaxation is one step") {
  Sketch sketch;
  sketch.locations = 1;
  sketch.finals.resize(1);
  sketch.threads.resize(2);
  sketch.threads[1].cta = 1;
  Operation write, read;
  write.kind = Kind::store, write.value = 1, write.order = {isa::Semantics::release, isa::Scope::gpu};
  read.read = 1;
  sketch.threads[0].operations = {write};
  sketch.threads[1].operations = {read};
  // Without the store, without the load, relaxed, .cta, and without the condition.
  CHECK(relaxations(sketch, {isa::Scope::cta, isa::Scope::gpu}).size() == 5);
  sketch.threads[1].cta = 0;  // either thread may have another CTA
  CHECK(relaxations(sketch, {isa::Scope::cta, isa::Scope::gpu}).size() == 7);
}

TEST_CASE("tests that differ by numbers alone are one") {
  Sketch a;
  a.locations = 2;
  a.finals.resize(2);
  a.threads.resize(2);
  a.threads[1].cta = 1;
  Operation x, y;
  x.kind = y.kind = Kind::store;
  x.value = y.value = 1;
  y.location = 1;
  a.threads[0].operations = {x, y};
  a.threads[1].operations = {x};
  a.threads[1].operations[0].value = 2;
  Sketch b = a;
  std::swap(b.threads[0].operations, b.threads[1].operations);
  CHECK(encode(a) != encode(b));
  CHECK(encode(canonical(a)) == encode(canonical(b)));
  for (Thread& thread : b.threads)
    for (Operation& o : thread.operations) o.location = 1 - o.location;
  CHECK(encode(canonical(a)) == encode(canonical(b)));
  b.threads[0].cta = 1;
  CHECK(encode(canonical(a)) != encode(canonical(b)));
}
