// SPDX-License-Identifier: Apache-2.0
// When reports and messages have colours, and which words of them.
#include "face/cli/colors.h"

#include <doctest/doctest.h>

#include <sstream>

#include "../contains.h"

using namespace ptxmc;
using namespace ptxmc::cli;
using ptxmc::testing::contains;

namespace {

/// What is printed on a terminal, or elsewhere, in an environment with NO_COLOR or without.
std::string colored(const std::string& text, Color color, bool terminal, bool no_color = false,
                    Format format = Format::text) {
  std::istringstream in;
  std::ostringstream out, err;
  Options options;
  options.color = color;
  options.format = format;
  return painted_report(text, options, {in, out, err, terminal, terminal, no_color});
}

std::string in_colors(const std::string& text) {
  return colored(text, Color::always, false);
}

}  // namespace

TEST_CASE("colours are for terminals, unless NO_COLOR or an option says otherwise") {
  const std::string text = "k.cu:9: error: data race\n";
  CHECK(colored(text, Color::auto_, false) == text);
  CHECK(colored(text, Color::auto_, true) == "k.cu:9: \x1b[1;31merror:\x1b[0m data race\n");
  CHECK(colored(text, Color::auto_, true, true) == text);
  CHECK(colored(text, Color::always, false, true) != text);
  CHECK(colored(text, Color::never, true) == text);
  CHECK(colored(text, Color::always, true, false, Format::json) == text);
}

TEST_CASE("a file in place of standard output is no terminal") {
  std::istringstream in;
  std::ostringstream out, err;
  Options options;
  options.output = "report.txt";
  const Streams terminal{in, out, err, true, true, false};
  CHECK(painted_report("error: x\n", options, terminal) == "error: x\n");
  CHECK(painted_messages("error: x\n", options, terminal) == "\x1b[1;31merror:\x1b[0m x\n");
}

TEST_CASE("levels, carets and leads have colours; the source does not") {
  CHECK(in_colors("    k.cu:9: warning: x\n") == "    k.cu:9: \x1b[1;33mwarning:\x1b[0m x\n");
  CHECK(in_colors("k.litmus: internal error: x") == "k.litmus: \x1b[1;31minternal error:\x1b[0m x");
  CHECK(in_colors("      9 | s = \"a: error: b\";\n") == "\x1b[34m      9 |\x1b[0m s = \"a: error: b\";\n");
  CHECK(in_colors("        |   ^ write by P1\n") ==
        "\x1b[34m        |\x1b[0m   \x1b[1;31m^ write by P1\x1b[0m\n");
  CHECK(in_colors("    = fix: add a fence\n") == "    = \x1b[1mfix:\x1b[0m add a fence\n");
  CHECK(in_colors("    = confirmed by exhaustive check: x\n") == "    = confirmed by exhaustive check: x\n");
  CHECK(in_colors("Test MP Allowed\n\nNo\n") == "Test MP Allowed\n\nNo\n");
}

TEST_CASE("what a terminal would act on in a message is no attribute of it") {
  std::istringstream in;
  std::ostringstream out, err;
  Options options;
  options.color = Color::always;
  const std::string painted = painted_messages("error: \x1b[2J\n", options, {in, out, err});
  CHECK_FALSE(contains(painted, "\x1b[2J"));
}
