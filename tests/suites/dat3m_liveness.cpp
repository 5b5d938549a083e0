// SPDX-License-Identifier: Apache-2.0
// Dat3M's liveness verdicts: 1 when every execution ends under a fair scheduler, with unbounded integers and
// every loop body entered once.
#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "axiomatic/question/liveness.h"
#include "axiomatic/recheck/recheck.h"
#include "harness.h"
#include "model/models.h"
#include "suites.h"

namespace ptxmc::testing {
namespace {

const lower::Options kPublished{
    .unroll = 1, .unbounded = true, .readings = {}, .liveness = lower::ProgressModel::fair};

/// "yes": somebody can wait for ever.
Answer hangs(Engine engine, const Prepared& prepared, const relation::MemoryModel& model) {
  const engine::Query query = query_for(prepared, model, engine::Ask::verdict);
  const engine::Result result = solve(engine, query);
  for (const engine::State& state : result.states) {
    for (const std::string& what : check::recheck(query, state))
      throw std::runtime_error("re-check: " + what);
  }
  if (!result.states.empty()) return Answer::yes;
  return result.complete && !prepared.graph->cut ? Answer::no : Answer::unknown;
}

std::size_t check_row(const std::filesystem::path& path, bool terminates,
                      const relation::MemoryModel& model) {
  std::size_t wrong = 0;
  const Prepared prepared = prepare(path.string(), read_file(path), kPublished);
  for (Engine engine : {Engine::explicit_, Engine::smt}) {
    const Answer answer = hangs(engine, prepared, model);
    if (answer == (terminates ? Answer::no : Answer::yes)) continue;
    fmt::print("ERROR {} {}: published: {}; {}: hangs: {}\n", model.name, path.string(),
               terminates ? "terminates" : "hangs", name_of(engine), name_of(answer));
    ++wrong;
  }
  return wrong;
}

}  // namespace

std::size_t dat3m_liveness(const SuiteOptions& options) {
  std::size_t errors = 0;
  for (const auto& [name, csv] : {std::pair{"ptx-6.0", "expected-PTXv6_0-Liveness.csv"},
                                  std::pair{"ptx-7.5", "expected-PTXv7_5-Liveness.csv"}}) {
    const relation::MemoryModel model =
        check::with_progress(model::load(name, event::base_signature()), event::base_signature());
    const std::filesystem::path table = options.suites / "dat3m" / csv;
    std::ifstream in(table);
    if (!in) throw std::runtime_error("cannot read " + table.string());
    std::size_t rows = 0;
    for (std::string line; std::getline(in, line);) {
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
      if (line.empty()) continue;
      const std::size_t comma = line.rfind(',');
      const std::string verdict = comma == std::string::npos ? "" : line.substr(comma + 1);
      if (verdict != "0" && verdict != "1") throw std::runtime_error(table.string() + ": no row: " + line);
      const std::filesystem::path path = options.suites / "dat3m" / line.substr(0, comma);
      ++rows;
      try {
        errors += check_row(path, verdict == "1", model);
      } catch (const std::exception& error) {
        fmt::print("ERROR {}: {}\n", path.string(), error.what());
        ++errors;
      }
    }
    fmt::print("{}: {} published liveness verdicts, both engines\n", name, rows);
    if (rows == 0) ++errors;
  }
  return errors;
}

}  // namespace ptxmc::testing
