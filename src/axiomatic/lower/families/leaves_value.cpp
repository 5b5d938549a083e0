// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/leaves_value.h"

namespace ptxmc::lower {

using event::Expr;

Expr leaves_value(event::ExprPool& pool, Expr stored, Expr old) {
  if (stored == old) return pool.truth(true);
  const event::Node node = pool[stored];
  if (node.op != event::Op::ite) return pool.make(event::Op::eq, 1, stored, old);
  const Expr yes = pool.conjunction(node.a, leaves_value(pool, node.b, old));
  const Expr no = pool.conjunction(pool.negation(node.a), leaves_value(pool, node.c, old));
  return pool.disjunction(yes, no);
}

}  // namespace ptxmc::lower
