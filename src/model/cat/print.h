// SPDX-License-Identifier: Apache-2.0
// MemoryModel -> cat text.
#pragma once

#include <string>

#include "model/cat/walk.h"
#include "model/relation/memory_model.h"
#include "model/relation/signature.h"

namespace ptxmc::cat {

/// A text that reads back as an equal model: functions are expanded, defaults (co, sync_fence) are written
/// out, each statement carries its sections in a comment. A definition that a later one hides gets a fresh
/// name (`x'1`).
std::string print(const relation::MemoryModel& model, const relation::Signature& signature);

/// A value of the model, in terms of its definitions.
std::string print(const relation::MemoryModel& model, const relation::Signature& signature, SetOrRel value);

}  // namespace ptxmc::cat
