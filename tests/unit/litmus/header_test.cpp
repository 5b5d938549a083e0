// SPDX-License-Identifier: Apache-2.0
#include "helpers.h"
#include "input/litmus/compare.h"
#include "input/litmus/print.h"

using namespace ptxmc;
using namespace ptxmc::litmus;
using namespace ptxmc::litmus::testing;

namespace {

const std::string kBody = "{ x=0; }\n P0 ;\n ld.weak r0, x ;\nexists (P0:r0 = 1)\n";

Test header(const std::string& lines) {
  return parse_text("PTX MP+rel+acq\n" + lines + kBody);
}

}  // namespace

TEST_CASE("name, docs and keys") {
  const Test t = header(
      "\"first\"\n(* comment *)\n\"two\nlines\" \"third\" // comment\nCycle=Rfe PodRR Fre // kept\nEmpty=\n");
  CHECK_EQ(t.name, "MP+rel+acq");
  CHECK(t.docs == std::vector<std::string>{"first", "two\nlines", "third"});
  REQUIRE_EQ(t.keys.size(), 2);
  CHECK_EQ(t.keys[0].first, "Cycle");
  CHECK_EQ(t.keys[0].second, "Rfe PodRR Fre // kept");
  CHECK_EQ(t.keys[1].second, "");
}

TEST_CASE("doc strings may quote") {
  const Test t = header("\"means \"No, but\" and more\"\n\"\na \"b\"\n\"\n");
  CHECK(t.docs == std::vector<std::string>{"means \"No, but\" and more", "\na \"b\"\n"});
}

TEST_CASE("byte order mark, comments and blank lines before the name; no final newline") {
  CHECK_EQ(parse_text("\xef\xbb\xbfPTX a\n{}\nP0 ;\nexists true").name, "a");
  CHECK_EQ(parse_text("// c\n\n(* d *)\nPTX  b  \r\n{}\nP0 ;\nexists true").name, "b");
}

TEST_CASE("verdicts") {
  const Test t = header(
      "Verdict=Allowed, Racy Hangs\nVerdict[ptx-6.0]=Forbidden RaceFree Terminates // why\nVerdict [m] = "
      "Undefined\n");
  REQUIRE_EQ(t.verdicts.size(), 3);
  CHECK_EQ(t.verdicts[0].model, "");
  CHECK(t.verdicts[0].proposition == Stated::allowed);
  CHECK(t.verdicts[0].racy == true);
  CHECK(t.verdicts[0].hangs == true);
  CHECK_EQ(t.verdicts[1].model, "ptx-6.0");
  CHECK(t.verdicts[1].proposition == Stated::forbidden);
  CHECK(t.verdicts[1].racy == false);
  CHECK(t.verdicts[1].hangs == false);
  CHECK(t.verdicts[2].proposition == Stated::undefined);
  CHECK_FALSE(t.verdicts[2].racy.has_value());
  CHECK(header("Verdict=Required\n").verdicts[0].proposition == Stated::required);
  CHECK(header("Verdict=Unknown\n").verdicts[0].proposition == Stated::unknown);
}

TEST_CASE("verdicts under readings") {
  const Test t = header(
      "Verdict=Allowed\nVerdict[b=2, a=1]=Forbidden\nVerdict[ptx-9.4,a=1]=Required\nVerdict[ptx-9.4]=Allowed\n");
  REQUIRE_EQ(t.verdicts.size(), 4);
  CHECK(t.verdicts[0].readings.empty());
  CHECK_EQ(t.verdicts[1].model, "");
  CHECK(t.verdicts[1].readings == std::vector<std::string>{"a=1", "b=2"});
  CHECK(t.verdicts[1].proposition == Stated::forbidden);
  CHECK_EQ(t.verdicts[2].model, "ptx-9.4");
  CHECK(t.verdicts[2].readings == std::vector<std::string>{"a=1"});
  const std::string printed = print(t);
  CHECK_NE(
      printed.find("\nVerdict[a=1,b=2]=Forbidden\nVerdict[ptx-9.4,a=1]=Required\nVerdict[ptx-9.4]=Allowed\n"),
      std::string::npos);
  CHECK_EQ(difference(t, parse_text(printed)), "");
  CHECK_NE(difference(t, header("Verdict=Allowed\nVerdict[b=2]=Forbidden\nVerdict[ptx-9.4,a=1]="
                                "Required\nVerdict[ptx-9.4]=Allowed\n")),
           "");
  CHECK_NE(errors_of("PTX a\nVerdict[a=1,b=2]=Allowed\nVerdict[b=2,a=1]=Allowed\n" + kBody)
               .find("`Verdict[a=1,b=2]` is stated twice"),
           std::string::npos);
  CHECK_NE(errors_of("PTX a\nVerdict[a=1,m]=Allowed\n" + kBody)
               .find("expected a reading, NAME=VALUE, in `Verdict[...]`, found `m`"),
           std::string::npos);
  CHECK_NE(errors_of("PTX a\nVerdict[a=1=Allowed\n" + kBody), "");
}

TEST_CASE("sizes are bounded") {
  CHECK_NE(errors_of(std::string(5u << 20, '\n')).find("at most"), std::string::npos);
  CHECK_NE(errors_of("PTX a\n\"" + std::string(100000, 'x') + "\"\n" + kBody).find("a line"),
           std::string::npos);
}
