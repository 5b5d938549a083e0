// SPDX-License-Identifier: Apache-2.0
// The layout.
//
// Events of a thread stand below each other in program order, so po needs no thought: it points down. An
// arrow between neighbouring columns is a curve between the sides of two boxes that face each other, or an
// arc beside the column when both are in one. One that passes columns does so in a lane, the gap between two
// rows of boxes; one from an initial write, which stand in the top row, comes down in the gap beside its
// column. So no arrow runs through a box. Arrows that leave or enter the same side of a box spread over it,
// those of one lane or gap lie beside each other, and labels sit at different places of their curves so that
// those of a pair of crossing arrows do not collide. Columns are as wide as their widest text, in a
// monospaced font whose width is known well enough.
#include "report/draw/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/escaped.h"

namespace ptxmc::report {

namespace {

constexpr double kCharWidth = 7.3, kSmallWidth = 6.1;  // of the two font sizes below
constexpr double kBoxPadding = 8, kBoxHeight = 40, kRowGap = 38, kColumnGap = 150, kMargin = 70, kTop = 26;
constexpr double kHeading = 26;                // of a column, above the lane over its first box
constexpr double kLaneStep = 9, kGapStep = 8;  // between arrows of one lane or gap

struct Place {
  double x = 0, y = 0, width = 0;  // centre, upper edge
  int column = -1;                 // -1: the top row
  double left() const { return x - width / 2; }
  double right() const { return x + width / 2; }
  double bottom() const { return y + kBoxHeight; }
};

struct Point {
  double x = 0, y = 0;
};

struct Curve {
  Point p[4];
  Point at(double t) const {
    const double s = 1 - t;
    const double w[] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};
    Point out;
    for (int i = 0; i < 4; ++i) {
      out.x += w[i] * p[i].x;
      out.y += w[i] * p[i].y;
    }
    return out;
  }
};

/// An arrow as an SVG path, and where its label stands.
struct Route {
  std::string path;
  Point label;
  bool beside = false;  ///< the label begins there, else its middle is there
};

enum class Side : std::uint8_t { left, right, top, bottom };

std::string css(const Arrow& arrow) {
  constexpr std::string_view kNames[] = {"po", "rf", "co", "fr", "why"};
  if (arrow.kind == ArrowKind::shown) return fmt::format("show{}", arrow.color);
  return std::string(kNames[static_cast<int>(arrow.kind)]);
}

class Layout {
 public:
  explicit Layout(const Drawing& drawing) : drawing_(drawing) { place(); }
  /// `top`: where it begins in a picture that it is part of.
  std::string print(const std::string& id, double top = 0);
  double width() const { return width_; }
  double height() const { return height_; }

 private:
  void place();
  Side outer_side(const Place& place) const;
  bool first_of_column(std::size_t box) const;
  std::pair<Side, Side> sides(const Arrow& arrow) const;
  Point port(std::size_t box, Side side, std::size_t arrow);
  Curve curve(std::size_t arrow);
  Route route(std::size_t arrow);
  Route through_lane(std::size_t arrow, const Curve& ends) const;
  Route down_gap(std::size_t arrow, const Curve& ends, Side side) const;
  std::string arrow_text(const Arrow& arrow, const Route& route, const std::string& id) const;
  std::string box_text(std::size_t box) const;

  const Drawing& drawing_;
  std::vector<Place> places_;
  std::vector<double> column_x_, column_width_;
  double first_row_ = 0;  // upper edge of the threads' first boxes
  std::map<std::pair<std::size_t, Side>, std::vector<std::size_t>> ports_;  // arrows at a side of a box
  double width_ = 0, height_ = 0;
};

double width_of(const Box& box) {
  const double title =
      static_cast<double>(box.title.size() + (box.place.empty() ? 0 : box.place.size() + 2)) * kCharWidth;
  const double text = static_cast<double>(box.text.size()) * kSmallWidth;
  return std::max({title, text, 40.0}) + 2 * kBoxPadding;
}

void Layout::place() {
  const std::size_t columns = std::max<std::size_t>(drawing_.threads.size(), 1);
  std::vector<double> widths(columns, 60);
  for (std::size_t t = 0; t < drawing_.threads.size(); ++t)
    widths[t] = std::max(widths[t], static_cast<double>(drawing_.threads[t].size()) * kCharWidth);
  double top_width = 0;
  for (const Box& box : drawing_.boxes) {
    if (box.thread) {
      widths[*box.thread] = std::max(widths[*box.thread], width_of(box));
    } else {
      top_width += width_of(box) + kRowGap;
    }
  }
  column_width_ = widths;
  double x = kMargin;
  for (const double width : widths) {
    column_x_.push_back(x + width / 2);
    x += width + kColumnGap;
  }
  width_ = std::max(x - kColumnGap, top_width) + kMargin;
  const double shift = (width_ - (x - kColumnGap + kMargin)) / 2;  // a wide top row centres the columns
  for (double& at : column_x_) at += shift;
  const bool has_top = top_width > 0;
  const double threads_top = has_top ? kTop + kBoxHeight + 2 * kRowGap + kHeading : kTop + kHeading;
  first_row_ = threads_top + kTop;
  std::vector<int> rows(columns, 0);
  double top_x = (width_ - top_width + kRowGap) / 2;
  for (const Box& box : drawing_.boxes) {
    Place place;
    place.width = width_of(box);
    if (box.thread) {
      place.column = static_cast<int>(*box.thread);
      place.x = column_x_[*box.thread];
      place.y = first_row_ + rows[*box.thread]++ * (kBoxHeight + kRowGap);
    } else {
      place.x = top_x + place.width / 2;
      place.y = kTop;
      top_x += place.width + kRowGap;
    }
    height_ = std::max(height_, place.bottom() + kTop);
    places_.push_back(place);
  }
  height_ = std::max(height_, threads_top + 2 * kTop);
  for (std::size_t i = 0; i < drawing_.arrows.size(); ++i) {
    const auto [from, to] = sides(drawing_.arrows[i]);
    ports_[{drawing_.arrows[i].from, from}].push_back(i);
    ports_[{drawing_.arrows[i].to, to}].push_back(i);
  }
}

// The outer side of the picture has more room.
Side Layout::outer_side(const Place& place) const {
  return place.column == 0 && drawing_.threads.size() > 1 ? Side::left : Side::right;
}

bool Layout::first_of_column(std::size_t box) const {
  return std::none_of(places_.begin(), places_.end(), [&](const Place& other) {
    return other.column == places_[box].column && other.y < places_[box].y;
  });
}

std::pair<Side, Side> Layout::sides(const Arrow& arrow) const {
  const Place& a = places_[arrow.from];
  const Place& b = places_[arrow.to];
  if (a.column < 0 && b.column < 0) return {Side::bottom, Side::bottom};
  if (a.column < 0) return {Side::bottom, first_of_column(arrow.to) ? Side::top : outer_side(b)};
  if (b.column < 0) return {Side::top, Side::bottom};
  if (a.column != b.column)
    return a.column < b.column ? std::pair{Side::right, Side::left} : std::pair{Side::left, Side::right};
  const bool next = std::abs(b.y - a.y) < kBoxHeight + kRowGap + 1 && b.y > a.y;
  const bool straight = next && (arrow.kind == ArrowKind::po || arrow.kind == ArrowKind::reason);
  if (straight) return {Side::bottom, Side::top};
  return {outer_side(a), outer_side(a)};
}

// Arrows at one side spread over it.
Point Layout::port(std::size_t box, Side side, std::size_t arrow) {
  const std::vector<std::size_t>& all = ports_[{box, side}];
  const double index = static_cast<double>(std::find(all.begin(), all.end(), arrow) - all.begin());
  const double part = (index + 1) / (static_cast<double>(all.size()) + 1);
  const Place& place = places_[box];
  switch (side) {
    case Side::left:
      return {place.left(), place.y + part * kBoxHeight};
    case Side::right:
      return {place.right(), place.y + part * kBoxHeight};
    case Side::top:
      return {place.left() + part * place.width, place.y};
    case Side::bottom:
      return {place.left() + part * place.width, place.bottom()};
  }
  return {};
}

Curve Layout::curve(std::size_t index) {
  const Arrow& arrow = drawing_.arrows[index];
  const auto [from, to] = sides(arrow);
  Curve out;
  out.p[0] = port(arrow.from, from, index);
  out.p[3] = port(arrow.to, to, index);
  const bool same_side = from == to;
  const double dx = std::abs(out.p[3].x - out.p[0].x), dy = std::abs(out.p[3].y - out.p[0].y);
  const auto bend = [&](Point point, Side side) {
    const double sideways = same_side ? 34 + 0.12 * dy : std::max(30.0, 0.4 * dx);
    const double along = std::max(16.0, 0.4 * dy);
    if (side == Side::left) point.x -= sideways;
    if (side == Side::right) point.x += sideways;
    if (side == Side::top) point.y -= along;
    if (side == Side::bottom) point.y += along;
    return point;
  };
  out.p[1] = bend(out.p[0], from);
  out.p[2] = bend(out.p[3], to);
  return out;
}

// Past other columns: into the lane between two rows, along it, and out of it.
Route Layout::through_lane(std::size_t index, const Curve& ends) const {
  const Arrow& arrow = drawing_.arrows[index];
  const Point &from = ends.p[0], &to = ends.p[3];
  const double row = kBoxHeight + kRowGap;
  const double middle = std::max((from.y + to.y) / 2 - first_row_, 0.0);
  // The lane below the row in which the middle lies; the topmost one is above all rows.
  const double lane_number = std::floor((middle + kRowGap) / row);
  const double lane =
      first_row_ + lane_number * row - kRowGap / 2 + kLaneStep * (static_cast<double>(index % 3) - 1);
  const int a = places_[arrow.from].column, b = places_[arrow.to].column;
  const double sign = a < b ? 1 : -1;
  const auto edge = [&](int column, double side) {
    const auto c = static_cast<std::size_t>(column);
    return column_x_[c] + side * column_width_[c] / 2;
  };
  const double in = edge(a + static_cast<int>(sign), -sign), out = edge(b - static_cast<int>(sign), sign);
  const double bend = sign * kColumnGap * 0.4;
  return {
      fmt::format("M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} L{:.1f},{:.1f} C{:.1f},{:.1f} "
                  "{:.1f},{:.1f} {:.1f},{:.1f}",
                  from.x, from.y, from.x + bend, from.y, in - bend, lane, in, lane, out, lane, out + bend,
                  lane, to.x - bend, to.y, to.x, to.y),
      {in + sign * (20 + 40 * static_cast<double>(index % 3)), lane}};
}

// From the top row to a box that is not the first of its column: down beside the column.
Route Layout::down_gap(std::size_t index, const Curve& ends, Side side) const {
  const Point &from = ends.p[0], &to = ends.p[3];
  const auto column = static_cast<std::size_t>(places_[drawing_.arrows[index].to].column);
  const double sign = side == Side::left ? -1 : 1;
  const double gap =
      column_x_[column] + sign * (column_width_[column] / 2 + 20 + kGapStep * static_cast<double>(index % 4));
  const double top = first_row_ - 4, turn = 14;
  return {
      fmt::format("M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} L{:.1f},{:.1f} Q{:.1f},{:.1f} "
                  "{:.1f},{:.1f}",
                  from.x, from.y, from.x, from.y + 36, gap, top - 50, gap, top, gap, to.y - turn, gap, to.y,
                  to.x, to.y),
      {gap, (top + to.y) / 2}};
}

Route Layout::route(std::size_t index) {
  const Arrow& arrow = drawing_.arrows[index];
  const Curve c = curve(index);
  const int a = places_[arrow.from].column, b = places_[arrow.to].column;
  const Side into = sides(arrow).second;
  if (a >= 0 && b >= 0 && std::abs(a - b) > 1) return through_lane(index, c);
  if (a < 0 && (into == Side::left || into == Side::right)) return down_gap(index, c, into);
  const bool down = sides(arrow) == std::pair{Side::bottom, Side::top} && a == b;
  constexpr double kPlaces[] = {0.3, 0.42, 0.36};  // nearer to where it begins: crossing arrows do so apart
  return {fmt::format("M{:.1f},{:.1f} C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", c.p[0].x, c.p[0].y,
                      c.p[1].x, c.p[1].y, c.p[2].x, c.p[2].y, c.p[3].x, c.p[3].y),
          down ? Point{c.p[0].x + 7, (c.p[0].y + c.p[3].y) / 2 + 6} : c.at(kPlaces[index % 3]), down};
}

std::string Layout::arrow_text(const Arrow& arrow, const Route& route, const std::string& id) const {
  const std::string kind = css(arrow);
  return fmt::format("<path class=\"{}\" d=\"{}\" marker-end=\"url(#{}-{})\"/>\n", kind, route.path, id,
                     kind);
}

std::string Layout::box_text(std::size_t index) const {
  const Box& box = drawing_.boxes[index];
  const Place& place = places_[index];
  std::string out = fmt::format(
      "<rect class=\"box{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" rx=\"5\"/>\n",
      box.involved ? " involved" : "", place.left(), place.y, place.width, kBoxHeight);
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
  return out;
}

constexpr std::string_view kStyle =
    ".box{fill:#fff;stroke:#999}.involved{stroke:#c2185b;stroke-width:2}"
    "text{font-family:monospace;text-anchor:middle}.title{font-size:12px;font-weight:bold}"
    ".label.beside{text-anchor:start}"
    ".where{font-weight:normal;fill:#666}"
    ".code{font-size:10px;fill:#333}.thread{font-size:12px;fill:#333;paint-order:stroke;stroke:#fff;stroke-"
    "width:4px}"
    "path{fill:none;stroke-width:1.3}path.po{stroke:#555}path.rf{stroke:#d32f2f}path.co{stroke:#1565c0}"
    "path.fr{stroke:#e68a00}path.why{stroke:#c2185b;stroke-width:2.6}"
    ".marks{font-size:10px;fill:#555;paint-order:stroke;stroke:#fff;stroke-width:4px}"
    ".label{font-size:11px;paint-order:stroke;stroke:#fff;stroke-width:4px}"
    "text.rf{fill:#d32f2f}text.co{fill:#1565c0}text.fr{fill:#b86e00}text.why{fill:#c2185b;font-weight:bold}";

/// The colours of arrows by class: those of every picture, and of what --show names.
std::vector<std::pair<std::string, std::string_view>> colors(const Drawing& drawing) {
  std::vector<std::pair<std::string, std::string_view>> out = {
      {"po", "#555"}, {"rf", "#d32f2f"}, {"co", "#1565c0"}, {"fr", "#e68a00"}, {"why", "#c2185b"}};
  for (std::size_t i = 0; i < kShownColors.size(); ++i) {
    const bool there = std::any_of(drawing.arrows.begin(), drawing.arrows.end(), [&](const Arrow& arrow) {
      return arrow.kind == ArrowKind::shown && arrow.color == i;
    });
    if (there) out.emplace_back(fmt::format("show{}", i), kShownColors[i]);
  }
  return out;
}

std::string Layout::print(const std::string& id, double top) {
  const auto palette = colors(drawing_);
  std::string style(kStyle);
  for (const auto& [kind, color] : palette) {
    if (kind.starts_with("show"))
      style += fmt::format("path.{0}{{stroke:{1};stroke-dasharray:5 3}}text.{0}{{fill:{1}}}", kind, color);
  }
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" {3}width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
      "{0:.0f} "
      "{1:.0f}\">\n"
      "<style>{2}</style>\n<defs>\n",
      width_, height_, style, top > 0 ? fmt::format("y=\"{:.0f}\" ", top) : "");
  for (const auto& [kind, color] : palette) {
    out += fmt::format(
        "<marker id=\"{}-{}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerUnits=\"userSpaceOnUse\" "
        "markerWidth=\"9\" markerHeight=\"9\" orient=\"auto\"><path d=\"M0,0 L10,5 L0,10 z\" "
        "style=\"fill:{};stroke:none\"/></marker>\n",
        id, kind, color);
  }
  out += "</defs>\n";
  std::string labels;
  for (std::size_t i = 0; i < drawing_.arrows.size(); ++i) {
    const Arrow& arrow = drawing_.arrows[i];
    const Route way = route(i);
    out += arrow_text(arrow, way, id);
    if (arrow.label.empty()) continue;
    labels += fmt::format("<text class=\"label {}{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", css(arrow),
                          way.beside ? " beside" : "", way.label.x, way.label.y - 3, escaped(arrow.label));
  }
  for (std::size_t t = 0; t < drawing_.threads.size(); ++t) {
    double top = height_;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].column == static_cast<int>(t)) top = std::min(top, places_[i].y);
    }
    if (top == height_) continue;  // no event of it
    out += fmt::format("<text class=\"thread\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", column_x_[t],
                       top - kHeading - 8, escaped(drawing_.threads[t]));
  }
  for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) out += box_text(i);
  out += labels;
  return out + "</svg>\n";
}

}  // namespace

std::string svg(const Drawing& drawing, const std::string& id) {
  return Layout(drawing).print(id);
}

std::string svg_page(const std::vector<Drawing>& drawings) {
  constexpr double kLine = 17;
  double width = 300, y = 10;
  std::string body;
  if (drawings.empty()) body = "<text style=\"text-anchor:start\" x=\"10\" y=\"27\">no execution</text>\n";
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    std::string_view title = drawings[i].title;
    while (!title.empty()) {
      const std::size_t end = std::min(title.find('\n'), title.size());
      y += kLine;
      body += fmt::format("<text style=\"text-anchor:start\" x=\"10\" y=\"{:.0f}\">{}</text>\n", y,
                          escaped(std::string(title.substr(0, end))));
      width = std::max(width, static_cast<double>(end) * kCharWidth + 20);
      title.remove_prefix(std::min(end + 1, title.size()));
    }
    Layout layout(drawings[i]);
    body += layout.print(fmt::format("execution{}", i), y);
    width = std::max(width, layout.width());
    y += layout.height();
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<g font-family=\"monospace\" "
      "font-size=\"12\">\n{2}</g>\n</svg>\n",
      width, y + 30, body);
}

}  // namespace ptxmc::report
