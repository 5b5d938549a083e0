// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/coverage.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

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

/// "k.cu:9: bar"
std::string kind_of(const Place& place) {
  return fmt::format("{}: {}", line_of(place),
                     std::string_view(place.text).substr(0, place.text.find_first_of(". ")));
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
    if (!important) continue;
    Place place = place_of(verified, site);
    ++out.copies[kind_of(place)];
    if (!ran) out.never.push_back(std::move(place));
  }
  return out;
}

std::vector<std::string> never_texts(const Coverage& coverage, std::size_t most) {
  std::vector<std::string> out;
  std::map<std::string, std::size_t> count;
  for (const Place& place : coverage.never) ++count[kind_of(place)];
  std::size_t told = 0;
  for (const Place& place : coverage.never) {
    const auto of = count.find(kind_of(place));
    if (of == count.end()) continue;  // it is told
    const std::size_t never = of->second, all = coverage.copies.at(of->first);
    count.erase(of);
    if (++told > most) continue;
    const std::string copies = all == 1 ? "" : fmt::format(" ({} of {} copies)", never, all);
    out.push_back(fmt::format("{}: {}{}", line_of(place), place.text, copies));
  }
  if (told > most) out.push_back(fmt::format("{} more", told - most));
  return out;
}

}  // namespace ptxmc::explain
