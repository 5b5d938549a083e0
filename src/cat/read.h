// SPDX-License-Identifier: Apache-2.0
// Reading memory models: cat text -> MemoryModel.
#pragma once

#include <functional>

#include "relation/memory_model.h"
#include "support/diagnostic.h"

namespace ptxmc::cat {

/// Finds the text of an `include "NAME"`; null: not found.
using IncludeResolver = std::function<SourcePtr(const std::string& name)>;

/// Throws InputError with every error found (syntax, unknown name, a set where a relation is expected, a `let
/// rec` that is not monotone ...), each with file, line and column.
relation::MemoryModel read(SourcePtr source, const relation::Signature& signature,
                           const IncludeResolver& include = {});

}  // namespace ptxmc::cat
