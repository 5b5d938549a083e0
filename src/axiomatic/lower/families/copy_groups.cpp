// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/copy_groups.h"

#include <algorithm>
#include <iterator>

namespace ptxmc::lower {
namespace {

using event::EventId;
using event::Expr;
using AccessIds = std::vector<EventId>;

std::size_t index_of(CopyKind kind) {
  return static_cast<std::size_t>(kind);
}

AccessIds united(const AccessIds& a, const AccessIds& b) {
  AccessIds out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

bool equally_many(const CopyHistory::Alternative& a, const CopyHistory::Alternative& b) {
  return std::equal(
      a.groups.begin(), a.groups.end(), b.groups.begin(),
      [](const CopyGroups& x, const CopyGroups& y) { return x.committed.size() == y.committed.size(); });
}

void unite(CopyGroups& groups, const CopyGroups& others) {
  groups.open = united(groups.open, others.open);
  for (std::size_t g = 0; g < groups.committed.size(); ++g) {
    groups.committed[g] = united(groups.committed[g], others.committed[g]);
  }
}

/// Applies `change` to the alternatives where `executed` holds.
template <typename Change>
void split(event::ExprPool& pool, std::vector<CopyHistory::Alternative>& alternatives, Expr executed,
           const Change& change) {
  std::vector<CopyHistory::Alternative> out;
  for (const CopyHistory::Alternative& before : alternatives) {
    CopyHistory::Alternative after = before;
    change(after);
    after.where = pool.conjunction(before.where, executed);
    if (!pool.is_false(after.where)) out.push_back(std::move(after));
    CopyHistory::Alternative unchanged = before;
    unchanged.where = pool.conjunction(before.where, pool.negation(executed));
    if (!pool.is_false(unchanged.where)) out.push_back(std::move(unchanged));
  }
  alternatives = std::move(out);
}

}  // namespace

void CopyHistory::add(CopyKind kind, EventId access) {
  for (Alternative& alternative : alternatives_) {
    alternative.groups[index_of(kind)].open.push_back(access);
  }
  if (kind == CopyKind::plain) plain_.push_back(access);
}

void CopyHistory::commit(event::ExprPool& pool, CopyKind kind, Expr executed) {
  split(pool, alternatives_, executed, [&](Alternative& alternative) {
    CopyGroups& groups = alternative.groups[index_of(kind)];
    groups.committed.push_back(std::move(groups.open));
    groups.open.clear();
  });
  join_equal(pool);
}

void CopyHistory::retire(event::ExprPool& pool, CopyKind kind, std::size_t newest, Expr executed) {
  split(pool, alternatives_, executed, [&](Alternative& alternative) {
    auto& committed = alternative.groups[index_of(kind)].committed;
    const std::size_t over = committed.size() - std::min(newest, committed.size());
    committed.erase(committed.begin(), committed.begin() + static_cast<std::ptrdiff_t>(over));
  });
  join_equal(pool);
}

void CopyHistory::merge(event::ExprPool& pool, Expr own, const CopyHistory& other, Expr other_guard) {
  if (*this == other) return;
  const bool simple = alternatives_.size() == 1 && other.alternatives_.size() == 1 &&
                      equally_many(alternatives_.front(), other.alternatives_.front());
  plain_ = united(plain_, other.plain_);
  if (!simple) {
    for (Alternative& alternative : alternatives_)
      alternative.where = pool.conjunction(alternative.where, own);
  }
  for (Alternative alternative : other.alternatives_) {
    if (!simple) alternative.where = pool.conjunction(alternative.where, other_guard);
    alternatives_.push_back(std::move(alternative));
  }
  join_equal(pool);
}

void CopyHistory::join_equal(event::ExprPool& pool) {
  std::vector<Alternative> out;
  for (Alternative& alternative : alternatives_) {
    const auto same = std::find_if(
        out.begin(), out.end(), [&](const Alternative& known) { return equally_many(known, alternative); });
    if (same == out.end()) {
      out.push_back(std::move(alternative));
      continue;
    }
    same->where = pool.disjunction(same->where, alternative.where);
    for (std::size_t kind = 0; kind < same->groups.size(); ++kind) {
      unite(same->groups[kind], alternative.groups[kind]);
    }
  }
  alternatives_ = std::move(out);
}

}  // namespace ptxmc::lower
