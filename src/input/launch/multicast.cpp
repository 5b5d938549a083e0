// SPDX-License-Identifier: Apache-2.0
// Multimem addresses (8.2.3) among the buffers of a launch.
#include <fmt/format.h>

#include <algorithm>

#include "input/launch/memory.h"
#include "input/launch/parameters.h"
#include "support/nearest.h"
#include "support/printable.h"

namespace ptxmc::launch {

bool Memory::is_multicast(const std::string& name) const {
  return std::any_of(plan_.memory.begin(), plan_.memory.end(),
                     [&](const Buffer& buffer) { return buffer.name == name && !buffer.multicast.empty(); });
}

/// A multimem address: a location of each of the buffers, which are alike and in global memory (8.2.3, 9.7.8.13). Nothing:
/// reported.
std::optional<program::Variable> Memory::of_multicast(const Buffer& buffer) {
  program::Variable out;
  out.name = name_of_buffer(buffer.name);
  out.ptx_form = out.is_array = true;
  const auto refuse = [&](const std::string& why) {
    of_plan_.error(buffer.position, fmt::format("multicast: {}", why));
    return std::nullopt;
  };
  const Buffer* first = nullptr;
  for (const std::string& name : buffer.multicast) {
    const auto found = std::find_if(plan_.memory.begin(), plan_.memory.end(),
                                    [&](const Buffer& one) { return one.name == name; });
    if (found == plan_.memory.end()) {
      std::vector<std::string> names;
      for (const Buffer& one : plan_.memory) names.push_back(one.name);
      const auto near = nearest(name, names);
      return refuse(fmt::format("no buffer is named `{}`{}", printable(name),
                                near ? fmt::format("; did you mean `{}`?", *near) : ""));
    }
    const std::string variable = name_of_buffer(name);
    if (!found->multicast.empty()) return refuse(fmt::format("`{}` is a multimem address itself", name));
    if (std::find(out.locations.begin(), out.locations.end(), variable) != out.locations.end())
      return refuse(fmt::format("`{}` is named twice; each device has one location (8.2.3)", name));
    if (found->space != isa::Space::global)
      return refuse(fmt::format("`{}` is not in global memory (9.7.8.13)", name));
    if (first == nullptr) first = &*found;
    if (found->bytes != first->bytes || found->type != first->type)
      return refuse(fmt::format("`{}` has another size or type than `{}`", name, first->name));
    out.locations.push_back(variable);
    const auto location = std::find_if(variables_.begin(), variables_.end(),
                                       [&](const program::Variable& one) { return one.name == variable; });
    if (location == variables_.end()) return std::nullopt;  // reported
    out.type = location->type;
    out.elements = location->elements;
    out.align = location->align;
  }
  return out;
}

}  // namespace ptxmc::launch
