// SPDX-License-Identifier: Apache-2.0
// What `verify` found in kernels, by the files that it is about; knows no protocol.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptxmc::lsp {

struct KernelPlace {
  std::string file;               ///< a path
  std::uint32_t line, character;  ///< from 0; a column in bytes
  std::string message;
};

struct KernelFinding {
  KernelPlace place;
  std::string rule, severity;       ///< "error", "warning" or "note"
  std::vector<KernelPlace> others;  ///< what it is about, too
};

struct KernelAnswer {
  std::string title;  ///< a line for all launches; empty: nothing is launched
  std::vector<KernelFinding> findings;
};

/// What the lines of `verify --format json` say. Findings that are waived or known are left out.
KernelAnswer read_answer(const std::string& lines);

}  // namespace ptxmc::lsp
