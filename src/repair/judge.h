// SPDX-License-Identifier: Apache-2.0
// What is wanted of a test, and whether a changed text has it: the question that a search asks of every candidate. Whatever a
// limit leaves open counts as no.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "finding/rules.h"
#include "input/litmus/test.h"
#include "session/analysis.h"
#include "support/budget.h"

namespace ptxmc::repair {

constexpr double kMostSeconds = 5;  // for a candidate: a search goes on with others

/// What is to hold. Behaviour is defined and some execution exists in any case.
struct Wanted {
  bool outcome = false;     ///< no execution has the outcome (of `forall`: all have)
  bool race_free = false;   ///< 8.7.1
  bool defined = false;     ///< behaviour is not undefined; a test whose behaviour is wants that first
  bool terminates = false;  ///< no thread waits forever, under fair scheduling
  std::vector<std::string> without;  ///< findings that no execution has: "shared-after-exit"

  bool nothing() const { return !outcome && !race_free && !defined && !terminates && without.empty(); }
  /// "Forbidden RaceFree Terminates", "no shared-after-exit"; of a `forall` "Required".
  std::string text(const litmus::Test& test) const;
};

/// What a test does. Nothing: open, or not asked.
struct Found {
  std::optional<bool> outcome;  ///< some execution has the outcome (of `forall`: violates the condition)
  std::optional<bool> races, hangs;
  bool undefined = false, vacuous = false;
  /// rules that are no race and no hang, that some execution has, or may have
  std::vector<std::string> findings;
  std::vector<std::string> certain;  ///< those that some has
  std::string open;                  ///< why something is open; empty: all but `hangs` is known
  std::string hangs_open;            ///< why `hangs` is
  std::string engine;
  std::vector<std::string> problems;  ///< disagreements, failed re-checks

  /// All that is wanted, known for certain.
  bool has(const Wanted& wanted) const;
  /// Nothing is open: what is not found to be wrong is not wrong.
  bool decided() const { return open.empty() && hangs_open.empty(); }
  /// Why something is.
  const std::string& why_open() const { return open.empty() ? hangs_open : open; }
};

/// Everything about a test, as `check` answers it, by the session's engine.
Found look(const session::Session& session, const litmus::Test& test, const Budget& budget);

/// A finding that some execution has, and none of the test before. What an undefined program does says nothing.
bool has_new_finding(const Found& before, const Found& now);
/// A misuse, an error or a warning: Found::findings names it.
bool is_other_finding(const finding::Rule& rule);
/// What is wrong with a test: what a repair is for.
Wanted wrong_with(const Found& found);
/// "Forbidden RaceFree": words of a verdict. Throws InputError for others.
Wanted wanted_by(const std::string& words, const litmus::Test& test);

/// The text with its `Verdict=` lines replaced by what is now known.
std::string stating(const litmus::Test& test, const std::string& text, const Found& found,
                    const Wanted& wanted);

/// Asks of texts. It remembers its answers, for texts come again.
class Judge {
 public:
  /// `whole` bounds all questions.
  Judge(const session::Session& session, Wanted wanted, const Budget& whole);

  /// No bad outcome, no race, nothing undefined, in the executions that end.
  std::optional<bool> safe(const std::string& text);
  /// Some execution ends.
  std::optional<bool> ends(const std::string& text);
  /// Some execution ends, and, where `terminates`, all do.
  std::optional<bool> live(const std::string& text, bool terminates);
  /// Every thread of `before` that waits for others does so in a text of the same threads, too (alone.h).
  bool still_waits(const litmus::Test& before, const std::string& text);

  /// The outcome may stay: whatever fails by it alone is asked again.
  void allow_outcome();
  /// Races are asked about before the outcome: what has one fails when the outcome may stay, too.
  void ask_outcome_last() { outcome_last_ = true; }

  std::size_t asked() const { return asked_; }
  bool out_of_time() const { return whole_.over(); }

 private:
  struct Answer {
    std::optional<bool> safe;
    bool by_outcome = false;  ///< it is not, and nothing else was found
  };
  using Question = std::function<std::optional<bool>(const litmus::Test&, const Budget&)>;
  Answer ask_safe(const litmus::Test& test, const Budget& budget);
  std::optional<bool> ask_ends(const litmus::Test& test, const Budget& budget);
  /// The answer about a text that is known, or asked for now: no test has no property, and what is beyond a limit is open.
  std::optional<bool> ask(std::map<std::string, std::optional<bool>>& known, const std::string& text,
                          const Question& question);
  const session::Session& session_;
  Wanted wanted_;
  Budget whole_;
  std::size_t asked_ = 0;
  std::size_t last_flag_ = 0;  // that was raised: most candidates fail by the same
  bool outcome_first_ = false, outcome_last_ = false;
  std::map<std::string, Answer> safe_;
  std::map<std::string, std::optional<bool>> ends_, terminates_;
  std::optional<std::vector<std::optional<bool>>> waited_;  // by thread, before any change
};

}  // namespace ptxmc::repair
