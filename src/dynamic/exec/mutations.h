// SPDX-License-Identifier: Apache-2.0
// Synchronization taken away from a program that is about to run: what its findings are then worth.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamic/order/events.h"
#include "ptx/program/program.h"

namespace ptxmc::exec {

enum class Change : std::uint8_t {
  leave_out,  // it does nothing; a wait succeeds
  unorder,    // a barrier whose results are wanted gives these alone
  weaken,     // .sc is .acq_rel
  relax,      // .acquire, .release and .acq_rel are .relaxed
  narrow,     // a scope beyond the CTA is .cta
};
/// "left out"
std::string_view name_of(Change change);

/// What may be taken from an instruction.
std::vector<Change> changes_of(const program::Instruction& instruction);

/// An instruction that is changed, by its number.
struct Changed {
  trace::Site site = 0;
  Change change = Change::leave_out;
  friend bool operator==(const Changed&, const Changed&) = default;
};

/// Gives threads bodies in which instructions of theirs are weaker, so that they are read so: .acq_rel, relaxed, of scope .cta.
/// What else is changed, the run that gets it leaves as it is written (Options::changes).
void weaken(program::Program& program,
            std::span<const std::pair<const program::Instruction*, Change>> changes);

}  // namespace ptxmc::exec
