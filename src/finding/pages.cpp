// SPDX-License-Identifier: Apache-2.0
#include "finding/pages.h"

#include <algorithm>

#include "support/check.h"
#include "support/embedded.h"

namespace ptxmc::finding {

std::span<const EmbeddedText> pages();  // of src/finding/pages, embedded

std::string_view page_of(RuleId id) {
  if (id == RuleId::own_flag) return {};
  const auto all = pages();
  const auto page =
      std::find_if(all.begin(), all.end(), [&](const EmbeddedText& p) { return p.name == name_of(id); });
  PTXMC_CHECK(page != all.end(), "src/finding/pages has no page of this rule");
  return page->text;
}

}  // namespace ptxmc::finding
