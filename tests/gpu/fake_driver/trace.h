// SPDX-License-Identifier: Apache-2.0
// The calls that the fake driver writes down, and names in them; internal to the fake driver.
#pragma once

#include <string>

#include "fake_driver.h"

namespace ptxmc::fake {

/// A line of the file that PTXMC_FAKE_CALLS names, if it names one.
void note(const std::string& call);
std::string stream_name(gpu::abi::Stream stream);
std::string entry_name(gpu::abi::Function function);

}  // namespace ptxmc::fake
