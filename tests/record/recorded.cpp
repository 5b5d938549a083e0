// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "../command.h"
#include "../unit/contains.h"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ptxmc::testing::contains;
using ptxmc::testing::Ran;
using ptxmc::testing::run_command;

/// A folder that goes with it.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("ptxmc-recorded-{}", getpid())) {
    fs::remove_all(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }
  std::string name() const { return path_.string(); }

 private:
  fs::path path_;
};

Ran ptxmc(const std::string& arguments, const std::string& environment = "") {
  return run_command(fmt::format("{} {} {} 2>&1", environment, PTXMC_PROGRAM, arguments));
}
json read(const fs::path& path) {
  std::ifstream in(path);
  REQUIRE(in);
  return json::parse(in);
}
std::string record(const Folder& folder, const std::string& what) {
  return fmt::format("record -o {} --pretend -- {} {}", folder.name(), PTXMC_RECORDED, what);
}

/// The same, beside what is there.
std::string keep(const std::string& line) {
  return "record --keep" + line.substr(line.find(' '));
}

TEST_CASE("launches of a program without a GPU") {
  const Folder folder;
  const Ran ran = ptxmc(record(folder, "all"));
  CHECK(ran.status == 0);
  CHECK(contains(ran.output, "5 launches, 5 different, 2 sequences"));

  const json add = read(folder / "add/launch.json");
  CHECK(add["grid"] == json({2, 1, 1}));
  CHECK(add["block"] == json({32, 1, 1}));
  CHECK(add["arguments"] == json::parse(R"([{"buffer": "m0"}, {"buffer": "m1"}, {"u32": 40}])"));
  CHECK(add["memory"]["m0"]["data"][63] == 5);
  CHECK(add["memory"]["m1"]["data"] == "zero");
  // What the kernel before may have written is opaque.
  CHECK(read(folder / "add-2/launch.json")["memory"]["m1"]["data"] == "opaque");

  SUBCASE("an address inside of a structure, without what no load reads") {
    const json racy = read(folder / "racy/launch.json");
    CHECK(racy["arguments"] ==
          json::parse(R"([{"blob": 24, "fields": {"8": {"buffer": "m0", "offset": 16}}}])"));
    CHECK(racy["variables"]["table"]["data"] == json({1, 2, 3, 4}));
    CHECK_FALSE(racy["variables"].contains("count"));  // as the module has it
    CHECK(ptxmc("verify " + (folder / "racy/launch.json").string()).status == 1);
  }
  SUBCASE("a tensor map, a cluster, a programmatic launch") {
    const json mapped = read(folder / "mapped/launch.json");
    CHECK(mapped["cluster"] == json({2, 1, 1}));
    CHECK(mapped["programmatic"] == true);
    CHECK(mapped["arguments"] == json::parse(R"([{"tensor": "t0"}])"));
    CHECK(mapped["tensors"]["t0"]["dims"] == json({8, 4}));
    CHECK(mapped["tensors"]["t0"]["type"] == "f32");
    CHECK(ptxmc("verify " + (folder / "mapped/launch.json").string()).status == 0);
  }
  SUBCASE("launches of one stream, up to where the host writes between them") {
    CHECK(read(folder / "sequence/sequence.json")["launches"].size() == 3);
    CHECK(read(folder / "sequence-2/sequence.json")["launches"].size() == 2);
    CHECK(ptxmc("verify " + (folder / "sequence/sequence.json").string()).status == 0);
  }
}

TEST_CASE("a program with a runtime linked into it, which takes no driver that is pretended") {
  const Folder folder;
  const std::string command =
      fmt::format("record --pretend --verify -o {} -- {}", folder.name(), PTXMC_LINKED);
  const Ran ran = ptxmc(command);
  CHECK(ran.status == 0);
  CHECK(contains(ran.output, "1 launch: 1 without race or deadlock in any schedule"));
  const json fill = read(folder / "fill/launch.json");
  CHECK(fill["block"] == json({64, 1, 1}));
  CHECK(fill["memory"]["m0"]["data"] == "zero");
  CHECK(contains(ptxmc(command + " array").output,
                 "cudaMallocArray was called, which the runtime that is pretended does not have"));
}

TEST_CASE("a launch that came twice is one") {
  const Folder folder;
  CHECK(ptxmc(record(folder, "all") + "; " + PTXMC_PROGRAM + " " + keep(record(folder, "add"))).status == 0);
  CHECK(read(folder / "add-4/launch.json")["arguments"][2]["u32"] == 64);  // beside what was there before
}

TEST_CASE("launches of an earlier run are removed, and nothing else") {
  const Folder folder;
  CHECK(ptxmc(record(folder, "all")).status == 0);
  for (const char* file : {"notes", "racy/notes", "other/launch.json"}) {
    fs::create_directories((folder / file).parent_path());
    std::ofstream(folder / file) << "mine";
  }
  const Ran ran = ptxmc(record(folder, "add"));
  CHECK(contains(ran.output, "note: the PTX has no lines of the CUDA source: build with nvcc -lineinfo"));
  CHECK(read(folder / "add/launch.json")["arguments"][2]["u32"] == 64);
  for (const char* gone :
       {"add-2", "mapped", "sequence", "sequence-2", "racy/launch.json", "racy/module.ptx"})
    CHECK_FALSE(fs::exists(folder / gone));
  for (const char* kept : {"notes", "racy/notes", "other/launch.json"}) CHECK(fs::exists(folder / kept));
}

TEST_CASE("record --verify takes what is accepted, as verify does") {
  const Folder folder;
  const auto status = [&](const std::string& options) {
    return ptxmc(fmt::format("record --pretend --verify {} -o {} -- {} all", options, folder.name(),
                             PTXMC_RECORDED))
        .status;
  };
  CHECK(status("") == 1);
  CHECK(status("--ignore race") == 3);  // which leaves findings out
  CHECK(status("--ignore race --allow-incomplete") == 0);
  CHECK(status("--fail-on never --allow-incomplete") == 0);
  CHECK(status("--ignore rase") == 2);
  const std::string baseline = (folder / "known.json").string();
  CHECK(status("--allow-incomplete --write-baseline " + baseline) == 0);
  CHECK(status("--allow-incomplete --baseline " + baseline) == 0);
}

TEST_CASE("fewer launches than there are") {
  const Folder folder;
  const Ran ran =
      ptxmc(fmt::format("record --pretend --launches 1 -o {} -- {} all", folder.name(), PTXMC_RECORDED));
  CHECK(contains(ran.output, "left out, beyond 1: 2 more launches of `add`"));
  CHECK_FALSE(fs::exists(folder / "add-2"));
}

TEST_CASE("what was recorded is verified, a sequence at once") {
  const Folder folder;
  const Ran ran =
      ptxmc(fmt::format("record --verify --pretend -o {} -- {} all", folder.name(), PTXMC_RECORDED));
  CHECK(ran.status == 1);
  CHECK(contains(ran.output, "finding  " + (folder / "sequence-2/sequence.json").string() +
                                 " (racy+mapped): error: race at line"));
  CHECK(contains(ran.output,
                 "2 launches: 1 without race or deadlock in any schedule, 0 incomplete, 1 with findings"));
}

TEST_CASE("a launch is verified with what the launches before it left") {
  const Folder folder;
  const auto verified = [&](const std::string& what) {
    return ptxmc(
        fmt::format("record --verify --pretend -o {} -- {} {}", folder.name(), PTXMC_RECORDED, what));
  };
  const Ran together = verified("scatter");
  CHECK(together.status == 0);
  CHECK(contains(together.output,
                 "turn<<<1, 32>>>, scatter<<<1, 32>>>: no race, deadlock or barrier misuse in any schedule"));
  CHECK(contains(together.output, "1 launch: 1 without race or deadlock in any schedule"));
  // Alone it finds any contents.
  CHECK(ptxmc("verify " + (folder / "scatter/launch.json").string()).status == 1);
  const Ran apart = verified("apart");
  CHECK(apart.status == 1);
  CHECK(contains(apart.output, "0 sequences"));
}

TEST_CASE("shards and processes come to the same as one process") {
  const Folder folder;
  REQUIRE(ptxmc(record(folder, "all")).status == 0);
  const std::string launches = folder.name() + "/*/launch.json", part = (folder / "part").string();
  const Ran whole = ptxmc("verify --summary -q " + launches);
  CHECK(whole.status == 1);
  CHECK(contains(whole.output, "5 launches: 4 without race or deadlock in any schedule"));
  for (const int shard : {1, 2, 3})
    ptxmc(fmt::format("verify --format json -j 2 --shard {0}/3 -o {1}{0} {2}", shard, part, launches));
  const Ran merged = ptxmc(fmt::format("verify --merge {}*", part));
  CHECK(merged.status == whole.status);
  CHECK(contains(merged.output, "5 launches: 4 without race or deadlock in any schedule"));
  CHECK(contains(ptxmc(fmt::format("verify --merge --format junit {}*", part)).output,
                 "tests=\"5\" failures=\"1\""));
  CHECK(ptxmc("verify -j 2 -q " + launches).output == ptxmc("verify -q " + launches).output);
  std::string page = ptxmc("verify -j 2 --format html " + launches).output;
  const std::string option = "-j 2 ";  // the page has its command
  const std::size_t at = page.find(option);
  REQUIRE(at != std::string::npos);
  page.erase(at, option.size());
  CHECK(page == ptxmc("verify --format html " + launches).output);
  CHECK(
      contains(ptxmc("verify -j 2 --format json " + (folder / "none.json").string()).output, "\"errors\":"));
}

TEST_CASE("a program that closes all descriptors, and opens files under their numbers") {
  const Folder folder;
  const Ran ran = ptxmc(record(folder, "closes"));
  CHECK(ran.status == 0);
  CHECK(contains(ran.output, "3 launches, 3 different"));
  CHECK_FALSE(contains(ran.output, "a file of the program"));
  CHECK(read(folder / "add-3/launch.json")["arguments"][2]["u32"] == 50);
  CHECK(read(folder / "add-3/launch.json")["memory"].contains("m1"));  // memory is known from before
}

TEST_CASE("launches and modules that a driver refuses") {
  const Folder folder;
  const Ran ran = ptxmc(record(folder, "refused"));
  for (const char* line : {"launch 0,1 32 0: 1\n", "launch 1,0 32 0: 1\n", "launch 1,1 0 0: 1\n",
                           "launch 1,1 2048 0: 1\n", "launch 1,70000 32 0: 1\n", "launch 1,1 32 60000: 1\n",
                           "allow 1048576: 1\n", "launch 1,1 32 60000: 0\n"})
    CHECK(contains(ran.output, line));
  CHECK(contains(ran.output, "load: 218\nload: 218\nload: 200\n"));
  CHECK(contains(ran.output, "1 launch, 1 different"));
}

TEST_CASE("a program that crashes: launches after those that were recorded may be missing") {
  const Folder folder;
  const Ran ran =
      ptxmc(fmt::format("record --verify --pretend -o {} -- {} crashes", folder.name(), PTXMC_RECORDED));
  CHECK(ran.status == 3);
  CHECK(contains(ran.output, "1 launch: 1 without race or deadlock in any schedule"));
  CHECK(contains(ran.output, "unknown: the program crashed"));
}

TEST_CASE("in front of another driver") {
  const Folder folder;
  const Ran ran = ptxmc(fmt::format("record -o {} -- {} all", folder.name(), PTXMC_RECORDED),
                        fmt::format("LD_LIBRARY_PATH={}", PTXMC_OTHER_DRIVER));
  CHECK(ran.status == 0);
  CHECK(contains(ran.output, "launched add"));
  CHECK(contains(ran.output, "launched mapped"));
  CHECK(contains(ran.output, "5 launches"));
  const json mapped = read(folder / "mapped/launch.json");
  CHECK(mapped["arguments"] == json::parse(R"([{"tensor": "t0"}])"));
  CHECK(read(folder / "racy/launch.json")["variables"]["table"]["data"] == json({1, 2, 3, 4}));
}

TEST_CASE("addresses in memory, where arguments lead") {
  const Folder folder;
  const auto record_through = [&](const std::string& environment) {
    fs::remove_all(folder.name());
    CHECK(ptxmc(fmt::format("record -o {} -- {} through", folder.name(), PTXMC_RECORDED),
                fmt::format("LD_LIBRARY_PATH={} {}", PTXMC_OTHER_DRIVER, environment))
              .status == 0);
    return read(folder / "through/launch.json");
  };
  const json launch = record_through("");
  CHECK(launch["arguments"] == json::parse(R"([{"buffer": "m0", "offset": 64}])"));
  CHECK(launch["memory"]["m0"]["data"] == "opaque");
  CHECK(launch["memory"]["m0"]["fields"] ==
        json::parse(R"({"64": {"buffer": "m1", "offset": 16}, "72": {"buffer": "m0", "offset": 128}})"));
  CHECK(launch["memory"]["m1"]["data"] == "opaque");
  const Ran verified = ptxmc("verify " + (folder / "through/launch.json").string());
  CHECK(verified.status == 0);
  CHECK(contains(verified.output, "in any schedule"));
  // A stream that is captured runs nothing yet.
  CHECK_FALSE(record_through("OTHER_DRIVER_CAPTURES=1")["memory"]["m0"].contains("fields"));
}

TEST_CASE("what is known of a part of a buffer, where arguments lead") {
  const Folder folder;
  const Ran ran = ptxmc(record(folder, "pool"));
  CHECK(contains(ran.output, "3 launches, 3 different, 0 sequences"));
  const json led = read(folder / "add/launch.json")["memory"];
  CHECK(led["m0"]["data"] == "opaque");
  CHECK(led["m0"]["ranges"] ==
        json::parse(R"({"4096": {"bytes": 24, "type": "u32", "data": [0, 0, 0, 0, 0, 0]},
                                              "8192": {"bytes": 12, "type": "u32", "data": [3, 5, 7]}})"));
  CHECK(led["m0"]["fields"] == json::parse(R"({"4096": {"buffer": "m0", "offset": 8192},
                                              "4104": {"buffer": "m1", "offset": 16},
                                              "4112": {"buffer": "m0", "offset": 1048576}})"));
  CHECK(led["m1"]["data"] == "zero");
  CHECK(read(folder / "add-2/launch.json")["memory"]["m0"]["ranges"] ==
        json::parse(R"({"0": {"bytes": 512, "data": "zero"}})"));
  CHECK_FALSE(read(folder / "add-3/launch.json")["memory"]["m0"].contains("ranges"));
  CHECK(ptxmc("verify " + (folder / "add/launch.json").string()).status == 0);
}

TEST_CASE("behind a kernel that is not recorded, nothing is known") {
  const Folder folder;
  const Ran ran = ptxmc(fmt::format("record -o {} -- {} unknown", folder.name(), PTXMC_RECORDED),
                        fmt::format("LD_LIBRARY_PATH={}", PTXMC_OTHER_DRIVER));
  CHECK(contains(ran.output, "`unknown` was not recorded"));
  for (const char* buffer : {"m0", "m1"})
    CHECK(read(folder / "add/launch.json")["memory"][buffer]["data"] == "opaque");
}

TEST_CASE("memory that another process has, too") {
  const Folder folder;
  const Ran ran = ptxmc(fmt::format("record -o {} -- {} shared", folder.name(), PTXMC_RECORDED),
                        fmt::format("LD_LIBRARY_PATH={}", PTXMC_OTHER_DRIVER));
  CHECK(contains(ran.output, "2 launches, 2 different, 0 sequences"));
  const json launch = read(folder / "add/launch.json");
  CHECK(launch["memory"]["m0"]["data"] == "opaque");
  CHECK(launch["memory"]["m1"]["data"] == "zero");
}

TEST_CASE("the device that is pretended") {
  const Folder folder;
  const auto output = [&](const std::string& options) {
    return ptxmc(
               fmt::format("record --pretend {} -o {} -- {} device", options, folder.name(), PTXMC_RECORDED))
        .output;
  };
  CHECK(contains(output(""), "attribute 16: 4\nattribute 75: 9\nattribute 76: 0\n"));
  CHECK(contains(output("--sms 2 --arch sm_100a"), "attribute 16: 2\nattribute 75: 10\nattribute 76: 0\n"));
  // Ours on the path is nothing to forward to.
  const std::string ours = (fs::path(PTXMC_PROGRAM).parent_path() / "record").string();
  CHECK(contains(
      ptxmc(fmt::format("record -o {} -- {} add", folder.name(), PTXMC_RECORDED), "LD_LIBRARY_PATH=" + ours)
          .output,
      "1 launch, 1 different"));
}

TEST_CASE("what cannot be recorded is said") {
  const Folder folder;
  CHECK(contains(ptxmc(record(folder, "unsupported")).output,
                 "cuMulticastCreate was called, which the driver that is pretended does not have"));
  CHECK(contains(ptxmc(record(folder, "nothing")).output, "error: no launch was recorded"));
  CHECK(contains(ptxmc(fmt::format("record -o {} -- false", folder.name()),
                       fmt::format("LD_LIBRARY_PATH={}", PTXMC_OTHER_DRIVER))
                     .output,
                 "as the program did not get so far; with --pretend it needs no GPU"));
  CHECK(contains(ptxmc("record -o x").output, "say what to run"));
  CHECK(contains(ptxmc("record -o x -- /no/such/program").output, "cannot run '/no/such/program'"));
  CHECK(contains(ptxmc("record --arch sm_x -- true").output, "expected an architecture"));
}

TEST_CASE("an object file, with its PTX beside it") {
  const Folder folder;
  REQUIRE(ptxmc(record(folder, "add")).status == 0);
  // The header of an ELF file with two empty sections: what is loaded is looked at no further.
  std::string bytes(192, '\0');
  bytes.replace(0, 4,
                "\x7f"
                "ELF");
  bytes[18] = static_cast<char>(190);  // EM_CUDA
  bytes[40] = 64;                      // where the sections begin
  bytes[60] = 2;                       // how many there are
  const fs::path object = folder / "add/k.cubin";
  std::ofstream(object, std::ios::binary) << bytes;
  const std::string without = keep(record(folder, "add " + object.string()));
  CHECK(contains(ptxmc(without).output, "name a folder that has X.ptx beside X.cubin by --ptx DIR"));
  fs::copy_file(folder / "add/module.ptx", folder / "add/k.ptx");
  const Ran ran = ptxmc(fmt::format("record --keep -o {0} --pretend --ptx {0} -- {1} add {2}", folder.name(),
                                    PTXMC_RECORDED, object.string()));
  CHECK(contains(ran.output, "1 launch, 1 different"));
}

}  // namespace
