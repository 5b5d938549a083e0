// SPDX-License-Identifier: Apache-2.0
// The built-in models: all load, with the axioms and orders that they are known by.
#include "model/models.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "../cat/equal.h"
#include "axiomatic/event/base.h"
#include "model/archive.h"
#include "model/cat/mutate.h"
#include "model/cat/print.h"
#include "model/cat/read.h"
#include "model/elaborated.h"
#include "support/diagnostic.h"

using namespace ptxmc;

namespace {

const relation::Signature& signature() {
  return event::base_signature();
}

std::vector<std::string> names(const std::vector<relation::Constraint>& constraints) {
  std::vector<std::string> out;
  for (const relation::Constraint& constraint : constraints) out.push_back(constraint.name);
  return out;
}

std::string error_of(const std::string& name) {
  try {
    model::load(name, signature());
  } catch (const InputError& error) {
    return error.diagnostics().at(0).message;
  }
  return "";
}

/// A folder of its own for the test, removed at its end.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("ptxmc-models-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
  Folder() { std::filesystem::create_directory(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

}  // namespace

TEST_CASE("what was read when ptxmc was built is what the texts say") {
  const auto equal = [](relation::MemoryModel a, relation::MemoryModel b) {
    model::ArchiveWriter first, second;
    model::archive(first, a);
    model::archive(second, b);
    CHECK(first.numbers == second.numbers);
    CHECK(first.strings == second.strings);
  };
  const auto read = [](const std::string& file, const model::Readings& readings) {
    return cat::read(model::text_of(file), signature(), model::text_of, model::conditions(readings));
  };
  for (const model::Profile& profile : model::profiles()) {
    CAPTURE(profile.name);
    relation::MemoryModel text = read(std::string(profile.file), model::Readings(profile.readings));
    text.name = profile.name;
    std::optional<relation::MemoryModel> kept = model::restore(profile.name, signature());
    REQUIRE(kept);
    equal(text, *kept);
    const std::size_t nodes = kept->tree.relations().size();
    for (std::uint32_t i = 0; i < nodes; ++i) {  // a node that is there is found again
      if (const auto* base = std::get_if<relation::BaseRel>(&kept->tree.relations()[i]))
        CHECK(kept->tree.base_relation(base->base) == relation::Rel{i});
    }
    CHECK(kept->tree.relations().size() == nodes);
  }
  std::optional<relation::MemoryModel> atomicity = model::restore(model::kAtomicity, signature());
  REQUIRE(atomicity);
  equal(read("atomicity.cat", {}), *atomicity);
}

TEST_CASE("what was read with another signature is read anew") {
  std::vector<relation::BaseRow> rows = signature().rows();
  std::swap(rows.front(), rows.back());
  const relation::Signature other(rows);
  CHECK_FALSE(model::restore("ptx-9.4", other));
  CHECK(model::load("ptx-9.4", other).axioms.size() == model::load("ptx-9.4", signature()).axioms.size());
  CHECK_FALSE(model::restore("ptx-10", signature()));
}

TEST_CASE("every profile loads under its name and prints as a text that reads back") {
  REQUIRE(model::profiles().size() == 6);
  for (const model::Profile& profile : model::profiles()) {
    CAPTURE(profile.name);
    const relation::MemoryModel model = model::load(std::string(profile.name), signature());
    CHECK(model.name == profile.name);
    CHECK_FALSE(profile.description.empty());
    CHECK_FALSE(model.axioms.empty());
    const std::string text = cat::print(model, signature());
    CHECK(cat::toys::equal(
        model, cat::read(std::make_shared<const Source>(Source{"printed.cat", text}), signature())));
  }
}

TEST_CASE("the default model has the axioms of chapter 8, each with its section") {
  const relation::MemoryModel model = model::load(std::string(model::kDefaultProfile), signature());
  CHECK(names(model.axioms) == std::vector<std::string>{"BaseCausality", "Coherence", "SingleCopy", "Tearing",
                                                        "RMWAtomicity", "MixedSizeAtomicity", "NoThinAir",
                                                        "SCPerLocation", "Causality", "BarrierCausality"});
  CHECK(names(model.flags) ==
        std::vector<std::string>{"race", "mixed-size-race", "proxy-race", "cross-proxy-war", "warp-exchange",
                                 "mbarrier-uninitialised", "mbarrier-misuse", "barrier-misuse",
                                 "mbarrier-init-unfenced", "shared-after-exit", "exit-in-flight-read",
                                 "tensor-memory-alloc", "tensor-memory-leak", "tmem-free",
                                 "tensor-cta-group"});
  REQUIRE(model.orders.size() == 2);
  CHECK(model.orders[0].name == "sc");
  CHECK(model.orders[1].name == "coherence");
  for (const relation::Constraint& axiom : model.axioms) {
    const std::string chapter = axiom.name == "MixedSizeAtomicity" ? "8.7.2" : "8.10";
    CHECK(axiom.section.find(chapter) != std::string::npos);
  }
  for (const relation::Definition& definition : model.definitions) CHECK_FALSE(definition.section.empty());
}

TEST_CASE("ptx-8.4 is ptx-9.4 without the fences that came later") {
  const relation::MemoryModel older = model::load("ptx-8.4", signature());
  const relation::MemoryModel newer = model::load("ptx-9.4", signature());
  CHECK(names(older.axioms) == names(newer.axioms));
  CHECK(names(older.flags) ==
        std::vector<std::string>{"fence-of-a-later-version", "race", "mixed-size-race", "proxy-race",
                                 "cross-proxy-war", "warp-exchange", "mbarrier-uninitialised",
                                 "mbarrier-misuse", "barrier-misuse", "mbarrier-init-unfenced",
                                 "shared-after-exit", "exit-in-flight-read", "tensor-memory-alloc",
                                 "tensor-memory-leak", "tmem-free", "tensor-cta-group"});
  const auto definition = [](const relation::MemoryModel& model, const std::string& name) {
    const std::string text = cat::print(model, signature());
    const std::size_t at = text.find("let " + name + " = ");
    return at == std::string::npos ? std::string() : text.substr(at, text.find('\n', at) + 1 - at);
  };
  CHECK(definition(newer, "ACQF").find("FACQ ") != std::string::npos);
  CHECK(definition(newer, "RELF").find("FREL ") != std::string::npos);
  CHECK(definition(older, "RELF").find("FREL ") == std::string::npos);
  CHECK(definition(older, "ACQF") == "let ACQF = RELF  (* 8.8, 9.7.12.4 *)\n");  // both: FACQREL | FSC
  CHECK_FALSE(cat::toys::equal(older, newer));
}

TEST_CASE("the published models") {
  CHECK(names(model::load("ptx-6.0", signature()).axioms) ==
        std::vector<std::string>{"Coherence", "Fence-SC", "Atomicity", "No-Thin-Air", "SC-per-Location",
                                 "Causality", "Barrier"});
  CHECK(names(model::load("ptx-7.5", signature()).axioms) ==
        std::vector<std::string>{"Coherence", "Atomicity", "No-Thin-Air", "Causality", "Barrier"});
}

TEST_CASE("texts by file name, includes") {
  CHECK(model::text_of("ptx.cat") != nullptr);
  CHECK(model::text_of("ptx.cat")->text.substr(0, 4) == "PTX\n");
  CHECK(model::text_of("none.cat") == nullptr);
}

TEST_CASE("texts of the herd family: its library, co made of co, sync_barrier") {
  const auto read = [](const std::string& text) {
    return model::load_text(std::make_shared<const Source>(Source{"mine.cat", text}), signature());
  };
  CHECK(read("PTX\ninclude \"cos.cat\"\nlet f = fr; co\nacyclic f | co as a\n").orders.size() == 1);
  CHECK(read("PTX\ninclude \"stdlib.cat\"\nacyclic fencerel(F) as a\n").axioms.size() == 2);
  // As Dat3M's ptx-v7.5.cat begins: co is chosen, and closed.
  CHECK(read("PTX\nlet co = co+\nlet fr = rf^-1; co\nacyclic co as a\nacyclic fr | sync_barrier as b\n")
            .orders.size() == 1);
  // Where barriers order, they wait for each other in no circle; names of fences and proxies are the published ones.
  CHECK(names(read("PTX\nacyclic po | sync_barrier as b\n").axioms) ==
        std::vector<std::string>{"barrier", "co", "b"});
  CHECK(names(read("PTX\nlet s = syncbar & scta\nacyclic po | s as b\n").axioms).front() == "barrier");
  CHECK(names(read("PTX\nacyclic po | quorum as b\n").axioms) == std::vector<std::string>{"co", "b"});
  for (const std::string name : {"F", "GEN", "SUR", "vloc"}) {
    const std::string use = name == "vloc" ? name : "[" + name + "]";
    CHECK(read("PTX\nacyclic po & " + use + " as a\n").definitions.size() ==
          read("acyclic po & " + use + " as a\n").definitions.size() + 1);
    CHECK(read("PTX\nlet " + name + " = 0\nempty " + name + " as a\n").definitions.size() == 2);
  }
  CHECK_THROWS_AS(read("let rec co = co; co\norder o over W * W\nacyclic co | other as a\n"), InputError);
}

TEST_CASE("a user's file may include a file beside it, and a built-in one") {
  const Folder folder;
  folder.write("part.cat", "let a = po\n");
  const std::string path =
      folder.write("mine.cat", "include \"part.cat\"\ninclude \"sc.cat\"\nacyclic a as mine\n");
  const relation::MemoryModel model = model::load(path, signature());
  CHECK(model.name == "mine");
  CHECK(names(model.axioms) == std::vector<std::string>{"Coherence", "Atomicity", "SC", "mine"});
}

TEST_CASE("what is no model is an error") {
  CHECK(
      error_of("ptx-5") ==
      "found no model \"ptx-5\": neither a cat file nor one of ptx-9.4, ptx-9.1, ptx-8.4, ptx-7.5, ptx-6.0, sc");
  CHECK(error_of("/").find("found no model") == 0);
  const Folder folder;
  CHECK(error_of(folder.write("wrong.cat", "let a = nope\n")) == "found the unknown name `nope`");
}

TEST_CASE("every clause of every model has its mutant") {
  for (const model::Profile& profile : model::profiles()) {
    CAPTURE(profile.name);
    const std::vector<cat::Mutant> all = cat::mutants(model::text_of(std::string(profile.file)), signature(),
                                                      model::text_of, model::conditions());
    CHECK(all.size() >= 9);
    const relation::MemoryModel original = model::load(std::string(profile.name), signature());
    for (const cat::Mutant& mutant : all) {
      CAPTURE(mutant.description);
      relation::MemoryModel model = mutant.model;
      model.name = original.name;
      CHECK_FALSE(cat::toys::equal(model, original));
    }
  }
}
