// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace ptxmc::isa;

namespace {

Modifiers modifiers(std::string_view dotted, Notation notation = Notation::any) {
  const Resolution r = resolve(dotted, notation);
  INFO("mnemonic: ", std::string(dotted), r.errors.empty() ? "" : r.errors.front().message);
  REQUIRE(r.resolved.has_value());
  CHECK(r.errors.empty());
  return r.resolved->modifiers;
}

/// The word that the first error names, or -1 when there is no error.
int error_word(std::string_view dotted) {
  const Resolution r = resolve(dotted, Notation::any);
  CHECK_NE(r.resolved.has_value(), !r.errors.empty());
  return r.errors.empty() ? -1 : static_cast<int>(r.errors.front().word);
}

std::string message(std::string_view dotted) {
  const Resolution r = resolve(dotted, Notation::any);
  return r.errors.empty() ? "" : r.errors.front().message;
}

Opcode opcode(std::string_view dotted, Notation notation = Notation::any) {
  const Resolution r = resolve(dotted, notation);
  REQUIRE(r.resolved.has_value());
  return r.resolved->form->opcode;
}

using Roles = std::vector<Role>;

Roles operands(std::string_view dotted, Notation notation = Notation::any) {
  const Resolution r = resolve(dotted, notation);
  REQUIRE(r.resolved.has_value());
  Roles roles;
  for (const Place& place : r.resolved->operands) roles.push_back(place.role);
  return roles;
}

}  // namespace

TEST_CASE("every row names its groups once, with words of its own") {
  for (const Form& form : forms()) {
    INFO("form: ", display_name(form));
    std::set<Group> groups;
    std::set<std::string_view> words;
    for (const Choice& choice : form.choices) {
      CHECK(groups.insert(choice.group).second);
      for (const std::string_view word : split_words(choice.words)) CHECK(words.insert(word).second);
    }
    for (const std::string_view word : split_words(form.unsupported)) CHECK_EQ(words.count(word), 0);
    for (const Place& place : form.operands) CHECK_FALSE(noun(place.kind).empty());
  }
}

TEST_CASE("every word of every row is understood") {
  for (const Form& form : forms()) {
    for (const Choice& choice : form.choices) {
      for (const std::string_view word : split_words(choice.words)) {
        std::vector<std::string_view> words = split_words(form.selector);
        words.push_back(word);
        INFO("form: ", display_name(form), " word: ", std::string(word));
        // Other groups may be missing, or rules not met: what must not happen is "unknown modifier" or an
        // exception.
        const Resolution r = resolve(form.base, words, form.notation);
        for (const ModifierError& e : r.errors) {
          CHECK_EQ(e.message.find("unknown"), std::string::npos);
          CHECK_EQ(e.message.find("takes no"), std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("defaults of the manual") {
  CHECK(modifiers("ld.u32").semantics == Semantics::weak);
  CHECK(modifiers("ld.u32").scope == Scope::none);
  CHECK(modifiers("ld.u32").space == Space::generic);
  CHECK(modifiers("atom.add.u32").semantics == Semantics::relaxed);
  CHECK(modifiers("atom.add.u32").scope == Scope::gpu);
  CHECK(modifiers("atom.acquire.add.u32").scope == Scope::gpu);
  CHECK(modifiers("red.add.u32").semantics == Semantics::relaxed);
  CHECK(modifiers("red.cta.add.u32").scope == Scope::cta);
  CHECK(modifiers("fence.gpu").semantics == Semantics::acq_rel);
  CHECK(modifiers("ld.volatile.u32").scope == Scope::sys);
  CHECK(modifiers("ld.volatile.u32").semantics == Semantics::volatile_);
  CHECK(modifiers("st.mmio.relaxed.sys.global.u32").semantics == Semantics::mmio);
  CHECK(modifiers("st.mmio.relaxed.sys.global.u32").scope == Scope::sys);
  CHECK(modifiers("membar.cta") == modifiers("fence.sc.cta"));
  CHECK(modifiers("membar.gl") == modifiers("fence.sc.gpu"));
  CHECK(modifiers("membar.sys") == modifiers("fence.sc.sys"));
  CHECK(opcode("membar.gl") == Opcode::fence);
  CHECK(modifiers("membar.proxy.alias") == modifiers("fence.proxy.alias"));
  CHECK_FALSE(modifiers("ld").type.has_value());
}

TEST_CASE("modifiers are a set") {
  const Modifiers expected = modifiers("ld.acquire.gpu.global.u32");
  std::vector<std::string_view> words = {"acquire", "global", "gpu", "u32"};
  do {
    const Resolution r = resolve("ld", words, Notation::any);
    REQUIRE(r.resolved.has_value());
    CHECK(r.resolved->modifiers == expected);
  } while (std::next_permutation(words.begin(), words.end()));
  CHECK(modifiers("atom.add.acq_rel.gpu.s32") == modifiers("atom.acq_rel.gpu.add.s32"));
  CHECK(modifiers("fence.cluster.acq_rel") == modifiers("fence.acq_rel.cluster"));
}

TEST_CASE("types, spaces, and what has no effect") {
  const Modifiers m = modifiers("st.release.cluster.shared::cluster.s64");
  CHECK(m.space == Space::shared_cluster);
  CHECK(m.scope == Scope::cluster);
  CHECK(m.type == Type{TypeClass::signed_, 64});
  CHECK(modifiers("ld.global.L1::evict_last.L2::128B.u32") == modifiers("ld.global.u32"));
  CHECK(modifiers("ld.cg.u32") == modifiers("ld.u32"));
  CHECK(modifiers("st.wb.u32") == modifiers("st.u32"));
  CHECK(opcode("bra.uni") == Opcode::bra);
  CHECK(opcode("ret.uni") == Opcode::ret);
  CHECK(resolve("ld.L2::cache_hint.u32", Notation::any).resolved->cache_policy);
  CHECK_FALSE(resolve("ld.u32", Notation::any).resolved->cache_policy);
  const Modifiers cvt = modifiers("cvt.u64.s32");
  CHECK(cvt.type == Type{TypeClass::unsigned_, 64});
  CHECK(cvt.source_type == Type{TypeClass::signed_, 32});
  CHECK(modifiers("mov.pred").type == Type{TypeClass::predicate, 1});
}

TEST_CASE("unsigned comparisons are comparisons of unsigned types") {
  CHECK(modifiers("setp.lo.u32") == modifiers("setp.lt.u32"));
  CHECK(modifiers("setp.ls.u32").compare == Compare::le);
  CHECK(modifiers("setp.hi.u32").compare == Compare::gt);
  CHECK(modifiers("setp.hs.u16").compare == Compare::ge);
  CHECK_EQ(error_word("setp.lo.s32"), 2);
  CHECK_EQ(error_word("setp.lo"), 1);
  CHECK_EQ(error_word("setp.lt.b32"), 2);
  CHECK_EQ(error_word("setp.eq.b32"), -1);
  CHECK(modifiers("setp.eq.and.u32").combine == BoolOp::and_);
  CHECK((operands("setp.eq.u32") == Roles{Role::result, Role::a, Role::b}));
  CHECK((operands("setp.eq.xor.u32") == Roles{Role::result, Role::a, Role::b, Role::predicate}));
}

TEST_CASE("errors name the word") {
  CHECK_EQ(error_word("ld.foo.u32"), 1);
  CHECK_EQ(error_word("foo.u32"), 0);
  CHECK_EQ(message("foo.u32"), "unknown instruction `foo`");
  CHECK_EQ(message("tcgen05.alloc"),
           "`tcgen05` needs one of .cp, .mma, .fence::before_thread_sync, .fence::after_thread_sync");
  CHECK_EQ(error_word("ld.relaxed.acquire.gpu.u32"), 2);
  CHECK_EQ(message("ld.relaxed.acquire.gpu.u32"), "`.acquire` contradicts `.relaxed` in `ld`");
  CHECK_EQ(message("ld.gpu.weak.u32"), "`.weak` contradicts `.gpu` in `ld`");
  CHECK_EQ(message("ld.u32.u32"), "`.u32` is given twice");
  CHECK_EQ(message("mbarrier.arrive.cta.b64"),
           "`.cta` of `mbarrier.arrive` needs a memory order: one of .release .relaxed");
  CHECK_EQ(message("cvt.sat.s32.s8"), "`.s32` contradicts `.sat` in `cvt`");
  CHECK_EQ(message("ld.global.nc.cv.u32"), "`.cv` contradicts `.nc` in `ld`");
  CHECK_EQ(message("ld.shared.L2::cache_hint.u32"), "`.L2::cache_hint` contradicts `.shared` in `ld`");
  const std::string bulk = "cp.reduce.async.bulk.global.shared::cta.bulk_group";  // 9.7.8.24.7
  CHECK_EQ(message(bulk + ".add.f32"), "");
  CHECK_EQ(message(bulk + ".add.noftz.bf16"), "");
  CHECK_EQ(message(bulk + ".max.f16"), "");
  CHECK_EQ(message(bulk + ".add.bf16"), "`.add` of `.bf16` in `" + bulk + "` needs `.noftz`");
  CHECK_EQ(message(bulk + ".max.f32"), "`.f32` contradicts `.max` in `" + bulk + "`");
  CHECK_NE(message(bulk + ".add.noftz.f32").find("(PTX 9.4) is not modelled"), std::string::npos);
  for (const std::string_view form : {"unified", "async"}) {
    const std::string dotted = "ld." + std::string(form);
    CHECK_EQ(message(dotted), "`." + std::string(form) + "` of `ld` is not supported yet");
  }
}

TEST_CASE("strong accesses need a scope, weak ones have none") {
  CHECK_EQ(error_word("ld.relaxed.u32"), 1);
  CHECK_EQ(error_word("ld.acquire.u32"), 1);
  CHECK_EQ(error_word("st.release.u32"), 1);
  CHECK_EQ(error_word("ld.gpu.u32"), 1);
  CHECK_EQ(error_word("ld.weak.gpu.u32"), 2);
  CHECK_EQ(error_word("ld.volatile.sys.u32"), 2);
  CHECK_EQ(error_word("fence"), 0);
  CHECK_EQ(error_word("fence.sc"), 0);
  CHECK_EQ(error_word("atom.relaxed.add.u32"), -1);
  CHECK_EQ(error_word("ld.mmio.relaxed.sys.u32"), -1);
  CHECK_EQ(error_word("ld.mmio.relaxed.u32"), 1);
  CHECK_EQ(error_word("ld.mmio.acquire.sys.u32"), -1);
  CHECK_EQ(error_word("ld.mmio.release.sys.u32"), 2);
  CHECK_EQ(error_word("st.mmio.release.sys.u32"), -1);
  CHECK_EQ(error_word("ld.global.proxy::readonly.u32"), -1);
  CHECK_EQ(error_word("ld.global.nc.proxy::readonly.u32"), 3);
  CHECK_EQ(error_word("ld.shared.proxy::readonly.u32"), 2);
  CHECK_EQ(error_word("ld.relaxed.gpu.global.proxy::readonly.u32"), 4);
  CHECK_EQ(error_word("ld.mmio.relaxed.sys.shared.u32"), 4);
  CHECK_EQ(error_word("ld.relaxed.gpu.local.u32"), 3);
  CHECK_EQ(error_word("ld.relaxed.gpu.cv.u32"), 3);
  CHECK_EQ(error_word("ld.acquire.gpu.L1::evict_last.u32"), -1);
}

TEST_CASE("atomic operations and types") {
  CHECK((operands("atom.add.u32") == Roles{Role::result, Role::address, Role::value}));
  CHECK((operands("atom.cas.b32") == Roles{Role::result, Role::address, Role::comparand, Role::value}));
  CHECK((operands("red.add.u32") == Roles{Role::address, Role::value}));
  CHECK_EQ(error_word("atom.u32"), 0);
  CHECK_EQ(error_word("atom.inc.u32"), -1);
  CHECK_EQ(error_word("atom.inc.u64"), 2);
  CHECK_EQ(error_word("atom.min.b32"), 2);
  CHECK_EQ(error_word("atom.cas.b16"), -1);
  CHECK_EQ(error_word("atom.exch.b16"), 2);
  CHECK_EQ(error_word("red.cas.b32"), 1);
  CHECK_EQ(error_word("red.exch.b32"), 1);
  CHECK_EQ(error_word("red.acq_rel.sys.add"), -1);
}

TEST_CASE("products name their half") {
  CHECK(modifiers("mul").half == MulHalf::none);
  CHECK(modifiers("mul.lo.u32").half == MulHalf::lo);
  CHECK(modifiers("mad.wide.u16").half == MulHalf::wide);
  CHECK_EQ(error_word("mul.u32"), 0);
  CHECK_EQ(error_word("mul.hi"), 1);
  CHECK_EQ(error_word("mul.wide.s64"), 2);
}

TEST_CASE("barriers in both notations") {
  CHECK(opcode("bar.sync") == Opcode::bar_sync);
  CHECK(opcode("bar.cta.sync") == Opcode::bar_sync);
  CHECK(modifiers("bar.cta.sync") == modifiers("bar.sync"));
  CHECK(modifiers("barrier.cta.sync.aligned") == modifiers("bar.sync"));
  CHECK_FALSE(modifiers("barrier.sync").aligned);
  CHECK((operands("bar.cta.sync") == Roles{Role::barrier, Role::count}));
  CHECK(
      (operands("bar.cta.sync", Notation::short_form) == Roles{Role::instance, Role::barrier, Role::count}));
  CHECK(modifiers("bar.cta.sync", Notation::short_form).instance_first);
  CHECK(modifiers("bar.cta.arrive", Notation::short_form).instance_first);
  CHECK_FALSE(modifiers("bar.sync", Notation::short_form).instance_first);
  CHECK_FALSE(modifiers("bar.cta.red.popc.u32", Notation::short_form).instance_first);
  CHECK(modifiers("bar.red.and.pred").barrier_red == BarrierRed::and_);
  CHECK_EQ(error_word("bar.red.popc.pred"), 3);
  CHECK_EQ(error_word("bar"), 0);
  CHECK_EQ(error_word("barrier.cluster.wait"), -1);
  CHECK_EQ(error_word("bar.sync.aligned"), 2);
}

TEST_CASE("bar.warp.sync") {
  CHECK(opcode("bar.warp.sync") == Opcode::bar_sync);
  CHECK(modifiers("bar.warp.sync").warp);
  CHECK_FALSE(modifiers("bar.sync").warp);
  CHECK((operands("bar.warp.sync") == Roles{Role::member_mask}));
  CHECK_EQ(mnemonic(Opcode::bar_sync, modifiers("bar.warp.sync")), "bar.warp.sync");
  CHECK_EQ(error_word("bar.warp.arrive"), 1);
  CHECK_EQ(error_word("barrier.warp.sync"), 1);
}

TEST_CASE("short forms") {
  CHECK(modifiers("tld.weak").proxy == Proxy::texture);
  CHECK(modifiers("suld.acquire.gpu").proxy == Proxy::surface);
  CHECK(modifiers("cold.weak").proxy == Proxy::constant);
  CHECK(opcode("sust.weak") == Opcode::st);
  CHECK(modifiers("suatom.relaxed.gpu.add").proxy == Proxy::surface);
  CHECK(opcode("sured.release.cta.and") == Opcode::red);
  CHECK(opcode("goto") == Opcode::bra);
  CHECK(opcode("bge") == Opcode::branch_compare);
  CHECK(modifiers("ble").compare == Compare::le);
  for (const std::string_view proxy : {"generic", "constant", "texture", "surface", "alias", "async"}) {
    CHECK_EQ(name_of(modifiers("fence.proxy." + std::string(proxy)).proxy), proxy);
  }
}

TEST_CASE("mnemonic() is the inverse of resolve()") {
  // For each form: every choice of at most three words that resolves; of the many shapes of wgmma, a few.
  std::size_t tried = 0;
  for (const Form& form : forms()) {
    std::vector<std::string_view> words;
    for (const Choice& choice : form.choices) {
      const std::vector<std::string_view> list = split_words(choice.words);
      const std::size_t step = list.size() > 40 ? 31 : 1;
      for (std::size_t i = 0; i < list.size(); i += step) words.push_back(list[i]);
    }
    words.push_back("");
    for (const std::string_view a : words) {
      for (const std::string_view b : words) {
        for (const std::string_view c : words) {
          std::vector<std::string_view> all = split_words(form.selector);
          for (const std::string_view word : {a, b, c}) {
            if (!word.empty()) all.push_back(word);
          }
          const Resolution r = resolve(form.base, all, form.notation);
          if (!r.resolved || form.selector.find('-') != std::string_view::npos)
            continue;  // which no text has
          ++tried;
          const std::string text = mnemonic(r.resolved->form->opcode, r.resolved->modifiers);
          const Resolution again = resolve(text, form.notation);
          if (!again.resolved || !(again.resolved->modifiers == r.resolved->modifiers) ||
              again.resolved->form->opcode != r.resolved->form->opcode) {
            FAIL_CHECK(text);
          }
        }
      }
    }
  }
  CHECK_GT(tried, 1000);
}

TEST_CASE("names") {
  CHECK(parse_type("b32") == Type{TypeClass::bits, 32});
  CHECK_FALSE(parse_type("b33").has_value());
  CHECK(parse_type("f32") == Type{TypeClass::floating, 32, Float::f32});
  CHECK(parse_type("bf16") != parse_type("f16"));
  for (const char* name : {"f16", "bf16", "tf32", "f64", "f16x2", "e4m3x2"})
    CHECK_EQ(name_of(*parse_type(name)), name);
  CHECK_FALSE(parse_type("f8").has_value());
  CHECK_FALSE(parse_type("u").has_value());
  CHECK_EQ(name_of(Type{TypeClass::signed_, 8}), "s8");
  CHECK_EQ(name_of(Semantics::volatile_), "volatile");
  CHECK_EQ(name_of(Space::shared_cta), "shared::cta");
  CHECK(is_special_register("tid"));
  CHECK(is_special_register("envreg12"));
  CHECK_FALSE(is_special_register("p0"));
}

TEST_CASE("between the lanes of a warp") {
  CHECK_EQ(opcode("shfl.sync.bfly.b32"), Opcode::shuffle);
  CHECK_EQ(modifiers("shfl.sync.up.b32").warp_mode, WarpMode::up);
  CHECK_EQ(modifiers("shfl.b32.sync.down").warp_mode, WarpMode::down);
  CHECK_EQ(modifiers("vote.sync.ballot.b32").warp_mode, WarpMode::ballot);
  CHECK_EQ(modifiers("redux.sync.max.s32").atomic, AtomicOp::max);
  CHECK((operands("elect.sync") == Roles{Role::result, Role::member_mask}));
  CHECK_EQ(opcode("activemask.b32"), Opcode::active_mask);
  CHECK_EQ(error_word("vote.sync.all.b32"), 3);
  CHECK_EQ(error_word("vote.sync.ballot.pred"), 3);
  CHECK_EQ(error_word("redux.sync.add.b32"), 3);
  CHECK_EQ(error_word("redux.sync.xor.u32"), 3);
  CHECK_EQ(error_word("match.sync.any"), 0);
  for (const char* name : {"shfl.sync.idx.b32", "vote.sync.uni.pred", "match.sync.all.b64",
                           "redux.sync.and.b32", "elect.sync", "activemask.b32"}) {
    CHECK_EQ(mnemonic(opcode(name), modifiers(name)), name);
  }
}

TEST_CASE("eviction priorities of L2 are of 32 bytes of global memory (8.8)") {
  for (const char* const taken :
       {"ld.global.L2::evict_last.v8.f32", "ld.global.nc.L2::evict_normal.v4.u64",
        "st.global.L1::no_allocate.L2::evict_first.v8.b32", "ld.L2::evict_last.v8.f32"}) {
    CAPTURE(taken);
    CHECK_EQ(message(taken), "");
  }
  CHECK_NE(message("ld.global.L2::evict_last.v4.f32").find("256 bits"), std::string::npos);
  CHECK_NE(message("ld.global.L2::evict_last.f32").find("256 bits"), std::string::npos);
  CHECK_NE(message("ld.shared.L2::evict_last.v8.f32").find("contradicts"), std::string::npos);
}

TEST_CASE(
    "createpolicy takes two priorities, of which the second is evict_first or evict_unchanged (9.7.8.17)") {
  for (const char* const taken : {"createpolicy.fractional.L2::evict_first.L2::evict_first.b64",
                                  "createpolicy.fractional.L2::evict_unchanged.L2::evict_first.b64",
                                  "createpolicy.range.global.L2::evict_normal.L2::evict_first.b64"}) {
    CAPTURE(taken);
    CHECK_EQ(message(taken), "");
  }
  for (const char* const three :
       {"createpolicy.fractional.L2::evict_last.L2::evict_first.L2::evict_unchanged.b64",
        "createpolicy.fractional.L2::evict_first.L2::evict_unchanged.L2::evict_last.b64"}) {
    CAPTURE(three);
    CHECK_NE(message(three).find("third priority"), std::string::npos);
  }
  CHECK_NE(message("createpolicy.fractional.L2::evict_first.L2::evict_first.L2::evict_first.b64"), "");
  CHECK_NE(message("createpolicy.fractional.L2::evict_last.L2::evict_last.b64"), "");
}

TEST_CASE("st.async and red.async to global memory release at .gpu or .sys") {
  for (const char* const taken :
       {"red.async.release.gpu.global.add.s64", "red.async.mmio.release.sys.add.u32",
        "st.async.mmio.release.sys.global.u32", "st.async.release.gpu.u32"}) {
    CAPTURE(taken);
    CHECK_EQ(message(taken), "");
  }
  for (const char* const refused :
       {"red.async.release.cta.global.add.u32", "st.async.release.cluster.global.u32",
        "red.async.release.gpu.global.and.u32", "red.async.release.gpu.global.max.s64",
        "red.async.relaxed.gpu.global.add.u32", "red.async.release.global.add.u32"}) {
    CAPTURE(refused);
    CHECK_NE(message(refused), "");
  }
}

TEST_CASE("special registers") {
  CHECK(is_special_register("tid.x"));
  CHECK_EQ(special_register("tid.x"), Special::tid_x);
  CHECK_EQ(special_register("lanemask_gt"), Special::lane_mask_gt);
  CHECK_FALSE(special_register("tid"));
  CHECK_FALSE(special_register("tid.q"));
  CHECK_EQ(special_register("ctaid.z"), Special::zero);
  CHECK_EQ(special_register("nctaid.y"), Special::one);
  CHECK_EQ(special_register("smid"), Special::of_moment);
  CHECK_EQ(special_register("envreg31"), Special::of_launch);
  CHECK_FALSE(special_register("envreg32"));
  CHECK_FALSE(special_register("pm8"));
  CHECK_EQ(special_register_bits("pm7_64"), 64);
  CHECK_EQ(special_register_bits("clock64"), 64);
  CHECK_EQ(special_register_bits("is_explicit_cluster"), 1);
  CHECK(is_special_register("nclusterid"));
  CHECK_EQ(bits_of(Element::bf16), 16);
  CHECK_EQ(name_of(Element::e4m3), "e4m3");
}
