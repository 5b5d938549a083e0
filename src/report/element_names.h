// SPDX-License-Identifier: Apache-2.0
// Elements of shared arrays as CUDA names them. PTX has the bytes of a variable and not its type, so the declaration is looked up in
// the source that a report quotes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptxmc::report {

/// "tile[1][0]", of `bytes` bytes from byte `offset` of `variable` on, by its last declaration that begins in the first `line` lines.
/// Nothing: there is none that can be read, or no element begins there.
std::optional<std::string> element_name(std::string_view source, std::uint32_t line,
                                        std::string_view variable, std::uint64_t offset, std::uint64_t bytes);

}  // namespace ptxmc::report
