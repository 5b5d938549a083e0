// SPDX-License-Identifier: Apache-2.0
// Base relations of tensor memory: which tcgen05 instructions are pipelined (9.7.16.6.2), and which
// allocations must not follow what (9.7.16.7.1).
#include <algorithm>
#include <iterator>

#include "axiomatic/event/base_rows.h"

namespace ptxmc::event {
namespace {

using relation::BitMatrix;

/// 9.7.16.6.2: pairs of instructions that execute in issue order, of one cta_group.
struct PipelinedPair {
  TensorOp first, second;
  bool same_product = false;  // same accumulator and shape
};
constexpr PipelinedPair kPairs[] = {
    {TensorOp::mma, TensorOp::mma, true},   {TensorOp::cp, TensorOp::mma},
    {TensorOp::cp_4x256b, TensorOp::mma},   {TensorOp::shift, TensorOp::mma},
    {TensorOp::shift, TensorOp::cp_4x256b}, {TensorOp::mma, TensorOp::shift},
};

bool same_product(const TensorIssue& a, const TensorIssue& b) {
  return a.address == b.address && a.m == b.m && a.n == b.n && a.k == b.k;
}

bool is_pair(const TensorIssue& a, const TensorIssue& b) {
  return a.cta_group == b.cta_group && a.memory == b.memory &&
         std::any_of(std::begin(kPairs), std::end(kPairs), [&](const PipelinedPair& row) {
           return row.first == a.op && row.second == b.op && (!row.same_product || same_product(a, b));
         });
}

std::vector<std::size_t> issues(const Groups& groups) {
  std::vector<std::size_t> found;
  for (std::size_t e = 0; e < groups.n; ++e) {
    if (groups.event(e).tensor.op != TensorOp::none) found.push_back(e);
  }
  return found;
}

}  // namespace

namespace relations {

BitMatrix pair(const Groups& groups) {
  BitMatrix out(groups.n);
  const auto all = issues(groups);
  for (const std::size_t a : all) {
    for (const std::size_t b : all) {
      if (a != b && is_pair(groups.event(a).tensor, groups.event(b).tensor)) out.set(a, b);
    }
  }
  return out;
}

// R286: no alloc after relinquish_alloc_permit; the number of columns does not grow.
BitMatrix misallocation(const Groups& groups) {
  BitMatrix out(groups.n);
  const auto all = issues(groups);
  for (const std::size_t a : all) {
    for (const std::size_t b : all) {
      const TensorIssue &first = groups.event(a).tensor, &second = groups.event(b).tensor;
      if (a == b || second.op != TensorOp::alloc || !groups.same_cta(a, b)) continue;
      const bool grows = first.op == TensorOp::alloc && first.columns < second.columns;
      if (first.op == TensorOp::relinquish || grows) out.set(a, b);
    }
  }
  return out;
}

BitMatrix freed(const Groups& groups) {
  BitMatrix out(groups.n);
  for (const auto& [alloc, dealloc] : groups.graph.freed) out.set(alloc, dealloc);
  return out;
}

// R287: one .cta_group in a kernel.
BitMatrix othergroup(const Groups& groups) {
  BitMatrix out(groups.n);
  const auto all = issues(groups);
  for (const std::size_t a : all) {
    if (groups.event(a).tensor.mixed) out.set(a, a);
    for (const std::size_t b : all) {
      const std::uint8_t one = groups.event(a).tensor.cta_group, other = groups.event(b).tensor.cta_group;
      if (one != 0 && other != 0 && one != other && groups.thread(a).kernel == groups.thread(b).kernel)
        out.set(a, b);
    }
  }
  return out;
}

}  // namespace relations
}  // namespace ptxmc::event
