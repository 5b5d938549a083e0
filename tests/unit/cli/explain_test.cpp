// SPDX-License-Identifier: Apache-2.0
// `explain`, the formats that draw, and vacuity, as a user calls them.
#include <doctest/doctest.h>

#include "../contains.h"
#include "workplace.h"

using namespace ptxmc::testing;

TEST_CASE("explain names the axiom, on each engine") {
  const Workplace at;
  const std::string forbidden = at.file("a.litmus", mp("A", true)),
                    allowed = at.file("b.litmus", mp("B", false));
  for (const char* engine : {"explicit", "smt", "both"}) {
    CAPTURE(engine);
    const Ran ran = run_line({"explain", "--engine", engine, forbidden, allowed});
    CHECK(ran.status == 0);
    CHECK(contains(ran.out, "Forbidden under ptx-9.4 by Causality (8.10.6)"));
    CHECK(contains(ran.out, "--synchronizes 8.9.4, morally strong 8.7--> R1 flag=1 (P1:"));
    CHECK(contains(ran.out, "Allowed under ptx-9.4"));
    CHECK(contains(ran.err, "2 tests: 2 explained"));
  }
}

TEST_CASE("the depth of an explanation") {
  const Workplace at;
  const std::string file = at.file("a.litmus", mp("A", true));
  const auto lines = [&](const char* depth) { return run_line({"explain", "--depth", depth, file}).out; };
  CHECK_FALSE(lines("1").find("release pattern") != std::string::npos);
  CHECK_FALSE(lines("2").find("release pattern") != std::string::npos);
  CHECK(contains(lines("3"), "release pattern 8.8(1)"));
  CHECK(run_line({"explain", "--depth", "0", file}).status == 2);
}

TEST_CASE("a page is one page") {
  const Workplace at;
  const std::string a = at.file("a.litmus", mp("A", true)), b = at.file("b.litmus", mp("B", false));
  for (const char* verb : {"explain", "check"}) {
    const Ran ran = run_line({verb, "--format", "html", a, b});
    CHECK(ran.status == 0);
    CHECK(ran.out.find("<!DOCTYPE html>") == 0);
    CHECK(ran.out.find("<!DOCTYPE html>", 1) == std::string::npos);
    CHECK(ran.out.ends_with("</body></html>\n"));
    CHECK(contains(ran.out, "<h1>A</h1>"));
    CHECK(contains(ran.out, "<h1>B</h1>"));
    CHECK(contains(ran.out, "<svg "));
  }
}

TEST_CASE("a page of several tests has an index with what was found, mistakes among them") {
  const Workplace at;
  const std::string a = at.file("a.litmus", mp("A", true)), b = at.file("b.litmus", mp("B", false)),
                    wrong = at.file("wrong.litmus", "PTX wrong\n");
  for (const char* verb : {"check", "races"}) {
    const Ran ran = run_line({verb, "--format", "html", a, b, wrong});
    CHECK(ran.status == 2);
    CHECK(contains(ran.out, "<nav class=\"index\" aria-label=\"Index\"><h1>3 tests</h1>"));
    const std::string index = ran.out.substr(0, ran.out.find("</nav>"));
    const bool races = verb == std::string("races");  // the reader does not look at the flag
    CHECK(contains(index, std::string(">A</a> <b>") + (races ? "Racy" : "Forbidden") + "</b>"));
    CHECK(contains(index, std::string(">B</a> <b>") + (races ? "Racy" : "Allowed") + "</b>"));
    CHECK(contains(index, "<li class=\"bad\">"));
    CHECK(contains(index, "<b>Error</b>"));
    for (std::size_t link = index.find("href=\"#"); link != std::string::npos;
         link = index.find("href=\"#", link + 1)) {
      const std::string id = index.substr(link + 7, index.find('"', link + 7) - link - 7);
      CHECK(contains(ran.out, "<section id=\"" + id + "\""));
    }
    CHECK(contains(ran.out, "<div class=\"card mistake\">"));
  }
  const Ran one = run_line({"check", "--format", "html", a});
  CHECK_FALSE(contains(one.out, "<nav"));
  CHECK(contains(run_line({"races", "--format", "html", b}).out, ">race</text>"));
}

TEST_CASE("a picture is drawn here, whatever else is installed") {
  const Workplace at;
  const std::string file = at.file("a.litmus", mp("A", true));
  const Ran explained = run_line({"explain", "--format", "svg", file});
  CHECK(explained.status == 0);
  CHECK(explained.out.starts_with("<svg xmlns="));
  CHECK(contains(explained.out, "violates Causality</text>"));
  const Ran checked =
      run_line({"check", "--format", "svg", "--show", "cause", at.file("b.litmus", mp("B", false))});
  CHECK(checked.status == 0);
  CHECK(checked.out.starts_with("<svg xmlns="));
  CHECK(contains(checked.out, ".arrow.show0{"));
}

TEST_CASE("vacuous tests") {
  const Workplace at;
  const std::string filter =
      at.file("f.litmus", mp("F", true, "", "filter (P1:r0 == 7)\nforall (P1:r0 == 0)"));
  const std::string met = at.file("m.litmus", mp("M", true, "", "filter (P1:r0 == 1)\nforall (P1:r0 == 1)"));
  CHECK(contains(run_line({filter}).out, "\nFlag vacuous-filter\n"));
  CHECK(contains(run_line({"--verdict", filter}).out, "\nFlag vacuous-filter\n"));
  CHECK(contains(run_line({"--format", "json", filter}).out, "\"vacuous\":\"vacuous-filter\""));
  CHECK(contains(run_line({"explain", filter}).out,
                 "Vacuous: no consistent execution under ptx-9.4 meets the filter"));
  CHECK_FALSE(run_line({met}).out.find("vacuous") != std::string::npos);
  CHECK_FALSE(run_line({"--verdict", met}).out.find("vacuous") != std::string::npos);
}

TEST_CASE("`verify --explain` says what `explain` says of a rule, however it is spelt") {
  const Ran page = run_line({"explain", "race"});
  CHECK(page.status == 0);
  CHECK(run_line({"verify", "--explain", "race"}).out == page.out);
  CHECK(run_line({"verify", "--explain=race"}).out == page.out);
}
