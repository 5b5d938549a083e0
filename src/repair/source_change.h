// SPDX-License-Identifier: Apache-2.0
// Changes of the CUDA source, where what is changed in PTX is a statement that the source can hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/origins.h"

namespace ptxmc::repair {

/// A statement on a line of its own, before or after one that is there; a new one, or one that stood elsewhere.
struct SourceChange {
  SourceFrame at;  ///< the instruction that the change stands beside was compiled from this
  bool behind = false;
  std::string statement;    ///< "__syncthreads();"; empty: the one of line `taken`
  std::uint32_t taken = 0;  ///< whose line is left out; 0: none
  friend bool operator==(const SourceChange&, const SourceChange&) = default;
};

/// The statement of PTX instructions, which `; ` separates: a function of CUDA, or `asm volatile`. Nothing: they name registers.
std::optional<std::string> statement_of(const std::string& instructions);

/// The source with the changes; nothing: at some line no statement can stand, as another one does not begin or end there.
std::optional<std::string> with_changes(const std::string& source, const std::vector<SourceChange>& changes);

}  // namespace ptxmc::repair
