// SPDX-License-Identifier: Apache-2.0
#include "input/launch/program.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "../contains.h"
#include "input/litmus/print.h"
#include "launched.h"

namespace ptxmc::launch {
namespace {

using program::Program;
using ptxmc::testing::contains;

/// The code of the program's first thread, an instruction a line.
std::string code_of(const Program& program) {
  litmus::Test test;
  static_cast<Program&>(test) = program;
  test.threads.resize(1);
  test.register_inits.clear();
  const std::string text = litmus::print(test);
  const std::size_t begin = text.find("{\n", text.find("P0 @")) + 2;
  return text.substr(begin, text.rfind('}') - begin);
}

TEST_CASE("threads of a launch: places, shared bodies, their own numbers") {
  const Program p = launched("", ".reg .u32 %r<2>; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.y;",
                             {.grid = "2,2", .block = "33", .cluster = "2"});
  REQUIRE(p.threads.size() == 132);
  CHECK(p.threads[0].body == p.threads[131].body);
  const program::Placement last = p.threads[131].placement;
  CHECK(last.cta == 3);
  CHECK(last.cluster == 1);
  CHECK(last.warp == 1);
  CHECK(last.lane == 0);
  CHECK(contains(code_of(p), "mov.u32 %r0, %tid_x;\n  mov.u32 %r1, %ctaid_y;\n"));
  std::int64_t tid = -1;
  for (const program::RegisterInit& init : p.register_inits) {
    if (init.thread == 131 && init.name == "tid_x") tid = init.value.integer;
  }
  CHECK(tid == 32);
  CHECK_FALSE(p.kernels.stated);
}

TEST_CASE("%warpid is what it is at first, and may change (R295)") {
  const Program p = launched("", ".reg .u32 %r<1>; mov.u32 %r0, %warpid;", {.block = "33"});
  REQUIRE(p.register_inits.size() == 33);
  CHECK(p.register_inits.back().value.integer == 1);
  for (const program::RegisterInit& init : p.register_inits) CHECK(init.may_change);
}

TEST_CASE("a lone shared byte names dynamic shared memory that nothing else does") {
  const auto bytes = [](const std::string& body, const std::string& shared, const std::string& before = "") {
    const Program p = launched("", body, {.shared = shared}, before);
    const auto found = std::find_if(p.variables.begin(), p.variables.end(),
                                    [](const program::Variable& variable) { return variable.name == "s"; });
    REQUIRE(found != p.variables.end());
    return found->elements * (found->type ? found->type->bits / 8 : 0);
  };
  const std::string byte = ".shared .align 16 .b8 s; st.shared.u8 [s], 1;";
  CHECK(bytes(byte, "64") == 64);
  CHECK(bytes("st.shared.u8 [s], 1;", "64", ".shared .align 16 .b8 s;\n") == 64);
  CHECK(bytes(byte, "0") == 1);
  CHECK(bytes(".shared .u32 s; st.shared.u32 [s], 1;", "64") == 4);
  CHECK(bytes(byte + " .shared .u32 t; st.shared.u32 [t], 1;", "64") == 1);
  CHECK(bytes(byte + " st.shared.u8 [dyn], 1;", "64", ".extern .shared .b8 dyn[];\n") == 1);
}

TEST_CASE("the reserved part of shared memory is no variable's (10.29)") {
  const Program p =
      launched("",
               ".reg .u32 %r<3>; .shared .u32 s; mov.u32 %r0, %reserved_smem_offset_1; mov.u32 %r1, s; "
               "mov.u32 %r2, %reserved_smem_offset_cap;",
               {});
  REQUIRE(p.register_inits.size() == 1);
  CHECK(p.register_inits[0].value.address_of == "reserved_shared_1");
  CHECK(std::any_of(p.variables.begin(), p.variables.end(), [](const program::Variable& variable) {
    return variable.name == "reserved_shared_1" && variable.space == isa::Space::shared;
  }));
  CHECK(contains(code_of(p), "mov.u32 %r2, 1024;"));
}

TEST_CASE("constants of a launch are folded") {
  const Program p = launched(".param .u64 k0, .param .u32 k1, .param .s8 k2, .param .f32 k3",
                             ".reg .b64 %rd<2>; .reg .b32 %r<4>; .reg .b16 %rs;\n"
                             "ld.param.u64 %rd0, [k0]; ld.param.u32 %r0, [k1]; ld.param.s8 %rs, [k2];\n"
                             "ld.param.b32 %r1, [k3]; mov.u32 %r2, %ntid.x; mov.u32 %r3, %nctaid.x;",
                             {.grid = "3", .block = "2", .arguments = {"out=buffer:64", "7", "-2", "1.5"}});
  CHECK(contains(code_of(p),
                 "mov.b64 %rd0, out;\n  mov.b32 %r0, 7;\n  mov.b16 %rs, -2;\n  mov.b32 %r1, 1069547520;\n"
                 "  mov.u32 %r2, 2;\n  mov.u32 %r3, 3;\n"));
  REQUIRE(p.variables.size() == 1);
  CHECK(p.variables[0].name == "out");
  CHECK(p.variables[0].opaque);
  CHECK(p.variables[0].align == 256);
  CHECK(p.variables[0].elements == 16);
}

TEST_CASE("an argument inside of a buffer, and fields of a blob") {
  const ptx::Module module = module_of(
      ".entry k(.param .align 8 .b8 p[24]) { .reg .b64 %rd<2>; .reg .b32 %r;\n"
      "ld.param.u64 %rd0, [p+8]; ld.param.v2.u32 {%r, _}, [p]; ld.param.u64 %rd1, [p+16]; }");
  const Program p =
      make_program(module, plan_of(R"({"module": "m", "memory": {"A": {"bytes": 64, "data": "zero"}},
      "arguments": [{"blob": 24, "fields": {"0": {"u32": 3}, "8": {"buffer": "A", "offset": 16}}}]})"));
  CHECK(contains(code_of(p),
                 "mov.b64 %rd0, A;\n  add.s64 %rd0, %rd0, 16;\n  mov.b32 %r, 3;\n  mov.b64 %rd1, 0;\n"));
}

TEST_CASE("a parameter is read where it lies, by accesses that are aligned (6.4.1)") {
  const auto read = [](const std::string& align, const std::string& load) {
    Words words;
    words.grid = words.block = "1";
    words.arguments = {"7", "blob:64"};
    return error_of([&] {
      launched(".param .u32 n, .param " + align + " .b8 q[64]",
               ".reg .b32 %r<5>; .reg .b64 %rd<3>;\n" + load + "\nret;", words);
    });
  };
  const std::string vector = "ld.param.v4.u32 {%r1, %r2, %r3, %r4}, [q];";
  CHECK(read(".align 4", vector).find("16 bytes of parameter `q` at byte 4") != std::string::npos);
  CHECK(read(".align 4", "ld.param.u64 %rd1, [q+4];").empty());
  CHECK(read(".align 1", "ld.param.u64 %rd1, [q];").find("at byte 4") != std::string::npos);
  CHECK(read(".align 16", vector).empty());
}

TEST_CASE("what a call passes lies as its variable is declared (5.4.5)") {
  const auto pass = [](const std::string& align, const std::string& formal, const std::string& store,
                       const std::string& load) {
    return error_of([&] {
      launched("",
               ".reg .b32 %r<5>;\n{ .param " + align + " .b8 a[16]; " + store + " call.uni f, (a); } ret;",
               {}, ".func f(.param " + formal + " .b8 x[16]) { .reg .b32 %r<5>; " + load + " ret; }\n");
    });
  };
  const std::string store = "st.param.v4.b32 [a], {%r1, %r2, %r3, %r4};",
                    load = "ld.param.v4.b32 {%r1, %r2, %r3, %r4}, [x];";
  CHECK(pass(".align 16", ".align 16", store, load).empty());
  CHECK(pass(".align 4", ".align 16", store, load).find("of `a`, which is aligned to 4") !=
        std::string::npos);
  CHECK(pass(".align 16", ".align 8", store, load).find("of `x`, which is aligned to 8") !=
        std::string::npos);
  CHECK(pass(".align 16", ".align 16", "st.param.v2.b32 [a+4], {%r1, %r2};", "").find("8 bytes at byte 4") !=
        std::string::npos);
}

TEST_CASE("a call is its body") {
  const Program p =
      launched("",
               ".reg .b32 %r<2>; .reg .pred %p;\n"
               "{ .param .b32 a; st.param.b32 [a], %r0; .param .b32 r; call.uni (r), twice, (a);\n"
               "ld.param.b32 %r1, [r]; }\n"
               "{ .param .b32 a; st.param.b32 [a], 4; .param .b32 r; @%p call.uni (r), twice, (a);\n"
               "ld.param.b32 %r1, [r]; } ret;",
               {.grid = "1"},
               ".func (.param .b32 v) twice(.param .b32 x) { .reg .b32 %r<2>; .reg .pred %p;\n"
               "ld.param.b32 %r0, [x]; setp.eq.s32 %p, %r0, 0; @%p ret; add.s32 %r1, %r0, %r0;\n"
               "st.param.b32 [v], %r1; ret; }\n");
  const std::string code = code_of(p);
  CHECK(contains(code, "@%p$f1 bra return$f1;\n"));
  CHECK(contains(code, "return$f1:\n"));
  CHECK(contains(code, "@!%p bra.uni behind$4;\n"));  // of the guarded call
  CHECK(contains(code, "add.s32 %r1$f2, %r0$f2, %r0$f2;\n"));
}

TEST_CASE("calls are as deep as the text has them") {
  constexpr int kDeep = 4000;
  std::string functions = ".func f" + std::to_string(kDeep) + "() { ret; }\n";
  for (int i = kDeep - 1; i >= 0; --i)
    functions += ".func f" + std::to_string(i) + "() { call f" + std::to_string(i + 1) + "; ret; }\n";
  CHECK_EQ(launched("", "call f0; ret;", {}, functions).threads.size(), 1U);
}

TEST_CASE("what a call cannot be") {
  const auto error = [](const std::string& body, const std::string& before) {
    return error_of([&] { launched("", body, {}, before); });
  };
  CHECK(contains(error("call f;", ".func g(); .func f() { call g; }\n.func g() { call f; }\n"),
                 "recursion is not supported"));
  CHECK(contains(error("call f;", ".extern .func f();\n"), "its body is not in this module"));
  CHECK(contains(error(".reg .b64 %rd; call %rd;", ""),
                 "needs a .callprototype, .calltargets or a call table"));
  CHECK(contains(error(".reg .b64 %rd; call %rd, dat;", ".global .u32 dat;\n"), "needs a .callprototype"));
  CHECK(contains(
      error(".reg .b64 %rd; mov.u64 %rd, f; P: .callprototype _; call %rd, P;", ".extern .func f();\n"),
      "`f`, which may be called here, has no body"));
  CHECK(contains(error("{ .param .b32 a; st.param.b32 [a], 1; st.param.b16 [a+2], 1; call f, (a); }",
                       ".func f(.param .b32 x) { ret; }\n"),
                 "lie in other pieces of it"));
}

TEST_CASE("a call through a register is the bodies that it may mean") {
  const std::string functions =
      ".func (.param .b32 v) one(.param .b32 x) { .reg .b32 %r; ld.param.b32 %r, [x];\n"
      "st.param.b32 [v], %r; ret; }\n"
      ".func (.param .b32 v) two(.param .b32 x) { .reg .b64 %r; mov.b64 %r, 2; st.param.b32 [v], %r; ret; }\n"
      ".func (.param .b32 v) direct(.param .b32 x) { ret; }\n"
      ".func other() { ret; }\n.alias second, two;\n"
      ".global .align 8 .u64 tab[2] = {one, second};\n.global .align 8 .u64 more = other;\n";
  const auto code = [&](const std::string& list, const std::string& declaration) {
    return code_of(launched("",
                            ".reg .b32 %r<2>; .reg .b64 %rd; .reg .pred %p;\n ld.global.u64 %rd, [tab];\n"
                            "{ .param .b32 a; st.param.b32 [a], 7; .param .b32 r; " +
                                declaration + " @%p call (r), %rd, (a), " + list +
                                "; ld.param.b32 %r1, [r]; }",
                            {}, functions));
  };
  const std::string by_prototype = code("P", "P: .callprototype (.param .b32 _) _ (.param .b32 _);");
  CHECK(contains(by_prototype, "@!%p bra behind$"));
  CHECK(contains(by_prototype, "setp.ne.u64 %differs$5, %rd, one;\n"));
  CHECK(contains(by_prototype, ", %rd, two;\n"));
  CHECK(contains(by_prototype, "cvt.u32.u64 %r_0$6, %r$f2;\n"));  // one register for what either returns
  CHECK(contains(by_prototype, "mov.b32 %r_0$6, %r$f1;\n"));
  CHECK_FALSE(contains(by_prototype, "direct"));  // nothing takes its address
  CHECK_FALSE(contains(by_prototype, ", other;"));
  CHECK(contains(by_prototype, "trap;\n"));
  const std::string by_targets = code("T", "T: .calltargets two, direct;");
  CHECK(contains(by_targets, ", %rd, direct;\n"));
  CHECK_FALSE(contains(by_targets, ", %rd, one;"));
  const std::string by_table = code("tab", "");
  CHECK(contains(by_table, ", %rd, one;\n"));
  CHECK_FALSE(contains(by_table, ", %rd, other;"));
}

TEST_CASE("a printf does nothing") {
  const Program p = launched("",
                             ".reg .b32 %r;\n{ .param .b64 a; .param .b64 b; .param .b32 r;\n"
                             "st.param.b64 [a], 0; st.param.b64 [b], 0; call.uni (r), vprintf, (a, b);\n"
                             "ld.param.b32 %r, [r]; }",
                             {}, ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n");
  CHECK(contains(code_of(p), "mov.b32 %r, %r$1_0$"));
}

TEST_CASE("a condition of the graph that a kernel is in is none of its own") {
  const auto calls = [](const std::string& name) {
    return code_of(
        launched("",
                 "{ .param .b64 h; .param .b32 v; st.param.b64 [h], 1; st.param.b32 [v], 0; call.uni " +
                     name + ", (h, v); }",
                 {}, ".extern .func " + name + "(.param .b64 h, .param .b32 v);\n"));
  };
  CHECK_FALSE(contains(calls("cudaGraphSetConditional"), "call"));
  CHECK_THROWS_AS(calls("cudaGraphSetOther"), InputError);
}

TEST_CASE("memory of kernels") {
  const Program p =
      launched("",
               ".shared .align 16 .b8 s[8]; .local .b32 d[2]; .reg .b32 %r<3>;\n"
               "mov.u32 %r0, s; mov.u32 %r1, dyn; ld.global.u32 %r2, [v+4]; st.local.u32 [d], 1;\n"
               "st.shared.u32 [same], 1;",
               {.shared = "64"},
               ".global .align 4 .u32 v[3] = {1, 2};\n.global .u32 unused;\n.global .u64 w = v;\n"
               ".extern .shared .align 4 .b8 dyn[];\n.extern .shared .align 16 .b8 same[];\n");
  std::string names;
  for (const program::Variable& variable : p.variables) names += variable.name + " ";
  CHECK(names == "v d s dyn ");
  CHECK(p.variables[3].elements == 64);
  CHECK(p.variables[3].align == 16);
  CHECK(p.variables[0].initial.size() == 2);
  CHECK(contains(code_of(p), "st.weak.shared.u32 [dyn], 1;"));
}

TEST_CASE("a multimem address has a location of each buffer (8.2.3)") {
  const ptx::Module module = module_of(".entry k(.param .u64 p) { ret; }\n");
  const auto make = [&](const std::string& memory, const std::string& more = "") {
    return make_program(module, plan_of(R"({"module": "m", "entry": "k", "memory": {)" + memory + R"(},
      "arguments": [{"buffer": "M"}])" + more +
                                        "}"));
  };
  const Program p =
      make(R"("M": {"multicast": ["A", "B"]}, "A": {"bytes": 8}, "B": {"bytes": 8, "data": "zero"})");
  REQUIRE(p.variables.size() == 3);
  CHECK(p.variables[2].name == "M");
  CHECK(p.variables[2].locations == std::vector<std::string>{"A", "B"});
  CHECK(p.variables[2].elements == p.variables[0].elements);
  const auto error = [&](const std::string& memory, const std::string& more = "") {
    return error_of([&] { make(memory, more); });
  };
  CHECK(contains(error(R"("M": {"multicast": ["Aa"]}, "A": {"bytes": 8})"), "named `Aa`; did you mean `A`?"));
  CHECK(contains(error(R"("M": {"multicast": ["A", "A"]}, "A": {"bytes": 8})"), "`A` is named twice"));
  CHECK(contains(error(R"("M": {"multicast": ["A", "B"]}, "A": {"bytes": 8}, "B": {"bytes": 4})"),
                 "`B` has another size or type than `A`"));
  CHECK(contains(error(R"("M": {"multicast": ["A"]}, "A": {"bytes": 8, "space": "const"})"),
                 "not in global memory"));
  CHECK(contains(error(R"("M": {"multicast": ["N"]}, "N": {"multicast": ["A"]}, "A": {"bytes": 8})"),
                 "`N` is a multimem address itself"));
  const std::string good = R"("M": {"multicast": ["A"]}, "A": {"bytes": 64})";
  CHECK(contains(error(good, R"(, "tensors": {"t": {"of": "M", "type": "u32", "dims": [4], "box": [4]}})"),
                 "a tensor lies in one of its buffers"));
}

TEST_CASE("clusters are as the kernel says where the launch says nothing (11.7.1)") {
  const ptx::Module module = module_of(".entry k() .reqnctapercluster 2 { ret; }\n");
  const auto placed = [&](const std::string& grid, const std::string& cluster) {
    const Program p = make_program(
        module, plan_of(R"({"module": "m", "entry": "k", "block": 1, "grid": )" + grid + cluster + "}"));
    return p.threads.back().placement.cluster;
  };
  CHECK(placed("4", "") == 1);
  CHECK(placed("4", R"(, "cluster": 2)") == 1);
  CHECK(contains(error_of([&] { placed("4", R"(, "cluster": 4)"); }), ".reqnctapercluster 2, 1, 1"));
  CHECK(contains(error_of([&] { placed("3", ""); }), "no whole number of clusters"));
}

TEST_CASE("what a launch cannot be") {
  const auto error = [](const std::string& parameters, const std::string& body, const Words& words,
                        const std::string& before = "") {
    return error_of([&] { launched(parameters, body, words, before); });
  };
  CHECK(contains(error(".param .u32 n", "ret;", {}), "`k` takes 1 argument, found 0"));
  CHECK(contains(error(".param .u32 n", "ret;", {.arguments = {"buffer:4"}}), "an address has 8"));
  CHECK(contains(error(".param .u32 n", "ret;", {.arguments = {"5000000000"}}), "does not fit"));
  CHECK(contains(error("", "ret;", {.block = "1025"}),
                 "a block of 1025, 1, 1: a device takes up to 1024, 1024, 64"));
  CHECK(contains(error("", "ret;", {.grid = "100", .block = "100"}), "more than 2048 threads"));
  CHECK(contains(error("", "ret;", {.grid = "3", .cluster = "2"}), "no whole number of clusters"));
  CHECK(contains(error("", "st.shared.u32 [dyn], 1;", {}, ".extern .shared .b8 dyn[];\n"), "--shared BYTES"));
  CHECK(contains(error(".param .u64 p", "ret;", {.arguments = {"buffer:1G"}}), "elements, more than"));
}

TEST_CASE("several launches are kernels in the order of their stream") {
  const Program p = make_program(module_of(".entry a() { ret; }\n.entry b() { ret; }\n"),
                                 plan_of(R"({"module": "m", "launches": [{"entry": "a"}, {"entry": "b"},
                                             {"entry": "a", "programmatic": true}]})"));
  REQUIRE(p.kernels.kernels.size() == 3);
  CHECK(p.kernels.stated);
  CHECK(p.kernels.kernels[1].after == std::vector<std::string>{"K0"});
  CHECK(p.kernels.kernels[2].programmatic == std::vector<std::string>{"K1"});
}

TEST_CASE("each of several launches has shared memory of its own size, under names that may be the same") {
  const std::string kernel =
      " { .shared .b32 own[%]; st.shared.u32 [own], 1; st.shared.u32 [dyn+4], 1; ret; }\n";
  const auto with = [&](const std::string& count) {
    return std::string(kernel).replace(kernel.find('%'), 1, count);
  };
  const Program p = make_program(
      module_of(".extern .shared .b8 dyn[];\n.entry a()" + with("2") + ".entry b()" + with("8")),
      plan_of(R"({"module": "m", "launches": [{"entry": "a", "shared": 16}, {"entry": "b", "shared": 64},
                                              {"entry": "b", "shared": 16}]})"));
  std::multiset<std::pair<std::string, std::uint32_t>> sizes;
  for (const program::Variable& variable : p.variables) {
    if (variable.space == isa::Space::shared) sizes.emplace(variable.name, variable.elements);
  }
  CHECK(sizes == std::multiset<std::pair<std::string, std::uint32_t>>{
                     {"dyn", 16}, {"dyn$", 64}, {"own", 2}, {"own$", 8}});
  REQUIRE(p.threads.size() == 3);
  const auto names = [&](std::size_t thread) {
    std::string out;
    for (const program::Instruction& one : p.threads[thread].code()) {
      if (one.opcode == isa::Opcode::st)
        out += std::get<program::Address>(one.operands.front().value).variable + ' ';
    }
    return out;
  };
  CHECK(names(0) == "own dyn ");
  CHECK(names(1) == "own$ dyn$ ");
  CHECK(names(2) == "own$ dyn ");
}

}  // namespace
}  // namespace ptxmc::launch
