// SPDX-License-Identifier: Apache-2.0
// Findings that users accept: waived, with a reason, in the source or in a configuration; or known, from a baseline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace ptxmc::finding {

enum class AcceptedAs : std::uint8_t {
  nothing,  ///< it is a finding like any other
  waived,   ///< a comment or the configuration gives a reason
  known,    ///< it is in the baseline
};
/// "waived", "known"; empty for nothing.
std::string_view name_of(AcceptedAs accepted);

struct Acceptance {
  AcceptedAs as = AcceptedAs::nothing;
  std::string why;    ///< the reason, as written; empty: in the baseline
  std::string where;  ///< "sum.cu:8", or the file of the configuration or the baseline

  bool accepted() const { return as != AcceptedAs::nothing; }
};

/// A comment `// ptxmc: ignore RULE, RULE: REASON`, for its own line and the next one.
struct Waiver {
  std::uint32_t line = 0;
  std::vector<std::string> rules;  ///< names of today
  std::string reason;

  bool covers(std::uint32_t of, std::string_view rule) const;
};

struct Waivers {
  std::vector<Waiver> all;
  std::vector<Diagnostic> warnings;  ///< comments that waive nothing: an unknown rule, no reason
};
/// The waivers of a CUDA source or of a module.
Waivers waivers_in(const SourcePtr& source);

/// A rule that the configuration waives, wherever it is found.
struct WaivedRule {
  std::string rule, reason;
};

/// How often a launch has each finding, by fingerprint.
using Baseline = std::map<std::string, std::size_t>;

}  // namespace ptxmc::finding
