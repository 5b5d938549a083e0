// SPDX-License-Identifier: Apache-2.0
#include "report/html/certificate.h"

#include <fmt/format.h>

#include <vector>

#include "report/escaped.h"
#include "report/html/compare.h"
#include "report/html/page.h"
#include "report/text/certificate.h"

namespace ptxmc::report {

namespace {

std::string paper(const std::string& text) {
  return fmt::format("<div class=\"card\"><pre class=\"paper\">{}</pre></div>\n", escaped(text));
}

/// The tests that did not run, and why.
std::string missing_table(const observed::Certificate& certificate) {
  std::string rows;
  for (const observed::CertifiedTest& test : certificate.tests) {
    if (test.course == observed::Course::ran) continue;
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(test.comparison.test),
                        name_of(test.course), escaped(test.why));
  }
  if (rows.empty()) return "";
  return fmt::format(
      "<h2>Tests that did not run</h2>\n<div class=\"table\"><table><tr><th>test</th><th></th>"
      "<th>why</th></tr>\n{}</table></div>\n",
      rows);
}

}  // namespace

std::string certificate_html(const observed::Certificate& certificate, const observed::Certificate* other) {
  Page page("conform", "tests");
  std::vector<observed::Comparison> ran;
  for (const observed::CertifiedTest& test : certificate.tests) {
    if (test.course == observed::Course::ran) ran.push_back(test.comparison);
  }
  page.lead(fmt::format("<h1>Conformance to {}</h1>\n", escaped(certificate.model)));
  page.lead(paper(certificate_verdict(certificate) + certificate_facts(certificate)));
  if (other != nullptr)
    page.lead("<h2>Against another certificate</h2>\n" + paper(differences_text(certificate, *other)));
  for (const observed::Axis axis : observed::kAxes) {
    const std::string table = certificate_table(certificate, axis);
    if (!table.empty()) page.lead(fmt::format("<h2>By {}</h2>\n", title_of(axis)) + paper(table));
  }
  page.lead("<h2>All outcomes</h2>\n" + heat_table(ran, ""));
  page.lead(missing_table(certificate));
  for (const observed::CertifiedTest& test : certificate.tests) {
    const observed::Comparison& c = test.comparison;
    if (c.rows_of(observed::Standing::forbidden) == 0) continue;
    page.add({section_id(c.file + "-" + c.test), c.test, "Forbidden", "", Tone::bad},
             paper(forbidden_text(test)));
  }
  return page.print();
}

}  // namespace ptxmc::report
