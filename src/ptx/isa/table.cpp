// SPDX-License-Identifier: Apache-2.0
// The rows of memory, addresses, integers, control flow and calls, and the table of all rows: forms with their
// operand places and modifiers (src/README.md: To add an instruction).
#include "ptx/isa/table.h"

#include "ptx/isa/places.h"
#include "ptx/isa/words.h"

namespace ptxmc::isa {

namespace {

constexpr std::string_view kMemoryTypes = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64";
constexpr std::string_view kWideTypes =
    "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 f16x2 bf16x2 u16x2 s16x2";
constexpr std::string_view kAtomicTypes = "b16 b32 b64 b128 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64";
constexpr std::string_view kReducedTypes = "b32 b64 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64";
constexpr std::string_view kIntegerTypes = "u16 u32 u64 s16 s32 s64";
constexpr std::string_view kBitTypes = "pred b16 b32 b64";
constexpr std::string_view kAnyTypes = "b16 b32 b64 u16 u32 u64 s16 s32 s64";
constexpr std::string_view kMoveTypes = "pred b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64";
constexpr std::string_view kSharedWords = "global shared shared::cta shared::cluster";
constexpr std::string_view kL2EvictionWords = "L2::evict_last L2::evict_normal L2::evict_first";
constexpr std::string_view kEvictionWords =
    "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate";

// What the manual knows and ptxmc does not yet: floating, packed and wide types, vectors, the other spaces.
constexpr std::string_view kNoLoad = "unified async";
constexpr std::string_view kNoStore = "param::func async";
constexpr std::string_view kNoProxyLoad = "v2 v4 v8 b128 f16 f16x2 bf16 bf16x2 f32 f64 async";
constexpr std::string_view kNoAtomic = "async";
constexpr std::string_view kNoProxyAtomic = "v2 v4 v8 f16 f16x2 bf16 bf16x2 f32 f64 noftz async";
constexpr std::string_view kNoMove = "v2 v4";

// ---- Groups, by instruction family ------------------------------------------------------------------------
constexpr Choice kLd[] = {
    {Group::semantics, "weak relaxed acquire volatile"},
    {Group::mmio, "mmio"},
    {Group::scope, kScopeWords},
    {Group::space, "const global local param param::entry param::func shared shared::cta shared::cluster"},
    {Group::type, kWideTypes},
    {Group::vector, "v2 v4 v8"},
    {Group::non_coherent, "nc"},
    {Group::read_only, "proxy::readonly"},
    {Group::cache_operator, "ca cg cs lu cv"},
    {Group::eviction, kEvictionWords},
    {Group::l2_eviction, kL2EvictionWords},
    {Group::prefetch, kPrefetchWords},
    {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kLdu[] = {{Group::space, "global"},
                           {Group::type, "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64", true},
                           {Group::vector, "v2 v4"}};
constexpr Choice kSt[] = {{Group::semantics, "weak relaxed release volatile"},
                          {Group::mmio, "mmio"},
                          {Group::scope, kScopeWords},
                          {Group::space, "global local param shared shared::cta shared::cluster"},
                          {Group::type, kWideTypes},
                          {Group::vector, "v2 v4 v8"},
                          {Group::cache_operator, "wb cg cs wt"},
                          {Group::eviction, kEvictionWords},
                          {Group::l2_eviction, kL2EvictionWords},
                          {Group::cache_policy, "L2::cache_hint"}};
// Accesses through other proxies: the short forms of the mixed-proxy suites.
constexpr Choice kProxyLd[] = {
    {Group::semantics, "weak relaxed acquire"}, {Group::scope, kScopeWords}, {Group::type, kMemoryTypes}};
// suld.b and sust.b move the memory's value; sust.p converts (not_modelled.cpp).
constexpr Choice kSurfaceLd[] = {{Group::semantics, "weak relaxed acquire"},
                                 {Group::scope, kScopeWords},
                                 {Group::no_effect, "b"},
                                 {Group::type, kMemoryTypes}};
constexpr Choice kSurfaceSt[] = {{Group::semantics, "weak relaxed release"},
                                 {Group::scope, kScopeWords},
                                 {Group::no_effect, "b"},
                                 {Group::type, kMemoryTypes}};
// .sub .mul .div exist in short forms only. Untyped `red` takes all semantics: the published suites use
// red.acq_rel.
constexpr Choice kAtom[] = {{Group::atomic, "add sub mul div and or xor exch cas inc dec min max", true},
                            {Group::semantics, "relaxed acquire release acq_rel"},
                            {Group::scope, kScopeWords},
                            {Group::space, kSharedWords},
                            {Group::flush, "noftz"},
                            {Group::vector, "v2 v4 v8"},
                            {Group::type, kAtomicTypes},
                            {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kRed[] = {{Group::atomic, "add sub mul div and or xor inc dec min max", true},
                           {Group::semantics, "relaxed acquire release acq_rel"},
                           {Group::scope, kScopeWords},
                           {Group::space, kSharedWords},
                           {Group::flush, "noftz"},
                           {Group::vector, "v2 v4 v8"},
                           {Group::type, kReducedTypes},
                           {Group::cache_policy, "L2::cache_hint"}};
// 9.7.8.13; of a red the scope is .sys when both are left out
constexpr std::string_view kReducedAtOnce = "b32 b64 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64";
constexpr std::string_view kMultimemTypes =
    "b32 b64 u32 u64 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 e4m3x2 e5m2x2 e4m3x4 e5m2x4";
constexpr Choice kMultimemLoad[] = {{Group::semantics, "weak relaxed acquire"},
                                    {Group::scope, kScopeWords},
                                    {Group::space, "global"},
                                    {Group::atomic, "min max add and or xor", true},
                                    {Group::accumulation, "acc::f32 acc::f16"},
                                    {Group::vector, "v2 v4 v8"},
                                    {Group::type, kMultimemTypes, true}};
constexpr Choice kMultimemStore[] = {{Group::semantics, "weak relaxed release"},
                                     {Group::scope, kScopeWords},
                                     {Group::space, "global"},
                                     {Group::vector, "v2 v4 v8"},
                                     {Group::type, kMultimemTypes, true}};
constexpr Choice kMultimemReduce[] = {{Group::semantics, "relaxed release"},
                                      {Group::scope, kScopeWords},
                                      {Group::space, "global"},
                                      {Group::atomic, "min max add and or xor", true},
                                      {Group::vector, "v2 v4 v8"},
                                      {Group::type, kReducedAtOnce, true}};
constexpr Choice kProxyAtom[] = {{Group::atomic, "add sub mul div and or xor exch cas inc dec min max", true},
                                 {Group::semantics, "relaxed acquire release acq_rel"},
                                 {Group::scope, kScopeWords},
                                 {Group::type, "b16 b32 b64 b128 u32 u64 s32 s64"}};
constexpr Choice kProxyRed[] = {{Group::atomic, "add sub mul div and or xor inc dec min max", true},
                                {Group::semantics, "relaxed acquire release acq_rel"},
                                {Group::scope, kScopeWords},
                                {Group::no_effect, "b"},
                                {Group::type, "b32 b64 u32 u64 s32 s64"}};
constexpr Choice kMov[] = {{Group::type, kMoveTypes}};
constexpr Choice kSelp[] = {{Group::type, kAnyTypes}};
constexpr Choice kSetp[] = {{Group::compare, "eq ne lt le gt ge lo ls hi hs", true},
                            {Group::combine, "and or xor"},
                            {Group::type, kAnyTypes}};
constexpr Choice kArithmetic[] = {{Group::type, kIntegerTypes}};
constexpr Choice kMul[] = {{Group::half, "lo hi wide"}, {Group::type, kIntegerTypes}};
constexpr Choice kSigned[] = {{Group::type, "s16 s32 s64"}};
constexpr Choice kLogic[] = {{Group::type, kBitTypes}};
constexpr Choice kLop3[] = {{Group::type, "b32", true}};
constexpr Choice kShl[] = {{Group::type, "b16 b32 b64"}};
constexpr Choice kShr[] = {{Group::type, kAnyTypes}};
constexpr Choice kCvta[] = {
    {Group::space, "const global local param param::entry shared shared::cta shared::cluster", true},
    {Group::type, "u32 u64", true}};
constexpr Choice kMapa[] = {{Group::space, "shared::cluster"}, {Group::type, "u32 u64", true}};
// Between the lanes of a warp (9.7.8.6, 9.7.12.9 to 9.7.12.14)
constexpr Choice kShuffle[] = {{Group::mode, "up down bfly idx", true}, {Group::type, "b32", true}};
constexpr Choice kVote[] = {{Group::mode, "all any uni ballot", true}, {Group::type, "pred b32", true}};
constexpr Choice kMatch[] = {{Group::mode, "all any", true}, {Group::type, "b32 b64", true}};
constexpr Choice kRedux[] = {{Group::atomic, "add min max and or xor", true},
                             {Group::magnitude, "abs"},
                             {Group::nan, "NaN"},
                             {Group::type, "b32 u32 s32 f32", true}};
constexpr Choice kActiveMask[] = {{Group::type, "b32", true}};
constexpr Choice kBra[] = {{Group::aligned, "uni"}};

// ---- Operand places ------------------------------------------------------------------------------------------
using namespace places;  // NOLINT: their names are what the lists below consist of

constexpr bool swaps(const Modifiers& m) {
  return m.atomic == AtomicOp::cas;
}
// 9.7.12.10: only .all says whether all are equal.
constexpr bool of_all(const Modifiers& m) {
  return m.warp_mode == WarpMode::all;
}
constexpr bool of_any(const Modifiers& m) {
  return !of_all(m);
}
// Memory. The value that cas compares comes first.
constexpr Place kLoad[] = {to(Width::at_least_type), at()};
constexpr Place kStore[] = {at(), source(Role::value, Width::at_least_type)};
constexpr Place kAtomic[] = {to(Width::type, Kind::destination_or_sink), at(),
                             when(swaps, source(Role::comparand, Width::type)),
                             source(Role::value, Width::type)};
constexpr Place kReduction[] = {at(), source(Role::value, Width::type)};
// Between the lanes of a warp
constexpr Place kMembers = number(Role::member_mask);
constexpr Place kToPair = to(Width::word, Kind::destination_or_pair);
constexpr Place kShuffled[] = {kToPair, source(Role::value, Width::word), number(Role::lane),
                               number(Role::clamp), kMembers};
constexpr Place kVoted[] = {to(Width::count_or_truth), predicate(), kMembers};
constexpr Place kMatched[] = {when(of_all, kToPair), when(of_any, to(Width::word)),
                              source(Role::value, Width::type), kMembers};
constexpr Place kReduced[] = {to(Width::word), source(Role::value, Width::word), kMembers};
constexpr Place kElected[] = {to(Width::word, Kind::destination_pair), kMembers};
constexpr Place kToWord[] = {to(Width::word)};
// Registers alone
constexpr Place kMove[] = {to(Width::type, Kind::destination_or_vector),
                           {Role::a, Kind::source_or_vector, Width::type}};
constexpr Place kProductSum[] = {to(Width::wide_type), source(Role::a, Width::type),
                                 source(Role::b, Width::type), source(Role::c, Width::wide_type)};
constexpr Place kWideBinary[] = {to(Width::wide_type), source(Role::a, Width::type),
                                 source(Role::b, Width::type)};
constexpr Place kLookUp[] = {kTo, source(Role::a, Width::type), source(Role::b, Width::type),
                             source(Role::c, Width::type), immediate(Role::table)};
constexpr Place kShift[] = {kTo, source(Role::a, Width::type), source(Role::b, Width::amount)};
constexpr Place kRanked[] = {kTo, source(Role::a, Width::type), number(Role::rank)};
constexpr Place kSelect[] = {kTo, source(Role::a, Width::type), source(Role::b, Width::type), predicate()};
constexpr Place kCompare[] = {to(Width::predicate, Kind::destination_or_pair), source(Role::a, Width::type),
                              source(Role::b, Width::type), when(combines, predicate())};
// Control flow and API calls
constexpr Place kLabel = name(Role::label, Kind::label);
constexpr Place kJump[] = {kLabel};
constexpr Place kCompareJump[] = {source(Role::a, Width::type), source(Role::b, Width::type), kLabel};
constexpr Place kStream = name(Role::stream, Kind::stream), kEvent = name(Role::event, Kind::event),
                kKernel = name(Role::kernel, Kind::kernel);
constexpr Place kKernelStream[] = {kKernel, kStream};
constexpr Place kStreamKernel[] = {kStream, kKernel};
constexpr Place kGraphStream[] = {name(Role::graph, Kind::graph), kStream};
constexpr Place kEventStream[] = {kEvent, kStream};
constexpr Place kStreamEvent[] = {kStream, kEvent};
constexpr Place kOfStream[] = {kStream};
constexpr Place kOfEvent[] = {kEvent};
constexpr Place kOfDevice[] = {optional(name(Role::device, Kind::device))};
constexpr Place kAllocate[] = {to(Width::doubleword), source(Role::bytes, Width::doubleword)};
constexpr Place kOfBlock[] = {source(Role::a, Width::doubleword)};
constexpr Place kStreamQuery[] = {to(), kStream};
constexpr Place kEventQuery[] = {to(), kEvent};

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

constexpr Modifiers multimem_reduction() {
  Modifiers m = atomic();
  m.scope = Scope::sys;
  return m;
}

constexpr Modifiers uniform() {
  Modifiers m;
  m.uniform = true;
  return m;
}

constexpr Modifiers to_space() {
  Modifiers m;
  m.to_space = true;
  return m;
}

constexpr Modifiers comparing(Compare compare) {
  Modifiers m;
  m.compare = compare;
  return m;
}

/// Calls of device code.
constexpr Modifiers allocating() {
  Modifiers m;
  m.type = Type{TypeClass::unsigned_, 64};
  return m;
}
constexpr Modifiers api(ApiCall call, bool programmatic = false) {
  Modifiers m;
  m.api = call;
  m.programmatic = programmatic;
  return m;
}

// ---- The table --------------------------------------------------------------------------------------------
constexpr Form kForms[] = {
    // Memory (9.7.8, 9.7.12.5, 9.7.12.6)
    {"ld", "", Opcode::ld, kLoad, kLd, kNoLoad, {}},
    {"ldu", "", Opcode::ld, kLoad, kLdu, "", uniform()},  // 9.7.8.10: a weak load, the same for all threads
    {"st", "", Opcode::st, kStore, kSt, kNoStore, {}},
    {"atom", "", Opcode::atom, kAtomic, kAtom, kNoAtomic, atomic()},
    {"red", "", Opcode::red, kReduction, kRed, kNoAtomic, atomic()},
    {"multimem", "ld_reduce", Opcode::multimem_load, kLoad, kMultimemLoad, "", {}},
    {"multimem", "st", Opcode::multimem_store, kStore, kMultimemStore, "", {}},
    {"multimem", "red", Opcode::multimem_reduce, kReduction, kMultimemReduce, "", multimem_reduction()},
    // Short forms of accesses through other proxies
    {"tld", "", Opcode::ld, kLoad, kProxyLd, kNoProxyLoad, proxied(Proxy::texture)},
    {"suld", "", Opcode::ld, kLoad, kSurfaceLd, "", proxied(Proxy::surface)},
    {"cold", "", Opcode::ld, kLoad, kProxyLd, kNoProxyLoad, proxied(Proxy::constant)},
    {"sust", "", Opcode::st, kStore, kSurfaceSt, "", proxied(Proxy::surface)},
    {"suatom", "", Opcode::atom, kAtomic, kProxyAtom, kNoProxyAtomic, atomic(Proxy::surface)},
    {"sured", "", Opcode::red, kReduction, kProxyRed, kNoProxyAtomic, atomic(Proxy::surface)},
    // Between the lanes of a warp (9.7.8.6, 9.7.12.9 to 9.7.12.14)
    {"shfl", "sync", Opcode::shuffle, kShuffled, kShuffle, "", {}},
    {"vote", "sync", Opcode::vote, kVoted, kVote, "", {}},
    {"match", "sync", Opcode::match, kMatched, kMatch, "", {}},
    {"redux", "sync", Opcode::redux, kReduced, kRedux, "", {}},
    {"elect", "sync", Opcode::elect, kElected, {}, "", {}},
    {"activemask", "", Opcode::active_mask, kToWord, kActiveMask, "", {}},
    // Moves and conversions (9.7.8, 9.7.5)
    {"mov", "", Opcode::mov, kMove, kMov, kNoMove, {}},
    {"cvta", "", Opcode::cvta, kUnary, kCvta, "", {}},
    {"cvta", "to", Opcode::cvta, kUnary, kCvta, "", to_space()},
    {"mapa", "", Opcode::mapa, kRanked, kMapa, "", {}},
    {"selp", "", Opcode::selp, kSelect, kSelp, "", {}},
    {"setp", "", Opcode::setp, kCompare, kSetp, "", {}},
    // Integer arithmetic (9.7.1)
    {"add", "", Opcode::add, kBinary, kArithmetic, "", {}},
    {"sub", "", Opcode::sub, kBinary, kArithmetic, "", {}},
    {"mul", "", Opcode::mul, kWideBinary, kMul, "", {}},
    {"mad", "", Opcode::mad, kProductSum, kMul, "", {}},
    {"div", "", Opcode::div, kBinary, kArithmetic, "", {}},
    {"rem", "", Opcode::rem, kBinary, kArithmetic, "", {}},
    {"min", "", Opcode::min, kBinary, kArithmetic, "", {}},
    {"max", "", Opcode::max, kBinary, kArithmetic, "", {}},
    {"abs", "", Opcode::abs, kUnary, kSigned, "", {}},
    {"neg", "", Opcode::neg, kUnary, kSigned, "", {}},
    // Logic and shifts (9.7.7)
    {"and", "", Opcode::and_, kBinary, kLogic, "", {}},
    {"or", "", Opcode::or_, kBinary, kLogic, "", {}},
    {"xor", "", Opcode::xor_, kBinary, kLogic, "", {}},
    {"not", "", Opcode::not_, kUnary, kLogic, "", {}},
    {"lop3", "", Opcode::lop3, kLookUp, kLop3, "", {}},
    {"shl", "", Opcode::shl, kShift, kShl, "", {}},
    {"shr", "", Opcode::shr, kShift, kShr, "", {}},
    // Control flow (9.7.11), and the short forms' branches
    {"bra", "", Opcode::bra, kJump, kBra, "", unaligned()},
    {"goto", "", Opcode::bra, kJump, {}, "", unaligned()},
    {"beq", "", Opcode::branch_compare, kCompareJump, {}, "", comparing(Compare::eq)},
    {"bne", "", Opcode::branch_compare, kCompareJump, {}, "", comparing(Compare::ne)},
    {"blt", "", Opcode::branch_compare, kCompareJump, {}, "", comparing(Compare::lt)},
    {"ble", "", Opcode::branch_compare, kCompareJump, {}, "", comparing(Compare::le)},
    {"bgt", "", Opcode::branch_compare, kCompareJump, {}, "", comparing(Compare::gt)},
    {"bge", "", Opcode::branch_compare, kCompareJump, {}, "", comparing(Compare::ge)},
    {"exit", "", Opcode::exit, {}, {}, "", {}},
    {"ret", "", Opcode::ret, {}, kBra, "", unaligned()},
    // Grids (9.7.12.13), and the CUDA API calls of host threads (8.9.4)
    {"griddepcontrol", "wait", Opcode::griddep_wait, {}, {}, "", {}},
    {"griddepcontrol", "launch_dependents", Opcode::griddep_launch, {}, {}, "", {}},
    {"cudaLaunchKernel", "", Opcode::api_call, kKernelStream, {}, "", api(ApiCall::launch_kernel)},
    {"cudaLaunchKernel",
     "programmatic",
     Opcode::api_call,
     kKernelStream,
     {},
     "",
     api(ApiCall::launch_kernel, true)},
    {"cudaLaunchHostFunc", "", Opcode::api_call, kStreamKernel, {}, "", api(ApiCall::launch_host_function)},
    {"cudaGraphLaunch", "", Opcode::api_call, kGraphStream, {}, "", api(ApiCall::graph_launch)},
    {"cudaEventRecord", "", Opcode::api_call, kEventStream, {}, "", api(ApiCall::event_record)},
    {"cudaStreamWaitEvent", "", Opcode::api_call, kStreamEvent, {}, "", api(ApiCall::stream_wait_event)},
    {"cudaStreamSynchronize", "", Opcode::api_call, kOfStream, {}, "", api(ApiCall::stream_synchronize)},
    {"cudaEventSynchronize", "", Opcode::api_call, kOfEvent, {}, "", api(ApiCall::event_synchronize)},
    {"cudaDeviceSynchronize", "", Opcode::api_call, kOfDevice, {}, "", api(ApiCall::device_synchronize)},
    {"cudaStreamQuery", "", Opcode::api_call, kStreamQuery, {}, "", api(ApiCall::stream_query)},
    {"cudaEventQuery", "", Opcode::api_call, kEventQuery, {}, "", api(ApiCall::event_query)},
    {"call", "malloc", Opcode::heap_allocate, kAllocate, {}, "", allocating()},
    {"call", "free", Opcode::heap_free, kOfBlock, {}, "", {}},
    {"call", "local-begins", Opcode::local_begin, kOfBlock, {}, "", {}},
    {"call", "local-ends", Opcode::local_end, kOfBlock, {}, "", {}},
};
static_assert(are_sound(kForms), "each place has a role: result or reduced where it is written");

}  // namespace

std::span<const Form> forms() {
  static const std::vector<Form> all = [] {
    std::vector<Form> rows(std::begin(kForms), std::end(kForms));
    for (const std::span<const Form> more :
         {barrier_forms(), copy_forms(), matrix_forms(), tensor_forms(), floating_forms(), bit_forms()})
      rows.insert(rows.end(), more.begin(), more.end());
    return rows;
  }();
  return all;
}

}  // namespace ptxmc::isa
