// SPDX-License-Identifier: Apache-2.0
// Drawings in the language of Graphviz.
#pragma once

#include <string>
#include <vector>

#include "report/draw/drawing.h"

namespace ptxmc::report {

/// One graph; of several drawings each is a cluster. Without any it says that there is no execution.
std::string dot(const std::string& name, const std::vector<Drawing>& drawings);

}  // namespace ptxmc::report
