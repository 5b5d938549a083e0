// SPDX-License-Identifier: Apache-2.0
// Where a loop that waits leads what is read in it.
#pragma once

#include <span>

#include "dynamic/exec/code.h"

namespace ptxmc::exec {

/// A reduction of all threads or lanes, whose result is what one of them adds where the others add nothing; or a value that
/// others take from one lane.
bool tells_others(const Step& step);

/// Where the loop of a read would be left for if it had left these values in its registers (`read_by`): a step of the code.
/// `inputs` hold the registers of its inputs.
trace::Leads leads(const Code& code, const Step& read, std::span<const std::uint64_t> inputs,
                   std::span<const trace::PartlyKnown> values);

}  // namespace ptxmc::exec
