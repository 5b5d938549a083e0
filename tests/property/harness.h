// SPDX-License-Identifier: Apache-2.0
// What the property, mutation and suite tests share: from a text to a program graph, to both engines'
// answers, and the comparison of everything that has to agree.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "axiomatic/lower/lower.h"
#include "input/litmus/test.h"

namespace ptxmc::testing {

/// A test with its program graph. The graph stays at one address: queries refer to it.
struct Prepared {
  litmus::Test test;
  std::unique_ptr<event::ProgramGraph> graph;
  event::BaseValues base;
  std::optional<double> time_limit;  ///< seconds that a question may take; none: no limit
};

/// Parses and lowers; throws InputError.
Prepared prepare(const std::string& name, const std::string& text, const lower::Options& options);
Prepared prepare(litmus::Test test, const lower::Options& options);

engine::Query query_for(const Prepared& prepared, const relation::MemoryModel& model,
                        engine::Ask ask = engine::Ask::states, std::size_t flag = 0);

enum class Engine : std::uint8_t { explicit_, smt };
engine::Result solve(Engine engine, const engine::Query& query);
/// Within kTimeLimit; what is done with the answer has no limit.
engine::Result solve_in_time(Engine engine, const engine::Query& query);
std::string_view name_of(Engine engine);

/// Three-valued answer to a question about a test.
enum class Answer : std::uint8_t { no, yes, unknown };
std::string_view name_of(Answer answer);
/// Whether an engine found what it was asked for.
Answer found(const engine::Result& result);

/// Does the condition hold, quantifier included (exists: reachable, ~exists and forall: true in all
/// executions)?
Answer condition_holds(Engine engine, const Prepared& prepared, const relation::MemoryModel& model);
/// Is a state that satisfies the proposition under the quantifier reachable?
Answer proposition_reachable(Engine engine, const Prepared& prepared, const relation::MemoryModel& model);
/// Does some execution raise the flag? `no` when the model has no flag of that name.
Answer flag_raised(Engine engine, const Prepared& prepared, const relation::MemoryModel& model,
                   const std::string& flag);

/// Something that should agree and does not. `kind` is a short tag that stays the same while a test is
/// shrunk.
struct Failure {
  std::string kind;    ///< "states-differ", "witness-rejected" ...
  std::string detail;  ///< what was found, for people
};

constexpr double kTimeLimit = 5;  ///< seconds per question; an engine that needs more leaves it open

struct CompareOptions {
  bool verdict = true;    ///< ask for the verdict alone too
  bool all_flags = true;  ///< else only flag number `flag` modulo their count
  std::size_t flag = 0;
};

/// What a comparison saw, for the summary line.
struct Counts {
  std::size_t states = 0;
  std::size_t incomplete = 0;   ///< questions that an engine left open
  std::size_t reference = 0;    ///< programs compared with the exhaustive reference
  std::size_t bytes = 0;        ///< programs compared with memory cut into bytes
  std::size_t turns = 0;        ///< programs compared with waiting loops unrolled
  std::size_t exchanges = 0;    ///< programs compared with exchanges path by path
  std::size_t unsupported = 0;  ///< programs that the lowering refuses as not supported yet
  std::size_t races = 0;        ///< pairs of instructions that a flag relates
  std::size_t raced = 0;        ///< programs whose races were compared
  std::size_t hangs = 0;        ///< programs that may wait for ever
  std::size_t waited = 0;       ///< programs that were asked whether they do
  Counts& operator+=(const Counts& other);
};

/// Both engines' states, verdict and flags agree with each other, and every witness passes the re-check.
std::optional<Failure> compare_engines(const Prepared& prepared, const relation::MemoryModel& model,
                                       const CompareOptions& options, Counts& counts);

/// Number of a flag, and two instructions (check::instruction_keys) that it relates in some execution.
using Races = std::set<std::tuple<std::size_t, std::size_t, std::size_t>>;
/// Nothing where the engine leaves a question open.
std::optional<Races> races_by(Engine engine, const Prepared& prepared, const relation::MemoryModel& model);
/// Both engines find the same races.
std::optional<Failure> compare_races(const Prepared& prepared, const relation::MemoryModel& model,
                                     Counts& counts);

/// What a program does that never ends: its graph for liveness and the model with progress
/// (axiomatic/question/liveness.h).
struct Unending {
  Prepared prepared;
  relation::MemoryModel model;
};
/// Nothing where lowering for liveness does not support the test.
std::optional<Unending> unending(const Prepared& prepared, const relation::MemoryModel& model,
                                 lower::Options options, lower::ProgressModel progress);
/// Both engines agree whether somebody may wait for ever, and their witnesses pass the re-check.
std::optional<Failure> compare_liveness(const Unending& unending, Counts& counts);

/// Loops that only wait, unrolled turn by turn, have the same final states and races; nothing is said where a run leaves
/// states open, or nothing waits.
std::optional<Failure> compare_all_turns(const Prepared& prepared, const relation::MemoryModel& model,
                                         const lower::Options& options, Engine engine, Counts& counts);

/// Exchanges of warps whose results are found path by path give the same final states and races; nothing is said where
/// a run leaves states open, or no warp exchanges anything.
std::optional<Failure> compare_exchanges(const Prepared& prepared, const relation::MemoryModel& model,
                                         const lower::Options& options, Engine engine, Counts& counts);

/// Memory that is cut into single bytes has the same final states; nothing is said where either run leaves states
/// open, memory begins with unknown values, or copies race with copies, whose elements have no size (8.7.2).
std::optional<Failure> compare_single_bytes(const Prepared& prepared, const relation::MemoryModel& model,
                                            const lower::Options& options, Engine engine, Counts& counts);

/// print() parses back to a test that prints the same and lowers to the same program graph.
std::optional<Failure> check_round_trip(const Prepared& prepared, const lower::Options& options);

/// The base sets and relations are what their naive definitions say (axiomatic/recheck/base_differences.h), and what the source
/// does (source_base.h).
std::optional<Failure> check_base(const Prepared& prepared);

/// One state as herd prints it, for messages.
std::string describe(const event::ProgramGraph& graph, const engine::State& state);

std::string read_file(const std::filesystem::path& path);
/// All files below a folder with an extension, in a fixed order.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               const std::string& extension);

}  // namespace ptxmc::testing
