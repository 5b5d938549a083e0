// SPDX-License-Identifier: Apache-2.0
#include "naive_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>

#include "../command.h"

namespace ptxmc::naive {

namespace {

/// The test with threads in one order, and all else numbered as it comes.
std::string text_in(const Test& test, const std::vector<std::size_t>& order) {
  std::map<int, int> locations, ctas, clusters;
  std::map<std::pair<int, int>, int> values;
  const auto number = [](std::map<int, int>& numbers, int old) {
    return numbers.emplace(old, static_cast<int>(numbers.size())).first->second;
  };
  std::map<int, int> next;
  for (const std::size_t t : order)
    for (const Op& op : test.threads[t])
      if (writes(op)) values[{op.location, op.written}] = ++next[op.location];
  const auto value = [&](int location, int old) { return old <= 0 ? old : values.at({location, old}); };
  std::string text;
  for (const std::size_t t : order) {
    text += fmt::format("@{}/{} ", number(ctas, test.cta[t]), number(clusters, test.cluster[t]));
    for (const Op& op : test.threads[t]) {
      text += fmt::format("{}.{}.{}", op.kind, op.order, op.scope);
      if (op.kind != 'F') text += fmt::format("[{}]", number(locations, op.location));
      if (writes(op)) text += fmt::format("={}", value(op.location, op.written));
      if (reads(op)) text += fmt::format("?{}", value(op.location, op.read));
      text += ' ';
    }
  }
  std::map<int, int> last;
  for (const auto& [old, fresh] : locations)
    last[fresh] = value(old, test.finals[static_cast<std::size_t>(old)]);
  for (const auto& [location, final] : last) text += fmt::format("/{}", final);
  return text;
}

/// "ld.relaxed.gpu.global.u32 %r0, [x]", "fence.sc.gpu"; `results` counts the thread's.
Op op_of(const std::string& line, std::map<std::string, int>& locations,
         std::map<int, std::size_t>& registers, std::size_t place) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const std::vector<std::string> name = split(line.substr(0, blank), ".");
  Op op;
  op.kind = name[0] == "ld" ? 'R' : name[0] == "st" ? 'W' : name[0] == "atom" ? 'U' : 'F';
  op.order = name[1];
  if (op.order != "weak") op.scope = name[2];
  if (op.kind == 'F') return op;
  const std::string variable = line.substr(line.find('[') + 1, line.find(']') - line.find('[') - 1);
  op.location = locations.at(variable);
  if (writes(op)) op.written = std::stoi(line.substr(line.rfind(',') + 1));
  if (reads(op)) registers[std::stoi(line.substr(line.find("%r") + 2))] = place;
  return op;
}

}  // namespace

int written(const Test& test, int location) {
  int count = 0;
  each(test, [&](std::size_t, std::size_t, const Op& op) {
    count += writes(op) && op.location == location ? 1 : 0;
  });
  return count;
}

std::string code_of(const Test& test) {
  std::vector<std::size_t> order(test.threads.size());
  std::iota(order.begin(), order.end(), 0);
  std::string least;
  do {
    std::string text = text_in(test, order);
    if (least.empty() || text < least) least = std::move(text);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

std::string litmus_of(const Test& test) {
  std::string text = "PTX naive\n{\n", condition;
  for (std::size_t location = 0; location < test.finals.size(); ++location) {
    text += fmt::format("  .global .u32 v{} = 0;\n", location);
    condition += fmt::format("{}v{} == 0", condition.empty() ? "" : " /\\ ", location);
  }
  text += "}\n";
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    text += fmt::format("P{} @ cluster {}, cta {} {{\n", t, test.cluster[t], test.cta[t]);
    for (std::size_t i = 0; i < test.threads[t].size(); ++i) {
      const Op& op = test.threads[t][i];
      const std::string order = op.order + (op.scope.empty() ? "" : "." + op.scope);
      if (op.kind == 'R') text += fmt::format("  ld.{}.global.u32 %r{}, [v{}];\n", order, i, op.location);
      if (op.kind == 'W')
        text += fmt::format("  st.{}.global.u32 [v{}], {};\n", order, op.location, op.written);
      if (op.kind == 'U')
        text +=
            fmt::format("  atom.{}.global.exch.b32 %r{}, [v{}], {};\n", order, i, op.location, op.written);
      if (op.kind == 'F') text += fmt::format("  fence.{};\n", order);
      if (reads(op)) condition += fmt::format(" /\\ P{}:%r{} == 0", t, i);
    }
    text += "}\n";
  }
  return text + "exists (" + condition + ")\n";
}

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(by, at), text.size());
    parts.push_back(ptxmc::testing::trimmed(text.substr(at, end - at)));
    at = end + by.size();
  }
  return parts;
}

std::pair<Test, bool> parsed(const std::string& text) {
  Test test;
  std::map<std::string, int> locations;
  std::vector<std::map<int, std::size_t>> registers;
  bool allowed = false;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line == "Verdict=Allowed") allowed = true;
    if (line.starts_with("  .global")) {
      locations[split(line, " ")[4]] = static_cast<int>(test.finals.size());
      test.finals.push_back(kOpen);
    } else if (line.starts_with(" P0 @ ")) {
      for (const std::string& head : split(line.substr(0, line.size() - 1), "|")) {
        test.cta.push_back(std::stoi(head.substr(head.find("cta") + 4)));
        const std::size_t cluster = head.find("cluster");
        test.cluster.push_back(cluster == std::string::npos ? 1000 + test.cta.back()
                                                            : std::stoi(head.substr(cluster + 8)));
      }
      test.threads.resize(test.cta.size());
      registers.resize(test.cta.size());
    } else if (line.ends_with(" ;")) {
      const std::vector<std::string> cells = split(line.substr(0, line.size() - 1), "|");
      for (std::size_t t = 0; t < cells.size(); ++t)
        if (!cells[t].empty())
          test.threads[t].push_back(op_of(cells[t], locations, registers[t], test.threads[t].size()));
    } else if (line.starts_with("exists (")) {
      for (const std::string& part : split(line.substr(8, line.size() - 9), "/\\")) {
        const std::vector<std::string> sides = split(part, "==");
        const int value = std::stoi(sides[1]);
        if (sides[0][0] != 'P') {
          test.finals[static_cast<std::size_t>(locations.at(sides[0]))] = value;
          continue;
        }
        const std::size_t t = std::stoul(sides[0].substr(1));
        const int result = std::stoi(sides[0].substr(sides[0].find("%r") + 2));
        test.threads[t][registers[t].at(result)].read = value;
      }
    }
  }
  return {test, allowed};
}

}  // namespace ptxmc::naive
