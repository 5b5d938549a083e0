// SPDX-License-Identifier: Apache-2.0
// The one rule for the exit status of every verb: what it found out, as a typed answer. An answer that a limit, a bound or a
// filter left open is `unknown`, and never status 0.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "face/cli/status.h"

namespace ptxmc::cli {

enum class Answer : std::uint8_t {
  as_stated,   ///< all that was asked is decided, and is as stated or as wanted
  finding,     ///< an error was found that is not stated
  unmet,       ///< a stated verdict does not hold, or what is wanted is not to be had
  incomplete,  ///< no error was found in the runs of a launch, and that does not hold in all schedules
  unknown,     ///< something that was asked is open
  refused,     ///< usage or input error
  internal,    ///< the engines disagree, a witness fails its re-check, or a bug
};

/// What the user takes for good enough.
struct Allowed {
  bool incomplete = false;  ///< --allow-incomplete
};

/// README.md, "Verdicts and exit status".
constexpr Status status_of(Answer answer, Allowed allowed = {}) {
  switch (answer) {
    case Answer::as_stated:
      return Status::ok;
    case Answer::finding:
    case Answer::unmet:
      return Status::unmet;
    case Answer::incomplete:
      return allowed.incomplete ? Status::ok : Status::unknown;
    case Answer::unknown:
      return Status::unknown;
    case Answer::refused:
      return Status::input;
    case Answer::internal:
      break;
  }
  return Status::failure;
}

/// The answer for an input that ended with this error: unknown if it was too large or took too long, else refused.
Answer answer_of(const std::exception& error);
/// Why, in one word: "timeout", "memory", "too-large"; empty: not unknown.
std::string open_word(const std::exception& error);

}  // namespace ptxmc::cli
