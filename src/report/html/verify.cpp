// SPDX-License-Identifier: Apache-2.0
#include "report/html/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "explain/finding.h"
#include "explain/verify/claim.h"
#include "explain/verify/findings.h"
#include "explain/verify/limits.h"
#include "report/draw/svg.h"
#include "report/draw/timeline.h"
#include "report/escaped.h"

namespace ptxmc::report {

namespace {

constexpr std::size_t kMostDrawn = 12, kMostPlaces = 6, kMostCopies = 40;

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1b222c;--dim:#596473;--line:#d5dae1;--code:#eef1f5;
--error:#c0182f;--warning:#8a5a00;--note:#2c5d99;--good:#1d7a45;
--arrive:#1d7a45;--wait:#a86a00;--copy:#2463ad;--fence:#7d3fa8;--barrier:#8f4a14;--group:#0d7583;--plain:#707b8a;
--p0:#d5e4f5;--p1:#b9d2ee;--open:#f5dfb3;--in:#16304e}
@media (prefers-color-scheme:dark){:root{--page:#12151a;--card:#1b2027;--text:#e5e9ef;--dim:#9ca7b5;--line:#363e49;
--code:#262d37;--error:#ff7183;--warning:#f0b849;--note:#7db4f5;--good:#5fd08d;
--arrive:#5fd08d;--wait:#f0b849;--copy:#7db4f5;--fence:#cb95f0;--barrier:#e59a5c;--group:#56c7d6;--plain:#8b96a5;
--p0:#243a55;--p1:#31506f;--open:#5a4620;--in:#dbe8f7}}
*{box-sizing:border-box}
body{font:15px/1.45 system-ui,sans-serif;margin:0;padding:24px;color:var(--text);background:var(--page)}
main{max-width:1500px;margin:0 auto}h1{font-size:22px;margin:0 0 2px;overflow-wrap:anywhere;
display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden}
h2{font-size:17px;margin:26px 0 8px}h3{font-size:15px;margin:0 0 8px}section{margin-bottom:48px}
.dim{color:var(--dim)}.file{margin:0 0 14px;color:var(--dim);overflow-wrap:anywhere}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 16px;margin:0 0 12px}
.claim{border-left:6px solid var(--good)}.claim.bounded{border-left-color:var(--warning)}
.claim.finding{border-left-color:var(--error)}.claim b{font-size:16px}
.claim ul{margin:6px 0 0;padding-left:20px}.claim p{margin:8px 0 0}
.finding{border-left:6px solid var(--error)}.finding.warning{border-left-color:var(--warning)}
.finding.note{border-left-color:var(--note)}.rule{color:var(--error)}.warning .rule{color:var(--warning)}
.note .rule{color:var(--note)}.finding p{margin:6px 0}
.places{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,430px),1fr));gap:10px;margin:8px 0}
.place{background:var(--code);border-radius:6px;padding:8px 10px;min-width:0}
.place header{font-size:13px;margin-bottom:4px}.place pre{margin:0;overflow-x:auto;font:12px/1.5 ui-monospace,monospace}
.place .hit{font-weight:700;color:var(--error)}.warning .hit{color:var(--warning)}.note .hit{color:var(--note)}
.tag{display:inline-block;background:var(--error);color:var(--card);border-radius:10px;padding:0 7px;font-size:12px;
font-weight:700;margin-right:6px}
.timeline{display:grid;grid-template-columns:minmax(150px,270px) 1fr;background:var(--card);border:1px solid var(--line);
border-radius:8px;overflow:hidden}
.labels{border-right:1px solid var(--line);min-width:0}
.labels>div{padding:0 10px;display:flex;flex-direction:column;justify-content:center;min-width:0}
.labels>.role{border-top:1px solid var(--line)}.labels b,.labels span,.labels .object{white-space:nowrap;overflow:hidden;
text-overflow:ellipsis}.labels b{font-size:13px}.labels span{font-size:12px;color:var(--dim)}
.labels .object{display:block;font:12px/28px ui-monospace,monospace;color:var(--dim)}
.scroll{overflow-x:auto}.scroll>svg{display:block}
svg text{font:12px system-ui,sans-serif;fill:var(--text);text-anchor:middle}svg .tick{fill:var(--dim);font-size:11px}
.grid{stroke:var(--line);fill:none;stroke-width:1}.phase{fill:var(--p0);stroke:var(--line)}.phase.p1{fill:var(--p1)}
.phase.open{fill:var(--open)}svg .in{fill:var(--in);font-size:11px;text-anchor:start}
svg .many{fill:var(--dim);font-size:10px}
.edge{stroke:var(--plain);stroke-width:1;opacity:.45;fill:none}.edge.wait{stroke:var(--wait)}.edge.copy{stroke:var(--copy)}
.edge.arrive{stroke:var(--arrive)}.edge.barrier{stroke:var(--barrier)}
.arrive{fill:var(--arrive)}.wait,.wait .span{fill:var(--wait)}.copy{fill:var(--copy)}.commit{fill:var(--group)}
.group{fill:var(--group)}.fence{fill:var(--fence)}.barrier{fill:var(--barrier)}.init{fill:var(--plain)}.exit{fill:var(--plain)}
.span{opacity:.35}.stuck rect{fill:var(--error);opacity:.55}.fold{stroke:var(--dim);stroke-width:1.5;fill:none}
.access circle{fill:var(--error);stroke:var(--card);stroke-width:1.5}
svg .access text{fill:var(--card);font-size:10px;font-weight:700}
.missing{stroke:var(--error);stroke-width:2.5;stroke-dasharray:6 4;fill:none}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:13px;color:var(--dim);margin:10px 2px}
.legend span{display:inline-flex;align-items:center;gap:5px}
.table{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:13px}th,td{text-align:left;padding:5px 12px;
border-top:1px solid var(--line);vertical-align:top}tr:first-child th{border-top:0}th{color:var(--dim);font-weight:600}
td.n{text-align:right;font-variant-numeric:tabular-nums}code{font:12px ui-monospace,monospace}
)";

/// Begins where the first finding is.
constexpr std::string_view kScript =
    "document.querySelectorAll('.scroll').forEach(s => {const a = s.querySelector('.access');"
    "if (a) s.scrollLeft = a.getBBox().x - 300})";

std::string_view lead_of(const explain::Verified& of) {
  switch (answer_of(of)) {
    case explain::VerifyAnswer::finding:
      return "Something is wrong";
    case explain::VerifyAnswer::bounded:
      return of.findings.empty() ? "Nothing found, not in all schedules"
                                 : "No error found, not in all schedules";
    case explain::VerifyAnswer::exact:
      break;
  }
  return "Nothing wrong in any schedule";
}

std::string claim(const explain::Verified& of) {
  const explain::VerifyAnswer answer = answer_of(of);
  std::string out = fmt::format(
      "<div class=\"card claim {}\"><b>{}</b><p>{}</p>\n", name_of(answer), lead_of(of),
      escaped(answer == explain::VerifyAnswer::finding ? "what is said below happens in some schedule"
                                                       : claim_of(of)));
  const std::vector<std::string> limits = limits_of(of);
  if (!limits.empty()) {
    out += "<ul>\n";
    for (const std::string& limit : limits) out += fmt::format("<li>{}</li>\n", escaped(limit));
    out += "</ul>\n";
  }
  const explain::Coverage coverage = coverage_of(of);
  out += fmt::format(
      "<p class=\"dim\">Executed: {} of {} instructions, {} of {} of synchronization; {} of lanes",
      coverage.executed, coverage.all, coverage.synchronized, coverage.synchronizing,
      explain::plural(of.outcome.instructions, "instruction"));
  for (std::size_t i = 0; i < std::min(coverage.never.size(), kMostPlaces); ++i)
    out += fmt::format("{}{}: <code>{}</code>", i == 0 ? "; never executed: " : ", ",
                       escaped(line_of(coverage.never[i])), escaped(coverage.never[i].text));
  if (coverage.never.size() > kMostPlaces)
    out += fmt::format(" and {} more", coverage.never.size() - kMostPlaces);
  return out + "</p></div>\n";
}

/// The line of a place, and those around it.
std::string excerpt(const explain::Verified& of, const explain::VerifyPlace& place) {
  constexpr std::uint32_t kAround = 2;
  if (of.program->source == nullptr || !place.position.known()) return "";
  const std::string_view text = of.program->source->text;
  std::string out = "<pre>";
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < text.size() && number < place.position.line + kAround;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (++number + kAround >= place.position.line) {
      const std::string line = fmt::format("{:5}  {}\n", number, escaped(text.substr(at, end - at)));
      out += number == place.position.line ? fmt::format("<span class=\"hit\">{}</span>", line) : line;
    }
    at = end + 1;
  }
  return out + "</pre>";
}

std::string place_html(const explain::Verified& of, const explain::VerifyPlace& place,
                       const std::string& tag) {
  std::string out = "<div class=\"place\"><header>";
  if (!tag.empty()) out += fmt::format("<span class=\"tag\">{}</span>", tag);
  out += fmt::format("<b>{}</b>", escaped(line_of(place)));
  if (!place.access.empty()) out += ", " + escaped(place.access);
  if (!place.thread.empty()) out += (place.access.empty() ? ", " : " by ") + escaped(place.thread);
  if (place.proxy != isa::Proxy::generic) out += fmt::format(", {} proxy", isa::name_of(place.proxy));
  if (!place.waits.empty()) out += ", waits for " + escaped(place.waits);
  return out + "</header>" + excerpt(of, place) + "</div>\n";
}

std::string exact_words(const explain::ExactAnswer& answer) {
  if (!answer.races) return fmt::format("The exact engine has not confirmed it: {}", answer.why);
  return *answer.races
             ? "The exact engine confirms it on the litmus test of it."
             : "The exact engine denies it on the litmus test of it: a mistake of ptxmc, please report it.";
}

/// `drawn`: its number in the timeline, from 1; 0: none.
std::string finding_html(const explain::Verified& of, const explain::VerifyFinding& finding,
                         std::size_t drawn) {
  std::string out =
      fmt::format("<article class=\"card finding {}\"><h3><span class=\"rule\">{} {}</span>: {}",
                  explain::name_of(finding.severity), explain::name_of(finding.severity),
                  escaped(finding.rule), escaped(finding.cause));
  if (!finding.section.empty())
    out += fmt::format(" <span class=\"dim\">({})</span>", escaped(finding.section));
  if (finding.instances > 1) out += fmt::format(" <span class=\"dim\">{} times</span>", finding.instances);
  out += "</h3>\n";
  if (!finding.condition.empty()) out += fmt::format("<p>It happens {}.</p>\n", escaped(finding.condition));
  if (!finding.advice.empty()) out += fmt::format("<p><b>Missing:</b> {}</p>\n", escaped(finding.advice));
  if (!finding.pairs.empty() && !finding.pairs.front().bytes.empty())
    out += fmt::format("<p class=\"dim\">{}{}</p>\n", escaped(finding.pairs.front().bytes),
                       finding.pairs.size() > 1
                           ? fmt::format(", and {} more", explain::plural(finding.pairs.size() - 1, "pair"))
                           : "");
  out += "<div class=\"places\">\n";
  for (std::size_t i = 0; i < std::min(finding.places.size(), kMostPlaces); ++i) {
    std::string tag;
    if (drawn != 0 && !finding.pairs.empty() && i == finding.pairs.front().first)
      tag = fmt::format("{}a", drawn);
    if (drawn != 0 && !finding.pairs.empty() && i == finding.pairs.front().second)
      tag += fmt::format("{}{}b", tag.empty() ? "" : " ", drawn);
    out += place_html(of, finding.places[i], tag);
  }
  for (const auto& [what, place] : finding.ends) out += place_html(of, place, escaped(what));
  out += "</div>\n";
  if (finding.places.size() > kMostPlaces)
    out += fmt::format("<p class=\"dim\">and {} more</p>\n",
                       explain::plural(finding.places.size() - kMostPlaces, "place"));
  if (finding.exact) out += fmt::format("<p class=\"dim\">{}</p>\n", escaped(exact_words(*finding.exact)));
  return out + "</article>\n";
}

std::string copies(const explain::Verified& of, const explain::Timeline& timeline) {
  std::string rows;
  std::size_t shown = 0, all = 0;
  for (const auto& [object, spans] : timeline.phases) {
    for (const explain::PhaseSpan& span : spans) {
      if (span.all_copies == 0) continue;
      if (++all > kMostCopies) continue;
      ++shown;
      std::string list;
      for (const explain::PhaseCopy& copy : span.copies) {
        const explain::VerifyPlace place = place_of(of, copy.site, copy.issuer);
        list += fmt::format(
            "<div>{}<code>{}</code> {} {} at <code>{}</code> <span class=\"dim\">{}, {}</span></div>",
            copy.count > 1 ? fmt::format("{} copies, ", copy.count) : "",
            escaped(place.text.substr(0, place.text.find(' '))),
            copy.writes ? (copy.count > 1 ? "fill" : "fills") : (copy.count > 1 ? "read" : "reads"),
            explain::plural(copy.bytes.bytes, "byte"), escaped(of.run->name_of(copy.bytes.begin)),
            escaped(line_of(place)), escaped(place.thread));
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

}  // namespace

std::vector<trace::Finding> drawn_findings(const explain::Verified& verified) {
  std::vector<trace::Finding> out;
  for (const explain::VerifyFinding& finding : findings_of(verified)) {
    if (finding.number && out.size() < kMostDrawn) out.push_back(verified.findings[*finding.number]);
  }
  return out;
}

void VerifyHtml::add(const explain::Verified& verified, const explain::Timeline& timeline) {
  if (title_.empty()) title_ = verified.name;
  const std::vector<explain::VerifyFinding> findings = findings_of(verified);
  sections_ += fmt::format("<section>\n<h1>{}</h1>\n<p class=\"file\">{}</p>\n{}", escaped(verified.name),
                           escaped(verified.program->source == nullptr ? "" : verified.program->source->name),
                           claim(verified));
  if (!findings.empty())
    sections_ += fmt::format("<h2>{}</h2>\n", explain::plural(findings.size(), "finding"));
  std::size_t drawn = 0;
  for (const explain::VerifyFinding& finding : findings)
    sections_ += finding_html(verified, finding, finding.number && drawn < kMostDrawn ? ++drawn : 0);
  sections_ += fmt::format(
      "<h2>Timeline</h2>\n<p class=\"dim\">{} of the run, of warps that do the same the first one. Rows "
      "below are "
      "phases of barriers. Hold the pointer over a mark for its line.</p>\n{}{}{}</section>\n",
      explain::plural(timeline.steps, "step"), timeline_html(verified, timeline), timeline_legend(),
      copies(verified, timeline));
}

std::string VerifyHtml::print() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"/><title>{} - ptxmc "
      "verify</title>\n<style>{}</style></head>\n"
      "<body><main>\n{}</main>\n<script>{}</script></body></html>\n",
      escaped(title_), kStyle, sections_, kScript);
}

}  // namespace ptxmc::report
