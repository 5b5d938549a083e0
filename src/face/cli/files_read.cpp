// SPDX-License-Identifier: Apache-2.0
#include "face/cli/files_read.h"

#include <filesystem>
#include <sstream>

#include "face/cli/inputs.h"
#include "input/launch/plan_file.h"
#include "support/diagnostic.h"

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

}  // namespace

std::vector<std::string> files_read(const std::vector<std::string>& arguments) {
  std::vector<std::string> out = arguments;
  for (const Input& input : expand_inputs(arguments, &out)) {
    out.push_back(input.name);
    if (input.error.empty() && launch::is_plan_name(input.name)) add_named(input.name, out);
  }
  return out;
}

}  // namespace ptxmc::cli
