// SPDX-License-Identifier: Apache-2.0
// What a text may leave unsaid, and the sections that comments give.
#include "toys.h"

using namespace ptxmc;
using namespace ptxmc::cat::toys;

TEST_CASE("a herd-style text gets a total co per location") {
  const relation::MemoryModel model = read("acyclic po | rf | co | fr as sc\n");
  REQUIRE(model.orders.size() == 1);
  CHECK(model.orders[0].name == "co-choice");
  CHECK_FALSE(model.orders[0].partial);
  REQUIRE(model.axioms.size() == 2);
  CHECK(model.axioms[0].name == "co");
  CHECK(model.axioms[0].test == relation::Test::acyclic);
  CHECK(std::get<relation::Rel>(model.axioms[0].expression) == model.coherence);
  CHECK(same("co", "(co-choice | (IW * (W \\ IW)) & ploc)+"));
}

TEST_CASE("a text that begins with PTX gets a partial one") {
  const relation::MemoryModel model = read("PTX\nacyclic po | co as x\n");
  REQUIRE(model.orders.size() == 1);
  CHECK(model.orders[0].partial);
  CHECK(model.axioms[0].name == "co");
  CHECK_FALSE(read("\"PTX-like\"\nacyclic po | co as x\n").orders[0].partial);
}

TEST_CASE("a text that defines co gets nothing, one that declares an order must define it") {
  CHECK(read("let co = po & W * W\nacyclic co as x\n").orders.empty());
  CHECK(only_error("\nlet a = po\norder o over po\n") ==
        "3:1: the text declares an order but does not define co, the coherence order");
}

TEST_CASE("coherence is the last co") {
  const relation::MemoryModel model = read("let co = po\nlet co = co; co\n");
  CHECK(model.definitions.back().value == std::variant<relation::Set, relation::Rel>(model.coherence));
}

TEST_CASE("fr follows the co in force") {
  CHECK(same("fr", "fromreads(po)", "let co = po\n"));
  CHECK(same("old", "fromreads(po)", "let co = po\nlet old = fr\nlet co = rf\n"));
  CHECK_FALSE(same("fr", "fromreads(po)", "let co = po\nlet co = po; po\n"));
  CHECK(only_error("order o over po\nlet a = fr\nlet co = o\n") == "2:9: `fr` is used before co is defined");
  CHECK(same("fr", "rf^-1; po", "let co = po\nlet fr = rf^-1; co\n"));  // the text's own
}

TEST_CASE("derived names of herd") {
  CHECK(same("po-loc", "po & ploc"));
  CHECK(same("loc", "ploc"));
  CHECK(same("rfe", "rf & ext"));
  CHECK(same("rfi", "rf & int"));
  CHECK(same("coe", "co & ext"));
  CHECK(same("coi", "co & int"));
  CHECK(same("fre", "fr & ext"));
  CHECK(same("fri", "fr & int"));
  CHECK(same("com", "rf | co | fr"));
  CHECK(same("sr", "mscope"));
}

TEST_CASE("derived names need their base rows") {
  const relation::Signature small({{"po", relation::Sort::relation, relation::Provider::fixed, "", ""},
                                   {"rf", relation::Sort::relation, relation::Provider::reads_from, "", ""}});
  try {
    cat::read(source("let co = po\nlet a = rfe\n"), small);
    FAIL("an unknown name was accepted");
  } catch (const InputError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics()[0].message == "`rfe` needs base relations that are not there");
  }
}

TEST_CASE("sync_fence is an order of mutual-scope fence.sc, where a text names it") {
  const relation::MemoryModel model = read("PTX\nacyclic po | sync_fence as x\n");
  REQUIRE(model.orders.size() == 2);
  CHECK(model.orders[0].name == "sync_fence");
  CHECK(model.orders[1].partial);
  CHECK(read("PTX\nacyclic po as x\n").orders.size() == 1);
  CHECK(read("PTX\nlet sync_fence = po\nacyclic sync_fence as x\n").orders.size() == 1);
}

TEST_CASE("sections: on the line, directly above, from the heading") {
  const relation::MemoryModel model = read(R"(
(* ---- 8.9.5 Causality ---- *)
let a = po                (* 8.9.1, R12 *)

(* 8.7 above, D18 *)
let b = po

let c = po
let d = po // 8.10.1
(* PTX ISA 8.4 has no version here, nor has x8.5 *)
let e = po
let f = po |              (* 8.9.2 *)
        rf                (* 8.9.3 *)
acyclic po as x           (* 8.10.6; 8.10.6 *)
let co = po
)");
  std::vector<std::string> sections;
  for (const relation::Definition& definition : model.definitions) sections.push_back(definition.section);
  CHECK(sections == std::vector<std::string>{"8.9.1, R12", "8.7, D18", "8.9.5", "8.10.1", "8.9.5",
                                             "8.9.2, 8.9.3", "8.9.5"});
  CHECK(model.axioms[0].section == "8.10.6");
}
