// SPDX-License-Identifier: Apache-2.0
// --reading, --sensitivity and verdicts that are stated for other readings.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "../contains.h"
#include "workplace.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

/// Message passing whose writer has a fence.sc: forbidden, unless such a fence is no release fence.
std::string fenced(const std::string& header) {
  return "PTX fenced\n" + header +
         "{ x=0; y=0; }\n"
         " P0 @ cta 0          | P1 @ cta 1           ;\n"
         " st.weak x, 1        | ld.acquire.gpu r0, y ;\n"
         " fence.sc.gpu        | ld.weak r1, x        ;\n"
         " st.relaxed.gpu y, 1 |                      ;\n"
         "exists (P1:r0 == 1 /\\ P1:r1 == 0)\n";
}

}  // namespace

TEST_CASE("--reading changes the model") {
  CHECK(contains(run_line({"--verdict", "-"}, fenced("")).out, "\nNo\n"));
  CHECK(contains(run_line({"--verdict", "--reading", "fence-sc=only-sc", "-"}, fenced("")).out, "\nOk\n"));
  CHECK(contains(run_line({"--verdict", "-r", "red=acquire", "-r", "fence-sc=only-sc", "-"}, fenced("")).out,
                 "\nOk\n"));
  CHECK(
      contains(run_line({"--verdict", "-r", "red=acquire,fence-sc=only-sc", "-"}, fenced("")).out, "\nOk\n"));
  const auto json =
      nlohmann::json::parse(run_line({"-f", "json", "-r", "fence-sc=only-sc", "-"}, fenced("")).out);
  CHECK(json["readings"] == nlohmann::json{"fence-sc=only-sc"});
  CHECK(json["answer"] == "Allowed");
}

TEST_CASE("a reading that is not there is a usage error") {
  const Ran name = run_line({"--reading", "fence=only-sc", "-"}, fenced(""));
  CHECK(name.status == 2);
  CHECK(contains(name.err, "there is no reading 'fence'; the readings are"));
  const Ran near = run_line({"--reading", "rd=acquire", "-"}, fenced(""));
  CHECK(contains(near.err, "there is no reading 'rd'; did you mean 'red'?"));
  const Ran value = run_line({"--reading", "fence-sc=sc", "-"}, fenced(""));
  CHECK(value.status == 2);
  CHECK(contains(value.err, "its values are acq-rel, only-sc"));
}

TEST_CASE("a verdict speaks of the readings that it names, else of the defaults") {
  const std::string test = fenced("Verdict=Forbidden\nVerdict[ptx-9.4,fence-sc=only-sc]=Allowed\n");
  CHECK(run_line({"--require-verdict", "-"}, test).status == 0);
  CHECK(run_line({"--require-verdict", "-r", "fence-sc=only-sc", "-"}, test).status == 0);
  // no verdict is stated for this reading
  CHECK(run_line({"-r", "red=acquire", "-"}, test).status == 0);
  CHECK(run_line({"--require-verdict", "-r", "red=acquire", "-"}, test).status == 1);
}

TEST_CASE("--require-verdict judges verdicts for other readings too") {
  const std::string wrong = fenced("Verdict=Forbidden\nVerdict[fence-sc=only-sc]=Forbidden\n");
  CHECK(run_line({"-"}, wrong).status == 0);
  const Ran ran = run_line({"--require-verdict", "-"}, wrong);
  CHECK(ran.status == 1);
  CHECK(contains(ran.err, "found Allowed under ptx-9.4 fence-sc=only-sc"));
  CHECK(run_line({"--require-verdict", "--model", "ptx-8.4", "-"}, wrong).status == 1);
  // a verdict for another model is none of this run's
  const std::string other = fenced("Verdict=Forbidden\nVerdict[ptx-8.4,fence-sc=only-sc]=Forbidden\n");
  CHECK(run_line({"--require-verdict", "-"}, other).status == 0);
}

TEST_CASE("a stated reading that is not there, or a default, is an error with its place") {
  const Ran unknown = run_line({"-"}, fenced("Verdict[fence-sc=sc]=Allowed\n"));
  CHECK(unknown.status == 2);
  CHECK(contains(unknown.err, ":2:1: error: reading 'fence-sc' has no value 'sc'"));
  CHECK(run_line({"-"}, fenced("Verdict[fence-sc=acq-rel]=Allowed\n")).status == 2);
  CHECK(run_line({"-"}, fenced("Verdict[red=acquire,red=acquire]=Allowed\n")).status == 2);
}

TEST_CASE("what is stated of an edition is judged by its readings, by either of its names") {
  const std::string wrong = fenced("Verdict=Forbidden\nVerdict[ptx-9]=Allowed\n");
  CHECK(run_line({"--require-verdict", "-"}, wrong).status == 0);
  CHECK(run_line({"--require-verdict", "--model", "ptx-9.1", "-"}, wrong).status == 1);
  CHECK(run_line({"--require-verdict", "--model", "ptx-9", "-"}, wrong).status == 1);
  // what is the default here is none there
  CHECK(run_line({"-"}, fenced("Verdict[ptx-8.4,wait-read=map]=Forbidden\n")).status == 0);
  CHECK(run_line({"-"}, fenced("Verdict[ptx-8.4,wait-read=sources]=Forbidden\n")).status == 2);
  CHECK(run_line({"-"}, fenced("Verdict[wait-read=map]=Forbidden\n")).status == 2);
  // of two readings the edition has one so: what is stated of both is not stated of the other
  const std::string both =
      fenced("Verdict=Forbidden\nVerdict[fence-sc=only-sc,wait-read=sources]=Forbidden\n");
  CHECK(run_line({"--require-verdict", "--model", "ptx-8.4", "-"}, both).status == 0);
  CHECK(run_line({"--require-verdict", "-"}, both).status == 1);
}

TEST_CASE("--sensitivity names the readings that change the answer") {
  const Ran ran = run_line({"--sensitivity", "-"}, fenced(""));
  CHECK(contains(ran.out, "\nSensitivity fenced Forbidden: 2 of "));
  CHECK(contains(ran.out, "\n  fence-sc=only-sc: Allowed\n"));
  CHECK(contains(ran.out, "\n  race=undefined: Undefined\n"));
  CHECK(ran.out.find("red=acquire") == std::string::npos);
  // from where the user stands
  const Ran other = run_line({"--sensitivity", "--reading", "fence-sc=only-sc", "-"}, fenced(""));
  CHECK(contains(other.out, "\n  fence-sc=acq-rel: Forbidden\n"));
  // only readings that the model consults are tried
  const Ran published = run_line({"--sensitivity", "--model", "ptx-6.0", "-"}, fenced(""));
  CHECK(contains(published.out, " of 21 changed readings change it\n"));
}

TEST_CASE("--sensitivity: that a test says nothing is an answer, which a reading may change") {
  const std::string three =
      "PTX three\n{ }\nP0 @ cta 0 { bar.sync 1, 64; mov.u32 %r0, 1; }\n"
      "P1 @ cta 0 { bar.sync 1, 64; }\nP2 @ cta 0 { bar.sync 1, 64; }\nexists (P0:%r0 == 1)\n";
  const Ran ran = run_line({"--sensitivity", "-"}, three);
  CHECK(contains(ran.out, "\nSensitivity three Vacuous: 2 of "));
  CHECK(contains(ran.out, "\n  barrier=quorum: Allowed\n"));
  CHECK(ran.out.find("  red=acquire") == std::string::npos);
}

TEST_CASE("--sensitivity in JSON, and races") {
  const auto json =
      nlohmann::json::parse(run_line({"--sensitivity", "--flags", "-f", "json", "-"}, fenced("")).out);
  bool found = false;
  for (const auto& row : json["sensitivity"]) {
    if (row["reading"] != "fence-sc=only-sc") continue;
    found = true;
    CHECK(row["answer"] == "Allowed");
    CHECK(row["changes-answer"] == true);
    CHECK(row["racy"] == true);
    CHECK(row["changes-races"] == false);
  }
  CHECK(found);
}

TEST_CASE("a race under race=undefined") {
  CHECK(contains(run_line({"-r", "race=undefined", "-"}, mp("R", false)).out, "\nUndef\n"));
  CHECK(contains(run_line({"-r", "race=undefined", "-"}, mp("A", true, "", "exists (P1:r0 == 2)")).out,
                 "\nUndef\n"));
}

TEST_CASE("model readings lists names, values and defaults") {
  const Ran ran = run_line({"model", "readings"});
  CHECK(ran.status == 0);
  CHECK(contains(ran.out, "fence-sc: acq-rel (default), only-sc\n"));
  CHECK(contains(ran.out, "D18; lowering)"));
}

TEST_CASE("a model of one's own asks for readings") {
  const Workplace place;
  const std::string cat = place.file(
      "mine.cat", "PTX\nlet x = if \"fence-sc=acq-rel\" then po else 0\nacyclic x | rf | co | fr as sc\n");
  const std::string sb =
      "PTX SB\n{ x=0; y=0; }\n P0 @ cta 0 | P1 @ cta 1 ;\n st.weak x, 1 | st.weak y, 1 ;\n ld.weak r0, y | "
      "ld.weak r0, x ;\n"
      "exists (P0:r0 == 0 /\\ P1:r0 == 0)\n";
  CHECK(contains(run_line({"--verdict", "-m", cat, "-"}, sb).out, "\nNo\n"));
  CHECK(contains(run_line({"--verdict", "-m", cat, "-r", "fence-sc=only-sc", "-"}, sb).out, "\nOk\n"));
  const std::string bad =
      place.file("bad.cat", "PTX\nlet x = if \"fence=acq-rel\" then po else 0\nacyclic x as sc\n");
  CHECK(contains(run_line({"-m", bad, "-"}, sb).err, "unknown condition \"fence=acq-rel\""));
}
