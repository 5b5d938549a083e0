// SPDX-License-Identifier: Apache-2.0
#include "report/draw/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/draw/labels.h"

namespace ptxmc::report {

namespace {

constexpr double kCharWidth = 7.3, kSmallWidth = 6.1;  // of titles, of code
constexpr double kBoxPadding = 8, kRowGap = 38, kColumnGap = 150, kMargin = 70, kTop = 26;
constexpr double kWide = 1000;                 // what the top row may be in any case
constexpr double kHeading = 26;                // of a column, above the lane over its first box
constexpr double kLaneStep = 9, kGapStep = 8;  // between arrows of one lane or gap
constexpr double kBesideLabel = 50;            // of a gap, free on both sides of a label together

double width_of(const Box& box) {
  const double title =
      static_cast<double>(box.title.size() + (box.place.empty() ? 0 : box.place.size() + 2)) * kCharWidth;
  const double text = static_cast<double>(box.text.size()) * kSmallWidth;
  return std::max({title, text, 40.0}) + 2 * kBoxPadding;
}

}  // namespace

Layout::Layout(const Drawing& drawing) : drawing_(drawing) {
  place();
  for (std::size_t i = 0; i < drawing.arrows.size(); ++i) {
    const auto [from, to] = sides(drawing.arrows[i]);
    ports_[{drawing.arrows[i].from, from}].push_back(i);
    ports_[{drawing.arrows[i].to, to}].push_back(i);
  }
  for (std::size_t i = 0; i < drawing.arrows.size(); ++i) routes_.push_back(route(i));
  place_titles();
  place_all_labels();
}

/// Between a column and the next one.
std::vector<double> Layout::gaps() const {
  std::vector<double> out(std::max<std::size_t>(drawing_.threads.size(), 1), kColumnGap);
  for (const Arrow& arrow : drawing_.arrows) {
    const auto from = drawing_.boxes[arrow.from].thread, to = drawing_.boxes[arrow.to].thread;
    if (!from || !to) continue;
    const auto [left, right] = std::minmax(*from, *to);
    if (right - left != 1) continue;
    out[left] = std::max(out[left], label_width(arrow.label) + kBesideLabel);
  }
  return out;
}

void Layout::place_columns() {
  const std::size_t columns = std::max<std::size_t>(drawing_.threads.size(), 1);
  column_width_.assign(columns, 60);
  for (std::size_t t = 0; t < drawing_.threads.size(); ++t)
    column_width_[t] =
        std::max(column_width_[t], static_cast<double>(drawing_.threads[t].size()) * kCharWidth);
  for (const Box& box : drawing_.boxes) {
    if (box.thread) column_width_[*box.thread] = std::max(column_width_[*box.thread], width_of(box));
  }
  const std::vector<double> gap = gaps();
  double x = kMargin;
  for (std::size_t c = 0; c < columns; ++c) {
    column_x_.push_back(x + column_width_[c] / 2);
    x += column_width_[c] + (c + 1 == columns ? 0 : gap[c]);
  }
  const double widest = place_initial(std::max(x - kMargin, kWide));
  bounds_.right = std::max(x, widest + kMargin) + kMargin;
  const double shift = (bounds_.right - x - kMargin) / 2;  // a wide top row centres the columns
  for (double& at : column_x_) at += shift;
  for (const std::size_t box : initial_) places_[box].x += bounds_.right / 2;
  const double top = initial_.empty() ? 0 : places_[initial_.back()].bottom() + 2 * kRowGap - kTop;
  first_row_ = top + kTop + kHeading + kTop;
  bounds_.bottom = first_row_ + kTop;
}

/// Initial writes around x = 0, in as many rows as it takes; how wide those are.
double Layout::place_initial(double most) {
  double widest = 0, y = kTop, width = -kRowGap;
  std::vector<std::size_t> row;
  const auto close = [&] {
    double x = -width / 2;
    for (const std::size_t box : row) {
      Place& place = places_[box];
      place.x = x + place.width / 2;
      place.y = y;
      x += place.width + kRowGap;
    }
    widest = std::max(widest, width);
    y += kBoxHeight + kRowGap;
    width = -kRowGap;
    row.clear();
  };
  for (const std::size_t box : initial_) {
    const double more = kRowGap + places_[box].width;
    if (!row.empty() && width + more > most) close();
    row.push_back(box);
    width += more;
  }
  close();
  return widest;
}

void Layout::place() {
  for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) {
    const Box& box = drawing_.boxes[i];
    places_.push_back({0, 0, width_of(box), box.thread ? static_cast<int>(*box.thread) : -1});
    if (!box.thread) initial_.push_back(i);
  }
  place_columns();
  std::vector<int> rows(column_x_.size(), 0);
  for (Place& place : places_) {
    if (place.column >= 0) {
      const auto column = static_cast<std::size_t>(place.column);
      place.x = column_x_[column];
      place.y = first_row_ + rows[column]++ * (kBoxHeight + kRowGap);
    }
    bounds_.bottom = std::max(bounds_.bottom, place.bottom() + kTop);
  }
}

// Above the column, and a little beside it where arrows run there.
void Layout::place_titles() {
  constexpr int kParts = 64;
  std::vector<Point> points;
  for (const std::vector<Curve>& route : routes_) {
    const std::vector<Point> its = points_of(route, kParts);
    points.insert(points.end(), its.begin(), its.end());
  }
  for (std::size_t t = 0; t < drawing_.threads.size(); ++t) {
    if (std::none_of(places_.begin(), places_.end(),
                     [&](const Place& place) { return place.column == static_cast<int>(t); }))
      continue;
    titles_[t] = title_at(t, points);
    bounds_.left = std::min(bounds_.left, titles_[t].left - 6);
    bounds_.right = std::max(bounds_.right, titles_[t].right + 6);
  }
}

Rectangle Layout::title_at(std::size_t thread, const std::vector<Point>& arrows) const {
  constexpr double kStep = 12, kBeside = 6;  // free on both sides
  const double half = static_cast<double>(drawing_.threads[thread].size()) * kCharWidth / 2;
  const double line = first_row_ - kHeading - 8;
  Rectangle best;
  auto least = std::numeric_limits<std::ptrdiff_t>::max();
  for (double away = 0; away <= column_width_[thread] / 2 + half; away += kStep) {
    for (const double x : {column_x_[thread] - away, column_x_[thread] + away}) {
      const Rectangle there = {x - half, line - 12, x + half, line + 4};
      const Rectangle free = {there.left - kBeside, there.top, there.right + kBeside, there.bottom};
      auto crossing = std::count_if(arrows.begin(), arrows.end(), [&](Point p) { return free.contains(p); });
      for (const auto& [other, title] : titles_) {
        if (other != thread && there.common(title) > 0)
          crossing += static_cast<std::ptrdiff_t>(arrows.size());
      }
      if (crossing >= least) continue;
      least = crossing;
      best = there;
    }
  }
  return best;
}

void Layout::place_all_labels() {
  std::vector<Rectangle> taken;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    taken.push_back({place.left(), place.y, place.right(), place.bottom()});
    const std::string& marks = drawing_.boxes[i].marks;
    if (marks.empty()) continue;
    const double half = static_cast<double>(marks.size()) * kSmallWidth / 2;
    taken.push_back({place.x - half, place.bottom(), place.x + half, place.bottom() + 14});
  }
  for (const auto& [thread, title] : titles_) taken.push_back(title);
  std::vector<LabelledArrow> arrows;
  for (std::size_t i = 0; i < routes_.size(); ++i) arrows.push_back({routes_[i], drawing_.arrows[i].label});
  labels_ = place_labels(arrows, taken);
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (drawing_.arrows[i].label.empty()) continue;
    bounds_.left = std::min(bounds_.left, labels_[i].left - 6);
    bounds_.right = std::max(bounds_.right, labels_[i].right + 6);
  }
}

// The outer side of the picture has more room.
Layout::Side Layout::outer_side(const Place& place) const {
  return place.column == 0 && drawing_.threads.size() > 1 ? Side::left : Side::right;
}

bool Layout::first_of_column(std::size_t box) const {
  return std::none_of(places_.begin(), places_.end(), [&](const Place& other) {
    return other.column == places_[box].column && other.y < places_[box].y;
  });
}

std::pair<Layout::Side, Layout::Side> Layout::sides(const Arrow& arrow) const {
  const Place& a = places_[arrow.from];
  const Place& b = places_[arrow.to];
  if (a.column < 0 && b.column < 0) return {Side::bottom, Side::bottom};
  if (a.column < 0) return {Side::bottom, first_of_column(arrow.to) ? Side::top : outer_side(b)};
  if (b.column < 0) return {Side::top, Side::bottom};
  if (a.column != b.column)
    return a.column < b.column ? std::pair{Side::right, Side::left} : std::pair{Side::left, Side::right};
  const bool next = std::abs(b.y - a.y) < kBoxHeight + kRowGap + 1 && b.y > a.y;
  const bool down = next && (arrow.kind == ArrowKind::po || arrow.kind == ArrowKind::reason);
  if (down) return {Side::bottom, Side::top};
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
  if (same_side && places_[arrow.from].column >= 0) go_around(arrow, out);
  return out;
}

// An arc beside a column keeps clear of wider boxes between its ends.
void Layout::go_around(const Arrow& arrow, Curve& arc) const {
  constexpr double kClear = 14, kInner = 0.75;  // what the inner points of a curve weigh in its middle
  const auto [top, bottom] = std::minmax(places_[arrow.from].y, places_[arrow.to].y);
  const bool left = arc.p[1].x < arc.p[0].x;
  for (const Place& place : places_) {
    if (place.column != places_[arrow.from].column || place.y <= top || place.y >= bottom) continue;
    const double edge = left ? place.left() - kClear : place.right() + kClear;
    const double inner = (edge - (1 - kInner) * (arc.p[0].x + arc.p[3].x) / 2) / kInner;
    for (Point* point : {&arc.p[1], &arc.p[2]})
      point->x = left ? std::min(point->x, inner) : std::max(point->x, inner);
  }
}

// Past other columns: into the lane between two rows, along it, and out of it.
std::vector<Curve> Layout::through_lane(std::size_t index, const Curve& ends) const {
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
  const Point in = {edge(a + static_cast<int>(sign), -sign), lane};
  const Point out = {edge(b - static_cast<int>(sign), sign), lane};
  const double bend = sign * kColumnGap * 0.4;
  return {{{from, {from.x + bend, from.y}, {in.x - bend, lane}, in}},
          straight(in, out),
          {{out, {out.x + bend, lane}, {to.x - bend, to.y}, to}}};
}

// From the top row to a box that is not the first of its column: down beside the column.
std::vector<Curve> Layout::down_gap(std::size_t index, const Curve& ends, Side side) const {
  const Point &from = ends.p[0], &to = ends.p[3];
  const auto column = static_cast<std::size_t>(places_[drawing_.arrows[index].to].column);
  const double sign = side == Side::left ? -1 : 1;
  const double gap =
      column_x_[column] + sign * (column_width_[column] / 2 + 20 + kGapStep * static_cast<double>(index % 4));
  const double turn = 14, third = 2.0 / 3;
  const Point top = {gap, first_row_ - 4}, end = {gap, to.y - turn};
  return {{{from, {from.x, from.y + 36}, {gap, top.y - 50}, top}},
          straight(top, end),
          {{end, {gap, end.y + third * turn}, {to.x + third * (gap - to.x), to.y}, to}}};
}

std::vector<Curve> Layout::route(std::size_t index) {
  const Arrow& arrow = drawing_.arrows[index];
  const Curve c = curve(index);
  const int a = places_[arrow.from].column, b = places_[arrow.to].column;
  const Side into = sides(arrow).second;
  if (a >= 0 && b >= 0 && std::abs(a - b) > 1) return through_lane(index, c);
  if (a < 0 && (into == Side::left || into == Side::right)) return down_gap(index, c, into);
  return {c};
}

}  // namespace ptxmc::report
