// SPDX-License-Identifier: Apache-2.0
#include "observed/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ptxmc::observed {

namespace {

/// "NAME=VALUE" of each assignment of a canonical state.
std::vector<std::pair<std::string_view, std::string_view>> assignments(std::string_view state) {
  std::vector<std::pair<std::string_view, std::string_view>> out;
  while (!state.empty()) {
    const std::size_t end = std::min(state.find(';'), state.size());
    const std::size_t equals = std::min(state.find('='), end);
    out.emplace_back(state.substr(0, equals),
                     state.substr(std::min(equals + 1, end), end - std::min(equals + 1, end)));
    state.remove_prefix(std::min(end + 2, state.size()));
  }
  return out;
}

/// Is the observed state the allowed one, with some value for each symbol?
bool instance_of(const std::string& state, const std::string& allowed, const std::set<std::string>& symbols) {
  if (state == allowed) return true;
  if (symbols.empty()) return false;
  const auto is = assignments(state), may = assignments(allowed);
  std::map<std::string_view, std::string_view> values;
  for (std::size_t i = 0; i < is.size() && i < may.size(); ++i) {
    if (is[i].first != may[i].first) return false;
    const bool symbol = symbols.count(std::string(may[i].second)) != 0;
    const std::string_view needed =
        symbol ? values.try_emplace(may[i].second, is[i].second).first->second : may[i].second;
    if (is[i].second != needed) return false;
  }
  return is.size() == may.size();
}

/// The assignments of a state to names that the model's states have.
std::string without_strangers(const std::string& state, const Allowed& allowed) {
  if (allowed.states.empty()) return state;
  const auto names = assignments(*allowed.states.begin());
  std::string out;
  for (const auto& [name, value] : assignments(state)) {
    const std::string_view wanted = name;
    const bool known =
        std::any_of(names.begin(), names.end(), [&](const auto& other) { return other.first == wanted; });
    if (known) out += fmt::format("{}{}={};", out.empty() ? "" : " ", name, value);
  }
  return out;
}

Standing standing_of(const Allowed& allowed, const std::string& state) {
  if (allowed.undefined) return Standing::undefined;
  const bool found = std::any_of(allowed.states.begin(), allowed.states.end(), [&](const std::string& may) {
    return instance_of(state, may, allowed.symbols);
  });
  if (found) return Standing::seen;
  return allowed.unknown.empty() ? Standing::forbidden : Standing::open;
}

}  // namespace

std::size_t Comparison::rows_of(Standing standing) const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.standing == standing; }));
}

Comparison compare(const Allowed& allowed, const std::map<std::string, std::uint64_t>& logged) {
  std::map<std::string, std::uint64_t> observed;
  for (const auto& [state, count] : logged) observed[without_strangers(state, allowed)] += count;
  Comparison out;
  out.unknown = allowed.unknown;
  out.undefined = allowed.undefined;
  for (const auto& [state, count] : observed) {
    out.rows.push_back({state, count, standing_of(allowed, state)});
    out.observed += count;
  }
  for (const std::string& state : allowed.states) {
    const bool seen = std::any_of(observed.begin(), observed.end(), [&](const auto& entry) {
      return instance_of(entry.first, state, allowed.symbols);
    });
    if (!seen) out.rows.push_back({state, 0, Standing::unseen});
  }
  std::sort(out.rows.begin(), out.rows.end(), [](const Row& a, const Row& b) { return a.state < b.state; });
  return out;
}

Comparison compare_models(const Allowed& allowed, const Allowed& other) {
  std::map<std::string, std::uint64_t> states;
  for (const std::string& state : other.states) states[state] = 1;
  Comparison out = compare(allowed, states);
  out.other_unknown = other.unknown;
  out.other_undefined = other.undefined;
  for (Row& row : out.rows) {
    if (row.standing == Standing::unseen && !other.unknown.empty()) row.standing = Standing::open;
  }
  return out;
}

std::uint64_t count_weak(const Allowed& sc, const std::map<std::string, std::uint64_t>& observed) {
  std::uint64_t weak = 0;
  for (const Row& row : compare(sc, observed).rows) {
    if (row.standing == Standing::forbidden) weak += row.count;
  }
  return weak;
}

std::string_view name_of(Standing standing) {
  switch (standing) {
    case Standing::seen:
      return "seen";
    case Standing::unseen:
      return "unseen";
    case Standing::forbidden:
      return "forbidden";
    case Standing::open:
      return "open";
    case Standing::undefined:
      return "undefined";
  }
  return "";
}

}  // namespace ptxmc::observed
