// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../contains.h"
#include "launched.h"

namespace ptxmc::launch {
namespace {

using ptxmc::testing::contains;

TEST_CASE("a file of launches, all of it") {
  const Plan plan =
      plan_of(R"({ "module": "m.ptx", "entry": "k", "grid": [2,3], "block": 32, "cluster": [2,1,1],
    "shared": 1024, "cooperative": true,
    "memory": { "A": {"bytes": 64, "space": "global", "data": [1, -1, 2.5], "type": "f32"},
                "B": {"bytes": 16, "data": "zero", "ranges": {"8": {"bytes": 8, "data": "opaque"}},
                      "fields": {"0": {"buffer": "A", "offset": 0}}} },
    "variables": { "v": {"bytes": 4, "data": [7]} },
    "tensors": { "t": {"of": "A", "type": "f32", "dims": [4, 4], "strides": [16], "box": [4, 1], "swizzle": 32} },
    "arguments": [ {"buffer": "A", "offset": 8}, {"u32": 5}, {"f64": 1}, {"tensor": "t"},
                   {"blob": 24, "fields": {"0": {"buffer": "B"}, "8": {"s16": -1}}} ],
    "peers": [ {"writes": "A", "scope": "sys", "release": true} ] })");
  CHECK(plan.module == "m.ptx");
  REQUIRE(plan.launches.size() == 1);
  const Launch& launch = plan.launches.front();
  CHECK(launch.grid == Extents{2, 3, 1});
  CHECK(launch.block == Extents{32, 1, 1});
  CHECK(launch.has_cluster);
  CHECK(launch.shared == 1024);
  CHECK(launch.cooperative);
  REQUIRE(plan.memory.size() == 2);
  CHECK(plan.memory[0].contents.numbers.size() == 3);
  CHECK(plan.memory[1].ranges.front().begin == 8);
  CHECK(plan.memory[1].fields.front().second.buffer == "A");
  CHECK(plan.variables.front().name == "v");
  CHECK(plan.tensors.front().map.strides == std::vector<std::int64_t>{16});
  REQUIRE(launch.arguments.size() == 5);
  CHECK(std::get<Pointer>(launch.arguments[0].value).offset == 8);
  CHECK(std::get<Number>(launch.arguments[1].value).type->bits == 32);
  CHECK(std::get<Blob>(launch.arguments[4].value).fields.size() == 2);
  REQUIRE(plan.peers.size() == 1);
  CHECK(plan.peers[0].writes == "A");
  CHECK(plan.peers[0].scope == isa::Scope::sys);
  CHECK(plan.peers[0].release);
}

TEST_CASE("a multimem address is no memory of its own") {
  const Plan plan =
      plan_of(R"({"module": "m.ptx", "memory": {"M": {"multicast": ["A", "B"]}, "A": {"bytes": 4},
    "B": {"bytes": 4}}})");
  REQUIRE(plan.memory.size() == 3);
  CHECK(plan.memory[0].multicast == std::vector<std::string>{"A", "B"});
  CHECK(plan.memory[1].multicast.empty());
  const auto error = [](const std::string& entry, const std::string& where = "memory") {
    return error_of([&] { plan_of("{\"module\": \"m\", \"" + where + "\": {\"M\": " + entry + "}}"); });
  };
  CHECK(contains(error("{\"multicast\": [], \"bytes\": 4}"), "M, a multimem address, has no `bytes`"));
  CHECK(contains(error("{\"multicast\": []}"), "expected the names of the devices' buffers"));
  CHECK(contains(error("{\"multicast\": [\"A\"]}", "variables"),
                 "a variable of the module is memory of its own"));
}

TEST_CASE("several launches of one memory, in order") {
  const Plan plan = plan_of(R"({"module": "m.ptx", "memory": {}, "launches": [
    {"entry": "a"}, {"entry": "b", "grid": [2], "programmatic": true}]})");
  REQUIRE(plan.launches.size() == 2);
  CHECK(plan.launches[1].entry == "b");
  CHECK(plan.launches[1].programmatic);
}

TEST_CASE("errors have a place and a suggestion") {
  const auto error = [](const std::string& text) { return error_of([&] { plan_of(text); }); };
  CHECK(contains(error("{}"), "names its \"module\""));
  CHECK(contains(error("[]"), "expected an object, found an array"));
  CHECK(contains(error("{\"module\": \"m\", \"gird\": [1]}"),
                 "launch.json:1:17: error: a file of launches has no `gird`; did you mean `grid`?"));
  CHECK(contains(error("{\"module\": \"m\", \"grid\": [0]}"), "grid: expected an integer from 1 to"));
  CHECK(contains(error("{\"module\": \"m\", \"block\": [1,1,1,1]}"), "expected 1 to 3 numbers, found 4"));
  CHECK(contains(error("{\"module\": \"m\", \"arguments\": [{\"u33\": 1}]}"), "{TYPE: NUMBER}"));
  CHECK(
      contains(error("{\"module\": \"m\", \"memory\": {\"A\": {\"data\": \"zero\"}}}"), "expected its size"));
  CHECK(contains(error("{\"module\": \"m\", \"launches\": [], \"grid\": [1]}"),
                 "stands in each of the \"launches\""));
  CHECK(contains(error("{\"module\": \"m\", \"tensors\": {\"t\": {\"of\": \"A\", \"type\": \"f33\", "
                       "\"dims\": [1], \"box\": [1]}}}"),
                 "did you mean \"f32\"?"));
  const auto tensor = [&](const std::string& field) {
    return error(
        "{\"module\": \"m\", \"tensors\": {\"t\": {\"of\": \"A\", \"type\": \"f32\", \"dims\": [4], "
        "\"box\": [4], " +
        field + "}}}");
  };
  CHECK(contains(tensor("\"interleave\": 8"), "interleave: expected one of 0, 16, 32 bytes, found 8"));
  CHECK(contains(tensor("\"swizzle\": 33"), "swizzle: expected one of 0, 32, 64, 128 bytes, found 33"));
  CHECK(contains(error("{\"module\": \"m\", \"memory\": {\"A\": {\"bytes\": 4, \"fields\": {\"x\": "
                       "{\"buffer\": \"A\"}}}}}"),
                 "expected an offset in bytes"));
}

TEST_CASE("a command line") {
  const Plan plan =
      read_words({.entry = "k",
                  .grid = "2,3",
                  .block = "4x2",
                  .cluster = "",
                  .shared = "48K",
                  .arguments = {"out=buffer:4M:zero", "buffer:16", "out+64", "-1", "0x10", "1.5", "blob:8"}});
  const Launch& launch = plan.launches.front();
  CHECK(launch.grid == Extents{2, 3, 1});
  CHECK(launch.block == Extents{4, 2, 1});
  CHECK(launch.shared == 48 * 1024);
  REQUIRE(plan.memory.size() == 2);
  CHECK(plan.memory[0].bytes == 4u << 20);
  CHECK(plan.memory[0].contents.kind == Contents::Kind::zero);
  CHECK(plan.memory[1].name == "arg1");
  CHECK(std::get<Pointer>(launch.arguments[2].value).offset == 64);
  CHECK(std::get<std::int64_t>(std::get<Number>(launch.arguments[3].value).value) == -1);
  CHECK(std::get<std::int64_t>(std::get<Number>(launch.arguments[4].value).value) == 16);
  CHECK(std::get<double>(std::get<Number>(launch.arguments[5].value).value) == 1.5);
  CHECK(std::get<Blob>(launch.arguments[6].value).bytes == 8);
}

TEST_CASE("a command line with a multimem address") {
  const Plan plan = read_words({.arguments = {"A=buffer:64:zero", "M=multicast:A,64:zero,4K", "M+4"}});
  REQUIRE(plan.memory.size() == 4);
  CHECK(plan.memory[1].name == "M_1");
  CHECK(plan.memory[1].contents.kind == Contents::Kind::zero);
  CHECK(plan.memory[2].bytes == 4096);
  CHECK(plan.memory[3].multicast == std::vector<std::string>{"A", "M_1", "M_2"});
  CHECK(std::get<Pointer>(plan.launches.front().arguments[1].value).buffer == "M");
  CHECK(std::get<Pointer>(plan.launches.front().arguments[2].value).offset == 4);
  const Plan tensor = read_words({.arguments = {"tensor:4K:f16:8x2x2:8x1x1:interleave=16"}});
  CHECK(tensor.tensors.front().map.interleave == 16);
}

TEST_CASE("a command line with a structure") {
  const Plan plan =
      read_words({.arguments = {"a=buffer:64", "blob:32,0=u32:7,8=buffer:4K:zero,16=a+4,24=f32:1.5"}});
  REQUIRE(plan.memory.size() == 2);
  CHECK(plan.memory[1].name == "arg1_8");
  CHECK(plan.memory[1].contents.kind == Contents::Kind::zero);
  const Blob& blob = std::get<Blob>(plan.launches.front().arguments[1].value);
  CHECK(blob.bytes == 32);
  REQUIRE(blob.fields.size() == 4);
  CHECK(std::get<Number>(blob.fields[0].second).type->bits == 32);
  CHECK(blob.fields[1].first == 8);
  CHECK(std::get<Pointer>(blob.fields[1].second).buffer == "arg1_8");
  CHECK(std::get<Pointer>(blob.fields[2].second).offset == 4);
  CHECK(std::get<double>(std::get<Number>(blob.fields[3].second).value) == 1.5);
}

TEST_CASE("a command line that is wrong") {
  const auto error = [](Words words) { return error_of([&] { read_words(words); }); };
  CHECK(contains(error({.grid = "0"}), "--grid 0: expected 1 to 3 sizes"));
  CHECK(contains(error({.grid = "1,2,3,4"}), "1 to 3 sizes"));
  CHECK(contains(error({.grid = "1,"}), "1 to 3 sizes"));
  CHECK(contains(error({.shared = "4T"}), "--shared 4T: expected a number of bytes"));
  CHECK(contains(error({.arguments = {"bufer:4"}}), "did you mean `--arg buffer:4`?"));
  CHECK(contains(error({.arguments = {"buffer:4:ones"}}), "`zero` or `opaque`"));
  CHECK(contains(error({.arguments = {"nowhere+4"}}),
                 "no --arg before it names a buffer `nowhere`; new memory"));
  CHECK(contains(error({.arguments = {"multicast:B,4K"}}), "or the SIZE of new memory, found `B`"));
  CHECK(contains(error({.arguments = {"multicast:"}}), "the SIZE of new memory"));
  CHECK(contains(error({.arguments = {"tensor:4K:f16:8x2x2:8x1x1:interleave=8"}}),
                 "expected one of 0, 16, 32 bytes, found `interleave=8`"));
  CHECK(contains(error({.arguments = {"blob:8,0"}}), "fields such as 8=u32:1"));
  CHECK(contains(error({.arguments = {"blob:8,x=u32:1"}}), "fields such as 8=u32:1"));
  CHECK(contains(error({.arguments = {"blob:8,0=1"}}), "expected TYPE:NUMBER, TYPE one of u8"));
  CHECK(contains(error({.arguments = {"blob:8,0=u33:1"}}), "expected TYPE:NUMBER"));
  CHECK(contains(error({.arguments = {"blob:8,0=u32:"}}), "expected TYPE:NUMBER"));
}

TEST_CASE("what a wrong argument probably means") {
  const auto error = [](std::vector<std::string> arguments) {
    return error_of([&] { read_words({.arguments = std::move(arguments)}); });
  };
  CHECK(contains(error({"nullptr"}), "--arg nullptr: a null pointer is the number 0: --arg 0"));
  CHECK(contains(error({"NULL"}), "a null pointer is the number 0"));
  CHECK(contains(error({""}), "an argument is empty"));
  CHECK(contains(error({"true"}), "a bool is a number: --arg 1"));
  CHECK(contains(
      error({"in"}),
      "names a buffer `in`; new memory is buffer:BYTES, which a name may precede: --arg in=buffer:4K"));
  CHECK(contains(error({"data=buffer:64", "dat+4"}), "did you mean `--arg data+4`?"));
  CHECK(contains(error({"in=4k"}), "after a name stands new memory: --arg in=buffer:4K"));
  CHECK(contains(error({"buffer"}), "a buffer has its bytes after it"));
  CHECK(contains(error({"buffer:4KiB"}),
                 "4KiB: expected a number of bytes such as 4096, 64K or 4M; did you mean `4K`?"));
  CHECK(contains(error({"buffer:64:zeros"}), "did you mean `zero`"));
  CHECK(contains(error({"4K"}), "a number has no unit; new memory of that size: --arg buffer:4K"));
  CHECK(contains(error({"1.5f"}), "a number has its type before it: --arg f32:1.5"));
  CHECK(contains(error({"64UL"}), "a number has no suffix: --arg 64"));
  CHECK(contains(error({"float:0.5"}), "did you mean `--arg f32:0.5`?"));
  CHECK(contains(error({"u33:5"}), "did you mean `--arg u32:5`?"));
  CHECK(contains(error({"in=ptr:x"}), "did you mean `--arg in=buffer:4K`?"));
  CHECK(contains(error({"1,2"}), "each argument has an --arg of its own"));
  CHECK(contains(error({"./in.bin"}), "a launch.json can say more"));
}

}  // namespace
}  // namespace ptxmc::launch
