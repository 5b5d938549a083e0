// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "workplace.h"

using namespace ptxmc::testing;

namespace {

const std::string kTest =
    "PTX CoRR\n{\n .global .u32 x = 0;\n}\n P0 @ cta 0 | P1 @ cta 1 ;\n"
    " st.relaxed.gpu.global.u32 [x], 1 | ld.relaxed.gpu.global.u32 %r0, [x] ;\n"
    "  | ld.relaxed.gpu.global.u32 %r1, [x] ;\nexists (1:%r0 == 1 /\\ 1:%r1 == 0)\n";

std::string log_of(const std::string& states, int count) {
  return "Test CoRR Allowed\nHistogram (" + std::to_string(count) + " states)\n" + states + "No\n\n";
}

bool says(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("compare: what was observed is allowed") {
  const Workplace place;
  const std::string test = place.file("fam/t.litmus", kTest);
  const std::string log = place.file("log", log_of("9 :>1:r0=0; 1:r1=1;\n", 1));
  const Ran ran = run_line({"compare", "--log", log, test});
  CHECK(ran.status == 0);
  CHECK(says(ran.out, "1:r0=0; 1:r1=1;  allowed\n"));
  CHECK(says(ran.out, "1:r0=1; 1:r1=1;  allowed, never observed\n"));
  CHECK(says(ran.out, "fam "));
  const std::string many = place.file("many", log_of("969112026203106 :>1:r0=0; 1:r1=1;\n", 1));
  CHECK(says(run_line({"compare", "--log", many, test}).out, "969112026203106 1:r0=0; 1:r1=1;  allowed\n"));
  CHECK(says(run_line({"compare", "--format", "html", "--log", log, test}).out, "<table class=\"heat\">"));
}

TEST_CASE("compare: a forbidden outcome is loud, explained, and counted over several logs") {
  const Workplace place;
  const std::string test = place.file("t.litmus", kTest);
  const std::string log = place.file("log", log_of("2 *>1:r0=1; 1:r1=0;\n", 1));
  const std::string more = place.file("more", log_of("3 *>1:r0=1; 1:r1=0;\n", 1));
  const Ran ran = run_line({"compare", "-q", "--log", log, "--log", more, test});
  CHECK(ran.status == 1);
  CHECK(says(ran.out, "5             1:r0=1; 1:r1=0;  FORBIDDEN BUT OBSERVED"));
  CHECK(says(ran.out, "Forbidden under ptx-9.4 by "));
  CHECK(says(ran.out, "FORBIDDEN outcomes were observed in 1 tests"));
}

TEST_CASE("compare: tests that are in no log, and logs of other tests") {
  const Workplace place;
  const std::string test = place.file("t.litmus", kTest);
  const Ran none = run_line({"compare", "--log", place.file("a", "Test Other Allowed\n"), test});
  CHECK(none.status == 3);
  CHECK(says(none.err, "1 tests are in no log"));
  const Ran other = run_line({"compare", "--log", place.file("b", "Test CoRR Allowed\nHash=1\n"), test});
  CHECK(other.status == 2);
  CHECK(says(other.err, "the log is of another test named CoRR"));
  CHECK(run_line({"compare", test}).status == 2);
  CHECK(run_line({"compare", "--log", place.at("absent"), test}).status == 2);
}

TEST_CASE("compare: two models") {
  const Workplace place;
  const std::string test =
      place.file("t.litmus",
                 "PTX SB\n{\n .global .u32 x = 0;\n .global .u32 y = 0;\n}\n P0 @ cta 0 | P1 @ cta 1 ;\n"
                 " st.relaxed.gpu.global.u32 [x], 1 | st.relaxed.gpu.global.u32 [y], 1 ;\n"
                 " ld.relaxed.gpu.global.u32 %r0, [y] | ld.relaxed.gpu.global.u32 %r0, [x] ;\n"
                 "exists (0:%r0 == 0 /\\ 1:%r0 == 0)\n");
  const Ran same = run_line({"compare", "--against", "ptx-8.4", test});
  CHECK(same.status == 0);
  const Ran sc = run_line({"compare", "--against", "sc", test});
  CHECK(sc.status == 1);
  CHECK(says(sc.out, "0:r0=0; 1:r0=0;  not allowed by sc"));
  const Ran weaker = run_line({"compare", "--model", "sc", "--against", "ptx-9.4", test});
  CHECK(weaker.status == 1);
  CHECK(says(weaker.out, "0:r0=0; 1:r0=0;  allowed by ptx-9.4 alone"));
}

TEST_CASE("compare --merge: one log, with which compare says what it says with all") {
  const Workplace place;
  const std::string test = place.file("fam/t.litmus", kTest);
  const std::string one = place.file("one", log_of("9 :>1:r0=0; 1:r1=1;\n", 1) + "Time CoRR 1.00\n");
  const std::string two = place.file("two", log_of("5 :>1:r0=0; 1:r1=0;\n2 *>1:r0=1; 1:r1=0;\n", 2));
  const Ran all = run_line({"compare", "--log", one, "--log", two, test});
  for (const std::string format : {"json", "text"}) {
    const std::string merged = place.at("merged-" + format);
    const Ran ran = run_line({"compare", "--merge", "-f", format, "-o", merged, one, two});
    CHECK(ran.status == 0);
    CHECK(ran.err == "1 tests of 2 logs\n");
    const Ran again = run_line({"compare", "--log", merged, test});
    CHECK(again.out == all.out);
    CHECK(again.status == 1);
  }
  CHECK(run_line({"compare", "--merge", "-q", "--log", one, two}).err.empty());
  const Ran twice = run_line({"compare", "--merge", one, two, one});
  CHECK(twice.status == 0);
  CHECK(says(twice.err, one + ": left out: this run of CoRR stands in '" + one + "'\n"));
  CHECK(twice.out == run_line({"compare", "--merge", one, two}).out);
}

TEST_CASE("compare --merge: what is refused") {
  const Workplace place;
  const std::string one = place.file("one", "Test A Allowed\nHash=1\n");
  const std::string two = place.file("two", "Test A Allowed\nHash=2\n");
  const Ran differ = run_line({"compare", "--merge", one, two});
  CHECK(differ.status == 2);
  CHECK(says(differ.err, "the logs have two different tests named A"));
  CHECK(differ.out.empty());
  CHECK(run_line({"compare", "--merge", "-f", "html", one}).status == 2);
  CHECK(run_line({"compare", "-f", "json", "--log", one, two}).status == 2);
  CHECK(run_line({"compare", "--merge", "--against", "sc", one}).status == 2);
  CHECK(run_line({"compare", "--merge", place.at("absent")}).status == 2);
  std::filesystem::create_hard_link(one, place.at("link"));
  for (const std::string& output : {one, place.at("link")}) {
    const Ran same = run_line({"compare", "--merge", "-o", output, one});
    CHECK(same.status == 2);
    CHECK(says(same.err, "'" + output + "': is also an input; nothing is written"));
  }
  CHECK(std::filesystem::file_size(one) == 22);  // as it was
}

TEST_CASE("compare: states that are no states of the test") {
  const Workplace place;
  const std::string test = place.file("t.litmus", kTest);
  for (const std::string state :
       {"foo:r0=1;", "1:=1;", "a[x]=1;", "[]=1;", "r0[=1;", "99999999999:r0=1;", "=;"}) {
    CAPTURE(state);
    const Ran ran = run_line({"compare", "--log", place.file("log", log_of("1 :>" + state + "\n", 1)), test});
    CHECK(ran.status != 4);
  }
}
