// SPDX-License-Identifier: Apache-2.0
// What editors are told of instructions.
#include "ptx/isa/describe.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "ptx/isa/sections.h"
#include "ptx/isa/table.h"

namespace ptxmc::isa {

namespace {

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("what may follow a mnemonic is what no word of it excludes") {
  CHECK(continuations("st.rel") == std::vector<std::string>{"relaxed", "release"});
  CHECK(continuations("ld.rel") == std::vector<std::string>{"relaxed"});
  CHECK(has(continuations("st.release."), "gpu"));
  CHECK(!has(continuations("st.release."), "relaxed"));      // one memory order
  CHECK(!has(continuations("st.release.gpu."), "cluster"));  // one scope
  CHECK(has(continuations("cp.async."), "bulk"));
  CHECK(has(continuations("s"), "st"));
  CHECK(!has(continuations("s"), "ld"));
  CHECK(continuations("frobnicate.").empty());
  CHECK(has(continuations(""), "ld"));
  // Each word that is proposed behind a whole mnemonic can be read in some form: as far as its name goes.
  for (const std::string& word : continuations("atom.add.relaxed.")) {
    INFO(word);
    CHECK(!forms_of("atom.add.relaxed." + word).empty());
  }
}

TEST_CASE("forms in words") {
  const std::vector<FormText> stores = forms_of("st");
  REQUIRE(!stores.empty());
  CHECK(stores.front().operands == std::vector<std::string>{"an address", "a register or value"});
  CHECK(std::any_of(stores.front().choices.begin(), stores.front().choices.end(),
                    [](const FormText::Choice& choice) { return choice.what == "a memory order"; }));
  CHECK(forms_of("cp.async.bulk").size() < forms_of("cp").size());
  CHECK(forms_of("st.acquire").empty());
}

TEST_CASE("sections of the manual: the longest name that it has") {
  CHECK(sections_of("st.release.gpu") == "9.7.8.11");
  CHECK(sections_of("st.async.weak") == "9.7.8.12");
  CHECK(sections_of("cp.async.bulk.tensor.2d") == "9.7.8.24.9");
  CHECK(sections_of("mbarrier.try_wait.parity") == "9.7.12.15.16");
  CHECK(sections_of("mma.sp::ordered_metadata.sync") == "9.7.13.5.3");
  CHECK(sections_of("tcgen05.mma.cta_group::1") == "9.7.16.10.9.1");
  CHECK(sections_of("tcgen05.wait::ld.sync") == "9.7.16.8.5");
  CHECK(sections_of("st.bulk.weak").empty());
  CHECK(sections_of("frobnicate").empty());
  // Short forms of litmus suites, and what is younger than that edition, have none.
  const std::set<std::string_view> none = {
      "beq",    "bne", "bge", "bgt", "ble", "blt", "goto", "cold", "tld", "suatom", "clusterlaunchcontrol",
      "istypep"};
  for (const Form& form : forms()) {
    if (form.base.empty() || form.base.starts_with("cuda")) continue;  // host threads call functions
    INFO(form.base);
    CHECK(sections_of(form.base).empty() == none.contains(form.base));
  }
}

}  // namespace ptxmc::isa
