// SPDX-License-Identifier: Apache-2.0
#include "report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace ptxmc::report {

namespace {

std::string word_of(Standing standing, const std::string& other) {
  if (!other.empty() && standing == Standing::seen) return "allowed by both";
  if (!other.empty() && standing == Standing::unseen) return "not allowed by " + other;
  if (!other.empty() && standing == Standing::forbidden) return "allowed by " + other + " alone";
  switch (standing) {
    case Standing::seen:
      return "allowed";
    case Standing::unseen:
      return "allowed, never observed";
    case Standing::forbidden:
      return "FORBIDDEN BUT OBSERVED";
    case Standing::open:
      return "not known to be allowed";
    case Standing::undefined:
      return "undefined behaviour";
  }
  return "";
}

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

/// Sums over tests.
struct Totals {
  std::size_t tests = 0, seen = 0, unseen = 0, forbidden = 0, open = 0, undefined = 0, violations = 0;
  std::uint64_t observed = 0, hung = 0, weak = 0;
  double seconds = 0;

  double per_second(std::uint64_t count) const {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0.0;
  }
  void add(const Comparison& c) {
    ++tests;
    seen += c.rows_of(Standing::seen);
    unseen += c.rows_of(Standing::unseen);
    forbidden += c.rows_of(Standing::forbidden);
    open += c.rows_of(Standing::open);
    undefined += c.undefined ? 1 : 0;
    violations += c.rows_of(Standing::forbidden) != 0 ? 1 : 0;
    observed += c.observed;
    hung += c.hung;
    weak += c.weak;
    seconds += c.seconds;
  }
};

std::string line_of(std::string_view name, const Totals& t) {
  return fmt::format("{:<16}{:>7}{:>9}{:>10}{:>9}{:>11}{:>6}{:>11}{:>12.3g}{:>12.3g}{:>12.3g}\n", name,
                     t.tests, t.seen + t.unseen, t.seen, t.unseen, t.forbidden, t.open, t.undefined,
                     static_cast<double>(t.observed), t.per_second(t.observed), t.per_second(t.weak));
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

/// Green, the darker the more often, by the logarithm; white: never; red: forbidden.
std::string color_of(const Row& row, std::uint64_t observed) {
  if (row.standing == Standing::forbidden) return "#d00000;color:white";
  if (row.standing == Standing::open || row.standing == Standing::undefined) return "#ffe08a";
  if (row.count == 0) return "white";
  const double share =
      std::log2(1.0 + static_cast<double>(row.count)) / std::log2(2.0 + static_cast<double>(observed));
  return fmt::format("hsl(140,50%,{:.0f}%)", 92 - 45 * std::min(1.0, share));
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

std::uint64_t count_weak(const Allowed& sc, const std::map<std::string, std::uint64_t>& observed) {
  std::uint64_t weak = 0;
  for (const Row& row : compare(sc, observed).rows) {
    if (row.standing == Standing::forbidden) weak += row.count;
  }
  return weak;
}

std::string compare_text(const Comparison& c) {
  std::string out = fmt::format("Compare {}\n", c.test);
  for (const Row& row : c.rows)
    out += fmt::format("{:<14}{}  {}\n", row.count, row.state.empty() ? "(nothing named)" : row.state,
                       word_of(row.standing, c.other));
  const std::string sees = c.other.empty() ? "Observed" : c.other;
  out += fmt::format("Allowed {} {} {} Unseen {} Forbidden {}\n",
                     c.rows_of(Standing::seen) + c.rows_of(Standing::unseen), sees,
                     c.rows.size() - c.rows_of(Standing::unseen), c.rows_of(Standing::unseen),
                     c.rows_of(Standing::forbidden));
  if (c.undefined) out += "Undefined: the manual gives this test no meaning, so no outcome contradicts it\n";
  if (!c.unknown.empty()) out += fmt::format("Unknown {}\n", c.unknown);
  if (c.hung != 0) out += fmt::format("Hung {}\n", c.hung);
  if (!c.explanation.empty()) out += "\n" + c.explanation;
  return out + "\n";
}

std::string summary_text(const std::vector<Comparison>& comparisons, const std::string& other) {
  std::map<std::string, Totals> families;
  Totals all;
  for (const Comparison& c : comparisons) {
    families[c.family].add(c);
    all.add(c);
  }
  std::string out = fmt::format("{:<16}{:>7}{:>9}{:>10}{:>9}{:>11}{:>6}{:>11}{:>12}{:>12}{:>12}\n", "family",
                                "tests", "allowed", "observed", "unseen", "FORBIDDEN", "open", "undefined",
                                "instances", "per second", "weak/s");
  for (const auto& [name, totals] : families) out += line_of(name.empty() ? "." : name, totals);
  out += line_of("all", all);
  if (!other.empty())
    return out + fmt::format("{} allows {} states that are forbidden here, and not {} that are allowed.\n",
                             other, all.forbidden, all.unseen);
  return out + (all.violations == 0
                    ? "No forbidden outcome was observed.\n"
                    : fmt::format("FORBIDDEN outcomes were observed in {} tests.\n", all.violations));
}

std::string compare_html(const std::vector<Comparison>& comparisons) {
  std::string out =
      "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>ptxmc compare</title><style>"
      "body{font-family:sans-serif}td{border:1px solid #bbb;padding:2px 6px;font-size:80%}"
      "table{border-collapse:collapse}</style></head><body>\n<h1>Allowed and observed</h1>\n<pre>" +
      escaped(summary_text(comparisons, comparisons.empty() ? "" : comparisons.front().other)) +
      "</pre>\n<table>\n";
  std::string family;
  for (const Comparison& c : comparisons) {
    if (c.family != family) out += fmt::format("<tr><th colspan=\"9\">{}</th></tr>\n", escaped(c.family));
    family = c.family;
    out += fmt::format("<tr><td>{}</td>", escaped(c.test));
    for (const Row& row : c.rows)
      out += fmt::format("<td style=\"background:{}\" title=\"{}\">{}<br>{}</td>", color_of(row, c.observed),
                         word_of(row.standing, c.other), escaped(row.state), row.count);
    out += "</tr>\n";
  }
  out += "</table>\n";
  for (const Comparison& c : comparisons) {
    if (!c.explanation.empty())
      out += fmt::format("<h2>{}</h2><pre>{}</pre>\n", escaped(c.test), escaped(c.explanation));
  }
  return out + "</body></html>\n";
}

}  // namespace ptxmc::report
