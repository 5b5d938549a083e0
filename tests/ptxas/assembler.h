// SPDX-License-Identifier: Apache-2.0
// The assembler of the CUDA toolkit, run on a text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::test {

struct Assembly {
  bool accepted = false;
  std::map<int, std::string> errors;  ///< by line, the first of each
  std::string output;                 ///< all that it said
};

class Assembler {
 public:
  explicit Assembler(std::string path) : path_(std::move(path)) {}
  /// `arch`: "sm_90a". Throws std::runtime_error when the program cannot be run.
  Assembly run(const std::string& text, const std::string& arch) const;

 private:
  std::string path_;
};

}  // namespace ptxmc::test
