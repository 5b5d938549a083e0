// SPDX-License-Identifier: Apache-2.0
// A finding as a card of a page, for every verb.
#pragma once

#include <functional>
#include <string>

#include "report/finding_lines.h"

namespace ptxmc::report {

/// What a place is linked with on the page.
struct PlaceLink {
  std::string tag;    ///< "1a", its mark in the timeline; may be empty
  std::string event;  ///< value of data-e; empty: nothing
};

/// `link_of`: by number of the place. `picture` ends the card.
std::string finding_html(const explain::Finding& finding, const Quoted& quoted,
                         const std::function<PlaceLink(std::size_t place)>& link_of,
                         const std::string& picture);

}  // namespace ptxmc::report
