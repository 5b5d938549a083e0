// SPDX-License-Identifier: Apache-2.0
// Files of the corpus as text.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace ptxmc::testing {

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace ptxmc::testing
