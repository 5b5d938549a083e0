// SPDX-License-Identifier: Apache-2.0
#include "input/launch/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ptxmc::launch {

namespace {

constexpr std::uint32_t kMostGrid = 0x7fffffff, kMostGridSide = 65535;  // x; y and z
constexpr std::uint32_t kMostBlockDepth = 64, kMostBlockSide = 1024;    // z; x and y
constexpr std::uint64_t kMostCluster = 16;  // CTAs, where a device is asked for so many
constexpr std::uint64_t kKilobyte = 1024;

/// The shared memory of a CTA that asks for as much as there is (CUDA programming guide, technical
/// specifications per compute capability).
struct Device {
  unsigned sm;
  std::uint64_t kilobytes;
};
constexpr Device kDevices[] = {{50, 48},   {52, 48},  {53, 48},  {60, 48},   {61, 48},   {62, 48},
                               {70, 96},   {72, 96},  {75, 64},  {80, 163},  {86, 99},   {87, 163},
                               {88, 163},  {89, 99},  {90, 227}, {100, 227}, {101, 227}, {103, 227},
                               {110, 227}, {120, 99}, {121, 99}};

bool takes(const Target& target, const Device& device) {
  constexpr unsigned kFamily = 10;
  if (target.runs == Runs::alone) return device.sm == target.sm;
  return device.sm >= target.sm && (target.runs == Runs::later || device.sm / kFamily == target.sm / kFamily);
}

std::string_view name_of(std::span<const std::string_view> targets) {
  const auto found = std::find_if(targets.begin(), targets.end(),
                                  [](std::string_view name) { return target_of(name).has_value(); });
  return found == targets.end() ? "its target" : *found;
}

}  // namespace

std::optional<Target> target_of(std::string_view name) {
  const bool is_named = name.starts_with("sm_") || name.starts_with("compute_");
  if (!is_named) return std::nullopt;
  name.remove_prefix(name.find('_') + 1);
  Target out;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), out.sm);
  if (error != std::errc()) return std::nullopt;
  const std::string_view rest(end, static_cast<std::size_t>(name.data() + name.size() - end));
  if (rest == "a") out.runs = Runs::alone;
  if (rest == "f") out.runs = Runs::family;
  return out;
}

std::uint64_t most_shared(std::span<const std::string_view> targets) {
  std::uint64_t known = 0, any = 0;
  for (const std::string_view name : targets) {
    const std::optional<Target> target = target_of(name);
    for (const Device& device : kDevices) {
      any = std::max(any, device.kilobytes);
      if (target && takes(*target, device)) known = std::max(known, device.kilobytes);
    }
  }
  return (known != 0 ? known : any) * kKilobyte;  // of a target that is not in the table: as much as any has
}

std::optional<std::string> beyond_devices(const Launch& launch, std::uint64_t shared,
                                          std::span<const std::string_view> targets) {
  const Extents &grid = launch.grid, &block = launch.block;
  if (grid.x > kMostGrid || grid.y > kMostGridSide || grid.z > kMostGridSide)
    return fmt::format("a grid of {}, {}, {}: a device takes up to {}, {}, {}", grid.x, grid.y, grid.z,
                       kMostGrid, kMostGridSide, kMostGridSide);
  if (block.x > kMostBlockSide || block.y > kMostBlockSide || block.z > kMostBlockDepth)
    return fmt::format("a block of {}, {}, {}: a device takes up to {}, {}, {}", block.x, block.y, block.z,
                       kMostBlockSide, kMostBlockSide, kMostBlockDepth);
  const Extents& cluster = launch.cluster;
  if (cluster.x > kMostCluster || cluster.y > kMostCluster || cluster.z > kMostCluster ||
      cluster.count() > kMostCluster)
    return fmt::format("a cluster of {}, {}, {}: a device takes up to {} CTAs", cluster.x, cluster.y,
                       cluster.z, kMostCluster);
  const std::uint64_t most = most_shared(targets);
  if (shared <= most) return std::nullopt;
  return fmt::format("{} bytes of shared memory: a CTA of {} has up to {} ({} KB)", shared, name_of(targets),
                     most, most / kKilobyte);
}

}  // namespace ptxmc::launch
