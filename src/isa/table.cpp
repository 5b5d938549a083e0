// SPDX-License-Identifier: Apache-2.0
// The rows. To add an instruction form: a row here, and a function in src/lower.
#include "isa/table.h"

namespace ptxmc::isa {

namespace {

constexpr std::string_view kScopeWords = "cta cluster gpu sys";
constexpr std::string_view kMemoryTypes = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64";
constexpr std::string_view kAtomicTypes = "b16 b32 b64 u32 u64 s32 s64";
constexpr std::string_view kIntegerTypes = "u16 u32 u64 s16 s32 s64";
constexpr std::string_view kBitTypes = "pred b16 b32 b64";
constexpr std::string_view kAnyTypes = "b16 b32 b64 u16 u32 u64 s16 s32 s64";
constexpr std::string_view kMoveTypes = "pred b16 b32 b64 u16 u32 u64 s16 s32 s64";
constexpr std::string_view kConvertTypes = "u8 u16 u32 u64 s8 s16 s32 s64";
constexpr std::string_view kSharedWords = "global shared shared::cta shared::cluster";
constexpr std::string_view kEvictionWords =
    "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate";
constexpr std::string_view kPrefetchWords = "L2::64B L2::128B L2::256B";

// What the manual knows and ptxmc does not yet: floating, packed and wide types, vectors, the other spaces.
constexpr std::string_view kNoMemory =
    "v2 v4 v8 b128 f16 f16x2 bf16 bf16x2 f32 f64 param param::entry param::func nc unified async";
constexpr std::string_view kNoAtomic = "v2 v4 v8 b128 f16 f16x2 bf16 bf16x2 f32 f64 noftz async";
constexpr std::string_view kNoArithmetic =
    "f16 f16x2 bf16 bf16x2 f32 f64 u16x2 s16x2 sat rn rz rm rp ftz approx full cc relu";
constexpr std::string_view kNoMove = "f32 f64 b128 v2 v4";

// ---- Groups, by instruction family ------------------------------------------------------------------------
constexpr Choice kLd[] = {{Group::semantics, "weak relaxed acquire volatile"},
                          {Group::mmio, "mmio"},
                          {Group::scope, kScopeWords},
                          {Group::space, "const global local shared shared::cta shared::cluster"},
                          {Group::type, kMemoryTypes},
                          {Group::cache_operator, "ca cg cs lu cv"},
                          {Group::eviction, kEvictionWords},
                          {Group::prefetch, kPrefetchWords},
                          {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kSt[] = {{Group::semantics, "weak relaxed release volatile"},
                          {Group::mmio, "mmio"},
                          {Group::scope, kScopeWords},
                          {Group::space, "global local shared shared::cta shared::cluster"},
                          {Group::type, kMemoryTypes},
                          {Group::cache_operator, "wb cg cs wt"},
                          {Group::eviction, kEvictionWords},
                          {Group::cache_policy, "L2::cache_hint"}};
// Of other proxies: the short forms of the mixed-proxy suites.
constexpr Choice kProxyLd[] = {
    {Group::semantics, "weak relaxed acquire"}, {Group::scope, kScopeWords}, {Group::type, kMemoryTypes}};
constexpr Choice kProxySt[] = {
    {Group::semantics, "weak relaxed release"}, {Group::scope, kScopeWords}, {Group::type, kMemoryTypes}};
// .sub .mul .div exist in short forms only. `red` takes all semantics: the published suites use red.acq_rel.
constexpr Choice kAtom[] = {{Group::atomic, "add sub mul div and or xor exch cas inc dec min max", true},
                            {Group::semantics, "relaxed acquire release acq_rel"},
                            {Group::scope, kScopeWords},
                            {Group::space, kSharedWords},
                            {Group::type, kAtomicTypes},
                            {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kRed[] = {{Group::atomic, "add sub mul div and or xor inc dec min max", true},
                           {Group::semantics, "relaxed acquire release acq_rel"},
                           {Group::scope, kScopeWords},
                           {Group::space, kSharedWords},
                           {Group::type, "b32 b64 u32 u64 s32 s64"},
                           {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kProxyAtom[] = {{Group::atomic, "add sub mul div and or xor exch cas inc dec min max", true},
                                 {Group::semantics, "relaxed acquire release acq_rel"},
                                 {Group::scope, kScopeWords},
                                 {Group::type, kAtomicTypes}};
constexpr Choice kProxyRed[] = {{Group::atomic, "add sub mul div and or xor inc dec min max", true},
                                {Group::semantics, "relaxed acquire release acq_rel"},
                                {Group::scope, kScopeWords},
                                {Group::type, "b32 b64 u32 u64 s32 s64"}};
constexpr Choice kFence[] = {{Group::semantics, "acq_rel sc acquire release"},
                             {Group::scope, kScopeWords, true}};
constexpr Choice kFenceProxy[] = {{Group::proxy, "alias async generic constant texture surface", true},
                                  {Group::space, "global shared::cta shared::cluster"}};
constexpr Choice kMembar[] = {{Group::level, "cta gl sys", true}};
constexpr Choice kMembarProxy[] = {{Group::proxy, "alias", true}};
constexpr Choice kBar[] = {{Group::no_effect, "cta"}};
constexpr Choice kBarrier[] = {{Group::no_effect, "cta"}, {Group::aligned, "aligned"}};
constexpr Choice kBarRed[] = {
    {Group::no_effect, "cta"}, {Group::barrier_red, "popc and or", true}, {Group::type, "u32 pred", true}};
constexpr Choice kBarrierRed[] = {{Group::no_effect, "cta"},
                                  {Group::aligned, "aligned"},
                                  {Group::barrier_red, "popc and or", true},
                                  {Group::type, "u32 pred", true}};
constexpr Choice kMov[] = {{Group::type, kMoveTypes}};
constexpr Choice kCvt[] = {{Group::type, kConvertTypes, true}};
constexpr Choice kSelp[] = {{Group::type, kAnyTypes}};
constexpr Choice kSetp[] = {{Group::compare, "eq ne lt le gt ge lo ls hi hs", true},
                            {Group::combine, "and or xor"},
                            {Group::type, kAnyTypes}};
constexpr Choice kArithmetic[] = {{Group::type, kIntegerTypes}};
constexpr Choice kMul[] = {{Group::half, "lo hi wide"}, {Group::type, kIntegerTypes}};
constexpr Choice kSigned[] = {{Group::type, "s16 s32 s64"}};
constexpr Choice kLogic[] = {{Group::type, kBitTypes}};
constexpr Choice kShl[] = {{Group::type, "b16 b32 b64"}};
constexpr Choice kShr[] = {{Group::type, kAnyTypes}};
constexpr Choice kBra[] = {{Group::no_effect, "uni"}};

// ---- Defaults ---------------------------------------------------------------------------------------------
constexpr Modifiers proxied(Proxy proxy) {
  Modifiers m;
  m.proxy = proxy;
  return m;
}

// 9.7.12.5, 9.7.12.6: .relaxed.gpu when left out
constexpr Modifiers atomic(Proxy proxy = Proxy::generic) {
  Modifiers m = proxied(proxy);
  m.semantics = Semantics::relaxed;
  m.scope = Scope::gpu;
  return m;
}

constexpr Modifiers fence(Semantics semantics) {
  Modifiers m;
  m.semantics = semantics;
  return m;
}

// barrier without .aligned; bar.* is barrier.*.aligned (9.7.12.1)
constexpr Modifiers unaligned() {
  Modifiers m;
  m.aligned = false;
  return m;
}

constexpr Modifiers instance_first() {
  Modifiers m;
  m.instance_first = true;
  return m;
}

constexpr Modifiers comparing(Compare compare) {
  Modifiers m;
  m.compare = compare;
  return m;
}

// ---- The table --------------------------------------------------------------------------------------------
constexpr Form kForms[] = {
    // Memory (9.7.8, 9.7.12.5, 9.7.12.6)
    {"ld", "", Opcode::ld, "da", kLd, kNoMemory, {}},
    {"st", "", Opcode::st, "as", kSt, kNoMemory, {}},
    {"atom", "", Opcode::atom, "xas", kAtom, kNoAtomic, atomic()},
    {"red", "", Opcode::red, "as", kRed, kNoAtomic, atomic()},
    // Short forms of accesses through other proxies
    {"tld", "", Opcode::ld, "da", kProxyLd, kNoMemory, proxied(Proxy::texture)},
    {"suld", "", Opcode::ld, "da", kProxyLd, kNoMemory, proxied(Proxy::surface)},
    {"cold", "", Opcode::ld, "da", kProxyLd, kNoMemory, proxied(Proxy::constant)},
    {"sust", "", Opcode::st, "as", kProxySt, kNoMemory, proxied(Proxy::surface)},
    {"suatom", "", Opcode::atom, "xas", kProxyAtom, kNoAtomic, atomic(Proxy::surface)},
    {"sured", "", Opcode::red, "as", kProxyRed, kNoAtomic, atomic(Proxy::surface)},
    // Fences (9.7.12.4)
    {"fence", "", Opcode::fence, "", kFence, "mbarrier_init", fence(Semantics::acq_rel)},
    {"fence",
     "proxy",
     Opcode::fence_proxy,
     "",
     kFenceProxy,
     "tensormap::generic async::generic acquire release",
     {}},
    {"membar", "", Opcode::fence, "", kMembar, "", fence(Semantics::sc)},
    {"membar", "proxy", Opcode::fence_proxy, "", kMembarProxy, "", {}},
    // Barriers (9.7.12.1)
    {"bar", "sync", Opcode::bar_sync, "vv?", kBar, "", {}},
    {"bar", "arrive", Opcode::bar_arrive, "vv", kBar, "", {}},
    {"bar", "red", Opcode::bar_red, "dvv?p", kBarRed, "", {}},
    {"barrier", "sync", Opcode::bar_sync, "vv?", kBarrier, "", unaligned()},
    {"barrier", "arrive", Opcode::bar_arrive, "vv", kBarrier, "", unaligned()},
    {"barrier", "red", Opcode::bar_red, "dvv?p", kBarrierRed, "", unaligned()},
    {"bar", "cta sync", Opcode::bar_sync, "vv?v?", {}, "", instance_first(), Notation::short_form},
    {"bar", "cta arrive", Opcode::bar_arrive, "vv?v?", {}, "", instance_first(), Notation::short_form},
    // Moves and conversions (9.7.8, 9.7.6)
    {"mov", "", Opcode::mov, "ds", kMov, kNoMove, {}},
    {"cvt",
     "",
     Opcode::cvt,
     "ds",
     kCvt,
     "f16 bf16 f32 f64 tf32 rn rz rm rp rni rzi rmi rpi ftz sat pack",
     {}},
    {"selp", "", Opcode::selp, "dssr", kSelp, "f32 f64", {}},
    {"setp",
     "",
     Opcode::setp,
     "qss",
     kSetp,
     "f16 f16x2 bf16 bf16x2 f32 f64 ftz equ neu ltu leu gtu geu num nan",
     {}},
    // Integer arithmetic (9.7.1)
    {"add", "", Opcode::add, "dss", kArithmetic, kNoArithmetic, {}},
    {"sub", "", Opcode::sub, "dss", kArithmetic, kNoArithmetic, {}},
    {"mul", "", Opcode::mul, "dss", kMul, kNoArithmetic, {}},
    {"mad", "", Opcode::mad, "dsss", kMul, kNoArithmetic, {}},
    {"div", "", Opcode::div, "dss", kArithmetic, kNoArithmetic, {}},
    {"rem", "", Opcode::rem, "dss", kArithmetic, kNoArithmetic, {}},
    {"min", "", Opcode::min, "dss", kArithmetic, kNoArithmetic, {}},
    {"max", "", Opcode::max, "dss", kArithmetic, kNoArithmetic, {}},
    {"abs", "", Opcode::abs, "ds", kSigned, kNoArithmetic, {}},
    {"neg", "", Opcode::neg, "ds", kSigned, kNoArithmetic, {}},
    // Logic and shifts (9.7.7)
    {"and", "", Opcode::and_, "dss", kLogic, "", {}},
    {"or", "", Opcode::or_, "dss", kLogic, "", {}},
    {"xor", "", Opcode::xor_, "dss", kLogic, "", {}},
    {"not", "", Opcode::not_, "ds", kLogic, "", {}},
    {"shl", "", Opcode::shl, "dss", kShl, "", {}},
    {"shr", "", Opcode::shr, "dss", kShr, "", {}},
    // Control flow (9.7.11), and the short forms' branches
    {"bra", "", Opcode::bra, "l", kBra, "", {}},
    {"goto", "", Opcode::bra, "l", {}, "", {}},
    {"beq", "", Opcode::branch_compare, "ssl", {}, "", comparing(Compare::eq)},
    {"bne", "", Opcode::branch_compare, "ssl", {}, "", comparing(Compare::ne)},
    {"blt", "", Opcode::branch_compare, "ssl", {}, "", comparing(Compare::lt)},
    {"ble", "", Opcode::branch_compare, "ssl", {}, "", comparing(Compare::le)},
    {"bgt", "", Opcode::branch_compare, "ssl", {}, "", comparing(Compare::gt)},
    {"bge", "", Opcode::branch_compare, "ssl", {}, "", comparing(Compare::ge)},
    {"exit", "", Opcode::exit, "", {}, "", {}},
    {"ret", "", Opcode::ret, "", kBra, "", {}},
};

}  // namespace

std::span<const Form> forms() {
  return kForms;
}

}  // namespace ptxmc::isa
