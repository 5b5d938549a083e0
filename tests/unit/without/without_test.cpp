// SPDX-License-Identifier: Apache-2.0
// A build without the SMT engine: its two files before the library's, which has the same functions, in one program.
#include <doctest/doctest.h>

#include <string>

#include "../contains.h"
#include "../message_passing.h"
#include "axiomatic/engine/smt/smt.h"
#include "session/analysis.h"
#include "support/diagnostic.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

std::unique_ptr<session::Analysis> checked(const session::Session& session, const std::string& text) {
  return session::check_test(session, std::make_shared<const Source>(Source{"t.litmus", text}));
}

}  // namespace

TEST_CASE("without the SMT engine, the explicit one is what auto chooses") {
  REQUIRE_FALSE(engine::smt::is_built());
  const session::Session session({});
  CHECK(session.settings().engine == session::EngineChoice::explicit_);
  const auto analysis = checked(session, mp("A", false));
  CHECK(analysis->judgement.answer == explain::Answer::allowed);
  CHECK(analysis->decision.engine == "explicit");
  CHECK(analysis->decision.result.states.size() == 4);
}

TEST_CASE("without the SMT engine, who asks for it is told so") {
  for (const auto choice : {session::EngineChoice::smt, session::EngineChoice::both}) {
    session::Settings settings;
    settings.engine = choice;
    std::string said;
    try {
      const session::Session session(std::move(settings));
    } catch (const InputError& error) {
      said = error.what();
    }
    CHECK(contains(said, "the SMT engine is not in this build"));
  }
}

TEST_CASE(
    "without a solver, what rests on values that nobody knows is unknown, and what does not is answered") {
  const session::Session session({});
  const std::string head =
      "PTX T\n{\n  .shared .u32 x;\n  .global .u32 y = 0;\n}\n P0 @ cta 0 ;\n ld.weak.shared.u32 %r0, [x] "
      ";\n";
  const auto open = checked(session, head + " mul.lo.u32 %r1, %r0, %r0 ;\nexists (P0:%r1 == 4)\n");
  CHECK(open->judgement.answer == explain::Answer::unknown);
  const auto known = checked(session, head + " ld.weak.global.u32 %r1, [y] ;\nexists (P0:%r1 == 1)\n");
  CHECK(known->judgement.answer == explain::Answer::forbidden);
}
