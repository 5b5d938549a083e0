// SPDX-License-Identifier: Apache-2.0
#include "face/cli/code_host.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

#include "support/source_files.h"

namespace ptxmc::cli {

void prepare_for_host(const Options& options, report::Sarif& sarif) {
  sarif.identify(
      fmt::format("ptxmc/{}/{}", options.verb, options.category.empty() ? "" : options.category + "/"));
  const auto known = std::make_shared<std::map<std::string, SourceFiles>>();  // by module
  sarif.find_sources([known, folders = options.sources](const std::string& path, const std::string& module) {
    const SourcePtr source = known->try_emplace(module, folders, module).first->second.find(path);
    return source == nullptr ? std::string() : source->name;
  });
}

}  // namespace ptxmc::cli
