// SPDX-License-Identifier: Apache-2.0
// A drawing as SVG, laid out here: a column for each thread, initial writes on top. Needs no Graphviz.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/draw/drawing.h"

namespace ptxmc::report {

/// One <svg> element, to stand in a page or (with its xmlns) alone. `id` keeps the ids of several apart.
std::string svg(const Drawing& drawing, const std::string& id);

/// A picture of its own: the drawings one below the other, each under its title.
/// `none`: what it says where there is none.
std::string svg_page(const std::vector<Drawing>& drawings, std::string_view none = "no execution");

}  // namespace ptxmc::report
