// SPDX-License-Identifier: Apache-2.0
#include "extract/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "extract/chain.h"
#include "support/overloaded.h"

namespace ptxmc::extract {

namespace {

bool touches(const Step& step, const trace::Range& bytes) {
  const auto object = [&](trace::Address address) { return overlap({address, 8}, bytes); };
  return std::visit(Overloaded{
                        [&](const MemoryAccess& s) { return overlap(s.bytes, bytes); },
                        [&](const Copy& s) {
                          return s.read || s.written ||
                                 (s.tracking == trace::Tracking::mbarrier && object(s.object));
                        },
                        [&](const Init& s) { return object(s.object); },
                        [&](const Invalidation& s) { return object(s.object); },
                        [&](const Arrive& s) { return object(s.object); },
                        [&](const PhaseWait& s) { return object(s.object); },
                        [](const auto&) { return false; },
                    },
                    step);
}

bool is_end(const Entry& entry, const End& end, const trace::Range& bytes) {
  return entry.site == end.site && entry.thread == end.thread && touches(entry.step, bytes);
}

/// The first execution of the second access with one of the first before it, and the last such.
std::optional<std::pair<std::size_t, std::size_t>> find_ends(const Log& log, const Question& question) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < log.entries.size(); ++i) {
    if (first && is_end(log.entries[i], question.second, question.bytes)) return std::pair(*first, i);
    if (is_end(log.entries[i], question.first, question.bytes)) first = i;
  }
  return std::nullopt;
}

/// Weak accesses order nothing: of them only the two ends are of interest.
bool is_kept(const Step& step) {
  if (const auto* access = std::get_if<MemoryAccess>(&step)) return access->strong();
  if (const auto* copy = std::get_if<Copy>(&step)) return copy->read || copy->written;
  return true;
}

std::map<trace::Address, trace::Phase> phases_behind(const Log& log, std::size_t first, std::size_t last) {
  std::map<trace::Address, trace::Phase> out;
  const auto see = [&](trace::Address object, trace::Phase phase) {
    const auto [at, added] = out.try_emplace(object, phase);
    if (!added) at->second = std::min(at->second, phase);
  };
  for (std::size_t i = first; i <= last; ++i) {
    const Step& step = log.entries[i].step;
    if (const auto* arrive = std::get_if<Arrive>(&step)) see(arrive->object, arrive->phase);
    if (const auto* copy = std::get_if<Copy>(&step); copy && copy->tracking == trace::Tracking::mbarrier)
      see(copy->object, copy->phase);
  }
  return out;
}

}  // namespace

std::variant<Slice, std::string> slice(const Log& log, const Question& question) {
  if (!log.complete) return "the run is too long to keep";
  const auto ends = find_ends(log, question);
  if (!ends) return "the two accesses were not found again";
  const auto [first, second] = *ends;
  Slice out;
  out.question = question;
  out.threads = {question.first.thread};
  const auto add = [&](trace::Thread thread) {
    if (std::find(out.threads.begin(), out.threads.end(), thread) == out.threads.end())
      out.threads.push_back(thread);
  };
  add(question.second.thread);
  for (const trace::Thread thread : chain(log, first, second)) add(thread);
  if (out.threads.size() > kMaxSliceThreads)
    return fmt::format("what may order them goes through {} threads", out.threads.size());
  for (std::size_t i = first; i <= second; ++i) {
    const Entry& entry = log.entries[i];
    if (std::find(out.threads.begin(), out.threads.end(), entry.thread) == out.threads.end()) continue;
    if (i != first && i != second && !is_kept(entry.step)) continue;
    if (out.entries.size() == kMaxSteps) return fmt::format("more than {} steps between them", kMaxSteps);
    out.entries.push_back(entry);
  }
  out.phases = phases_behind(log, first, second);
  return out;
}

}  // namespace ptxmc::extract
