// SPDX-License-Identifier: Apache-2.0
// A module as a list: what can be launched, and with what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/text/syntax.h"

namespace ptxmc::launch {

/// One kernel.
struct ListedEntry {
  struct Parameter {
    std::string type;      ///< "u64"; of an array "b8[128]"
    std::string language;  ///< as the mangled name has it, "float const*"; empty: it does not tell
    std::uint64_t bytes = 0, alignment = 0;
    bool address = false, tensor_map = false;  ///< as the code takes it
  };
  std::string name, symbol;  ///< demangled; as in the module
  std::vector<Parameter> parameters;
  std::uint64_t shared = 0;     ///< bytes that it declares
  bool dynamic_shared = false;  ///< and more, of a size that the launch says
  std::string command;          ///< as in the list
  std::string error;            ///< why it cannot be read; empty: it can
};
/// `file`: as command lines name what holds the module.
std::vector<ListedEntry> listed(const ptx::Module& module, const std::string& verb, const std::string& file);

/// Entries, their parameters, shared memory and required sizes, and for each a command line for `verb`, complete but
/// for what only the user knows.
std::string list(const ptx::Module& module, const std::string& verb, const std::string& file);

/// An example of the i-th argument of the entry, as --arg takes it: "buffer:4K".
std::string example_argument(const ptx::Module& module, const ptx::Function& entry, std::size_t i);

}  // namespace ptxmc::launch
