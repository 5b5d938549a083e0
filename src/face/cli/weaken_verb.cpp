// SPDX-License-Identifier: Apache-2.0
// The verb `weaken`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "face/cli/answers.h"
#include "face/cli/repair_verbs.h"
#include "face/cli/verbs.h"
#include "repair/text.h"
#include "repair/weaken.h"
#include "report/json/line.h"

namespace ptxmc::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string saving(const repair::Weakened& weakened, double saved) {
  return weakened.measured ? fmt::format("{:.0f} ns", saved) : fmt::format("strength {:.0f}", saved);
}

std::string text_of(const repair::Weakened& weakened, const litmus::Test& test) {
  if (weakened.before.undefined)
    return fmt::format("Weaken {} its behaviour is undefined: nothing holds that could be kept\n\n",
                       test.name);
  if (weakened.keeps_nothing() && !weakened.before.decided())
    return fmt::format("Weaken {} unknown ({}): nothing is known to hold that could be kept\n\n", test.name,
                       weakened.before.why_open());
  if (weakened.keeps_nothing())
    return fmt::format("Weaken {} nothing holds that could be kept\n\n", test.name);
  repair::Wanted kept = weakened.kept;
  kept.defined = false;
  std::string out = fmt::format("Weaken {} {}\n", test.name, kept.text(test));
  if (weakened.single.empty()) out += "Minimal: nothing can be relaxed\n";
  for (const repair::Relaxation& relaxation : weakened.single)
    out += fmt::format("  {} ({})\n", relaxation.what, saving(weakened, relaxation.saved));
  if (!weakened.together.empty()) {
    out +=
        fmt::format("Together {} of them, {}\n", weakened.together.size(), saving(weakened, weakened.saved));
    out += fmt::format("  proof: {} ({})\n", proven(weakened.proof, test), weakened.proof.engine);
    out += repair::unified_diff(test.source->name, "weakened", test.source->text, weakened.text);
  }
  if (weakened.out_of_time) out += "Limits timeout: not everything was tried\n";
  if (!weakened.before.decided())
    out +=
        fmt::format("Limits {}: what that leaves open of the test is not kept\n", weakened.before.why_open());
  if (weakened.open) out += "Limits some changes were left open, and count as needed\n";
  return out + "\n";
}

std::string json_line(const repair::Weakened& weakened, const litmus::Test& test) {
  Json out = report::json_head("weaken");
  out.update({{"test", test.name},
              {"file", test.source->name},
              {"kept", weakened.kept.text(test)},
              {"before", json_of(weakened.before)},
              {"unit", weakened.measured ? "ns" : "strength"},
              {"single", Json::array()},
              {"together", weakened.together},
              {"saved", weakened.saved},
              {"proof", json_of(weakened.proof)},
              {"diff", repair::unified_diff(test.source->name, "weakened", test.source->text, weakened.text)},
              {"open", answer_of(weakened) == Answer::unknown}});
  if (!weakened.before.decided()) out["unknown"] = weakened.before.why_open();
  for (const repair::Relaxation& relaxation : weakened.single)
    out["single"].push_back({{"change", relaxation.what}, {"saved", relaxation.saved}});
  return report::json_text(out);
}

TestReport treat_weaken(const session::Session& session, const Options& options, const litmus::Test& given,
                        const SoFar&) {
  const litmus::Test test = in_litmus_notation(given);
  const std::optional<repair::Costs> costs = costs_of(options);
  const repair::Weakened weakened =
      repair::weaken(session, test, costs ? *costs : repair::Costs::shipped(), session.settings().timeout);
  TestReport report;
  switch (options.format) {
    case Format::text:
      report.output = text_of(weakened, test);
      break;
    case Format::json:
      report.output = json_line(weakened, test);
      break;
    default:
      refuse_format("weaken", "text and json");
  }
  take_answer(report, answer_of(weakened), Tally::explained);
  if (options.repair.write && !weakened.together.empty()) write_over(test.source->name, weakened.text);
  for (const repair::Found* found : {&weakened.before, &weakened.proof}) {
    for (const std::string& problem : found->problems) {
      report.messages += fmt::format("{}: internal error: {}\n", test.source->name, problem);
    }
  }
  return report;
}

}  // namespace

Status weaken_files(const Options& options, Streams& streams) {
  take_tests_only(options, "weaken");
  return treat_files(options, streams, treat_weaken);
}

}  // namespace ptxmc::cli
