// SPDX-License-Identifier: Apache-2.0
// Synchronization taken away from a program that is about to run: what its findings are then worth.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace ptxmc::kernel {

enum class Change : std::uint8_t {
  leave_out,  // it does nothing; a wait succeeds
  relax,      // .acquire, .release and .acq_rel are .relaxed
  narrow,     // a scope beyond the CTA is .cta
};
/// "left out"
std::string_view name_of(Change change);

/// What may be taken from an instruction.
std::vector<Change> changes_of(const program::Instruction& instruction);

}  // namespace ptxmc::kernel
