// SPDX-License-Identifier: Apache-2.0
// Base relations of tensor memory: which tcgen05 instructions are pipelined (9.7.16.6.2), and which
// allocations must not follow what (9.7.16.7.1).
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "axiomatic/event/base_rows.h"

namespace ptxmc::event {
namespace {

using relation::BitMatrix;

/// 9.7.16.6.2 in PTX ISA 9.1: pairs of instructions that execute in issue order, of one cta_group.
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

/// What an access of tensor memory is to the instruction that makes it.
enum class Operand : std::uint8_t { none, multiplicand, c, d, cp, cp_4x256b, shift, ld, st };

/// 9.7.16.6.2 in PTX ISA 9.4: pairs of operands, of instructions of one cta_group. Scale factors are among the
/// multiplicands (the manual has "A and metadata"), or in no pair; what a cp wrote and an mma reads has the "same address" if they share
/// bytes, or if they begin at one (D56). [R]
struct OperandPair {
  Operand first, second;
  bool same_product = false, overlapping = false;
};
constexpr OperandPair kOperandPairs[] = {
    {Operand::multiplicand, Operand::d},
    {Operand::multiplicand, Operand::cp},
    {Operand::multiplicand, Operand::cp_4x256b},
    {Operand::multiplicand, Operand::shift},
    {Operand::c, Operand::d, true},
    {Operand::d, Operand::c, true},
    {Operand::d, Operand::d, true},
    {Operand::cp, Operand::multiplicand, false, true},
    {Operand::cp_4x256b, Operand::multiplicand},
    {Operand::shift, Operand::multiplicand},
    {Operand::shift, Operand::cp_4x256b},
    {Operand::st, Operand::ld},
    {Operand::st, Operand::st},
    {Operand::ld, Operand::st},
};

Operand operand_of(const Groups& groups, std::size_t access) {
  const Event& event = groups.event(access);
  if (!event.is_access() || event.issue == kNoEvent || event.labels.proxy != isa::Proxy::tensor)
    return Operand::none;
  switch (groups.event(event.issue).tensor.op) {
    case TensorOp::mma:
      if (event.labels.unpaired) return Operand::none;
      if (event.labels.multiplicand) return Operand::multiplicand;
      return event.is_write() ? Operand::d : Operand::c;
    case TensorOp::cp:
      return Operand::cp;
    case TensorOp::cp_4x256b:
      return Operand::cp_4x256b;
    case TensorOp::shift:
      return Operand::shift;
    case TensorOp::ld:
      return Operand::ld;
    case TensorOp::st:
      return Operand::st;
    default:
      return Operand::none;
  }
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

namespace {

BitMatrix pipelined(const Groups& groups, bool begin_alike) {
  BitMatrix out(groups.n);
  std::vector<std::pair<std::size_t, Operand>> all;
  for (std::size_t e = 0; e < groups.n; ++e) {
    if (const Operand operand = operand_of(groups, e); operand != Operand::none) all.emplace_back(e, operand);
  }
  for (const auto& [a, first] : all) {
    for (const auto& [b, second] : all) {
      const EventId issue = groups.event(a).issue, other = groups.event(b).issue;
      const TensorIssue &one = groups.event(issue).tensor, &two = groups.event(other).tensor;
      if (issue == other || one.cta_group != two.cta_group || one.memory != two.memory) continue;
      const bool of_one_product = same_product(one, two), overlap = groups.ploc.test(a, b);
      const bool one_begin = groups.event(a).labels.begin == groups.event(b).labels.begin;
      const auto is_row = [&, before = first, after = second](const OperandPair& row) {
        return row.first == before && row.second == after && (!row.same_product || of_one_product) &&
               (!row.overlapping || (overlap && (one_begin || !begin_alike)));
      };
      if (std::any_of(std::begin(kOperandPairs), std::end(kOperandPairs), is_row)) out.set(a, b);
    }
  }
  return out;
}

}  // namespace

BitMatrix operands(const Groups& groups) {
  return pipelined(groups, false);
}

BitMatrix operands_from_one(const Groups& groups) {
  return pipelined(groups, true);
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
