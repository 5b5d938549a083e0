// SPDX-License-Identifier: Apache-2.0
#include "launch/source_lines.h"

#include <fmt/format.h>

#include <string_view>

namespace ptxmc::launch {

namespace {

std::string_view without_folder(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);  // npos + 1 is 0
}

}  // namespace

std::map<std::uint32_t, std::string> source_lines(const ptx::Module& module) {
  std::map<std::uint32_t, std::string_view> files;
  for (const ptx::Item& item : module.items) {
    if (const auto* file = std::get_if<ptx::File>(&item))
      files.emplace(file->index, without_folder(file->name));
  }
  std::map<std::uint32_t, std::string> out;
  for (const ptx::Item& item : module.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr || !function->body) continue;
    std::string here;  // a function begins without a place
    for (const ptx::Statement& statement : function->body->statements) {
      if (const auto* location = std::get_if<ptx::Location>(&statement.node)) {
        const auto file = files.find(location->at.file);
        const bool known = file != files.end() && location->at.line != 0;
        here = known ? fmt::format("{}:{}", file->second, location->at.line) : "";
      } else if (std::holds_alternative<ptx::Instruction>(statement.node) && !here.empty()) {
        out.emplace(statement.position.line, here);
      }
    }
  }
  return out;
}

}  // namespace ptxmc::launch
