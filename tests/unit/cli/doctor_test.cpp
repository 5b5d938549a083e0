// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "face/cli/run_program.h"
#include "support/diagnostic.h"
#include "workplace.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

/// PATH while it lives.
class Path {
 public:
  explicit Path(const std::string& folders) : before_(std::getenv("PATH")) {
    ::setenv("PATH", folders.c_str(), 1);
  }
  ~Path() { ::setenv("PATH", before_.c_str(), 1); }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

 private:
  std::string before_;
};

std::string tool(const Workplace& place, const std::string& name, const std::string& script) {
  std::string out = place.file(name, "#!/bin/sh\n" + script);
  std::filesystem::permissions(out, std::filesystem::perms::owner_all);
  return out;
}

/// The part of that name, as --format json has it.
nlohmann::json part(const std::string& name) {
  const Ran ran = run_line({"doctor", "--format", "json"});
  const nlohmann::json report = nlohmann::json::parse(ran.out);
  for (const nlohmann::json& one : report["parts"])
    if (one["name"] == name) return one;
  FAIL("no part of that name");
  return {};
}

}  // namespace

TEST_CASE("doctor says what is there, with the version, and what is not, with how to install it") {
  const Workplace place;
  tool(place, "bin/dot", "echo 'dot - graphviz version 2.43.0' >&2\n");
  const Path path(place.at("bin"));
  const Ran ran = run_line({"doctor"});
  CHECK(ran.status == 0);  // Z3 is there, as the tests need it
  CHECK(ran.out.find("ok       Graphviz: dot - graphviz version 2.43.0 (" + place.at("bin/dot") +
                     ")\n         for drawing") != std::string::npos);
  CHECK(ran.out.find("without  Python module: not found\n") != std::string::npos);
  CHECK(ran.out.find("to install: `pip install") != std::string::npos);
  CHECK(part("Z3")["there"] == true);
  CHECK(part("Z3")["needed"] == true);
  CHECK(part("Graphviz")["version"] == "dot - graphviz version 2.43.0");
}

TEST_CASE("what does not run is not there") {
  const Workplace place;
  tool(place, "bin/dot", "exit 1\n");
  const Path path(place.at("bin"));
  CHECK(part("Graphviz")["there"] == false);
  CHECK(part("Graphviz")["version"] == "it does not run");
}

TEST_CASE("a program is run with its words, and all that it prints is taken") {
  const Workplace place;
  const std::string file = tool(place, "tool", "cat; echo \"$1\"; echo error >&2; exit 3\n");
  const cli::ProgramRun ran = cli::run_program({file, "a b"});
  CHECK(ran.output == "a b\nerror\n");
  CHECK(ran.status != 0);
  CHECK_THROWS_AS(cli::run_program({place.at("none")}), InputError);
  CHECK(cli::find_program("tool").empty());
}
