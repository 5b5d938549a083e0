// SPDX-License-Identifier: Apache-2.0
#include "report/draw/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/draw/layout.h"
#include "report/escaped.h"

namespace ptxmc::report {

namespace {

constexpr double kTitleWidth = 7.3;  // of a character of the titles of a picture of its own

std::string css(const Arrow& arrow) {
  if (arrow.kind == ArrowKind::shown) return fmt::format("show{}", arrow.color);
  return std::string(kArrowWords.at(static_cast<std::size_t>(arrow.kind)).css);
}

/// A colour of arrows, by class, on a light and on a dark ground; those of texts are a little stronger.
struct Color {
  std::string kind;
  std::string_view light, light_text, dark;
};

/// Those of every picture, and of what --show names.
std::vector<Color> colors(const Drawing& drawing) {
  std::vector<Color> out = {
      {"po", "#555", "#555", "#9aa4b2"},         {"rf", "#d32f2f", "#d32f2f", "#ff7b72"},
      {"co", "#1565c0", "#1565c0", "#79b8ff"},   {"fr", "#b86e00", "#9a6200", "#f0a94b"},
      {"sync", "#1d7a45", "#1d7a45", "#5fd08d"}, {"why", "#c2185b", "#c2185b", "#ff6fa5"}};
  constexpr std::array<std::string_view, kShownColors.size()> kDark = {"#cf9cff", "#6fd08c", "#ff8ac5",
                                                                       "#5fd0d0", "#e0a080", "#b0b8c4"};
  for (std::size_t i = 0; i < kShownColors.size(); ++i) {
    const bool there = std::any_of(drawing.arrows.begin(), drawing.arrows.end(), [&](const Arrow& arrow) {
      return arrow.kind == ArrowKind::shown && arrow.color == i;
    });
    if (there) out.push_back({fmt::format("show{}", i), kShownColors[i], kShownColors[i], kDark[i]});
  }
  return out;
}

constexpr std::string_view kStyle =
    ".back{fill:#fff}.box{fill:#fff;stroke:#999}.involved{stroke:#c2185b;stroke-width:2}"
    ".execution text{font-family:monospace;text-anchor:middle;fill:#000}"
    ".execution .title{font-size:12px;font-weight:bold}.execution .where{font-weight:normal;fill:#666}"
    ".execution .code{font-size:10px;fill:#333}"
    ".plate{fill:#fff}.execution .thread,.execution .marks{paint-order:stroke;stroke:#fff;stroke-width:4px}"
    ".execution .thread{font-size:12px;fill:#333}.execution .marks{font-size:10px;fill:#555}"
    ".execution .label{font-size:11px}.execution .label.why{font-weight:bold}"
    ".arrow{fill:none;stroke-width:1.3}.arrow.why{stroke-width:2.6}";
constexpr std::string_view kDarkStyle =
    ".back{fill:#181d24}.box{fill:#232a34;stroke:#778}.involved{stroke:#ff6fa5}.execution text{fill:#e3e7ee}"
    ".execution .where,.execution .code,.execution .marks{fill:#a9b3c2}"
    ".plate{fill:#181d24}.execution .thread,.execution .marks{stroke:#181d24}.execution "
    ".thread{fill:#e3e7ee}";

std::string color_rules(const Color& color, std::string_view arrow, std::string_view text) {
  return fmt::format(".arrow.{0}{{stroke:{1}}}.head.{0}{{fill:{1}}}.execution text.{0}{{fill:{2}}}",
                     color.kind, arrow, text);
}

/// Pictures follow the scheme of who looks at them, alone and in a page.
std::string style_of(const std::vector<Color>& palette) {
  std::string light(kStyle), dark(kDarkStyle);
  for (const Color& color : palette) {
    light += color_rules(color, color.light, color.light_text);
    dark += color_rules(color, color.dark, color.dark);
    if (color.kind.starts_with("show")) light += fmt::format(".arrow.{}{{stroke-dasharray:5 3}}", color.kind);
  }
  return fmt::format("{}@media (prefers-color-scheme:dark){{{}}}", light, dark);
}

std::string path_of(const std::vector<Curve>& curves) {
  std::string out = fmt::format("M{:.1f},{:.1f}", curves.front().p[0].x, curves.front().p[0].y);
  for (const Curve& curve : curves) {
    out += fmt::format(" C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", curve.p[1].x, curve.p[1].y,
                       curve.p[2].x, curve.p[2].y, curve.p[3].x, curve.p[3].y);
  }
  return out;
}

/// One drawing as an element. data-e: the events that a part of it stands for, which pages link by.
class Printer {
 public:
  explicit Printer(const Drawing& drawing) : drawing_(drawing), layout_(drawing) {}

  double width() const { return layout_.bounds().right - layout_.bounds().left; }
  double height() const { return layout_.bounds().bottom; }

  /// `top`: where it begins in a picture that it is part of.
  std::string print(const std::string& id, double top) const {
    const std::vector<Color> palette = colors(drawing_);
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"execution\" {3}width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" viewBox=\"{4:.0f} 0 {0:.0f} {1:.0f}\">\n<style>{2}</style>\n<defs>\n",
        width(), height(), style_of(palette), top > 0 ? fmt::format("y=\"{:.0f}\" ", top) : "",
        layout_.bounds().left);
    for (const Color& color : palette) {
      out += fmt::format(
          "<marker id=\"{}-{}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" "
          "markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" orient=\"auto\">"
          "<path class=\"head {}\" d=\"M0,0 L10,5 L0,10 z\"/></marker>\n",
          id, color.kind, color.kind);
    }
    out += fmt::format("</defs>\n<rect class=\"back\" x=\"{:.0f}\" width=\"100%\" height=\"100%\"/>\n",
                       layout_.bounds().left);
    for (std::size_t i = 0; i < drawing_.arrows.size(); ++i) out += arrow_text(i, id);
    for (const auto& [thread, title] : layout_.titles())
      out += plate(title) + fmt::format("<text class=\"thread\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                                        (title.left + title.right) / 2, title.bottom - 4,
                                        escaped(drawing_.threads[thread]));
    for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) out += box_text(i);
    for (std::size_t i = 0; i < drawing_.arrows.size(); ++i) out += label_text(i);
    return out + "</svg>\n";
  }

 private:
  /// Keeps arrows from running between words.
  static std::string plate(const Rectangle& at) {
    return fmt::format("<rect class=\"plate\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
                       at.left, at.top, at.right - at.left, at.bottom - at.top);
  }
  std::string ends_of(const Arrow& arrow) const {
    return fmt::format("{} {}", drawing_.boxes[arrow.from].event, drawing_.boxes[arrow.to].event);
  }
  std::string arrow_text(std::size_t index, const std::string& id) const {
    const Arrow& arrow = drawing_.arrows[index];
    const std::string kind = css(arrow);
    return fmt::format("<path class=\"arrow {0}\" data-e=\"{1}\" d=\"{2}\" marker-end=\"url(#{3}-{0})\"/>\n",
                       kind, ends_of(arrow), path_of(layout_.routes()[index]), id);
  }
  std::string label_text(std::size_t index) const {
    const Arrow& arrow = drawing_.arrows[index];
    if (arrow.label.empty()) return "";
    const Rectangle& at = layout_.labels()[index];
    return plate(at) +
           fmt::format("<text class=\"label {}\" data-e=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                       css(arrow), ends_of(arrow), (at.left + at.right) / 2, (at.top + at.bottom) / 2 + 3.5,
                       escaped(arrow.label));
  }
  std::string box_text(std::size_t index) const {
    const Box& box = drawing_.boxes[index];
    const Place& place = layout_.places()[index];
    std::string out = fmt::format(
        "<g class=\"event\" data-e=\"{}\"><rect class=\"box{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
        "height=\"{:.0f}\" rx=\"5\"/>\n",
        box.event, box.involved ? " involved" : "", place.left(), place.y, place.width, kBoxHeight);
    const double first = box.text.empty() ? place.y + kBoxHeight / 2 + 4 : place.y + 17;
    const std::string where =
        box.place.empty() ? "" : "<tspan class=\"where\">  " + escaped(box.place) + "</tspan>";
    out += fmt::format("<text class=\"title\" xml:space=\"preserve\" x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text>\n",
                       place.x, first, escaped(box.title), where);
    if (!box.marks.empty()) {
      out += fmt::format("<text class=\"marks\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", place.x,
                         place.bottom() + 11, escaped(box.marks));
    }
    if (!box.text.empty()) {
      out += fmt::format("<text class=\"code\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", place.x, place.y + 32,
                         escaped(box.text));
    }
    return out + "</g>\n";
  }

  const Drawing& drawing_;
  Layout layout_;
};

}  // namespace

std::string svg(const Drawing& drawing, const std::string& id) {
  return Printer(drawing).print(id, 0);
}

namespace {

/// A line of what the arrows mean. Its classes are those of the pictures above it. `width` grows to it.
std::string legend(const std::vector<Drawing>& drawings, double y, double& width) {
  constexpr double kDash = 26, kGap = 18;
  double x = 10;
  std::string out;
  for (const ArrowWords& row : kArrowWords) {
    const bool there = std::any_of(drawings.begin(), drawings.end(), [&](const Drawing& drawing) {
      return std::any_of(drawing.arrows.begin(), drawing.arrows.end(),
                         [&](const Arrow& arrow) { return arrow.kind == row.kind; });
    });
    if (!there) continue;
    out += fmt::format(
        "<path class=\"arrow {}\" d=\"M{:.0f},{:.0f}h{:.0f}\"/><text class=\"heading\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n",
        row.css, x, y - 4, kDash - 4, x + kDash, y, row.words);
    x += kDash + static_cast<double>(row.words.size()) * kTitleWidth + kGap;
  }
  width = std::max(width, x);
  return out;
}

}  // namespace

std::string svg_page(const std::vector<Drawing>& drawings, std::string_view none) {
  constexpr double kLine = 17, kUnderTitle = 8;  // what letters have below their line
  double width = 300, y = 10;
  std::string body;
  if (drawings.empty())
    body = fmt::format("<text class=\"heading\" x=\"10\" y=\"27\">{}</text>\n", escaped(std::string(none)));
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    std::string_view title = drawings[i].title;
    while (!title.empty()) {
      const std::size_t end = std::min(title.find('\n'), title.size());
      y += kLine;
      body += fmt::format("<text class=\"heading\" x=\"10\" y=\"{:.0f}\">{}</text>\n", y,
                          escaped(std::string(title.substr(0, end))));
      width = std::max(width, static_cast<double>(end) * kTitleWidth + 20);
      title.remove_prefix(std::min(end + 1, title.size()));
    }
    y += kUnderTitle;
    const Printer picture(drawings[i]);
    body += picture.print(fmt::format("execution{}", i), y);
    width = std::max(width, picture.width());
    y += picture.height();
  }
  body += legend(drawings, y + kLine, width);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n"
      "<style>.back{{fill:#fff}}.heading{{fill:#000}}@media "
      "(prefers-color-scheme:dark){{.back{{fill:#181d24}}.heading{{fill:#e3e7ee}}}}</style>\n"
      "<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n<g font-family=\"monospace\" "
      "font-size=\"12\">\n{2}</g>\n</svg>\n",
      width, y + 30, body);
}

}  // namespace ptxmc::report
