// SPDX-License-Identifier: Apache-2.0
#include "face/cli/other_launches.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::cli {

namespace {

using launch::Launch;
using launch::Plan;

constexpr std::int64_t kMostCounted = 4096;  // an argument of more is a size, or bits
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;

/// Twice as much of each buffer whose contents are not written out.
void grow_buffers(Plan& plan) {
  for (launch::Buffer& buffer : plan.memory) {
    const bool alike = buffer.contents.kind == launch::Contents::Kind::opaque ||
                       buffer.contents.kind == launch::Contents::Kind::zero;
    if (alike && buffer.multicast.empty() && buffer.bytes <= kMostBytes) buffer.bytes *= 2;
  }
}

void double_blocks(Plan& plan) {
  grow_buffers(plan);
  for (Launch& launch : plan.launches) launch.block.x *= 2;
}

void add_block(Plan& plan) {
  grow_buffers(plan);
  for (Launch& launch : plan.launches) launch.grid.x += launch.has_cluster ? launch.cluster.x : 1;
}

const std::int64_t* count_of(const launch::Argument& argument) {
  const auto* number = std::get_if<launch::Number>(&argument.value);
  const auto* value = number == nullptr ? nullptr : std::get_if<std::int64_t>(&number->value);
  return value == nullptr || *value < 2 || *value > kMostCounted ? nullptr : value;
}

void add_arguments(const Launch& launch, std::vector<LaunchVariant>& out) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const std::int64_t* count = count_of(launch.arguments[i]);
    if (count == nullptr) continue;
    out.push_back({fmt::format("argument {} = {}", i, *count + 1), [i](Plan& plan) {
                     grow_buffers(plan);
                     auto& number = std::get<launch::Number>(plan.launches.front().arguments[i].value);
                     ++std::get<std::int64_t>(number.value);
                   }});
  }
}

bool has_order(const launch::Buffer& buffer) {
  return buffer.contents.kind == launch::Contents::Kind::numbers && buffer.contents.numbers.size() > 1;
}

void reverse_contents(Plan& plan) {
  for (launch::Buffer& buffer : plan.memory) {
    if (has_order(buffer)) std::reverse(buffer.contents.numbers.begin(), buffer.contents.numbers.end());
  }
}

}  // namespace

std::vector<LaunchVariant> launch_variants(const Plan& plan) {
  std::vector<LaunchVariant> out;
  if (plan.launches.empty()) return out;
  const Launch& first = plan.launches.front();
  if (std::all_of(plan.launches.begin(), plan.launches.end(), [](const Launch& launch) {
        return launch.block.x * 2 * launch.block.y * launch.block.z <= launch::kMaxBlock;
      }))
    out.push_back({fmt::format("blocks of {} threads", first.block.count() * 2), double_blocks});
  out.push_back({fmt::format("{} blocks", (first.grid.x + (first.has_cluster ? first.cluster.x : 1)) *
                                              first.grid.y * first.grid.z),
                 add_block});
  if (plan.launches.size() == 1) add_arguments(first, out);
  if (std::any_of(plan.memory.begin(), plan.memory.end(), has_order))
    out.push_back({"the contents of buffers in reverse", reverse_contents});
  return out;
}

}  // namespace ptxmc::cli
