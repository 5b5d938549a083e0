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

#include "face/cli/shell.h"
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

std::string launches_of(const Found& found) {
  return count_of(found.launches.size(), "file of launches", "files of launches");
}

std::string modules_of(const Found& found) {
  return count_of(found.modules.size(), "module", "modules") + " that no launch names";
}

}  // namespace

bool is_launch_file(const std::string& file) {
  return launch::is_plan_name(file) && module_of_plan(file).has_value();
}

std::string cuda_module_of(const std::string& file) {
  const std::optional<std::string> module = launch::is_plan_name(file) ? module_of_plan(file) : std::nullopt;
  return module && module->ends_with(".cu") ? (fs::path(file).parent_path() / *module).string() : "";
}

std::vector<std::string> launches_beside(const std::string& source) {
  std::error_code ignored;
  const fs::path wanted = fs::weakly_canonical(fs::absolute(source), ignored);
  const fs::path folder = fs::path(source).parent_path();
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
    if (!entry.is_regular_file(ignored) || !launch::is_plan_name(entry.path().string())) continue;
    const std::optional<std::string> module = module_of_plan(entry.path());
    if (!module) continue;
    fs::path named = fs::weakly_canonical(fs::absolute(folder / *module), ignored);
    if (named.extension() == ".ptx") named.replace_extension(".cu");
    if (named == wanted) out.push_back((folder / entry.path().filename()).string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool holds_kernels(const std::string& folder) {
  const Found found = find_in(folder);
  return !(found.launches.empty() && found.modules.empty());
}

std::string kernels_left(const std::vector<std::string>& files) {
  std::string out;
  for (const std::string& file : files) {
    std::error_code ignored;
    if (!fs::is_directory(file, ignored)) continue;
    const Found found = find_in(file);
    if (found.launches.empty() && found.modules.empty()) continue;
    out += fmt::format("{}: took {}; left {} and {}: `ptxmc verify {}` checks them\n", file,
                       count_of(found.tests.size(), "test", "tests"), launches_of(found), modules_of(found),
                       shell_word(file));
  }
  return out;
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
  out.note = fmt::format("{}: took {}, {}, and {}", folder, launches_of(found), modules_of(found),
                         count_of(found.tests.size(), "test", "tests"));
  if (found.left != 0)
    out.note += fmt::format("; left {} ({})", count_of(found.left, "other file", "other files"),
                            fmt::join(found.other, ", "));
  if (!found.tests.empty())
    out.note += fmt::format("; `ptxmc check {}` compares the verdicts that tests state", shell_word(folder));
  out.note += "\n";
  return out;
}

}  // namespace ptxmc::cli
