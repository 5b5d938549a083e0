// SPDX-License-Identifier: Apache-2.0
// Where the labels of arrows stand: on their arrows, and on nothing else.
#pragma once

#include <string_view>
#include <vector>

#include "report/draw/geometry.h"

namespace ptxmc::report {

struct LabelledArrow {
  std::vector<Curve> curves;
  std::string_view label;  ///< empty: none
};

/// The room that each label takes (of an empty one: nothing), by the number of the arrow. `taken`: boxes and titles.
/// A label stands where it covers none of them and no other label; where there is no such place on its arrow, where it
/// covers the least.
std::vector<Rectangle> place_labels(const std::vector<LabelledArrow>& arrows,
                                    const std::vector<Rectangle>& taken);

/// The width of a label.
double label_width(std::string_view label);

}  // namespace ptxmc::report
