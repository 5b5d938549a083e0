// SPDX-License-Identifier: Apache-2.0
#include "report/html/findings.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "explain/words/events.h"
#include "explain/words/values.h"
#include "report/draw/findings.h"
#include "report/escaped.h"
#include "report/html/check.h"
#include "report/html/finding.h"
#include "report/html/page.h"
#include "report/html/source.h"

namespace ptxmc::report {

namespace {

std::string picture_of(const FindingReport& report, const explain::Finding& finding, const std::string& id) {
  const std::optional<Drawing> drawing = drawing_of(report, finding);
  if (!drawing) return "";
  const std::string shown = explain::print_state(report.query.graph, *finding.evidence.state);
  return (shown.empty()
              ? ""
              : fmt::format("<p class=\"dim\">in an execution with <code>{}</code></p>\n", escaped(shown))) +
         picture_html(*drawing, id);
}

}  // namespace

std::string findings_html(const FindingReport& report, SourceFiles& compiled) {
  const Entry entry{.id = section_id(report.file + "-" + report.test.name),
                    .name = report.test.name,
                    .answer = report.answer,
                    .file = report.file};
  std::string out;
  for (const std::string& doc : report.test.docs) out += fmt::format("<p>{}</p>\n", escaped(doc));
  const std::size_t count = report.findings.size();
  std::string more;
  if (!report.unknown.empty())
    more = fmt::format(" ({}{})", report.unknown,
                       report.unknown.starts_with("vacuous-") ? "" : ": there may be more");
  if (!report.remark.empty()) more += fmt::format(" ({})", report.remark);
  out += fmt::format(
      "<p class=\"answer\">{} under {}{}{}</p>\n", escaped(report.answer), escaped(report.model),
      count == 0 ? "" : fmt::format(": {} finding{}", count, count == 1 ? "" : "s"), escaped(more));
  std::set<std::uint32_t> lines;
  for (const explain::Finding& finding : report.findings) {
    for (const explain::Place& place : finding.places) lines.insert(place.position.line);
  }
  out += source_html(report.test, report.file, report.query.graph, lines);
  const Quoted quoted{report.test.source, compiled};
  for (std::size_t i = 0; i < count; ++i) {
    const explain::Finding& finding = report.findings[i];
    const auto link_of = [&](std::size_t place) {
      const auto& event = finding.places[place].event;
      return PlaceLink{"", event ? fmt::format("{}", *event) : ""};
    };
    out += finding_html(finding, quoted, link_of,
                        picture_of(report, finding, fmt::format("g{}-{}", entry.id, i)));
  }
  return section(entry, out);
}

}  // namespace ptxmc::report
