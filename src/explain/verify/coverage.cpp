// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/coverage.h"

namespace ptxmc::explain {

namespace {

bool synchronizes(const program::Instruction& instruction) {
  const isa::OpcodeTraits& traits = isa::traits(instruction.opcode);
  if (traits.has(isa::Trait::commits) || traits.has(isa::Trait::waits)) return true;
  switch (traits.family) {
    case isa::Family::fence:
    case isa::Family::barrier:
    case isa::Family::mbarrier:
      return true;
    default:
      return instruction.opcode == isa::Opcode::cp_async_arrive;
  }
}

}  // namespace

Coverage coverage_of(const claim::VerifyResult& verified) {
  Coverage out;
  for (trace::Site site = 0; site < verified.run->sites(); ++site) {
    const program::Instruction& instruction = verified.run->instruction(site);
    if (!instruction.position.known() || instruction.opcode == isa::Opcode::nop) continue;
    const bool ran = verified.outcome.executed[site] != 0, important = synchronizes(instruction);
    ++out.all;
    out.executed += ran ? 1 : 0;
    out.synchronizing += important ? 1 : 0;
    out.synchronized += important && ran ? 1 : 0;
    if (important && !ran) out.never.push_back(place_of(verified, site));
  }
  return out;
}

}  // namespace ptxmc::explain
