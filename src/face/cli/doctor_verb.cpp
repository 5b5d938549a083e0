// SPDX-License-Identifier: Apache-2.0
// The verb `doctor`: what of the system ptxmc can use, with versions, and what each is for.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "face/cli/nvcc.h"
#include "face/cli/option_rows.h"
#include "face/cli/record_verb.h"
#include "face/cli/run_program.h"
#include "report/json/line.h"
#include "support/diagnostic.h"
#include "support/printable.h"

namespace ptxmc::cli {

namespace {

struct FoundPart {
  bool there = false;
  std::string version;  ///< or what is wrong; may be empty
  std::string where = {};
};

struct SystemPart {
  std::string_view name;
  bool needed;  ///< verbs that do without a GPU need it
  std::string_view use, install;
  FoundPart (*look)();
};

/// The first line of a program's output that has one of these words.
std::string line_with(const std::string& output, std::string_view word) {
  std::string_view rest = output;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.find(word) != std::string_view::npos) return printable(std::string(line));
  }
  return "";
}

/// A program that says its version in a line that has `word`.
FoundPart program_that_says(const std::string& file, const std::vector<std::string>& arguments,
                            std::string_view word) {
  if (file.empty()) return {};
  std::vector<std::string> words = {file};
  words.insert(words.end(), arguments.begin(), arguments.end());
  try {
    const ProgramRun ran = run_program(words);
    const std::string version = line_with(ran.output, word);
    if (ran.status == 0 && !version.empty()) return {true, version, file};
    return {false, "it does not run", file};
  } catch (const InputError&) {
    return {false, "it does not run", file};
  }
}

FoundPart cuda_program(const std::string& name) {
  return program_that_says(find_cuda_program(name), {"--version"}, "release");
}

/// A library that is never unloaded, as one that the program uses later.
void* open_library(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  return nullptr;
}

template <typename Function>
Function function_of(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

FoundPart look_for_z3() {
  void* const library = open_library({"libz3.so.4", "libz3.so"});
  if (library == nullptr) return {};
  const auto version = function_of<const char* (*)()>(library, "Z3_get_full_version");
  return version == nullptr ? FoundPart{false, "it has no version"} : FoundPart{true, version()};
}

FoundPart look_for_driver() {
  void* const library = open_library({"libcuda.so.1"});
  if (library == nullptr) return {};
  const auto init = function_of<int (*)(unsigned)>(library, "cuInit");
  const auto version = function_of<int (*)(int*)>(library, "cuDriverGetVersion");
  const auto count = function_of<int (*)(int*)>(library, "cuDeviceGetCount");
  if (init == nullptr || version == nullptr || count == nullptr) return {false, "it is no driver of CUDA"};
  int number = 0, devices = 0;
  if (init(0) != 0 || version(&number) != 0 || count(&devices) != 0)
    return {false, "the driver is there, and finds no GPU"};
  constexpr int kMajor = 1000, kMinor = 10;
  return {true, fmt::format("CUDA {}.{}, {} GPU{}", number / kMajor, number % kMajor / kMinor, devices,
                            devices == 1 ? "" : "s")};
}

FoundPart look_for_recorder() {
  try {
    return {true, "", recording_folder()};
  } catch (const InputError&) {
    return {};
  }
}

FoundPart look_for_compression() {
  const bool lz4 = open_library({"liblz4.so.1"}) != nullptr, zstd = open_library({"libzstd.so.1"}) != nullptr;
  if (lz4 && zstd) return {true, "LZ4 and zstd"};
  return {false, lz4 ? "zstd is missing" : zstd ? "LZ4 is missing" : ""};
}

FoundPart look_for_python() {
  constexpr const char* kImport = "import ptxmc, sys; print('ptxmc module, Python', sys.version.split()[0])";
  FoundPart out = program_that_says(find_program("python3"), {"-c", kImport}, "ptxmc module");
  if (!out.there && !out.where.empty()) out.version = "this Python does not import it";
  return out;
}

constexpr std::array kParts = {
    SystemPart{
        "Z3", true,
        "the exact engine for programs with unknown values; `check`, `races`, `explain`, and confirming races of `verify`",
        "Debian: libz3-4", look_for_z3},
    SystemPart{"nvcc", false, "`ptxmc kernel.cu`: compiling CUDA sources",
               "the CUDA toolkit, on PATH or in /usr/local/cuda", [] { return cuda_program("nvcc"); }},
    SystemPart{"ptxas", false, "assembling what `check --emit-ptx` and `repair` write", "the CUDA toolkit",
               [] { return cuda_program("ptxas"); }},
    SystemPart{"nvdisasm", false, "looking at machine code beside a report; ptxmc itself reads PTX alone",
               "the CUDA toolkit", [] { return cuda_program("nvdisasm"); }},
    SystemPart{"CUDA driver", false, "`run` on a GPU; `record` in front of it, else on a simulated device",
               "NVIDIA's driver", look_for_driver},
    SystemPart{"recording driver", false, "`record`", "it is installed beside ptxmc, in lib/ptxmc/record",
               look_for_recorder},
    SystemPart{"LZ4 and zstd", false, "PTX that nvcc compressed, in `record` and in programs",
               "Debian: liblz4-1 libzstd1", look_for_compression},
    SystemPart{"Graphviz", false, "drawing what `--format dot` writes; `--format svg` needs nothing",
               "Debian: graphviz", [] { return program_that_says(find_program("dot"), {"-V"}, "version"); }},
    SystemPart{"Python module", false, "`import ptxmc` in Python and notebooks",
               "`pip install .` in a checkout", look_for_python},
};

Status doctor(bool json, Streams& streams) {
  Status status = Status::ok;
  nlohmann::ordered_json out = report::json_head("doctor");
  out["parts"] = nlohmann::ordered_json::array();
  for (const SystemPart& part : kParts) {
    const FoundPart found = part.look();
    if (part.needed && !found.there) status = Status::unmet;
    out["parts"].push_back({{"name", part.name},
                            {"there", found.there},
                            {"version", found.version},
                            {"where", found.where},
                            {"needed", part.needed},
                            {"use", part.use},
                            {"install", part.install}});
    if (json) continue;
    const std::string what = found.version.empty() ? (found.there ? "found" : "not found") : found.version;
    streams.out << fmt::format("{:<8} {}: {}{}\n",
                               found.there   ? "ok"
                               : part.needed ? "missing"
                                             : "without",
                               part.name, what, found.where.empty() ? "" : fmt::format(" ({})", found.where));
    streams.out << fmt::format("         for {}\n", part.use);
    if (!found.there) streams.out << fmt::format("         to install: {}\n", part.install);
  }
  if (json) streams.out << report::json_text(out);
  return status;
}

}  // namespace

Status doctor_verb(const Arguments& arguments, Streams& streams) {
  App app("Says what of this system ptxmc can use, with versions, and what each is for.", "ptxmc doctor");
  app.footer(
      "Exit status: 0 all that verbs need is there, whatever else is not; 1 something that they need is missing; 2 usage error.\n"
      "\n"
      "Example:\n"
      "  ptxmc doctor\n");
  bool json = false;
  app.add_option_function<std::string>(
         "-f,--format", [&json](const std::string& name) { json = name == "json"; },
         "a list, or a JSON object; default text")
      ->check(one_of({"text", "json"}))
      ->option_text("text|json");
  return parse_and_run(app, arguments, streams, [&] { return doctor(json, streams); });
}

}  // namespace ptxmc::cli
