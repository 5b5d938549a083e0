// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/objects.h"

#include <algorithm>

#include "bridge/extract/variables.h"

namespace ptxmc::extract {

namespace {

constexpr trace::Phase kMaxPhases = 6;

/// What the slice does in a phase.
struct Use {
  std::uint32_t arrivals = 0;
  bool expects = false;
  std::int64_t bytes = 0;
};

struct Uses {
  std::map<trace::Phase, Use> phases;
  std::optional<trace::Phase> awaited;  // the last one
  bool initialised_here = false;
};

std::map<trace::Address, Uses> uses_of(const Slice& slice) {
  std::map<trace::Address, Uses> out;
  for (const Entry& entry : slice.entries) {
    if (const auto* init = std::get_if<Init>(&entry.step)) {
      if (!out[init->object].phases.empty()) throw Unwritten{"an mbarrier object begins anew between them"};
      out[init->object].initialised_here = true;
    } else if (const auto* arrive = std::get_if<Arrive>(&entry.step)) {
      Use& use = out[arrive->object].phases[arrive->phase];
      use.arrivals += arrive->count;
      use.expects = use.expects || arrive->bytes > 0;
    } else if (const auto* wait = std::get_if<PhaseWait>(&entry.step)) {
      auto& awaited = out[wait->object].awaited;
      awaited = std::max(awaited.value_or(0), wait->phase);
    } else if (const auto* copy = std::get_if<Copy>(&entry.step)) {
      if (copy->tracking == trace::Tracking::mbarrier)
        out[copy->object].phases[copy->phase].bytes += static_cast<std::int64_t>(copied(*copy));
    }
  }
  return out;
}

ObjectPlan plan(const Uses& uses, std::optional<trace::Phase> at_start) {
  ObjectPlan out;
  out.initialised = !uses.initialised_here;
  if (!uses.initialised_here) out.base = at_start.value_or(uses.awaited ? *uses.awaited + 1 : 0);
  if (!uses.phases.empty() && uses.phases.begin()->first < out.base)
    throw Unwritten{"an arrival counts to a phase that is over"};
  for (const auto& [phase, use] : uses.phases)
    out.count = std::max(out.count, use.arrivals + (use.bytes > 0 && !use.expects ? 1 : 0));
  if (!uses.awaited || out.is_over(*uses.awaited)) return out;
  if (*uses.awaited - out.base >= kMaxPhases)
    throw Unwritten{"many phases of an mbarrier object pass between them"};
  for (trace::Phase phase = out.base; phase <= *uses.awaited; ++phase) {
    const auto found = uses.phases.find(phase);
    const Use use = found == uses.phases.end() ? Use() : found->second;
    out.missing.push_back({out.count - use.arrivals, use.expects ? 0 : use.bytes});
  }
  return out;
}

}  // namespace

trace::Address copied_from(const trace::Range& bytes) {
  return bytes.begin / kRow * kRow;
}

std::uint64_t copied(const Copy& copy) {
  const auto rows = [](const trace::Range* bytes) -> std::uint64_t {
    if (bytes == nullptr) return 0;
    const trace::Address end = (bytes->begin + bytes->bytes + kRow - 1) / kRow * kRow;
    return end - copied_from(*bytes);
  };
  return std::max({kRow, rows(copy.read()), rows(copy.written())});
}

std::int64_t bytes_of(const Slice& slice, trace::Address object, trace::Phase phase) {
  std::int64_t out = 0;
  for (const Entry& entry : slice.entries) {
    const auto* copy = std::get_if<Copy>(&entry.step);
    if (copy != nullptr && copy->tracking == trace::Tracking::mbarrier && copy->object == object &&
        copy->phase == phase)
      out += static_cast<std::int64_t>(copied(*copy));
  }
  return out;
}

std::map<trace::Address, ObjectPlan> plan_objects(const Slice& slice) {
  std::map<trace::Address, ObjectPlan> out;
  for (const auto& [object, uses] : uses_of(slice)) {
    const auto known = slice.phases.find(object);
    out.emplace(object,
                plan(uses, known == slice.phases.end() ? std::nullopt : std::optional(known->second)));
  }
  return out;
}

}  // namespace ptxmc::extract
