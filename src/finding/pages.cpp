// SPDX-License-Identifier: Apache-2.0
#include "finding/pages.h"

#include <algorithm>

#include "support/check.h"

namespace ptxmc::finding {

std::string_view page_of(RuleId id) {
  if (id == RuleId::own_flag) return {};
  const auto pages = detail::pages();
  const auto page =
      std::find_if(pages.begin(), pages.end(), [&](const Page& p) { return p.rule == name_of(id); });
  PTXMC_CHECK(page != pages.end(), "src/finding/pages has no page of this rule");
  return page->text;
}

}  // namespace ptxmc::finding
