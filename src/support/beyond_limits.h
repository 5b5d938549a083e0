// SPDX-License-Identifier: Apache-2.0
// Input that is right, and too large.
#pragma once

#include "support/diagnostic.h"

namespace ptxmc {

/// More would have to be looked at than a limit allows: the code that answers makes it Unknown.
class BeyondLimits : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace ptxmc
