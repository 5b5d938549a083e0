// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "bridge/extract/chain.h"
#include "support/overloaded.h"

namespace ptxmc::extract {

namespace {

bool any_overlap(const std::vector<trace::Range>& ranges, const trace::Range& bytes) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const trace::Range& range) { return overlap(range, bytes); });
}

bool touches(const Step& step, const trace::Range& bytes) {
  const auto object = [&](trace::Address address) { return overlap({address, 8}, bytes); };
  return std::visit(
      Overloaded{
          [&](const MemoryAccess& s) { return overlap(s.bytes, bytes); },
          [&](const Copy& s) {
            return any_overlap(s.reads, bytes) || any_overlap(s.writes, bytes) ||
                   (s.tracking == trace::Tracking::mbarrier && object(s.object));
          },
          [&](const TensorAccess& s) { return any_overlap(s.reads, bytes) || any_overlap(s.writes, bytes); },
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

/// A log may have been kept for several questions: the bytes of this one.
std::vector<trace::Range> narrowed(const std::vector<trace::Range>& ranges, const trace::Range& bytes) {
  std::vector<trace::Range> out;
  for (const trace::Range& range : ranges) {
    if (!overlap(range, bytes)) continue;
    const trace::Range both = common(range, bytes);
    if (out.empty()) out.push_back(both);
    if (both.bytes > out.front().bytes) out.front() = both;
  }
  return out;
}
Step narrowed(const Step& step, const trace::Range& bytes) {
  if (const auto* tensor = std::get_if<TensorAccess>(&step)) {
    TensorAccess out = *tensor;
    out.reads = narrowed(tensor->reads, bytes);
    out.writes = narrowed(tensor->writes, bytes);
    return out;
  }
  const auto* copy = std::get_if<Copy>(&step);
  if (copy == nullptr) return step;
  Copy out = *copy;
  out.reads = narrowed(copy->reads, bytes);
  out.writes = narrowed(copy->writes, bytes);
  return out;
}

/// The bytes in question that a step reads or writes itself; empty: it is about an object.
std::vector<trace::Range> bytes_of(const Step& step, const trace::Range& bytes) {
  if (const auto* access = std::get_if<MemoryAccess>(&step)) return {access->bytes};
  const auto both = [&](const auto& operation) {
    std::vector<trace::Range> out = narrowed(operation.reads, bytes);
    for (const trace::Range& range : narrowed(operation.writes, bytes)) out.push_back(range);
    return out;
  };
  if (const auto* tensor = std::get_if<TensorAccess>(&step)) return both(*tensor);
  if (const auto* copy = std::get_if<Copy>(&step)) return both(*copy);
  return {};
}

/// Elements of two vectors may lie beside each other.
bool meet(const Step& first, const Step& second, const trace::Range& bytes) {
  const std::vector<trace::Range> of_first = bytes_of(first, bytes), of_second = bytes_of(second, bytes);
  if (of_first.empty() || of_second.empty()) return true;
  return std::any_of(of_first.begin(), of_first.end(),
                     [&](const trace::Range& range) { return any_overlap(of_second, range); });
}

/// Weak accesses order nothing: of them only the two ends are of interest.
bool is_kept(const Step& step) {
  if (const auto* access = std::get_if<MemoryAccess>(&step)) return access->strong();
  if (const auto* copy = std::get_if<Copy>(&step))
    return copy->read() != nullptr || copy->written() != nullptr;
  if (const auto* tensor = std::get_if<TensorAccess>(&step))
    return !tensor->reads.empty() || !tensor->writes.empty();
  return true;
}

bool is_access(const Step& step) {
  return std::holds_alternative<MemoryAccess>(step) || std::holds_alternative<Copy>(step) ||
         std::holds_alternative<TensorAccess>(step);
}

/// The threads of the chain, and those that wrote what one of them read, so that control went its way.
std::vector<trace::Thread> threads_of(const Log& log, std::size_t first, std::size_t second) {
  std::vector<trace::Thread> out = {log.entries[first].thread};
  const auto has = [&](trace::Thread thread) {
    return std::find(out.begin(), out.end(), thread) != out.end();
  };
  const auto add = [&](trace::Thread thread) {
    if (!has(thread)) out.push_back(thread);
  };
  add(log.entries[second].thread);
  for (const trace::Thread thread : chain(log, first, second)) add(thread);
  for (std::size_t known = 0; known != out.size() && out.size() <= kMaxSliceThreads;) {
    known = out.size();
    std::map<trace::Address, trace::Thread> writers;  // by byte
    for (std::size_t i = first; i <= second; ++i) {
      const Entry& entry = log.entries[i];
      const auto* access = std::get_if<MemoryAccess>(&entry.step);
      if (access == nullptr || !access->strong()) continue;
      for (std::uint64_t b = 0; b < access->bytes.bytes; ++b) {
        const auto writer = writers.find(access->bytes.begin + b);
        if (access->reads() && access->decides && has(entry.thread) && writer != writers.end())
          add(writer->second);
        if (access->writes()) writers[access->bytes.begin + b] = entry.thread;
      }
    }
  }
  return out;
}

/// Writes before the first access that a loop of the slice might have read as well, and then have gone the same way.
/// Their threads are added, as long as there is room.
std::vector<std::size_t> others_that_lead_out(const Log& log, const Ends& ends,
                                              std::vector<trace::Thread>& threads) {
  std::vector<std::size_t> out;
  const auto has = [&](trace::Thread thread) {
    return std::find(threads.begin(), threads.end(), thread) != threads.end();
  };
  for (std::size_t i = ends.first; i <= ends.second; ++i) {
    const auto* read = std::get_if<MemoryAccess>(&log.entries[i].step);
    if (read == nullptr || read->leading_out.size() < 2 || !has(log.entries[i].thread)) continue;
    for (std::size_t w = 0; w < i; ++w) {
      const auto* write = std::get_if<MemoryAccess>(&log.entries[w].step);
      if (write == nullptr || !write->value || write->bytes.begin != read->bytes.begin ||
          std::find(read->leading_out.begin(), read->leading_out.end(), *write->value) ==
              read->leading_out.end())
        continue;
      if (!has(log.entries[w].thread) && threads.size() == kMaxSliceThreads) continue;
      if (!has(log.entries[w].thread)) threads.push_back(log.entries[w].thread);
      if (w < ends.first) out.push_back(w);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// The elements of a vector are one after the other in the log: those of both ends, too.
std::pair<std::size_t, std::size_t> with_elements(const Log& log, const Ends& ends) {
  const auto* first = std::get_if<MemoryAccess>(&log.entries[ends.first].step);
  const auto* second = std::get_if<MemoryAccess>(&log.entries[ends.second].step);
  return {first == nullptr ? ends.first : ends.first - first->element,
          second == nullptr ? ends.second : ends.second + second->elements - 1 - second->element};
}

/// A weak store by the thread of the first end takes away what that left there, for a strong read that decides.
bool is_overwritten(const Log& log, const Ends& ends) {
  const Entry& first = log.entries[ends.first];
  const auto* racing = std::get_if<MemoryAccess>(&first.step);
  if (racing == nullptr || !racing->strong()) return false;
  bool overwritten = false;
  for (std::size_t i = ends.first + 1; i < ends.second; ++i) {
    const auto* access = std::get_if<MemoryAccess>(&log.entries[i].step);
    if (access == nullptr || !overlap(access->bytes, racing->bytes)) continue;
    if (overwritten && access->strong() && access->reads() && access->decides) return true;
    if (access->writes()) overwritten = !access->strong() && log.entries[i].thread == first.thread;
  }
  return false;
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

AllEnds find_ends(const Log& log, const Question& question) {
  constexpr std::size_t kMostFirsts = 8;  // of a second
  AllEnds out;
  std::vector<std::size_t> firsts;
  const auto pair = [&](std::size_t second) {
    std::vector<Ends> found;
    for (auto first = firsts.rbegin(); first != firsts.rend(); ++first) {
      const Step& step = log.entries[*first].step;
      if (!meet(step, log.entries[second].step, question.bytes)) continue;
      if (found.size() == kMostFirsts) {
        out.complete = false;
        break;
      }
      found.push_back({*first, second});
      const auto* access = std::get_if<MemoryAccess>(&step);
      if (access == nullptr || !access->strong() || !access->writes()) break;
    }
    out.pairs.insert(out.pairs.end(), found.rbegin(), found.rend());
  };
  for (std::size_t i = 0; i < log.entries.size(); ++i) {
    if (is_end(log.entries[i], question.second, question.bytes)) pair(i);
    if (is_end(log.entries[i], question.first, question.bytes)) firsts.push_back(i);
  }
  return out;
}

std::variant<Slice, std::string> slice(const Log& log, const Question& question, const Ends& ends) {
  if (!log.complete) return "the run is too long to keep";
  const auto [first, second] = ends;
  if (!is_access(log.entries[first].step) || !is_access(log.entries[second].step))
    return "it is about an mbarrier object, whose operations the engine judges apart";
  if (is_overwritten(log, ends)) return "a weak store overwrites what the first one left there";
  Slice out;
  out.question = question;
  out.threads = threads_of(log, first, second);
  if (out.threads.size() > kMaxSliceThreads)
    return fmt::format("what may order them goes through {} threads", out.threads.size());
  for (const std::size_t i : others_that_lead_out(log, ends, out.threads)) {
    out.entries.push_back(log.entries[i]);
    auto& access = std::get<MemoryAccess>(out.entries.back().step);
    access.element = 0, access.elements = 1;
  }
  const auto [begin, end] = with_elements(log, ends);
  for (std::size_t i = begin; i <= end; ++i) {
    const Entry& entry = log.entries[i];
    if (std::find(out.threads.begin(), out.threads.end(), entry.thread) == out.threads.end()) continue;
    Step step = narrowed(entry.step, question.bytes);
    if (i != first && i != second && !is_kept(step)) continue;
    if (out.entries.size() == kMaxSteps) return fmt::format("more than {} steps between them", kMaxSteps);
    if (i == first) out.begin = out.entries.size();
    if (i == second) out.end = out.entries.size();
    out.entries.push_back({entry.thread, entry.site, std::move(step)});
  }
  out.phases = phases_behind(log, first, second);
  return out;
}

}  // namespace ptxmc::extract
