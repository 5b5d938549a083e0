// SPDX-License-Identifier: Apache-2.0
// Which files a command reads: what is written must be none of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ptxmc::cli {

/// What the command line names, and the folders in which what a module was compiled from is looked for (support/source_files.h).
struct Named {
  Named(std::vector<std::string> arguments, std::vector<std::string> folders = {})
      : files(std::move(arguments)), source_folders(std::move(folders)) {}
  std::vector<std::string> files, source_folders;
};

/// The files that these stand for, with the lists among them; the modules and data that files of launches name; what modules were
/// compiled from; the models that models include. What is wrong with one is said where it is read.
std::vector<std::string> files_read(const Named& named);

}  // namespace ptxmc::cli
