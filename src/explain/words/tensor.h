// SPDX-License-Identifier: Apache-2.0
// What is wrong between two accesses of tensor memory, in a user's words.
#pragma once

#include <string>
#include <string_view>

#include "axiomatic/question/races.h"

namespace ptxmc::explain {

/// "tensor-not-complete", for JSON.
std::string_view name_of(check::TensorStory::Kind kind);
/// The class of the race, as the headline of a finding has it.
std::string_view describe(check::TensorStory::Kind kind);
/// "The tcgen05.mma in P0 line 9 may still write t[0..7] when the tcgen05.ld in P1 line 15 reads it."
std::string why(const event::ProgramGraph& graph, const check::TensorStory& story,
                check::TensorStory::Kind kind);
/// What to do about it.
std::string remedy(const event::ProgramGraph& graph, const check::TensorStory& story,
                   check::TensorStory::Kind kind);

}  // namespace ptxmc::explain
