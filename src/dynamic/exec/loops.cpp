// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/loops.h"

#include <algorithm>
#include <map>

#include "dynamic/exec/ways.h"

namespace ptxmc::exec {

namespace {

using Body = std::vector<bool>;  // by step

/// Adds the steps that lead to the end of an iteration, up to the loop's head.
void add_body(const Graph& before, std::size_t end, Body& body) {
  std::vector<std::size_t> open{end};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (body[at]) continue;
    body[at] = true;
    open.insert(open.end(), before[at].begin(), before[at].end());
  }
}

bool is_entered_at_head_only(const Graph& before, const Body& body, std::size_t head) {
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (!body[at] || at == head) continue;
    if (!std::all_of(before[at].begin(), before[at].end(), [&](std::size_t from) { return body[from]; }))
      return false;
  }
  return head == 0 || !body[0];  // a thread begins there
}

}  // namespace

std::optional<std::vector<trace::Site>> loops_around(const Code& code, trace::Site site) {
  const Graph before = predecessors(code);
  std::map<std::size_t, Body> loops;  // by head
  for (std::size_t head = 0; head < before.size(); ++head) {
    for (const std::size_t end : before[head]) {
      if (end < head) continue;
      Body& body = loops.try_emplace(head, before.size(), false).first->second;
      body[head] = true;
      add_body(before, end, body);
    }
  }
  std::vector<std::pair<std::ptrdiff_t, trace::Site>> found;  // by size
  for (const auto& [head, body] : loops) {
    if (!body[site - code.first]) continue;
    if (!is_entered_at_head_only(before, body, head)) return std::nullopt;
    found.emplace_back(std::count(body.begin(), body.end(), true), code.first + head);
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<trace::Site> out;
  for (const auto& [size, head] : found) out.push_back(head);
  return out;
}

}  // namespace ptxmc::exec
