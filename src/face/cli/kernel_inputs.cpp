// SPDX-License-Identifier: Apache-2.0
#include "face/cli/kernel_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "face/cli/binary_file.h"
#include "face/cli/kernel_folder.h"
#include "face/cli/shell.h"
#include "input/launch/entry.h"
#include "input/launch/plan_file.h"
#include "input/litmus/nvidia.h"
#include "input/record/embedded.h"
#include "ptx/text/module.h"
#include "support/printable.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostProgram = std::size_t{1} << 31;  // bytes of a program or a library
constexpr std::size_t kMostCuda = std::size_t{1} << 24;     // bytes of a source in which `main` is looked for

bool is_cuda_source(const std::string& file) {
  return fs::path(file).extension() == ".cu";
}

bool is_plain_file(const std::string& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

std::string first_bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string out(kRecognised, '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(in.gcount()));
  return out;
}

bool holds_device_code(const std::string& file) {
  return is_plain_file(file) && record::may_hold_device_code(first_bytes(file));
}

std::string run_advice(const std::string& file) {
  return fmt::format("`ptxmc record --verify -- {}` runs it and checks what it launches",
                     shell_word(file.find('/') == std::string::npos ? "./" + file : file));
}

/// A source with a `main` says itself what it launches.
std::string advice_of_main(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::optional<std::string> text = read_bounded(in, kMostCuda);
  if (!text || !defines_main(*text)) return "";
  const std::string program = fs::path(file).stem().string();
  return fmt::format(
      "it has a `main`, which launches: nvcc -arch=sm_90a -lineinfo -o {0} {1} and `ptxmc record --verify -- ./{0}`",
      shell_word(program), shell_word(file));
}

/// The PTX of files, with notes on where it comes from.
class Extraction {
 public:
  Extraction(const NvccOptions& options, const launch::Words& launch, LaunchesBeside beside)
      : options_(options), launch_(launch), beside_(launch.any() ? LaunchesBeside::unread : beside) {}

  void add(Input input, KernelInputs& out) {
    try {
      if (is_cuda_source(input.name) && is_plain_file(input.name)) return add_cuda(input.name, out);
      if (input.error.empty() && input.name != "-" && holds_device_code(input.name))
        return add_device_code(input.name, out);
      if (const std::string source = input.error.empty() ? cuda_module_of(input.name) : ""; !source.empty())
        return add_launches(input.name, source, out);
    } catch (const InputError& error) {
      input.error = error.diagnostics().front().message;
    }
    out.inputs.push_back(std::move(input));
  }

 private:
  /// Once for each source, though several launches name it.
  SourcePtr compiled(const std::string& source, KernelInputs& out) {
    std::error_code ignored;
    SourcePtr& known = compiled_[fs::weakly_canonical(source, ignored).string()];
    if (known != nullptr) return known;
    const CompiledCuda made = compile_cuda(source, options_);
    out.notes += fmt::format("{}: compiled by {}\n{}", source, made.command, made.messages);
    return known = made.ptx;
  }

  /// A file of launches, unless it was taken already.
  void add_launches(const std::string& file, const std::string& source, KernelInputs& out) {
    if (!is_plain_file(source))
      refuse(
          fmt::format("'{}': module: '{}' is no file; its name is looked up beside this file", file, source));
    std::error_code ignored;
    if (!launches_.insert(fs::weakly_canonical(file, ignored).string()).second) return;
    out.inputs.push_back({file, ""});
    out.inputs.back().module = compiled(source, out);
  }

  void add_cuda(const std::string& file, KernelInputs& out) {
    const std::vector<std::string> beside =
        beside_ == LaunchesBeside::unread ? std::vector<std::string>() : launches_beside(file);
    if (beside.empty() && beside_ == LaunchesBeside::required) {
      out.notes += fmt::format("{}: left out: no file of launches beside it names it\n", file);
      return;
    }
    const SourcePtr ptx = compiled(file, out);
    for (const std::string& launches : beside) {
      out.notes += fmt::format("{}: launched as {} says\n", file, launches);
      add_launches(launches, file, out);
    }
    if (beside.empty()) out.inputs.push_back({file, "", ptx, launch_.any() ? "" : advice_of_main(file)});
  }

  void add_device_code(const std::string& file, KernelInputs& out) {
    std::ifstream in(file, std::ios::binary);
    const std::optional<std::string> bytes = read_bounded(in, kMostProgram);
    if (!bytes) refuse(fmt::format("'{}': more than {} bytes", file, kMostProgram));
    const unsigned architecture = options_.target ? options_.target->number : record::kNewestPtx;
    const record::DeviceCode code = record::device_code(*bytes, architecture);
    std::vector<SourcePtr> modules;
    for (const record::EmbeddedPtx& one : code.modules) {  // named as cuobjdump -xptx all does
      const std::string name = fmt::format("{}.{}.sm_{}.ptx", fs::path(file).stem().string(),
                                           modules.size() + 1, one.architecture);
      modules.push_back(
          std::make_shared<const Source>(Source{(fs::path(file).parent_path() / name).string(), one.text}));
    }
    if (modules.empty()) modules = beside_cubin(file, out);
    if (modules.empty()) refuse_without_ptx(file, *bytes, code);
    out.notes += fmt::format("{}: {} module{} of PTX taken out\n", file, modules.size(),
                             modules.size() == 1 ? "" : "s");
    const std::size_t before = out.inputs.size();
    for (std::size_t i = 0; i < modules.size(); ++i) {
      if (modules.size() > 1 && launch_.any() && !may_hold_kernel(modules[i])) continue;
      const std::string name = modules.size() == 1 ? file : fmt::format("{} (module {})", file, i + 1);
      out.inputs.push_back(
          {name, "", modules[i],
           is_program(std::string_view(*bytes).substr(0, kRecognised)) ? run_advice(file) : "", file});
    }
    if (out.inputs.size() == before) refuse_without_kernel(file, modules);
  }

  /// What nvcc -keep leaves.
  static std::vector<SourcePtr> beside_cubin(const std::string& file, KernelInputs& out) {
    const std::string ptx = fs::path(file).replace_extension(".ptx").string();
    if (fs::path(file).extension() != ".cubin" || !is_plain_file(ptx)) return {};
    std::ifstream in(ptx, std::ios::binary);
    std::optional<std::string> text = read_bounded(in, std::size_t{1} << 28);
    if (!text) return {};
    out.notes +=
        fmt::format("{}: a cubin has no PTX; {}, which lies beside it, is taken for its PTX\n", file, ptx);
    return {std::make_shared<const Source>(Source{ptx, std::move(*text)})};
  }

  /// A module that cannot be read is taken, so that it is said why.
  bool may_hold_kernel(const SourcePtr& source) const {
    try {
      const ptx::Module module = ptx::parse_module(source);
      return launch_.entry.empty() ? !launch::entries_of(module).empty()
                                   : !launch::matches(module, launch_.entry).empty();
    } catch (const InputError&) {
      return true;
    }
  }

  [[noreturn]] static void refuse_without_ptx(const std::string& file, std::string_view bytes,
                                              const record::DeviceCode& code) {
    if (code.newer)
      refuse(fmt::format("'{}': its PTX is for sm_{}, which is newer than --target says", file, *code.newer));
    if (code.has_machine_code_only)
      refuse(
          fmt::format("'{}' holds machine code and no PTX; add PTX with nvcc -gencode "
                      "arch=compute_90a,code=[sm_90a,compute_90a] (a list with compute_ in it keeps the PTX)",
                      file));
    const std::string run = is_program(bytes.substr(0, kRecognised)) ? "; " + run_advice(file) : "";
    refuse(fmt::format("'{}' holds no kernels of CUDA{}", file, run));
  }

  [[noreturn]] void refuse_without_kernel(const std::string& file,
                                          const std::vector<SourcePtr>& modules) const {
    std::string names;
    for (const SourcePtr& source : modules) {
      for (const ptx::Function* entry : launch::entries_of(ptx::parse_module(source)))
        names += (names.empty() ? "" : ", ") + short_function_name(entry->name.name);
    }
    refuse(
        fmt::format("'{}': no kernel of that name (--entry {}); there are {}", file, launch_.entry, names));
  }

  const NvccOptions& options_;
  const launch::Words& launch_;
  LaunchesBeside beside_;
  std::map<std::string, SourcePtr> compiled_;  ///< by the source's path
  std::set<std::string> launches_;             ///< paths of those that were taken with a compiled module
};

}  // namespace

bool names_kernels(const std::vector<std::string>& arguments) {
  const auto is_test = [](const std::string& word) {
    return word.ends_with(".litmus") || litmus::is_nvidia_name(word);
  };
  const auto has_kernels = [](const std::string& word) {
    std::error_code ignored;
    if (word.starts_with('-')) return false;
    if (fs::is_directory(word, ignored)) return holds_kernels(word);
    if (!is_plain_file(word)) return false;
    return word.ends_with(".ptx") || is_cuda_source(word) || is_launch_file(word) || holds_device_code(word);
  };
  return std::none_of(arguments.begin(), arguments.end(), is_test) &&
         std::any_of(arguments.begin(), arguments.end(), has_kernels);
}

KernelInputs kernel_inputs(const std::vector<std::string>& arguments, const NvccOptions& options,
                           const launch::Words& launch, LaunchesBeside beside) {
  KernelInputs out;
  Extraction extraction(options, launch, beside);
  const auto of_folder = [&](const std::string& folder) {
    KernelFolder found = kernel_folder(folder);
    out.notes += found.note;
    return std::move(found.inputs);
  };
  for (Input& input : expand_inputs(arguments, nullptr, of_folder)) extraction.add(std::move(input), out);
  return out;
}

}  // namespace ptxmc::cli
