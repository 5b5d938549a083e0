// SPDX-License-Identifier: Apache-2.0
// What is wrong with a word that is no argument of a launch, and what was probably meant.
#pragma once

#include <string>
#include <vector>

namespace ptxmc::launch {

/// "a null pointer is the number 0: --arg 0". `buffers`: names that arguments before it gave; `own`: such a name for this one.
std::string wrong_argument(const std::string& word, const std::vector<std::string>& buffers);

/// "4K", where a word such as 4k or 4KiB stands for a number of bytes; empty: it does not.
std::string meant_size(const std::string& word);

}  // namespace ptxmc::launch
