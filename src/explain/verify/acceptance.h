// SPDX-License-Identifier: Apache-2.0
// Which findings of a run are waived or known, and fingerprints by which a baseline knows them again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "explain/finding.h"
#include "finding/acceptance.h"
#include "support/source_files.h"

namespace ptxmc::explain {

/// 16 hexadecimal digits of the rule, the kernel and the text of each line that the finding is about. Lines that move keep it; registers
/// of PTX are left out.
std::string fingerprint_of(const claim::VerifyResult& verified, const Finding& finding, SourceFiles& sources);

/// What users accept.
struct Accepting {
  std::vector<finding::WaivedRule> rules = {};  ///< of the configuration
  std::string configuration = {};               ///< its file
  finding::Baseline baseline = {};
  std::string baseline_file = {};
  bool all_known = false;  ///< a baseline is written: what is found is known from now on
};

/// A waiver in a source that the launch has to do with.
struct WaiverUse {
  std::string place;  ///< "sum.cu:8", with folders as users write them
  std::string rule;
  bool used = false;
};

struct Accepted {
  std::vector<WaiverUse> waivers;
  std::vector<Diagnostic> warnings;  ///< comments that waive nothing
};

/// Fills verified.accepted; what was there is replaced. Waivers are those of the module and of what it was compiled from.
Accepted accept(claim::VerifyResult& verified, SourceFiles& sources, const Accepting& accepting);

/// "1 waived, 2 known"; empty: none is accepted.
std::string accepted_text(const std::vector<Finding>& findings);

}  // namespace ptxmc::explain
