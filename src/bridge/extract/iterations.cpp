// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/iterations.h"

#include <algorithm>

namespace ptxmc::extract {

namespace {

/// Iterations of each loop that the thread of an entry has begun before it, since the loop around it began its own.
std::vector<std::int64_t> counted(const Log& log, std::size_t entry, std::span<const trace::Site> loops) {
  const trace::Thread thread = log.entries[entry].thread;
  std::vector<std::int64_t> out(loops.size(), 0);
  for (const JumpBack& jump : log.jumps) {
    if (jump.entries > entry) break;
    if (jump.lanes.warp != thread / trace::kLanes || (jump.lanes.mask >> thread % trace::kLanes & 1U) == 0)
      continue;
    const auto loop = std::find(loops.begin(), loops.end(), jump.to);
    if (loop == loops.end()) continue;
    const auto number = loop - loops.begin();
    ++out[static_cast<std::size_t>(number)];
    std::fill(out.begin() + number + 1, out.end(), 0);
  }
  return out;
}

/// A loop that waits goes round as the schedule has it.
bool polls(const Entry& entry) {
  const auto* access = std::get_if<MemoryAccess>(&entry.step);
  return access != nullptr && access->polls;
}

}  // namespace

std::optional<Iterations> iterations_between(const Log& log, const Ends& ends,
                                             std::span<const trace::Site> loops) {
  if (!log.complete || !log.has_all_jumps || loops.empty()) return std::nullopt;
  if (polls(log.entries[ends.first]) || polls(log.entries[ends.second])) return std::nullopt;
  const std::vector<std::int64_t> first = counted(log, ends.first, loops),
                                  second = counted(log, ends.second, loops);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (first[i] != second[i]) return Iterations{second[i] - first[i], i + 1 < loops.size()};
  }
  return std::nullopt;
}

std::optional<Iterations> iterations_between(const Log& log, std::span<const Ends> all,
                                             std::span<const trace::Site> loops) {
  constexpr std::size_t kMost = 16;  // each looks at the whole log
  if (all.empty() || all.size() > kMost) return std::nullopt;
  const std::optional<Iterations> out = iterations_between(log, all.front(), loops);
  const bool is_one = std::all_of(all.begin() + 1, all.end(), [&](const Ends& ends) {
    return iterations_between(log, ends, loops) == out;
  });
  return is_one ? out : std::nullopt;
}

}  // namespace ptxmc::extract
