// SPDX-License-Identifier: Apache-2.0
// Which files a command reads: what is written must be none of them.
#pragma once

#include <string>
#include <vector>

namespace ptxmc::cli {

/// The files that arguments stand for, with the lists among them, and the modules and data that files of launches name. What is wrong
/// with one is said where it is read.
std::vector<std::string> files_read(const std::vector<std::string>& arguments);

}  // namespace ptxmc::cli
