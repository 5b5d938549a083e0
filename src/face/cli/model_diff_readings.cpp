// SPDX-License-Identifier: Apache-2.0
// `model diff` of two editions of the manual: a test for each reading by which they differ.
#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "face/cli/model_diff_verb.h"
#include "model/models.h"
#include "support/embedded.h"

namespace ptxmc::cli {

/// litmus/readings: for each reading a test that tells it from the default, "wait-read.sources+map-in-flight+store-wait-read".
std::span<const EmbeddedText> reading_texts();

std::vector<std::string> readings_apart(const session::Session& first, const session::Session& second) {
  const auto* const one = model::find_profile(first.model_name());
  const auto* const other = model::find_profile(second.model_name());
  if (one == nullptr || other == nullptr || one == other || one->file != other->file) return {};
  std::vector<std::string> out;
  for (const model::Reading& reading : model::readings()) {
    for (const std::string_view value : reading.values) {
      const std::string assignment = fmt::format("{}={}", reading.name, value);
      if (second.readings().holds(assignment) == true && first.readings().holds(assignment) == false)
        out.push_back(assignment);
    }
  }
  return out;
}

Results compare_by_reading(const ModelDiffOptions& options, const DiffSide& first,
                           const std::vector<std::string>& readings,
                           const std::function<std::vector<litmus::Test>(const std::string&)>& tests_of,
                           Taker& out) {
  Results results;
  for (const std::string& reading : readings) {
    session::Settings settings = first.session.settings();
    settings.readings.set(reading);
    const session::Session changed(std::move(settings));
    const DiffSide second{fmt::format("{},{}", first.name, reading), changed};
    const Results found = compare_tests(options, first, second, tests_of(reading), out);
    results.messages += found.messages;
    results.status = worse(results.status, found.status);
    results.whole = results.whole && found.whole;
  }
  return results;
}

std::vector<litmus::Test> tests_of_reading(const std::string& reading) {
  const std::string name = reading.substr(0, reading.find('='));
  std::vector<litmus::Test> out;
  for (const EmbeddedText& text : reading_texts()) {
    if (!text.name.starts_with(name + ".")) continue;
    const auto source =
        std::make_shared<const Source>(Source{std::string(text.name), std::string(text.text)});
    out.push_back(litmus::parse(source));
  }
  return out;
}

}  // namespace ptxmc::cli
