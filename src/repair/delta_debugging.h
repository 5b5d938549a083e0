// SPDX-License-Identifier: Apache-2.0
// What tells two models apart in a given test: what they say differently of it, and the test with all left out that this does not
// take (delta debugging: Zeller, Hildebrandt, Simplifying and Isolating Failure-Inducing Input, IEEE TSE 2002, one line at a time).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "input/litmus/test.h"
#include "repair/judge.h"
#include "session/analysis.h"
#include "support/budget.h"

namespace ptxmc::repair {

/// By what two answers differ, both known for certain; the first that applies.
enum class Differs : std::uint8_t {
  nothing,
  outcome,   ///< Allowed, Forbidden, Required, Undefined, Vacuous
  races,     ///< Racy, RaceFree
  hangs,     ///< Hangs, Terminates
  findings,  ///< which misuse some execution has
};
Differs difference(const Found& first, const Found& second);

/// A test that two models judge differently.
struct Distinction {
  Differs by = Differs::nothing;
  Found first, second;
  std::string text;              ///< nothing can be left out of it, alone; it states no verdict
  std::size_t instructions = 0;  ///< of all bodies
};

/// How the models of two sessions judge a test; `text` is the test's own.
Distinction compare(const session::Session& first, const session::Session& second, const litmus::Test& test,
                    const Budget& budget);
/// The same test with instructions, declarations and parts of its condition left out, one at a time, as long as both answers are
/// as they were. Its doc string and its verdicts go, too; it keeps a condition, and what is used in it is declared as it was.
Distinction reduce(const session::Session& first, const session::Session& second, const Distinction& found,
                   const Budget& budget);
/// "Forbidden Racy": what is known of a test, in words of a verdict, with what `by` is about. Nothing: no verdict can say it.
std::optional<std::string> verdict_words(const Found& found, Differs by, bool forall);
/// The text with a name, a doc string (none where empty) and lines of verdicts.
std::string titled(const std::string& text, const std::string& name, const std::string& doc,
                   const std::string& verdicts);

}  // namespace ptxmc::repair
