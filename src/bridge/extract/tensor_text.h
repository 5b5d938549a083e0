// SPDX-License-Identifier: Apache-2.0
// tcgen05 instructions of a slice as those of a litmus test: of the smallest shapes that touch the byte in question, which
// is in the first column of a variable.
#pragma once

#include <string>
#include <vector>

#include "bridge/extract/log.h"
#include "bridge/extract/slice.h"

namespace ptxmc::extract {

class TensorText {
 public:
  explicit TensorText(const Slice& slice);

  /// Throws Unwritten. `target`: a register that is free.
  std::string access(const TensorAccess& access, const std::string& target);
  std::string commit(const trace::TensorCommit& commit, const std::string& object);
  std::vector<std::string> declarations() const;
  bool used() const { return used_; }

 private:
  std::string product(const TensorAccess& access);

  trace::Address lane_ = 0;              // of the byte in question, the first of a warp
  std::vector<std::uint64_t> products_;  // which are told apart by their widths
  bool used_ = false;
};

}  // namespace ptxmc::extract
