// SPDX-License-Identifier: Apache-2.0
// Instructions that the target of a module does not have, each as ptxas has it.
#include "input/launch/target_gates.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "../contains.h"
#include "launched.h"

namespace ptxmc::launch {
namespace {

using ptxmc::testing::contains;

/// The error, and nothing where there is none.
std::string error_of(const std::string& target, const std::string& code) {
  const ptx::Module module = ptx::parse_module(std::make_shared<const Source>(Source{
      "m.ptx",
      fmt::format(
          ".version 9.0\n.target {}\n.address_size 64\n.shared .align 8 .b64 bar;\n"
          ".visible .entry k() {{ .reg .b32 %r<4>; .reg .b16 %h<2>; .reg .f32 %f<4>; .reg .b64 %d<2>; .reg .f64 %x<4>; .reg .pred %p<4>; {} }}\n",
          target, code)}));
  Words words;
  words.grid = "1";
  try {
    check_targets(module, make_program(module, read_words(words), {}));
  } catch (const InputError& error) {
    REQUIRE_EQ(error.diagnostics().size(), 1);
    return error.diagnostics().front().message;
  }
  return "";
}

TEST_CASE("an instruction of a later target is refused") {
  struct Row {
    const char* code;
    const char* without;
    const char* with;
  };
  const Row rows[] = {
      {"fence.acq_rel.cluster;", "sm_80", "sm_90"},
      {"elect.sync %r1|%p1, 0xffffffff;", "sm_89", "sm_90"},
      {"mbarrier.init.shared.b64 [bar], 1;", "sm_70", "sm_80"},
      {"wgmma.fence.sync.aligned;", "sm_90", "sm_90a"},
      {"wgmma.fence.sync.aligned;", "sm_100a", "sm_90a"},
      {"tcgen05.fence::before_thread_sync;", "sm_90a", "sm_100a"},
      {"tcgen05.fence::before_thread_sync;", "sm_100", "sm_100f"},
      {"tcgen05.fence::before_thread_sync;", "sm_100", "sm_103a"},
      {"tcgen05.fence::before_thread_sync;", "compute_90", "compute_110f"},
      {"fma.rn.bf16 %h1, %h1, %h1, %h1;", "sm_75", "sm_80"},
      {"add.bf16 %h1, %h1, %h1;", "sm_89", "sm_90"},
      {"min.f16 %h1, %h1, %h1;", "sm_75", "sm_80"},
      {"min.NaN.f32 %f1, %f1, %f1;", "sm_75", "sm_80"},
      {"min.xorsign.abs.f32 %f1, %f1, %f1;", "sm_80", "sm_86"},
      {"min.f32 %f1, %f1, %f1, %f1;", "sm_90a", "sm_100"},
      {"fma.rn.f32x2 %d1, %d1, %d1, %d1;", "sm_90", "sm_100"},
      {"cvt.rn.bf16.f32 %h1, %f1;", "sm_75", "sm_80"},
      {"cvt.rn.bf16.s32 %h1, %r1;", "sm_89", "sm_90"},
      {"cvt.rna.tf32.f32 %r1, %f1;", "sm_75", "sm_80"},
      {"cvt.rn.tf32.f32 %r1, %f1;", "sm_89", "sm_90"},
      {"cvt.rn.satfinite.tf32.f32 %r1, %f1;", "sm_90", "sm_100"},
      {"cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f1;", "sm_86", "sm_89"},
      {"cvt.rz.satfinite.ue8m0x2.f32 %h1, %f1, %f1;", "sm_100", "sm_120a"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r2}, {%f0,%f1,%f2,%f3};",
       "sm_70", "sm_75"},
      {"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%x0,%x1,%x2,%x3}, {%x0,%x1}, {%x2}, {%x0,%x1,%x2,%x3};",
       "sm_89", "sm_90"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.code);
    CAPTURE(row.without);
    CHECK(contains(error_of(row.without, row.code),
                   fmt::format("and the module is for {}; compile for", row.without)));
    CHECK_EQ(error_of(row.with, row.code), "");
  }
  CHECK_EQ(error_of("sm_80", "fence.acquire.gpu;"), "");
  CHECK_EQ(error_of("sm_100a", "setmaxnreg.inc.sync.aligned.u32 40;"), "");
  CHECK_EQ(error_of("sm_70", "fence.acq_rel.gpu; add.u32 %r1, %r1, 1;"), "");
}

}  // namespace
}  // namespace ptxmc::launch
