// SPDX-License-Identifier: Apache-2.0
#include "report/text/sensitivity.h"

#include <fmt/format.h>

namespace ptxmc::report {

namespace {

std::string line(const explain::Variation& variation) {
  std::string out = fmt::format("  {}: {}", variation.reading, name_of(variation.answer));
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
    if (changes || variation.answer == explain::Answer::unknown) lines += line(variation);
  }
  return fmt::format("Sensitivity {} {}: {} of {} changed readings change it\n", outcome.test.name,
                     name_of(outcome.judgement.answer), changing, outcome.variations.size()) +
         lines;
}

}  // namespace ptxmc::report
