// SPDX-License-Identifier: Apache-2.0
// A host thread of a test with several kernels, for all instances of a round at once.
//
// Between two calls of the CUDA API the instances run one after the other; a call is made once, when all have
// come to it. So each instance does what its thread says, in the order of its text, and the calls that put
// something into streams are made as often as the text says. Instances may take different paths to queries
// and synchronizations; those are repeated then, which orders no more than the thread asks for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/host/draw.h"
#include "gpu/host/machine.h"

namespace ptxmc::gpu {

/// What a round runs on; memory and shape stay those of the first round.
struct HostRound : HostInstances {
  std::uint32_t round = 0, seed = 0;
};

class HostPlayer {
 public:
  /// Makes call number `call` of the thread; returns what a query says, else nothing of interest.
  using Call = std::function<std::uint64_t(std::uint32_t call)>;

  /// `places`: the numbers of HostCode::variables in the memory. `once`: by call, it must be made once.
  /// `fuel`: as of GPU threads; a host thread that waits for one has more. The code must outlive the player.
  HostPlayer(const HostCode& code, std::vector<std::uint32_t> places, std::vector<bool> once, unsigned fuel)
      : code_(code), places_(std::move(places)), once_(std::move(once)), fuel_(fuel) {}

  /// False: an instance came to an address that is none.
  bool play(const HostRound& round, const Call& call);

 private:
  struct Instance {
    HostMachine machine;
    std::vector<unsigned char*> places;
    std::optional<HostEnd> end;  // nothing: it can go on
  };

  void begin(const HostRound& round);
  bool proceed(const HostRound& round);
  std::optional<std::uint32_t> next_call() const;
  void finish(const HostRound& round, std::uint32_t number) const;

  const HostCode& code_;
  std::vector<std::uint32_t> places_;
  std::vector<bool> once_;
  unsigned fuel_;
  std::vector<Instance> instances_;
  std::uint32_t first_ = 0;  // instance
  unsigned hung_ = 0;        // instances of this round
};

}  // namespace ptxmc::gpu
