// SPDX-License-Identifier: Apache-2.0
// Where pictures put what they draw.
#include "report/draw/layout.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "report/draw/labels.h"

namespace ptxmc::report {
namespace {

/// A picture of `threads` with `events` each, initial writes, and arrows between any of them.
Drawing random_drawing(std::mt19937& random, std::size_t threads, std::size_t events, std::size_t initial) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  Drawing out;
  for (std::size_t i = 0; i < initial; ++i) {
    Box box;
    box.title = "W0 x=" + std::string(below(20), '0');
    out.boxes.push_back(box);
  }
  for (std::size_t t = 0; t < threads; ++t) {
    out.threads.push_back("P" + std::to_string(t) + " @ gpu 0, cta " + std::to_string(t));
    for (std::size_t e = 0; e < events; ++e) {
      Box box;
      box.thread = static_cast<event::ThreadId>(t);
      box.title = "R1 " + std::string(1 + below(12), 'y') + "=1";
      box.text = "ld.relaxed.gpu.u32 r0, [" + std::string(1 + below(12), 'y') + "]";
      out.boxes.push_back(box);
    }
  }
  constexpr std::string_view kLabels[] = {"rf", "co", "fr", "synchronizes 8.9.4", "program order 8.9.1"};
  for (std::size_t i = 0; i < out.boxes.size(); ++i) {
    Arrow arrow;
    arrow.from = i;
    arrow.to = below(out.boxes.size());
    if (arrow.to == i || !out.boxes[arrow.to].thread) continue;
    arrow.kind = static_cast<ArrowKind>(1 + below(4));
    arrow.label = kLabels[below(std::size(kLabels))];
    out.arrows.push_back(arrow);
  }
  return out;
}

Rectangle of(const Place& place) {
  return {place.left(), place.y, place.right(), place.bottom()};
}

/// How often labels cover boxes, titles or other labels.
int covered(const Layout& layout) {
  int out = 0;
  std::vector<Rectangle> labels;
  for (const Rectangle& label : layout.labels()) {
    if (label.right > label.left) labels.push_back(label);
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (const Place& place : layout.places()) out += labels[i].common(of(place)) > 0 ? 1 : 0;
    for (const auto& [thread, title] : layout.titles()) out += labels[i].common(title) > 0 ? 1 : 0;
    for (std::size_t k = 0; k < i; ++k) out += labels[i].common(labels[k]) > 0 ? 1 : 0;
  }
  return out;
}

bool inside(const Rectangle& part, const Rectangle& whole) {
  return part.left >= whole.left && part.right <= whole.right && part.top >= 0 && part.bottom <= whole.bottom;
}

}  // namespace

TEST_CASE("labels cover neither boxes nor titles nor each other") {
  std::mt19937 random(20);
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    const Drawing drawing = random_drawing(random, 1 + random() % 5, 1 + random() % 5, random() % 4);
    const Layout layout(drawing);
    CHECK(covered(layout) == 0);
    for (const Place& place : layout.places()) CHECK(inside(of(place), layout.bounds()));
    for (const Rectangle& label : layout.labels()) CHECK(inside(label, layout.bounds()));
  }
}

TEST_CASE("boxes and titles keep apart, however many initial writes there are") {
  std::mt19937 random(21);
  for (const std::size_t initial : {0U, 1U, 9U, 40U}) {
    const Drawing drawing = random_drawing(random, 3, 4, initial);
    const Layout layout(drawing);
    const std::vector<Place>& places = layout.places();
    for (std::size_t a = 0; a < places.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) CHECK(of(places[a]).common(of(places[b])) == 0);
      for (const auto& [thread, title] : layout.titles()) CHECK(of(places[a]).common(title) == 0);
    }
    CHECK(layout.bounds().right - layout.bounds().left < 2500);  // as wide as its threads, or in several rows
  }
}

TEST_CASE("a label that has no free place on its arrow stands beside it") {
  const std::vector<LabelledArrow> arrows = {{{straight({0, 0}, {0, 20})}, "rf"},
                                             {{straight({0, 0}, {0, 20})}, "co"}};
  const std::vector<Rectangle> labels = place_labels(arrows, {});
  CHECK(labels[0].common(labels[1]) == 0);
  CHECK(place_labels({{{straight({0, 0}, {9, 9})}, ""}}, {})[0].right == 0);
}

}  // namespace ptxmc::report
