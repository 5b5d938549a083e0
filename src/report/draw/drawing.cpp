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

#include "axiomatic/question/definition.h"
#include "explain/edges.h"
#include "explain/sentences.h"
#include "explain/words/events.h"
#include "explain/words/relations.h"
#include "explain/words/values.h"
#include "support/refuse.h"

namespace ptxmc::report {

using event::EventId;

namespace {

constexpr const char* kSync = "sync";  // of the model

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

  Drawing draw(const explain::Violation* violation, const std::vector<std::string>& shown) {
    for (const event::ThreadInfo& thread : graph_.threads)
      drawing_.threads.push_back(explain::thread_title(thread));
    for (EventId e = 0; e < graph_.size(); ++e) add_box(e);
    if (violation) add_violation(*violation);
    const explain::Edges edges = edges_of(outcome_, state_);
    add(edges.po, ArrowKind::po, "");
    add(edges.rf, ArrowKind::rf, "rf");
    add(edges.co, ArrowKind::co, "co");
    add(edges.fr, ArrowKind::fr, "fr");
    if (std::find(shown.begin(), shown.end(), kSync) == shown.end()) add_synchronization();
    for (const std::string& name : shown) show(name);
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
      drawing_.arrows.push_back({box_of_[a], box_of_[b], kind, label, color_});
    }
  }
  /// If the model has such a relation, and the picture stays clear.
  void add_synchronization() {
    constexpr std::size_t kMostBoxes = 60;
    if (drawing_.boxes.size() > kMostBoxes) return;
    const auto value = check::evaluate_definition(naive_input(outcome_, state_), kSync);
    const auto* pairs = value ? std::get_if<check::PairSet>(&*value) : nullptr;
    if (pairs != nullptr) add(*pairs, ArrowKind::sync, kSync);
  }
  void show(const std::string& name) {
    const auto value = check::evaluate_definition(naive_input(outcome_, state_), name);
    if (!value) {
      refuse(fmt::format("--show: model {} defines no '{}', and no base set or relation has that name",
                         outcome_.model, name));
    }
    if (const auto* pairs = std::get_if<check::PairSet>(&*value)) {
      add(*pairs, ArrowKind::shown, name);
      color_ = (color_ + 1) % kShownColors.size();
      return;
    }
    for (const EventId e : std::get<check::EventSet>(*value)) {
      if (!box_of_.contains(e)) continue;
      std::string& marks = drawing_.boxes[box_of_[e]].marks;
      marks += (marks.empty() ? "" : " ") + name;
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
      drawing_.arrows.push_back(
          {box_of_[step.from], box_of_[step.to], ArrowKind::reason, short_label(step), 0});
    }
    if (violation.at != event::kNoEvent && box_of_.contains(violation.at))
      drawing_.boxes[box_of_[violation.at]].involved = true;
  }

  const explain::Outcome& outcome_;
  const event::ProgramGraph& graph_;
  const engine::State& state_;
  explain::EventNames names_;
  Drawing drawing_;
  std::size_t color_ = 0;  // of the next definition shown
  std::map<EventId, std::size_t> box_of_;
  std::set<std::tuple<EventId, EventId, std::string>> told_;  // edges that the violation has drawn, by name
};

}  // namespace

Drawing draw(const explain::Outcome& outcome, const engine::State& state,
             const explain::Violation* violation) {
  Drawing drawing = Painter(outcome, state).draw(violation, {});
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

std::vector<Drawing> drawing_of(const explain::Outcome& outcome, const std::vector<std::string>& shown) {
  const std::optional<std::size_t> index = explain::deciding_state(outcome.query.graph, outcome.result);
  if (!index) return {};
  const engine::State& state = outcome.result.states[*index];
  Drawing drawing = Painter(outcome, state).draw(nullptr, shown);
  drawing.title = fmt::format("{} under {}\n{}", outcome.test.name, outcome.model,
                              explain::print_state(outcome.query.graph, state));
  return {std::move(drawing)};
}

}  // namespace ptxmc::report
