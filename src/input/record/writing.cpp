// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "input/record/recorder.h"
#include "support/demangle.h"
#include "support/refuse.h"

namespace ptxmc::record {

namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  out.close();
  if (!out) refuse(fmt::format("cannot write '{}'", path.string()));
}

std::string file_stem(const std::string& kernel) {
  constexpr std::size_t kMost = 60;
  std::string out;
  for (const char c : short_function_name(kernel))
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
  return out.substr(0, kMost);
}

/// One line for all kernels of one reason; instances of a template have one name.
std::string told(const std::set<std::string>& kernels, const std::string& why) {
  constexpr std::size_t kMostNames = 4;
  std::set<std::string> names;
  for (const std::string& kernel : kernels) names.insert(fmt::format("`{}`", short_function_name(kernel)));
  if (names.size() == 1 && kernels.size() == 1)
    return fmt::format("warning: {} was not recorded: {}\n", *names.begin(), why);
  std::vector<std::string> first(
      names.begin(),
      std::next(names.begin(), static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNames))));
  if (names.size() > kMostNames) first.push_back("...");
  return fmt::format("warning: {} kernels were not recorded ({}): {}\n", kernels.size(),
                     fmt::join(first, ", "), why);
}

/// Removes the files that a run wrote into the folder of a launch, and the folder if no other is in it.
void remove_launch(const fs::path& folder) {
  std::vector<fs::path> files = {folder / "launch.json", folder / "sequence.json", folder / "module.ptx"};
  const bool ours = fs::exists(files[2]) && (fs::exists(files[0]) || fs::exists(files[1]));
  if (!ours) return;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".bin") files.push_back(entry.path());
  for (const fs::path& file : files) fs::remove(file);
  if (fs::is_empty(folder)) fs::remove(folder);
}

}  // namespace

Writing::Writing(const RecordOptions& options) : options_(options) {
  std::error_code none;
  if (options.keep || !fs::is_directory(options.folder, none)) return;
  try {
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(options.folder))
      if (entry.is_directory()) folders.push_back(entry.path());
    for (const fs::path& folder : folders) remove_launch(folder);
  } catch (const fs::filesystem_error& error) {
    refuse(fmt::format("cannot remove earlier launches in '{}': {}; --keep leaves them", options.folder,
                       error.code().message()));
  }
}

std::string Writing::folder_for(const std::string& stem) {
  for (;;) {
    const std::size_t number = ++stems_[stem];
    const fs::path folder =
        fs::path(options_.folder) / (number == 1 ? stem : fmt::format("{}-{}", stem, number));
    if (!fs::exists(folder)) return folder.string();
  }
}

/// Those of its launches that were written.
std::vector<std::string> Writing::files_of(const std::vector<Scene>& scenes,
                                           const std::string& module_text) const {
  std::vector<std::string> out;
  for (const Scene& scene : scenes) {
    std::map<std::string, std::string> none;
    const auto found = seen_.find(plan_of({scene}, none) + module_text);
    if (found != seen_.end() && found->second) out.push_back(recorded_[*found->second].file);
  }
  return out;
}

void Writing::add(const std::vector<Scene>& scenes, const std::string& module_text) {
  const std::string& kernel = scenes.front().call.kernel;
  const bool sequence = scenes.size() > 1;
  if (!sequence) ++launches_;
  std::map<std::string, std::string> files;
  const std::string plan = plan_of(scenes, files);
  const auto [seen, is_new] = seen_.try_emplace(plan + module_text);
  if (!is_new) {
    if (seen->second) ++recorded_[*seen->second].times;
    return;
  }
  const std::string name = sequence ? "sequence" : kernel;
  if (++kernels_[name] > options_.launches) {
    ++left_out_[sequence ? "sequences of launches" : fmt::format("launches of `{}`", demangled(kernel))];
    return;
  }
  const fs::path folder = folder_for(sequence ? "sequence" : file_stem(kernel));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) refuse(fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
  write_file(folder / "module.ptx", module_text);
  if (module_text.find(".loc") == std::string::npos) ++without_lines_;
  for (const auto& [file, bytes] : files) write_file(folder / file, bytes);
  Recorded out;
  out.file = (folder / (sequence ? "sequence.json" : "launch.json")).string();
  out.kernel = kernel;
  out.sequence = sequence;
  if (sequence) out.launches = files_of(scenes, module_text);
  out.programmatic = std::any_of(scenes.begin(), scenes.end(),
                                 [](const Scene& scene) { return scene.call.programmatic != 0; });
  write_file(out.file, plan);
  seen->second = recorded_.size();
  recorded_.push_back(std::move(out));
}

std::string Writing::summary() const {
  std::size_t launches = 0;
  for (const Recorded& one : recorded_) launches += one.sequence ? 0 : 1;
  std::string out = fmt::format("{} launch{}, {} different, {} sequence{}: {}\n", launches_,
                                launches_ == 1 ? "" : "es", launches, recorded_.size() - launches,
                                recorded_.size() - launches == 1 ? "" : "s", options_.folder);
  for (const auto& [what, count] : left_out_)
    out += fmt::format("left out, beyond {}: {} more {} (--launches N)\n", options_.launches, count, what);
  if (without_lines_ != 0)
    out +=
        "note: the PTX has no lines of the CUDA source: build with nvcc -lineinfo, and findings name them\n";
  for (const auto& [why, kernels] : unknown_) out += told(kernels, why);
  for (const auto& [sentence, count] : troubles_)
    out += count == 1 ? fmt::format("warning: {}\n", sentence)
                      : fmt::format("warning: {} ({} times)\n", sentence, count);
  return out;
}

}  // namespace ptxmc::record
