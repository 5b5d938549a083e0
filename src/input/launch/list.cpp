// SPDX-License-Identifier: Apache-2.0
#include "input/launch/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "input/launch/entry.h"
#include "input/launch/numbers.h"
#include "input/launch/usage.h"
#include "ptx/footprint/tensor_map.h"

namespace ptxmc::launch {

namespace {

constexpr std::string_view kRuns = "verify";  // the verb that takes launches of any size

/// "128x1x1", of `.reqntid 128`.
std::string extents(const std::vector<std::uint32_t>& numbers, std::string_view between) {
  std::string out;
  for (std::size_t i = 0; i < 3; ++i)
    out += fmt::format("{}{}", i == 0 ? "" : between, i < numbers.size() ? numbers[i] : 1);
  return out;
}

/// "128" or "8,8,1": for a command line.
std::string sizes(const std::vector<std::uint32_t>& numbers) {
  const auto is_one = [](std::uint32_t number) { return number == 1; };
  if (!numbers.empty() && std::all_of(numbers.begin() + 1, numbers.end(), is_one))
    return fmt::format("{}", numbers.front());
  return extents(numbers, ",");
}

/// The shortest of the entry's names that means it alone, as a word of a shell.
std::string shortest(const ptx::Module& module, const ptx::Function& function) {
  const std::string bare = short_function_name(function.name.name), whole = demangled(function.name.name);
  const std::size_t begin = whole.find(bare);  // behind its return type and namespaces
  const std::string with_types =
      begin == std::string::npos ? "" : whole.substr(begin, whole.find('(', begin) - begin);
  for (const std::string& name : {bare, with_types, function.name.name}) {
    if (name.empty() || matches(module, name) != std::vector<const ptx::Function*>{&function}) continue;
    return name.find_first_of(" <>(),*&$") == std::string::npos ? name : fmt::format("'{}'", name);
  }
  return function.name.name;
}

/// An entry with what is known of its parameters.
struct Known {
  const ptx::Function& function;
  Usage usage;
  std::vector<std::string> types;  // of its parameters, in the language behind; empty: unknown

  Known(const ptx::Module& module, const ptx::Function& entry)
      : function(entry), usage(usage_of(module, entry)), types(parameter_types(entry)) {}

  /// Does it hold an address? Compilers pass one as .u64.
  bool is_address(std::size_t i) const {
    const ptx::Variable& parameter = function.parameters[i];
    const std::string_view type = parameter.type.name;
    if (parameter.pointer) return true;
    if (!parameter.dimensions.empty() || (type != "u64" && type != "b64")) return false;
    return types.empty() || types[i].ends_with('*') || types[i].ends_with('&');
  }

  /// Has it the size of a tensor map, and does the kernel load nothing from it?
  bool may_be_map(std::size_t i) const {
    const ptx::Variable& parameter = function.parameters[i];
    return !parameter.dimensions.empty() && bytes_of(parameter) == footprint::kMapBytes &&
           usage.parts.at(parameter.name()).empty();
  }
};

/// What an argument is in a suggested launch.
struct Suggested {
  std::uint64_t elements = 1;  ///< which counts say, and buffers hold at least
};

/// A count: as many as there are elements, where the type holds that.
std::string placeholder(std::string_view type, const Suggested& suggested) {
  if (type.starts_with('f')) return "1.0";
  return bytes_of(type) < 4 ? "1" : fmt::format("{}", suggested.elements);
}

/// Bytes of what an address leads to, "float const*" say; of other types those of the widest vector.
std::uint64_t element_bytes(std::string_view type) {
  struct Row {
    std::string_view name;
    std::uint64_t bytes;
  };
  constexpr Row kRows[] = {
      {"char", 1},  {"signed char", 1},    {"unsigned char", 1}, {"bool", 1},
      {"short", 2}, {"unsigned short", 2}, {"__half", 2},        {"__nv_bfloat16", 2},
      {"int", 4},   {"unsigned int", 4},   {"float", 4},         {"double", 8},
      {"long", 8},  {"unsigned long", 8},  {"long long", 8},     {"unsigned long long", 8}};
  constexpr std::uint64_t kWidest = 16;
  const std::string_view pointed = type.substr(0, type.find_first_of("*&"));
  const std::string_view bare = pointed.substr(0, pointed.find(" const"));
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& one) { return one.name == bare; });
  return row == std::end(kRows) ? kWidest : row->bytes;
}

/// "buffer:4K", or as many bytes as the elements have, if those are more.
std::string buffer(std::string_view type, const Suggested& suggested) {
  constexpr std::uint64_t kLeast = 4096, kKilobyte = 1024;
  const std::uint64_t bytes = std::max(kLeast, suggested.elements * element_bytes(type));
  return fmt::format("buffer:{}K", (bytes + kKilobyte - 1) / kKilobyte);
}

/// "blob:24,0=u32:1,8=buffer:4K": with what the kernel takes out of it.
std::string blob(const ptx::Variable& parameter, const Usage& usage, const Suggested& suggested) {
  constexpr std::size_t kMostFields = 16;
  std::string out = fmt::format("blob:{}", bytes_of(parameter));
  const auto& parts = usage.parts.at(parameter.name());
  if (parts.size() > kMostFields) return out;
  for (const auto& [offset, part] : parts) {
    if (part.address) {
      out += fmt::format(",{}={}", offset, buffer("", suggested));
    } else if (const std::string type = number_of(part.type); !type.empty()) {
      out += fmt::format(",{}={}:{}", offset, type, placeholder(type, suggested));
    }
  }
  return out;
}

std::string argument(const Known& known, std::size_t i, const Suggested& suggested) {
  const ptx::Variable& parameter = known.function.parameters[i];
  if (known.is_address(i)) return buffer(known.types.empty() ? "" : known.types[i], suggested);
  if (parameter.dimensions.empty()) return placeholder(parameter.type.name, suggested);
  return known.may_be_map(i) ? "tensor:4K:f32:32x32:32x8" : blob(parameter, known.usage, suggested);
}

/// Shared memory of a kernel: what its body declares, and what of the module's it uses.
struct Shared {
  std::vector<const ptx::Variable*> fixed, dynamic;

  void add(const ptx::Variable& variable) {
    if (!variable.space.starts_with("shared")) return;
    (variable.linkage == ptx::Linkage::external ? dynamic : fixed).push_back(&variable);
  }
};

Shared shared_of(const ptx::Module& module, const Known& known) {
  Shared out;
  for (const ptx::Item& item : module.items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable != nullptr && known.usage.names.contains(variable->name())) out.add(*variable);
  }
  for (const ptx::Statement& statement : known.function.body->statements) {
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

/// What the verb can run: the exact engines take few threads.
std::vector<std::uint32_t> block_of(const ptx::Function& function, const std::string& verb) {
  for (const std::string_view directive : {"reqntid", "maxntid"}) {
    const std::vector<std::uint32_t> block = tuning_of(function, directive);
    if (!block.empty() && (directive == "reqntid" || verb == kRuns)) return block;
  }
  return {verb == kRuns ? 128U : 1U};
}

/// Two blocks, or two clusters, so that what goes on between blocks is looked at; as few as there can be for the exact engines.
std::vector<std::uint32_t> grid_of(const ptx::Function& function, const std::string& verb) {
  const std::vector<std::uint32_t> cluster = tuning_of(function, "reqnctapercluster");
  const bool in_clusters = has_tuning(function, "blocksareclusters");
  std::vector<std::uint32_t> out = cluster.empty() || in_clusters ? std::vector<std::uint32_t>{1} : cluster;
  if (verb == kRuns) out.front() *= 2;
  return out;
}

std::uint64_t product(const std::vector<std::uint32_t>& numbers) {
  std::uint64_t out = 1;
  for (const std::uint32_t number : numbers) out *= std::max(number, 1U);
  return out;
}

std::string command(const ptx::Module& module, const Known& known, const Shared& shared,
                    const std::string& verb, const std::string& file) {
  const ptx::Function& function = known.function;
  std::string out = fmt::format("ptxmc {} {}", verb, file);
  if (entries_of(module).size() > 1) out += fmt::format(" --entry {}", shortest(module, function));
  const std::vector<std::uint32_t> cluster = tuning_of(function, "reqnctapercluster"),
                                   grid = grid_of(function, verb), block = block_of(function, verb);
  out += fmt::format(" --grid {} --block {}", sizes(grid), sizes(block));
  if (!cluster.empty()) out += fmt::format(" --cluster {}", sizes(cluster));
  if (!shared.dynamic.empty()) out += " --shared 1K";
  if (known.usage.names.contains("envreg1")) out += " --cooperative";  // the workspace of grid barriers
  const Suggested suggested{verb == kRuns ? product(grid) * product(block) : 1};
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    out += " --arg " + argument(known, i, suggested);
  return out;
}

/// "u32 at 0, address at 8"
std::string part_words(const std::map<std::uint64_t, Usage::Part>& parts) {
  constexpr std::size_t kMostShown = 8;
  std::string out;
  std::size_t shown = 0;
  for (const auto& [offset, part] : parts) {
    if (shown++ == kMostShown) return out + fmt::format(" and {} more", parts.size() - kMostShown);
    out += fmt::format("{}{} at {}", out.empty() ? "" : ", ", part.address ? "address" : part.type, offset);
  }
  return out;
}

std::string parameter_line(const Known& known, std::size_t i) {
  const ptx::Variable& parameter = known.function.parameters[i];
  std::string out =
      fmt::format("  param {:<4} .{}, {} byte{}, align {}", i, type_of(parameter), bytes_of(parameter),
                  bytes_of(parameter) == 1 ? "" : "s", alignment_of(parameter));
  if (!known.types.empty()) out += fmt::format(": {}", known.types[i]);
  const auto& parts = known.usage.parts.at(parameter.name());
  if (!parameter.dimensions.empty() && !parts.empty()) out += fmt::format("; {}", part_words(parts));
  if (known.may_be_map(i)) out += "; a tensor map?";
  return out + "\n";
}

/// Why it cannot be read, with the line; empty: it can.
std::string unread(const ptx::Function& function) {
  if (function.unread.errors.empty()) return "";
  const Diagnostic& first = function.unread.errors.front();
  return fmt::format("line {}: {}", first.position.line, first.message);
}

std::string entry_lines(const ptx::Module& module, const ptx::Function& function, const std::string& verb,
                        const std::string& file) {
  const Known known(module, function);
  std::string out = fmt::format("Entry {}\n", demangled(function.name.name));
  if (demangled(function.name.name) != function.name.name)
    out += fmt::format("  name       {}\n", function.name.name);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) out += parameter_line(known, i);
  const Shared shared = shared_of(module, known);
  if (const std::string why = unread(function); !why.empty())
    return out + fmt::format("  cannot be read: {}\n", why);
  return out + size_lines(function) + shared_lines(shared) + "  " +
         command(module, known, shared, verb, file) + "\n";
}

}  // namespace

std::vector<ListedEntry> listed(const ptx::Module& module, const std::string& verb, const std::string& file) {
  std::vector<ListedEntry> out;
  for (const ptx::Function* function : entries_of(module)) {
    const Known known(module, *function);
    const Shared shared = shared_of(module, known);
    ListedEntry entry{demangled(function->name.name),
                      function->name.name,
                      {},
                      0,
                      !shared.dynamic.empty(),
                      command(module, known, shared, verb, file),
                      unread(*function)};
    for (const ptx::Variable* variable : shared.fixed) entry.shared += bytes_of(*variable);
    for (std::size_t i = 0; i < function->parameters.size(); ++i) {
      const ptx::Variable& parameter = function->parameters[i];
      entry.parameters.push_back({std::string(type_of(parameter)), known.types.empty() ? "" : known.types[i],
                                  bytes_of(parameter), alignment_of(parameter), known.is_address(i),
                                  known.may_be_map(i)});
    }
    out.push_back(std::move(entry));
  }
  return out;
}

std::string example_argument(const ptx::Module& module, const ptx::Function& entry, std::size_t i) {
  return argument(Known(module, entry), i, {});
}

std::string list(const ptx::Module& module, const std::string& verb, const std::string& file) {
  const std::vector<const ptx::Function*> entries = entries_of(module);
  std::string out = fmt::format("Module {}: PTX {}.{}, {} entr{}\n", file, module.major, module.minor,
                                entries.size(), entries.size() == 1 ? "y" : "ies");
  for (const ptx::Function* function : entries) out += "\n" + entry_lines(module, *function, verb, file);
  if (verb == kRuns && !entries.empty())
    out +=
        "\nGive the sizes and values of a launch of yours. An access outside of a buffer is reported with "
        "the size "
        "that\nit needs; what a command line cannot say (data, several launches) stands in a "
        "launch.json.\n";
  return out;
}

}  // namespace ptxmc::launch
