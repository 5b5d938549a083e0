// SPDX-License-Identifier: Apache-2.0
// Tests that do what no test should, in child processes.
#include "face/cli/sandbox.h"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <new>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "face/cli/child.h"
#include "face/cli/reports.h"
#include "support/budget.h"
#include "support/check.h"
#include "workplace.h"

using namespace ptxmc::cli;
using namespace ptxmc;

namespace {

// Sanitizers reserve more than any limit.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMemoryIsLimited = false;
#elif defined(__has_feature)
constexpr bool kMemoryIsLimited = !__has_feature(address_sanitizer);
#else
constexpr bool kMemoryIsLimited = true;
#endif

void sleep_for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// As a container does that grows: in steps, and what it has is touched.
[[noreturn]] void eat_memory() {
  std::vector<std::string> hoard;
  while (true) hoard.emplace_back(std::size_t{1} << 20, 'x');
}

void crash(int signal = SIGSEGV) {
  std::signal(signal, SIG_DFL);  // the test framework handles it
  std::raise(signal);
}

std::string text_of(const std::string& name) {
  return "PTX " + name + "\n{ x=0; }\nP0 ;\nld.relaxed.gpu r0, x ;\nexists (0:r0 == 0)\n";
}

TestReport treat(const session::Session&, const Options&, const litmus::Test& test, const SoFar& so_far) {
  const auto found = [&](const std::string& what) {
    so_far([&](const std::string& reason) {
      return TestReport{what + " " + reason + "\n", "", Status::unmet, Tally::no_verdict};
    });
  };
  if (test.name.starts_with("finds")) found("one"), found("two");
  if (test.name == "finds-late") sleep_for_ever();
  if (test.name == "finds-large") eat_memory();
  if (test.name == "finds-refused") throw std::bad_alloc();
  if (test.name == "finds-in-time") throw OutOfTime();
  if (test.name == "sleeps") sleep_for_ever();
  if (test.name == "eats") eat_memory();
  if (test.name == "dies") crash();
  if (test.name == "divides-by-zero") crash(SIGFPE);
  if (test.name == "is-killed" || test.name == "finds-killed") crash(SIGKILL);
  if (test.name == "refuses") throw std::bad_alloc();
  return {test.name + "\n", "", Status::ok, Tally::no_verdict};
}

std::vector<TestReport> run(const std::vector<std::string>& names, const Confines& confines,
                            std::size_t workers) {
  const testing::Workplace place;
  std::vector<Input> inputs;
  for (const std::string& name : names)
    inputs.push_back({place.file(std::to_string(inputs.size()) + ".litmus", text_of(name)), ""});
  const session::Session session{session::Settings{}};
  const Options options;
  std::istringstream in;
  const Work work{session, options, treat, inputs, in};
  SandboxedRun confined(work, confines, workers);
  std::vector<TestReport> out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<TestReport> reports = confined.take(i, [](std::size_t) {});
    REQUIRE(reports.size() == 1);
    out.push_back(std::move(reports.front()));
  }
  return out;
}

bool is_unknown(const TestReport& report, const std::string& reason) {
  return report.status == Status::unknown && report.output.find("unknown-" + reason) != std::string::npos &&
         report.messages.find("unknown: " + reason) != std::string::npos;
}

}  // namespace

TEST_CASE("a test that does not end costs itself alone") {
  for (const std::size_t workers : {1U, 2U}) {
    const auto reports = run({"a", "sleeps", "b", "sleeps", "c"}, {0.05, {}, false}, workers);
    CHECK(reports[0].output == "a\n");
    CHECK(is_unknown(reports[1], "timeout"));
    CHECK(reports[2].output == "b\n");
    CHECK(is_unknown(reports[3], "timeout"));
    CHECK(reports[4].output == "c\n");
  }
}

TEST_CASE("a test that takes all memory is unknown") {
  if (!kMemoryIsLimited) return;
  const auto reports = run({"a", "eats", "b", "refuses", "c"}, {{}, std::size_t{64} << 20, false}, 1);
  CHECK(reports[0].output == "a\n");
  CHECK(is_unknown(reports[1], "memory"));
  CHECK(reports[2].output == "b\n");
  CHECK(is_unknown(reports[3], "memory"));
  CHECK(reports[4].output == "c\n");
}

TEST_CASE("what was found before a test is stopped is reported") {
  const auto late = run({"finds-late", "sleeps", "finds-in-time"}, {0.05, {}, false}, 1);
  CHECK(late[0].output == "two timeout\n");
  CHECK(late[0].status == Status::unmet);
  CHECK(is_unknown(late[1], "timeout"));  // nothing of the test before it
  CHECK(late[2].output == "two timeout\n");
  if (!kMemoryIsLimited) return;
  const auto large = run({"finds-large", "finds-refused", "eats"}, {{}, std::size_t{64} << 20, false}, 1);
  CHECK(large[0].output == "two memory\n");
  CHECK(large[1].output == "two memory\n");
  CHECK(is_unknown(large[2], "memory"));
}

TEST_CASE("a crash is a bug of ptxmc, unless memory is short") {
  const auto bug = run({"dies", "a"}, {100.0, {}, false}, 1);
  CHECK(bug[0].status == Status::failure);
  CHECK(bug[1].output == "a\n");
  const auto short_of = run({"dies", "a"}, {{}, {}, true}, 1);  // the stack may have met the shell's limit
  CHECK(is_unknown(short_of[0], "memory"));
  CHECK(short_of[1].output == "a\n");
  const auto no_matter = run({"divides-by-zero"}, {{}, {}, true}, 1);
  CHECK(no_matter[0].status == Status::failure);
}

TEST_CASE("a process that is killed from outside is not short of memory") {
  for (const Confines& confines : {Confines{100.0, {}, false}, Confines{{}, std::size_t{1} << 30, false}}) {
    const auto reports = run({"is-killed", "finds-killed", "a"}, confines, 1);
    CHECK(is_unknown(reports[0], "killed"));
    CHECK(reports[1].output == "two killed\n");
    CHECK(reports[2].output == "a\n");
  }
  CHECK(run_confined(Confines{100.0, {}, false}, []() -> std::string {
          crash(SIGKILL);
          return "";
        }).unknown == "killed");
}

TEST_CASE("a share of the machine's memory") {
  CHECK(machine_memory() > 0);
  const Confines named = confines_or_share({}, std::size_t{1} << 30, 2);
  CHECK(named.bytes == std::size_t{1} << 30);
  CHECK(memory_note(named) == "");
  const Confines share = confines_or_share({}, {}, 2);
  CHECK(share.bytes == machine_memory() / 4);
  CHECK(memory_note(share).find("--memory MB") != std::string::npos);
}

TEST_CASE("what a piece of work sends is there before it ends") {
  for (const Confines& confines : {Confines{1.0, {}, false}, Confines{}}) {
    std::string taken;
    const auto take = [&](std::string_view text) { taken += text; };
    const bool ends = !confines.any();
    const auto work = [&](const Child::Send& send) {
      send("one ");
      send("two");
      if (!ends) sleep_for_ever();
    };
    CHECK(run_confined(confines, work, take) == (ends ? "" : "timeout"));
    CHECK(taken == "one two");
  }
}

TEST_CASE("one piece of work") {
  CHECK(run_confined({}, [] { return std::string("here"); }).text == "here");
  const Confines confines{0.05, std::size_t{64} << 20, false};
  const std::string large(1 << 20, 'x');
  CHECK(run_confined(confines, [&] { return large; }).text == large);
  CHECK(run_confined(confines, []() -> std::string { throw std::bad_alloc(); }).unknown == "memory");
  CHECK(run_confined(confines, []() -> std::string { throw OutOfTime(); }).unknown == "timeout");
  CHECK(run_confined(confines, []() -> std::string {
          sleep_for_ever();
          return "";
        }).unknown == "timeout");
  const Confines patient{100.0, {}, false};  // a process that dies may take its time
  CHECK_THROWS_AS(run_confined(patient,
                               []() -> std::string {
                                 crash();
                                 return "";
                               }),
                  InternalError);
}

TEST_CASE("reports as text") {
  const TestReport report{"out\n", "err\n", Status::unmet, Tally::not_as_stated};
  const TestReport back = unpack_report(pack(report));
  CHECK(back.output == report.output);
  CHECK(back.messages == report.messages);
  CHECK(back.status == report.status);
  CHECK(back.tally == report.tally);
}
