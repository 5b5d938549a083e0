// SPDX-License-Identifier: Apache-2.0
// Pictures by Graphviz's `dot`, which need not be installed.
#pragma once

#include <string>

namespace ptxmc::cli {

/// The graphs as SVG. Throws InputError when there is no `dot` on the PATH, or when it fails.
std::string graphviz_svg(const std::string& dot);

}  // namespace ptxmc::cli
