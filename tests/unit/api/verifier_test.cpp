// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>
#include <stop_token>
#include <string>

#include "../contains.h"
#include "ptxmc/ptxmc.h"

using namespace ptxmc;
using testing::contains;

namespace {

/// Each thread writes an element of shared memory and, behind the barrier or not, reads its neighbour's.
std::string rotate(bool barrier) {
  return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry rotate(.param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  .shared .align 4 .b8 tile[256];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  add.u32 %r4, %r3, %r2;
  st.shared.u32 [%r4], %r1;
)" + std::string(barrier ? "  bar.sync 0;\n" : "") +
         R"(  xor.b32 %r5, %r2, 252;
  add.u32 %r5, %r3, %r5;
  ld.shared.u32 %r6, [%r5];
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
}
)";
}

api::Kernel launched(bool barrier) {
  api::Kernel kernel;
  kernel.module = rotate(barrier);
  kernel.name = "rotate.ptx";
  kernel.grid = "1";
  kernel.block = "64";
  kernel.arguments = {"buffer:4K"};
  return kernel;
}

}  // namespace

TEST_CASE("a kernel without a race") {
  const api::VerifyResult result = api::verify(launched(true));
  CAPTURE(result.report);
  REQUIRE(result.diagnostics.empty());
  CHECK(result.name == "rotate");
  CHECK(result.answer == api::VerifyAnswer::exact);
  CHECK(result.limits.empty());
  CHECK(result.findings.empty());
  CHECK(result.executed == result.code);
  CHECK(result.instructions > 0);
  CHECK(contains(result.json, "\"answer\":\"exact\""));
}

TEST_CASE("a kernel with one") {
  const api::VerifyResult result = api::verify(launched(false));
  CAPTURE(result.report);
  CHECK(result.answer == api::VerifyAnswer::finding);
  REQUIRE(!result.findings.empty());
  const api::Finding& race = result.findings[0];
  CHECK(race.rule == "race");
  REQUIRE(race.places.size() == 2);
  CHECK(contains(race.places[0].text + race.places[1].text, "ld.shared.u32"));
  CHECK(race.confirmed == true);
  api::VerifyOptions options;
  options.confirm = false;
  CHECK_FALSE(api::verify(launched(false), options).findings.at(0).confirmed);
}

TEST_CASE("a launch that is refused") {
  api::Kernel kernel = launched(true);
  kernel.arguments.clear();
  CHECK(api::verify(kernel).answer == api::VerifyAnswer::error);
  CHECK(!api::verify(kernel).diagnostics.empty());
  kernel.module = "this is no module";
  CHECK(api::verify(kernel).diagnostics.at(0).line == 1);
  kernel = {};
  kernel.module = rotate(true);
  CHECK(contains(api::verify(kernel).diagnostics.at(0).message, "say what to launch"));
  api::VerifyOptions options;
  options.timeout = -1;
  CHECK_THROWS_AS(api::verify(kernel, options), std::invalid_argument);
}

TEST_CASE("models and readings that clocks express") {
  api::VerifyOptions options;
  options.readings = {"remote-arrive=cluster"};
  options.model = "ptx-8.4";
  const api::VerifyResult result = api::verify(launched(true), options);
  CHECK(result.answer == api::VerifyAnswer::exact);
  CHECK(contains(result.claim, "ptx-8.4 with remote-arrive=cluster"));
  api::Kernel fenced = launched(true);
  fenced.module.insert(fenced.module.find("  ret;"), "  fence.acquire.gpu;\n");
  CHECK(contains(api::verify(fenced, options).diagnostics.at(0).message, "not of PTX ISA 8.4"));
  options.model = "ptx-6.0";
  CHECK(contains(api::verify(launched(true), options).diagnostics.at(0).message, "--model ptx-6.0"));
  options.model = "";
  CHECK(api::verify(fenced, options).answer == api::VerifyAnswer::exact);
  options.readings = {"coherence=total"};
  CHECK(contains(api::verify(launched(true), options).diagnostics.at(0).message, "coherence=total"));
  options.readings = {"coherence=none"};
  CHECK_THROWS_AS(api::verify(launched(true), options), std::invalid_argument);
}

TEST_CASE("a plan says what is launched") {
  api::Kernel kernel;
  kernel.module = rotate(true);
  kernel.plan = R"({"module": "rotate.ptx", "entry": "rotate", "grid": [1], "block": [64],
                    "memory": {"out": {"bytes": 4096}}, "arguments": [{"buffer": "out"}]})";
  const api::VerifyResult result = api::verify(kernel);
  for (const api::Diagnostic& diagnostic : result.diagnostics) MESSAGE(diagnostic.message);
  CHECK(result.answer == api::VerifyAnswer::exact);
  kernel.grid = "2";
  CHECK(api::verify(kernel).answer == api::VerifyAnswer::error);
}

TEST_CASE("a run that is called off claims nothing") {
  std::stop_source off;
  off.request_stop();
  const api::VerifyResult result = api::verify(launched(true), {}, off.get_token());
  CHECK(result.answer == api::VerifyAnswer::bounded);
  CHECK(result.unknown == "cancelled");
}
