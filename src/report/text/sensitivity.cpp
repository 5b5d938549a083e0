// SPDX-License-Identifier: Apache-2.0
#include "report/text/sensitivity.h"

#include <fmt/format.h>

#include <string_view>

namespace ptxmc::report {

namespace {

/// "Vacuous (vacuous-no-execution)" is said of a test that says nothing, "Unknown (timeout)" of what was left open.
std::string_view word_of(explain::Answer answer, explain::Vacuity vacuity) {
  const bool vacuous = answer == explain::Answer::unknown && vacuity != explain::Vacuity::none;
  return vacuous ? "Vacuous" : name_of(answer);
}

std::string line(const explain::Variation& variation) {
  std::string out = fmt::format("  {}: {}", variation.reading, word_of(variation.answer, variation.vacuity));
  if (!variation.unknown.empty()) out += fmt::format(" ({})", variation.unknown);
  if (variation.changes_races) out += *variation.racy ? ", Racy" : ", RaceFree";
  return out + "\n";
}

}  // namespace

std::string sensitivity_text(const explain::Outcome& outcome) {
  if (outcome.variations.empty()) return "";
  std::size_t changing = 0;
  std::string lines;
  for (const explain::Variation& variation : outcome.variations) {
    const bool changes = variation.changes_answer || variation.changes_races;
    if (changes) ++changing;
    const bool open =
        variation.answer == explain::Answer::unknown && variation.vacuity == explain::Vacuity::none;
    if (changes || open) lines += line(variation);
  }
  return fmt::format("Sensitivity {} {}: {} of {} changed readings change it\n", outcome.test.name,
                     word_of(outcome.judgement.answer, outcome.vacuity), changing,
                     outcome.variations.size()) +
         lines;
}

}  // namespace ptxmc::report
