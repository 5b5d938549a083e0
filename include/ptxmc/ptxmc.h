// SPDX-License-Identifier: Apache-2.0
// ptxmc as a library: check a litmus test given as text.
//
//     ptxmc::api::Options options;
//     options.model = "ptx-9";
//     const ptxmc::api::Checker checker(options);            // compiles the model once
//     const ptxmc::api::Result result = checker.check(text);
//     if (result.answer == ptxmc::api::Answer::allowed) ...
//
// This header needs the standard library only. Link with ptxmc_cli.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxmc::api {

enum class Engine : std::uint8_t { explicit_, smt, automatic, both };

struct Options {
  std::string model;  ///< profile name or path of a cat file; empty: the default profile
  Engine engine = Engine::automatic;
  std::optional<int> unroll;      ///< loop bound; when given, answers within it count as known
  bool unbounded = false;         ///< 64-bit and untyped values are unbounded integers
  std::optional<double> timeout;  ///< seconds a test
  bool verdict_only = false;  ///< decide the condition alone; `states` then holds the deciding one at most
  bool recheck = true;        ///< judge a witness of every state again
  bool flags = false;         ///< evaluate the model's flags
  std::vector<std::string> readings;  ///< NAME=VALUE of each reading that does not have its default
};

/// Of the proposition under the test's quantifier.
enum class Answer : std::uint8_t {
  allowed,       ///< some execution satisfies it
  forbidden,     ///< none does
  required,      ///< all do (`forall`)
  not_required,  ///< some execution violates it (`forall`, verdict only)
  undefined,     ///< the program has a mixed-size race
  unknown,       ///< see Result::unknown
  error,         ///< see Result::diagnostics
};

struct State {
  std::vector<std::pair<std::string, std::string>> values;  ///< name and printed value, in printing order
  bool satisfied = false;                                   ///< the proposition
};

struct Flag {
  std::string name;
  std::optional<bool> raised;  ///< nothing: unknown
};

struct Diagnostic {
  std::uint32_t line = 0;    ///< from 1; 0: no position
  std::uint32_t column = 0;  ///< from 1
  std::string message;
};

struct Result {
  std::string name;  ///< of the test
  Answer answer = Answer::error;
  std::string unknown;              ///< why the answer is unknown
  bool bound_hit = false;           ///< a loop was cut
  std::optional<bool> verdict_met;  ///< of the stated `Verdict=`; nothing: none stated, or unknown
  std::vector<State> states;
  bool complete = false;  ///< `states` are all states
  std::vector<Flag> flags;
  std::string report;                   ///< herd's text
  std::vector<Diagnostic> diagnostics;  ///< of a test that is refused
  std::vector<std::string> problems;    ///< disagreement of engines, failed re-check: bugs of ptxmc
};

/// May be shared between threads.
class Checker {
 public:
  /// Throws std::invalid_argument, with every diagnostic, for a model that cannot be read or a reading that
  /// does not exist.
  explicit Checker(const Options& options = {});
  ~Checker();
  Checker(Checker&&) noexcept;
  Checker& operator=(Checker&&) noexcept;

  /// `name` stands for the file in diagnostics. Throws std::logic_error for a bug of ptxmc, never for bad
  /// input.
  Result check(std::string_view text, const std::string& name = "<text>") const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// The names of the built-in models.
std::vector<std::string> profiles();

}  // namespace ptxmc::api
