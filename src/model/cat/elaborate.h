// SPDX-License-Identifier: Apache-2.0
// Syntax tree -> MemoryModel.
#pragma once

#include <vector>

#include "model/cat/read.h"
#include "model/cat/syntax.h"
#include "model/relation/memory_model.h"
#include "model/relation/signature.h"
#include "support/diagnostic.h"

namespace ptxmc::cat {

struct Elaborated {
  relation::MemoryModel model;
  /// Per statement: an axiom, a flag, an order, co, or something that one of them uses.
  std::vector<bool> reachable;
};

/// `syntax` has its defaults already. Errors go to `diagnostics`; the model is then of no use.
Elaborated elaborate(const Syntax& syntax, const relation::Signature& signature, const Conditions& conditions,
                     Diagnostics& diagnostics);

}  // namespace ptxmc::cat
