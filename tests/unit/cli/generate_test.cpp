// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "workplace.h"

using namespace ptxmc;
using testing::run_line;

TEST_CASE("tests are written as they are made: those of a run that is stopped are there") {
  const testing::Ran ran =
      run_line({"generate", "--all", "--events", "3", "--scopes", "cta,gpu", "--timeout", "3"});
  CHECK(ran.status == 3);
  CHECK(ran.out.starts_with("PTX "));
  CHECK(ran.err.find("unknown: timeout") != std::string::npos);
  const testing::Ran whole = run_line({"generate", "--all", "--events", "1", "--scopes", "cta,gpu"});
  CHECK(ran.out.starts_with(whole.out));
}

TEST_CASE("an output file has all of a run, or is as it was") {
  const testing::Workplace place;
  const std::string path = place.at("tests.litmus");
  const testing::Ran stopped =
      run_line({"generate", "--all", "--events", "3", "--scopes", "cta,gpu", "--timeout", "0.3", "-o", path});
  CHECK(stopped.status == 3);
  CHECK(!std::filesystem::exists(path));
  const std::vector<std::string> few{"generate", "--all", "--events", "1", "--scopes", "gpu"};
  std::vector<std::string> to_file = few;
  to_file.insert(to_file.end(), {"-o", path});
  CHECK(run_line(to_file).status == 0);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CHECK(text == run_line(few).out);
}

TEST_CASE("a cycle that makes no test is refused, and one of too many events is open") {
  const auto made = [](const std::string& edges, int times, const std::string& rest) {
    std::string cycle;
    for (int i = 0; i < times; ++i) cycle += edges;
    return run_line({"generate", "--timeout", "20", "--cycle", cycle + rest});
  };
  const testing::Ran threads = made("PodWW Rfe PodRR Fre ", 513, "");
  CHECK(threads.status == 2);
  CHECK(threads.err.find("the cycle has 1026 threads; a test has 1024 at most") != std::string::npos);
  CHECK(made("PodWW ", 4100, "Rfe PodRR Fre").status == 2);
  const testing::Ran events = made("PodWW ", 4000, "Rfe PodRR Fre");
  CHECK(events.status == 3);
  CHECK(events.err.find("too-large") != std::string::npos);
}
