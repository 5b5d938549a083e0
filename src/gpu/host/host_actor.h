// SPDX-License-Identifier: Apache-2.0
// A host thread of a test while it plays its part in a launch: it meets the other actors (actor.h), runs its
// code for each instance of the round, and leaves what the condition names in the results. One thread of the
// process each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "gpu/host/actor.h"
#include "gpu/host/draw.h"
#include "gpu/host/machine.h"

namespace ptxmc::gpu {

/// Where actors meet: a line for each, and one for the word that stops them (kMeetingLine bytes a line).
class Meeting {
 public:
  Meeting(unsigned char* lines, unsigned actors);

  static std::size_t bytes(std::size_t actors) { return (actors + 1) * kMeetingLine; }
  /// Before a launch: no actor has come yet.
  void clear() const;
  /// Returns when all others have begun this turn too; false: all have to stop.
  bool meet(unsigned actor, std::uint32_t turn) const;
  /// All actors leave at their next turn, or while they wait for it.
  void stop() const;

 private:
  std::uint32_t* word(unsigned line) const {
    return reinterpret_cast<std::uint32_t*>(lines_ + std::size_t{line} * kMeetingLine);
  }
  unsigned char* lines_;
  unsigned actors_;
  unsigned polls_;  // before another thread may have the CPU
};

/// What all host actors of a launch share.
struct HostStage : HostInstances {
  std::uint32_t rounds = 0, seed = 0;
};

struct HostReport {
  bool fault = false;        ///< it came to an address that is none
  std::uint64_t played = 0;  ///< instances
  double seconds = 0;        ///< in them
};

class HostActor {
 public:
  HostActor(const HostCode& code, const std::vector<std::uint32_t>& places, unsigned actor, unsigned fuel)
      : code_(code), places_(places), actor_(actor), fuel_(fuel) {}

  /// Plays all rounds of a launch; ends early when the meeting is stopped. A fault stops it. `after` is
  /// called at the end of each turn.
  HostReport play(const HostStage& stage, const Meeting& meeting,
                  const std::function<void(std::uint32_t turn)>& after = {}) const;

 private:
  bool round(const HostStage& stage, HostMachine& machine, std::uint32_t round, unsigned half) const;

  const HostCode& code_;
  const std::vector<std::uint32_t>& places_;
  unsigned actor_;
  unsigned fuel_;
};

}  // namespace ptxmc::gpu
