// SPDX-License-Identifier: Apache-2.0
// All tests of a size: the minimal ones are among them, and the shapes of the literature, by their names.
// tests/generate compares them with an enumeration that shares nothing with this one.
#include "generate/all.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "generate/judge.h"
#include "generate/minimal.h"
#include "generate/name.h"
#include "generate/symmetry.h"
#include "support/diagnostic.h"

using namespace ptxmc;
using namespace ptxmc::generate;

namespace {

const Alphabet kGpu{{isa::Scope::gpu}, 0};

std::set<std::string> codes_of(std::size_t size, const Alphabet& alphabet) {
  std::set<std::string> codes;
  std::size_t count = 0;
  for_each_test(size, alphabet, {}, {}, [&](const Sketch& test) {
    codes.insert(encode(canonical(test)));
    ++count;
  });
  CHECK(codes.size() == count);
  return codes;
}

}  // namespace

TEST_CASE("minimal tests are among all, each of which is there once") {
  const session::Session session(judging({}));
  const Alphabet both{{isa::Scope::cta, isa::Scope::gpu}, 1};
  for (const auto& [size, alphabet] : {std::pair(std::size_t{2}, both), std::pair(std::size_t{3}, kGpu)}) {
    const std::set<std::string> all = codes_of(size, alphabet);
    for (const Sketch& test : minimal_tests(size, alphabet, session, {}, 1))
      CHECK_MESSAGE(all.contains(encode(canonical(test))), test.name);
  }
}

TEST_CASE("the shapes of the literature are found by their names") {
  std::set<std::string> names;
  for (std::size_t size = 3; size <= 6; ++size)
    for_each_test(size, kGpu, {isa::Semantics::relaxed}, {}, [&](const Sketch& test) {
      Sketch named = test;
      give_name(named);
      names.insert(named.name);
    });
  for (const char* name :
       {"MP",     "SB",     "LB",   "S",      "R",     "2+2W", "WRC",   "WWC",   "RWC",  "WRR+2W",
        "WRW+2W", "WRW+WR", "IRIW", "IRRWIW", "IRWIW", "ISA2", "W+RWC", "Z6.0",  "Z6.1", "Z6.2",
        "Z6.3",   "Z6.4",   "Z6.5", "3.SB",   "3.LB",  "3.2W", "CoRR",  "CoRW2", "CoWR"})
    CHECK_MESSAGE(names.contains(std::string(name) + "+relaxed.gpu"), name);
}

TEST_CASE("a shape of one thread is an outcome that contradicts its order") {
  std::multiset<std::string> names;
  for_each_test(2, kGpu, {isa::Semantics::weak}, {}, [&](const Sketch& test) {
    Sketch named = test;
    give_name(named);
    names.insert(named.name);
  });
  for (const char* name : {"CoWW+weak", "CoRW1+weak", "CoWR0+weak"}) CHECK(names.count(name) == 1);
}

TEST_CASE("orders are those that are asked for") {
  std::size_t count = 0;
  for_each_test(3, {{isa::Scope::gpu}, 1}, {isa::Semantics::weak, isa::Semantics::sc}, {},
                [&](const Sketch& test) {
                  ++count;
                  for (const Thread& thread : test.threads)
                    for (const Operation& o : thread.operations)
                      CHECK((o.order == Order{} || o.order == Order{isa::Semantics::sc, isa::Scope::gpu}));
                });
  CHECK(count > 10);
}
