// SPDX-License-Identifier: Apache-2.0
#include "report/draw/legend.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "report/draw/marks.h"

namespace ptxmc::report {

namespace {

/// A sign of timelines, and what it means.
struct Sign {
  int width = 20, height = 20;
  std::string box, picture;  ///< the picture in this view box
  std::string_view words;
};

std::vector<Sign> signs() {
  std::vector<Sign> out;
  for (std::size_t kind = 1; kind < explain::kMarkKinds; ++kind)
    out.push_back(
        {20, 20, "-10 -10 20 20",
         fmt::format("<g class=\"{}\"><path d=\"{}\"/></g>", kMarkStyles[kind].name, kMarkStyles[kind].shape),
         kMarkStyles[kind].words});
  out.push_back({22, 22, "-11 -11 22 22", "<g class=\"access\"><circle r=\"10\"/><text y=\"4\">1a</text></g>",
                 "access of finding 1"});
  out.push_back({36, 20, "0 0 36 20", "<path class=\"missing\" d=\"M2,10H34\"/>", "order that is missing"});
  out.push_back({16, 20, "-8 -10 16 20", "<path class=\"fold\" d=\"M0,0m-4,-8l-3,16m8,-16l-3,16\"/>",
                 "repetitions left out"});
  out.push_back(
      {36, 20, "0 0 36 20",
       "<g class=\"wait\"><rect class=\"span\" x=\"2\" y=\"5\" width=\"32\" height=\"10\" rx=\"5\"/></g>",
       "a thread waits"});
  out.push_back({92, 20, "0 0 92 20",
                 "<rect class=\"phase p0\" x=\"1\" y=\"1\" width=\"28\" height=\"18\" rx=\"4\"/>"
                 "<rect class=\"phase p1\" x=\"31\" y=\"1\" width=\"28\" height=\"18\" rx=\"4\"/>"
                 "<rect class=\"phase open\" x=\"61\" y=\"1\" width=\"28\" height=\"18\" rx=\"4\"/>",
                 "phases of a barrier: even, odd, not complete"});
  return out;
}

}  // namespace

std::string legend_lines(int width, int& y) {
  constexpr int kLine = 26, kLeft = 10, kGap = 18, kLetter = 7, kBaseline = 4;
  std::string out;
  int x = kLeft;
  for (const Sign& sign : signs()) {
    const int needed = sign.width + kBaseline + static_cast<int>(sign.words.size()) * kLetter;
    if (x > kLeft && x + needed > width) x = kLeft, y += kLine;
    out += fmt::format(
        "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" viewBox=\"{}\">{}</svg><text class=\"row dim\" x=\"{}\" y=\"{}\">{}"
        "</text>\n",
        x, y - sign.height / 2, sign.width, sign.height, sign.box, sign.picture, x + sign.width + kBaseline,
        y + kBaseline, sign.words);
    x += needed + kGap;
  }
  y += kLine;
  return out;
}

std::string timeline_legend() {
  std::string out = "<p class=\"legend\">";
  for (const Sign& sign : signs())
    out += fmt::format("<span><svg width=\"{}\" height=\"{}\" viewBox=\"{}\">{}</svg> {}</span>\n",
                       sign.width, sign.height, sign.box, sign.picture, sign.words);
  out.pop_back();
  return out + "</p>\n";
}

}  // namespace ptxmc::report
