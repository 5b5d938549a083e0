// SPDX-License-Identifier: Apache-2.0
#include "report/html/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "dynamic/claim/claim.h"
#include "explain/finding.h"
#include "explain/verify/claim_words.h"
#include "explain/verify/coverage.h"
#include "explain/verify/findings.h"
#include "report/draw/legend.h"
#include "report/draw/svg.h"
#include "report/draw/timeline.h"
#include "report/escaped.h"
#include "report/html/finding.h"
#include "report/html/source.h"

namespace ptxmc::report {

namespace {

constexpr std::size_t kMostDrawn = 12, kMostNever = 6, kMostCopies = 40;

std::string_view lead_of(claim::Verdict verdict) {
  switch (verdict) {
    case claim::Verdict::violated:
      return "Errors found";
    case claim::Verdict::incomplete:
      return "Incomplete: no error found, not all schedules covered";
    case claim::Verdict::waived:
      return "Waived: no error but those that are waived or known";
    case claim::Verdict::proven:
      break;
  }
  return "No race or deadlock in any schedule";
}

std::string claim_card(const claim::VerifyResult& of) {
  const claim::Claim claim = claim_of(of);
  std::string out = fmt::format("<div class=\"card claim {}\"><b>{}</b><p>{}</p>\n", name_of(claim.verdict),
                                lead_of(claim.verdict), escaped(explain::claim_text(of, claim)));
  const std::vector<std::string> open = explain::open_texts(of, claim);
  if (!open.empty()) {
    out += "<ul>\n";
    for (const std::string& reason : open) out += fmt::format("<li>{}</li>\n", escaped(reason));
    out += "</ul>\n";
  }
  for (const std::string& covered : explain::covered_texts(of, claim))
    out += fmt::format("<p><b class=\"lead\">Covers:</b> {}</p>\n", escaped(covered));
  for (const std::string& missing : explain::uncovered_texts(of, claim))
    out += fmt::format("<p><b class=\"lead\">Does not cover:</b> {}</p>\n", escaped(missing));
  const explain::Coverage coverage = explain::coverage_of(of);
  out += fmt::format("<p class=\"dim\">Executed: {} of {} instructions, {} of {} of synchronization; {}",
                     coverage.executed, coverage.all, coverage.synchronized, coverage.synchronizing,
                     explain::plural(of.outcome.instructions, "thread instruction"));
  const std::vector<std::string> never = explain::never_texts(coverage, kMostNever);
  for (std::size_t i = 0; i < never.size(); ++i)
    out += fmt::format("{}<code>{}</code>", i == 0 ? "; never executed: " : ", ", escaped(never[i]));
  return out + "</p></div>\n";
}

/// Tags of the places that the timeline shows. `drawn`: the finding's number there, from 1; 0: none.
PlaceLink link_of(const explain::Finding& finding, std::size_t drawn, std::size_t place) {
  if (drawn == 0 || finding.pairs.empty()) return {};
  std::string tag;
  if (place == finding.pairs.front().first) tag = fmt::format("{}a", drawn);
  if (place == finding.pairs.front().second) tag += fmt::format("{}{}b", tag.empty() ? "" : " ", drawn);
  return {tag, tag};
}

std::string copies(const claim::VerifyResult& of, const explain::Timeline& timeline) {
  std::string rows;
  std::size_t shown = 0, all = 0;
  for (const auto& [object, spans] : timeline.phases) {
    for (const explain::PhaseSpan& span : spans) {
      if (span.all_copies == 0) continue;
      if (++all > kMostCopies) continue;
      ++shown;
      std::string list;
      for (const explain::PhaseCopy& copy : span.copies) {
        const explain::Place place = explain::place_of(of, copy.site, copy.issuer);
        list += fmt::format(
            "<div>{}<code>{}</code> {} {} at <code>{}</code> <span class=\"dim\">{}, {}</span></div>",
            copy.count > 1 ? fmt::format("{} copies, ", copy.count) : "",
            escaped(place.text.substr(0, place.text.find(' '))),
            copy.writes ? (copy.count > 1 ? "fill" : "fills") : (copy.count > 1 ? "read" : "reads"),
            explain::plural(copy.bytes.bytes, "byte"), escaped(of.run->name_of(copy.bytes.begin)),
            escaped(line_of(place)), escaped(place.who));
      }
      std::uint64_t told = 0;
      for (const explain::PhaseCopy& copy : span.copies) told += copy.count;
      if (span.all_copies > told)
        list += fmt::format("<div class=\"dim\">and {} more</div>", span.all_copies - told);
      rows += fmt::format(
          "<tr><td><code>{}</code></td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
          "class=\"n\">{}</td><td>{}</td></tr>\n",
          escaped(object_name(of, timeline, object)), span.phase, span.arrivals, span.bytes, list);
    }
  }
  if (rows.empty()) return "";
  std::string out =
      "<h2>Which copy fills which bytes</h2>\n<div class=\"table\"><table><tr><th>mbarrier</th><th>phase</th>"
      "<th>arrivals</th><th>bytes expected</th><th>copies</th></tr>\n" +
      rows + "</table></div>\n";
  if (all > shown)
    out += fmt::format("<p class=\"dim\">and {} more</p>\n", explain::plural(all - shown, "phase"));
  return out;
}

/// The files that findings quote, whole, with the findings in them.
std::string listings(const std::vector<explain::Finding>& findings, const Quoted& quoted) {
  std::map<std::string, std::pair<SourcePtr, std::map<std::uint32_t, std::string>>> files;
  for (const explain::Finding& finding : findings) {
    for (const Excerpt& excerpt : lines_of(finding, quoted).excerpts) {
      if (excerpt.source == nullptr || excerpt.number == 0) continue;
      auto& [source, hits] = files[excerpt.source->name];
      source = excerpt.source;
      std::string& said = hits[excerpt.number];
      if (said.find(finding.name) == std::string::npos) said += (said.empty() ? "" : ", ") + finding.name;
    }
  }
  std::string out;
  for (const auto& [name, file] : files) out += listing_html(*file.first, file.second);
  return out;
}

}  // namespace

std::vector<trace::Finding> drawn_findings(const claim::VerifyResult& verified) {
  std::vector<trace::Finding> out;
  for (const explain::Finding& finding : explain::findings_of(verified)) {
    if (finding.number && out.size() < kMostDrawn) out.push_back(verified.findings[*finding.number]);
  }
  return out;
}

VerifySection verify_section(const claim::VerifyResult& verified, const explain::Timeline& timeline,
                             const std::string& number, SourceFiles& compiled) {
  constexpr Tone kTones[] = {Tone::bad, Tone::open, Tone::good, Tone::open};  // by Verdict
  const std::vector<explain::Finding> findings = explain::findings_of(verified);
  std::string out = fmt::format("<p class=\"file\">{}; model {}</p>\n{}", escaped(verified.file()),
                                escaped(verified.model), claim_card(verified));
  if (!findings.empty()) out += fmt::format("<h2>{}</h2>\n", explain::plural(findings.size(), "finding"));
  std::size_t drawn = 0;
  const Quoted quoted{verified.program->source, compiled};
  for (const explain::Finding& finding : findings) {
    const std::size_t number_drawn = finding.number && drawn < kMostDrawn ? ++drawn : 0;
    out += finding_html(
        finding, quoted, [&](std::size_t place) { return link_of(finding, number_drawn, place); }, "");
  }
  out += listings(findings, quoted);
  out += fmt::format(
      "<h2>Timeline</h2>\n<p class=\"dim\">{} of the run, of warps that do the same the first one. Rows "
      "below are "
      "phases of barriers. Hold the pointer over a mark for its line.</p>\n{}{}{}",
      explain::plural(timeline.steps, "step"), timeline_html(verified, timeline), timeline_legend(),
      copies(verified, timeline));
  const claim::Verdict answer = verdict_of(verified);
  const Entry entry{.id = section_id(fmt::format("{}-{}", number, verified.name)),
                    .name = explain::launch_title(verified),
                    .answer = std::string(lead_of(answer)),
                    .file = verified.file()};
  return {section(entry, out), findings.empty() ? "" : explain::plural(findings.size(), "finding"),
          kTones[static_cast<std::size_t>(answer)]};
}

void VerifyHtml::add(const claim::VerifyResult& verified, const explain::Timeline& timeline,
                     SourceFiles& compiled) {
  add(verify_section(verified, timeline, std::to_string(++count_), compiled));
}

}  // namespace ptxmc::report
