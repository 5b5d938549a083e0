// SPDX-License-Identifier: Apache-2.0
#include "support/origins.h"

#include <doctest/doctest.h>

namespace ptxmc {

TEST_CASE("an origin names the innermost line, and its callers in the file of the outermost") {
  CHECK_EQ(Origin{}.text(), "");
  CHECK_EQ(Origin{{"k.cu:9"}}.text(), "k.cu:9");
  CHECK_EQ(Origin{{"h.h:1", "k.cu:9"}}.text(), "h.h:1 inlined at k.cu:9");
  CHECK_EQ(Origin{{"a.h:1", "h.h:2", "k.cu:3", "b.h:4", "k.cu:9"}}.text(), "a.h:1 inlined at k.cu:3, k.cu:9");
  CHECK_EQ(Origin{{"k.cu:3", "k.cu:9"}}.text(), "k.cu:3 inlined at k.cu:9");
}

TEST_CASE("lines know their frames; the first of a line speaks for it") {
  Origins origins;
  const Origins::File file = origins.file("k.cu"), header = origins.file("h.h");
  const Origins::Frame outer = origins.frame(file, 9, std::nullopt);
  origins.add(4, outer);
  origins.add(6, origins.frame(header, 2, outer));
  origins.add(6, outer);
  CHECK_EQ(origins.at({4, 1}).text(), "k.cu:9");
  CHECK(origins.at({6, 3}).frames == std::vector<std::string>{"h.h:2", "k.cu:9"});
  for (const std::uint32_t line : {0U, 3U, 5U, 7U}) CHECK_FALSE(origins.at({line, 1}).known());
  CHECK_EQ(origin_text(nullptr, {4, 1}), "");
  CHECK_EQ(line_text(nullptr, {4, 1}), "line 4");
}

}  // namespace ptxmc
