// SPDX-License-Identifier: Apache-2.0
// `model diff`: the smallest tests that two models judge differently.
#include "face/cli/model_diff_verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "face/cli/generated.h"
#include "generate/judge.h"
#include "generate/minimal.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

/// "ptx-7.5", "mine.cat", "fence-sc=only-sc", "ptx-9.4,red=acquire,fence-sc=only-sc".
session::Settings settings_of(const std::string& words, session::Settings settings) {
  std::size_t begin = 0;
  while (begin <= words.size()) {
    const std::size_t end = std::min(words.find(',', begin), words.size());
    const std::string word = words.substr(begin, end - begin);
    if (word.find('=') != std::string::npos) {
      try {
        settings.readings.set(word);
      } catch (const std::invalid_argument& error) {
        refuse(error.what());
      }
    } else if (begin == 0) {
      settings.model = word;
    } else {
      refuse(fmt::format(
          "'{}' is no reading: a model is a profile or a cat file, and readings NAME=VALUE after commas",
          word));
    }
    begin = end + 1;
  }
  return settings;
}

using Side = DiffSide;

/// The test, with what both models say of it; a disagreement of engines is a message.
void judge_both(const Side& first, const Side& second, const generate::Difference& found,
                const Budget& budget, Taker& out, Results& results) {
  generate::Sketch test = found.test;
  const Side& forbids = found.first_forbids ? first : second;
  const Side& allows = found.first_forbids ? second : first;
  test.doc = fmt::format("Forbidden by {}, allowed by {}.", forbids.name, allows.name);
  std::string lines;
  nlohmann::ordered_json verdicts = nlohmann::ordered_json::array();
  for (const Side* side : {&first, &second}) {
    const bool expected = side == &allows;
    const generate::Judged judged =
        generate::judge(side->session, test.name, generate::print(test, ""), budget);
    verdicts.push_back(verdict_json(side->session, judged));
    if (!note(test.name, judged, results)) continue;
    if ((judged.answer == explain::Answer::allowed) != expected) {
      results.messages += fmt::format("ptxmc: internal error: {}: {} says {}\n", test.name, side->name,
                                      explain::name_of(judged.answer));
      results.status = worse(results.status, Status::failure);
    }
    if (side->session.user_model()) continue;  // a file states verdicts of models that others have, too
    lines += fmt::format("{}{}={}", lines.empty() ? "" : "\n", verdict_key(side->session),
                         explain::name_of(judged.answer));
  }
  out.test({test.name, generate::print(test, lines), verdicts.dump()});
}

Results compare(const ModelDiffOptions& options, const Side& first, const Side& second, Taker& out) {
  const std::vector<std::string> apart = readings_apart(first.session, second.session);
  if (!apart.empty()) return compare_by_reading(options, first, apart, tests_of_reading, out);
  Results results;
  const Budget budget(options.common.settings.timeout);
  for (std::size_t size = 1; size <= options.events; ++size) {
    std::vector<generate::Difference> found;
    try {
      found = generate::differences(size, options.alphabet, first.session, second.session, budget,
                                    workers_of(options.common.jobs));
    } catch (const OutOfTime&) {
      out.summary(fmt::format("{} against {}: none of less than {} operations; of {}, unknown\n", first.name,
                              second.name, size, size));
      results.messages = "ptxmc: unknown: timeout\n";
      results.status = Status::unknown;
      return results;
    }
    if (found.empty()) continue;
    out.summary(fmt::format("{} against {}: {} {} of {} operations, none smaller\n", first.name, second.name,
                            found.size(), found.size() == 1 ? "test" : "tests", size));
    if (options.first) found.resize(1);
    std::map<std::string, int> seen;
    for (generate::Difference& difference : found) {
      difference.test.name = told_apart(seen, options.prefix + difference.test.name);
      judge_both(first, second, difference, budget, out, results);
    }
    return results;
  }
  out.summary(
      fmt::format("{} against {}: none up to {} operations\n", first.name, second.name, options.events));
  return results;
}

}  // namespace

Status model_diff(const ModelDiffOptions& options, Streams& streams) {
  const session::Session first(generate::judging(settings_of(options.first_model, options.common.settings)));
  const session::Session second(
      generate::judging(settings_of(options.second_model, options.common.settings)));
  std::vector<std::string> inputs = options.files;
  for (const session::Session* side : {&first, &second}) inputs.push_back(side->settings().model);
  return write_tests(options.common, options.folder, inputs, streams, [&](Taker& out) {
    const Side one{options.first_model, first}, other{options.second_model, second};
    return options.files.empty() ? compare(options, one, other, out)
                                 : compare_given(options, one, other, out);
  });
}

}  // namespace ptxmc::cli
