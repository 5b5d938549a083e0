// SPDX-License-Identifier: Apache-2.0
// Mutants of a model text: what it would say with one clause left out, or one reading changed. For tests of
// the model: a clause that no litmus test misses is untested or redundant.
#pragma once

#include <string>
#include <vector>

#include "model/cat/read.h"
#include "model/relation/memory_model.h"

namespace ptxmc::cat {

struct Mutant {
  std::string description;  ///< "line 23: drop `| sc` from sync"
  SourcePtr source;         ///< the text that `position` is in: the model's, or a file that it includes
  Position position;        ///< of what is dropped
  relation::MemoryModel model;
};

/// Every mutant of a text, in its order: one axiom or flag dropped; one operand of a union, intersection,
/// sequence or right side of a difference dropped; one `?`, `+` or `*` dropped; one `if` read the other way.
/// Only in what an axiom, a flag, an order or co uses, and of an `if` the branch that holds; what the reader
/// supplies itself (defaults.h) is not mutated, and an operand that is empty by definition is not dropped.
/// Throws InputError when the text itself is wrong.
std::vector<Mutant> mutants(const SourcePtr& source, const relation::Signature& signature,
                            const IncludeResolver& include = {}, const Conditions& conditions = {});

}  // namespace ptxmc::cat
