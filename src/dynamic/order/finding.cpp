// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/finding.h"

namespace ptxmc::trace {

std::size_t Findings::add(const Finding& finding) {
  const Key key{finding.rule, finding.first.site, finding.second.site, finding.cause};
  const auto [at, fresh] = by_cause_.try_emplace(key, findings_.size());
  if (fresh) {
    findings_.push_back(finding);
  } else {
    findings_[at->second].instances += finding.instances;
    findings_[at->second].alone = findings_[at->second].alone && finding.alone;
  }
  return at->second;
}

}  // namespace ptxmc::trace
