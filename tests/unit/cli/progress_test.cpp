// SPDX-License-Identifier: Apache-2.0
#include "face/cli/progress.h"

#include <doctest/doctest.h>

#include <sstream>
#include <thread>

using namespace ptxmc;

namespace {

struct Terminal {
  std::istringstream in;
  std::ostringstream out, err;
  cli::Streams streams;
  explicit Terminal(bool terminal) : streams{in, out, err, terminal} {}
};

}  // namespace

TEST_CASE("progress is for terminals, unless the user says otherwise") {
  Terminal terminal(true), file(false);
  CHECK(cli::ProgressLine(terminal.streams, cli::Progress::auto_, false).enabled());
  CHECK_FALSE(cli::ProgressLine(terminal.streams, cli::Progress::auto_, true).enabled());
  CHECK_FALSE(cli::ProgressLine(terminal.streams, cli::Progress::off, false).enabled());
  CHECK_FALSE(cli::ProgressLine(file.streams, cli::Progress::auto_, false).enabled());
  CHECK(cli::ProgressLine(file.streams, cli::Progress::on, true).enabled());
}

TEST_CASE("the line appears after a second, on one line, and goes away") {
  Terminal terminal(true);
  {
    cli::ProgressLine line(terminal.streams, cli::Progress::auto_, false);
    line.show(0, 3, "a.litmus");
    CHECK(terminal.err.str() == "");
    std::this_thread::sleep_for(std::chrono::milliseconds(1050));
    line.show(1, 3, std::string(100, 'x') + "/b.litmus");
    CHECK(terminal.err.str().starts_with("\r\x1b[K[1/3] 1 s, ...x"));
    CHECK(terminal.err.str().ends_with("/b.litmus"));
    CHECK(terminal.err.str().size() < 80);
  }
  CHECK(terminal.err.str().ends_with("\r\x1b[K"));
}
