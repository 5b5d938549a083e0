// SPDX-License-Identifier: Apache-2.0
// Where what is drawn stands.
//
// Events of a thread stand below each other in program order, so po needs no thought: it points down. An arrow between
// neighbouring columns is a curve between the sides of two boxes that face each other, or an arc beside the column when
// both are in one. One that passes columns does so in a lane, the gap between two rows of boxes; one from an initial
// write, which stand above all threads, comes down in the gap beside its column. So no arrow runs across a box; behind
// boxes do those that come from the first of several rows of initial writes. Arrows that leave or enter the same side
// of a box spread over it, those of one lane or gap lie beside each other. Labels stand at their arrows, and cover
// nothing else (labels.h); gaps between columns are as wide as the labels in them ask for. Columns are as wide as their
// widest text, in a monospaced font whose width is known well enough.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "report/draw/drawing.h"
#include "report/draw/geometry.h"

namespace ptxmc::report {

inline constexpr double kBoxHeight = 40;

/// The place of a box.
struct Place {
  double x = 0, y = 0, width = 0;  // centre, upper edge
  int column = -1;                 // -1: the top row
  double left() const { return x - width / 2; }
  double right() const { return x + width / 2; }
  double bottom() const { return y + kBoxHeight; }
};

class Layout {
 public:
  explicit Layout(const Drawing& drawing);

  const std::vector<Place>& places() const { return places_; }
  /// The rectangles of the titles of threads; those of a thread without events are not there.
  const std::map<std::size_t, Rectangle>& titles() const { return titles_; }
  /// By the numbers of arrows.
  const std::vector<std::vector<Curve>>& routes() const { return routes_; }
  const std::vector<Rectangle>& labels() const { return labels_; }
  /// What the picture takes; it may begin left of 0, as labels may.
  const Rectangle& bounds() const { return bounds_; }

 private:
  enum class Side : std::uint8_t { left, right, top, bottom };

  void place();
  std::vector<double> gaps() const;
  void place_columns();
  double place_initial(double most);
  void place_titles();
  Rectangle title_at(std::size_t thread, const std::vector<Point>& arrows) const;
  void place_all_labels();
  Side outer_side(const Place& place) const;
  bool first_of_column(std::size_t box) const;
  std::pair<Side, Side> sides(const Arrow& arrow) const;
  Point port(std::size_t box, Side side, std::size_t arrow);
  Curve curve(std::size_t arrow);
  void go_around(const Arrow& arrow, Curve& arc) const;
  std::vector<Curve> route(std::size_t arrow);
  std::vector<Curve> through_lane(std::size_t arrow, const Curve& ends) const;
  std::vector<Curve> down_gap(std::size_t arrow, const Curve& ends, Side side) const;

  const Drawing& drawing_;
  std::vector<Place> places_;
  std::vector<std::size_t> initial_;  // boxes of initial writes
  std::map<std::size_t, Rectangle> titles_;
  std::vector<std::vector<Curve>> routes_;
  std::vector<Rectangle> labels_;
  Rectangle bounds_;
  std::vector<double> column_x_, column_width_;
  double first_row_ = 0;  // upper edge of the threads' first boxes
  std::map<std::pair<std::size_t, Side>, std::vector<std::size_t>> ports_;  // arrows at a side of a box
};

}  // namespace ptxmc::report
