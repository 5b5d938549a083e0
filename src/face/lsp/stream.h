// SPDX-License-Identifier: Apache-2.0
// Messages of the Language Server Protocol's base protocol: a header with Content-Length, an empty line, JSON-RPC 2.0.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace ptxmc::lsp {

/// A message may be so long, in bytes; a longer one is skipped.
constexpr std::size_t kMaxMessage = std::size_t{64} << 20;

struct Incoming {
  std::string body;
  std::string error;  ///< what is wrong with the frame; the stream stands behind it
};

/// The next message; nothing at the end of the stream.
std::optional<Incoming> read_message(std::istream& in);
void write_message(std::ostream& out, const nlohmann::json& message);

}  // namespace ptxmc::lsp
