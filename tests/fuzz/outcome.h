// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ptxmc::fuzz {

/// What became of an input.
enum class Outcome { refused, parsed };

}  // namespace ptxmc::fuzz
