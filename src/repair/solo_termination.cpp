// SPDX-License-Identifier: Apache-2.0
#include "repair/solo_termination.h"

#include <map>
#include <memory>

#include "session/liveness.h"
#include "support/beyond_limits.h"
#include "support/refuse.h"

namespace ptxmc::repair {

namespace {

std::optional<bool> waits_alone(const session::Session& session, const litmus::Test& test, std::size_t thread,
                                const Budget& budget) {
  litmus::Test alone = test;
  const auto idle = std::make_shared<const program::Body>();
  for (std::size_t t = 0; t < alone.threads.size(); ++t) {
    if (t != thread) alone.threads[t].body = idle;
  }
  alone.property = program::Property::always(nullptr);
  alone.verdicts.clear();
  try {
    return session::check_liveness(session, alone, lower::ProgressModel::fair, budget)->hangs;
  } catch (const BeyondLimits&) {
  } catch (const InputError&) {  // liveness of kernels is not supported
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::optional<bool>> waits_for_others(const session::Session& session, const litmus::Test& test,
                                                  const Budget& budget) {
  std::vector<std::optional<bool>> out;
  std::map<const program::Body*, std::optional<bool>> known;
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    const auto [answer, first] = known.try_emplace(test.threads[t].body.get());
    if (first) answer->second = waits_alone(session, test, t, budget);
    out.push_back(answer->second);
  }
  return out;
}

}  // namespace ptxmc::repair
