// SPDX-License-Identifier: Apache-2.0
// From FILE arguments to test texts: files, folders, `@list` files and standard input.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "input/litmus/test.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace ptxmc::cli {

/// One test to read, or what is wrong with an argument (so that it is reported in its place).
struct Input {
  std::string name;   ///< path, or "-" for standard input
  std::string error;  ///< empty: none
  /// The text, where it is not that of the file `name`: a module that was made of that file (kernel_inputs.h). Null: the file's.
  SourcePtr text = nullptr;
  std::string unlaunched = {};  ///< what else to do with a module of which nothing is launched; may be empty
  std::string file = {};        ///< as command lines name it; empty: as `name`
  /// The module of a file of launches, where that names a CUDA source, which was compiled. Null: the file that it names.
  SourcePtr module = nullptr;
};

/// Expands arguments in order. A folder stands for every *.litmus and *.test below it, sorted by path;
/// `@list` for the names in that file, one a line, relative to its folder, blank lines and lines that start
/// with # skipped (a file whose own name starts with @ is a list too, as in the herd family). "-" may occur
/// once. Never throws. `lists`, where it is not null, gets the files of lists. `of_folder`: what a folder stands for instead.
using FolderInputs = std::function<std::vector<Input>(const std::string& folder)>;
std::vector<Input> expand_inputs(const std::vector<std::string>& arguments,
                                 std::vector<std::string>* lists = nullptr, FolderInputs of_folder = {});

constexpr std::size_t kMaxTestBytes = 4u << 20;
constexpr std::size_t kMaxLogBytes = 1u << 29;

/// Reads a text. Throws InputError when it cannot be read, or is longer than `limit`.
SourcePtr read_input(const Input& input, std::istream& standard_input, std::size_t limit = kMaxTestBytes);

/// The text of a file that reports point into; null where it cannot be read, or not again.
SourcePtr source_of(const std::string& name);

/// The tests of a text: those of a file in NVIDIA's notation when its name ends in `.test`, else one litmus
/// test. Throws InputError; returns at least one test. What it warns of goes to `warnings`, where there is one.
std::vector<litmus::Test> parse_input(const SourcePtr& source, std::vector<Diagnostic>* warnings = nullptr);

}  // namespace ptxmc::cli
