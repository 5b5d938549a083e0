// SPDX-License-Identifier: Apache-2.0
// A temporary folder and an in-process command line for the tests of src/face/cli.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../message_passing.h"
#include "face/cli/verbs.h"

namespace ptxmc::testing {

struct Ran {
  int status = 0;
  std::string out, err;
};

inline Ran run_line(const std::vector<std::string>& arguments, const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out, err;
  cli::Streams streams{in, out, err, false};
  Ran ran;
  ran.status = static_cast<int>(cli::run(arguments, streams));
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

/// A folder that is removed again.
class Workplace {
 public:
  Workplace() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ptxmc-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Workplace() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  /// Writes a file, with its folders, and returns its path.
  std::string file(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  std::string at(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace ptxmc::testing
