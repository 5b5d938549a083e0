// SPDX-License-Identifier: Apache-2.0
#include "ptx/flow/jumps.h"

#include <string_view>
#include <unordered_map>

#include "ptx/isa/opcode.h"

namespace ptxmc::flow {

Jumps jumps_of(const Code& code) {
  Jumps out;
  std::unordered_map<std::string_view, std::size_t> labels;
  for (std::size_t at = 0; at < code.size(); ++at) {
    for (const std::string& label : code[at].labels) {
      if (!labels.emplace(label, at).second && !out.repeated) out.repeated = at;
    }
  }
  out.of.resize(code.size());
  for (std::size_t at = 0; at < code.size(); ++at) {
    const program::Instruction& instruction = code[at];
    const bool conditional =
        instruction.guard.has_value() || instruction.opcode == isa::Opcode::branch_compare;
    if (isa::traits(instruction.opcode).has(isa::Trait::ends)) {
      out.of[at] = {code.size(), conditional};
    } else if (const program::Operand* label = instruction.find(isa::Role::label)) {
      const auto place = labels.find(std::get<program::LabelName>(label->value).name);
      if (place != labels.end()) {
        out.of[at] = {place->second, conditional};
      } else if (!out.astray) {
        out.astray = at;
      }
    }
  }
  return out;
}

Graph successors(const std::vector<Jump>& jumps) {
  Graph out(jumps.size() + 1);
  for (std::size_t at = 0; at < jumps.size(); ++at) {
    if (jumps[at].falls_through) out[at].push_back(at + 1);
    if (jumps[at].target) out[at].push_back(*jumps[at].target);
  }
  return out;
}

}  // namespace ptxmc::flow
