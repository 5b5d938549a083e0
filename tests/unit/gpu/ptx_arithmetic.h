// SPDX-License-Identifier: Apache-2.0
// A small evaluator of the integer PTX that harnesses compute places with: one thread, no memory but
// parameters. For tests that compare a kernel's text with what the CPU computes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ptxmc::gpu {

class PtxArithmetic {
 public:
  explicit PtxArithmetic(const std::string& text);

  /// Registers by name, with %. Special registers and parameters count as such: "%tid.x", "[ptxmc_seed]".
  std::map<std::string, std::uint64_t> registers;

  /// Runs from a label (or the beginning: "") to the first line that begins with `stop`; true when it came
  /// there. Loads of parameters read `registers`; what it does not know is skipped.
  bool run(const std::string& from, const std::string& stop);

 private:
  std::uint64_t value(const std::string& operand) const;
  void execute(const std::vector<std::string>& words);

  std::vector<std::string> lines_;
};

}  // namespace ptxmc::gpu
