// SPDX-License-Identifier: Apache-2.0
// In the program that elaborates the built-in models: there are none yet.
#include "model/elaborated.h"

namespace ptxmc::model {

std::span<const Elaborated> elaborated() {
  return {};
}

}  // namespace ptxmc::model
