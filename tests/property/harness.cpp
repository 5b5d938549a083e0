// SPDX-License-Identifier: Apache-2.0
#include "harness.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "axiomatic/engine/explicit/explicit.h"
#include "axiomatic/engine/smt/smt.h"
#include "input/litmus/parse.h"
#include "support/check.h"

namespace ptxmc::testing {

using engine::Ask;
using engine::Query;
using engine::Result;
using engine::State;
using event::ProgramGraph;
using relation::MemoryModel;

Prepared prepare(litmus::Test test, const lower::Options& options) {
  Prepared prepared;
  prepared.test = std::move(test);
  prepared.graph = std::make_unique<ProgramGraph>(lower::lower(prepared.test, options));
  prepared.base = event::compute_base(*prepared.graph);
  return prepared;
}

Prepared prepare(const std::string& name, const std::string& text, const lower::Options& options) {
  return prepare(litmus::parse(std::make_shared<Source>(Source{name, text})), options);
}

Query query_for(const Prepared& prepared, const MemoryModel& model, Ask ask, std::size_t flag) {
  return Query{.graph = *prepared.graph,
               .base = prepared.base,
               .signature = event::base_signature(),
               .model = model,
               .ask = ask,
               .flag = flag,
               .budget = prepared.time_limit};
}

Result solve(Engine engine, const Query& query) {
  return engine == Engine::smt ? engine::smt::solve(query) : engine::explicit_::solve(query);
}

Result solve_in_time(Engine engine, const Query& query) {
  Query limited = query;
  limited.budget = Budget(kTimeLimit);
  return solve(engine, limited);
}

std::string_view name_of(Engine engine) {
  return engine == Engine::smt ? "smt" : "explicit";
}

std::string_view name_of(Answer answer) {
  switch (answer) {
    case Answer::no:
      return "no";
    case Answer::yes:
      return "yes";
    case Answer::unknown:
      return "unknown";
  }
  return "";
}

Answer found(const Result& result) {
  if (!result.states.empty()) return Answer::yes;
  return result.complete ? Answer::no : Answer::unknown;
}

namespace {

Answer negate(Answer answer) {
  if (answer == Answer::unknown) return answer;
  return answer == Answer::yes ? Answer::no : Answer::yes;
}

}  // namespace

Answer condition_holds(Engine engine, const Prepared& prepared, const MemoryModel& model) {
  const Answer decisive = found(solve(engine, query_for(prepared, model, Ask::verdict)));
  return prepared.graph->goal == event::Goal::exists ? decisive : negate(decisive);
}

Answer proposition_reachable(Engine engine, const Prepared& prepared, const MemoryModel& model) {
  if (prepared.graph->goal != event::Goal::forall) {
    return found(solve(engine, query_for(prepared, model, Ask::verdict)));
  }
  const Result result = solve(engine, query_for(prepared, model, Ask::states));
  for (const State& state : result.states) {
    if (state.satisfied) return Answer::yes;
  }
  return result.complete ? Answer::no : Answer::unknown;
}

Answer flag_raised(Engine engine, const Prepared& prepared, const MemoryModel& model,
                   const std::string& flag) {
  for (std::size_t i = 0; i < model.flags.size(); ++i) {
    if (model.flags[i].name == flag) return found(solve(engine, query_for(prepared, model, Ask::flag, i)));
  }
  return Answer::no;
}

Counts& Counts::operator+=(const Counts& other) {
  states += other.states;
  incomplete += other.incomplete;
  reference += other.reference;
  unsupported += other.unsupported;
  bytes += other.bytes;
  turns += other.turns;
  exchanges += other.exchanges;
  races += other.races;
  raced += other.raced;
  hangs += other.hangs;
  waited += other.waited;
  return *this;
}

std::string describe(const ProgramGraph& graph, const State& state) {
  std::string text;
  for (std::size_t i = 0; i < state.values.size() && i < graph.observables.size(); ++i) {
    const bool named = !state.names.empty() && !state.names[i].empty();
    text += fmt::format("{}={}; ", graph.observables[i].name,
                        named ? state.names[i] : std::to_string(state.values[i]));
  }
  return text + (state.satisfied ? "(satisfied)" : "(not satisfied)");
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               const std::string& extension) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace ptxmc::testing
