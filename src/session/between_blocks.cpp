// SPDX-License-Identifier: Apache-2.0
#include "session/between_blocks.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "dynamic/exec/run.h"
#include "dynamic/shadow/footprints.h"

namespace ptxmc::session {

namespace {

constexpr std::uint64_t kShort = 1 << 20;  // thread instructions
constexpr std::size_t kFew = 64;           // blocks

/// What a block accesses, and what of that it writes, in ascending order.
struct BlockAccesses {
  trace::Intervals all, written;
};

BlockAccesses accesses_of(const trace::Footprints::OfCta& footprint) {
  BlockAccesses out;
  for (const auto& [touched, intervals] : footprint) {
    out.all.insert(out.all.end(), intervals.begin(), intervals.end());
    if (touched.touch != trace::Touch::read)
      out.written.insert(out.written.end(), intervals.begin(), intervals.end());
  }
  std::sort(out.all.begin(), out.all.end());
  std::sort(out.written.begin(), out.written.end());
  return out;
}

/// Have they a byte in common? Intervals of one side may overlap each other.
bool overlap(const trace::Intervals& a, const trace::Intervals& b) {
  trace::Address reach = 0;
  auto first = a.begin();
  for (const trace::Interval& one : b) {
    for (; first != a.end() && first->begin < one.end; ++first) reach = std::max(reach, first->end);
    if (reach > one.begin) return true;
  }
  return false;
}

bool in_clusters(const program::Program& program) {
  return std::any_of(program.threads.begin(), program.threads.end(), [](const program::Thread& thread) {
    return thread.placement.cluster.has_value() && thread.placement.cluster != thread.placement.cta;
  });
}

}  // namespace

std::optional<bool> blocks_meet(const explore::VerificationTask& task, const Verification& verification) {
  const claim::VerifyResult& verified = verification.verified;
  const exec::Outcome& outcome = verified.outcome;
  if (!verified.launched || !verified.shape || outcome.end != exec::End::finished ||
      outcome.instructions > kShort)
    return std::nullopt;
  if (in_clusters(task.test)) return std::nullopt;
  trace::Footprints footprints;
  exec::Run run(task.test, &footprints, task.inner_maps);
  if (run.run(verification.shown()).end != exec::End::finished || footprints.overflowed())
    return std::nullopt;
  std::vector<BlockAccesses> blocks;
  for (const trace::Footprints::OfCta& footprint : footprints.ctas())
    blocks.push_back(accesses_of(footprint));
  if (blocks.size() < 2 || blocks.size() > kFew) return std::nullopt;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t k = i + 1; k < blocks.size(); ++k) {
      if (overlap(blocks[i].written, blocks[k].all) || overlap(blocks[i].all, blocks[k].written)) return true;
    }
  }
  return false;
}

}  // namespace ptxmc::session
