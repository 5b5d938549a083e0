// SPDX-License-Identifier: Apache-2.0
#include "report/draw/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "explain/words/values.h"
#include "report/draw/dot.h"
#include "report/draw/svg.h"
#include "report/witness.h"

namespace ptxmc::report {

namespace {

void add_arrow(const explain::Finding& finding, Drawing& drawing) {
  const auto box_of = [&](const explain::Place& place) {
    return std::find_if(drawing.boxes.begin(), drawing.boxes.end(),
                        [&](const Box& box) { return place.event && box.event == *place.event; });
  };
  for (const explain::Place& place : finding.places) {
    const auto box = box_of(place);
    if (box != drawing.boxes.end()) box->involved = true;
  }
  if (finding.places.size() < 2) return;
  const auto first = box_of(finding.places[0]), second = box_of(finding.places[1]);
  if (first == drawing.boxes.end() || second == drawing.boxes.end() || first == second) return;
  drawing.arrows.push_back({static_cast<std::size_t>(first - drawing.boxes.begin()),
                            static_cast<std::size_t>(second - drawing.boxes.begin()), ArrowKind::reason,
                            finding.name, 0});
}

std::vector<Drawing> drawings_of(const FindingReport& report) {
  std::vector<Drawing> out;
  for (const explain::Finding& finding : report.findings) {
    if (std::optional<Drawing> drawing = drawing_of(report, finding)) out.push_back(*std::move(drawing));
  }
  return out;
}

}  // namespace

std::optional<Drawing> drawing_of(const FindingReport& report, const explain::Finding& finding) {
  if (finding.evidence.state == nullptr) return std::nullopt;
  const Witness witness(report, report.query, *finding.evidence.state);
  Drawing drawing = draw(witness.outcome(), witness.state(), nullptr);
  const std::string shown = explain::print_state(report.query.graph, witness.state());
  drawing.title = fmt::format("{} under {}: an execution with {}{}{}", report.test.name, report.model,
                              finding.name, shown.empty() ? "" : "\n", shown);
  add_arrow(finding, drawing);
  return drawing;
}

std::string findings_dot(const FindingReport& report) {
  std::string out;
  for (const Drawing& drawing : drawings_of(report)) out += dot(report.test.name, {drawing});
  return out;
}

std::string findings_svg(const FindingReport& report) {
  return svg_page(drawings_of(report), fmt::format("{}: {}", report.test.name, report.answer));
}

}  // namespace ptxmc::report
