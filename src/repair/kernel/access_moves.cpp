// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/access_moves.h"

#include <optional>

#include "repair/kernel/code_points.h"
#include "repair/points.h"

namespace ptxmc::repair {

namespace {

using program::Instruction;

constexpr std::size_t kMostPassed = 6;    // instructions that synchronize
constexpr std::size_t kMostAround = 200;  // instructions that are looked at, each way

/// A thread tells another by it, or hears of it: a fence, a barrier, a strong access.
bool synchronizes(const Instruction& i) {
  if (!acts(i)) return false;
  return isa::traits(i.opcode).family != isa::Family::memory || i.modifiers.semantics != isa::Semantics::weak;
}

void add_moves_of(const std::vector<Instruction>& code, std::size_t from, bool up,
                  const ModuleChanges& changes, std::vector<Way>& out) {
  std::size_t passed = 0;
  for (std::size_t n = 1; n <= kMostAround && passed < kMostPassed; ++n) {
    if (up ? n > from : from + n >= code.size()) return;
    const std::size_t to = up ? from - n : from + n;
    if (!code[to].position.known() || !synchronizes(code[to])) continue;
    ++passed;
    const std::optional<Option> moved = changes.moved(code, from, to, !up);
    if (moved) out.push_back({*moved});
  }
}

}  // namespace

bool may_move(const Asking& asking, trace::Site site, bool up) {
  const Instruction& access = asking.verified.run->instruction(site);
  const bool data = (access.opcode == isa::Opcode::ld || access.opcode == isa::Opcode::st) &&
                    access.modifiers.semantics == isa::Semantics::weak;
  return data && site == (up ? asking.finding->first.site : asking.finding->second.site);
}

std::vector<Way> access_moves(const Asking& asking, const ModuleChanges& changes) {
  std::vector<Way> out;
  for (const bool up : {true, false}) {
    const trace::Place& place = up ? asking.finding->first : asking.finding->second;
    if (!may_move(asking, place.site, up)) continue;
    const std::vector<Instruction>& code = asking.verified.run->thread(place.thread).body->code;
    const std::size_t from = index_of(code, asking.verified.run->instruction(place.site).position);
    if (from != code.size()) add_moves_of(code, from, up, changes, out);
  }
  return out;
}

}  // namespace ptxmc::repair
