// SPDX-License-Identifier: Apache-2.0
// The verb `verify`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/settings.h"
#include "cli/status.h"
#include "cli/streams.h"

namespace ptxmc::cli {

struct VerifyOptions {
  Options common;                      ///< files, what to launch, output, timeout
  std::optional<std::string> cta;      ///< "all", or numbers; nothing: CTA 0
  bool trace = true;                   ///< look at what orders accesses
  std::optional<std::uint64_t> steps;  ///< instructions of lanes, at most
};

/// Every launch and test of the files, one after the other. Errors of the input are reported.
Status verify_files(const VerifyOptions& options, Streams& streams);

}  // namespace ptxmc::cli
