// SPDX-License-Identifier: Apache-2.0
#include "gpu/text/observe.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>

#include "gpu/harness/harness.h"
#include "gpu/run/log.h"
#include "gpu/run/runner.h"
#include "gpu/text/facts.h"
#include "input/litmus/parse.h"
#include "support/check.h"

using namespace ptxmc;
using namespace ptxmc::gpu;

namespace {

program::Program parsed(const std::string& text) {
  return litmus::parse(std::make_shared<Source>(Source{"test.litmus", text}));
}

program::Program message_passing(const std::string& condition) {
  return parsed(
      "PTX MP\n{ .global .u32 x = 0; .global .u32 y = 0; }\n"
      " P0 @ cta 0 | P1 @ cta 1 ;\n"
      " st.relaxed.gpu.global.u32 [x], 1 | ld.relaxed.gpu.global.u32 %r0, [y] ;\n"
      " st.relaxed.gpu.global.u32 [y], 1 | ld.relaxed.gpu.global.u32 %r1, [x] ;\n" +
      condition + "\n");
}

}  // namespace

TEST_CASE("what is observed: names of the condition, the filter, the locations, once each") {
  const program::Program test =
      message_passing("locations [y; 1:r1]\nfilter (x == 1)\nexists (1:r0 == 1 /\\ 1:r1 == 0)");
  const Observation observation(test);
  REQUIRE_EQ(observation.names().size(), 4);
  CHECK_EQ(observation.print({1, 0, 1, 1}), "1:r0=1; 1:r1=0; [x]=1; [y]=1;");
  CHECK(observation.satisfied({1, 0, 1, 1}));
  CHECK_FALSE(observation.satisfied({1, 1, 1, 1}));
  CHECK(observation.kept({1, 0, 1, 1}));
  CHECK_FALSE(observation.kept({1, 0, 0, 1}));
}

TEST_CASE("conditions over values") {
  const auto holds = [](const std::string& condition, const Values& values) {
    const program::Program test = message_passing(condition);
    return Observation(test).satisfied(values);
  };
  CHECK(holds("exists (1:r0 == -1)", {0xffffffff}));
  CHECK_FALSE(holds("exists (1:r0 == -1)", {0x7fffffff}));
  CHECK(holds("exists (1:r0 < 1:r1)", {1, 0x80000000}));  // .u32
  CHECK(holds("exists (~(1:r0 == 1) \\/ 1:r1 >= 2)", {1, 2}));
  CHECK_FALSE(holds("exists (~(1:r0 == 1) \\/ 1:r1 >= 2)", {1, 1}));
  CHECK(holds("exists (1:r0 != 0 => 1:r1 <= 1)", {0, 7}));
  CHECK_FALSE(holds("exists (1:r0 != 0 => 1:r1 <= 1)", {1, 7}));
  CHECK(holds("exists (true)", {}));
}

TEST_CASE("a signed value has the bits of its field") {
  const program::Program test = parsed(
      "PTX signed\n{ .global .s32 x = -1; .global .s32 y = 0; .global .s32 z = 0; }\n"
      "P0 @ cta 0 { ld.weak.global.s32 %r0, [x]; }\n"
      "exists (x == -1 /\\ y < 0 /\\ z > 0)\n");
  const Observation observation(test);
  CHECK_EQ(field_bits(3), 21);
  CHECK_EQ(observation.print({0x1fffff, 0x1ffffe, 7}), "[x]=-1; [y]=-2; [z]=7;");
  CHECK(observation.satisfied({0x1fffff, 0x1ffffe, 7}));
  CHECK_FALSE(observation.satisfied({0x1fffff, 0x0fffff, 7}));
  const Harness h = write_harness(test, observation, {});
  CHECK(h.ptx.find("shr.u64 %hd_field, ") != std::string::npos);
  CHECK(h.ptx.find(", 0x1fffff;") != std::string::npos);
}

TEST_CASE("an address that no 64-bit value holds cannot be observed") {
  const program::Program test = message_passing("exists (1:r0 == &x)");
  CHECK_THROWS_AS(Observation{test}, CannotRun);
}

TEST_CASE("pointers are symbolic: a variable's name, or a small integer") {
  const program::Program test = parsed(
      "PTX pointers\n{ .global .u32 x = 0; .global .u32 a[2]; .global .u64 p = &x; }\n"
      "P0 @ cta 0 { mov.u64 %rd1, a; st.relaxed.gpu.u64 [p], %rd1; }\n"
      "P1 @ cta 1 { ld.relaxed.gpu.u64 %rd0, [p]; }\n"
      "exists (P1:%rd0 == &a /\\ p != &x)\n");
  const Observation observation(test);
  REQUIRE_EQ(observation.names().size(), 2);
  CHECK(observation.names()[0].pointer);
  std::map<std::string, std::uint64_t> value;
  for (std::size_t i = 0; i < observation.addresses().size(); ++i)
    value[observation.addresses()[i].text] = pointer_value(i);
  REQUIRE(value.contains("x"));
  REQUIRE(value.contains("a"));
  REQUIRE(value.contains("a[1]"));
  CHECK_EQ(observation.print({value["a"], value["x"]}), "1:rd0=a; [p]=x;");
  CHECK_EQ(observation.print({value["a[1]"], integer_value(7)}), "1:rd0=a[1]; [p]=7;");
  CHECK(observation.satisfied({value["a"], value["a"]}));
  CHECK(observation.satisfied({value["a"], integer_value(0)}));
  CHECK_FALSE(observation.satisfied({value["a"], value["x"]}));
  CHECK_FALSE(observation.satisfied({value["x"], value["a"]}));
  CHECK_FALSE(observation.satisfied({integer_value(0), value["a"]}));
}

TEST_CASE("shared memory is that of the CTA whose instance the program accesses") {
  const auto holder = [](const std::string& threads) {
    const program::Program test =
        parsed("PTX s\n{ .shared .u32 s = 0; .shared .u32 t = 0; }\n" + threads + "exists (s == 0)\n");
    return Observation(test).names().at(0).holder;
  };
  const std::string idle = " { ld.weak.shared.u32 %r0, [t]; }\n", store = " { st.weak.shared.u32 [s], 1; }\n";
  const std::string remote = " { mapa.shared::cluster.u32 %a, s, 0; st.weak.shared::cluster.u32 [%a], 1; }\n";
  CHECK_EQ(holder("P0 @ cluster 0, cta 0" + idle + "P1 @ cluster 0, cta 1" + store), 1);
  CHECK_EQ(holder("P0 @ cluster 0, cta 0" + idle + "P1 @ cluster 0, cta 1" + remote), 0);
  CHECK_EQ(holder("P3 @ cluster 0, cta 0 { nop: exit; }\n"), 3);
}

TEST_CASE("a key holds the values side by side") {
  CHECK_EQ(unpack(0x0000000700000003, 2, 32), Values{3, 7});
  CHECK_EQ(unpack(~std::uint64_t{1}, 1, 64), Values{~std::uint64_t{1}});
  CHECK_EQ(unpack(0x4321, 4, 4), Values{1, 2, 3, 4});
}

TEST_CASE("launches add up, and no instance may be missing") {
  Histogram histogram;
  Control control;
  control.hung = 2;
  control.unrecorded = 1;
  const std::vector<TableSlot> table = {{}, {5, 10}, {}, {7, 4}};
  collect(table, control, 17, 1, 64, histogram);
  collect({{5, 3}}, {}, 3, 1, 64, histogram);
  CHECK_EQ(histogram.instances, 20);
  CHECK_EQ(histogram.hung, 2);
  CHECK_EQ(histogram.unrecorded, 1);
  CHECK_EQ(histogram.counts, std::map<Values, std::uint64_t>{{{5}, 13}, {{7}, 4}});
  CHECK_THROWS_AS(collect({{5, 3}}, {}, 4, 1, 64, histogram), InternalError);
}

TEST_CASE("a log in the herd family's form") {
  const program::Program test = message_passing("exists (1:r0 == 1 /\\ 1:r1 == 0)");
  const Observation observation(test);
  Histogram histogram;
  histogram.counts = {{{0, 0}, 5000}, {{1, 0}, 12}, {{1, 1}, 4988}};
  histogram.instances = 10000;
  histogram.seconds = 0.5;
  histogram.ctas = 264;
  RunRecord record;
  record.file = "mp.litmus";
  record.hash = "abc";
  record.command = "ptxmc run mp.litmus";
  record.device = {"GPU", 9, 0, 132, 12040, 0};
  CHECK_EQ(log_text(test, observation, histogram, record),
           "Test MP Allowed\nHistogram (3 states)\n"
           "5000    :>1:r0=0; 1:r1=0;\n12      *>1:r0=1; 1:r1=0;\n4988    :>1:r0=1; 1:r1=1;\n"
           "Ok\n\nWitnesses\nPositive: 12, Negative: 9988\n"
           "Condition exists (1:r0=1 /\\ 1:r1=0) is validated\nHash=abc\n"
           "Observation MP Sometimes 12 9988\nTime MP 0.50\nDevice MP GPU (sm_90), driver 12.4\n"
           "Rate MP 2e+04 instances/s, 24 of them weak/s, 264 CTAs\nCommand ptxmc run mp.litmus\n\n");
  const std::string json = log_json(test, observation, histogram, record);
  CHECK(json.find("\"states\":[{\"state\":\"1:r0=0; 1:r1=0;\",\"count\":5000,\"satisfied\":false}") !=
        std::string::npos);
  CHECK(json.find("\"instances_per_second\":20000.0") != std::string::npos);
}

TEST_CASE("a log of ~exists counts the condition's negation as its witnesses") {
  const program::Program test = message_passing("~exists (1:r0 == 1 /\\ 1:r1 == 0)");
  const Observation observation(test);
  Histogram histogram;
  histogram.counts = {{{0, 0}, 5}, {{1, 0}, 2}};
  histogram.hung = 3;
  const std::string text = log_text(test, observation, histogram, {});
  CHECK(text.find("Test MP Forbidden\n") == 0);
  CHECK(text.find("No\n\nWitnesses\nPositive: 5, Negative: 2\n") != std::string::npos);
  CHECK(text.find("Observation MP Sometimes 2 5\n") != std::string::npos);
  CHECK(text.find("Hung MP 3\n") != std::string::npos);
}

TEST_CASE("nothing observed validates nothing; a run has an identity") {
  for (const std::string quantifier : {"exists", "~exists", "forall"}) {
    const program::Program test = message_passing(quantifier + " (1:r0 == 1 /\\ 1:r1 == 0)");
    Histogram histogram;
    histogram.hung = 4;
    RunRecord record;
    record.id = "0123456789abcdef";
    const Observation observation(test);
    const std::string text = log_text(test, observation, histogram, record);
    CHECK(text.find("\nUndef\n") != std::string::npos);
    CHECK(text.find(" is NOT validated\n") != std::string::npos);
    CHECK(text.find("Observation MP Unknown 0 0\n") != std::string::npos);
    CHECK(text.find("\nRun MP 0123456789abcdef\n") != std::string::npos);
    CHECK(log_json(test, observation, histogram, record).find("\"run\":\"0123456789abcdef\"") !=
          std::string::npos);
  }
}
