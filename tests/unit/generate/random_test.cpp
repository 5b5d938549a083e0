// SPDX-License-Identifier: Apache-2.0
// Random cycles: one seed, one list; each is a test that both engines decide; nothing of the vocabulary is left out.
#include "generate/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "generate/edge.h"
#include "generate/judge.h"
#include "generate/symmetry.h"
#include "input/litmus/parse.h"

using namespace ptxmc;
using namespace ptxmc::generate;

namespace {

std::vector<Sketch> drawn(std::uint64_t seed, std::size_t count, std::size_t edges = 4) {
  Draw draw;
  draw.seed = seed, draw.count = count, draw.edges = edges;
  return random_tests(draw);
}
std::vector<std::string> texts(const std::vector<Sketch>& tests) {
  std::vector<std::string> all;
  for (const Sketch& test : tests) all.push_back(print(test, ""));
  return all;
}
Cycle cycle_of(const Sketch& test) {
  return parse_cycle(std::make_shared<const Source>(Source{"cycle", test.doc}));
}

}  // namespace

TEST_CASE("a seed draws the same tests, and more of them behind these") {
  const std::vector<std::string> few = texts(drawn(3, 20)), many = texts(drawn(3, 50));
  CHECK(texts(drawn(3, 20)) == few);
  CHECK(std::equal(few.begin(), few.end(), many.begin()));
  CHECK(texts(drawn(4, 20)) != few);
}

TEST_CASE("no two are one, each is the test of the cycle that it names, of the size that is asked for") {
  const std::vector<Sketch> tests = drawn(5, 500, 5);
  REQUIRE(tests.size() == 500);
  std::set<std::string> codes;
  for (const Sketch& test : tests) {
    CHECK_MESSAGE(codes.insert(encode(canonical(test))).second, test.doc);
    const Cycle cycle = cycle_of(test);
    CHECK((cycle.edges.size() >= 2 && cycle.edges.size() <= 5));
    const Sketch again = sketch_of(cycle, {});
    REQUIRE(again.threads.size() == test.threads.size());
    for (std::size_t t = 0; t < again.threads.size(); ++t)
      CHECK(again.threads[t].operations == test.threads[t].operations);
  }
}

TEST_CASE("nightly: every edge, order and place is drawn") {
  Draw draw;
  draw.seed = 1, draw.count = 20000, draw.edges = 4;
  draw.scopes = {isa::Scope::cta, isa::Scope::cluster, isa::Scope::gpu, isa::Scope::sys};
  std::set<std::string> edges, marks;
  std::set<std::pair<int, int>> places;
  bool together = false;
  for (const Sketch& test : random_tests(draw)) {
    const Cycle cycle = cycle_of(test);
    for (const Edge& edge : cycle.edges) edges.insert(edge.text);
    for (const Mark& mark : cycle.marks) marks.insert(mark.words.begin(), mark.words.end());
    for (const Thread& thread : test.threads) places.emplace(thread.gpu, thread.cta);
    together |= test.threads.size() > 1 && test.threads[0].cta == test.threads[1].cta;
  }
  for (const Edge& edge : every_edge())
    if (edge.link != Link::fence ||
        edge.order.scope != isa::Scope::none)  // of the default scope: it has another name
      CHECK_MESSAGE(edges.contains(edge.text), edge.text);
  for (const char* mark : {"Weak", "Relaxed.cta", "Acquire.sys", "Release.cluster", "Alias"})
    CHECK_MESSAGE(marks.contains(mark), mark);
  CHECK(places.contains({1, 1}));
  CHECK(together);
}

TEST_CASE("where the vocabulary is used up there are fewer") {
  Draw draw;
  draw.edges = 2, draw.count = 1000000, draw.scopes = {isa::Scope::gpu};
  const std::size_t all = random_tests(draw).size();
  CHECK((all > 50 && all < 5000));
}

TEST_CASE("both engines decide each") {
  const session::Session session(judging({}));
  std::set<explain::Answer> answers;
  for (const Sketch& test : drawn(7, 100, 6)) {
    const std::string text = print(test, "");
    std::vector<Diagnostic> warnings;
    CHECK_NOTHROW(litmus::parse(std::make_shared<const Source>(Source{test.name, text}), &warnings));
    CHECK_MESSAGE(warnings.empty(), text);
    const Judged judged = judge(session, test.name, text, {});
    CHECK_MESSAGE(judged.problems.empty(), text);
    CHECK_MESSAGE(judged.answer != explain::Answer::unknown, text << judged.why);
    answers.insert(judged.answer);
  }
  CHECK((answers.contains(explain::Answer::allowed) && answers.contains(explain::Answer::forbidden)));
}
