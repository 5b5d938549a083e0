// SPDX-License-Identifier: Apache-2.0
// The base relations of tensor memory (9.7.16.6.2, 9.7.16.7.1), each as the question whether it holds of one pair.
#include <algorithm>
#include <map>
#include <utility>

#include "axiomatic/recheck/naive_base.h"

namespace ptxmc::check {
namespace {

using event::Event;
using event::EventId;
using event::TensorIssue;
using event::TensorOp;
using V = const BaseView&;

bool one_product(const TensorIssue& a, const TensorIssue& b) {
  return a.address == b.address && a.m == b.m && a.n == b.n && a.k == b.k;
}

/// PTX ISA 9.1: whole instructions.
bool pair(V v, EventId a, EventId b) {
  const TensorIssue &first = v.at(a).tensor, &second = v.at(b).tensor;
  if (a == b || first.cta_group != second.cta_group || first.memory != second.memory) return false;
  switch (first.op) {
    case TensorOp::mma:
      return (second.op == TensorOp::mma && one_product(first, second)) || second.op == TensorOp::shift;
    case TensorOp::cp:
    case TensorOp::cp_4x256b:
      return second.op == TensorOp::mma;
    case TensorOp::shift:
      return second.op == TensorOp::mma || second.op == TensorOp::cp_4x256b;
    default:
      return false;
  }
}

/// An access of tensor memory by an instruction of this kind.
bool by(V v, EventId access, TensorOp op) {
  const Event& event = v.at(access);
  return !v.cells[access].empty() && event.issue != event::kNoEvent &&
         event.labels.proxy == isa::Proxy::tensor && v.at(event.issue).tensor.op == op;
}
bool by_copy(V v, EventId e) {
  return by(v, e, TensorOp::cp) || by(v, e, TensorOp::cp_4x256b);
}
bool by_move(V v, EventId e) {
  return by(v, e, TensorOp::ld) || by(v, e, TensorOp::st);
}
bool multiplies(V v, EventId e) {
  return by(v, e, TensorOp::mma) && v.at(e).labels.multiplicand && !v.at(e).labels.unpaired;
}
bool accumulates(V v, EventId e) {
  return by(v, e, TensorOp::mma) && !v.at(e).labels.multiplicand;
}

/// PTX ISA 9.4: operands.
bool operands(V v, EventId a, EventId b) {
  if (v.at(a).issue == event::kNoEvent || v.at(b).issue == event::kNoEvent || v.at(a).issue == v.at(b).issue)
    return false;
  const TensorIssue &first = v.at(v.at(a).issue).tensor, &second = v.at(v.at(b).issue).tensor;
  if (first.cta_group != second.cta_group || first.memory != second.memory) return false;
  const bool writes = v.at(a).kind == event::EventKind::write || v.at(b).kind == event::EventKind::write;
  if (multiplies(v, a)) return by_copy(v, b) || by(v, b, TensorOp::shift) || (accumulates(v, b) && writes);
  if (accumulates(v, a)) return accumulates(v, b) && writes && one_product(first, second);
  if (by(v, a, TensorOp::cp)) {  // D56
    return multiplies(v, b) && std::any_of(v.cells[a].begin(), v.cells[a].end(), [&](event::CellId cell) {
             return std::find(v.cells[b].begin(), v.cells[b].end(), cell) != v.cells[b].end();
           });
  }
  if (by_copy(v, a)) return multiplies(v, b);
  if (by(v, a, TensorOp::shift)) return multiplies(v, b) || by(v, b, TensorOp::cp_4x256b);
  return by_move(v, a) && by_move(v, b) && writes;
}

bool operands_from_one(V v, EventId a, EventId b) {
  if (!operands(v, a, b)) return false;
  return !by(v, a, TensorOp::cp) || v.at(a).labels.begin == v.at(b).labels.begin;
}

bool misalloc(V v, EventId a, EventId b) {
  if (a == b || v.at(b).tensor.op != TensorOp::alloc || v.threadless(a) || v.thread(a).cta != v.thread(b).cta)
    return false;
  if (v.at(a).tensor.op == TensorOp::alloc) return v.at(a).tensor.columns < v.at(b).tensor.columns;
  return v.at(a).tensor.op == TensorOp::relinquish;
}

bool freed(V v, EventId a, EventId b) {
  return listed(v.graph.freed, std::pair(a, b));
}

bool othergroup(V v, EventId a, EventId b) {
  const TensorIssue &first = v.at(a).tensor, &second = v.at(b).tensor;
  if (first.op == TensorOp::none || second.op == TensorOp::none) return false;
  if (a == b) return first.mixed;
  return first.cta_group + second.cta_group == 3 && first.cta_group * second.cta_group == 2 &&
         v.thread(a).kernel == v.thread(b).kernel;
}

const std::map<std::string_view, NaiveRelated>& tensor_rows() {
  static const std::map<std::string_view, NaiveRelated> rows = {
      {"pair", pair},         {"operands", operands}, {"operands-from-one", operands_from_one},
      {"misalloc", misalloc}, {"freed", freed},       {"othergroup", othergroup}};
  return rows;
}

}  // namespace

NaiveRelated naive_tensor_relation(std::string_view name) {
  const auto found = tensor_rows().find(name);
  return found == tensor_rows().end() ? nullptr : found->second;
}

}  // namespace ptxmc::check
