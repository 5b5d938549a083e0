// SPDX-License-Identifier: Apache-2.0
// A verified launch as text.
#pragma once

#include <string>

#include "dynamic/claim/verify_result.h"
#include "support/source_files.h"

namespace ptxmc::report {

/// Text for people: the verdict, the findings, the verdict again with what it covers. `quiet`: without coverage. Quotes lines of
/// `compiled`.
std::string verify_text(const claim::VerifyResult& verified, bool quiet, SourceFiles& compiled);

}  // namespace ptxmc::report
