// SPDX-License-Identifier: Apache-2.0
// The witness of the state that answers the condition, where few of many states keep one.
#include "session/decisive_witness.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "axiomatic/recheck/recheck.h"
#include "input/litmus/parse.h"

using namespace ptxmc;

namespace {

/// Store buffering without fences: each thread may read 0 or 1, whatever the others do.
std::string ring(int threads, const std::string& condition) {
  std::string variables, code, shown;
  for (int t = 0; t < threads; ++t) {
    const std::string own = std::to_string(t), next = std::to_string((t + 1) % threads);
    variables += ".global .u32 x" + own + " = 0; ";
    code += "P" + own + " @ cta " + own + " { st.relaxed.gpu.u32 [x" + own +
            "], 1; ld.relaxed.gpu.u32 %r0, [x" + next + "]; }\n";
    shown += "P" + own + ":%r0; ";
  }
  return "PTX Ring\n{ " + variables + "}\n" + code + "locations [" + shown + "]\n" + condition + "\n";
}

std::unique_ptr<session::Analysis> checked(const session::Session& session, const std::string& test) {
  return check_test(session, std::make_shared<const Source>(Source{"ring.litmus", test}));
}

session::Settings few_witnesses(session::EngineChoice engine, bool packed) {
  session::Settings settings;
  settings.engine = engine;
  settings.packed = packed;
  settings.witnesses = 1;
  settings.decisive_witness = true;
  return settings;
}

}  // namespace

TEST_CASE("the state that decides has a witness, packed or not, whichever engine lists it") {
  constexpr int kThreads = 11;
  REQUIRE((1U << kThreads) > session::kManyStates);
  const session::Session every{session::Settings{}};
  for (const char* condition : {"exists (P0:%r0 == 1 /\\ P9:%r0 == 1)", "exists (P3:%r0 == 2)",
                                "forall (P0:%r0 == 0 \\/ P5:%r0 == 1)", "~exists (P10:%r0 == 1)"}) {
    const std::string test = ring(kThreads, condition);
    const auto all = checked(every, test);
    const std::size_t index = *explain::deciding_state(all->graph, all->decision.result);
    const engine::State& expected = all->decision.result.states[index];
    const session::Session session(few_witnesses(session::EngineChoice::explicit_, true));
    const auto analysis = checked(session, test);
    const engine::Result& found = analysis->decision.result;
    CHECK(analysis->problems.empty());
    REQUIRE(found.packed);
    CHECK(found.packed->size() == all->decision.result.states.size());
    CHECK(explain::deciding_state(analysis->graph, found) == index);
    REQUIRE(found.states.size() == 1);
    CHECK(found.states.front().values == expected.values);
    CHECK(found.states.front().satisfied == expected.satisfied);
    CHECK(check::recheck(analysis->query(session), found.states.front()).empty());
  }
  const std::string test = ring(3, "forall (P0:%r0 == 0)");
  for (const auto engine : {session::EngineChoice::explicit_, session::EngineChoice::smt}) {
    const session::Session session(few_witnesses(engine, false));
    const auto analysis = checked(session, test);
    const engine::Result& found = analysis->decision.result;
    const engine::State& state = found.states.at(*explain::deciding_state(analysis->graph, found));
    CHECK(found.states.size() == 8);
    CHECK(!state.satisfied);
    REQUIRE(state.witness.exists.size() != 0);
    CHECK(check::recheck(analysis->query(session), state).empty());
  }
}
