// SPDX-License-Identifier: Apache-2.0
#include "face/cli/conform_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "face/cli/inputs.h"
#include "face/cli/number_in.h"
#include "ptx/isa/opcode.h"
#include "support/refuse.h"
#include "support/text.h"

namespace ptxmc::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kList = "conformance.suite";

/// The words of a cell, which blanks and commas separate.
std::set<std::string> words_in(std::string_view cell) {
  std::set<std::string> out;
  constexpr std::string_view kBetween = " ,\t";
  while ((cell.remove_prefix(std::min(cell.find_first_not_of(kBetween), cell.size())), !cell.empty())) {
    const std::size_t end = std::min(cell.find_first_of(kBetween), cell.size());
    out.emplace(cell.substr(0, end));
    cell.remove_prefix(end);
  }
  return out;
}

/// Reads the list, line by line.
class SuiteReader {
 public:
  SuiteReader(const SourcePtr& source, std::string folder) : source_(source), folder_(std::move(folder)) {}

  Suite read() {
    std::istringstream lines(source_->text);
    for (std::string line; std::getline(lines, line);) {
      ++line_;
      const std::string_view text = trimmed(line);
      if (text.empty() || text.starts_with('#')) continue;
      if (suite_.version == 0) {
        head(text);
      } else {
        test(text);
      }
    }
    if (suite_.version == 0) refuse_line("expected `suite VERSION MODEL`");
    if (suite_.tests.empty()) refuse_line("the suite has no tests");
    return std::move(suite_);
  }

 private:
  [[noreturn]] void refuse_line(const std::string& why) const {
    ptxmc::refuse(source_, Position{std::max(line_, 1U), 1, 1}, why);
  }

  void head(std::string_view text) {
    std::istringstream words{std::string(text)};
    std::string first, version, rest;
    words >> first >> version >> suite_.model;
    const auto number = number_in<unsigned>(version);
    if (first != "suite" || !number || *number == 0 || suite_.model.empty() || words >> rest)
      refuse_line("expected `suite VERSION MODEL`");
    suite_.version = *number;
  }

  void test(std::string_view text) {
    const std::size_t first = text.find('|');
    const std::size_t second = first == std::string_view::npos ? first : text.find('|', first + 1);
    if (second == std::string_view::npos) refuse_line("expected `NAME | SECTION, ... | AXIOM ...`");
    SuiteTest out;
    out.name = trimmed(text.substr(0, first));
    out.file = (fs::path(folder_) / (out.name + ".litmus")).string();
    std::error_code ignored;
    if (!fs::exists(out.file, ignored)) refuse_line(fmt::format("there is no test '{}'", out.file));
    out.subjects[observed::Axis::section] = words_in(text.substr(first + 1, second - first - 1));
    out.subjects[observed::Axis::axiom] = words_in(text.substr(second + 1));
    suite_.tests.push_back(std::move(out));
  }

  const SourcePtr& source_;
  const std::string folder_;
  Suite suite_;
  std::uint32_t line_ = 0;
};

/// The asynchronous operations of an instruction, or what they complete on.
struct Asynchronous {
  std::string_view name;     ///< empty: it has none
  bool is_of_proxy = false;  ///< their accesses are through the async proxy (8.6)
};

Asynchronous asynchronous_of(isa::Opcode opcode) {
  using isa::Opcode;
  switch (opcode) {
    case Opcode::cp_async:
    case Opcode::cp_async_commit:
    case Opcode::cp_async_wait:
    case Opcode::cp_async_wait_all:
    case Opcode::cp_async_arrive:
      return {"cp.async"};
    case Opcode::cp_async_bulk:
    case Opcode::cp_reduce_async_bulk:
      return {"cp.async.bulk", true};
    case Opcode::cp_async_bulk_tensor:
    case Opcode::cp_reduce_async_bulk_tensor:
      return {"cp.async.bulk.tensor", true};
    case Opcode::st_async:
    case Opcode::red_async:
      return {"st.async"};
    case Opcode::launch_cancel:
      return {"clusterlaunchcontrol"};
    case Opcode::wgmma_mma:
      return {"wgmma", true};
    case Opcode::griddep_wait:
    case Opcode::griddep_launch:
      return {"griddepcontrol"};
    default:
      break;
  }
  switch (isa::traits(opcode).family) {
    case isa::Family::mbarrier:
      return {"mbarrier"};
    case isa::Family::tensor:
      return {"tcgen05", true};
    default:
      return {};
  }
}

}  // namespace

Suite read_suite(const std::string& folder) {
  const std::string list = (fs::path(folder) / kList).string();
  std::istringstream none;
  return SuiteReader(read_input({list, ""}, none), folder).read();
}

std::string suite_folder() {
  const fs::path own = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder :
       {own / ".." / "share" / "ptxmc" / "litmus", own / ".." / ".." / "litmus", own / "litmus"}) {
    if (fs::exists(folder / kList)) return fs::canonical(folder).string();
  }
  refuse(fmt::format("the suite is not installed with {}: --suite DIR", own.string()));
}

observed::Subjects subjects_of(const litmus::Test& test) {
  observed::Subjects out;
  for (const program::Thread& thread : test.threads) {
    for (const program::Instruction& instruction : thread.code()) {
      const isa::Modifiers& modifiers = instruction.modifiers;
      if (modifiers.scope != isa::Scope::none)
        out[observed::Axis::scope].emplace(isa::name_of(modifiers.scope));
      const isa::Family family = isa::traits(instruction.opcode).family;
      if (family == isa::Family::memory || family == isa::Family::fence)
        out[observed::Axis::proxy].emplace(isa::name_of(modifiers.proxy));
      const Asynchronous asynchronous = asynchronous_of(instruction.opcode);
      if (asynchronous.name.empty()) continue;
      out[observed::Axis::asynchronous].emplace(asynchronous.name);
      if (asynchronous.is_of_proxy) out[observed::Axis::proxy].emplace(isa::name_of(isa::Proxy::async));
    }
  }
  return out;
}

}  // namespace ptxmc::cli
