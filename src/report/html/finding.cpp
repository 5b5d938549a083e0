// SPDX-License-Identifier: Apache-2.0
#include "report/html/finding.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/verify/findings.h"
#include "report/escaped.h"

namespace ptxmc::report {

namespace {

using LinkOf = std::function<PlaceLink(std::size_t place)>;

constexpr std::uint32_t kAround = 2;  // lines before and after

std::string line_html(std::uint32_t number, std::string_view text, bool hit) {
  std::string line = fmt::format("{:5}  {}\n", number, escaped(text));
  std::replace(line.begin(), line.end(), '\t', ' ');
  return hit ? fmt::format("<span class=\"hit\">{}</span>", line) : line;
}

std::string caret_html(const Caret& caret, const LinkOf& link_of) {
  const PlaceLink link = link_of(caret.place);
  const std::string linked = link.event.empty() ? "" : fmt::format(" data-e=\"{}\"", link.event);
  const std::string tag = link.tag.empty() ? "" : fmt::format(" <span class=\"tag\">{}</span>", link.tag);
  return fmt::format("<span class=\"mark\"{}>{:>{}}{} {}</span>\n", linked, "^", caret.column + 7, tag,
                     escaped(caret.who));
}

/// The line between those around it, and under it who executes what in it.
std::string excerpt_html(const Excerpt& excerpt, const LinkOf& link_of) {
  std::string out = fmt::format("<div class=\"place\"><header>{}</header><pre>",
                                escaped(excerpt.heading.empty() ? excerpt.where : excerpt.heading));
  const auto around = [&](std::uint32_t number) {
    if (excerpt.source != nullptr && number != 0 && !excerpt.source->line(number).empty())
      out += line_html(number, excerpt.source->line(number), false);
  };
  for (std::uint32_t back = kAround; back > 0; --back)
    if (back < excerpt.number) around(excerpt.number - back);
  out += line_html(excerpt.number, excerpt.text, true);
  for (const Caret& caret : excerpt.carets) out += caret_html(caret, link_of);
  for (std::uint32_t on = 1; on <= kAround; ++on) around(excerpt.number + on);
  return out + "</pre></div>\n";
}

std::string fact_html(const Fact& fact) {
  std::string lead = fact.lead;
  if (lead.empty()) return fmt::format("<p>{}</p>\n", escaped(fact.text));
  lead.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(lead.front())));
  return fmt::format("<p><b>{}:</b> {}</p>\n", escaped(lead), escaped(fact.text));
}

}  // namespace

std::string finding_html(const explain::Finding& finding, const Quoted& quoted, const LinkOf& link_of,
                         const std::string& picture) {
  const FindingLines lines = lines_of(finding, quoted);
  std::string out =
      fmt::format("<article class=\"card finding {0}\"><h3><span class=\"rule\">{0} {1}</span>: {2}",
                  name_of(finding.severity), escaped(lines.rule), escaped(lines.title));
  if (!lines.times.empty()) out += fmt::format(" <span class=\"dim\">{}</span>", lines.times);
  if (finding.stated) out += " <span class=\"dim\">(the file states it)</span>";
  out += "</h3>\n<div class=\"places\">\n";
  for (const Excerpt& excerpt : lines.excerpts) out += excerpt_html(excerpt, link_of);
  out += "</div>\n";
  if (lines.more_places != 0)
    out += fmt::format("<p class=\"dim\">and {}</p>\n", explain::plural(lines.more_places, "more place"));
  for (const Fact& fact : lines.facts) out += fact_html(fact);
  if (!lines.instructions.empty()) out += "<p class=\"dim\">PTX:</p><ul class=\"ptx\">\n";
  for (const Instruction& instruction : lines.instructions)
    out += fmt::format("<li><span class=\"dim\">{}</span> <code>{}</code></li>\n", escaped(instruction.where),
                       escaped(instruction.text));
  if (!lines.instructions.empty()) out += "</ul>\n";
  return out + picture + "</article>\n";
}

}  // namespace ptxmc::report
