// SPDX-License-Identifier: Apache-2.0
#include "module.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>

namespace ptxmc::fake {

std::optional<Program> read_program(const std::string& ptx) {
  static const std::regex summary(R"(// (.*): (\d+) instances a block, (\d+) values of (\d+) bits)");
  static const std::regex entry(R"(\.visible \.entry (\w+)\()");
  static const std::regex parameter(R"(\.param \.u(?:32|64) ptxmc_(\w+)[,)])");
  Program out;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (out.test.empty() && std::regex_match(line, match, summary)) {
      out.test = match[1];
      out.instances = static_cast<unsigned>(std::stoul(match[2]));
      out.values = static_cast<unsigned>(std::stoul(match[3]));
      out.bits = static_cast<unsigned>(std::stoul(match[4]));
    } else if (std::regex_search(line, match, entry)) {
      out.entries.push_back(match[1]);
    } else if (out.entries.size() == 1 && std::regex_search(line, match, parameter)) {
      out.parameters.push_back(match[1]);
    }
  }
  if (out.test.empty() || out.entries.empty()) return std::nullopt;
  return out;
}

Trouble trouble_of(const std::string& test) {
  static const std::map<std::string, Trouble> kinds = {
      {"endless", Trouble::endless}, {"fault", Trouble::fault}, {"blocked", Trouble::blocked},
      {"jit", Trouble::jit},         {"lossy", Trouble::lossy}, {"killed", Trouble::killed}};
  const char* all = std::getenv("PTXMC_FAKE_TROUBLE");
  std::istringstream entries(all == nullptr ? "" : all);
  for (std::string one; std::getline(entries, one, ',');) {
    const std::size_t equals = one.rfind('=');
    const auto kind = kinds.find(equals == std::string::npos ? "" : one.substr(equals + 1));
    if (kind == kinds.end()) {
      std::fprintf(stderr, "fake driver: PTXMC_FAKE_TROUBLE: no such trouble: %s\n", one.c_str());
      std::abort();
    }
    const std::string named = one.substr(0, equals);
    if (named == "*" || named == test) return kind->second;
  }
  return Trouble::none;
}

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace ptxmc::fake
