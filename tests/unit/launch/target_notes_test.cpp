// SPDX-License-Identifier: Apache-2.0
// Instructions that the target of a module does not have, each as ptxas has it.
#include "input/launch/target_notes.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "../contains.h"
#include "launched.h"

namespace ptxmc::launch {
namespace {

using ptxmc::testing::contains;

/// The message, and nothing where there is none.
std::string note_of(const std::string& target, const std::string& code) {
  const ptx::Module module = ptx::parse_module(std::make_shared<const Source>(
      Source{"m.ptx", fmt::format(".version 9.0\n.target {}\n.address_size 64\n.shared .align 8 .b64 bar;\n"
                                  ".visible .entry k() {{ .reg .b32 %r<4>; .reg .pred %p<4>; {} }}\n",
                                  target, code)}));
  Words words;
  words.grid = "1";
  const auto notes = target_notes(module, make_program(module, read_words(words), {}));
  REQUIRE(notes.size() <= 1);
  return notes.empty() ? "" : notes.front().message;
}

TEST_CASE("an instruction of a later target has a note") {
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
  };
  for (const Row& row : rows) {
    CAPTURE(row.code);
    CAPTURE(row.without);
    CHECK(contains(note_of(row.without, row.code),
                   fmt::format("the module is for {}: ptxas refuses it", row.without)));
    CHECK_EQ(note_of(row.with, row.code), "");
  }
  CHECK_EQ(note_of("sm_80", "fence.acquire.gpu;"), "");
  CHECK_EQ(note_of("sm_100a", "setmaxnreg.inc.sync.aligned.u32 40;"), "");
  CHECK_EQ(note_of("sm_70", "fence.acq_rel.gpu; add.u32 %r1, %r1, 1;"), "");
}

}  // namespace
}  // namespace ptxmc::launch
