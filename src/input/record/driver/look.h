// SPDX-License-Identifier: Apache-2.0
// What is in memory where the arguments of a launch lead: tables of pointers, say.
#pragma once

#include "input/record/driver/abi.h"
#include "input/record/wire.h"

namespace ptxmc::record::driver {

/// A stream, and whether its handle is of the functions for a default stream a thread.
struct Stream {
  Handle handle = nullptr;
  bool per_thread = false;
};

/// Launches of the stream become nodes of a graph.
bool is_captured(Stream stream);
/// The same of a stream of the driver that is pretended.
bool is_capture_pretended(Handle stream);

/// Tells ptxmc what there is when the kernel starts. Nothing, if no driver is forwarded to, the stream is captured, or what is
/// before the launch takes long: it might wait for what the program does next.
void look(const LaunchCall& call, Stream stream);

}  // namespace ptxmc::record::driver
