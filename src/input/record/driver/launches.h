// SPDX-License-Identifier: Apache-2.0
// What launches and nodes of graphs have in common.
#pragma once

#include <optional>
#include <string>

#include "input/record/driver/abi.h"
#include "input/record/driver/look.h"
#include "input/record/wire.h"

namespace ptxmc::record::driver {

/// Tells ptxmc what a person is to know.
void trouble(const std::string& sentence);
/// Work that is not recorded: it may write anywhere.
void tell_unknown_work();

LaunchCall call_of(const std::uint32_t* grid, const std::uint32_t* block, std::uint32_t shared,
                   Handle stream);
/// What a driver says of a launch that it refuses.
Result refused(Handle function, const LaunchCall& call);
/// `stream`: where it starts once what is before it is over; nothing: in a graph.
void tell_launch(Handle handle, LaunchCall call, std::optional<Stream> stream, void** arguments,
                 void** extra);

}  // namespace ptxmc::record::driver
