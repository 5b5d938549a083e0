// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/matrix_state.h"

#include <algorithm>

namespace ptxmc::lower {

void MatrixState::merge(event::ExprPool& pool, const MatrixState& next, event::Expr take_next) {
  const event::Expr no = pool.truth(false);
  for (const auto& entry : next.unfenced) unfenced.try_emplace(entry.first, no);
  for (auto& [name, where] : unfenced) {
    const auto other = next.unfenced.find(name);
    where = pool.make(event::Op::ite, 1, take_next, other == next.unfenced.end() ? no : other->second, where);
  }
  for (const WgmmaUse& use : next.uses) {
    if (std::find(uses.begin(), uses.end(), use) == uses.end()) uses.push_back(use);
  }
}

}  // namespace ptxmc::lower
