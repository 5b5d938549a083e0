// SPDX-License-Identifier: Apache-2.0
#include "helpers.h"

using namespace ptxmc;
using namespace ptxmc::litmus;
using namespace ptxmc::litmus::testing;

namespace {

Test init(const std::string& text) {
  return parse_text("PTX t\n{ " + text + " }\n P0 | P1 ;\nexists true\n");
}

const Variable& variable(const Test& test, const std::string& name) {
  for (const Variable& v : test.variables) {
    if (v.name == name) return v;
  }
  FAIL("no variable " << name);
  return test.variables.front();
}

}  // namespace

TEST_CASE("herd form") {
  const Test t = init("x=1; y = -2 ; [z]=0x10; w; ;; v=&x; u=x; int a=3; uint64_t b; c[2]={1,y}; d[4]");
  CHECK_EQ(t.variables.size(), 10);
  CHECK(variable(t, "x").initial == std::vector<InitialValue>{{1, ""}});
  CHECK(variable(t, "y").initial == std::vector<InitialValue>{{-2, ""}});
  CHECK(variable(t, "z").initial == std::vector<InitialValue>{{16, ""}});
  CHECK(variable(t, "w").initial.empty());
  CHECK(variable(t, "v").initial == std::vector<InitialValue>{{0, "x"}});
  CHECK(variable(t, "u").initial == std::vector<InitialValue>{{0, "x"}});
  CHECK(variable(t, "a").type == isa::Type{isa::TypeClass::signed_, 32});
  CHECK(variable(t, "b").type == isa::Type{isa::TypeClass::unsigned_, 64});
  CHECK(variable(t, "c").is_array);
  CHECK(variable(t, "c").initial == std::vector<InitialValue>{{1, ""}, {0, "y"}});
  CHECK_EQ(variable(t, "d").elements, 4);
  CHECK_FALSE(variable(t, "x").ptx_form);
  CHECK_FALSE(t.native);
}

TEST_CASE("registers") {
  const Test t = init("P0:r0=1; 1:r1 = x; P1:%rd2=&x; P0:foo=0xffffffffffffffff");
  REQUIRE_EQ(t.register_inits.size(), 4);
  CHECK_EQ(t.register_inits[0].name, "r0");
  CHECK_EQ(t.register_inits[1].thread, 1);
  CHECK_EQ(t.register_inits[1].value.address_of, "x");
  CHECK_EQ(t.register_inits[2].name, "rd2");
  CHECK_EQ(t.register_inits[3].value.integer, -1);
  CHECK_EQ(t.variables.size(), 1);  // x, which only values mention
}

TEST_CASE("PTX form") {
  const Test t = init(
      ".global .u32 x = 7; .shared .align 8 .b64 bar; .global .b32 a[4] = {1, 2}; .const .s32 c; .local .u8 "
      "l;"
      ".global .u64 p = x, q = generic(a), r[] = {1, 2, 3}; y=0");
  CHECK(t.native);
  CHECK(variable(t, "x").ptx_form);
  CHECK(variable(t, "x").type == isa::Type{isa::TypeClass::unsigned_, 32});
  CHECK(variable(t, "bar").space == isa::Space::shared);
  CHECK_EQ(variable(t, "bar").align, 8);
  CHECK(variable(t, "bar").initial.empty());
  CHECK_EQ(variable(t, "a").elements, 4);
  CHECK_EQ(variable(t, "a").initial.size(), 2);
  CHECK(variable(t, "c").space == isa::Space::const_);
  CHECK(variable(t, "l").space == isa::Space::local);
  CHECK(variable(t, "p").initial == std::vector<InitialValue>{{0, "x"}});
  CHECK(variable(t, "q").initial == std::vector<InitialValue>{{0, "a"}});
  CHECK_EQ(variable(t, "r").elements, 3);
  CHECK_FALSE(variable(t, "y").ptx_form);
}

TEST_CASE("aliases") {
  const Test t = init(
      "x=0; y aliases x; c @ constant aliases x; t @ texture aliases y; s@surface aliases x; g @ generic "
      "aliases h; .shared .u32 z; w aliases z");
  CHECK_EQ(variable(t, "y").aliases, "x");
  CHECK(variable(t, "c").alias_proxy == isa::Proxy::constant);
  CHECK(variable(t, "t").alias_proxy == isa::Proxy::texture);
  CHECK_EQ(variable(t, "t").aliases, "y");
  CHECK(variable(t, "s").alias_proxy == isa::Proxy::surface);
  CHECK(variable(t, "g").alias_proxy == isa::Proxy::generic);
  CHECK(variable(t, "h").aliases.empty());
  CHECK(variable(t, "w").space == isa::Space::shared);
}

TEST_CASE("what the initial state refuses") {
  const auto refused = [](const std::string& text) {
    return !errors_of("PTX t\n{ " + text + " }\n P0 ;\nexists true\n").empty();
  };
  CHECK_FALSE(refused("x=0;"));
  CHECK(refused("x=0; x=1"));
  CHECK(refused("x=0 y=0"));
  CHECK(refused("r0=0"));
  CHECK(refused("P0:r0=0; P0:r0=0"));
  CHECK(refused("P1:r0=0"));
  CHECK(refused("a[0]"));
  CHECK(refused("a[1]={1,2}"));
  CHECK(refused("a[99999999999999999999]"));
  CHECK(refused(".global x"));
  CHECK(refused(".global .f8 x"));
  CHECK(refused(".global .u32 x = 1.5"));
  CHECK(refused("x aliases x"));
  CHECK(refused("x aliases y; y aliases x"));
  CHECK(refused("x @ moon aliases y"));
  CHECK(refused("x = 18446744073709551616"));
  CHECK(refused("not = 1"));
}
