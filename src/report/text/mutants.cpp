// SPDX-License-Identifier: Apache-2.0
#include "report/text/mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace ptxmc::report {

namespace {

/// What is known of a launch, "... without it".
std::string_view known_text(claim::Verdict answer) {
  switch (answer) {
    case claim::Verdict::proven:
      return "no race or deadlock in any schedule";
    case claim::Verdict::incomplete:
      return "nothing is found";
    case claim::Verdict::violated:
    case claim::Verdict::waived:
      break;
  }
  return "nothing more is found";
}

/// Nothing is found, and why.
std::string spare_text(const explain::Mutant& mutant) {
  const bool clean = mutant.without != claim::Verdict::violated;
  std::string out = fmt::format("{}{}; {} without it", clean ? "not needed in this launch: " : "",
                                mutant.because, known_text(mutant.without));
  if (mutant.ordered != 0)
    out += fmt::format(", and the exact engine agrees on {}", explain::plural(mutant.ordered, "litmus test"));
  return out;
}

std::string line(const explain::Mutant& mutant) {
  std::string_view word = "redundant";
  std::string what = mutant.caught;
  if (!mutant.caught.empty()) {
    word = "caught";
  } else if (mutant.masked) {
    word = "hidden";
    what = mutant.because;
  } else if (!mutant.limit.empty()) {
    word = "inconclusive";
    what = fmt::format("nothing is found without it, and not all schedules are covered: {} ({})",
                       mutant.limit, mutant.because);
  } else {
    what = spare_text(mutant);
  }
  return fmt::format("{:<12} {}: {}, {}: {}\n", word, line_of(mutant.place), mutant.place.text,
                     exec::name_of(mutant.change), what);
}

}  // namespace

std::string mutants_text(const explain::Mutants& mutants) {
  std::string out;
  std::size_t caught = 0, masked = 0, open = 0;
  for (const explain::Mutant& mutant : mutants.tried) {
    out += line(mutant);
    caught += mutant.caught.empty() ? 0 : 1;
    masked += mutant.masked ? 1 : 0;
    open += mutant.masked || mutant.limit.empty() ? 0 : 1;
  }
  const std::size_t all = mutants.tried.size();
  out += fmt::format("Mutants: {} of {} caught", caught, all + mutants.left);
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count != 0) out += fmt::format(", {} {}", count, what);
  };
  add(all - caught - masked - open, "redundant");
  add(masked, "hidden by existing errors");
  add(open, "inconclusive");
  add(mutants.left, "not tried: there was no time");
  out += "\n";
  if (mutants.needless > 1)
    out += fmt::format("Without the {} on which no ordering depends, all together: {}\n", mutants.needless,
                       known_text(mutants.without_needless));
  return out;
}

}  // namespace ptxmc::report
