// SPDX-License-Identifier: Apache-2.0
// What a harness must know of the others that play the same instances with it: harnesses on other GPUs, and
// host threads. Together they are the actors of a system, numbered GPUs first (system.h).
//
// All actors draw the same numbers, so that they agree on who plays which instance and where its variables
// lie. They meet between rounds: each writes the number of its turn to a line of its own in host memory, and
// waits for the others' (no read-modify-writes: they need not be atomic between a GPU and the host). One
// evaluates and resets.
#pragma once

#include <optional>
#include <set>
#include <string>

namespace ptxmc::gpu {

/// Bytes from an actor's turn to the next one's in the memory where actors meet. A line more holds a word
/// that is not zero when all have to stop.
constexpr unsigned kMeetingLine = 128;

struct Actor {
  unsigned number = 0;  ///< of this one
  unsigned actors = 1;  ///< 1: it is alone
  unsigned gpus = 1;
  bool evaluates = true;
  bool loops = false;             ///< some actor's threads have loops, and so instances that hang
  std::optional<unsigned> home;   ///< the GPU with all variables; nothing: they are spread over all GPUs
  std::set<std::string> in_host;  ///< variables in host memory
  bool paced = false;             ///< instances begin one after the other, as those of a host thread do

  bool alone() const { return actors == 1; }
};

}  // namespace ptxmc::gpu
