// SPDX-License-Identifier: Apache-2.0
#include "generate/judge.h"

#include <fmt/format.h>

#include <memory>

#include "input/litmus/parse.h"
#include "support/beyond_limits.h"
#include "support/check.h"

namespace ptxmc::generate {

session::Settings judging(session::Settings settings) {
  settings.engine = session::EngineChoice::both;
  settings.verdict_only = true;
  settings.flags = false;
  settings.recheck = session::Recheck::first;
  return settings;
}

Judged judge(const session::Session& session, const std::string& name, const std::string& text,
             const Budget& budget) {
  try {
    const litmus::Test test = litmus::parse(std::make_shared<const Source>(Source{name, text}));
    const std::unique_ptr<session::Analysis> analysis = session::check_test(session, test, budget);
    Judged judged{analysis->judgement.answer, analysis->judgement.unknown, analysis->problems};
    if (!judged.problems.empty()) judged.answer = explain::Answer::unknown;
    return judged;
  } catch (const BeyondLimits&) {
    return {explain::Answer::unknown, "too-large", {}};
  } catch (const InputError& error) {
    PTXMC_CHECK(false, fmt::format("what is generated is a test: {}", error.what()));
  } catch (const OutOfTime&) {
    return {explain::Answer::unknown, "timeout", {}};
  }
  return {};
}

}  // namespace ptxmc::generate
