// SPDX-License-Identifier: Apache-2.0
// The PTX of what a program hands to the driver: a fat binary, text, or an object file, which has none itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::record {

/// Where compilers that hand out object files leave the PTX of each beside it: X.ptx beside X.cubin.
class PtxBeside {
 public:
  /// Folders that are not there hold nothing.
  explicit PtxBeside(std::vector<std::string> folders) : folders_(std::move(folders)) {}
  /// The text beside the object file of these bytes; empty: there is none.
  std::string of(std::string_view object) const;

 private:
  std::vector<std::string> folders_;
};

/// The PTX that a device of this architecture (90: sm_90) would compile. Throws InputError: there is none, with what to do
/// about it; or it is damaged.
std::string ptx_of(std::string_view image, unsigned architecture, const PtxBeside& beside);

}  // namespace ptxmc::record
