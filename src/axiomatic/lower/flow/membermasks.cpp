// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/flow/membermasks.h"

#include <algorithm>
#include <bit>

namespace ptxmc::lower {

namespace {

constexpr std::size_t kMost = 16;

}  // namespace

std::set<std::uint32_t> Membermasks::possible(const Instruction& instruction, Expr mask) const {
  const Position place = instruction.operand(Role::member_mask).position;
  // Which other lanes are active is free (R230): a lane may wait for one that went by without it, or so it reads.
  if (unit_.options.liveness && unit_.active_masks != 0)
    unit_.errors.beyond(
        place,
        "liveness of an exchange with lanes that activemask gave: which lanes are active at one time the "
        "manual leaves open (9.7.12.11)");
  Masks out;
  if (!add(mask, out))
    unit_.errors.beyond(place, "a membermask that depends on memory, or may have more than " +
                                   std::to_string(kMost) + " values");
  return out;
}

/// False: more than kMost, or not known.
bool Membermasks::add(Expr e, Masks& out) const {
  const event::Node node = pool_[e];
  switch (node.op) {
    case event::Op::constant:
      out.insert(static_cast<std::uint32_t>(node.constant));
      return out.size() <= kMost;
    case event::Op::ite:
      return add(node.b, out) && add(node.c, out);
    case event::Op::and_:
    case event::Op::or_:
    case event::Op::xor_:
      return add_combinations(node, out);
    case event::Op::sign_extend:
    case event::Op::zero_extend:
    case event::Op::truncate:
      return pool_[node.a].width >= 32 && add(node.a, out);
    case event::Op::value_of:
      return add_result(node, out);
    default:
      return false;
  }
}

bool Membermasks::add_combinations(const event::Node& node, Masks& out) const {
  Masks left, right;
  if (!add(node.a, left) || !add(node.b, right)) return false;
  for (const std::uint32_t a : left) {
    for (const std::uint32_t b : right)
      out.insert(node.op == event::Op::and_ ? a & b : node.op == event::Op::or_ ? a | b : a ^ b);
  }
  return out.size() <= kMost;
}

/// Adds the results of an exchange whose results are lanes that took part in it.
bool Membermasks::add_result(const event::Node& node, Masks& out) const {
  const auto found = std::find_if(unit_.exchanges.begin(), unit_.exchanges.end(),
                                  [&](const Exchange& one) { return one.wait == node.atom; });
  if (found == unit_.exchanges.end() || node.constant != 0) return false;
  const bool ballot =
      found->kind == ExchangeKind::vote && found->modifiers.warp_mode == isa::WarpMode::ballot;
  if (found->kind != ExchangeKind::match && !ballot) return false;
  return add_subsets(lanes_of_warp(graph_, thread_) & found->mask, out);
}

bool Membermasks::add_subsets(std::uint32_t lanes, Masks& out) const {
  if ((std::size_t{1} << std::min(std::popcount(lanes), 31)) > kMost) return false;
  for (std::uint32_t subset = lanes; subset != 0; subset = (subset - 1) & lanes) out.insert(subset);
  out.insert(0);
  return out.size() <= kMost;
}

}  // namespace ptxmc::lower
