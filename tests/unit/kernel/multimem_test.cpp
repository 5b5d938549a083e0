// SPDX-License-Identifier: Apache-2.0
// multimem.ld_reduce, multimem.st and multimem.red (9.7.8.13), through the multimem address `M` of the buffers A and B.
#include <string>

#include "../contains.h"
#include "ran.h"

namespace ptxmc::exec {
namespace {

using testing::contains;

struct Launched {
  program::Program program;
  std::unique_ptr<Run> run;
  Outcome outcome;

  explicit Launched(const std::string& body, const std::string& block = "1",
                    const std::string& data = "[1, 2]", const std::string& more = "") {
    const std::string memory = R"({"bytes": 64, "type": "u32", "data": )";
    launch::Beside beside;
    program = launch::make_program(
        launch::module_of(".visible .entry k(.param .u64 m, .param .u64 a) {\n"
                          ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .f32 %f<8>;\n"
                          "ld.param.u64 %rd1, [m]; ld.param.u64 %rd2, [a]; mov.u32 %r1, %tid.x;\n" +
                          body + "\nret;\n}\n"),
        launch::plan_of(R"({"module": "m.ptx", "block": )" + block + R"(, "memory": {"A": )" + memory + data +
                        R"(}, "B": )" + memory + R"([10, 20]}, "M": {"multicast": ["A", "B"]})" + more +
                        R"(}, "arguments": [{"buffer": "M"}, {"buffer": "A"}]})"),
        {}, &beside);
    run = std::make_unique<Run>(program, nullptr);
    outcome = run->run({});
  }
  std::uint64_t at(const std::string& buffer, std::uint32_t element) const {
    return run->memory(buffer, element).bits;
  }
  std::string fault() const {
    return outcome.faults.size() != 1
               ? std::to_string(outcome.faults.size()) + " faults"
               : std::string(name_of(outcome.faults.front().rule)) + ": " + outcome.faults.front().what;
  }
};

}  // namespace

TEST_CASE("multimem.st stores to each location, and multimem.red adds there") {
  const Launched stored(
      "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd1, %rd3; add.u32 %r2, %r1, 7;\n"
      "multimem.st.global.u32 [%rd3], %r2;",
      "2");
  CHECK(stored.outcome.faults.empty());
  for (const char* buffer : {"A", "B"}) {
    CHECK(stored.at(buffer, 0) == 7);
    CHECK(stored.at(buffer, 1) == 8);
  }
  const Launched added("multimem.red.relaxed.gpu.global.add.u32 [%rd1+4], 5;", "3");
  CHECK(added.at("A", 1) == 2 + 15);
  CHECK(added.at("B", 1) == 20 + 15);
  const Launched least("multimem.red.global.min.s32 [%rd1], 4;");
  CHECK(least.at("A", 0) == 1);
  CHECK(least.at("B", 0) == 4);
}

TEST_CASE("multimem.ld_reduce combines what the locations hold") {
  const Launched sum(
      "multimem.ld_reduce.global.add.u32 %r2, [%rd1]; multimem.ld_reduce.global.max.u32 %r3, [%rd1+4];\n"
      "multimem.ld_reduce.global.or.b32 %r4, [%rd1]; st.global.u32 [%rd2+8], %r2; st.global.u32 [%rd2+12], "
      "%r3;\n"
      "st.global.u32 [%rd2+16], %r4;");
  CHECK(sum.outcome.faults.empty());
  CHECK(sum.at("A", 2) == 11);
  CHECK(sum.at("A", 3) == 20);
  CHECK(sum.at("A", 4) == (1 | 10));
}

TEST_CASE("vectors of floating numbers are moved element by element; halves are not evaluated") {
  const Launched vector(
      "mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f40000000;\n"
      "multimem.st.global.v2.f32 [%rd1+8], {%f0, %f1};\n"
      "multimem.ld_reduce.global.add.v2.f32 {%f2, %f3}, [%rd1+8]; st.global.v2.f32 [%rd2+16], {%f2, %f3};");
  CHECK(vector.outcome.faults.empty());
  CHECK(vector.at("B", 2) == 0x3F800000);
  CHECK(vector.at("B", 3) == 0x40000000);
  CHECK(vector.at("A", 4) == 0x40000000);
  CHECK(vector.at("A", 5) == 0x40800000);
  const Launched halves("multimem.red.global.add.f16x2 [%rd1], 0x3c003c00;");
  CHECK(halves.outcome.faults.empty());
  CHECK(halves.run->memory("A", 0).sources != 0);
}

TEST_CASE("numbers of 8 bits are stored one by one, and their sum is not evaluated (8.2.5)") {
  const Launched stored("multimem.st.global.v2.e4m3x4 [%rd1+8], {1, 0x02000000};");
  CHECK(stored.outcome.faults.empty());
  CHECK(stored.at("A", 2) == 1);
  CHECK(stored.at("B", 3) == 0x02000000);
  const Launched reduced(
      "multimem.ld_reduce.global.add.acc::f16.v2.e5m2x4 {%r1, %r2}, [%rd1+8]; st.global.v2.b32 [%rd2+16], {%r1, %r2};");
  CHECK(reduced.outcome.faults.empty());
  CHECK(reduced.run->memory("A", 4).sources != 0);
}

TEST_CASE("only multimem instructions access a multimem address, and no other address (8.2.3, R9)") {
  CHECK(Launched("st.global.u32 [%rd1+4], 1;").fault() ==
        "wrong-space: 4 bytes at multimem address M+4, which only multimem instructions access (8.2.3)");
  CHECK(Launched("atom.global.add.u32 %r2, [%rd1], 1;").fault().starts_with("wrong-space"));
  CHECK(Launched("multimem.st.global.u32 [%rd2], 1;").fault() ==
        "wrong-space: 4 bytes at A+0, which is no multimem address (8.2.3)");
  CHECK(Launched("multimem.st.global.u32 [%rd1+64], 1;").fault() ==
        "out-of-bounds: 4 bytes at multimem address M+64, of 64 bytes");
  CHECK(Launched("multimem.st.global.u32 [%rd1+2], 1;").fault() ==
        "misaligned: 4 bytes at multimem address M+2");
}

TEST_CASE("a location of two multimem addresses") {
  CHECK(contains(launch::error_of([] { Launched("", "1", "[1]", R"(, "N": {"multicast": ["B", "A"]})"); }),
                 "`B` is a location of two multimem addresses, `M` and `N`"));
}

}  // namespace ptxmc::exec
