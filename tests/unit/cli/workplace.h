// SPDX-License-Identifier: Apache-2.0
// A temporary folder and an in-process command line for the tests of src/cli.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/verbs.h"

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

/// Message passing without synchronization (the weak outcome is allowed) or with it (forbidden).
inline std::string mp(const std::string& name, bool synchronized, const std::string& header = "",
                      const std::string& condition = "exists (P1:r0 == 1 /\\ P1:r1 == 0)") {
  const std::string store = synchronized ? "st.release.gpu flag, 1 " : "st.relaxed.gpu flag, 1 ";
  const std::string load = synchronized ? "ld.acquire.gpu r0, flag" : "ld.relaxed.gpu r0, flag";
  return "PTX " + name + "\n" + header + "{ data=0; flag=0; }\n" +
         " P0 @ gpu 0, cta 0      | P1 @ gpu 0, cta 1       ;\n"
         " st.weak data, 1        | " +
         load + " ;\n" + " " + store + "| ld.weak r1, data        ;\n" + condition + "\n";
}

}  // namespace ptxmc::testing
