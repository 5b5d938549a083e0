// SPDX-License-Identifier: Apache-2.0
#include "support/diagnostic.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace ptxmc;

namespace {

std::string rendered(const std::string& text, const std::vector<Diagnostic>& all) {
  const auto source = std::make_shared<const Source>(Source{"t", text});
  Diagnostics out(source);
  for (const Diagnostic& d : all) out.error(d.position, d.message);
  return out.render_all();
}

Diagnostic at(std::uint32_t line, std::uint32_t column, std::uint32_t length, const std::string& message) {
  return {Severity::error, nullptr, {line, column, length}, message};
}

}  // namespace

TEST_CASE("a mistake of several threads in one line is told once, with all its places") {
  const std::string text = "stt x, 1 |\tstt y, 1 | ld r0, x\nstt z, 1\n";
  CHECK(rendered(text, {at(1, 12, 3, "no `stt`"), at(1, 1, 3, "no `stt`"), at(2, 1, 3, "no `stt`")}) ==
        "t:1:1: error: no `stt` (also at column 12)\n"
        "  stt x, 1 |\tstt y, 1 | ld r0, x\n"
        "  ^~~       \t^~~\n"
        "t:2:1: error: no `stt`\n"
        "  stt z, 1\n"
        "  ^~~\n");
  // Another message, and the same one at the same place.
  CHECK(rendered("a b\n", {at(1, 1, 1, "one"), at(1, 3, 1, "other"), at(1, 1, 1, "one")}) ==
        "t:1:1: error: one\n  a b\n  ^\nt:1:3: error: other\n  a b\n    ^\n");
}

TEST_CASE("notes stand behind what they belong to, each with its line") {
  const auto source = std::make_shared<const Source>(Source{"t", "x = 1;\ny = 2; x = 3;\n"});
  Diagnostics out(source);
  out.error({2, 8, 1}, "`x` is declared twice", {{{1, 1, 1}, "the first is here"}});
  CHECK(out.render_all() ==
        "t:2:8: error: `x` is declared twice\n  y = 2; x = 3;\n         ^\n"
        "t:1:1: note: the first is here\n  x = 1;\n  ^\n");
}

TEST_CASE("the underline counts characters, where columns are bytes") {
  CHECK(rendered("/* \u00e9\u4e16 */ \u00e9\u00e9 b\n", {at(1, 13, 4, "no")}) ==
        "t:1:13: error: no\n  /* \u00e9\u4e16 */ \u00e9\u00e9 b\n           ^~\n");
}

TEST_CASE("of a long line those places are underlined that are quoted") {
  const std::string text = std::string(200, 'a') + " b " + std::string(400, 'c') + "\n";
  const std::string out = rendered(text, {at(1, 202, 1, "no"), at(1, 210, 2, "no"), at(1, 590, 1, "no")});
  const std::string marks = out.substr(out.rfind('\n', out.size() - 2) + 1);
  CHECK(std::count(marks.begin(), marks.end(), '^') == 2);
  CHECK(marks.find("^~") == marks.find('^') + 8);
}
