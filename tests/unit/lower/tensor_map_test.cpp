// SPDX-License-Identifier: Apache-2.0
// The events of copies through tensor maps.
#include "lowered.h"

namespace ptxmc::lower {
namespace {

using event::EventKind;

std::string store(const std::string& map, const std::string& code, const std::string& more = "") {
  return one_thread(".global .u32 A[32]; .shared .u32 s[64]; " + map + more, code, "exists (true)");
}

const char* const kMap = ".global .tensormap tm = tensor(A, .u32, dims={8, 4}, box={4, 2});";
const char* const kStore = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {0, 0}], [s];";

TEST_CASE("a map that nothing writes is not read; one that something replaces is") {
  const auto constant = lowered(store(kMap, kStore));
  CHECK_EQ(events_of(constant, EventKind::read).size(), 1U);
  CHECK_EQ(events_of(constant, EventKind::write).size(), 1U);
  const auto changed = lowered(
      store(kMap, "tensormap.replace.tile.global_dim.global.b1024.b32 [tm], 1, 2;" + std::string(kStore)));
  std::size_t of_map = 0;
  for (const auto e : events_of(changed, EventKind::read))
    of_map += changed.events[e].labels.proxy == isa::Proxy::tensormap;
  CHECK_EQ(of_map, 1U);
}

TEST_CASE("tensor copies that are wrong") {
  const auto wrong = [](const std::string& map, const std::string& code, const std::string& part) {
    CHECK(fails_with(store(map, code), part));
  };
  wrong(kMap, "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [tm, {0}], [s];",
        "a tensor of 2 dimensions, accessed as one of 1");
  wrong(kMap, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [A, {0, 0}], [s];",
        "A holds no tensor map");
  wrong(kMap, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [s, {0, 0}], [s];",
        "a tensor map is in .global, .const or .param memory");
  wrong(kMap, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {0, 0}], [A];", "is .global");
  wrong(kMap, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {0, 0}], [s+240];",
        "outside of s");
  wrong(kMap,
        "ld.global.u32 %r0, [A]; cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {%r0, 0}], "
        "[s];",
        "a coordinate that is not constant");
  wrong(".global .tensormap tm = tensor(A, .u32, dims={8, 5}, box={4, 2});",
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {0, 3}], [s];", "outside of A");
  wrong(".global .tensormap tm = tensor(s, .u32, dims={8, 4}, box={4, 2});", kStore,
        "no address of global memory");
  wrong(".global .tensormap tm = tensor(A, .u32, dims={8, 4}, box={4, 2}, fill=nan);", kStore,
        "integers has no NaN to fill with");
  wrong(".global .tensormap tm = tensor(A, .u32, dims={8, 4}, box={4, 2}, interleave=16);", kStore,
        "a tensor of 2 dimensions with an interleaved layout, expected 3 to 5 (5.5.5)");
  wrong(".global .tensormap tm = tensor(A, .f32, dims={8, 4}, box={4, 2});",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group [tm, {0, 0}], [s];",
        "`.max` of elements of type .f32");
  wrong(".global .tensormap tm = tensor(A, .s32, dims={8, 4}, box={4, 2});",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group [tm, {0, 0}], [s];",
        "`.inc` of elements of type .s32");
}

TEST_CASE("tensor maps that are changed in a wrong way") {
  const auto wrong = [](const std::string& code, const std::string& part) {
    CHECK(fails_with(store(kMap, code, " .const .tensormap tc = tensor(A, .u32, dims={8}, box={4});"), part));
  };
  wrong("tensormap.replace.tile.box_dim.global.b1024.b32 [tm], 5, 1;", "ordinal 5, expected 0 to 4");
  wrong("tensormap.replace.tile.global_stride.global.b1024.b64 [tm], 4, 16;", "ordinal 4, expected 0 to 3");
  wrong("tensormap.replace.tile.elemtype.global.b1024.b32 [tm], 13;", "expected 0 to 12");
  wrong("tensormap.replace.tile.swizzle_mode.global.b1024.b32 [tm], 4;", "expected 0 to 3");
  wrong("tensormap.replace.tile.fill_mode.global.b1024.b32 [tm], 2;", "expected 0 to 1");
  wrong("tensormap.replace.tile.interleave_layout.global.b1024.b32 [tm], 3;", "expected 0 to 2");
  wrong("tensormap.replace.tile.rank.b1024.b32 [tc], 1;", "acts on .global and .shared::cta memory");
  wrong("ld.global.u32 %r0, [A]; tensormap.replace.tile.rank.global.b1024.b32 [tm], %r0;", "not constant");
  wrong("fence.proxy.tensormap::generic.acquire.gpu [tc], 128;", "is .const, the access is .global");
  wrong("prefetch.param.tensormap [tc];", "is .const, the access is .param");
  // What the assembler refuses, the reader does.
  const auto refused = [](const std::string& code) -> std::string {
    try {
      return error_of(store(kMap, code));
    } catch (const InputError& error) {
      return error.what();
    }
  };
  for (
      const char* const code :
      {"fence.proxy.tensormap::generic.acquire.gpu [tm], 64;",
       "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [tm], [s], 64;"})
    CHECK(refused(code).find("size 64, expected 128") != std::string::npos);
}

}  // namespace
}  // namespace ptxmc::lower
