// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "axiomatic/event/symbolic_value.h"

namespace ptxmc::event {
namespace {

Term unknown(std::string name, Width width) {
  Term term;
  term.name = std::move(name);
  term.width = width;
  return term;
}

}  // namespace

TEST_CASE(
    "expressions of different structure have different numbers, and none has 0, which stands for a number") {
  ExprPool pool;
  std::vector<Expr> all;
  for (const Width width : {kUnbounded, Width{64}, Width{32}, Width{16}, Width{8}}) {
    const Expr x = pool.new_term(unknown("x", width)), y = pool.new_term(unknown("y", width));
    for (const Expr e : {x, y, pool.make(Op::not_, width, x)}) all.push_back(e);
    for (const Op op :
         {Op::add, Op::sub, Op::mul, Op::and_, Op::or_, Op::xor_, Op::shl, Op::shr_u, Op::min_s})
      all.push_back(pool.make(op, width, x, y));
    for (const Width narrow : {Width{32}, Width{16}, Width{8}, Width{4}, Width{1}}) {
      if (width != kUnbounded && narrow >= width) continue;
      const Expr part = pool.make(Op::truncate, narrow, x);
      all.push_back(part);
      for (const Op op : {Op::sign_extend, Op::zero_extend}) all.push_back(pool.make(op, width, part));
    }
  }
  std::set<Expr> expressions(all.begin(), all.end());
  std::set<std::uint64_t> numbers;
  for (const Expr e : expressions) numbers.insert(structure(pool, e));
  CHECK(numbers.size() == expressions.size());
  CHECK(!numbers.contains(0));
}

}  // namespace ptxmc::event
