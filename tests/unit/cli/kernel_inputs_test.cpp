// SPDX-License-Identifier: Apache-2.0
#include "face/cli/kernel_inputs.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "face/cli/kernel_folder.h"
#include "support/diagnostic.h"
#include "workplace.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

constexpr const char* kModule =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n";
constexpr const char* kLaunch = R"({"module": "k.ptx", "entry": "k", "block": 32, "arguments": [1]})";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A compiler that leaves kModule where -o says, and prints its words.
std::string fake_nvcc(const Workplace& place) {
  const std::string script =
      place.file("nvcc", "#!/bin/sh\necho \"$@\"\nfor word; do out=$word; done\ncat > \"$out\" <<'PTX'\n" +
                             std::string(kModule) + "PTX\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return script;
}

}  // namespace

TEST_CASE("without a verb, files with kernels mean verify, and tests mean check") {
  const Workplace place;
  const std::string module = place.file("k.ptx", kModule), source = place.file("k.cu", ""),
                    launch = place.file("k.json", kLaunch), other = place.file("o.json", "{\"version\": 1}"),
                    test = place.file("t/t.litmus", "PTX t\n"),
                    elf = place.file("app",
                                     "\x7f"
                                     "ELF");
  place.file("kernels/k.ptx", kModule);
  for (const std::string& file : {module, source, launch, elf, place.at("kernels")})
    CHECK(cli::names_kernels({file}));
  CHECK(cli::names_kernels({"--grid", "2", module, "--arg", "4"}));
  for (const std::string& file : {other, test, place.at("t"), place.at("none.ptx")})
    CHECK_FALSE(cli::names_kernels({file}));
  CHECK_FALSE(cli::names_kernels({test, "-o", module}));
  const Ran ran = run_line({module, "--block", "32", "--arg", "0"});
  CHECK(ran.status == 0);
  CHECK(has(ran.out, "k<<<1, 32>>>: no race"));
  // Options that `check` alone has, by any of their names.
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--engine", "smt"}, {"-e", "smt"}, {"-esmt"}, {"--unbounded"}, {"-u"}}) {
    CAPTURE(options.front());
    std::vector<std::string> line = {module, "--block", "32", "--arg", "0"};
    line.insert(line.end(), options.begin(), options.end());
    CHECK_FALSE(has(run_line(line).out, "no race"));
  }
}

TEST_CASE("a main is code, and no comment, string, directive or part of a name") {
  CHECK(cli::defines_main("#include <main.h>\nint main() {}\n"));
  CHECK(cli::defines_main("auto f = \"x\";\nint\nmain (int c, char** v) {}"));
  for (const char* text : {"// int main() {}\n", "/* main() */ void f();", "const char* s = \"main()\";",
                           "int domain();", "#define RUN main()\n", "int main_loop();", "int main;", ""})
    CHECK_FALSE(cli::defines_main(text));
}

TEST_CASE("a source is compiled, with the target and the flags") {
  const Workplace place;
  const std::string source = place.file("k.cu", "int main() {}");
  cli::NvccOptions options;
  options.nvcc = fake_nvcc(place);
  options.flags = {"-std=c++17", "-Dname=a b"};
  cli::KernelInputs taken = cli::kernel_inputs({source}, options, {});
  REQUIRE(taken.inputs.size() == 1);
  REQUIRE(taken.inputs[0].text != nullptr);
  CHECK(taken.inputs[0].name == source);
  CHECK(taken.inputs[0].text->name == place.at("k.ptx"));
  CHECK(taken.inputs[0].text->text == kModule);
  CHECK(has(taken.inputs[0].unlaunched, "ptxmc record --verify -- ./k"));
  CHECK(has(taken.notes,
            "compiled by nvcc -arch=sm_90a -lineinfo -ptx " + source + " -std=c++17 '-Dname=a b'\n"));
  options.target = cli::read_architecture("--target", "sm_100f");
  CHECK(has(cli::kernel_inputs({source}, options, {}).notes, "nvcc -arch=sm_100f -lineinfo"));
  options.target.reset();
  options.flags = {"-arch=sm_80"};
  CHECK_FALSE(has(cli::kernel_inputs({source}, options, {}).notes, "sm_90a"));
  launch::Words launched;
  launched.block = "32";
  CHECK(cli::kernel_inputs({source}, options, launched).inputs[0].unlaunched.empty());
}

TEST_CASE("without nvcc, and where it fails, the message says what to do") {
  const Workplace place;
  const std::string source = place.file("k.cu", "");
  cli::NvccOptions options;
  options.nvcc = "";
  const auto error = [&] { return cli::kernel_inputs({source}, options, {}).inputs.at(0).error; };
  CHECK(has(
      error(),
      "is CUDA source, and there is no nvcc on PATH or in /usr/local/cuda/bin; install the CUDA toolkit"));
  CHECK(has(error(), "nvcc -arch=sm_90a -lineinfo -ptx " + source + " -o " + place.at("k.ptx")));
  options.nvcc = "/bin/false";
  CHECK(has(error(), "nvcc cannot compile it"));
  options.nvcc = "/bin/true";
  CHECK(has(error(), "nvcc left no PTX"));
  CHECK_THROWS_WITH_AS(cli::read_architecture("--target", "hopper"),
                       doctest::Contains("expected an architecture"), InputError);
}

TEST_CASE("a folder stands for launches, modules that none names, and tests") {
  const Workplace place;
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"f/a/k.ptx", kModule},
                                                        {"f/a/launch.json", kLaunch},
                                                        {"f/alone.ptx", kModule},
                                                        {"f/t.litmus", ""},
                                                        {"f/other.json", "[1]"},
                                                        {"f/notes", ""}})
    place.file(name, text);
  const cli::KernelFolder folder = cli::kernel_folder(place.at("f"));
  std::string names;
  for (const cli::Input& input : folder.inputs)
    names += std::filesystem::path(input.name).filename().string() + " ";
  CHECK(names == "launch.json alone.ptx t.litmus ");
  CHECK(has(
      folder.note,
      "took 1 file of launches, 1 module that no launch names, and 1 test; left 2 other files (.json, no extension)"));
  std::filesystem::create_directories(place.at("empty"));
  CHECK(has(cli::kernel_folder(place.at("empty")).inputs.at(0).error,
            "no launch (.json), module (.ptx) or test"));
}

TEST_CASE("what has no kernels or no PTX says so") {
  const Workplace place;
  const auto error = [&](const std::string& name, const std::string& bytes) {
    return cli::kernel_inputs({place.file(name, bytes)}, {}, {}).inputs.at(0).error;
  };
  CHECK(has(error("app",
                  "\x7f"
                  "ELF"),
            "holds no kernels of CUDA"));
  CHECK(has(error("cut.fatbin", "\x50\xed\x55\xba\x01"), "a fat binary is damaged"));
  const Ran sass =
      run_line({"verify", place.file("k.sass", "\tcode for sm_90\n\t\tFunction : k\n"), "--block", "1"});
  CHECK(sass.status == 2);
  CHECK(has(sass.err, "is SASS, the machine code of a GPU as text"));
}
