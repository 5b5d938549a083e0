// SPDX-License-Identifier: Apache-2.0
#include "gpu/text/tensor_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "ptx/rules/limits.h"

namespace ptxmc::gpu {

namespace {

std::uint32_t columns(const Facts& facts) {
  std::uint32_t sum = 0;
  for (const program::Variable& variable : facts.test().variables) {
    if (variable.space == isa::Space::tensor) sum += variable.elements;
  }
  return sum == 0 ? 0 : std::max(std::bit_ceil(sum), static_cast<std::uint32_t>(rules::kFewestColumns));
}

/// R287: that of the test's instructions.
int cta_group(const Facts& facts) {
  for (const program::Thread& thread : facts.test().threads) {
    for (const program::Instruction& instruction : thread.code()) {
      if (instruction.modifiers.tensor.cta_group != 0) return instruction.modifiers.tensor.cta_group;
    }
  }
  return 1;
}

/// A hardware barrier that no thread of the test names: a thread that is done waits there for the others, and
/// must not arrive at one of theirs.
int own_barrier(const Facts& facts) {
  std::set<std::int64_t> used;
  for (const program::Thread& thread : facts.test().threads) {
    for (const program::Instruction& i : thread.code()) {
      if (!is_cta_barrier(i)) continue;
      const isa::Role role = i.modifiers.instance_first ? isa::Role::instance : isa::Role::barrier;
      const auto* number = std::get_if<program::Integer>(&i.operand(role).value);
      if (number != nullptr) used.insert(number->value);
    }
  }
  int own = kHardwareBarriers - 1;
  while (own > 0 && used.contains(own)) --own;
  return own;
}

std::string place(const std::string& prefix) {
  return prefix + "ptxmc_tensor_memory";
}

}  // namespace

std::string tensor_register(const std::string& variable) {
  return "%ptxmc_columns_" + variable;
}

std::vector<std::string> tensor_declarations(const Facts& facts, const std::string& prefix) {
  std::vector<std::string> out;
  if (columns(facts) == 0) return out;
  out.push_back(fmt::format(".shared .align 4 .b32 {};", place(prefix)));
  for (const program::Variable& variable : facts.test().variables) {
    const bool given = variable.space == isa::Space::tensor && !variable.initial.empty();
    if (given) out.push_back(fmt::format("// the initial values of {} are not stored", variable.name));
  }
  return out;
}

std::vector<std::string> tensor_registers(const Facts& facts) {
  std::vector<std::string> out;
  for (const program::Variable& variable : facts.test().variables) {
    if (variable.space == isa::Space::tensor)
      out.push_back(fmt::format(".reg .b32 {};", tensor_register(variable.name)));
  }
  if (!out.empty()) out.push_back(".reg .b32 %ptxmc_columns;");
  return out;
}

std::vector<std::string> tensor_prologue(const Facts& facts, const std::string& prefix) {
  std::vector<std::string> out;
  if (columns(facts) == 0) return out;
  out.push_back("setp.ge.u32 %ptxmc_here, %ptxmc_seat, 32;");
  out.push_back("@%ptxmc_here bra ptxmc_allocated;");
  out.push_back(fmt::format("tcgen05.alloc.cta_group::{}.sync.aligned.shared::cta.b32 [{}], {};",
                            cta_group(facts), place(prefix), columns(facts)));
  out.push_back("ptxmc_allocated:");
  out.push_back("barrier.sync 0;");
  out.push_back(fmt::format("ld.shared.b32 %ptxmc_columns, [{}];", place(prefix)));
  std::uint32_t first = 0;
  for (const program::Variable& variable : facts.test().variables) {
    if (variable.space != isa::Space::tensor) continue;
    out.push_back(fmt::format("add.u32 {}, %ptxmc_columns, {};", tensor_register(variable.name), first));
    first += variable.elements;
  }
  return out;
}

std::vector<std::string> tensor_epilogue(const Facts& facts, const std::string&) {
  std::vector<std::string> out;
  if (columns(facts) == 0) return out;
  out.push_back(fmt::format("barrier.sync {};", own_barrier(facts)));
  out.push_back("setp.ge.u32 %ptxmc_here, %ptxmc_seat, 32;");
  out.push_back("@%ptxmc_here bra ptxmc_freed;");
  out.push_back("bar.warp.sync 0xffffffff;");
  out.push_back(fmt::format("tcgen05.dealloc.cta_group::{}.sync.aligned.b32 %ptxmc_columns, {};",
                            cta_group(facts), columns(facts)));
  out.push_back("ptxmc_freed:");
  return out;
}

}  // namespace ptxmc::gpu
