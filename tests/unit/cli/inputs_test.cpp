// SPDX-License-Identifier: Apache-2.0
#include "face/cli/inputs.h"

#include <doctest/doctest.h>

#include <sstream>

#include "support/diagnostic.h"
#include "workplace.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

/// Names relative to the workplace; "NAME!" for an error.
std::string names(const Workplace& place, const std::vector<std::string>& arguments) {
  std::string out;
  for (const cli::Input& input : cli::expand_inputs(arguments)) {
    std::string name = input.name;
    if (name.starts_with(place.at(""))) name.erase(0, place.at("").size());
    out += (out.empty() ? "" : " ") + name + (input.error.empty() ? "" : "!");
  }
  return out;
}

}  // namespace

TEST_CASE("folders are searched and sorted") {
  const Workplace place;
  for (const char* name : {"t/b.litmus", "t/a.litmus", "t/n.test", "t/sub/c.litmus", "t/notes.txt"})
    place.file(name, "");
  CHECK(names(place, {place.at("t")}) == "t/a.litmus t/b.litmus t/n.test t/sub/c.litmus");
  CHECK(names(place, {place.at("t/notes.txt"), place.at("t/b.litmus")}) == "t/notes.txt t/b.litmus");
  std::filesystem::create_directories(place.at("empty"));
  CHECK(names(place, {place.at("empty")}) == "empty!");
}

TEST_CASE("lists name files, folders and lists, relative to themselves") {
  const Workplace place;
  place.file("t/a.litmus", "");
  place.file("t/sub/c.litmus", "");
  const std::string list = place.file("t/names", "# comment\n\n  a.litmus \nsub\n@more\n");
  place.file("t/more", "sub/c.litmus\r\nmissing.litmus\n");
  CHECK(names(place, {"@" + list}) == "t/a.litmus t/sub/c.litmus t/sub/c.litmus t/missing.litmus!");
  place.file("t/@all", "a.litmus\n");
  CHECK(names(place, {place.at("t/@all")}) == "t/a.litmus");
  place.file("t/loop", "@loop\na.litmus\n");
  CHECK(names(place, {"@" + place.at("t/loop")}) == "t/loop! t/a.litmus");
  CHECK(cli::expand_inputs({"@" + place.at("nonesuch")}).front().error.find("cannot read this list") !=
        std::string::npos);
}

TEST_CASE("a list that names no test, or cannot be read, is an error") {
  const Workplace place;
  CHECK(names(place, {"@" + place.file("none", "# nothing\n\n")}) == "none!");
  CHECK(names(place, {"@" + place.file("nested", "@none\n")}) == "none!");
  CHECK(names(place, {"@" + place.file("empty", "")}) == "empty!");
  std::filesystem::create_directories(place.at("folder"));
  CHECK(names(place, {"@" + place.at("folder")}) == "folder!");
  CHECK(cli::expand_inputs({"@/dev/zero"}).front().error.find("cannot read this list") != std::string::npos);
  CHECK(run_line({"@" + place.at("empty")}).status == 2);
}

TEST_CASE("an input is bounded") {
  std::istringstream none;
  CHECK_THROWS_WITH_AS(cli::read_input({"/dev/zero", ""}, none), doctest::Contains("more than 4194304 bytes"),
                       InputError);
  std::istringstream endless(std::string(100, 'x'));
  CHECK_THROWS_AS(cli::read_input({"-", ""}, endless, 99), InputError);
  std::istringstream enough(std::string(100, 'x'));
  CHECK(cli::read_input({"-", ""}, enough, 100)->text.size() == 100);
}

TEST_CASE("standard input once, missing files with their name") {
  const Workplace place;
  CHECK(names(place, {"-", "-"}) == "- -!");
  std::istringstream in("text");
  const SourcePtr source = cli::read_input({"-", ""}, in);
  CHECK(source->name == "<stdin>");
  CHECK(source->text == "text");
  const auto missing = cli::expand_inputs({place.at("x.litmus")});
  REQUIRE(missing.size() == 1);
  CHECK_THROWS_AS(cli::read_input(missing[0], in), InputError);
}
