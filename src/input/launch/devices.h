// SPDX-License-Identifier: Apache-2.0
// What no device launches, whatever the kernel is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "input/launch/launch.h"

namespace ptxmc::launch {

/// Which devices run code of a target, apart from its own: none, later ones of its family, all later ones (11.1.2).
enum class Runs : std::uint8_t { alone, family, later };

/// A name in .target: "sm_90a", "sm_100f", "compute_80".
struct Target {
  unsigned sm = 0;
  Runs runs = Runs::later;
};
/// Nothing: it names no architecture, as "debug".
std::optional<Target> target_of(std::string_view name);

/// Bytes of shared memory, static and dynamic, that a CTA has at most on a device that runs code of these targets
/// (".target sm_90a"). Code for one of them runs on later devices, too, unless its name ends in `a` or `f` (11.1.2).
std::uint64_t most_shared(std::span<const std::string_view> targets);

/// Why no device takes a launch of this size; nothing: some device does. `shared`: static and dynamic.
std::optional<std::string> beyond_devices(const Launch& launch, std::uint64_t shared,
                                          std::span<const std::string_view> targets);

}  // namespace ptxmc::launch
