// SPDX-License-Identifier: Apache-2.0
#include "face/cli/verify_task.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>

#include "face/cli/interrupt.h"
#include "face/cli/modules.h"
#include "session/cta_selection.h"
#include "session/verify_readings.h"
#include "support/nearest.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

/// "all", or "0,3"; nothing: all.
std::optional<std::vector<std::uint64_t>> read_ctas(const std::string& text) {
  if (text == "all") return std::nullopt;
  std::vector<std::uint64_t> out;
  const char *at = text.data(), *end = at + text.size();
  for (;;) {
    std::uint64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (next != end && *next != ',')) {
      const auto near = nearest(text, {"auto", "all"});
      refuse(fmt::format("--cta {}: expected auto, all, or numbers: 0,3{}", text,
                         near ? fmt::format("; did you mean `{}`?", *near) : ""));
    }
    out.push_back(number);
    if (next == end) return out;
    at = next + 1;
  }
}

std::vector<explore::VerificationTask> subjects_of(const Input& input, const VerifyOptions& options,
                                                   const session::VerifySettings& settings,
                                                   std::istream& standard_input, const Instead& instead) {
  std::vector<explore::VerificationTask> out;
  if (!is_launch(input)) {
    if (options.cta) refuse("--cta is for launches: a litmus test is run whole");
    for (litmus::Test& test : parse_input(read_input(input, standard_input)))
      out.emplace_back().test = std::move(test);
    return out;
  }
  const session::ReadCtas read = [&](const launch::Choice& choice, launch::Beside& beside) {
    litmus::Test test = read_launch(input, options.common, standard_input, choice, &beside, instead);
    return session::task_of(std::move(test), beside);
  };
  if (!options.cta || *options.cta == "auto") {
    out.push_back(choose_ctas(read, settings));
    return out;
  }
  launch::Beside beside;
  launch::Choice choice = session::widest_choice();
  choice.ctas = read_ctas(*options.cta);
  out.push_back(read(choice, beside));
  return out;
}

}  // namespace

session::VerifySettings settings_of(const VerifyOptions& options) {
  session::VerifySettings out;
  out.until = Budget(options.common.settings.timeout);
  out.steps = options.steps;
  out.ctas_at_once = options.ctas_at_once;
  out.choices = options.choices;
  out.trace = options.trace;
  out.waits_fail = options.waits_fail;
  out.severities = options.severities;
  out.interrupted = interrupted;
  return out;
}

std::vector<explore::VerificationTask> read_subjects(const Input& input, const VerifyOptions& options,
                                                     const session::VerifySettings& settings,
                                                     std::istream& standard_input, const Instead& instead) {
  std::vector<explore::VerificationTask> out = subjects_of(input, options, settings, standard_input, instead);
  for (explore::VerificationTask& task : out)
    task.readings = session::verify_readings(options.common.settings, task.test);
  return out;
}

}  // namespace ptxmc::cli
