// SPDX-License-Identifier: Apache-2.0
// Which instructions of a kernel stand between two others, as its code goes. Who executes them is not asked: advice about what is
// there and what is missing needs no more.
#pragma once

#include <optional>

#include "dynamic/claim/verify_result.h"

namespace ptxmc::explain {

/// The first instruction after `from` that ran and for which `is` holds; `to` ends it. If `to` stands before `from`, a loop leads
/// there, and the code is read on from its beginning.
template <typename Is>
std::optional<trace::Site> first_between(const claim::VerifyResult& of, trace::Site from, trace::Site to,
                                         const Is& is) {
  const auto sites = static_cast<trace::Site>(of.run->sites());
  for (trace::Site at = from + 1 == sites ? 0 : from + 1; at != from; at = at + 1 == sites ? 0 : at + 1) {
    if (at == to) return std::nullopt;
    if (of.outcome.executed[at] != 0 && is(of.run->instruction(at))) return at;
  }
  return std::nullopt;
}

/// The last one before `to` in the order of the code.
template <typename Is>
std::optional<trace::Site> last_before(const claim::VerifyResult& of, trace::Site to, const Is& is) {
  for (trace::Site at = to; at-- > 0;) {
    if (of.outcome.executed[at] != 0 && is(of.run->instruction(at))) return at;
  }
  return std::nullopt;
}

}  // namespace ptxmc::explain
