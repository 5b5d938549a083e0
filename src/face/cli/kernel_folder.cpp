// SPDX-License-Identifier: Apache-2.0
#include "face/cli/kernel_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "input/launch/plan_file.h"
#include "input/litmus/nvidia.h"
#include "support/printable.h"

namespace ptxmc::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPlan = std::size_t{1} << 28;  // bytes

/// The module that a file of launches names, beside it; nothing: it is another kind of JSON.
std::optional<std::string> module_of_plan(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::optional<std::string> text = read_bounded(in, kMostPlan);
  if (!text) return std::nullopt;
  const nlohmann::json plan = nlohmann::json::parse(*text, nullptr, false);
  if (!plan.is_object() || !plan.contains("module") || !plan["module"].is_string()) return std::nullopt;
  const bool launches = plan.contains("block") || plan.contains("launches") || plan.contains("entry");
  return launches ? std::optional(plan["module"].get<std::string>()) : std::nullopt;
}

struct Found {
  std::vector<std::string> tests, launches, modules;
  std::set<fs::path> launched;  ///< modules that launches name, canonical
  std::set<std::string> other;  ///< extensions of files that were left, "no extension" for none
  std::size_t left = 0;
  std::string error;

  void add(const fs::path& path) {
    const fs::path kind = path.extension();
    std::error_code ignored;
    if (kind == ".litmus" || kind == ".test") {
      tests.push_back(path.string());
    } else if (kind == ".ptx") {
      modules.push_back(path.string());
    } else if (const auto module = kind == ".json" ? module_of_plan(path) : std::nullopt) {
      launches.push_back(path.string());
      launched.insert(fs::weakly_canonical(path.parent_path() / *module, ignored));
    } else {
      ++left;
      other.insert(kind.empty() ? "no extension" : kind.string());
    }
  }
};

Found find_in(const std::string& folder) {
  Found out;
  try {
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) out.add(entry.path());
  } catch (const fs::filesystem_error& error) {
    out.error = fmt::format("'{}': {}", folder, error.code().message());
  }
  std::erase_if(out.modules, [&](const std::string& module) {
    std::error_code ignored;
    return out.launched.contains(fs::weakly_canonical(module, ignored));
  });
  return out;
}

std::string count_of(std::size_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

bool is_launch_file(const std::string& file) {
  return launch::is_plan_name(file) && module_of_plan(file).has_value();
}

bool holds_kernels_alone(const std::string& folder) {
  const Found found = find_in(folder);
  return found.tests.empty() && !(found.launches.empty() && found.modules.empty());
}

KernelFolder kernel_folder(const std::string& folder) {
  const Found found = find_in(folder);
  if (!found.error.empty()) return {{{folder, found.error}}, ""};
  KernelFolder out;
  for (const auto* names : {&found.launches, &found.modules, &found.tests})
    for (const std::string& name : *names) out.inputs.push_back({name, ""});
  std::sort(out.inputs.begin(), out.inputs.end(),
            [](const Input& a, const Input& b) { return a.name < b.name; });
  if (out.inputs.empty())
    return {{{folder,
              fmt::format("'{}': no launch (.json), module (.ptx) or test (.litmus, .test) in this folder",
                          folder)}},
            ""};
  out.note = fmt::format("{}: took {}, {} that no launch names, and {}", folder,
                         count_of(found.launches.size(), "file of launches", "files of launches"),
                         count_of(found.modules.size(), "module", "modules"),
                         count_of(found.tests.size(), "test", "tests"));
  if (found.left != 0)
    out.note += fmt::format("; left {} ({})", count_of(found.left, "other file", "other files"),
                            fmt::join(found.other, ", "));
  out.note += "\n";
  return out;
}

}  // namespace ptxmc::cli
