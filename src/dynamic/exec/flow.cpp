// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/flow.h"

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

flow::Graph successors(const Code& code) {
  flow::Graph out(code.steps.size());
  for (std::size_t at = 0; at < out.size(); ++at) {
    const Step& step = code.steps[at];
    const isa::Opcode opcode = step.instruction->opcode;
    const bool always = step.guard == kNoSlot && opcode != isa::Opcode::branch_compare;
    const bool ends = always && (step.jumps || opcode == isa::Opcode::exit || opcode == isa::Opcode::ret);
    if (step.jumps) out[at].push_back(step.target - code.first);
    if (!ends && at + 1 < out.size()) out[at].push_back(at + 1);
  }
  return out;
}

ControlFlow control_flow(const Code& code) {
  ControlFlow out{successors(code), {}};
  const std::size_t end = out.next.size();
  for (std::size_t at = 0; at < end; ++at) {
    if (code.steps[at].act == Act::leave || at + 1 == end) out.next[at].push_back(end);
  }
  out.next.emplace_back();
  out.postdominators = flow::postdominators(out.next, end);
  return out;
}

}  // namespace ptxmc::exec
