// SPDX-License-Identifier: Apache-2.0
// A drawing as SVG, laid out here: a column for each thread, initial writes on top. Needs no Graphviz.
#pragma once

#include <string>
#include <vector>

#include "report/draw/drawing.h"

namespace ptxmc::report {

/// One <svg> element, to stand in a page or (with its xmlns) alone. `id` keeps the ids of several apart.
std::string svg(const Drawing& drawing, const std::string& id);

/// A picture of its own: the drawings one below the other, each under its title.
std::string svg_page(const std::vector<Drawing>& drawings);

}  // namespace ptxmc::report
