// SPDX-License-Identifier: Apache-2.0
// What the signs of a timeline mean.
#pragma once

#include <string>

namespace ptxmc::report {

/// A paragraph of a page.
std::string timeline_legend();
/// Elements of a picture that is `width` wide, in lines from `y` on, which becomes where they end.
std::string legend_lines(int width, int& y);

}  // namespace ptxmc::report
