// SPDX-License-Identifier: Apache-2.0
#include "report/html/check.h"

#include <fmt/format.h>

#include <set>

#include "explain/sentences.h"
#include "explain/words/values.h"
#include "program/print.h"
#include "report/draw/drawing.h"
#include "report/draw/svg.h"
#include "report/escaped.h"

namespace ptxmc::report {

namespace {

constexpr std::string_view kStyle =
    "body{font-family:sans-serif;margin:1.5em;color:#222;background:#fafafa}"
    "section{margin-bottom:3em}h1{font-size:1.4em}h2{font-size:1.05em;margin:0 0 .5em}"
    ".row{display:flex;flex-wrap:wrap;gap:1.2em;align-items:flex-start;margin-bottom:1.2em}"
    ".card{background:#fff;border:1px solid #ddd;border-radius:6px;padding:.8em "
    "1em;overflow:auto;max-width:100%;"
    "box-sizing:border-box}"
    "pre{font-size:12px;line-height:1.45;margin:0}.n{color:#aaa;user-select:none}"
    ".hit{background:#fde7f0}table{border-collapse:collapse;font-family:monospace;font-size:13px}"
    "td,th{border:1px solid #ddd;padding:.2em .6em;text-align:right}tr.yes{background:#e8f5e9}"
    ".why{font-family:monospace;font-size:12.5px;line-height:1.6;list-style:none;padding-left:0}.why "
    "li{white-space:nowrap}"
    "svg{max-width:100%;height:auto}"
    ".answer{font-weight:bold}.dim{color:#666}code{font-size:13px}";

// Lines that take part in what violates an axiom.
std::set<std::uint32_t> lines_involved(const explain::Outcome& outcome,
                                       const explain::Explanation* explanation) {
  std::set<std::uint32_t> out;
  if (!explanation) return out;
  for (const Drawing& drawing : drawings_of(outcome, *explanation)) {
    for (const Box& box : drawing.boxes) {
      if (box.involved && box.thread) out.insert(outcome.query.graph.events[box.event].position.line);
    }
  }
  return out;
}

std::string source(const explain::Outcome& outcome, const explain::Explanation* explanation) {
  if (!outcome.test.source) return "";
  const std::set<std::uint32_t> involved = lines_involved(outcome, explanation);
  std::string out = "<div class=\"card\"><h2>" + escaped(outcome.file) + "</h2>\n<pre>";
  const std::string& text = outcome.test.source->text;
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = escaped(std::string_view(text).substr(at, end - at));
    const bool hit = involved.contains(++number);
    out += fmt::format("<span class=\"n\">{:3}  </span>{}{}{}\n", number, hit ? "<span class=\"hit\">" : "",
                       line, hit ? "</span>" : "");
    at = end + 1;
  }
  return out + "</pre></div>\n";
}

std::string states(const explain::Outcome& outcome) {
  const event::ProgramGraph& graph = outcome.query.graph;
  const std::vector<engine::State>& all = outcome.result.states;
  std::string out = fmt::format("<div class=\"card\"><h2>{} state{}</h2>\n<table><tr>", all.size(),
                                all.size() == 1 ? "" : "s");
  if (outcome.query.ask != engine::Ask::states)
    out = "<div class=\"card\"><h2>The deciding state</h2>\n<table><tr>";
  for (const event::Observable& observable : graph.observables)
    out += fmt::format("<th>{}</th>", escaped(observable.name));
  out += "<th>condition</th></tr>\n";
  for (const engine::State& state : all) {
    out += state.satisfied ? "<tr class=\"yes\">" : "<tr>";
    for (std::size_t i = 0; i < state.values.size(); ++i)
      out += fmt::format("<td>{}</td>", escaped(explain::print_value(graph, state, i)));
    out += fmt::format("<td>{}</td></tr>\n", state.satisfied ? "holds" : "fails");
  }
  out += "</table>";
  if (!outcome.result.complete) out += "<p class=\"dim\">There may be more.</p>";
  return out + "</div>\n";
}

std::string answer(const explain::Outcome& outcome, const explain::Explanation* explanation) {
  const std::string told = explanation
                               ? explain::headline(outcome, *explanation)
                               : fmt::format("{} under {}", name_of(outcome.judgement.answer), outcome.model);
  std::string out =
      fmt::format("<p><code>{}</code></p>\n", escaped(program::print_condition_line(outcome.test.property)));
  std::string flags;
  for (const explain::FlagOutcome& flag : outcome.flags) {
    if (flag.raised == false) continue;
    flags += fmt::format("\n{} {}{}", flag.raised ? "Flag" : "Unknown flag", flag.name,
                         flag.detail.empty() ? "" : " (" + flag.detail + ")");
  }
  if (!explanation && outcome.vacuity != explain::Vacuity::none)
    flags += fmt::format("\nFlag {}", name_of(outcome.vacuity));
  std::string line;
  for (const char c : told + flags + "\n") {
    if (c != '\n') {
      line += c;
    } else {
      out += fmt::format("<p class=\"answer\">{}</p>\n", escaped(line));
      line.clear();
    }
  }
  return out;
}

std::string picture(const Drawing& drawing, const std::string& id) {
  return fmt::format("{}", svg(drawing, id));
}

std::string violation_card(const explain::Outcome& outcome, const explain::Violation& violation, int depth,
                           const std::string& id) {
  std::string out = fmt::format("<div class=\"card\"><h2>{}: <code>{}</code></h2>\n<p>{}</p>\n",
                                escaped(explain::title_of(violation)), escaped(violation.text),
                                escaped(explain::lead_of(violation)));
  if (violation.state) {
    out += picture(draw(outcome, *violation.state, &violation), id) + "<ul class=\"why\">\n";
    const event::Execution& execution = violation.state->witness;
    for (const explain::Line& line : lines_of(outcome.query.graph, execution, violation.chain, depth))
      out += fmt::format("<li style=\"margin-left:{}em\">{}</li>\n", 2 * line.level, escaped(line.text));
    out += "</ul>";
  }
  return out + "</div>\n";
}

std::string state_card(const explain::Outcome& outcome, std::string_view lead, const engine::State& state,
                       const std::string& id) {
  return fmt::format("<div class=\"card\"><h2>{} {}</h2>\n{}</div>\n", escaped(lead),
                     escaped(explain::print_state(outcome.query.graph, state)),
                     picture(draw(outcome, state, nullptr), id));
}

// Ids of a page's pictures differ when their tests do.
std::string id_of(const explain::Outcome& outcome, std::size_t number) {
  std::string out = "g";
  for (const char c : outcome.file + "-" + outcome.test.name)
    out += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return fmt::format("{}-{}", out, number);
}

}  // namespace

std::string html_head() {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>ptxmc</title>\n"
      "<style>{}</style></head>\n<body>\n",
      kStyle);
}

std::string html_tail() {
  return "</body></html>\n";
}

std::string html_section(const explain::Outcome& outcome, const explain::Explanation* explanation,
                         int depth) {
  std::string out = fmt::format("<section>\n<h1>{}</h1>\n", escaped(outcome.test.name));
  for (const std::string& doc : outcome.test.docs) out += fmt::format("<p>{}</p>\n", escaped(doc));
  out += answer(outcome, explanation);
  out += "<div class=\"row\">\n" + source(outcome, explanation) + states(outcome) + "\n";
  std::size_t number = 0;
  if (!explanation) {
    if (const auto index = explain::deciding_state(outcome.query.graph, outcome.result))
      out += state_card(outcome, "An execution:", outcome.result.states[*index], id_of(outcome, number));
  } else {
    if (explanation->state)
      out += state_card(outcome, explain::state_lead(*explanation), *explanation->state,
                        id_of(outcome, number++));
    for (const auto* violations : {&explanation->axioms, &explanation->alternatives}) {
      for (const explain::Violation& violation : *violations)
        out += violation_card(outcome, violation, depth, id_of(outcome, number++));
    }
  }
  return out + "</div>\n</section>\n";
}

}  // namespace ptxmc::report
