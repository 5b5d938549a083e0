// SPDX-License-Identifier: Apache-2.0
// Rules whose breach, or whose whole subject, is an error of the test: what ptxmc says instead of an answer.
// The table of rules (src/model/rules.md) names a rule `refused` if it has a row here.
#include "lowered.h"

namespace ptxmc::lower {
namespace {

/// A rule, threads in native syntax, and a part of the message.
struct Refused {
  const char* rule;
  const char* code;
  const char* message;
};

const char* const kVariables =
    "{\n"
    "  .global .align 16 .u32 g[8];\n"
    "  .const .tensormap tm = tensor(g, .u32, dims={8}, box={8});\n"
    "  .global .u64 wide;\n"
    "  .const .u32 c;\n"
    "  .shared .align 128 .b32 s[32];\n"
    "  .shared .b64 bar[2];\n"
    "  .shared .align 4 .b32 word;\n"
    "}\n";

/// Threads are written `cta C: CODE`, one a line; a line without a place is of cta 0.
std::string program(const std::string& code) {
  std::string text = std::string("PTX refused\n") + kVariables;
  std::size_t number = 0, begin = 0;
  while (begin < code.size()) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    std::string line = code.substr(begin, end - begin), place = "cluster 0, cta 0";
    if (line.starts_with('@')) {
      place = line.substr(2, line.find(':') - 2);
      line = line.substr(line.find(':') + 1);
    }
    text += "P" + std::to_string(number++) + " @ " + place + " {\n.reg .pred %p;\n" + line + "\n}\n";
    begin = end + 1;
  }
  return text + "exists (true)\n";
}

/// The first error, of the text or of lowering.
std::string first_error(const std::string& text) {
  try {
    lowered(text);
  } catch (const InputError& error) {
    return error.diagnostics().front().message;
  }
  return "";
}

void check(const std::vector<Refused>& rows) {
  for (const Refused& row : rows) {
    const std::string message = first_error(program(row.code));
    const std::string shown = std::string(row.rule) + ": " + row.code + "\n" + message;
    CHECK_MESSAGE(message.find(row.message) != std::string::npos, shown);
  }
}

TEST_CASE("refused: accesses") {
  check({
      {"R22", "ld.weak.v2.u32 {%r0, %r1}, [g+4];", "offset 4 of g is no multiple of 8 bytes"},
      {"R22", "st.weak.u32 [g+2], 1;", "offset 2 of g is no multiple of 4 bytes"},
      {"R22", "atom.relaxed.gpu.add.u64 %rd0, [g+4], 1;", "offset 4 of g is no multiple of 8 bytes"},
      {"R23", "st.weak.const.u32 [c], 1;", ".const"},
      {"R24", "ld.global.unified.u32 %r0, [g];", "`.unified` of `ld` is not supported"},
      {"R104", "ld.relaxed.acquire.gpu.u32 %r0, [g];", "`.acquire` contradicts `.relaxed`"},
      {"R108", "ld.relaxed.gpu.global.cg.u32 %r0, [g];", "`.cg` contradicts `.relaxed`"},
      {"R108", "ld.acquire.gpu.local.u32 %r0, [g];", "`.local` contradicts `.acquire`"},
      {"R108", "ld.volatile.global.cv.u32 %r0, [g];", "`.cv` contradicts `.volatile`"},
      {"R109", "ld.mmio.acquire.gpu.global.u32 %r0, [g];", "`.gpu` contradicts `.mmio`"},
      {"R109", "st.mmio.release.sys.shared.u32 [s], 1;", "`.shared` contradicts `.mmio`"},
      {"R109", "ld.mmio.relaxed.gpu.global.u32 %r0, [g];", "`.gpu` contradicts `.mmio`"},
      {"R109", "ld.mmio.relaxed.sys.shared.u32 %r0, [s];", "`.shared` contradicts `.mmio`"},
      {"R111", "ld.param::func.u32 %r0, [g];", "the access is .param"},
      {"R113", "discard.global.L2 [g], 64;", "size 64, expected 128"},
      {"R113", "discard.global.L2 [g], 128;", "outside of g"},
      {"R119", "atom.acquire.gpu.global.add.noftz.f16x2 %r0, [g], %r1;",
       "not supported yet: a vector or packed atomic that is not .relaxed"},
      {"R121", "atom.shared.v2.f32.add {%r0, %r1}, [s], {%r2, %r3};", "`.v2` contradicts `.shared`"},
      {"R241", "red.global.release.gpu.add.noftz.bf16x2 [g], %r0;",
       "not supported yet: a vector or packed atomic that is not .relaxed"},
  });
}

TEST_CASE("refused: mbarrier objects that a pair of CTAs does not have") {
  const auto refuse = [](const std::string& group, const char* rank, const char* message) {
    const std::string text =
        "mapa.shared::cluster.u32 %b, bar, " + std::string(rank) + "; cp.async.bulk.tensor.1d." + group +
        ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [tm, {0}], [%b];" +
        "\n@ cluster 0, cta 1: exit;\n@ cluster 0, cta 2: exit;";
    check({{"9.7.8.24.9", text.c_str(), message}});
  };
  refuse("cta_group::1", "1", "memory and mbarrier object are of different CTAs");
  refuse("cta_group::2", "2", "memory and mbarrier object are of different pairs of CTAs");
}

TEST_CASE("refused: asynchronous copies") {
  check({
      {"R134", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [g], 16;",
       "takes 4 operands"},
      {"R134", "cp.async.bulk.shared::cluster.global [s], [g], 16, [bar];",
       "needs `.mbarrier::complete_tx::bytes` too"},
      {"R140", "cp.async.ca.shared.global [s], [g], 4, 8;", "source size 8 is larger than the size 4"},
      {"R148", "cp.async.bulk.global.shared::cta.bulk_group [g], [s], 24;", "a multiple of 16 bytes"},
      {"R148", "cp.async.bulk.global.shared::cta.bulk_group [g+8], [s], 16;",
       "offset 8 of g is no multiple of 16 bytes"},
      {"R148", "cp.async.bulk.global.shared::cta.bulk_group [g], [s+8], 16;",
       "offset 8 of s is no multiple of 16 bytes"},
      {"R148", "cp.async.bulk.global.shared::cta.bulk_group [g+16], [s], 32;", "are outside of g"},
      {"R148", "cp.async.bulk.global.shared::cta.bulk_group [g], [s+112], 32;", "are outside of s"},
      {"R148", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g], [s], 20;",
       "a multiple of 16 bytes"},
      {"R148", "cp.async.bulk.prefetch.L2.global [g], 8;", "a multiple of 16 bytes"},
      {"R162", "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g], [s], 4;",
       "a multiple of 16 bytes"},
      {"R190", "fence.proxy.tensormap::generic.acquire.gpu [g], 64;", "size 64, expected 128"},
  });
}

TEST_CASE("refused: barriers") {
  check({
      {"R163", "barrier.sync 16;", "expected 0 to 15"},
      {"R163", "bar.sync 0, 33;", "not a multiple of the warp size"},
      {"R163", "bar.arrive 0;", "`bar.arrive` takes 2 operands"},
      {"R185", "fence.mbarrier_init.release.cta;", "takes no `.cta`"},
  });
}

TEST_CASE("refused: mbarrier objects") {
  check({
      {"R192", "mbarrier.init.shared.b64 [g], 1;", "an mbarrier object is in .shared memory, g is not"},
      {"R192", "mbarrier.init.shared.b64 [bar+4], 1;", "offset 4 of bar is no multiple of 8 bytes"},
      {"R192", "mbarrier.init.shared.b64 [word], 1;", "8 bytes at offset 0 are outside of word"},
      {"R192", "mbarrier.init.shared.b32 [bar], 1;", "takes no `.b32`"},
      {"R192", "mbarrier.inval.global.b64 [bar];", "takes no `.global`"},
      {"R195", "mbarrier.init.shared.b64 [bar], 0;", "arrival count 0, expected 1 to 1048575"},
      {"R195", "mbarrier.init.shared.b64 [bar], 1048576;", "arrival count 1048576"},
      {"R195", "mbarrier.init.layout::v1.shared.b64 [bar], 512;", "arrival count 512, expected 1 to 511"},
      {"R195", "mbarrier.arrive.shared.b64 _, [bar], 1048576;", "arrival count 1048576"},
      {"R195", "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 1048576;", "transaction count 1048576"},
      {"R205", "mbarrier.arrive.release.shared.b64 _, [bar];", "needs a scope: .cta or .cluster"},
      {"R211", "mbarrier.try_wait.acquire.shared.b64 %p, [bar], %rd0;", "needs a scope: .cta or .cluster"},
  });
}

TEST_CASE("refused: mbarrier objects of other CTAs") {
  const std::string address = "mapa.shared::cluster.u32 %a, bar, 1;";
  const std::string peer = "\n@ cluster 0, cta 1: exit;";
  const auto refuse = [&](const std::string& code, const char* message) {
    const std::string text = address + code + peer;
    check({{"R196", text.c_str(), message}});
  };
  refuse("mbarrier.arrive.shared::cluster.b64 %rd0, [%a];", "returns no state: write `_`");
  refuse("mbarrier.try_wait.parity.shared::cluster.b64 %p, [%a], 0;", "takes no `.shared::cluster`");
  for (const char* code :
       {"mbarrier.try_wait.parity.shared::cta.b64 %p, [%a], 0;",
        "mbarrier.test_wait.shared.b64 %p, [%a], %rd0;", "mbarrier.init.shared::cta.b64 [%a], 1;",
        "mbarrier.inval.shared::cta.b64 [%a];", "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%a];"}) {
    refuse(code, "acts on an mbarrier object of another CTA");
  }
}

TEST_CASE("refused: matrices and the rest") {
  check({
      {"R235",
       "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [g];",
       "are outside of g"},
      {"9.7.13.3",
       "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [g], 8;",
       "stride 8, expected 16 elements or more"},
      {"R236",
       "@ cta 0, warp 0: ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [s];\n"
       "@ cta 0, warp 0: ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [s];",
       "by a single lane"},
      {"R291",
       "@ cta 0, warp 0: tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], 32;\n"
       "@ cta 0, warp 0: exit;",
       "by a single lane"},
      {"R295", "mov.u32 %r0, %warpid;", "name its warp"},
  });
}

}  // namespace
}  // namespace ptxmc::lower
