// SPDX-License-Identifier: Apache-2.0
// The PTX part of Dat3M's suite: verdicts published for that project's PTX 6.0 and 7.5 models, with unbounded
// integers and every loop body entered once.
#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include "harness.h"
#include "model/models.h"
#include "suites.h"

namespace ptxmc::testing {
namespace {

const lower::Options kPublished{.unroll = 1, .unbounded = true};

relation::MemoryModel load(const std::string& name) {
  return model::load(name, event::base_signature());
}

/// Rows `FILE,0|1`, in the order of the file.
std::vector<std::pair<std::string, bool>> read_rows(const std::filesystem::path& path) {
  std::vector<std::pair<std::string, bool>> rows;
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const std::size_t comma = line.rfind(',');
    if (comma == std::string::npos || (line.substr(comma + 1) != "0" && line.substr(comma + 1) != "1")) {
      throw std::runtime_error(path.string() + ": no row: " + line);
    }
    rows.emplace_back(line.substr(0, comma), line[comma + 1] == '1');
  }
  return rows;
}

/// Runs `body`; an exception is an error of that file, and the others still run.
std::size_t guarded(const std::string& file, const std::function<std::size_t()>& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    fmt::print("ERROR {}: {}\n", file, error.what());
    return 1;
  }
}

std::string_view said(bool holds) {
  return holds ? "holds" : "does not hold";
}

}  // namespace

std::size_t dat3m_agree(const SuiteOptions& options) {
  const relation::MemoryModel model = load(std::string(model::kDefaultProfile));
  std::size_t errors = 0, files = 0;
  Counts counts;
  for (const std::filesystem::path& path : files_below(options.suites / "dat3m", ".litmus")) {
    ++files;
    errors += guarded(path.string(), [&]() -> std::size_t {
      const lower::Options lowering;
      const Prepared prepared = prepare(path.string(), read_file(path), lowering);
      auto failure = check_round_trip(prepared, lowering);
      if (!failure) failure = compare_engines(prepared, model, {}, counts);
      if (failure) fmt::print("ERROR {}: {}: {}\n", path.string(), failure->kind, failure->detail);
      return failure ? 1 : 0;
    });
  }
  fmt::print("{} files, {} states, {} questions left open\n", files, counts.states, counts.incomplete);
  return errors + (files == 0 ? 1 : 0);
}

std::size_t dat3m_published(const SuiteOptions& options, const std::string& model_name) {
  const std::string words = (options.data / (model_name + "-words.cat")).string();
  const std::vector<relation::MemoryModel> models = {load(model_name), load(words)};
  const std::string csv = model_name == "ptx-6.0" ? "expected-PTXv6_0.csv" : "expected-PTXv7_5.csv";
  std::size_t errors = 0, rows = 0;
  for (const auto& [file, expected] : read_rows(options.suites / "dat3m" / csv)) {
    ++rows;
    const std::filesystem::path path = options.suites / "dat3m" / file;
    errors += guarded(path.string(), [&, expected_here = expected]() -> std::size_t {
      const Prepared prepared = prepare(path.string(), read_file(path), kPublished);
      std::size_t wrong = 0;
      for (const relation::MemoryModel& model : models) {
        for (const Engine engine : {Engine::explicit_, Engine::smt}) {
          const Answer answer = condition_holds(engine, prepared, model);
          if (answer == (expected_here ? Answer::yes : Answer::no)) continue;
          fmt::print("ERROR {} {}: published: the condition {}; {}: {}\n", model.name, path.string(),
                     said(expected_here), name_of(engine), name_of(answer));
          ++wrong;
        }
      }
      return wrong;
    });
  }
  fmt::print("{}: {} published verdicts, both engines, in our words and theirs\n", model_name, rows);
  return errors + (rows == 0 ? 1 : 0);
}

namespace {

/// What the default model says where a published model says otherwise: "FILE,MODEL,published,ours" -> reason.
using Differences = std::map<std::string, std::string>;

Differences read_differences(const std::filesystem::path& path) {
  Differences all;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::size_t comma = 0;
    for (int field = 0; field < 4 && comma != std::string::npos; ++field)
      comma = line.find(',', comma + (field > 0));
    if (comma == std::string::npos)
      throw std::runtime_error(path.string() + ": five fields expected: " + line);
    all.emplace(line.substr(0, comma), line.substr(comma + 1));
  }
  return all;
}

}  // namespace

std::size_t dat3m_default(const SuiteOptions& options) {
  const relation::MemoryModel model = load(std::string(model::kDefaultProfile));
  const std::filesystem::path table = options.data / "default-differences.csv";
  Differences expected = read_differences(table);
  Differences found;
  std::size_t errors = 0, rows = 0;
  for (const auto& [name, csv] :
       {std::pair{"ptx-6.0", "expected-PTXv6_0.csv"}, std::pair{"ptx-7.5", "expected-PTXv7_5.csv"}}) {
    for (const auto& [file, published] : read_rows(options.suites / "dat3m" / csv)) {
      ++rows;
      const std::filesystem::path path = options.suites / "dat3m" / file;
      errors += guarded(path.string(), [&, n = name, f = file, p = published]() -> std::size_t {
        const Prepared prepared = prepare(path.string(), read_file(path), kPublished);
        const Answer ours = condition_holds(Engine::explicit_, prepared, model);
        if (ours == (p ? Answer::yes : Answer::no)) return 0;
        found.emplace(fmt::format("{},{},{},{}", f, n, p ? 1 : 0,
                                  ours == Answer::unknown ? "?"
                                  : ours == Answer::yes   ? "1"
                                                          : "0"),
                      "");
        return 0;
      });
    }
  }
  for (auto& [row, reason] : found) {
    if (const auto known = expected.find(row); known != expected.end()) {
      reason = known->second;
    } else if (!options.update) {
      fmt::print("ERROR: a difference that {} does not list: {}\n", table.string(), row);
      ++errors;
    }
  }
  for (const auto& entry : expected) {
    if (found.contains(entry.first) || options.update) continue;
    fmt::print("ERROR: listed in {}, but there is no such difference: {}\n", table.string(), entry.first);
    ++errors;
  }
  if (options.update) {
    std::ofstream out(table);
    out << "# Where the default model differs from verdicts published for PTX 6.0 and 7.5 (1: the condition "
           "holds).\n"
           "# file,published model,published,default model,reason\n";
    for (const auto& [row, reason] : found) out << row << ',' << reason << '\n';
  }
  fmt::print("{} published verdicts, {} differ under {}\n", rows, found.size(), model::kDefaultProfile);
  return errors + (rows == 0 ? 1 : 0);
}

}  // namespace ptxmc::testing
