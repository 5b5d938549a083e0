// SPDX-License-Identifier: Apache-2.0
#include "face/cli/kernel_inputs.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>

#include "face/cli/kernel_folder.h"
#include "face/cli/nvcc_line.h"
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
  place.file("mixed/t.litmus", "PTX t\n");
  place.file("mixed/k.json", kLaunch);
  for (const std::string& file : {module, source, launch, elf, place.at("kernels"), place.at("mixed")})
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

TEST_CASE("check says which kernels of a folder it leaves") {
  const Workplace place;
  place.file("f/t.litmus", "");
  CHECK(cli::kernels_left({place.at("f"), place.at("f/t.litmus")}).empty());
  place.file("f/k.ptx", kModule);
  CHECK(
      cli::kernels_left({place.at("f")}) ==
      fmt::format(
          "{0}: took 1 test; left 0 files of launches and 1 module that no launch names: `ptxmc verify {0}` checks them\n",
          place.at("f")));
}

TEST_CASE("a launch names a source, and a source has launches beside it") {
  const Workplace place;
  cli::NvccOptions options;
  options.nvcc = fake_nvcc(place);
  const std::string source = place.file("s/k.cu", "");
  const std::string by_source =
      place.file("s/a.json", R"({"module": "k.cu", "block": 32, "arguments": [{"u64": 0}]})");
  const std::string by_module =
      place.file("s/b.json", R"({"module": "k.ptx", "block": 32, "arguments": [{"u64": 0}]})");
  place.file("s/other.json", R"({"module": "o.cu", "block": 32})");
  CHECK(cli::launches_beside(source) == std::vector<std::string>{by_source, by_module});
  CHECK(cli::cuda_module_of(by_source) == source);
  CHECK(cli::cuda_module_of(by_module).empty());
  const cli::KernelInputs beside = cli::kernel_inputs({source, by_source}, options, {});
  REQUIRE(beside.inputs.size() == 2);  // each launch once
  for (const cli::Input& input : beside.inputs) {
    CHECK(input.error.empty());
    REQUIRE(input.module != nullptr);
    CHECK(input.module->text == kModule);
  }
  CHECK(beside.notes.find("compiled by") == beside.notes.rfind("compiled by"));  // and the source once
  CHECK(has(beside.notes, source + ": launched as " + by_module + " says\n"));
  launch::Words launched;
  launched.block = "32";
  CHECK(cli::kernel_inputs({source}, options, launched).inputs.at(0).name == source);
  CHECK(cli::kernel_inputs({source}, options, {}, cli::LaunchesBeside::unread).inputs.at(0).name == source);
  CHECK(cli::kernel_inputs({source, place.file("alone/k.cu", "")}, options, {}, cli::LaunchesBeside::required)
            .inputs.size() == 2);
  CHECK(run_line({"verify", "--if-launched", place.at("alone/k.cu")}).status == 0);
  CHECK(has(cli::kernel_inputs({place.at("s/other.json")}, options, {}).inputs.at(0).error,
            "o.cu' is no file"));
  const Ran check = run_line({"check", by_source});
  CHECK(check.status == 2);
  CHECK(has(check.err,
            "a.json:1:12: error: module: 'k.cu' is CUDA source, which `ptxmc verify` alone compiles"));
  CHECK(has(run_line({"verify", by_module}).err, "if this file names k.cu, `ptxmc verify` compiles it"));
}

TEST_CASE("a line of nvcc, and what makes PTX of its sources") {
  const cli::NvccLine line = cli::read_nvcc_line({"-forward-unknown-to-host-compiler",
                                                  "--generate-code=arch=compute_90,code=[compute_90,sm_90]",
                                                  "-gencode",
                                                  "arch=compute_100f,code=sm_100f",
                                                  "-I",
                                                  "include",
                                                  "-DX=1",
                                                  "-MD",
                                                  "-MT",
                                                  "k.o",
                                                  "-MF",
                                                  "k.o.d",
                                                  "-x",
                                                  "cu",
                                                  "-c",
                                                  "src/k.cu",
                                                  "main.cpp",
                                                  "b.cu",
                                                  "-lcudart",
                                                  "-L",
                                                  "lib",
                                                  "-lineinfo",
                                                  "-o",
                                                  "k.o"});
  CHECK(line.sources == std::vector<std::string>{"src/k.cu", "b.cu"});
  CHECK(line.ptx.flags ==
        std::vector<std::string>{"-forward-unknown-to-host-compiler", "-I", "include", "-DX=1", "-x", "cu"});
  REQUIRE(line.ptx.target.has_value());
  CHECK(line.ptx.target->name() == "sm_100f");
  CHECK(line.words.size() == 25);
  CHECK_FALSE(line.ptx.nvcc.has_value());
  const cli::NvccLine named =
      cli::read_nvcc_line({"/opt/cuda/bin/nvcc", "-arch", "sm_90", "--gpu-code=sm_90a", "k.cu", "-o"});
  CHECK(named.words ==
        std::vector<std::string>{"/opt/cuda/bin/nvcc", "-arch", "sm_90", "--gpu-code=sm_90a", "k.cu", "-o"});
  CHECK(named.ptx.nvcc == "/opt/cuda/bin/nvcc");
  CHECK(named.ptx.target->name() == "sm_90a");
  CHECK(named.ptx.flags.empty());
  CHECK_FALSE(cli::read_nvcc_line({"-arch=native", "k.cu"}).ptx.target.has_value());
}

TEST_CASE("nvcc: its failure, and nothing to verify") {
  const Workplace place;
  const std::string nvcc = fake_nvcc(place), source = place.file("k.cu", ""), object = place.at("k.o");
  CHECK(run_line({"nvcc", "--", nvcc, "-c", source, "-o", object}).status == 0);
  const std::string launch =
      place.file("k.json", R"({"module": "k.cu", "block": 32, "arguments": [{"u64": 0}]})");
  const Ran verified =
      run_line({"nvcc", "--no-config", "--", nvcc, "-arch=sm_80", "-c", source, "-o", object});
  CHECK(verified.status == 0);
  CHECK(has(verified.out, "k<<<1, 32>>>: no race"));
  CHECK(has(verified.err, "compiled by nvcc -arch=sm_80 -lineinfo -ptx " + source));
  place.file("bin/nvcc", "#!/bin/sh\nexit 7\n");
  std::filesystem::permissions(place.at("bin/nvcc"), std::filesystem::perms::owner_all);
  const Ran failed = run_line({"nvcc", "--", place.at("bin/nvcc"), "-c", source});
  CHECK(failed.status == 2);
  CHECK(has(failed.err, "nvcc ended with status 7: nothing was verified"));
  CHECK(has(run_line({"nvcc"}).err, "say what to compile, after `--`"));
  CHECK(has(run_line({"nvcc", "--help"}).out, "CMAKE_CUDA_COMPILER_LAUNCHER"));
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
