// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/specialise.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "axiomatic/engine/explicit/explicit.h"
#include "axiomatic/lower/lower.h"
#include "axiomatic/recheck/recheck.h"
#include "input/litmus/parse.h"
#include "model/cat/read.h"
#include "model/models.h"

using namespace ptxmc;

namespace {

SourcePtr source(const std::string& name, const std::string& text) {
  return std::make_shared<const Source>(Source{name, text});
}

relation::MemoryModel text(const std::string& cat) {
  return cat::read(source("model", cat), event::base_signature());
}

struct Program {
  explicit Program(const std::string& test)
      : graph(lower::lower(litmus::parse(source("test", test)), {})), base(event::compute_base(graph)) {}
  engine::Query query(const relation::MemoryModel& model, engine::Ask ask = engine::Ask::states,
                      std::size_t flag = 0) const {
    return {graph, base, event::base_signature(), model, ask, flag, std::nullopt};
  }
  event::ProgramGraph graph;
  event::BaseValues base;
};

// States with and without the specialiser; witnesses are judged by the whole model.
void same_answer(const engine::Query& query) {
  const engine::Specialiser specialiser(query.model);
  const engine::Result expected = engine::explicit_::solve(query);
  for (int round = 0; round < 2; ++round) {  // the second time from what it knows
    const engine::Result found = specialiser.solve(query, engine::explicit_::solve);
    CHECK(found.complete == expected.complete);
    REQUIRE(found.states.size() == expected.states.size());
    for (std::size_t i = 0; i < found.states.size(); ++i) {
      if (query.ask == engine::Ask::states) CHECK(found.states[i].values == expected.states[i].values);
      for (const std::string& what : check::recheck(query, found.states[i])) FAIL_CHECK(what);
    }
  }
}

const Program kPlain(
    "PTX MP\n{ x=0; y=0; }\n"
    " P0@cta 0,gpu 0        | P1@cta 1,gpu 0        ;\n"
    " st.weak x, 1          | ld.acquire.gpu r0, y  ;\n"
    " st.release.gpu y, 1   | ld.weak r1, x         ;\n"
    "exists (P1:r0 == 1 /\\ P1:r1 == 0)\n");

const Program kAtomics(
    "PTX Inc\n{ x=0; }\n"
    " P0@cta 0,gpu 0                 | P1@cta 1,gpu 0                 | P2@cta 2,gpu 0       ;\n"
    " atom.relaxed.gpu.add r0, x, 1  | atom.relaxed.gpu.add r0, x, 1  | ld.relaxed.gpu r0, x ;\n"
    "locations [P0:r0; P1:r0; P2:r0; x;]\nforall (x == 2)\n");

// The thread that takes the branch waits at a barrier that the other never comes to: no execution.
const Program kBarrier(
    "PTX Bar\n{ x=0; y=0; }\n"
    " P0@cta 0,gpu 0        | P1@cta 0,gpu 0        ;\n"
    " ld.relaxed.cta r0, x  | st.relaxed.cta x, 1   ;\n"
    " setp.eq.s32 %p, r0, 1 | bar.sync 0, 64        ;\n"
    " @%p bra L             |                       ;\n"
    " bar.sync 0, 64        |                       ;\n"
    " L: st.weak y, 1       |                       ;\n"
    "locations [P0:r0;]\nexists (P0:r0 == 1)\n");

}  // namespace

TEST_CASE("a specialised model gives the answers of the whole one") {
  for (const auto& profile : model::profiles()) {
    const relation::MemoryModel model = model::load(std::string(profile.name), event::base_signature());
    for (const Program* program : {&kPlain, &kAtomics, &kBarrier}) {
      same_answer(program->query(model));
      for (std::size_t flag = 0; flag < model.flags.size(); ++flag)
        same_answer(program->query(model, engine::Ask::flag, flag));
    }
  }
}

TEST_CASE("what a program cannot have is folded away") {
  const relation::MemoryModel model =
      model::load(std::string(model::kDefaultProfile), event::base_signature());
  const relation::MemoryModel plain =
      engine::specialise(model, engine::facts_of(kPlain.query(model)), std::nullopt);
  CHECK(2 * plain.tree.relations().size() < model.tree.relations().size());
  CHECK(plain.tree.groups().empty());  // no atomics: obs and pp are not recursive
  CHECK(plain.orders.size() == model.orders.size());
  CHECK(plain.axioms.size() == model.axioms.size());
  CHECK(plain.flags.empty());
  const relation::MemoryModel atomic =
      engine::specialise(model, engine::facts_of(kAtomics.query(model)), std::size_t{2});
  CHECK(atomic.tree.groups().size() == 1);  // obs
  CHECK(atomic.flags.size() == 1);
  CHECK(atomic.flags[0].name == model.flags[2].name);
}

TEST_CASE("an enumerated relation that decides which paths have executions is not folded away") {
  // PF is empty here, so phase is named for its values alone.
  const relation::MemoryModel model = text(
      "\"toy\"\nlet co = [W]; ploc; [W] & 0\nlet fr = fromreads(co)\n"
      "empty [PF]; phase as none\n");
  same_answer(kBarrier.query(model));
  CHECK(engine::explicit_::solve(kBarrier.query(model)).states.size() == 1);
}

TEST_CASE("a query about another model is answered with that model") {
  const relation::MemoryModel strict = model::load("sc", event::base_signature());
  const relation::MemoryModel loose = text("\"loose\"\nlet co = 0 & po\n");
  const engine::Specialiser specialiser(strict);
  const engine::Query query = kPlain.query(loose);
  CHECK(specialiser.solve(query, engine::explicit_::solve).states.size() == 4);
  CHECK(specialiser.solve(kPlain.query(strict), engine::explicit_::solve).states.size() == 3);
}

TEST_CASE("a set that is made of reads-from is known to depend on it") {
  const relation::MemoryModel model = text(
      "\"toy\"\nlet co = 0 & po\n"
      "let seen = domain(rf \\ ([IW]; rf))\nempty [seen]; po; [W] as none\n");
  same_answer(kPlain.query(model));
  CHECK(engine::explicit_::solve(kPlain.query(model)).states.size() == 2);  // x is not seen
}
