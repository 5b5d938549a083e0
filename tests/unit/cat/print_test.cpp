// SPDX-License-Identifier: Apache-2.0
// Printed models read back as equal ones.
#include "model/cat/print.h"

#include "equal.h"
#include "toys.h"

using namespace ptxmc;
using namespace ptxmc::cat::toys;

namespace {

std::string printed(const std::string& expression) {
  const relation::MemoryModel model = read("let co = 0\nlet xyz = " + expression + "\n");
  const std::string text = cat::print(model, signature()), head = "let xyz = ";
  const std::size_t at = text.find(head) + head.size();
  return text.substr(at, text.find('\n', at) - at);
}

void round_trip(const std::string& text) {
  CAPTURE(text);
  const relation::MemoryModel model = read(text);
  const std::string out = cat::print(model, signature());
  CAPTURE(out);
  const relation::MemoryModel again = read(out);
  CHECK(equal(model, again));
  CHECK(equal(again, model));
}

}  // namespace

TEST_CASE("expressions print as one writes them") {
  for (const char* text : {"po",
                           "R",
                           "po | rf | dep",
                           "po; rf | dep",
                           "(po | rf); dep",
                           "po; (rf; dep)",
                           "po; rf; dep",
                           "po \\ rf \\ dep",
                           "po \\ (rf \\ dep)",
                           "po & rf & dep",
                           "(po | rf) & dep",
                           "po?",
                           "po*",
                           "po+",
                           "(po; rf)*",
                           "po^-1",
                           "po+^-1",
                           "[R]",
                           "[R | W]",
                           "R * W",
                           "(R | W) * _",
                           "~R",
                           "~(R | W)",
                           "~po",
                           "(~po)+",
                           "~R * W",
                           "po & R * W",
                           "domain(po) & R",
                           "range(po) | R",
                           "fromreads(po)",
                           "_",
                           "id",
                           "[domain(po; rf)]; po",
                           "(po \\ rf) & dep"}) {
    CHECK(printed(text) == text);
  }
  CHECK(printed("po | (rf \\ dep); po") == "po | rf \\ dep; po");
  CHECK(printed("((po))") == "po");
  CHECK(printed("po | id") == "po?");
  CHECK(printed("po+ | id") == "po*");
}

TEST_CASE("models read back") {
  round_trip("acyclic po | rf | co | fr as sc\n");
  round_trip("PTX\nempty rmw & (fre; coe) as atomic\nacyclic po-loc | com as loc\n");
  round_trip(
      "\"a title\"\nlet a = po (* 8.9.1 *)\nlet rec b = a | b; c and c = rf | c; b\nacyclic b | c as x (* "
      "8.10 *)\nflag ~empty b \\ c as y\n");
  round_trip(
      "order o over po & W * W\npartial order p over ploc\nlet co = (o | p)+\nlet f(a, b) = a; [b]; a\nlet g "
      "= f(po, R) | f(rf, W)\nirreflexive g\n");
  round_trip("let a = R\nlet s = a & W\nempty s as x\n~empty _ \\ s as z\n");
  round_trip("let z = 0\nacyclic z | po as x\nempty emptyset | R as y\n");
  round_trip("PTX\nacyclic po | sync_fence as x\n");
}

TEST_CASE("hidden definitions get names of their own") {
  round_trip("let a = po\nlet b = a; rf\nlet a = b; b\nacyclic a | b as x\n");
  round_trip("let rec a = po | a; a\nlet b = a\nlet rec a = rf | a; b\nacyclic a as x\n");
  round_trip("let b = R\nlet R = W\nlet c = [b]; po; [R]\nacyclic c as x\n");
  round_trip("order co over W * W & ploc\nlet co = co+\nacyclic co as x\n");
  round_trip("let R = emptyset\nlet c = po; [R]\nacyclic c as x\n");
  std::string doubling = "let a = po\n";
  for (int i = 0; i < 60; ++i) doubling += "let a = a; a\n";
  round_trip(doubling);
}

TEST_CASE("names of axioms survive, words or not") {
  round_trip("acyclic po as let\nacyclic po as \"two words\"\nacyclic po\n");
}
