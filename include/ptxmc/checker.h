// SPDX-License-Identifier: Apache-2.0
/// \file
/// Litmus tests: what a memory model says of them. What goes wrong: ptxmc/ptxmc.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptxmc/export.h"
#include "ptxmc/result.h"

namespace ptxmc::api {

/// Who decides.
enum class Engine : std::uint8_t {
  explicit_,  ///< lists executions
  smt,        ///< asks Z3
  automatic,  ///< `explicit_`, and `smt` where that one finds nothing new for long
  both,       ///< each by itself; where they differ, Common::problems says so
};

/// Who is scheduled for certain (src/doc/answers.md).
enum class Progress : std::uint8_t {
  fair,  ///< everybody
  obe,   ///< occupancy-bound: all threads that have started; a cluster starts as a whole
  hsa,   ///< the first CTA of each GPU that has not ended
};

/// How tests are decided, and what of an answer is told.
struct Options {
  std::string model;                  ///< profile name or path of a cat file; empty: the default profile
  std::string model_text;             ///< or the text of a model in cat, which `model` then names in messages
  Engine engine = Engine::automatic;  ///< who decides
  std::optional<int> unroll;          ///< loop bound, turns; when given, answers within it count as known
  bool unbounded = false;             ///< 64-bit and untyped values are unbounded integers
  std::optional<double> timeout;      ///< seconds a call
  bool verdict_only = false;  ///< decide the condition alone; `states` then holds the deciding one at most
  bool recheck = true;        ///< judge a witness of every state again, by definitions that no engine uses
  bool flags = false;         ///< evaluate the model's flags
  bool witnesses = false;     ///< of every state; else of the deciding one alone
  bool pictures = false;      ///< of every witness: Witness::svg
  Progress progress = Progress::fair;  ///< of liveness
  std::vector<std::string> readings;   ///< NAME=VALUE of each reading that does not have its default
};

/// What holds of the proposition under the test's quantifier.
enum class Answer : std::uint8_t {
  allowed,       ///< some execution satisfies it
  forbidden,     ///< none does
  required,      ///< all do (`forall`)
  not_required,  ///< some execution violates it (`forall`, verdict only)
  undefined,     ///< the manual promises nothing: a mixed-size race, say; Result::flags says which
  unknown,       ///< see Result::unknown
  error,         ///< see Result::diagnostics
};

/// A final state.
struct State {
  std::vector<std::pair<std::string, std::string>> values;  ///< name and printed value, in printing order
  bool satisfied = false;                                   ///< the proposition
  std::optional<Witness> witness;                           ///< Options::witnesses
};

/// A flag of the model, which says of a program that it does what the model does not define, or warns of.
struct Flag {
  std::string name;            ///< as in the model
  std::optional<bool> raised;  ///< nothing: unknown
};

/// What every answer has.
struct Common {
  std::string name;                     ///< of the test, or the kernel
  std::string unknown;                  ///< why the answer is open: a word with dashes; empty: it is not
  std::string report;                   ///< what the program prints
  std::vector<Diagnostic> diagnostics;  ///< of a text that is refused
  std::vector<Diagnostic> warnings;     ///< about the text, whatever the answer
  std::vector<std::string> problems;    ///< disagreement of engines, failed re-check: bugs of ptxmc
};

/// What Checker::check() answers.
struct Result : Common {
  Answer answer = Answer::error;    ///< of the condition
  bool bound_hit = false;           ///< a loop was cut
  std::optional<bool> verdict_met;  ///< of the stated `Verdict=`; nothing: none stated, or unknown
  std::vector<State> states;        ///< that were found, in ascending order
  bool complete = false;            ///< `states` are all states
  /// The state that answers the condition: the first that satisfies it (`forall`: violates it), else the first.
  std::optional<std::size_t> deciding;
  std::optional<Witness> witness;  ///< of the deciding state
  std::vector<Flag> flags;         ///< where Options::flags asks for them
};

/// Do accesses of the test race?
enum class RaceAnswer : std::uint8_t {
  racy,       ///< in some execution
  race_free,  ///< in none
  unknown,    ///< see RaceResult::unknown
  error,      ///< see RaceResult::diagnostics
};

/// What Checker::races() answers.
struct RaceResult : Common {
  RaceAnswer answer = RaceAnswer::error;  ///< of races alone: misuses are findings, too
  std::vector<Finding> findings;          ///< races and misuses; with an `unknown` there may be more
};

/// What Checker::liveness() answers.
struct LivenessResult : Common {
  bool refused = true;            ///< see `diagnostics`
  std::optional<bool> hangs;      ///< a thread may wait forever; nothing: see `unknown`
  std::vector<Finding> findings;  ///< who waits, for what
};

/// An axiom that forbids an outcome.
struct Violation {
  std::string axiom;    ///< "Causality"
  std::string section;  ///< of the manual, as the model has it
  std::string text;     ///< "acyclic po | sync"
  /// How an execution with the outcome violates it: a line for each step of the cycle at level 0, what it follows from at
  /// deeper ones.
  std::vector<std::pair<int, std::string>> steps;
  std::optional<Witness> witness;  ///< that execution
};

/// What Checker::explain() answers.
struct Explanation : Common {
  /// What the condition's outcome is.
  enum class Kind : std::uint8_t {
    reachable,   ///< `witness` has the outcome
    forbidden,   ///< by `axioms`, which are needed together; each of `alternatives` forbids it by itself too
    impossible,  ///< without any axiom: no choice of sources yields these values
    unknown,     ///< see Explanation::unknown
    error,       ///< see Explanation::diagnostics
  };
  Kind kind = Kind::error;              ///< what the outcome is
  std::vector<Violation> axioms;        ///< that forbid it, together
  std::vector<Violation> alternatives;  ///< that forbid it, each by itself
  bool minimal = true;                  ///< false: whether fewer axioms forbid it stayed open
  std::optional<Witness> witness;       ///< an execution with the outcome
};

/// Litmus tests in ptxmc's notation (litmus/README.md). May be shared between threads. Every call can be called off by its
/// stop token; `name` stands for the file in diagnostics.
class Checker {
 public:
  /// Throws std::invalid_argument, with every diagnostic, for a model that cannot be read or a reading that
  /// does not exist.
  PTXMC_EXPORT explicit Checker(const Options& options = {});
  /// No call may be under way.
  PTXMC_EXPORT ~Checker();
  /// What was moved from can be assigned to, and else not be used.
  PTXMC_EXPORT Checker(Checker&&) noexcept;
  /// What was moved from can be assigned to, and else not be used.
  PTXMC_EXPORT Checker& operator=(Checker&&) noexcept;

  /// Which final states does the test have, and is its condition met?
  PTXMC_EXPORT Result check(std::string_view text, const std::string& name = "<text>",
                            const std::stop_token& stop = {}) const;
  /// Which accesses race, and what is missing?
  PTXMC_EXPORT RaceResult races(std::string_view text, const std::string& name = "<text>",
                                const std::stop_token& stop = {}) const;
  /// Can a thread be blocked forever?
  PTXMC_EXPORT LivenessResult liveness(std::string_view text, const std::string& name = "<text>",
                                       const std::stop_token& stop = {}) const;
  /// Why is the condition's outcome forbidden, or allowed?
  PTXMC_EXPORT Explanation explain(std::string_view text, const std::string& name = "<text>",
                                   const std::stop_token& stop = {}) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// A place of the manual that can be read in several ways (Options::readings).
struct Reading {
  std::string name;                 ///< as in Options::readings
  std::vector<std::string> values;  ///< the first is the default
  std::string rules;                ///< sections of the manual
  std::string about;                ///< what each value means
};

/// All of them.
PTXMC_EXPORT std::vector<Reading> readings();
/// The names of the built-in models.
PTXMC_EXPORT std::vector<std::string> profiles();
/// The text of a built-in model, in cat. Throws std::invalid_argument for a name that is not one of profiles().
PTXMC_EXPORT std::string model_text(std::string_view profile);

}  // namespace ptxmc::api
