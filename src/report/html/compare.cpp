// SPDX-License-Identifier: Apache-2.0
#include "report/html/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/escaped.h"
#include "report/html/page.h"
#include "report/text/compare.h"

namespace ptxmc::report {

namespace {

/// The darker the more often, by the logarithm: from 0 to 1.
double share_of(const observed::Row& row, std::uint64_t observed) {
  const double share =
      std::log2(1.0 + static_cast<double>(row.count)) / std::log2(2.0 + static_cast<double>(observed));
  return std::min(1.0, share);
}

/// What the colours mean, in the words of the states; `other` as in Comparison.
std::string legend(const std::string& other) {
  std::string out = "<p class=\"key heat\">";
  for (const auto standing :
       {observed::Standing::seen, observed::Standing::unseen, observed::Standing::forbidden,
        observed::Standing::open, observed::Standing::undefined}) {
    out += fmt::format("<span><i class=\"swatch {}\" style=\"--share:0.7\"></i>{}</span>\n",
                       name_of(standing), escaped(word_of(standing, other)));
  }
  return out + "</p>\n";
}

std::string cells(const observed::Comparison& c) {
  std::string out;
  for (const observed::Row& row : c.rows) {
    const std::string style = row.standing == observed::Standing::seen
                                  ? fmt::format(" style=\"--share:{:.2f}\"", share_of(row, c.observed))
                                  : "";
    out += fmt::format("<td class=\"{}\"{} title=\"{}\">{}<br/>{}</td>", name_of(row.standing), style,
                       escaped(word_of(row.standing, c.other)), escaped(row.state), row.count);
  }
  return out;
}

}  // namespace

std::string heat_table(const std::vector<observed::Comparison>& comparisons, const std::string& other) {
  std::string table;
  const std::string* family = nullptr;
  for (const observed::Comparison& c : comparisons) {
    if (family == nullptr || *family != c.family)
      table += fmt::format("<tr><th colspan=\"99\">{}</th></tr>\n", escaped(c.family));
    family = &c.family;
    const std::string name =
        c.explanation.empty()
            ? escaped(c.test)
            : fmt::format("<a href=\"#{}\">{}</a>", section_id(c.file + "-" + c.test), escaped(c.test));
    table += fmt::format("<tr><td>{}</td>{}</tr>\n", name, cells(c));
  }
  return fmt::format("{}<div class=\"table\"><table class=\"heat\">\n{}</table></div>\n", legend(other),
                     table);
}

std::string compare_html(const std::vector<observed::Comparison>& comparisons) {
  const std::string other = comparisons.empty() ? "" : comparisons.front().other;
  Page page("compare", "tests");
  page.lead(
      fmt::format("<h1>Allowed and {}</h1>\n<div class=\"card\"><pre class=\"paper\">{}</pre></div>\n{}",
                  other.empty() ? "observed" : escaped("allowed by " + other),
                  escaped(summary_text(comparisons, other)), heat_table(comparisons, other)));
  for (const observed::Comparison& c : comparisons) {
    if (c.explanation.empty()) continue;
    page.add(
        {section_id(c.file + "-" + c.test), c.test, "Forbidden", "", Tone::bad},
        fmt::format("<div class=\"card\"><pre class=\"paper\">{}</pre></div>\n", escaped(c.explanation)));
  }
  return page.print();
}

}  // namespace ptxmc::report
