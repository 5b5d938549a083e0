// SPDX-License-Identifier: Apache-2.0
// A timeline drawn: a row for each role and each object with phases, columns in the order of the run. Every column has at
// most one mark a row, and begins at the step that stands above it.
#pragma once

#include <string>

#include "dynamic/claim/verify_result.h"
#include "explain/verify/timeline.h"

namespace ptxmc::report {

/// Two elements: the names of the rows, and the picture, whose rows are as high.
std::string timeline_html(const claim::VerifyResult& verified, const explain::Timeline& timeline);
/// A picture of its own: the lines of a report, and the timeline below it.
std::string timeline_svg(const claim::VerifyResult& verified, const explain::Timeline& timeline,
                         const std::string& report);
/// "full+8", "barrier 1 of block 0"
std::string object_name(const claim::VerifyResult& verified, const explain::Timeline& timeline,
                        const explain::SyncObject& object);

}  // namespace ptxmc::report
