// SPDX-License-Identifier: Apache-2.0
#include "session/aligned_barriers.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "ptx/rules/together.h"

namespace ptxmc::session {
std::optional<std::string> aligned_barrier_apart(const program::Program& program,
                                                 const event::ProgramGraph& graph) {
  std::map<std::pair<std::uint32_t, isa::Opcode>, const program::Body*> bodies;  // by CTA and form
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    const program::Thread& thread = program.threads[t];
    for (const program::Instruction& instruction : thread.code()) {
      if (!rules::is_aligned_barrier(instruction.opcode, instruction.modifiers)) continue;
      const auto [known, fresh] =
          bodies.try_emplace({graph.threads[t].cta, instruction.opcode}, thread.body.get());
      if (!fresh && known->second != thread.body.get())
        return fmt::format("P{} line {} `{}`", thread.number, instruction.position.line, instruction.text);
    }
  }
  return std::nullopt;
}

}  // namespace ptxmc::session
