// SPDX-License-Identifier: Apache-2.0
// Asynchronous instructions of random programs: copies between a tile `g` of global and a tile `t` of shared
// memory, 16 bytes each, by cp.async, in bulk and as reductions; their groups and mbarriers; proxy fences;
// tensor copies through a map of `g` that other instructions change; wgmma on an operand `w`. Ordinary
// instructions access the same variables.
#include <algorithm>

#include "generator.h"

namespace ptxmc::testing {

void Generator::add_tiles() {
  VariableSpec global;
  global.name = "g";
  global.elements = 4;
  global.initial = random_.between(0, 2);
  VariableSpec shared = global;
  shared.name = "t";
  shared.shared = true;
  variables_ = {global, shared};
}

std::string Generator::async_copy(ThreadSpec& t) {
  switch (random_.weighted({22, 22, 18, 10, 8, 8, 6})) {
    case 0:
      return random_.chance(30)
                 ? "cp.async.cg.shared.global [t], [g], 16"
                 : fmt::format("cp.async.ca.shared.global [t], [g], 4{}", random_.chance(15) ? ", 0" : "");
    case 1: {
      const std::string object = object_operands("");
      if (random_.chance(70))
        t.lines.push_back(fmt::format("mbarrier.arrive.expect_tx.shared.b64 _, {}, 16", object));
      const bool strong = random_.chance(30);
      return fmt::format("cp.async.bulk{}.shared::cta.global.mbarrier::complete_tx::bytes{} [t], [g], 16, {}",
                         strong ? random_.pick<const char*>({".relaxed.gpu", ".relaxed.sys"}) : "",
                         strong ? ".b128" : "", object);
    }
    case 2:
      t.lines.push_back(random_.chance(70)
                            ? "cp.async.bulk.global.shared::cta.bulk_group [g], [t], 16"
                            : "cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 [g], [t], 16");
      return random_.chance(80) ? "cp.async.bulk.commit_group" : "cp.async.bulk.wait_group 0";
    case 3:
      t.lines.push_back("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g], [t], 16");
      return "cp.async.bulk.commit_group";
    case 4:
      return "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [t], [g], "
             "16, " +
             object_operands(", 1");
    case 5:
      return fmt::format("st.async.{}.global.b32 [g], {}", random_.pick<const char*>({"weak", "release.gpu"}),
                         random_.between(1, 3));
    default:
      return "st.bulk.weak.shared::cta [t], 16, 0";
  }
}

std::string Generator::async_wait(ThreadSpec& t) {
  switch (random_.weighted({20, 10, 15, 25, 30})) {
    case 0:
      return "cp.async.wait_all";
    case 1:
      t.lines.push_back("cp.async.commit_group");
      return fmt::format("cp.async.wait_group {}", random_.between(0, 1));
    case 2:
      return "cp.async.mbarrier.arrive.noinc.shared.b64 " + object_operands("");
    case 3:
      return fmt::format("cp.async.bulk.wait_group{} {}", random_.chance(40) ? ".read" : "",
                         random_.chance(80) ? 0 : 1);
    default:
      return mbarrier_wait(t);
  }
}

/// Copies of `g` through a tensor map, whole or half outside of the tensor; changes of the map, and its
/// fences.
std::string Generator::tensor_operation(ThreadSpec& t) {
  tensors_ = true;
  const std::string tensor = fmt::format("[tm, {{{}}}]", random_.chance(70) ? 0 : random_.pick({-2, 2}));
  switch (random_.weighted({25, 25, 10, 20, 10, 10})) {
    case 0: {
      const std::string object = object_operands("");
      if (random_.chance(70))
        t.lines.push_back(fmt::format("mbarrier.arrive.expect_tx.shared.b64 _, {}, 16", object));
      return fmt::format(
          "cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [t], {}, {}", tensor,
          object);
    }
    case 1:
      t.lines.push_back(
          fmt::format("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group {}, [t]", tensor));
      return "cp.async.bulk.commit_group";
    case 2:
      t.lines.push_back(fmt::format(
          "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group {}, [t]", tensor));
      return "cp.async.bulk.commit_group";
    case 3:
      return fmt::format("tensormap.replace.tile.global_dim.global.b1024.b32 [tm], 0, {}",
                         random_.pick({2, 4}));
    case 4:
      return fmt::format("fence.proxy.tensormap::generic.release.{}",
                         random_.pick<const char*>({"cta", "gpu"}));
    default:
      return fmt::format("fence.proxy.tensormap::generic.acquire.{} [tm], 128",
                         random_.pick<const char*>({"cta", "gpu"}));
  }
}

/// D = A x w, whose values are functions of the operand's bytes.
std::string Generator::matrix_product(ThreadSpec& t) {
  add_operand();
  if (random_.chance(80)) t.lines.push_back("wgmma.fence.sync.aligned");
  if (random_.chance(40)) t.lines.push_back("fence.proxy.async");
  t.lines.push_back(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, "
      "desc(w), 0, 1, 1, "
      "0");
  t.lines.push_back("wgmma.commit_group.sync.aligned");
  const auto result = [](const RegisterSpec& r) { return r.name == "d0"; };
  if (std::none_of(t.defined.begin(), t.defined.end(), result)) t.defined.push_back({"d0", 32});
  return "wgmma.wait_group.sync.aligned 0";
}

std::string Generator::asynchronous(ThreadSpec& t) {
  switch (random_.weighted({45, 30, 18, shape_.matrices ? 7u : 0u, 15})) {
    case 0:
      budget_ -= 2;
      return async_copy(t);
    case 1:
      return async_wait(t);
    case 2:
      return fmt::format("fence.proxy.async{}",
                         random_.pick<const char*>({"", "", ".global", ".shared::cta"}));
    case 4:
      budget_ -= 3;
      return tensor_operation(t);
    default:
      budget_ -= 1;
      return matrix_product(t);
  }
}

}  // namespace ptxmc::testing
