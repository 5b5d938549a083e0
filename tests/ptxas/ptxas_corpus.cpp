// SPDX-License-Identifier: Apache-2.0
// ptxas_corpus PTXAS FOLDER EXCEPTIONS: the module of every litmus file of the folder assembles.
// ptxas_corpus PTXAS FOLDER --kernels[=STRESS]: so does the kernel that `run` makes of it, where it can run
// it, under this stress (`run --help` lists its keys).
//
// The assembler takes long to start, so tests that need the same version and target share a module, each
// under a prefix of its own; its messages name lines, lines name tests. A test that is rejected is taken out
// and the rest tried again, until the assembler accepts what is left: so each failure is reported, and none
// hides another.
//
// A file in short forms may hold what PTX cannot express; a native one may not, unless EXCEPTIONS argues it:
// lines `FILE: reason`, where FILE is relative to FOLDER. An exception that is none is a failure too.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "assembler.h"
#include "gpu/harness/harness.h"
#include "gpu/harness/kernels_harness.h"
#include "gpu/harness/system.h"
#include "gpu/text/module.h"
#include "input/litmus/parse.h"
#include "support/diagnostic.h"

namespace fs = std::filesystem;
using ptxmc::test::Assembler;
using ptxmc::test::Assembly;

namespace {

constexpr int kSkipped = 77;
constexpr std::size_t kBatch = 120;  // tests a module
constexpr int kOldest = 75;          // the oldest target of current assemblers; older modules assemble for it

struct Item {
  std::string file;  // relative
  std::string text;
  int lines = 0;
};

struct Batch {
  ptxmc::isa::Target target;
  std::vector<Item> items;
};

struct Failures {
  std::mutex mutex;
  std::map<std::string, std::string> reasons;  // by file
  std::vector<std::string> skipped;            // targets that the assembler does not know

  void add(const std::string& file, const std::string& reason) {
    const std::lock_guard lock(mutex);
    reasons.emplace(file, reason);
  }
};

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

std::map<std::string, std::string> read_exceptions(const fs::path& path) {
  std::map<std::string, std::string> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) throw std::runtime_error("not `FILE: reason`: " + line);
    out.emplace(line.substr(0, colon), line.substr(colon + 2));
  }
  return out;
}

/// The symbols of a harness get a prefix.
template <typename Harness>
ptxmc::gpu::Module renamed(const Harness& harness, const std::string& prefix) {
  std::string text = harness.ptx.substr(harness.ptx.find("//"));
  for (const std::string name : {"ptxmc_run", "ptxmc_kernel", "ptxmc_evaluation", "ptxmc_keys",
                                 "ptxmc_counts", "ptxmc_shared", "ptxmc_go"}) {
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;
         at += prefix.size() + name.size())
      text.insert(at, prefix);
  }
  return {harness.target, text};
}

/// The kernel that runs a test many times, or the kernels.
ptxmc::gpu::Module write_kernel(const ptxmc::program::Program& test, const std::string& prefix,
                                const ptxmc::gpu::HarnessOptions& options) {
  const ptxmc::gpu::Observation observation(test);
  if (test.kernels.stated)
    return renamed(ptxmc::gpu::write_kernels_harness(test, observation, options), prefix);
  if (ptxmc::gpu::is_system(test)) {
    ptxmc::gpu::Module out;
    const ptxmc::gpu::System system = ptxmc::gpu::write_system(test, observation, options);
    for (std::size_t gpu = 0; gpu < system.gpus.size(); ++gpu) {
      const ptxmc::gpu::Module part = renamed(system.gpus[gpu], fmt::format("{}g{}_", prefix, gpu));
      out.target = both(out.target, part.target);
      out.text += part.text;
    }
    return out;
  }
  return renamed(ptxmc::gpu::write_harness(test, observation, options), prefix);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

bool undefined(const ptxmc::litmus::Test& test) {
  return std::any_of(test.verdicts.begin(), test.verdicts.end(), [](const ptxmc::litmus::Verdict& verdict) {
    return verdict.proposition == ptxmc::litmus::Stated::undefined;
  });
}

bool has_constants(const ptxmc::program::Program& test) {
  return std::any_of(test.variables.begin(), test.variables.end(), [](const ptxmc::program::Variable& v) {
    return v.space == ptxmc::isa::Space::const_ || v.alias_proxy == ptxmc::isa::Proxy::constant;
  });
}

/// The modules of all files, in batches of one target.
std::vector<Batch> write_all(const fs::path& folder, const ptxmc::gpu::HarnessOptions* kernels,
                             Failures& failures, std::size_t& refused) {
  using Key = std::tuple<int, bool, int>;
  std::map<Key, std::vector<Item>> groups;
  std::map<Key, ptxmc::isa::Target> targets;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".litmus") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string name = fs::relative(files[i], folder).string();
    bool native = true;
    try {
      const auto source = std::make_shared<ptxmc::Source>(ptxmc::Source{name, read(files[i])});
      const ptxmc::litmus::Test test = ptxmc::litmus::parse(source);
      native = test.native;
      if (kernels != nullptr && undefined(test)) continue;      // `run` refuses it
      if (kernels != nullptr && has_constants(test)) continue;  // their names could clash
      const std::string prefix = fmt::format("t{}_", i);
      const ptxmc::gpu::Module module =
          kernels != nullptr ? write_kernel(test, prefix, *kernels) : ptxmc::gpu::write_module(test, prefix);
      const Key key{module.target.sm, module.target.specific, module.target.version};
      targets[key] = module.target;
      groups[key].push_back(
          {name, module.text, static_cast<int>(std::count(module.text.begin(), module.text.end(), '\n'))});
    } catch (const ptxmc::InputError& error) {
      ++refused;
      if (kernels != nullptr && std::getenv("PTXMC_SHOW_REFUSED") != nullptr) fmt::print("{}", error.what());
      if (native && kernels == nullptr) failures.add(name, "no module: " + first_line(error.what()));
    }
  }
  std::vector<Batch> batches;
  for (auto& [key, items] : groups) {
    for (std::size_t at = 0; at < items.size(); at += kBatch) {
      const std::size_t end = std::min(items.size(), at + kBatch);
      batches.push_back({targets[key],
                         {items.begin() + static_cast<std::ptrdiff_t>(at),
                          items.begin() + static_cast<std::ptrdiff_t>(end)}});
    }
  }
  return batches;
}

std::string arch_of(const ptxmc::isa::Target& target) {
  ptxmc::isa::Target arch = target;
  arch.sm = std::max(arch.sm, kOldest);
  return ptxmc::isa::sm_name(arch);
}

void assemble(const Assembler& assembler, Batch batch, Failures& failures) {
  const std::string head = ptxmc::gpu::module_head(batch.target);
  const int head_lines = static_cast<int>(std::count(head.begin(), head.end(), '\n'));
  while (!batch.items.empty()) {
    std::string text = head;
    for (const Item& item : batch.items) text += item.text;
    const Assembly result = assembler.run(text, arch_of(batch.target));
    if (result.accepted) return;
    std::vector<Item> rest;
    int line = head_lines + 1;
    for (const Item& item : batch.items) {
      const auto error = result.errors.lower_bound(line);
      if (error != result.errors.end() && error->first < line + item.lines) {
        int begin = 0;
        std::size_t at = 0;
        for (; begin < error->first - line; ++begin) at = item.text.find('\n', at) + 1;
        failures.add(item.file, fmt::format("{} (`{}`)", error->second, first_line(item.text.substr(at))));
      } else {
        rest.push_back(item);
      }
      line += item.lines;
    }
    if (rest.size() == batch.items.size()) {  // a message without a line: one by one
      if (rest.size() == 1) return failures.add(rest[0].file, result.output);
      for (const Item& item : rest) assemble(assembler, {batch.target, {item}}, failures);
      return;
    }
    batch.items = std::move(rest);
  }
}

void assemble_all(const Assembler& assembler, const std::vector<Batch>& batches, Failures& failures) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < batches.size(); i = next++) {
      const ptxmc::isa::Target& target = batches[i].target;
      if (!assembler.run(ptxmc::gpu::module_head(target), arch_of(target)).accepted) {
        const std::lock_guard lock(failures.mutex);
        failures.skipped.push_back(fmt::format("PTX {} for {}: {} tests", ptxmc::isa::version_name(target),
                                               ptxmc::isa::sm_name(target), batches[i].items.size()));
        continue;
      }
      assemble(assembler, batches[i], failures);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

int run(const std::string& program, const fs::path& folder, const std::string& exceptions_file) {
  const std::string option = "--kernels";
  const bool kernels = exceptions_file.compare(0, option.size(), option) == 0;
  ptxmc::gpu::HarnessOptions harness;
  if (kernels && exceptions_file.size() > option.size())
    harness.stress = ptxmc::gpu::parse_stress(exceptions_file.substr(option.size() + 1));
  const bool present = fs::exists(program);
  Failures failures;
  std::size_t refused = 0, written = 0;
  const std::vector<Batch> batches = write_all(folder, kernels ? &harness : nullptr, failures, refused);
  for (const Batch& batch : batches) written += batch.items.size();
  if (present) assemble_all(Assembler(program), batches, failures);
  for (const std::string& skipped : failures.skipped)
    fmt::print("SKIPPED: this assembler does not know {}\n", skipped);

  int wrong = 0;
  std::map<std::string, std::string> exceptions;
  if (!kernels) exceptions = read_exceptions(exceptions_file);
  for (const auto& [file, reason] : failures.reasons) {
    if (exceptions.contains(file)) continue;
    fmt::print("{}: {}\n", file, reason);
    ++wrong;
  }
  for (const auto& [file, reason] : exceptions) {
    if (failures.reasons.contains(file) || !present) continue;
    fmt::print("{}: accepted, but listed as an exception ({})\n", file, reason);
    ++wrong;
  }
  fmt::print("{} modules in {} batches, {} files without one, {} exceptions, {} failures\n", written,
             batches.size(), refused, exceptions.size(), wrong);
  if (wrong != 0) return 1;
  if (!present) {
    fmt::print("SKIPPED: there is no ptxas on this machine; the modules were written, but not assembled\n");
    return kSkipped;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw std::runtime_error("usage: ptxas_corpus PTXAS FOLDER EXCEPTIONS|--kernels[=STRESS]");
    return run(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "ptxas_corpus: {}\n", error.what());
    return 2;
  }
}
