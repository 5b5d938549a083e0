// SPDX-License-Identifier: Apache-2.0
// What is in memory that the launch leaves open.
#include <algorithm>
#include <set>
#include <vector>

#include "ran.h"

namespace ptxmc::exec {
namespace {

using Values = std::vector<std::uint64_t>;
using ContentWords = Contents::Words;

/// The first words of a buffer that begins as is said, of which a kernel writes none.
Values words_of(const std::string& begins, const Contents& contents) {
  const program::Program program = launch::make_program(
      launch::module_of(".visible .entry k(.param .u64 p) {\nret;\n}\n"),
      launch::plan_of(R"({"module": "m.ptx", "entry": "k", "arguments": [{"buffer": "b"}],
                          "memory": {"b": {"bytes": 32, "type": "u32", )" +
                      begins + "}}}"),
      {});
  Run run(program, nullptr);
  Options options;
  options.contents = contents;
  run.run(options);
  Values out;
  for (std::uint32_t i = 0; i < 4; ++i) out.push_back(run.memory("b", i).bits);
  return out;
}

TEST_CASE("open words are what they are to be, all or each second one, or numbers") {
  CHECK(words_of(R"("data": "opaque")", {7, ContentWords::alike, {}}) == Values{7, 7, 7, 7});
  CHECK(words_of(R"("data": "opaque")", {7, ContentWords::second, {}}) == Values{0, 7, 0, 7});
  CHECK(words_of(R"("data": "opaque")", {7, ContentWords::numbered, {}}) == Values{7, 8, 9, 10});
  CHECK(words_of(R"("data": "opaque")", {7, ContentWords::falling, {}}) == Values{7, 6, 5, 4});
}

TEST_CASE("open words by chance are below the number, and not all alike") {
  const Values some = words_of(R"("data": "opaque")", {2, ContentWords::mixed, {}});
  CHECK(std::all_of(some.begin(), some.end(), [](std::uint64_t word) { return word <= 2; }));
  CHECK(std::set(some.begin(), some.end()).size() > 1);
  const Values any = words_of(R"("data": "opaque")", {~std::uint32_t{0}, ContentWords::mixed, {}});
  CHECK(std::set(any.begin(), any.end()).size() == any.size());
  CHECK(words_of(R"("data": "zero")", {2, ContentWords::mixed, {}}) == Values{0, 0, 0, 0});
}

TEST_CASE("a register that nothing has written is 0, or anything") {
  const std::string code = "setp.eq.u32 %p1, %r9, 5; @%p1 st.global.u32 [%rd1], %r1;";
  Options open;
  open.open_registers = true;
  CHECK(Ran(code, "32").outcome.decisions.empty());
  const Outcome outcome = Ran(code, "32", "", "1", open).outcome;
  REQUIRE(outcome.decisions.size() == 1);
  CHECK(outcome.decisions.front().sources == bit(Source::data));
  CHECK(Ran("mov.u32 %r9, 5; " + code, "32", "", "1", open).outcome.decisions.empty());
}

TEST_CASE("words that the launch says stay") {
  CHECK(words_of(R"("data": "zero")", {7, ContentWords::alike, {}}) == Values{0, 0, 0, 0});
  CHECK(words_of(R"("data": [1, 2, 3, 4, 5, 6, 7, 8])", {7, ContentWords::alike, {}}) == Values{1, 2, 3, 4});
  CHECK(words_of(R"("data": "opaque", "ranges": {"4": {"bytes": 8, "data": "zero"}})",
                 {7, ContentWords::alike, {}}) == Values{7, 0, 0, 7});
  CHECK(words_of(R"("data": "zero", "ranges": {"4": {"bytes": 8, "data": "opaque"}})",
                 {7, ContentWords::alike, {}}) == Values{0, 7, 7, 0});
}

TEST_CASE("a variable that is to be 0 is 0") {
  constexpr trace::Address kFirst = trace::Address{1} << 30U;  // in global memory
  CHECK(words_of(R"("data": "opaque")", {7, ContentWords::alike, {kFirst + 12}}) == Values{0, 0, 0, 0});
  CHECK(words_of(R"("data": "opaque")", {7, ContentWords::alike, {kFirst + 32}}) == Values{7, 7, 7, 7});
}

/// A thread whose code has the address of a buffer with these contents in %rd1.
Outcome walked(const std::string& contents, const std::string& code) {
  const program::Program program = launch::make_program(
      launch::module_of(".visible .entry k(.param .u64 p) {\n"
                        ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>; ld.param.u64 %rd1, [p];\n" +
                        code + "\nret;\n}\n"),
      launch::plan_of(R"({"module": "m.ptx", "entry": "k", "arguments": [{"buffer": "b"}],
                          "memory": {"b": {"bytes": 32, "type": "u32", "data": )" +
                      contents + "}}}"),
      {});
  Run run(program, nullptr);
  return run.run({});
}

/// Whether a hang at one place is one of contents that nobody knows.
bool is_guessed(const Outcome& outcome) {
  REQUIRE(outcome.end == End::deadlock);
  REQUIRE(outcome.waiting.size() == 1);
  return outcome.waiting.front().guessed;
}

TEST_CASE("a list that open contents make a circle is a hang of theirs") {
  const std::string walk =
      "mov.u32 %r1, 0; NEXT: mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
      "ld.global.u32 %r1, [%rd3]; setp.lt.u32 %p1, %r1, 8; @%p1 bra NEXT;";
  CHECK(walked("[1, 2, 3, 9, 0, 0, 0, 0]", walk).end == End::finished);
  CHECK(is_guessed(walked("\"opaque\"", walk)));
  CHECK_FALSE(is_guessed(walked("[1, 2, 3, 0, 0, 0, 0, 0]", walk)));
  CHECK_FALSE(is_guessed(walked("\"opaque\"", "st.global.u32 [%rd1], 0;\n" + walk)));
}

TEST_CASE("so is a poll of a flag which the launch leaves open, and nobody sets") {
  const std::string poll =
      "AGAIN: ld.acquire.gpu.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;";
  CHECK(is_guessed(walked("\"opaque\"", poll)));
  CHECK_FALSE(is_guessed(walked("\"zero\"", poll)));
  CHECK_FALSE(is_guessed(walked("\"opaque\"", "st.relaxed.gpu.global.u32 [%rd1], 0;\n" + poll)));
}

}  // namespace
}  // namespace ptxmc::exec
