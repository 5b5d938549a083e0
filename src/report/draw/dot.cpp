// SPDX-License-Identifier: Apache-2.0
#include "report/draw/dot.h"

#include <fmt/format.h>

#include <optional>
#include <set>

namespace ptxmc::report {

namespace {

std::string quotation(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + '"';
}

// The statements of one drawing; `prefix` keeps the nodes of several apart.
std::string dot_body(const Drawing& drawing, const std::string& prefix, const std::string& indent) {
  constexpr const char* kStyles[] = {"color=black",
                                     "color=red, fontcolor=red",
                                     "color=blue, fontcolor=blue",
                                     "color=orange, fontcolor=orange",
                                     "color=darkgreen, fontcolor=darkgreen",
                                     "color=crimson, fontcolor=crimson, penwidth=2.5"};
  std::string out = fmt::format("{}label={};\n", indent, quotation(drawing.title));
  const auto boxes = [&](std::optional<event::ThreadId> thread, const std::string& margin) {
    for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
      const Box& box = drawing.boxes[i];
      if (box.thread != thread) continue;
      std::string text = box.title;
      if (!box.place.empty())
        text += fmt::format("\n{}{}({})", box.text, box.text.empty() ? "" : " ", box.place);
      if (!box.marks.empty()) text += fmt::format("\n{{{}}}", box.marks);
      out += fmt::format("{}{}{} [label={}{}];\n", margin, prefix, i, quotation(text),
                         box.involved ? ", shape=box, color=crimson" : "");
    }
  };
  boxes(std::nullopt, indent);
  for (event::ThreadId t = 0; t < drawing.threads.size(); ++t) {
    out += fmt::format("{}subgraph cluster_{}_{} {{\n{}  label={};\n", indent, prefix, t, indent,
                       quotation(drawing.threads[t]));
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
    const std::string_view color = kShownColors[arrow.color];
    const std::string style = arrow.kind == ArrowKind::shown
                                  ? fmt::format("color={}, fontcolor={}", color, color)
                                  : kStyles[static_cast<int>(arrow.kind)];
    out += fmt::format("{}{}{} -> {}{} [label={}, {}{}];\n", indent, prefix, arrow.from, prefix, arrow.to,
                       quotation(label), style, across ? ", constraint=false" : "");
  }
  return out;
}

constexpr std::string_view kDefaults =
    "  graph [fontname=\"sans-serif\", fontsize=12, nodesep=0.6];\n"
    "  node [shape=plaintext, fontname=\"monospace\", fontsize=11];\n"
    "  edge [fontname=\"sans-serif\", fontsize=10];\n";

}  // namespace

std::string dot(const std::string& name, const std::vector<Drawing>& drawings) {
  std::string out = fmt::format("digraph {} {{\n{}", quotation(name), kDefaults);
  if (drawings.empty()) out += "  label=\"no execution\";\n";
  if (drawings.size() == 1) return out + dot_body(drawings.front(), "e", "  ") + "}\n";
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    out += fmt::format("  subgraph cluster_x{} {{\n", i);
    out += dot_body(drawings[i], fmt::format("x{}e", i), "    ");
    out += "  }\n";
  }
  return out + "}\n";
}

}  // namespace ptxmc::report
