// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/opcode.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "ptx/isa/table.h"

using namespace ptxmc::isa;

TEST_CASE("each opcode has a form, but the place of a label") {
  for (const OpcodeTraits& row : opcode_traits()) {
    const auto of_row = [&](const Form& form) { return form.opcode == row.opcode; };
    CAPTURE(std::string(row.name));
    CHECK(std::any_of(forms().begin(), forms().end(), of_row) == (row.opcode != Opcode::nop));
  }
}

TEST_CASE("a role tells one operand of a form from the others") {
  for (const Form& form : forms()) {
    CAPTURE(form.base);
    CAPTURE(form.selector);
    std::vector<Place> places = places_of(form, form.defaults);
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) CHECK(places[i].role != places[j].role);
    }
  }
}

TEST_CASE("what a waiting loop may repeat leaves memory and barriers alone") {
  CHECK(traits(Opcode::ld).has(Trait::repeats));
  CHECK(traits(Opcode::mbarrier_try_wait).has(Trait::repeats));
  for (const OpcodeTraits& row : opcode_traits()) {
    if (row.family == Family::barrier || row.family == Family::async_copy || row.family == Family::matrix) {
      CHECK_FALSE(row.has(Trait::repeats));
    }
    if (row.family == Family::arithmetic) CHECK(row.has(Trait::repeats));
    CHECK_FALSE((row.has(Trait::repeats) && row.has(Trait::acts)));
  }
}

TEST_CASE("what operands ask of registers") {
  const auto bits = [](std::string_view dotted, Role role, std::size_t elements = 0) {
    const Resolution resolution = resolve(dotted, Notation::any);
    REQUIRE(resolution.resolved.has_value());
    for (const Place& place : resolution.resolved->operands) {
      if (place.role != role) continue;
      const std::optional<Use> use = use_of(place, resolution.resolved->modifiers, elements);
      return use ? int{use->bits} * (use->exact ? 1 : -1) : 0;
    }
    return -1000;
  };
  CHECK_EQ(bits("ld.u8", Role::result), -16);  // registers are not narrower; wider ones will do
  CHECK_EQ(bits("ld", Role::result), 0);       // a short form says nothing
  CHECK_EQ(bits("atom.cas.b64", Role::comparand), 64);
  CHECK_EQ(bits("cvt.u64.u32", Role::a), -32);
  CHECK_EQ(bits("mad.wide.u16", Role::c), 32);
  CHECK_EQ(bits("mad.wide.u16", Role::b), 16);
  CHECK_EQ(bits("shl.b64", Role::b), 32);
  CHECK_EQ(bits("mov.b64", Role::a, 2), 32);
  CHECK_EQ(bits("setp.eq.u32", Role::result), 1);
  CHECK_EQ(bits("vote.sync.ballot.b32", Role::result), 32);
  CHECK_EQ(bits("vote.sync.any.pred", Role::result), 1);
  CHECK_EQ(bits("barrier.red.popc.u32", Role::result), 32);
  CHECK_EQ(bits("mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64", Role::a), 64);
  CHECK_EQ(bits("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32", Role::value), 32);
}

TEST_CASE("where addresses are") {
  const auto space = [](std::string_view dotted, Role role) {
    const Resolution resolution = resolve(dotted, Notation::any);
    REQUIRE(resolution.resolved.has_value());
    for (const Place& place : resolution.resolved->operands) {
      if (place.role == role) return space_of(place, resolution.resolved->modifiers);
    }
    return Space::local;
  };
  CHECK(space("cp.async.ca.shared.global", Role::address) == Space::shared);
  CHECK(space("cp.async.ca.shared.global", Role::source_address) == Space::global);
  CHECK(space("tcgen05.shift.cta_group::1.down", Role::address) == Space::tensor);
  CHECK(space("ld.const.u32", Role::address) == Space::const_);
}
