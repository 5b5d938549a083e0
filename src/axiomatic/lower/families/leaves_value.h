// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/event/expr.h"

namespace ptxmc::lower {

/// "An atomic that stores `stored` leaves the value `old` as it was"; choices are taken apart, so that the
/// branch which stores `old` itself is seen.
event::Expr leaves_value(event::ExprPool& pool, event::Expr stored, event::Expr old);

}  // namespace ptxmc::lower
