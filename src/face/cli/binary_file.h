// SPDX-License-Identifier: Apache-2.0
// Files that compilers make of CUDA programs, where a text is expected.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ptxmc::cli {

/// Bytes from the beginning of a file that are enough to recognise it.
constexpr std::size_t kRecognised = 4096;

/// What a compiler or a linker made, by its first bytes, and what to do with it; empty: it is nothing of that kind.
std::string compiled_file(const std::string& name, std::string_view head);
/// A program of this machine, by its first bytes.
bool is_program(std::string_view head);
/// Whether bytes that are at the beginning of no text are there.
bool is_binary(std::string_view head);

}  // namespace ptxmc::cli
