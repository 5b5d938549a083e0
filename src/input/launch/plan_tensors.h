// SPDX-License-Identifier: Apache-2.0
// Tensor maps in a file of launches, by what cuTensorMapEncode* was given.
#pragma once

#include <vector>

#include "input/launch/fields.h"
#include "input/launch/launch.h"

namespace ptxmc::launch {

/// {"T": {"of": "A", "type": "f16", "dims": [64, 64], "box": [32, 32], ...}, ...}, to the end of `out`. What is wrong is reported.
void read_tensors(Values& values, const Json& json, std::vector<Tensor>& out);

}  // namespace ptxmc::launch
