// SPDX-License-Identifier: Apache-2.0
// The texts that a module was compiled from, where they can be found: reports quote their lines.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/source.h"

namespace ptxmc {

class SourceFiles {
 public:
  /// `folders` are searched first, then the path itself, then the folder that the file `module` is in.
  SourceFiles(const std::vector<std::string>& folders, const std::string& module);

  /// The text of the file that a compiler wrote as `path`, named as a user in the current folder would name it. Null: it is not found,
  /// is no regular file, or has more than 16 MiB. Each file is read once.
  SourcePtr find(const std::string& path);

 private:
  SourcePtr read(const std::string& path) const;

  std::vector<std::filesystem::path> folders_;
  std::filesystem::path beside_;
  std::map<std::string, SourcePtr> known_;
};

}  // namespace ptxmc
