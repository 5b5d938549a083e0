// SPDX-License-Identifier: Apache-2.0
#include "input/launch/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ptx/isa/table.h"
#include "support/diagnostic.h"
#include "support/nearest.h"
#include "support/printable.h"
#include "support/refuse.h"

namespace ptxmc::launch {

namespace {

constexpr std::size_t kMostShown = 20, kMostOfName = 80;

std::string listed(const std::vector<const ptx::Function*>& functions) {
  std::string out;
  for (std::size_t i = 0; i < functions.size() && i < kMostShown; ++i)
    out += fmt::format("{}`{}`", i == 0 ? "" : ", ", demangled(functions[i]->name.name));
  if (functions.size() > kMostShown) out += fmt::format(" and {} more", functions.size() - kMostShown);
  return out;
}

/// What stands before the parameters: what a slip is compared with.
std::string short_name(const ptx::Function& function) {
  const std::string whole = demangled(function.name.name);
  return whole.substr(0, whole.find('('));
}

}  // namespace

std::vector<const ptx::Function*> entries_of(const ptx::Module& module) {
  std::vector<const ptx::Function*> out;
  for (const ptx::Item& item : module.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function != nullptr && function->entry && function->body) out.push_back(function);
  }
  return out;
}

std::vector<const ptx::Function*> matches(const ptx::Module& module, const std::string& name) {
  std::vector<const ptx::Function*> bare, part;
  for (const ptx::Function* function : entries_of(module)) {
    const std::string source_name = demangled(function->name.name);
    if (function->name.name == name || source_name == name) return {function};
    if (short_function_name(function->name.name) == name) bare.push_back(function);
    if (function->name.name.find(name) != std::string::npos || source_name.find(name) != std::string::npos)
      part.push_back(function);
  }
  return bare.empty() ? part : bare;
}

const ptx::Function& find_entry(const ptx::Module& module, const std::string& name, const SourcePtr& source,
                                Position position) {
  const std::vector<const ptx::Function*> all = entries_of(module);
  if (all.empty()) refuse(source, position, fmt::format("{} has no .entry", module.source->name));
  if (name.empty()) {
    if (all.size() == 1) return *all.front();
    refuse(source, position, fmt::format("which entry? There are {}", listed(all)));
  }
  const std::vector<const ptx::Function*> found = matches(module, name);
  if (found.size() == 1) return *found.front();
  if (found.size() > 1)
    refuse(source, position,
           fmt::format("`{}` is a part of {} names: {}", name, found.size(), listed(found)));
  std::vector<std::string> known;
  for (const ptx::Function* function : all) {
    known.push_back(short_function_name(function->name.name));
    known.push_back(short_name(*function));
    known.push_back(function->name.name);
  }
  const auto near = nearest(name, known);
  refuse(source, position,
         fmt::format("no entry is named `{}`{} There are {}", printable(name.substr(0, kMostOfName)),
                     near ? fmt::format("; did you mean `{}`?", *near) : std::string("."), listed(all)));
}

std::uint32_t bytes_of(std::string_view type) {
  if (type == "texref" || type == "samplerref" || type == "surfref") return 8;  // 5.3: opaque types
  const std::optional<isa::Type> known = isa::parse_type(type);
  return known && known->cls != isa::TypeClass::predicate ? known->bits / 8u : 0;
}

std::uint64_t bytes_of(const ptx::Variable& variable) {
  std::uint64_t out = bytes_of(variable.type.name);
  if (variable.type.vector != 0) out *= variable.type.vector;
  for (const std::uint64_t size : variable.dimensions) out *= size;
  return out;
}

std::uint32_t alignment_of(const ptx::Variable& variable) {
  if (variable.align != 0) return variable.align;
  const std::uint32_t vector = std::max<std::uint32_t>(variable.type.vector, 1);
  return std::max(bytes_of(variable.type.name) * vector, std::uint32_t{1});
}

std::string type_of(const ptx::Variable& variable) {
  std::string out = variable.type.vector == 0 ? "" : fmt::format("v{}.", variable.type.vector);
  out += variable.type.name;
  for (const std::uint64_t size : variable.dimensions) out += size == 0 ? "[]" : fmt::format("[{}]", size);
  return out;
}

std::vector<std::uint32_t> tuning_of(const ptx::Function& function, std::string_view directive) {
  for (const ptx::Tuning& tuning : function.tuning) {
    if (tuning.name == directive) return tuning.numbers;
  }
  return {};
}

bool has_tuning(const ptx::Function& function, std::string_view directive) {
  return std::any_of(function.tuning.begin(), function.tuning.end(),
                     [&](const ptx::Tuning& tuning) { return tuning.name == directive; });
}

}  // namespace ptxmc::launch
