// SPDX-License-Identifier: Apache-2.0
// Reading memory models: cat text -> MemoryModel.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/relation/memory_model.h"
#include "support/diagnostic.h"

namespace ptxmc::cat {

/// Finds the text of an `include "NAME"`; null: not found.
using IncludeResolver = std::function<SourcePtr(const std::string& name)>;

/// Whether the condition of `if "CONDITION" then a else b` holds; nothing: no such condition. Both branches
/// are checked, and the one that holds is read.
using Conditions = std::function<std::optional<bool>(const std::string& condition)>;

/// Throws InputError with every error found (syntax, unknown name, a set where a relation is expected, a `let
/// rec` that is not monotone ...), each with file, line and column.
relation::MemoryModel read(const SourcePtr& source, const relation::Signature& signature,
                           const IncludeResolver& include = {}, const Conditions& conditions = {});

}  // namespace ptxmc::cat
