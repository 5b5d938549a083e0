// SPDX-License-Identifier: Apache-2.0
// Points, boxes and curves of a picture, in pixels; y points down.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

namespace ptxmc::report {

struct Point {
  double x = 0, y = 0;
};

struct Rectangle {
  double left = 0, top = 0, right = 0, bottom = 0;
  bool contains(Point p) const { return p.x > left && p.x < right && p.y > top && p.y < bottom; }
  /// The area that both have.
  double common(const Rectangle& other) const {
    const double width = std::min(right, other.right) - std::max(left, other.left);
    const double height = std::min(bottom, other.bottom) - std::max(top, other.top);
    return width > 0 && height > 0 ? width * height : 0;
  }
};

/// A cubic Bezier curve.
struct Curve {
  std::array<Point, 4> p;
  Point at(double t) const {
    const double s = 1 - t;
    const std::array<double, 4> weights = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};
    Point out;
    for (std::size_t i = 0; i < p.size(); ++i) {
      out.x += weights[i] * p[i].x;
      out.y += weights[i] * p[i].y;
    }
    return out;
  }
};

inline Curve straight(Point from, Point to) {
  const Point step = {(to.x - from.x) / 3, (to.y - from.y) / 3};
  return {{from, {from.x + step.x, from.y + step.y}, {to.x - step.x, to.y - step.y}, to}};
}

/// Points of an arrow, from its beginning to its end.
inline std::vector<Point> points_of(const std::vector<Curve>& arrow, int parts) {
  std::vector<Point> out;
  for (const Curve& curve : arrow) {
    for (int i = out.empty() ? 0 : 1; i <= parts; ++i)
      out.push_back(curve.at(static_cast<double>(i) / parts));
  }
  return out;
}

}  // namespace ptxmc::report
