// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/left_out.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace ptxmc::extract {
namespace {

/// A loop of these threads polls what atomics of several threads write.
bool polls_atomics(const Log& log, const Ends& ends, const std::vector<trace::Thread>& threads) {
  std::map<trace::Address, std::set<trace::Thread>> updated;
  for (std::size_t i = 0; i <= ends.second; ++i) {
    const Entry& entry = log.entries[i];
    const auto* access = std::get_if<MemoryAccess>(&entry.step);
    if (access == nullptr || !access->strong()) continue;
    std::set<trace::Thread>& here = updated[access->bytes.begin];
    if (access->effect == trace::Effect::update && !access->polls) here.insert(entry.thread);
    const bool asks = i >= ends.first && access->polls && access->decides && here.size() > 1;
    if (asks && std::find(threads.begin(), threads.end(), entry.thread) != threads.end()) return true;
  }
  return false;
}

/// An atomic of these threads that decides nothing may come before or after those of others that do.
bool has_free_atomic(const Log& log, const Ends& ends, const std::vector<trace::Thread>& threads) {
  std::map<trace::Address, std::set<trace::Thread>> free, deciding;
  for (std::size_t i = ends.first; i <= ends.second; ++i) {
    const Entry& entry = log.entries[i];
    const auto* access = std::get_if<MemoryAccess>(&entry.step);
    if (access == nullptr || !access->strong() || !access->reads() ||
        std::find(threads.begin(), threads.end(), entry.thread) == threads.end())
      continue;
    if (access->decides) deciding[access->bytes.begin].insert(entry.thread);
    if (!access->decides && access->writes()) free[access->bytes.begin].insert(entry.thread);
  }
  return std::any_of(free.begin(), free.end(), [&](const auto& at) {
    const auto others = deciding.find(at.first);
    return others != deciding.end() && (others->second.size() > 1 || others->second != at.second);
  });
}

/// A loop of these threads may read a store that the slice does not have: another thread executes it after the loop in this
/// run, or before the slice begins.
bool has_other_store(const Log& log, const Ends& ends, const std::vector<trace::Thread>& threads) {
  const auto has = [&](trace::Thread thread) {
    return std::find(threads.begin(), threads.end(), thread) != threads.end();
  };
  for (std::size_t i = ends.first; i <= ends.second; ++i) {
    const auto* read = std::get_if<MemoryAccess>(&log.entries[i].step);
    if (read == nullptr || !read->polls || !read->decides || !has(log.entries[i].thread)) continue;
    const auto leads_out = [&](const MemoryAccess& write) {
      return !write.value || std::find(read->leading_out.begin(), read->leading_out.end(), *write.value) !=
                                 read->leading_out.end();
    };
    for (std::size_t w = 0; w < log.entries.size(); ++w) {
      const auto* write = std::get_if<MemoryAccess>(&log.entries[w].step);
      if (write == nullptr || !write->strong() || !write->writes() ||
          log.entries[w].thread == log.entries[i].thread || !overlap(write->bytes, read->bytes))
        continue;
      const bool is_kept = has(log.entries[w].thread) && ends.first <= w && w <= ends.second;
      // The test begins with the newest of what was there before.
      const bool is_first = w < ends.first && read->leading_out.size() < 2;
      const bool is_added = w < ends.first && has(log.entries[w].thread);
      if (!is_kept && !is_first && !is_added && (w > i || leads_out(*write))) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::string_view> left_out(const Log& log, const Ends& ends, const Slice& slice) {
  if (polls_atomics(log, ends, slice.threads) || has_free_atomic(log, ends, slice.threads))
    return "the litmus test has one order of the atomics that decide";
  if (has_other_store(log, ends, slice.threads))
    return "a loop may read a store of another thread that the litmus test does not have";
  return std::nullopt;
}

}  // namespace ptxmc::extract
