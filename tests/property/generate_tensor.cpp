// SPDX-License-Identifier: Apache-2.0
// Matrices in random programs: loads and stores of matrices and mma on an operand `w` in shared memory, and
// tcgen05 on two places in tensor memory, `t` and `sf`, with operands `oa` and `ob`. A product is a term: who
// may read it and when, and what may be said of equal ones, is what these programs are about.
#include <algorithm>

#include "generator.h"

namespace ptxmc::testing {

/// The shared operand of matrix instructions, added once.
void Generator::add_operand() {
  if (matrices_) return;
  matrices_ = true;
  VariableSpec operand;
  operand.name = "w";
  operand.shared = true;
  operand.elements = 64;
  variables_.push_back(operand);
}

std::string Generator::matrix_access(ThreadSpec& t) {
  add_operand();
  budget_ -= 1;
  const std::string place = random_.chance(70) ? "[w]" : "[w+128]";
  switch (random_.weighted({45, 35, 20})) {
    case 0:
      return fmt::format("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{{}}}, {}", new_register(t, 32), place);
    case 1: {
      const std::string stored = register_of(t);
      return fmt::format("stmatrix.sync.aligned.m8n8.x1.shared.b16 {}, {{{}}}", place, stored);
    }
    default: {
      const std::string first = register_of(t);
      return fmt::format(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{{0}, %d1, %d2, %d3}}, {{{1}, {1}, {1}, {1}}}, "
          "{{{1}, {1}}}, {{{1}, {1}, {1}, {1}}}",
          new_register(t, 32), first);
    }
  }
}

std::string Generator::register_product(ThreadSpec& t) {
  const std::string a = register_of(t), b = random_.chance(50) ? a : value_register(t);
  const std::string first = new_register(t, 32), second = new_register(t, 32);
  return fmt::format("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {{{}, {}}}, {{{}}}, {{{}}}, {{{}, {}}}",
                     first, second, a, b, a, random_.chance(50) ? a : b);
}

/// A register of 32 bits with a value of this draw.
std::string Generator::value_register(ThreadSpec& t) {
  const std::string from = value(t, 32);
  if (from.starts_with('%')) return from;
  const std::string fresh = new_register(t, 32);
  t.lines.push_back(fmt::format("mov.b32 {}, {}", fresh, from));
  return fresh;
}

/// A register of 32 bits that holds something.
std::string Generator::register_of(ThreadSpec& t) {
  const auto narrow =
      std::find_if(t.defined.begin(), t.defined.end(), [](const RegisterSpec& r) { return r.bits == 32; });
  if (narrow != t.defined.end()) return reg(narrow->name);
  const std::string fresh = new_register(t, 32);
  t.lines.push_back(fmt::format("mov.b32 {}, {}", fresh, random_.between(0, 2)));
  return fresh;
}

std::string Generator::print_tensor_memory() const {
  return "  .tensor .b32 t[32] = {0};\n  .tensor .b32 sf[32] = {0};\n  .shared .b32 tp;\n"
         "  uint8_t oa[4096];\n  uint8_t ob[256];\n";
}

/// Allocates, and mostly frees: an address that no other thread knows.
std::string Generator::tensor_allocation(ThreadSpec& t) {
  t.lines.push_back("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tp], 32");
  if (random_.chance(30)) return "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned";
  const std::string at = new_register(t, 32);
  t.lines.push_back(fmt::format("ld.shared.b32 {}, [tp]", at));
  return fmt::format("tcgen05.dealloc.cta_group::1.sync.aligned.b32 {}, 32", at);
}

std::string Generator::tensor_memory(ThreadSpec& t) {
  const char* place = random_.pick<const char*>({"[t]", "[t]", "[t]", "[sf]"});
  budget_ -= 1;
  switch (random_.weighted({16, 22, 14, 7, 4, 5, 14, 12, 14, 6, 3, 5})) {
    case 0: {
      const std::string stored = register_of(t);
      return fmt::format("tcgen05.st.sync.aligned.32x32b.x1.b32 {}, {{{}}}", place, stored);
    }
    case 1: {
      const std::string line =
          fmt::format("tcgen05.ld.sync.aligned.32x32b.x1.b32 {{{}}}, {}", new_register(t, 32), place);
      if (random_.chance(25)) return line;
      t.lines.push_back(line);
      return "tcgen05.wait::ld.sync.aligned";
    }
    case 2:
      return fmt::format("tcgen05.mma.cta_group::1.kind::f16 {}, desc(oa), desc(ob), 0x8020010, {}", place,
                         random_.chance(80) ? 0 : 1);
    case 3:
      return fmt::format("tcgen05.cp.cta_group::1.128x256b {}, desc(oa)", place);
    case 4:
      return fmt::format("tcgen05.cp.cta_group::1.4x256b {}, desc(oa)", place);
    case 5:
      return fmt::format("tcgen05.shift.cta_group::1.down {}", place);
    case 6:
      return "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 " + object_operands("");
    case 7:
      return "tcgen05.fence::before_thread_sync";
    case 8:
      return "tcgen05.fence::after_thread_sync";
    case 9:
      return "tcgen05.wait::st.sync.aligned";
    case 10:
      return tensor_allocation(t);
    default:
      return random_.chance(50) ? "st.shared.b8 [oa], 1" : "fence.proxy.async";
  }
}

}  // namespace ptxmc::testing
