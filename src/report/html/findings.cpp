// SPDX-License-Identifier: Apache-2.0
#include "report/html/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>

#include "explain/words/events.h"
#include "explain/words/races.h"
#include "explain/words/values.h"
#include "report/draw/findings.h"
#include "report/escaped.h"
#include "report/html/check.h"
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

std::string place_html(const FindingReport& report, const explain::Place& place) {
  const event::ProgramGraph& graph = report.query.graph;
  const std::string at =
      place.event ? explain::place_of(graph, *place.event) : line_text(graph.origins, place.position);
  const std::string linked = place.event ? fmt::format(" data-e=\"{}\"", *place.event) : "";
  return fmt::format("<li><span class=\"dim\">{}</span> <span{}><code>{}</code></span></li>\n", escaped(at),
                     linked, escaped(place.text));
}

std::string sentences(std::string_view lead, const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& sentence : sentences)
    out += fmt::format("<p><b>{}</b> {}</p>\n", lead, escaped(sentence));
  return out;
}

std::string finding_html(const FindingReport& report, const explain::Finding& finding,
                         const std::string& id) {
  std::vector<std::string> missing;
  for (const explain::Reason& reason : finding.reasons) missing.push_back(reason.words);
  std::string out = fmt::format(
      "<article class=\"card finding {0}\"><h3><span class=\"rule\">{1}{0} {2}</span>{3}{4}</h3>\n",
      name_of(finding.severity), finding.certain ? "" : "perhaps ",
      escaped(finding.flags.empty() ? finding.name : fmt::format("{}", fmt::join(finding.flags, ", "))),
      missing.empty() ? "" : ": " + escaped(fmt::format("{}", fmt::join(missing, "; "))),
      finding.stated ? " <span class=\"dim\">(the file states it)</span>" : "");
  out += "<ul>\n";
  for (const explain::Place& place : finding.places) out += place_html(report, place);
  out += "</ul>\n" + sentences("Why:", finding.cause) + sentences("Fix:", finding.advice);
  return out + picture_of(report, finding, id) + "</article>\n";
}

}  // namespace

std::string findings_html(const FindingReport& report) {
  const Entry entry{section_id(report.file + "-" + report.test.name), report.test.name, report.answer};
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
  for (std::size_t i = 0; i < count; ++i)
    out += finding_html(report, report.findings[i], fmt::format("g{}-{}", entry.id, i));
  return section(entry, out);
}

}  // namespace ptxmc::report
