// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "../contains.h"
#include "finding/rules.h"
#include "report/text/finding.h"

namespace ptxmc::report {

namespace {

using ptxmc::testing::contains;

/// A module of two lines that a kernel of two lines was compiled to. The kernel's file goes with the test.
struct Compiled {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ptxmc-finding-text-" + std::to_string(getpid()));
  SourcePtr module;

  Compiled() {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "k.cu") << "  s[i] = 1;\n  out[i] = s[i + 1];\n";
    module = std::make_shared<const Source>(
        Source{(folder / "k.ptx").string(), "st.shared.u32 [%r1], 1;\nld.shared.u32 %r2, [%r3];\n"});
  }
  ~Compiled() { std::filesystem::remove_all(folder); }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  std::string text(const explain::Finding& finding) const {
    SourceFiles compiled({}, module->name);
    return finding_text(finding, {module, compiled});
  }
};

explain::Place place(std::uint32_t line, const std::string& access, const std::string& who,
                     const std::string& file = "") {
  explain::Place out;
  out.position = {line, 1};
  out.text = line == 1 ? "st.shared.u32 [%r1], 1" : "ld.shared.u32 %r2, [%r3]";
  out.access = access;
  out.who = who;
  if (!file.empty()) out.origin.frames = {{file, line, 3}};
  return out;
}

explain::Finding race(const std::string& file = "") {
  explain::Finding out = explain::finding_by(finding::rule(finding::RuleId::race));
  out.places = {place(1, "write", "block 0, thread 1", file), place(2, "read", "block 0, thread 0", file)};
  out.pairs = {{0, 1, "4 bytes at s+4"}};
  out.cause = {"nothing orders them"};
  out.advice = {"add a barrier"};
  out.section = "8.9.5";
  out.instances = 63;
  return out;
}

}  // namespace

TEST_CASE("a race is quoted from the source, and its PTX stands below") {
  const Compiled compiled;
  const std::string file = (compiled.folder / "k.cu").string();
  CHECK_EQ(compiled.text(race("/elsewhere/k.cu")),
           file + ":1: error: data race on 4 bytes at s+4, 63 thread pairs  [race]\n" +
               "      1 |   s[i] = 1;\n"
               "        |   ^ write by block 0, thread 1\n"
               "      2 |   out[i] = s[i + 1];\n"
               "        |   ^ read by block 0, thread 0\n"
               "    = why: nothing orders them [PTX ISA 9.4, 8.9.5]\n"
               "    = fix: add a barrier\n"
               "    ptx: " +
               compiled.module->name + ":1: st.shared.u32 [%r1], 1\n" + "    ptx: " + compiled.module->name +
               ":2: ld.shared.u32 %r2, [%r3]\n");
}

TEST_CASE("without the source, PTX is quoted and the source named") {
  const Compiled compiled;
  const std::string text = compiled.text(race("other.cu"));
  CHECK(text.starts_with("other.cu:1: error: data race"));
  CHECK(contains(text, compiled.module->name + ":1 (other.cu:1):\n      1 | st.shared.u32 [%r1], 1;\n"));
  CHECK(!contains(text, "    ptx: "));
  CHECK(contains(compiled.text(race()), compiled.module->name + ":1: error: data race"));
}

TEST_CASE("two places in one line share it, and long lines, tabs and columns beyond the end do no harm") {
  Compiled compiled;
  explain::Finding both = race();
  both.places[1] = place(1, "write", "block 0, thread 32");
  both.places[1].position.column = 100000;
  compiled.module = std::make_shared<const Source>(Source{"k.ptx", "\tst " + std::string(400, 'x') + "\n"});
  const std::string text = compiled.text(both);
  CHECK(contains(text, "      1 |  st xx"));
  CHECK(contains(text, " ...\n"));
  CHECK(contains(text, "        |  ^ write by block 0, thread 32\n"));
  CHECK(text.find("      1 |") == text.rfind("      1 |"));
}

TEST_CASE("what is not a race has its cause as the title") {
  explain::Finding fault = explain::finding_by(finding::rule(finding::RuleId::misaligned));
  fault.cause = {"4 bytes at s+2", "the second reason"};
  fault.places = {place(1, "", "block 0, thread 1")};
  fault.instances = 2;
  fault.certain = false;
  CHECK_EQ(explain::title_of(fault), "perhaps 4 bytes at s+2");
  CHECK(explain::why_of(fault) == std::vector<std::string>{"the second reason"});
  CHECK_EQ(explain::times_of(fault), "2 times");
  CHECK_EQ(explain::title_of(explain::finding_by(finding::rule(finding::RuleId::own_flag), "mine")),
           "flag mine of the model");
}

TEST_CASE("many places and pairs are counted") {
  const Compiled compiled;
  explain::Finding many = race();
  for (std::uint32_t i = 0; i < 8; ++i) {
    many.places.push_back(place(3 + i, "write", "block 1, thread 0"));
    many.pairs.push_back({0, 2 + std::size_t{i}, ""});
  }
  const std::string text = compiled.text(many);
  CHECK(contains(text, "  and 4 more places\n"));
  CHECK(contains(text, "    = also: 4 more pairs\n"));
}

TEST_CASE("copies of one statement, and pairs in the other order, are told once") {
  const Compiled compiled;
  explain::Finding copies = race();
  copies.places.push_back(place(1, "write", "block 0, thread 7"));
  copies.places.push_back(place(2, "read", "block 0, thread 8"));
  copies.pairs.push_back({3, 2, copies.pairs.front().bytes});
  copies.pairs.push_back({2, 2, copies.pairs.front().bytes});  // two writes
  const std::string text = compiled.text(copies);
  CHECK(!contains(text, "thread 7"));
  CHECK(!contains(text, "thread 8"));
  CHECK(!contains(text, "more place"));
  CHECK_EQ(text.find("also: write at "), text.find("also: "));
  CHECK_EQ(text.find("also: "), text.rfind("also: "));
}

TEST_CASE("the exact engine's word") {
  const Compiled compiled;
  explain::Finding asked = race();
  asked.exact = claim::ExactAnswer{true, "", "a.litmus"};
  CHECK(contains(compiled.text(asked),
                 "confirmed by exhaustive check of the extracted litmus test (a.litmus)"));
  asked.exact->races = false;
  CHECK(contains(compiled.text(asked), "refuted by exhaustive check"));
  asked.exact = claim::ExactAnswer{std::nullopt, "too large", ""};
  CHECK(contains(compiled.text(asked), "not cross-checked: too large\n"));
}

TEST_CASE("an access of another iteration says so") {
  const Compiled compiled;
  explain::Finding finding = race();
  finding.places[1].iteration = "in the next iteration";
  CHECK(contains(compiled.text(finding), "^ read by block 0, thread 0, in the next iteration\n"));
}

TEST_CASE("a consequence stands under its cause, and names it") {
  const Compiled compiled;
  explain::Finding finding = race();
  finding.id = 2, finding.consequence_of = 1, finding.depth = 1;
  finding.follows_from = "the wait returns at once [stale-poll]";
  const std::string text = compiled.text(finding);
  CHECK(text.starts_with("    "));
  CHECK(contains(text, "\n        = follows from: the wait returns at once [stale-poll]\n"));
}

TEST_CASE("operations that one thread issues in no order are no pairs of threads") {
  explain::Finding finding = explain::finding_by(finding::rule(finding::RuleId::tcgen05_order));
  finding.pairs = {{0, 1, ""}};
  finding.instances = 4;
  CHECK(explain::times_of(finding) == "4 times");
}

}  // namespace ptxmc::report
