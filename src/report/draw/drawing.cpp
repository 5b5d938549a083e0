// SPDX-License-Identifier: Apache-2.0
// What violates an axiom is drawn as a closed path: steps that are themselves paths (causality) are replaced
// by what they are made of, down to synchronization and program order. An edge that is on it is not drawn a
// second time.
#include "report/draw/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "explain/edges.h"
#include "explain/sentences.h"
#include "explain/words/events.h"
#include "explain/words/relations.h"
#include "explain/words/values.h"
#include "report/draw/dot.h"

namespace ptxmc::report {

using event::EventId;

namespace {

void flatten(const explain::Step& step, std::vector<explain::Step>& out) {
  const explain::Step& inner = *explain::unwrapped(step).back();
  if (explain::role_of(inner.name) != explain::Role::path || inner.because.empty()) {
    out.push_back(step);
    return;
  }
  for (const explain::Step& part : inner.because) flatten(part, out);
}

std::string short_label(const explain::Step& step) {
  const std::vector<const explain::Step*> layers = explain::unwrapped(step);
  // The outermost that is an edge of its own: "synchronizes", not "causality order".
  const auto edge = std::find_if(layers.begin(), layers.end(), [](const explain::Step* layer) {
    return explain::role_of(layer->name) == explain::Role::edge;
  });
  const explain::Step& told = edge == layers.end() ? *layers.back() : **edge;
  const std::string section = explain::first_section(told.section);
  return explain::words_of(told.name) + (section.empty() ? "" : " " + section);
}

class Painter {
 public:
  Painter(const explain::Outcome& outcome, const engine::State& state)
      : outcome_(outcome), graph_(outcome.query.graph), state_(state), names_(graph_, state.witness) {}

  Drawing draw(const explain::Violation* violation) {
    for (const event::ThreadInfo& thread : graph_.threads)
      drawing_.threads.push_back(explain::thread_title(thread));
    for (EventId e = 0; e < graph_.size(); ++e) add_box(e);
    if (violation) add_violation(*violation);
    const explain::Edges edges = edges_of(outcome_, state_);
    add(edges.po, ArrowKind::po, "");
    add(edges.rf, ArrowKind::rf, "rf");
    add(edges.co, ArrowKind::co, "co");
    add(edges.fr, ArrowKind::fr, "fr");
    return std::move(drawing_);
  }

 private:
  void add_box(EventId e) {
    if (!state_.witness.exists.test(e) || !explain::is_shown(graph_, e)) return;
    Box box;
    box.event = e;
    box.title = names_.title(e);
    const event::Event& event = graph_.events[e];
    if (event.thread != event::kNoThread) {
      box.thread = event.thread;
      if (event.is_access()) box.text = event.text;
      const std::string origin = names_.origin(e);
      box.place = names_.place(e) + (origin.empty() ? "" : " " + origin);
    }
    box_of_[e] = drawing_.boxes.size();
    drawing_.boxes.push_back(std::move(box));
  }
  void add(const check::PairSet& pairs, ArrowKind kind, const std::string& label) {
    for (const auto& [a, b] : pairs) {
      if (!box_of_.contains(a) || !box_of_.contains(b)) continue;
      if (told_.contains({a, b, label}) || (kind == ArrowKind::po && told_.contains({a, b, "po"}))) continue;
      drawing_.arrows.push_back({box_of_[a], box_of_[b], kind, label});
    }
  }
  void add_violation(const explain::Violation& violation) {
    std::vector<explain::Step> steps;
    for (const explain::Step& step : violation.chain.steps) flatten(step, steps);
    for (const explain::Step& step : steps) {
      if (!box_of_.contains(step.from) || !box_of_.contains(step.to)) continue;
      drawing_.boxes[box_of_[step.from]].involved = drawing_.boxes[box_of_[step.to]].involved = true;
      if (step.from == step.to) continue;
      for (const explain::Step* layer : explain::unwrapped(step))
        told_.insert({step.from, step.to, layer->name});
      drawing_.arrows.push_back({box_of_[step.from], box_of_[step.to], ArrowKind::reason, short_label(step)});
    }
    if (violation.at != event::kNoEvent && box_of_.contains(violation.at))
      drawing_.boxes[box_of_[violation.at]].involved = true;
  }

  const explain::Outcome& outcome_;
  const event::ProgramGraph& graph_;
  const engine::State& state_;
  explain::EventNames names_;
  Drawing drawing_;
  std::map<EventId, std::size_t> box_of_;
  std::set<std::tuple<EventId, EventId, std::string>> told_;  // edges that the violation has drawn, by name
};

// The statements of one drawing; `prefix` keeps the nodes of several apart.
std::string dot_body(const Drawing& drawing, const std::string& prefix, const std::string& indent) {
  constexpr const char* kStyles[] = {"color=black", "color=red, fontcolor=red", "color=blue, fontcolor=blue",
                                     "color=orange, fontcolor=orange",
                                     "color=crimson, fontcolor=crimson, penwidth=2.5"};
  std::string out = fmt::format("{}label={};\n", indent, dot_string(drawing.title));
  const auto boxes = [&](std::optional<event::ThreadId> thread, const std::string& margin) {
    for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
      const Box& box = drawing.boxes[i];
      if (box.thread != thread) continue;
      std::string text = box.title;
      if (!box.place.empty())
        text += fmt::format("\n{}{}({})", box.text, box.text.empty() ? "" : " ", box.place);
      out += fmt::format("{}{}{} [label={}{}];\n", margin, prefix, i, dot_string(text),
                         box.involved ? ", shape=box, color=crimson" : "");
    }
  };
  boxes(std::nullopt, indent);
  for (event::ThreadId t = 0; t < drawing.threads.size(); ++t) {
    out += fmt::format("{}subgraph cluster_{}_{} {{\n{}  label={};\n", indent, prefix, t, indent,
                       dot_string(drawing.threads[t]));
    boxes(t, indent + "  ");
    out += indent + "}\n";
  }
  std::set<event::ThreadId> begun;
  for (std::size_t first = 0; first < drawing.boxes.size(); ++first) {  // initial writes stand above
    if (!drawing.boxes[first].thread || !begun.insert(*drawing.boxes[first].thread).second) continue;
    for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
      if (!drawing.boxes[i].thread)
        out += fmt::format("{}{}{} -> {}{} [style=invis];\n", indent, prefix, i, prefix, first);
    }
  }
  for (const Arrow& arrow : drawing.arrows) {
    const std::string label = arrow.kind == ArrowKind::po ? "po" : arrow.label;
    // Threads stand side by side when arrows between them do not rank their boxes.
    const Box &from = drawing.boxes[arrow.from], &to = drawing.boxes[arrow.to];
    const bool across = from.thread != to.thread;
    out += fmt::format("{}{}{} -> {}{} [label={}, {}{}];\n", indent, prefix, arrow.from, prefix, arrow.to,
                       dot_string(label), kStyles[static_cast<int>(arrow.kind)],
                       across ? ", constraint=false" : "");
  }
  return out;
}

constexpr std::string_view kDefaults =
    "  graph [fontname=\"sans-serif\", fontsize=12, nodesep=0.6];\n"
    "  node [shape=plaintext, fontname=\"monospace\", fontsize=11];\n"
    "  edge [fontname=\"sans-serif\", fontsize=10];\n";

}  // namespace

Drawing draw(const explain::Outcome& outcome, const engine::State& state,
             const explain::Violation* violation) {
  Drawing drawing = Painter(outcome, state).draw(violation);
  const std::string shown = explain::print_state(outcome.query.graph, state);
  const std::string what = violation ? "violates " + violation->axiom : "satisfies every axiom";
  drawing.title = shown.empty() ? what : fmt::format("{} {}", shown, what);
  return drawing;
}

std::vector<Drawing> drawings_of(const explain::Outcome& outcome, const explain::Explanation& explanation) {
  std::vector<Drawing> out;
  if (explanation.state) out.push_back(draw(outcome, *explanation.state, nullptr));
  for (const auto* violations : {&explanation.axioms, &explanation.alternatives}) {
    for (const explain::Violation& violation : *violations) {
      if (violation.state) out.push_back(draw(outcome, *violation.state, &violation));
    }
  }
  return out;
}

std::string dot_graphs(const explain::Outcome& outcome, const explain::Explanation& explanation) {
  const std::vector<Drawing> drawings = drawings_of(outcome, explanation);
  std::string out = fmt::format("digraph {} {{\n{}", dot_string(outcome.test.name), kDefaults);
  if (drawings.empty()) out += "  label=\"no execution\";\n";
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    out += fmt::format("  subgraph cluster_x{} {{\n", i);
    out += dot_body(drawings[i], fmt::format("x{}e", i), "    ");
    out += "  }\n";
  }
  return out + "}\n";
}

}  // namespace ptxmc::report
