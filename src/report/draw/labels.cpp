// SPDX-License-Identifier: Apache-2.0
#include "report/draw/labels.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace ptxmc::report {

namespace {

constexpr double kCharacter = 6.7, kHeight = 13, kSpace = 2;  // of a label's font, and around it
constexpr double kOnBox = 100, kOnLabel = 60,
                 kOnArrow = 4;  // what it costs to cover a pixel, a point of an arrow
constexpr double kAway = 20;    // what it costs to be away from the place liked best
constexpr double kBeside = 40;  // to stand beside the arrow, touching it
constexpr int kPasses = 3;
constexpr int kParts = 24;       // of a curve, at whose ends its label may stand
constexpr double kLiked = 0.38;  // nearer to where an arrow begins: arrows that cross do so apart

Rectangle around(Point middle, double width) {
  return {middle.x - width / 2 - kSpace, middle.y - kHeight / 2, middle.x + width / 2 + kSpace,
          middle.y + kHeight / 2};
}

Rectangle reach_of(const std::vector<Point>& points) {
  Rectangle out = {points[0].x, points[0].y, points[0].x, points[0].y};
  for (const Point point : points) {
    out = {std::min(out.left, point.x), std::min(out.top, point.y), std::max(out.right, point.x),
           std::max(out.bottom, point.y)};
  }
  return {out.left - 1, out.top - 1, out.right + 1, out.bottom + 1};  // of a straight one, too
}

class Placer {
 public:
  Placer(const std::vector<LabelledArrow>& arrows, const std::vector<Rectangle>& taken)
      : arrows_(arrows), taken_(taken), placed_(arrows.size()) {
    for (const LabelledArrow& arrow : arrows) {
      points_.push_back(points_of(arrow.curves, kParts));
      reach_.push_back(reach_of(points_.back()));
    }
  }

  std::vector<Rectangle> run() {
    std::vector<std::size_t> order(arrows_.size());
    std::iota(order.begin(), order.end(), 0);
    // Long labels have the fewest places to be at.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return arrows_[a].label.size() > arrows_[b].label.size();
    });
    // Each once, and again when those placed later are there, too.
    for (int pass = 0; pass < kPasses; ++pass) {
      for (const std::size_t arrow : order) {
        if (!arrows_[arrow].label.empty()) place(arrow);
      }
    }
    return placed_;
  }

 private:
  void place(std::size_t arrow) {
    const std::vector<Point>& points = points_[arrow];
    const double width = label_width(arrows_[arrow].label);
    double least = std::numeric_limits<double>::infinity();
    Rectangle best;
    constexpr Point kBesides[] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (const Point beside : kBesides) {
      for (std::size_t i = 1; i + 1 < points.size(); ++i) {
        const double along = static_cast<double>(i) / static_cast<double>(points.size() - 1);
        const Point middle = {points[i].x + beside.x * (width / 2 + kSpace),
                              points[i].y + beside.y * kHeight / 2};
        const Rectangle there = around(middle, width);
        const double off = std::abs(beside.x) + std::abs(beside.y);
        const double cost = cost_of(there, arrow) + kAway * std::abs(along - kLiked) + kBeside * off;
        if (cost >= least) continue;
        least = cost;
        best = there;
      }
    }
    placed_[arrow] = best;
  }

  double cost_of(const Rectangle& there, std::size_t arrow) const {
    double out = 0;
    for (const Rectangle& box : taken_) out += kOnBox * there.common(box);
    for (std::size_t other = 0; other < points_.size(); ++other) {
      if (other == arrow) continue;
      out += kOnLabel * there.common(placed_[other]);  // one without a place has no area
      if (there.common(reach_[other]) == 0) continue;
      for (const Point point : points_[other]) out += there.contains(point) ? kOnArrow : 0;
    }
    return out;
  }

  const std::vector<LabelledArrow>& arrows_;
  const std::vector<Rectangle>& taken_;
  std::vector<std::vector<Point>> points_;
  std::vector<Rectangle> reach_;  // of each arrow
  std::vector<Rectangle> placed_;
};

}  // namespace

double label_width(std::string_view label) {
  return static_cast<double>(label.size()) * kCharacter;
}

std::vector<Rectangle> place_labels(const std::vector<LabelledArrow>& arrows,
                                    const std::vector<Rectangle>& taken) {
  return Placer(arrows, taken).run();
}

}  // namespace ptxmc::report
