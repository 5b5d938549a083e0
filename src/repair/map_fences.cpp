// SPDX-License-Identifier: Apache-2.0
#include "repair/map_fences.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "repair/order.h"

namespace ptxmc::repair {

namespace {

constexpr int kMapBytes = 128;  // that an acquire is of (9.7.12.4)

bool changes_map(const program::Instruction& instruction) {
  return instruction.opcode == isa::Opcode::tensormap_replace ||
         instruction.opcode == isa::Opcode::tensormap_cp_fenceproxy;
}

/// The maps that asynchronous copies of a code name.
std::set<std::string> maps_of(const litmus::Test& test, const Layout& layout, std::size_t code) {
  std::set<std::string> out;
  for (std::size_t i = 0; i < layout.size(code); ++i) {
    const program::Instruction& now = layout.instruction(code, i);
    if (isa::traits(now.opcode).family != isa::Family::async_copy) continue;
    for (const program::Variable& variable : test.variables) {
      if (variable.map && now.text.find("[" + variable.name + ",") != std::string::npos)
        out.insert(variable.name);
    }
  }
  return out;
}

/// One fence at each of the scopes, of which a wider one is stronger.
void add_fence(const litmus::Test& test, const Layout& layout, const std::vector<isa::Scope>& scopes,
               const Point& point, const std::string& name, const std::string& operands,
               std::vector<Site>& sites) {
  Site site;
  site.kind = Kind::proxy;
  for (const isa::Scope scope : scopes) {
    const std::string mnemonic = fmt::format("fence.proxy.tensormap::generic.{}.{}", name, word_of(scope));
    Option option{fmt::format("{}: insert {}{}", point.place(test, layout), mnemonic, operands),
                  {point.insert(layout, {mnemonic + operands})},
                  mnemonic,
                  ""};
    for (std::size_t k = 0; k < site.options.size(); ++k) option.weaker.push_back(k);
    site.options.push_back(std::move(option));
  }
  sites.push_back(std::move(site));
}

}  // namespace

void add_map_fences(const litmus::Test& test, const Layout& layout, const std::vector<isa::Scope>& scopes,
                    const Point& point, std::vector<Site>& sites) {
  const bool changed = std::any_of(test.threads.begin(), test.threads.end(), [](const auto& thread) {
    return std::any_of(thread.code().begin(), thread.code().end(), changes_map);
  });
  if (!changed || !point.inner) return;
  add_fence(test, layout, scopes, point, "release", "", sites);
  for (const std::string& map : maps_of(test, layout, point.code))
    add_fence(test, layout, scopes, point, "acquire", fmt::format(" [{}], {}", map, kMapBytes), sites);
}

}  // namespace ptxmc::repair
