// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "support/overloaded.h"

namespace ptxmc::extract {

namespace {

constexpr std::uint64_t kMaxBytes = 1024;

trace::Range rows(const trace::Range& bytes) {
  const trace::Address begin = bytes.begin / kRow * kRow;
  const trace::Address end = (bytes.begin + bytes.bytes + kRow - 1) / kRow * kRow;
  return {begin, end - begin};
}

}  // namespace

Variables::Variables(const Log& log, const Slice& slice) : log_(log) {
  for (const Entry& entry : slice.entries) {
    std::visit(Overloaded{
                   [&](const MemoryAccess& s) { add(s.bytes); },
                   [&](const Copy& s) {
                     for (const trace::Range& bytes : s.reads) add(bytes);
                     for (const trace::Range& bytes : s.writes) add(bytes);
                     if (s.tracking == trace::Tracking::mbarrier) add_object(s.object);
                   },
                   [&](const Init& s) { add_object(s.object); },
                   [&](const Invalidation& s) { add_object(s.object); },
                   [&](const Arrive& s) { add_object(s.object); },
                   [&](const PhaseWait& s) { add_object(s.object); },
                   [](const auto&) {},
               },
               entry.step);
  }
  std::sort(blocks_.begin(), blocks_.end(),
            [](const Block& a, const Block& b) { return a.bytes.begin < b.bytes.begin; });
  for (std::size_t i = 0; i < blocks_.size(); ++i) blocks_[i].name = fmt::format("m{}", i);
}

std::optional<std::uint32_t> Variables::cta_of(trace::Address address) const {
  for (const auto& [cta, window] : log_.shared) {
    if (overlap({address, 1}, window)) return cta;
  }
  return std::nullopt;
}

void Variables::add(trace::Range bytes) {
  if (const auto cta = cta_of(bytes.begin)) ctas_.insert(*cta);
  Block merged{rows(bytes), {}};
  const auto near = [&](const Block& block) { return overlap(block.bytes, merged.bytes); };
  for (auto found = std::find_if(blocks_.begin(), blocks_.end(), near); found != blocks_.end();
       found = std::find_if(blocks_.begin(), blocks_.end(), near)) {
    const trace::Address end =
        std::max(found->bytes.begin + found->bytes.bytes, merged.bytes.begin + merged.bytes.bytes);
    merged.bytes.begin = std::min(found->bytes.begin, merged.bytes.begin);
    merged.bytes.bytes = end - merged.bytes.begin;
    blocks_.erase(found);
  }
  if (merged.bytes.bytes > kMaxBytes) throw Unwritten{fmt::format("more than {} bytes in a row", kMaxBytes)};
  blocks_.push_back(std::move(merged));
}

void Variables::add_object(trace::Address address) {
  const auto cta = cta_of(address);
  if (!cta) throw Unwritten{"an mbarrier object is in no CTA's shared memory"};
  ctas_.insert(*cta);
  objects_.try_emplace(address, fmt::format("mbar{}", objects_.size()));
}

const Variables::Block* Variables::block_of(trace::Address address) const {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) {
    return overlap({address, 1}, block.bytes);
  });
  return found == blocks_.end() ? nullptr : &*found;
}

std::string Variables::place(trace::Address address) const {
  const Block& block = *block_of(address);
  return address == block.bytes.begin ? block.name
                                      : fmt::format("{}+{}", block.name, address - block.bytes.begin);
}

std::vector<std::string> Variables::declarations() const {
  std::vector<std::string> out;
  for (const Block& block : blocks_) {
    out.push_back(fmt::format("{} .align {} .b8 {}[{}] = {{0}};",
                              is_shared(block.bytes.begin) ? ".shared" : ".global", kRow, block.name,
                              block.bytes.bytes));
  }
  return out;
}

}  // namespace ptxmc::extract
