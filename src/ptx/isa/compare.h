// SPDX-License-Identifier: Apache-2.0
// What the relations of setp, set and branches mean (9.7.5, 9.7.5.2) of two values of which one is less, or neither.
#pragma once

#include "ptx/isa/isa.h"

namespace ptxmc::isa {

/// Nothing holds for Compare::none.
constexpr bool holds(Compare relation, bool less, bool equal) {
  switch (relation) {
    case Compare::eq:
      return equal;
    case Compare::ne:
      return !equal;
    case Compare::lt:
      return less;
    case Compare::le:
      return less || equal;
    case Compare::gt:
      return !less && !equal;
    case Compare::ge:
      return !less;
    case Compare::none:
      break;
  }
  return false;
}

}  // namespace ptxmc::isa
