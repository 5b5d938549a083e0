// SPDX-License-Identifier: Apache-2.0
#include "report/html/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "explain/sentences.h"
#include "explain/words/values.h"
#include "ptx/program/print.h"
#include "report/draw/drawing.h"
#include "report/draw/svg.h"
#include "report/escaped.h"
#include "report/html/page.h"
#include "report/html/source.h"

namespace ptxmc::report {

namespace {

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

std::string states(const explain::Outcome& outcome) {
  const event::ProgramGraph& graph = outcome.query.graph;
  const std::vector<engine::State>& all = outcome.result.states;
  std::string out = fmt::format("<div class=\"card states\"><h2>{} state{}</h2>\n<table><tr>", all.size(),
                                all.size() == 1 ? "" : "s");
  if (outcome.query.ask != engine::Ask::states)
    out = "<div class=\"card states\"><h2>The deciding state</h2>\n<table><tr>";
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
  std::string out = fmt::format("<p class=\"condition\"><code>{}</code></p>\n",
                                escaped(program::print_condition_line(outcome.test.property)));
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

std::string violation_card(const explain::Outcome& outcome, const explain::Violation& violation, int depth,
                           const std::string& id) {
  std::string out = fmt::format("<div class=\"card\"><h2>{}: <code>{}</code></h2>\n<p>{}</p>\n",
                                escaped(explain::title_of(violation)), escaped(violation.text),
                                escaped(explain::lead_of(violation)));
  if (violation.state) {
    out += picture_html(draw(outcome, *violation.state, &violation), id) + "<ul class=\"why\">\n";
    const event::Execution& execution = violation.state->witness;
    for (const explain::Line& line : lines_of(outcome.query.graph, execution, violation.chain, depth))
      out += fmt::format("<li style=\"--level:{}\" data-e=\"{} {}\">{}</li>\n", line.level, line.from,
                         line.to, escaped(line.text));
    out += "</ul>";
  }
  return out + "</div>\n";
}

std::string state_card(const explain::Outcome& outcome, std::string_view lead, const engine::State& state,
                       const std::string& id) {
  return fmt::format("<div class=\"card\"><h2>{} {}</h2>\n{}</div>\n", escaped(lead),
                     escaped(explain::print_state(outcome.query.graph, state)),
                     picture_html(draw(outcome, state, nullptr), id));
}

}  // namespace

std::string picture_html(const Drawing& drawing, const std::string& id) {
  std::string keys;
  for (const ArrowWords& key : kArrowWords) {
    if (std::any_of(drawing.arrows.begin(), drawing.arrows.end(),
                    [&](const Arrow& arrow) { return arrow.kind == key.kind; }))
      keys += fmt::format(
          "<span><svg width=\"26\" height=\"10\" viewBox=\"0 0 26 10\"><path class=\"arrow {0}\" "
          "d=\"M0,5H18\"/><path "
          "class=\"head {0}\" d=\"M17,1L26,5L17,9z\"/></svg>{1}</span>\n",
          key.css, key.words);
  }
  return zoomable(svg(drawing, id), drawing.title) + fmt::format("<p class=\"key\">{}</p>\n", keys);
}

std::string html_section(const explain::Outcome& outcome, const explain::Explanation* explanation,
                         int depth) {
  const Entry entry{.id = section_id(outcome.file + "-" + outcome.test.name),
                    .name = outcome.test.name,
                    .answer = std::string(name_of(outcome.judgement.answer)),
                    .file = outcome.file};
  std::string out;
  for (const std::string& doc : outcome.test.docs) out += fmt::format("<p>{}</p>\n", escaped(doc));
  out += answer(outcome, explanation);
  out += "<div class=\"row\">\n" +
         source_html(outcome.test, outcome.file, outcome.query.graph, lines_involved(outcome, explanation)) +
         states(outcome) + "\n";
  std::size_t number = 0;
  const auto id = [&] { return fmt::format("g{}-{}", entry.id, number++); };
  if (!explanation) {
    if (const auto index = explain::deciding_state(outcome.query.graph, outcome.result))
      out += state_card(outcome, "An execution:", outcome.result.states[*index], id());
  } else {
    if (explanation->state)
      out += state_card(outcome, explain::state_lead(*explanation), *explanation->state, id());
    for (const auto* violations : {&explanation->axioms, &explanation->alternatives}) {
      for (const explain::Violation& violation : *violations)
        out += violation_card(outcome, violation, depth, id());
    }
  }
  return section(entry, out + "</div>\n");
}

std::string html_mistake(const std::string& file, const std::string& answer, const std::string& text) {
  const Entry entry{section_id(file), file, answer};
  return section(
      entry, fmt::format("<div class=\"card mistake\"><pre class=\"paper\">{}</pre></div>\n", escaped(text)));
}

}  // namespace ptxmc::report
