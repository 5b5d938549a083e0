// SPDX-License-Identifier: Apache-2.0
// Which actors a test gets, and what each of their kernels is told.
#include "gpu/harness/system.h"

#include <doctest/doctest.h>

#include <memory>

#include "gpu/text/facts.h"
#include "input/litmus/parse.h"

using namespace ptxmc;
using namespace ptxmc::gpu;

namespace {

program::Program parsed(const std::string& declarations, const std::string& threads,
                        const std::string& condition = "exists (true)") {
  return litmus::parse(
      std::make_shared<Source>(Source{"test.litmus", "PTX t\n{ .global .u32 x = 0; " + declarations + " }\n" +
                                                         threads + "\n" + condition + "\n"}));
}

System written(const program::Program& test, const HarnessOptions& options = {}) {
  const Observation observation(test);
  return write_system(test, observation, options);
}

std::string refused(const program::Program& test, const HarnessOptions& options = {}) {
  try {
    written(test, options);
  } catch (const CannotRun& error) {
    return error.what();
  }
  return "";
}

const std::string kStore = " { st.relaxed.sys.global.u32 [x], 1; }\n";
const std::string kLoad = " { ld.relaxed.sys.global.u32 %r, [x]; }\n";

bool has(const Harness& harness, const std::string& text) {
  return harness.ptx.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("which tests are systems") {
  CHECK(is_system(parsed("", "P0 @ gpu 0" + kStore + "P1 @ gpu 1" + kStore)));
  CHECK(is_system(parsed("", "P0 @ gpu 0" + kStore + "P1 @ host" + kStore)));
  CHECK_FALSE(is_system(parsed("", "P0 @ cta 0" + kStore + "P1 @ cta 1" + kStore)));
  CHECK_FALSE(is_system(parsed("", "P0 @ gpu 1" + kStore + "P1 @ gpu 1" + kStore)));
}

TEST_CASE("a kernel for each GPU, one of which evaluates") {
  const System s =
      written(parsed("", "P0 @ gpu 1" + kStore + "P1 @ gpu 0, cta 0" + kLoad + "P2 @ gpu 0, cta 1" + kLoad,
                     "exists (1:r == 1)"));
  REQUIRE_EQ(s.gpus.size(), 2);
  CHECK_EQ(s.actors(), 2);
  CHECK_EQ(s.evaluates, 0);
  CHECK_EQ(s.gpus[0].parts, 2);
  CHECK_EQ(s.gpus[1].parts, 1);
  CHECK_EQ(s.gpus[0].instances, s.gpus[1].instances);
  CHECK(has(s.gpus[0], "ptxmc_keys"));
  CHECK_FALSE(has(s.gpus[1], "ptxmc_keys"));
  CHECK(has(s.gpus[0], "// P1"));
  CHECK(has(s.gpus[1], "// P0"));
  CHECK_FALSE(has(s.gpus[1], "// P1"));
  CHECK_FALSE(s.host_memory);
  CHECK_FALSE(has(s.gpus[0], "%clock"));
}

TEST_CASE("the GPU whose shared memory the condition names evaluates, and nobody else has it") {
  const System s =
      written(parsed(".shared .u32 s = 3;", "P0 @ gpu 0" + kStore + "P1 @ gpu 1 { st.shared.u32 [s], 1; }\n",
                     "exists (s == 1)"));
  CHECK_EQ(s.evaluates, 1);
  CHECK_FALSE(has(s.gpus[0], "ptxmc_shared"));
  CHECK(has(s.gpus[1], "ptxmc_shared"));
}

TEST_CASE("GPUs of different shapes play as many instances a block") {
  std::string threads = "P0 @ gpu 0" + kStore;
  for (int i = 1; i < 13; ++i) threads += "P" + std::to_string(i) + " @ gpu 1, cta 0" + kStore;
  const System s = written(parsed("", threads));
  CHECK_EQ(s.gpus[0].instances, 64);
  CHECK_EQ(s.gpus[1].instances, 64);
  CHECK_EQ(s.gpus[0].stride, s.gpus[1].stride);
}

TEST_CASE("host memory has what a host thread may access") {
  const System s = written(parsed(".global .u32 y = 0;",
                                  "P0 @ gpu 0 { st.relaxed.sys.global.u32 [x], 1; "
                                  "st.relaxed.sys.global.u32 [y], 1; }\nP1 @ host" +
                                      kLoad,
                                  "exists (1:r == 1)"));
  CHECK(s.host_memory);
  CHECK_EQ(s.hosts.size(), 1);
  CHECK_EQ(s.places.front().size(), 2);
  CHECK(has(s.front(), "add.u64 %hd_at_x, %hd_at_x, %hd_host;"));
  CHECK(has(s.front(), "add.u64 %hd_at_y, %hd_at_y, %hd_memory;"));
  CHECK_EQ(s.front().instances, 1);
  CHECK(has(s.front(), "%clock"));
  CHECK(s.shared_rmw.empty());
}

TEST_CASE("atomics on what the host and a GPU access") {
  const std::string add = " { atom.relaxed.sys.global.add.u32 %r, [x], 1; }\n";
  CHECK_EQ(written(parsed("", "P0 @ gpu 0" + add + "P1 @ host" + kStore)).shared_rmw,
           "`atom.relaxed.sys.global.add.u32 %r, [x], 1` of P0 changes host memory that P1 accesses");
  CHECK_FALSE(written(parsed("", "P0 @ gpu 0" + kLoad + "P1 @ host" + add)).shared_rmw.empty());
  CHECK(written(parsed(".global .u32 y = 0;",
                       "P0 @ gpu 0 { atom.relaxed.sys.global.add.u32 %r, [y], 1; }\n"
                       "P1 @ host" +
                           kStore))
            .shared_rmw.empty());
  CHECK(written(parsed("", "P0 @ gpu 0" + add + "P1 @ gpu 1" + add)).shared_rmw.empty());
}

TEST_CASE("what a system cannot run says why") {
  const std::string both = "P0 @ gpu 0" + kStore + "P1 @ gpu 1" + kLoad;
  const std::string where = ", and its threads are on several GPUs or on the host";
  CHECK(refused(parsed("y aliases x;", both)).find("`x` is memory of several names" + where) !=
        std::string::npos);
  CHECK(refused(parsed(".const .tensormap m = tensor(x, .u32, dims={1}, box={1});", both))
            .find("`m` is a tensor map" + where) != std::string::npos);
  CHECK(refused(parsed("", "P0 @ host" + kStore + "P1 @ host" + kStore)).find("no thread on a GPU") !=
        std::string::npos);
  HarnessOptions third;
  third.home = 2U;
  CHECK(refused(parsed("", "P0 @ gpu 0" + kStore + "P1 @ gpu 1" + kStore), third)
            .find("--home 2: its threads are on 2 GPUs") != std::string::npos);
}
