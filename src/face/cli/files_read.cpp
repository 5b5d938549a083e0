// SPDX-License-Identifier: Apache-2.0
#include "face/cli/files_read.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include "face/cli/inputs.h"
#include "input/launch/plan_file.h"
#include "support/diagnostic.h"
#include "support/source_files.h"

namespace ptxmc::cli {

namespace {

/// The module of a file of launches, and what its memory holds.
void add_named(const std::string& file, std::vector<std::string>& out) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 28;
  launch::Plan plan;
  try {
    std::istringstream nothing;
    plan = launch::read_plan(read_input({file, ""}, nothing, kMostBytes));
  } catch (const InputError&) {
    return;
  }
  const auto add = [&](const std::string& named) {
    if (!named.empty()) out.push_back((std::filesystem::path(file).parent_path() / named).string());
  };
  add(plan.module);
  for (const auto* buffers : {&plan.memory, &plan.variables}) {
    for (const launch::Buffer& buffer : *buffers) {
      add(buffer.contents.file);
      for (const launch::Buffer::Range& range : buffer.ranges) add(range.contents.file);
    }
  }
}

/// The names in quotation marks that follow a word in a file, on the same line.
std::vector<std::string> names_behind(std::string_view word, const std::string& file) {
  std::vector<std::string> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    for (auto at = line.find(word); at != std::string::npos; at = line.find(word, at + word.size())) {
      const auto begin = line.find('"', at),
                 end = begin == std::string::npos ? begin : line.find('"', begin + 1);
      if (end != std::string::npos) out.push_back(line.substr(begin + 1, end - begin - 1));
    }
  }
  return out;
}

/// What the modules among these files were compiled from, which a report quotes, and the models that models include.
void add_sources(const std::vector<std::string>& folders, std::vector<std::string>& out) {
  std::set<std::string> known(out.begin(), out.end());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::string file = out[i];
    const auto add = [&](const std::string& name) {
      if (known.insert(name).second) out.push_back(name);
    };
    if (file.ends_with(".ptx")) {
      SourceFiles sources(folders, file);
      for (const std::string& name : names_behind(".file", file)) {
        if (const SourcePtr source = sources.find(name)) add(source->name);
      }
    } else if (file.ends_with(".cat")) {
      for (const std::string& name : names_behind("include", file))
        add((std::filesystem::path(file).parent_path() / name).string());
    }
  }
}

}  // namespace

std::vector<std::string> files_read(const Named& named) {
  std::vector<std::string> out = named.files;
  for (const Input& input : expand_inputs(named.files, &out)) {
    out.push_back(input.name);
    if (input.error.empty() && launch::is_plan_name(input.name)) add_named(input.name, out);
  }
  add_sources(named.source_folders, out);
  return out;
}

}  // namespace ptxmc::cli
