// SPDX-License-Identifier: Apache-2.0
#include "report/html/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/escaped.h"
#include "report/text/compare.h"

namespace ptxmc::report {

namespace {

/// Green, the darker the more often, by the logarithm; white: never; red: forbidden.
std::string color_of(const observed::Row& row, std::uint64_t observed) {
  if (row.standing == observed::Standing::forbidden) return "#d00000;color:white";
  if (row.standing == observed::Standing::open || row.standing == observed::Standing::undefined)
    return "#ffe08a";
  if (row.count == 0) return "white";
  const double share =
      std::log2(1.0 + static_cast<double>(row.count)) / std::log2(2.0 + static_cast<double>(observed));
  return fmt::format("hsl(140,50%,{:.0f}%)", 92 - 45 * std::min(1.0, share));
}

}  // namespace

std::string compare_html(const std::vector<observed::Comparison>& comparisons) {
  std::string out =
      "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>ptxmc compare</title><style>"
      "body{font-family:sans-serif}td{border:1px solid #bbb;padding:2px 6px;font-size:80%}"
      "table{border-collapse:collapse}</style></head><body>\n<h1>Allowed and observed</h1>\n<pre>" +
      escaped(summary_text(comparisons, comparisons.empty() ? "" : comparisons.front().other)) +
      "</pre>\n<table>\n";
  std::string family;
  for (const observed::Comparison& c : comparisons) {
    if (c.family != family) out += fmt::format("<tr><th colspan=\"9\">{}</th></tr>\n", escaped(c.family));
    family = c.family;
    out += fmt::format("<tr><td>{}</td>", escaped(c.test));
    for (const observed::Row& row : c.rows)
      out += fmt::format("<td style=\"background:{}\" title=\"{}\">{}<br>{}</td>", color_of(row, c.observed),
                         word_of(row.standing, c.other), escaped(row.state), row.count);
    out += "</tr>\n";
  }
  out += "</table>\n";
  for (const observed::Comparison& c : comparisons) {
    if (!c.explanation.empty())
      out += fmt::format("<h2>{}</h2><pre>{}</pre>\n", escaped(c.test), escaped(c.explanation));
  }
  return out + "</body></html>\n";
}

}  // namespace ptxmc::report
