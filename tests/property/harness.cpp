// SPDX-License-Identifier: Apache-2.0
#include "harness.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "check/base_differences.h"
#include "check/recheck.h"
#include "engine/explicit/explicit.h"
#include "engine/smt/smt.h"
#include "engine/specialise.h"
#include "litmus/parse.h"
#include "litmus/print.h"
#include "model/rules.h"
#include "source_base.h"
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
  return Query{*prepared.graph,    prepared.base, event::base_signature(), model, ask, flag,
               prepared.time_limit};
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

namespace {

Answer found(const Result& result) {
  if (!result.states.empty()) return Answer::yes;
  return result.complete ? Answer::no : Answer::unknown;
}

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

namespace {

/// States as comparable things: values and whether they satisfy the proposition.
std::vector<std::pair<std::vector<event::Value>, bool>> essence(const Result& result) {
  std::vector<std::pair<std::vector<event::Value>, bool>> all;
  for (const State& state : result.states) {
    auto& [values, satisfied] = all.emplace_back(state.values, state.satisfied);
    for (std::size_t i = 0; i < state.symbols.size(); ++i) {  // values over terms: whichever number they got
      if (state.symbols[i] != 0) values[i] = 0;
    }
    for (const std::uint64_t symbol : state.symbols) values.push_back(static_cast<event::Value>(symbol));
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::optional<Failure> check_witnesses(Engine engine, const Query& query, const Result& result) {
  for (const State& state : result.states) {
    const std::vector<std::string> complaints = check::recheck(query, state);
    if (complaints.empty()) continue;
    std::string detail = fmt::format("{}: state {}:", name_of(engine), describe(query.graph, state));
    for (const std::string& complaint : complaints) detail += " " + complaint + ";";
    return Failure{fmt::format("witness-rejected-{}", name_of(engine)), detail};
  }
  return std::nullopt;
}

std::string list_states(const ProgramGraph& graph, const Result& result) {
  std::string text = fmt::format("{} states{}{}:", result.states.size(),
                                 result.complete ? "" : ", incomplete: ", result.unknown);
  for (const State& state : result.states) text += "\n    " + describe(graph, state);
  return text;
}

/// True iff `part` (of an engine that gave up, maybe) has no state that a complete result `whole` lacks.
bool included(const Result& part, const Result& whole) {
  const auto a = essence(part), b = essence(whole);
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}

std::optional<Failure> compare_states(const ProgramGraph& graph, const Result& a, const Result& b,
                                      const char* first = "explicit", const char* second = "smt") {
  // What a value over terms must be is known once all executions with it are.
  const bool both = a.complete && b.complete;
  if (!both && graph.exprs.has_terms()) return std::nullopt;
  if (both) {
    const auto differ = [](std::optional<bool> x, std::optional<bool> y) { return x && y && *x != *y; };
    if (differ(a.some_depends, b.some_depends) || differ(a.all_depends, b.all_depends))
      return Failure{"dependence-differs",
                     fmt::format("{} and {} differ on whether the answer depends on unknown values: {}; {}",
                                 first, second, a.depends_on, b.depends_on)};
  }
  const bool agree = (!b.complete || included(a, b)) && (!a.complete || included(b, a));
  if (agree) return std::nullopt;
  return Failure{"states-differ", fmt::format("{}: {}\n  {}: {}", first, list_states(graph, a), second,
                                              list_states(graph, b))};
}

/// Both engines count as many states as the explicit one lists.
std::optional<Failure> compare_count(const Query& query, const Result& listed) {
  if (!listed.complete) return std::nullopt;
  Query question = query;
  question.count = true;
  for (Engine engine : {Engine::explicit_, Engine::smt}) {
    const Result counted = solve_in_time(engine, question);
    if (!counted.complete || (counted.count && *counted.count == listed.states.size())) continue;
    return Failure{"count-differs", fmt::format("{} counts {}, listed are {}", name_of(engine),
                                                counted.count ? fmt::format("{}", *counted.count) : "nothing",
                                                listed.states.size())};
  }
  return std::nullopt;
}

/// The same states, one by one and packed.
std::optional<Failure> compare_packed(const Query& query, const Result& listed) {
  if (!listed.complete) return std::nullopt;
  Query question = query;
  question.witnesses = 1;
  question.packs_from = 2;
  const Result result = solve_in_time(Engine::explicit_, question);
  if (!result.complete || !result.packed) return std::nullopt;
  std::size_t next = 0;
  bool same = result.packed->size() == listed.states.size();
  result.packed->for_each([&](const std::vector<std::uint32_t>& codes, bool satisfied) {
    if (!same) return;
    const State& state = listed.states[next++];
    same = satisfied == state.satisfied;
    for (std::size_t i = 0; i < codes.size(); ++i)
      same = same && result.packed->domain(i)[codes[i]] == state.values[i];
  });
  if (same) return std::nullopt;
  return Failure{"packed-states-differ", fmt::format("listed: {}", list_states(query.graph, listed))};
}

/// The explicit engine answers the same where it leaves out nothing.
std::optional<Failure> compare_reductions(const Query& query, const Result& reduced) {
  Query question = query;
  question.reductions = engine::kNoReductions;
  const Result whole = solve_in_time(Engine::explicit_, question);
  auto failure = check_witnesses(Engine::explicit_, question, whole);
  if (!failure && query.ask == Ask::states)
    failure = compare_states(query.graph, reduced, whole, "reduced search", "whole search");
  const Answer a = found(reduced), b = found(whole);
  if (!failure && a != b && a != Answer::unknown && b != Answer::unknown)
    failure = Failure{"answer-differs", fmt::format("{} reduced, {} whole", name_of(a), name_of(b))};
  if (failure) failure->kind = "reductions-" + failure->kind;
  return failure;
}

/// The verdict question against the list of states of the same engine.
std::optional<Failure> compare_verdict(Engine engine, const Query& query, const Result& states,
                                       Counts& counts) {
  Query question = query;
  question.ask = Ask::verdict;
  const Result result = solve_in_time(engine, question);
  if (!result.complete && result.states.empty()) {
    ++counts.incomplete;
    return std::nullopt;
  }
  if (auto failure = check_witnesses(engine, question, result)) return failure;
  if (engine == Engine::explicit_) {
    if (auto failure = compare_reductions(question, result)) return failure;
  }
  const bool wanted = query.graph.goal != event::Goal::forall;
  const bool exists = std::any_of(states.states.begin(), states.states.end(),
                                  [&](const State& s) { return s.satisfied == wanted; });
  const std::string kind = fmt::format("verdict-differs-{}", name_of(engine));
  if (result.states.size() > 1) return Failure{kind, "a verdict question answered with several states"};
  if (states.complete && exists != !result.states.empty()) {
    return Failure{kind, fmt::format("decisive state {} by the verdict question, {} by the states: {}",
                                     result.states.empty() ? "not found" : "found",
                                     exists ? "found" : "not found", list_states(query.graph, states))};
  }
  if (!result.states.empty() && result.states[0].satisfied != wanted) {
    return Failure{kind, "the decisive state does not decide: " + describe(query.graph, result.states[0])};
  }
  if (states.complete && !query.graph.exprs.has_terms() && !included(result, states)) {
    return Failure{kind,
                   "the decisive state is not among the states: " + describe(query.graph, result.states[0])};
  }
  return std::nullopt;
}

/// By the explicit engine, with the model folded to what it says of this program.
Result solve_specialised(const Query& query) {
  const engine::Specialiser specialiser(query.model);
  return specialiser.solve(query, [](const Query& q) { return solve_in_time(Engine::explicit_, q); });
}

std::optional<Failure> compare_flag(const Query& query, std::size_t flag, Counts& counts) {
  Query question = query;
  question.ask = Ask::flag;
  question.flag = flag;
  Result results[2];
  for (Engine engine : {Engine::explicit_, Engine::smt}) {
    Result& result = results[static_cast<int>(engine)];
    result = solve_in_time(engine, question);
    if (auto failure = check_witnesses(engine, question, result)) return failure;
  }
  if (auto failure = compare_reductions(question, results[0])) return failure;
  const Answer a = found(results[0]), b = found(results[1]);
  if (a == Answer::unknown || b == Answer::unknown) {
    ++counts.incomplete;
    return std::nullopt;
  }
  const Answer folded = found(solve_specialised(question));
  if (folded != a && folded != Answer::unknown) {
    return Failure{"specialised-flag-differs",
                   fmt::format("flag {}: the whole model says {}, the folded one {}",
                               query.model.flags[flag].name, name_of(a), name_of(folded))};
  }
  if (a == b) return std::nullopt;
  return Failure{"flag-differs", fmt::format("flag {}: explicit says {}, smt says {}",
                                             query.model.flags[flag].name, name_of(a), name_of(b))};
}

}  // namespace

namespace {

/// The model folded to what it says of this program gives the same answer as the whole one (explicit engine).
std::optional<Failure> compare_specialised(const Query& query, const Result& whole) {
  const Result folded = solve_specialised(query);
  auto failure = check_witnesses(Engine::explicit_, query, folded);
  if (!failure) failure = compare_states(query.graph, whole, folded, "whole model", "folded model");
  if (failure) failure->kind = "specialised-" + failure->kind;
  return failure;
}

}  // namespace

std::optional<Failure> compare_engines(const Prepared& prepared, const MemoryModel& model,
                                       const CompareOptions& options, Counts& counts) {
  const Query query = query_for(prepared, model);
  Result results[2];
  for (Engine engine : {Engine::explicit_, Engine::smt}) {
    Result& result = results[static_cast<int>(engine)];
    result = solve_in_time(engine, query);
    if (!result.complete) ++counts.incomplete;
    if (auto failure = check_witnesses(engine, query, result)) return failure;
  }
  counts.states += results[0].states.size();
  if (auto failure = compare_states(*prepared.graph, results[0], results[1])) return failure;
  if (auto failure = compare_specialised(query, results[0])) return failure;
  if (auto failure = compare_reductions(query, results[0])) return failure;
  if (auto failure = compare_count(query, results[0])) return failure;
  if (auto failure = compare_packed(query, results[0])) return failure;
  if (options.verdict) {
    for (Engine engine : {Engine::explicit_, Engine::smt}) {
      if (auto failure = compare_verdict(engine, query, results[static_cast<int>(engine)], counts))
        return failure;
    }
  }
  for (std::size_t flag = 0; flag < model.flags.size(); ++flag) {
    if (!options.all_flags && flag != options.flag % model.flags.size()) continue;
    if (auto failure = compare_flag(query, flag, counts)) return failure;
  }
  return std::nullopt;
}

namespace {

/// Everything of an event that a second reading of the same test must reproduce (positions and texts may
/// differ).
bool same_event(const event::Event& a, const event::Event& b) {
  return a.kind == b.kind && a.thread == b.thread && a.guard == b.guard && a.cell == b.cell &&
         a.value == b.value && a.choices == b.choices && a.rmw_partner == b.rmw_partner &&
         a.labels.semantics == b.labels.semantics && a.labels.scope == b.labels.scope &&
         a.labels.proxy == b.labels.proxy && a.labels.name == b.labels.name &&
         a.labels.generic_name == b.labels.generic_name && a.labels.no_return == b.labels.no_return &&
         a.labels.atomic == b.labels.atomic && a.barrier.has_value() == b.barrier.has_value() &&
         a.part_count == b.part_count && a.vector == b.vector && a.address == b.address;
}

bool same_graph(const ProgramGraph& a, const ProgramGraph& b) {
  if (a.exprs.size() != b.exprs.size() || a.size() != b.size() || a.decisions.size() != b.decisions.size() ||
      a.observables.size() != b.observables.size() || a.cut != b.cut || a.proposition != b.proposition ||
      a.filter != b.filter || a.goal != b.goal || a.assumptions != b.assumptions) {
    return false;
  }
  for (std::uint32_t i = 0; i < a.exprs.size(); ++i) {
    if (a.exprs[event::Expr{i}] != b.exprs[event::Expr{i}]) return false;
  }
  for (std::size_t i = 0; i < a.observables.size(); ++i) {
    if (a.observables[i].name != b.observables[i].name || a.observables[i].value != b.observables[i].value)
      return false;
  }
  for (std::size_t i = 0; i < a.threads.size(); ++i) {
    const event::ThreadInfo &s = a.threads[i], &t = b.threads[i];
    if (s.number != t.number || s.host != t.host || s.gpu != t.gpu || s.cluster != t.cluster ||
        s.cta != t.cta) {
      return false;
    }
  }
  return std::equal(a.events.begin(), a.events.end(), b.events.begin(), same_event);
}

}  // namespace

namespace {

Result states_of(const Prepared& one, const MemoryModel& model, Engine engine) {
  Query query = query_for(one, model);
  query.budget = Budget(kTimeLimit);
  return solve(engine, query);
}

/// Of values over terms, only that they are none: what is torn from several is put together otherwise.
std::set<std::vector<std::optional<event::Value>>> shown_values(const Result& result) {
  std::set<std::vector<std::optional<event::Value>>> out;
  for (const State& state : result.states) {
    std::vector<std::optional<event::Value>> shown(state.values.begin(), state.values.end());
    for (std::size_t i = 0; i < state.symbols.size(); ++i) {
      if (state.symbols[i] != 0) shown[i].reset();
    }
    out.insert(std::move(shown));
  }
  return out;
}

/// The same test, lowered otherwise; nothing where that is refused: too many events, or ways, say.
std::optional<Prepared> lowered(const Prepared& prepared, const lower::Options& options) {
  try {
    return prepare(prepared.test, options);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Another lowering of the same test.
struct Lowering {
  std::string kind, how;
};

/// The same final states and races, as far as both are known.
std::optional<Failure> compare_lowered(const Prepared& prepared, const Prepared& other,
                                       const Lowering& lowering, const MemoryModel& model, Engine engine,
                                       std::size_t& compared) {
  const Result one = states_of(prepared, model, engine), all = states_of(other, model, engine);
  const std::string race = "data-race";
  const Answer races_in_one = flag_raised(engine, prepared, model, race);
  const Answer races_in_all = flag_raised(engine, other, model, race);
  if (!one.complete || !all.complete) return std::nullopt;
  ++compared;
  if (shown_values(one) != shown_values(all)) {
    return Failure{lowering.kind + "-differ",
                   fmt::format("{}: {} states, {} {}", name_of(engine), one.states.size(), all.states.size(),
                               lowering.how)};
  }
  if (races_in_one == races_in_all || races_in_one == Answer::unknown || races_in_all == Answer::unknown)
    return std::nullopt;
  return Failure{lowering.kind + "-race",
                 fmt::format("{}: races {}, {} {}", name_of(engine), name_of(races_in_one),
                             name_of(races_in_all), lowering.how)};
}

}  // namespace

std::optional<Failure> compare_all_turns(const Prepared& prepared, const MemoryModel& model,
                                         const lower::Options& options, Engine engine, Counts& counts) {
  lower::Options unrolled = options;
  unrolled.all_turns = true;
  const std::optional<Prepared> again = lowered(prepared, unrolled);
  if (!again) return std::nullopt;
  const Prepared& turns = *again;
  if (turns.graph->size() == prepared.graph->size()) return std::nullopt;
  const auto undefined = [](const event::Misuse& misuse) { return model::rule_named(misuse.name).undefined; };
  const auto& misuses = turns.graph->misuses;
  if (std::any_of(misuses.begin(), misuses.end(), undefined))
    return std::nullopt;  // a turn may end the program
  return compare_lowered(prepared, turns, {"turns", "with waiting loops unrolled"}, model, engine,
                         counts.turns);
}

std::optional<Failure> compare_exchanges(const Prepared& prepared, const MemoryModel& model,
                                         const lower::Options& options, Engine engine, Counts& counts) {
  const auto& events = prepared.graph->events;
  if (std::none_of(events.begin(), events.end(),
                   [](const event::Event& event) { return event.barrier && event.barrier->exchange; }))
    return std::nullopt;
  lower::Options by_paths = options;
  by_paths.paths_alone = true;
  const std::optional<Prepared> again = lowered(prepared, by_paths);
  if (!again) return std::nullopt;
  const Prepared& apart = *again;
  return compare_lowered(prepared, apart, {"exchanges", "with exchanges path by path"}, model, engine,
                         counts.exchanges);
}

std::optional<Failure> compare_single_bytes(const Prepared& prepared, const MemoryModel& model,
                                            const lower::Options& options, Engine engine, Counts& counts) {
  const auto copies = [](const event::Event& event) { return event.labels.tile; };
  const auto& events = prepared.graph->events;
  const auto unknown =
      [&](const event::Event& event) {  // a term of a byte has another name than one of a word
        return event.kind == event::EventKind::initial_write &&
               !prepared.graph->exprs.is_constant(event.value);
      };
  if (options.unbounded || std::any_of(events.begin(), events.end(), copies) ||
      std::any_of(events.begin(), events.end(), unknown))
    return std::nullopt;
  lower::Options in_bytes = options;
  in_bytes.single_bytes = true;
  const std::optional<Prepared> again = lowered(prepared, in_bytes);
  if (!again) return std::nullopt;
  const Prepared& cut = *again;
  if (cut.graph->cells.size() == prepared.graph->cells.size()) return std::nullopt;
  // An address in pieces may be put together from two: what that is depends on where the variables lie.
  const auto places = [](const Prepared& one) {
    const auto& terms = one.graph->exprs.terms();
    return std::count_if(terms.begin(), terms.end(), [](const event::Term& term) { return term.is_place; });
  };
  if (places(cut) != places(prepared) || cut.graph->exprs.has_terms() != prepared.graph->exprs.has_terms())
    return std::nullopt;
  const Result whole = states_of(prepared, model, engine), pieces = states_of(cut, model, engine);
  if (!whole.complete || !pieces.complete) return std::nullopt;
  ++counts.bytes;
  if (shown_values(whole) == shown_values(pieces)) return std::nullopt;
  return Failure{"bytes-differ", fmt::format("{}: {} states, {} with memory cut into bytes", name_of(engine),
                                             whole.states.size(), pieces.states.size())};
}

std::optional<Failure> check_round_trip(const Prepared& prepared, const lower::Options& options) {
  const std::string once = litmus::print(prepared.test);
  try {
    const Prepared again = prepare("printed", once, options);
    const std::string twice = litmus::print(again.test);
    if (twice != once) {
      return Failure{"round-trip", "printing is no fixed point:\n" + once + "\n  and then:\n" + twice};
    }
    if (!same_graph(*prepared.graph, *again.graph)) {
      return Failure{"round-trip", "the printed test lowers to another program graph:\n" + once};
    }
  } catch (const InputError& error) {
    return Failure{"round-trip",
                   std::string("the printed test does not parse: ") + error.what() + "\n" + once};
  }
  return std::nullopt;
}

std::optional<Failure> check_base(const Prepared& prepared) {
  const auto differences = check::base_differences(*prepared.graph, prepared.base, event::base_signature());
  if (!differences.empty()) return Failure{"base-differs", differences.front()};
  const auto source = source_difference(prepared);
  return source ? std::optional(Failure{"source-differs", *source}) : std::nullopt;
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
