// SPDX-License-Identifier: Apache-2.0
// Registers of wgmma.mma_async, and who must execute it (9.7.14.7, R245 to R251).
#include <optional>
#include <string>

#include "ran.h"

namespace ptxmc::exec {
namespace {

constexpr const char* kMatrices = ".shared .align 128 .b8 s[8192];\n";
const std::string kFence = "wgmma.fence.sync.aligned; ", kCommit = "wgmma.commit_group.sync.aligned; ",
                  kWait = "wgmma.wait_group.sync.aligned 0; ", kZero = "mov.b32 %d0, %r2; ",
                  kScale = "add.f32 %d0, %d0, %d0; ", kStoreProduct = "st.global.f32 [%rd3], %d0; ",
                  kOther = "mov.b32 %d4, %r2; ";

std::string product(const std::string& first = "%d0", const std::string& shape = "m64n8k16") {
  const std::string registers =
      shape == "m64n8k16" ? ", %d1, %d2, %d3" : ", %d1, %d2, %d3, %d5, %d6, %d7, %d8";
  return "wgmma.mma_async.sync.aligned." + shape + ".f32.f16.f16 {" + first + registers +
         "}, %rd4, %rd4, %p1, 1, 1, 0, 0; ";
}

std::string of_fragments() {
  return "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, "
         "%rd4, %p1, 1, 1, 0; ";
}

std::string setup() {
  return ".reg .f32 %d<9>; .reg .b32 %a<4>; mov.u32 %r3, s; cvt.u64.u32 %rd5, %r3; shr.u64 %rd5, %rd5, 4;\n"
         "or.b64 %rd4, %rd5, 0x0000001000080000; mov.b32 %r2, 0; setp.ne.u32 %p1, %r2, 0;\n";
}

std::optional<RuleId> fault(const std::string& code, const char* threads = "128") {
  const Ran ran(setup() + code, threads, kMatrices);
  if (ran.outcome.faults.empty()) return std::nullopt;
  return ran.outcome.faults.front().rule;
}

}  // namespace

TEST_CASE(
    "an access of a register and a wgmma.mma_async that uses it have a wgmma.fence between them (R245)") {
  const std::string end = kCommit + kWait + kStoreProduct;
  CHECK(fault(kZero + kFence + product() + end) == std::nullopt);
  CHECK(fault(kZero + product() + end) == RuleId::wgmma_unfenced);
  // The fence is there, and the access behind it: what compilers make.
  CHECK(fault(kFence + kZero + product() + end) == RuleId::wgmma_register_behind_fence);
  // None since the last wait.
  const std::string first = kZero + kFence + product() + kCommit + kWait;
  CHECK(fault(first + kScale + product() + end) == RuleId::wgmma_register_unfenced);
  CHECK(fault(first + kScale + kFence + product() + end) == std::nullopt);
  // Nothing is asked of other registers (R247), nor in a chain of one shape (R246).
  CHECK(fault(first + kFence + kOther + product() + end) == std::nullopt);
  CHECK(fault(kZero + kFence + product() + product() + end) == std::nullopt);
  CHECK(fault("mov.b32 %a0, 1; " + kFence + of_fragments() + end) == std::nullopt);
  CHECK(fault(first + "mov.b32 %a0, 1; " + of_fragments() + end) == RuleId::wgmma_register_unfenced);
}

TEST_CASE("registers of a wgmma.mma_async are free when its group has been waited for (R246, R248)") {
  const std::string begin = kZero + kFence + product();
  CHECK(fault(begin + kCommit + kStoreProduct + kWait) == RuleId::wgmma_register_in_flight);
  CHECK(fault(begin + kWait + kStoreProduct + kCommit) ==
        RuleId::wgmma_register_in_flight);  // no group has it
  CHECK(fault(begin + kCommit + "wgmma.wait_group.sync.aligned 1; " + kStoreProduct + kWait) ==
        RuleId::wgmma_register_in_flight);
  CHECK(fault(begin + kCommit + kOther + kWait + kStoreProduct) == std::nullopt);
  CHECK(fault(begin + product("%d0", "m64n16k16") + kCommit + kWait) == RuleId::wgmma_register_in_flight);
  const std::string fragments = "mov.b32 %a0, 1; " + kFence + of_fragments() + kCommit;
  CHECK(fault(fragments + "add.u32 %a0, %a0, 1; " + kWait) == RuleId::wgmma_register_in_flight);
  CHECK(fault(fragments + kWait + "add.u32 %a0, %a0, 1; ") == std::nullopt);
}

TEST_CASE("all lanes of all four warps of a warpgroup execute a wgmma.mma_async (R236, R251)") {
  const std::string all = kFence + product() + kCommit + kWait;
  CHECK(fault(all, "64") == RuleId::barrier_divergence);
  CHECK(fault(all, "160") == RuleId::barrier_divergence);  // the fifth warp has no others
  const std::string some = "shr.u32 %r4, %r1, 5; setp.eq.u32 %p2, %r4, 3; @%p2 bra N; ";
  CHECK(fault(some + all + "N: ") == RuleId::barrier_divergence);
  CHECK(fault(some + "setmaxnreg.inc.sync.aligned.u32 240; N: ") == RuleId::barrier_divergence);
  const std::string half = "setp.lt.u32 %p2, %r1, 16; @%p2 bra N; ";
  CHECK(fault(half + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [s]; N: ", "32") ==
        RuleId::barrier_divergence);
}

TEST_CASE(
    "all four warps execute the same wgmma.fence, commit_group, wait_group and setmaxnreg (R234, R251)") {
  const std::string first = "setp.lt.u32 %p2, %r1, 32; @%p2 bra N; ", rest = "N: ";
  for (const std::string& one :
       {kFence, kCommit, kWait, std::string("setmaxnreg.dec.sync.aligned.u32 40; ")}) {
    CAPTURE(one);
    CHECK(fault(one) == std::nullopt);
    CHECK(fault(first + one + rest) == RuleId::barrier_divergence);
  }
  CHECK(fault(first + kFence + "bra E; N: " + kCommit + "E: ") == RuleId::barrier_divergence);
  CHECK(fault(first + kFence + "bra E; N: " + kFence + "E: ") == std::nullopt);  // copies
}

TEST_CASE("the four warps of a wgmma.mma_async name the same matrices in shared memory (9.7.14)") {
  const auto moved = [](const std::string& below) {
    return "setp.lt.u32 %p2, %r1, " + below + "; @%p2 add.u64 %rd4, %rd4, 1; ";
  };
  const std::string all = kZero + kFence + product() + kCommit + kWait;
  CHECK(fault(moved("128") + all) == std::nullopt);
  CHECK(fault(moved("64") + all) == RuleId::bad_operand);
}

TEST_CASE("setmaxnreg is for whole warps, and takes or gives what the warp has (9.7.17.5)") {
  const auto set = [](const std::string& how) { return "setmaxnreg." + how + "; "; };
  const std::string less = set("dec.sync.aligned.u32 40"), more = set("inc.sync.aligned.u32 120");
  CHECK(fault("and.b32 %r4, %r1, 31; setp.lt.u32 %p2, %r4, 16; @%p2 bra N; " + less + "N: ") ==
        RuleId::barrier_divergence);
  CHECK(fault(less + "bar.sync 0; " + more) == std::nullopt);
  CHECK(fault(less + "bar.sync 0; " + set("dec.sync.aligned.u32 48")) == RuleId::bad_operand);
  for (const char* const count : {"16", "41", "264"})
    CHECK(fault(set("dec.sync.aligned.u32 " + std::string(count))) == RuleId::bad_operand);
  CHECK(fault(more + "bar.sync 0; " + set("inc.sync.aligned.u32 40")) == RuleId::bad_operand);
}

TEST_CASE("mapa of a CTA that the cluster does not have") {
  CHECK(fault("mapa.shared::cluster.u32 %r4, %r3, 1; ", "1") == RuleId::bad_operand);
  CHECK(fault("mapa.shared::cluster.u32 %r4, %r3, 0; ", "1") == std::nullopt);
}

TEST_CASE("barrier.cluster.arrive.aligned at two places of a warp (R169)") {
  const std::string part = "setp.lt.u32 %p2, %r1, 16; @%p2 bra L; ";
  const auto arrive = [&](const std::string& how) {
    return part + "barrier.cluster.arrive" + how + "; bra E; L: barrier.cluster.arrive" + how +
           "; E: barrier.cluster.wait; ";
  };
  CHECK(fault(arrive(".aligned"), "32") == RuleId::barrier_divergence);
  CHECK(fault(arrive(""), "32") == std::nullopt);
}

}  // namespace ptxmc::exec
