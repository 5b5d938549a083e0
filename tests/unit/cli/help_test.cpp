// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "../contains.h"
#include "face/cli/describe.h"
#include "face/cli/help_format.h"
#include "face/cli/verbs.h"

using namespace ptxmc;
using namespace ptxmc::cli;
using ptxmc::testing::contains;

namespace {

std::string told(const std::vector<std::string>& arguments, Status expected = Status::ok) {
  std::istringstream in;
  std::ostringstream out, err;
  Streams streams{in, out, err};
  CHECK(run(arguments, streams) == expected);
  return out.str() + err.str();
}

std::vector<std::string> verbs() {
  std::istringstream lines(told({"--help"}));
  std::vector<std::string> out;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ") && line[2] != ' ' && !line.starts_with("  ptxmc"))
      out.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  REQUIRE(out.size() > 8);
  return out;
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t out = 0;
  for (std::string line; std::getline(lines, line);) out = std::max(out, line.size());
  return out;
}

}  // namespace

TEST_CASE("help is at most 100 columns wide") {
  CHECK(widest(told({"--help"})) <= kHelpColumns);
  for (const std::string& verb : verbs()) {
    CAPTURE(verb);
    CHECK(widest(told({verb, "--help"})) <= kHelpColumns);
  }
}

TEST_CASE("help and the manual page begin with what the program finds") {
  constexpr const char* kFinds = "data races, missing fences and deadlocks in CUDA kernels, without a GPU";
  CHECK(told({"--help"}).starts_with(std::string("ptxmc finds ") + kFinds));
  CHECK(told({"man"}).find(std::string("ptxmc \\- find ") + kFinds) != std::string::npos);
}

TEST_CASE("words are wrapped, examples are not") {
  const std::string word(60, 'x');
  CHECK(wrapped(word + " " + word, 0, 2) == word + "\n  " + word);
  CHECK(wrapped(std::string(120, 'x') + " y", 30, 4) == std::string(120, 'x') + "\n    y");
  CHECK(refilled("one\ntwo\n\nExample:\n  a   b\n") == "one two\n\nExample:\n  a   b\n");
}

TEST_CASE("every verb describes itself") {
  for (const std::string& verb : verbs()) {
    CAPTURE(verb);
    const std::string json = told({verb, "--describe"});
    const VerbText text = verb_of(json);
    CHECK(text.name == verb);
    CHECK(json_of(text) == json);
    const std::string help = told({verb, "--help"});
    for (const OptionText& option : text.options) CHECK(contains(help, option.names.front()));
  }
}

TEST_CASE("what an option takes") {
  const OptionText format{{"-f", "--format"}, "text|json|FILE.cat|N,...", ""};
  CHECK(format.words() == std::vector<std::string>{"text", "json"});
  CHECK(format.takes_file());
  CHECK_FALSE(OptionText{{"--count"}, "", ""}.takes_file());
  CHECK(OptionText{{"FILE"}, "FILE", ""}.is_positional());
}

TEST_CASE("scripts and pages have every option") {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    CAPTURE(shell);
    const std::string script = told({"completions", shell});
    for (const std::string& verb : verbs()) {
      for (const OptionText& option : verb_of(told({verb, "--describe"})).options) {
        if (option.is_positional()) continue;
        CAPTURE(option.names.back());
        CHECK(
            contains(script, shell == "fish" ? "-l " + option.names.back().substr(2) : option.names.back()));
      }
    }
  }
  CHECK(contains(told({"man"}), "ptxmc\\-verify"));
  CHECK(contains(told({"man", "races"}), "\\fB\\-\\-first\\fR"));
  CHECK(contains(told({"man", "nonesuch"}, Status::input), "there is no verb nonesuch"));
  CHECK(contains(told({"completions", "tcsh"}, Status::input), "bash"));
}
