// SPDX-License-Identifier: Apache-2.0
#include "launch/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "launch/entry.h"

namespace ptxmc::launch {

namespace {

/// "128x1x1", of `.reqntid 128`.
std::string extents(const std::vector<std::uint32_t>& numbers, std::string_view between) {
  std::string out;
  for (std::size_t i = 0; i < 3; ++i)
    out += fmt::format("{}{}", i == 0 ? "" : between, i < numbers.size() ? numbers[i] : 1);
  return out;
}

/// A part of the entry's name that no other has: up to its parameters, else all of it.
std::string shortest(const ptx::Module& module, const ptx::Function& function) {
  const std::string whole = demangled(function.name.name);
  std::string name = whole.substr(0, whole.find_first_of("(<"));
  name = name.substr(name.find_last_of(": ") == std::string::npos ? 0 : name.find_last_of(": ") + 1);
  std::size_t users = 0;
  for (const ptx::Function* other : entries_of(module)) {
    const bool has = other->name.name.find(name) != std::string::npos ||
                     demangled(other->name.name).find(name) != std::string::npos;
    users += has ? 1 : 0;
  }
  return users == 1 && !name.empty() ? name : function.name.name;
}

/// Does it hold an address? Compilers pass one as .u64.
bool is_address(const ptx::Variable& parameter) {
  return parameter.pointer || (parameter.dimensions.empty() && parameter.type.name == "u64") ||
         (parameter.dimensions.empty() && parameter.type.name == "b64");
}

std::string placeholder(const ptx::Variable& parameter) {
  if (is_address(parameter)) return "buffer:4K";
  if (!parameter.dimensions.empty()) return fmt::format("blob:{}", bytes_of(parameter));
  return parameter.type.name.starts_with('f') ? "1.0" : "1";
}

/// Shared memory of a kernel: what its body and the module declare. Which of the module's it uses is not looked at.
struct Shared {
  std::vector<const ptx::Variable*> fixed, dynamic;

  void add(const ptx::Variable& variable) {
    if (!variable.space.starts_with("shared")) return;
    (variable.linkage == ptx::Linkage::external ? dynamic : fixed).push_back(&variable);
  }
};

Shared shared_of(const ptx::Module& module, const ptx::Function& function) {
  Shared out;
  for (const ptx::Item& item : module.items) {
    if (const auto* variable = std::get_if<ptx::Variable>(&item)) out.add(*variable);
  }
  for (const ptx::Statement& statement : function.body->statements) {
    const auto* variables = std::get_if<ptx::Variables>(&statement.node);
    if (variables == nullptr) continue;
    for (const ptx::Variable& variable : variables->variables) out.add(variable);
  }
  return out;
}

std::string shared_lines(const Shared& shared) {
  std::string out;
  std::uint64_t bytes = 0;
  for (const ptx::Variable* variable : shared.fixed) bytes += bytes_of(*variable);
  if (bytes != 0)
    out += fmt::format("  shared     {} bytes in {} variable{}\n", bytes, shared.fixed.size(),
                       shared.fixed.size() == 1 ? "" : "s");
  for (const ptx::Variable* variable : shared.dynamic)
    out += fmt::format("  dynamic    {}, align {}\n", variable->name(), alignment_of(*variable));
  return out;
}

std::string size_lines(const ptx::Function& function) {
  std::string out;
  const auto line = [&](std::string_view what, std::string_view directive) {
    const std::vector<std::uint32_t> numbers = tuning_of(function, directive);
    if (!numbers.empty()) out += fmt::format("  {:<10} {} (.{})\n", what, extents(numbers, "x"), directive);
  };
  line("block", "reqntid");
  line("at most", "maxntid");
  line("cluster", "reqnctapercluster");
  line("at most", "maxclusterrank");
  return out;
}

std::string command(const ptx::Module& module, const ptx::Function& function, const Shared& shared,
                    const std::string& verb) {
  std::string out = fmt::format("ptxmc {} {}", verb, module.source->name);
  if (entries_of(module).size() > 1) out += fmt::format(" --entry {}", shortest(module, function));
  const std::vector<std::uint32_t> block = tuning_of(function, "reqntid");
  const std::vector<std::uint32_t> cluster = tuning_of(function, "reqnctapercluster");
  out += fmt::format(" --grid {}", cluster.empty() ? "1" : extents(cluster, ","));
  out += fmt::format(" --block {}", block.empty() ? "1" : extents(block, ","));
  if (!cluster.empty()) out += fmt::format(" --cluster {}", extents(cluster, ","));
  if (!shared.dynamic.empty()) out += " --shared 1K";
  for (const ptx::Variable& parameter : function.parameters) out += " --arg " + placeholder(parameter);
  return out;
}

std::string entry_lines(const ptx::Module& module, const ptx::Function& function, const std::string& verb) {
  std::string out = fmt::format("Entry {}\n", demangled(function.name.name));
  if (demangled(function.name.name) != function.name.name)
    out += fmt::format("  name       {}\n", function.name.name);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const ptx::Variable& parameter = function.parameters[i];
    out += fmt::format("  param {:<4} .{}, {} bytes, align {}\n", i, type_of(parameter), bytes_of(parameter),
                       alignment_of(parameter));
  }
  const Shared shared = shared_of(module, function);
  return out + size_lines(function) + shared_lines(shared) + "  " + command(module, function, shared, verb) +
         "\n";
}

}  // namespace

std::string list(const ptx::Module& module, const std::string& verb) {
  const std::vector<const ptx::Function*> entries = entries_of(module);
  std::string out = fmt::format("Module {}: PTX {}.{}, {} entr{}\n", module.source->name, module.major,
                                module.minor, entries.size(), entries.size() == 1 ? "y" : "ies");
  for (const ptx::Function* function : entries) out += "\n" + entry_lines(module, *function, verb);
  return out;
}

}  // namespace ptxmc::launch
