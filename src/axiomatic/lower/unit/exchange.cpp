// SPDX-License-Identifier: Apache-2.0
// Results of exchanges, as expressions over the operands of those who meet.
//
// A thread that stands for a warp contributes the same operand for each of its 32 lanes, and its registers
// show what all of them get; a predicate that would differ between them is refused, but for elect.sync, whose
// thread is the leader: what one elected lane does happens once.
#include "axiomatic/lower/unit/exchange.h"

#include <algorithm>
#include <bit>

#include "axiomatic/lower/unit/matrix_values.h"
#include "axiomatic/lower/unit/unit.h"
#include "finding/rules.h"
#include "ptx/isa/table.h"

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::Op;
using event::Value;
using isa::WarpMode;

constexpr event::Width kRegister = 32;

class Results {
 public:
  Results(Unit& unit, const Exchange& self, const std::vector<const Exchange*>& met)
      : unit_(unit), pool_(unit.pool()), self_(self), met_(met) {}

  ExchangeResult run() {
    check_kinds();
    switch (self_.kind) {
      case ExchangeKind::barrier:
        return barrier_reduction();
      case ExchangeKind::shuffle:
        return shuffle();
      case ExchangeKind::vote:
        return vote();
      case ExchangeKind::match:
        return match();
      case ExchangeKind::redux:
        return {reduction(), {}};
      case ExchangeKind::elect:
        return elect();
    }
    return {};
  }

 private:
  std::uint32_t lanes(const Exchange& e) const { return unit_.graph.threads[e.thread].lanes; }
  /// Its lanes that the mask names.
  std::uint32_t members(const Exchange& e) const { return lanes(e) & self_.mask; }
  Expr number(Value value) { return pool_.constant(value, kRegister); }
  Expr number(std::uint32_t mask) { return number(static_cast<Value>(mask)); }
  Expr choose(Expr condition, Expr yes, Expr no) {
    return pool_.make(Op::ite, pool_[yes].width, condition, yes, no);
  }
  Expr equal(Expr a, Expr b) { return pool_.make(Op::eq, 1, a, b); }

  /// R170: two operations of one phase that reduce otherwise. (What reduces nothing the phase machine tells apart.)
  void check_kinds() {
    const bool alike = std::all_of(met_.begin(), met_.end(), [&](const Exchange* other) {
      return other->kind == self_.kind && other->modifiers.barrier_red == self_.modifiers.barrier_red;
    });
    if (!alike && !pool_.is_false(self_.guard))
      unit_.graph.misuses.push_back(
          {finding::RuleId::barrier_misuse, self_.guard, self_.position, self_.text});
  }

  ExchangeResult barrier_reduction() {
    const isa::BarrierRed op = self_.modifiers.barrier_red;
    Expr result = pool_.constant(op == isa::BarrierRed::and_ ? 1 : 0, result_width(self_));
    for (const Exchange* other : met_) {
      if (op == isa::BarrierRed::popc) {
        const Expr all = number(static_cast<Value>(std::popcount(lanes(*other))));
        result = pool_.make(Op::add, kRegister, result, choose(other->value, all, number(Value{0})));
      } else {
        result = op == isa::BarrierRed::and_ ? pool_.conjunction(result, other->value)
                                             : pool_.disjunction(result, other->value);
      }
    }
    return {result, {}};
  }

  struct Source {
    Expr lane, in_range;
  };

  /// 9.7.8.6: the lane that `lane` reads from, and whether it is in range.
  Source source_of(Value lane) {
    const auto binary = [&](Op op, Expr a, Expr b) { return pool_.make(op, kRegister, a, b); };
    const Expr low = number(Value{31});
    const Expr own = number(lane);
    const Expr b = binary(Op::and_, self_.source, low), clamp = binary(Op::and_, self_.clamp, low);
    const Expr segment = binary(Op::and_, binary(Op::shr_u, self_.clamp, number(Value{8})), low);
    const Expr within = binary(Op::and_, binary(Op::xor_, segment, low), low);
    const Expr least = binary(Op::and_, own, segment);
    const Expr most = binary(Op::or_, least, binary(Op::and_, clamp, within));
    Expr from = binary(Op::or_, least, binary(Op::and_, b, within));
    if (self_.modifiers.warp_mode == WarpMode::up) from = binary(Op::sub, own, b);
    if (self_.modifiers.warp_mode == WarpMode::down) from = binary(Op::add, own, b);
    if (self_.modifiers.warp_mode == WarpMode::bfly) from = binary(Op::xor_, own, b);
    const bool up = self_.modifiers.warp_mode == WarpMode::up;
    const Expr outside = up ? pool_.make(Op::lt_s, 1, from, most) : pool_.make(Op::lt_s, 1, most, from);
    const Expr in_range = pool_.negation(outside);
    return {choose(in_range, from, own), in_range};
  }

  ExchangeResult shuffle() {
    if (lanes(self_) == kAllLanes) return uniform_shuffle();
    const auto own = static_cast<Value>(std::countr_zero(lanes(self_)));
    const Source source = source_of(own);
    Expr result = self_.value;
    Expr found = pool_.truth(false);
    for (const Exchange* other : met_) {
      const Expr here = equal(source.lane, number(static_cast<Value>(std::countr_zero(lanes(*other)))));
      found = pool_.disjunction(found, here);
      result = choose(here, other->value, result);
    }
    const Expr lost = pool_.conjunction(self_.guard, pool_.negation(found));
    if (!pool_.is_false(lost))
      unit_.graph.misuses.push_back({finding::RuleId::shfl_inactive_lane, lost, self_.position, self_.text});
    return {result, source.in_range};
  }

  ExchangeResult uniform_shuffle() {
    const Expr in_range = source_of(0).in_range;
    for (Value lane = 1; self_.wants_predicate && lane < kRegister; ++lane) {
      if (source_of(lane).in_range == in_range) continue;
      unit_.errors.unsupported(
          self_.position,
          "a predicate of shfl.sync that differs between the lanes of a thread that stands for "
          "its warp; give the lanes threads of their own: `@ warp 0, lane 0`");
    }
    return {self_.value, in_range};
  }

  ExchangeResult vote() {
    Expr all = pool_.truth(true), any = pool_.truth(false);
    Expr ballot = number(Value{0});
    for (const Exchange* other : met_) {
      all = pool_.conjunction(all, other->value);
      any = pool_.disjunction(any, other->value);
      ballot = pool_.make(Op::or_, kRegister, ballot,
                          choose(other->value, number(members(*other)), number(Value{0})));
    }
    switch (self_.modifiers.warp_mode) {
      case WarpMode::all:
        return {all, {}};
      case WarpMode::any:
        return {any, {}};
      case WarpMode::uni:
        return {pool_.disjunction(all, pool_.negation(any)), {}};
      default:
        return {ballot, {}};
    }
  }

  ExchangeResult match() {
    Expr equals = number(Value{0}), same = pool_.truth(true);
    std::uint32_t everybody = 0;
    for (const Exchange* other : met_) {
      const Expr here = equal(other->value, self_.value);
      same = pool_.conjunction(same, here);
      everybody |= members(*other);
      equals =
          pool_.make(Op::or_, kRegister, equals, choose(here, number(members(*other)), number(Value{0})));
    }
    if (self_.modifiers.warp_mode == WarpMode::any) return {equals, {}};
    return {choose(same, number(everybody), number(Value{0})), same};
  }

  /// The same member leads each time (9.7.12.14); which, the scheduler chooses once for a mask.
  ExchangeResult elect() {
    const std::uint32_t own = members(self_);
    if (lanes(self_) == kAllLanes)
      return {number(static_cast<Value>(std::countr_zero(own))), pool_.truth(true)};
    std::vector<std::uint32_t> present;
    for (const Exchange* other : met_) present.push_back(members(*other));
    std::sort(present.begin(), present.end());
    const std::size_t last = self_.choices.size();
    const auto lane_of = [&](std::size_t choice) {
      return std::countr_zero(present[choice % present.size()]);
    };
    Expr leader = number(static_cast<Value>(lane_of(last)));
    Expr leads = pool_.truth(lane_of(last) == std::countr_zero(own));
    for (std::size_t i = last; i-- > 0;) {  // a choice is made where none before it is
      leader = choose(self_.choices[i], number(static_cast<Value>(lane_of(i))), leader);
      leads = choose(self_.choices[i], pool_.truth(lane_of(i) == std::countr_zero(own)), leads);
    }
    return {leader, leads};
  }

  /// redux.sync: sums and exclusive ors count each lane that a thread stands for.
  Expr reduction() {
    if (self_.modifiers.type->is_floating()) return extremum();
    std::optional<Expr> result;
    for (const Exchange* other : met_) {
      const Expr part = repeated(other->value, std::popcount(members(*other)));
      result = result ? pool_.make(operation(), kRegister, *result, part) : part;
    }
    return *result;
  }

  /// The least or the most of floating numbers: of as many numbers one function, whatever their order.
  Expr extremum() {
    std::vector<Expr> values;
    for (const Exchange* other : met_) values.push_back(other->value);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return upper_half(pool_,
                      uninterpreted(pool_, isa::mnemonic(isa::Opcode::redux, self_.modifiers), values));
  }

  Expr repeated(Expr value, int times) {
    if (times == 1) return value;
    if (self_.modifiers.atomic == isa::AtomicOp::add)
      return pool_.make(Op::mul, kRegister, value, number(static_cast<Value>(times)));
    if (self_.modifiers.atomic == isa::AtomicOp::xor_ && times % 2 == 0) return number(Value{0});
    return value;
  }

  Op operation() const {
    const bool is_signed = self_.modifiers.type->is_signed();
    switch (self_.modifiers.atomic) {
      case isa::AtomicOp::add:
        return Op::add;
      case isa::AtomicOp::min:
        return is_signed ? Op::min_s : Op::min_u;
      case isa::AtomicOp::max:
        return is_signed ? Op::max_s : Op::max_u;
      case isa::AtomicOp::and_:
        return Op::and_;
      case isa::AtomicOp::or_:
        return Op::or_;
      default:
        return Op::xor_;
    }
  }

  Unit& unit_;
  event::ExprPool& pool_;
  const Exchange& self_;
  const std::vector<const Exchange*>& met_;
};

}  // namespace

event::Width result_width(const Exchange& exchange) {
  if (exchange.kind == ExchangeKind::barrier)
    return exchange.modifiers.barrier_red == isa::BarrierRed::popc ? kRegister : 1;
  return exchange.kind == ExchangeKind::vote && exchange.modifiers.warp_mode != WarpMode::ballot ? 1
                                                                                                 : kRegister;
}

ExchangeResult exchange_result(Unit& unit, const Exchange& self, const std::vector<const Exchange*>& others) {
  return Results(unit, self, others).run();
}

std::uint32_t lanes_of_warp(const event::ProgramGraph& graph, event::ThreadId thread) {
  const event::ThreadInfo& here = graph.threads[thread];
  std::uint32_t lanes = here.lanes;
  for (const event::ThreadInfo& there : graph.threads) {
    if (here.warp && there.cta == here.cta && there.warp == here.warp) lanes |= there.lanes;
  }
  return lanes;
}

}  // namespace ptxmc::lower
