// SPDX-License-Identifier: Apache-2.0
// The rows of all but tcgen05, bits and floating numbers: forms with their operand places and modifiers (src/README.md: To add an instruction).
#include "isa/table.h"

#include "isa/places.h"
#include "isa/words.h"

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
constexpr std::string_view kEvictionWords =
    "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate";
constexpr std::string_view kPrefetchWords = "L2::64B L2::128B L2::256B";

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
    {Group::cache_operator, "ca cg cs lu cv"},
    {Group::eviction, kEvictionWords},
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
                          {Group::cache_policy, "L2::cache_hint"}};
// Of other proxies: the short forms of the mixed-proxy suites.
constexpr Choice kProxyLd[] = {
    {Group::semantics, "weak relaxed acquire"}, {Group::scope, kScopeWords}, {Group::type, kMemoryTypes}};
// suld.b and sust.b move the memory's value; sust.p converts. Coordinates, and with them .1d ..., are not
// supported.
constexpr std::string_view kNoSurface =
    "v2 v4 v8 b128 f16 f16x2 bf16 bf16x2 f32 f64 1d 2d 3d a1d a2d trap clamp zero p";
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
constexpr Choice kProxyAtom[] = {{Group::atomic, "add sub mul div and or xor exch cas inc dec min max", true},
                                 {Group::semantics, "relaxed acquire release acq_rel"},
                                 {Group::scope, kScopeWords},
                                 {Group::type, "b16 b32 b64 b128 u32 u64 s32 s64"}};
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
// 9.7.12.3
constexpr Choice kClusterArrive[] = {{Group::semantics, "release relaxed"}, {Group::aligned, "aligned"}};
constexpr Choice kClusterWait[] = {{Group::semantics, "acquire"}, {Group::aligned, "aligned"}};
constexpr Choice kFenceInit[] = {{Group::semantics, "release", true}, {Group::scope, "cluster", true}};
// 9.7.12.15; .relaxed of arrive and wait: newer manuals
constexpr std::string_view kMbarrierScopes = "cta cluster";
constexpr Choice kMbarrier[] = {{Group::space, "shared shared::cta"}, {Group::type, "b64", true}};
constexpr Choice kMbarrierTx[] = {{Group::semantics, "relaxed"},
                                  {Group::scope, kMbarrierScopes},
                                  {Group::space, "shared shared::cta shared::cluster"},
                                  {Group::type, "b64", true}};
constexpr Choice kMbarrierArrive[] = {{Group::semantics, "release relaxed"},
                                      {Group::scope, kMbarrierScopes},
                                      {Group::space, "shared shared::cta shared::cluster"},
                                      {Group::type, "b64", true}};
constexpr Choice kMbarrierNoComplete[] = {{Group::semantics, "release"},
                                          {Group::scope, "cta"},
                                          {Group::space, "shared shared::cta"},
                                          {Group::type, "b64", true}};
constexpr Choice kMbarrierWait[] = {{Group::semantics, "acquire relaxed"},
                                    {Group::scope, kMbarrierScopes},
                                    {Group::space, "shared shared::cta"},
                                    {Group::type, "b64", true}};
constexpr Choice kMbarrierCount[] = {{Group::type, "b64", true}};
// Asynchronous copies (9.7.8.24), stores and reductions (9.7.8.12, 9.7.12.7). What spaces a copy goes
// between, and how its completion is told, select the form.
constexpr std::string_view kNoBulk = "cp_mask ignore_oob";
constexpr std::string_view kNoTensor =
    "tile::gather4 tile::scatter4 im2col im2col::w im2col::w::128 im2col_no_offs";
constexpr std::string_view kNoTensorReduce = "im2col_no_offs";
constexpr std::string_view kDimensions = "1d 2d 3d 4d 5d";
constexpr Choice kCpAsync[] = {{Group::prefetch, kPrefetchWords}, {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kCpAsyncArrive[] = {
    {Group::no_increment, "noinc"}, {Group::space, "shared shared::cta"}, {Group::type, "b64", true}};
constexpr Choice kBulkWait[] = {{Group::group_read, "read"}};
constexpr Choice kBulk[] = {{Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kBulkMulticast[] = {{Group::multicast, "multicast::cluster"},
                                     {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kLaunchCancel[] = {{Group::space, "shared::cta"},
                                    {Group::multicast, "multicast::cluster::all"},
                                    {Group::type, "b128", true}};
constexpr Choice kBulkReduce[] = {{Group::atomic, "add min max inc dec and or xor", true},
                                  {Group::flush, "noftz"},
                                  {Group::type, "f16 bf16 b32 b64 u32 u64 s32 s64 f32 f64", true},
                                  {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kClusterReduce[] = {{Group::atomic, "add min max inc dec and or xor", true},
                                     {Group::type, "b32 b64 u32 u64 s32 s64", true}};
constexpr Choice kTensor[] = {{Group::dimensions, kDimensions, true},
                              {Group::load_mode, "tile"},
                              {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kTensorIntoCta[] = {{Group::dimensions, kDimensions, true},
                                     {Group::load_mode, "tile"},
                                     {Group::cta_group, "cta_group::1 cta_group::2"},
                                     {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kTensorMulticast[] = {{Group::dimensions, kDimensions, true},
                                       {Group::load_mode, "tile"},
                                       {Group::multicast, "multicast::cluster"},
                                       {Group::cta_group, "cta_group::1 cta_group::2"},
                                       {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kTensorReduce[] = {{Group::dimensions, kDimensions, true},
                                    {Group::load_mode, "tile"},
                                    {Group::atomic, "add min max inc dec and or xor", true},
                                    {Group::cache_policy, "L2::cache_hint"}};
// 9.7.8.25; a generic address where no space is named
constexpr Choice kMapReplace[] = {
    {Group::map_field,
     "global_address rank box_dim global_dim global_stride element_stride elemtype interleave_layout "
     "swizzle_mode fill_mode",
     true},
    {Group::space, "global shared::cta"},
    {Group::type, "b32 b64", true}};
constexpr Choice kMapPrefetch[] = {{Group::space, "const param"}};
constexpr Choice kStAsync[] = {{Group::semantics, "weak"},
                               {Group::space, "shared::cluster"},
                               {Group::vector, "v2 v4"},
                               {Group::type, "b32 b64 u32 u64 s32 s64 f32 f64", true}};
constexpr Choice kStAsyncRelease[] = {
    {Group::semantics, "weak release", true},
    {Group::scope, kScopeWords},
    {Group::space, "global", true},
    {Group::type, "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64", true}};
constexpr Choice kRedAsync[] = {{Group::semantics, "relaxed", true},
                                {Group::scope, "cluster", true},
                                {Group::atomic, "add min max inc dec and or xor", true},
                                {Group::space, "shared::cluster"},
                                {Group::type, "b32 u32 s32 u64", true}};
constexpr Choice kStBulk[] = {{Group::semantics, "weak"}, {Group::space, "shared::cta"}};
constexpr Choice kProxyPair[] = {
    {Group::semantics, "release acquire", true},
    {Group::restriction, "sync_restrict::shared::cta sync_restrict::shared::cluster", true},
    {Group::scope, "cluster", true}};
constexpr Choice kTensormapFence[] = {{Group::scope, kScopeWords, true}};
constexpr Choice kTensormapPair[] = {{Group::semantics, "release acquire", true},
                                     {Group::scope, kScopeWords, true}};  // for what lacks one of them
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
                             {Group::type, "b32 u32 s32", true}};
constexpr Choice kActiveMask[] = {{Group::type, "b32", true}};
// Matrices (9.7.13, 9.7.14). Shapes, with types, are checked by matrix.h.
constexpr std::string_view kElements = "b1 s4 u4 s8 u8 e4m3 e5m2 f16 bf16 tf32 f32 f64 s32";
constexpr std::string_view kMmaShapes =
    "m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256";
constexpr std::string_view kWgmmaShapes =
    "m64n8k8 m64n16k8 m64n24k8 m64n32k8 m64n40k8 m64n48k8 m64n56k8 m64n64k8 m64n72k8 m64n80k8 "
    "m64n88k8 m64n96k8 m64n104k8 m64n112k8 m64n120k8 m64n128k8 m64n136k8 m64n144k8 m64n152k8 "
    "m64n160k8 m64n168k8 m64n176k8 m64n184k8 m64n192k8 m64n200k8 m64n208k8 m64n216k8 m64n224k8 "
    "m64n232k8 m64n240k8 m64n248k8 m64n256k8 "
    "m64n8k16 m64n16k16 m64n24k16 m64n32k16 m64n40k16 m64n48k16 m64n56k16 m64n64k16 m64n72k16 "
    "m64n80k16 m64n88k16 m64n96k16 m64n104k16 m64n112k16 m64n120k16 m64n128k16 m64n136k16 m64n144k16 "
    "m64n152k16 m64n160k16 m64n168k16 m64n176k16 m64n184k16 m64n192k16 m64n200k16 m64n208k16 "
    "m64n216k16 m64n224k16 m64n232k16 m64n240k16 m64n248k16 m64n256k16 "
    "m64n8k32 m64n16k32 m64n24k32 m64n32k32 m64n40k32 m64n48k32 m64n56k32 m64n64k32 m64n72k32 "
    "m64n80k32 m64n88k32 m64n96k32 m64n104k32 m64n112k32 m64n120k32 m64n128k32 m64n136k32 m64n144k32 "
    "m64n152k32 m64n160k32 m64n168k32 m64n176k32 m64n184k32 m64n192k32 m64n200k32 m64n208k32 "
    "m64n216k32 m64n224k32 m64n232k32 m64n240k32 m64n248k32 m64n256k32 "
    "m64n8k64 m64n16k64 m64n24k64 m64n32k64 m64n40k64 m64n48k64 m64n56k64 m64n64k64 m64n72k64 "
    "m64n80k64 m64n88k64 m64n96k64 m64n104k64 m64n112k64 m64n120k64 m64n128k64 m64n136k64 m64n144k64 "
    "m64n152k64 m64n160k64 m64n168k64 m64n176k64 m64n184k64 m64n192k64 m64n200k64 m64n208k64 "
    "m64n216k64 m64n224k64 m64n232k64 m64n240k64 m64n248k64 m64n256k64 "
    "m64n8k256 m64n16k256 m64n24k256 m64n32k256 m64n40k256 m64n48k256 m64n56k256 m64n64k256 "
    "m64n72k256 m64n80k256 m64n88k256 m64n96k256 m64n104k256 m64n112k256 m64n120k256 m64n128k256 "
    "m64n136k256 m64n144k256 m64n152k256 m64n160k256 m64n168k256 m64n176k256 m64n184k256 m64n192k256 "
    "m64n200k256 m64n208k256 m64n216k256 m64n224k256 m64n232k256 m64n240k256 m64n248k256 m64n256k256";
constexpr std::string_view kNoMma =
    "rn rz rm rp e3m2 e2m3 e2m1 kind::f8f6f4 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4 block_scale";
constexpr Choice kMatrixMove[] = {{Group::shape, "m8n8", true},
                                  {Group::matrices, "x1 x2 x4", true},
                                  {Group::transposition, "trans"},
                                  {Group::space, "shared shared::cta"},
                                  {Group::type, "b16", true}};
// Of matrices of 8-bit elements, or of shorter ones that become such
constexpr Choice kByteMatrix[] = {{Group::shape, "m16n16 m8n16", true},
                                  {Group::matrices, "x1 x2 x4", true},
                                  {Group::transposition, "trans"},
                                  {Group::space, "shared shared::cta"}};
constexpr Choice kShortMatrix[] = {{Group::shape, "m16n16 m8n16", true},
                                   {Group::matrices, "x1 x2 x4", true},
                                   {Group::transposition, "trans"},
                                   {Group::space, "shared shared::cta"},
                                   {Group::source_format, "b6x16_p32 b4x16_p64", true}};
constexpr Choice kStoreByteMatrix[] = {{Group::shape, "m16n8", true},
                                       {Group::matrices, "x1 x2 x4", true},
                                       {Group::transposition, "trans", true},
                                       {Group::space, "shared shared::cta"}};
constexpr Choice kRestricted[] = {{Group::scope, "cluster", true}};
constexpr Choice kMovMatrix[] = {
    {Group::shape, "m8n8", true}, {Group::transposition, "trans", true}, {Group::type, "b16", true}};
constexpr Choice kMma[] = {{Group::shape, kMmaShapes, true},
                           {Group::type, kElements, true, 4},
                           {Group::saturation, "satfinite"},
                           {Group::combination, "and xor"},
                           {Group::no_effect, "popc"}};
constexpr Choice kWgmma[] = {{Group::shape, kWgmmaShapes, true},
                             {Group::type, kElements, true, 3},
                             {Group::saturation, "satfinite"},
                             {Group::combination, "and"},
                             {Group::no_effect, "popc"}};
constexpr std::string_view kWmmaShapes = "m16n16k16 m8n32k16 m32n8k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128";
constexpr Choice kWmmaLoad[] = {{Group::fragment, "a b c", true},
                                {Group::layout, "row col", true},
                                {Group::shape, kWmmaShapes, true},
                                {Group::space, "global shared shared::cta"},
                                {Group::type, "f16 bf16 tf32 f32 f64 s8 u8 s4 u4 b1 s32", true}};
constexpr Choice kWmmaStore[] = {{Group::fragment, "d", true},
                                 {Group::layout, "row col", true},
                                 {Group::shape, kWmmaShapes, true},
                                 {Group::space, "global shared shared::cta"},
                                 {Group::type, "f16 f32 f64 s32", true}};
constexpr Choice kWmma[] = {{Group::layout, "row col", true, 2}, {Group::shape, kWmmaShapes, true},
                            {Group::rounding, "rn rz rm rp"},    {Group::type, kElements, true, 4},
                            {Group::saturation, "satfinite"},    {Group::combination, "and xor"},
                            {Group::no_effect, "popc"}};
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
constexpr bool multicasts(const Modifiers& m) {
  return m.multicast;
}
constexpr bool combines(const Modifiers& m) {
  return m.combine != BoolOp::none;
}
// 9.7.8.25: fields of every dimension name one; those that have few values take immediates.
constexpr bool has_ordinal(const Modifiers& m) {
  return m.map_field == MapField::box_dim || m.map_field == MapField::global_dim ||
         m.map_field == MapField::global_stride || m.map_field == MapField::element_stride;
}
constexpr bool has_few_values(const Modifiers& m) {
  return m.map_field >= MapField::elemtype;
}
constexpr bool has_many_values(const Modifiers& m) {
  return !has_few_values(m);
}
// 9.7.14.5.2: matrices of 8 bits and more are scaled, those of 16 transposed; integers are neither.
constexpr bool scales(const Modifiers& m) {
  return m.matrix.a >= Element::s8 && m.matrix.d != Element::s32;
}
constexpr bool transposes(const Modifiers& m) {
  return scales(m) && (m.matrix.a == Element::f16 || m.matrix.a == Element::bf16);
}

// Memory. Of cas the value that is compared comes first.
constexpr Place kLoad[] = {to(Width::at_least_type), at()};
constexpr Place kStore[] = {at(), source(Role::value, Width::at_least_type)};
constexpr Place kAtomic[] = {to(Width::type, Kind::destination_or_sink), at(),
                             when(swaps, source(Role::comparand, Width::type)),
                             source(Role::value, Width::type)};
constexpr Place kReduction[] = {at(), source(Role::value, Width::type)};
constexpr Place kMapFence[] = {at(), immediate(Role::bytes, Width::none)};
// Barriers
constexpr Place kSync[] = {number(Role::barrier), optional(number(Role::count))};
constexpr Place kArrive[] = {number(Role::barrier), number(Role::count)};
constexpr Place kReduce[] = {to(Width::count_or_truth), number(Role::barrier), optional(number(Role::count)),
                             predicate()};
constexpr Place kWarpSync[] = {number(Role::member_mask)};
constexpr Place kInstance[] = {number(Role::instance), optional(number(Role::barrier)),
                               optional(number(Role::count))};
// mbarrier
constexpr Place kObject[] = {at(Role::mbarrier)};
constexpr Place kObjectCount[] = {at(Role::mbarrier), number(Role::count)};
constexpr Place kObjectBytes[] = {at(Role::mbarrier), number(Role::bytes)};
constexpr Place kArrival = to(Width::doubleword, Kind::destination_or_sink);
constexpr Place kArriveSome[] = {kArrival, at(Role::mbarrier), optional(number(Role::count))};
constexpr Place kArriveCount[] = {kArrival, at(Role::mbarrier), number(Role::count)};
constexpr Place kArriveBytes[] = {kArrival, at(Role::mbarrier), number(Role::bytes)};
constexpr Place kState = {Role::state, Kind::register_, Width::doubleword};
constexpr Place kTestState[] = {to(Width::predicate), at(Role::mbarrier), kState};
constexpr Place kTestParity[] = {to(Width::predicate), at(Role::mbarrier), number(Role::parity)};
constexpr Place kTryState[] = {to(Width::predicate), at(Role::mbarrier), kState,
                               optional(number(Role::timeout))};
constexpr Place kTryParity[] = {to(Width::predicate), at(Role::mbarrier), number(Role::parity),
                                optional(number(Role::timeout))};
constexpr Place kPending[] = {to(Width::word), kState};
// Asynchronous copies and stores
constexpr Place kGroups[] = {immediate(Role::count, Width::none)};
constexpr Place kSignal = at(Role::mbarrier, Space::shared);
constexpr Place kCtas = when(multicasts, number(Role::cta_mask, Width::half));
constexpr Place kCopy[] = {at(), at(Role::source_address), immediate(Role::bytes),
                           optional(number(Role::source_bytes, Width::none))};
constexpr Place kBulkIn[] = {at(), at(Role::source_address), number(Role::bytes), kSignal, kCtas};
constexpr Place kBulkOut[] = {at(), at(Role::source_address), number(Role::bytes)};
constexpr Place kBulkPrefetch[] = {at(Role::source_address), number(Role::bytes)};
constexpr Place kMap = name(Role::tensor, Kind::tensor);
constexpr Place kTensorIn[] = {at(), kMap, kSignal, kCtas};
constexpr Place kTensorOut[] = {kMap, at(Role::source_address)};
constexpr Place kTensorPrefetch[] = {kMap};
constexpr Place kMapField[] = {at(), when(has_ordinal, immediate(Role::ordinal)),
                               when(has_few_values, immediate(Role::value, Width::type)),
                               when(has_many_values, number(Role::value, Width::type))};
constexpr Place kMapCopy[] = {at(Role::address, Space::global), at(Role::source_address, Space::shared_cta),
                              immediate(Role::bytes, Width::none)};
constexpr Place kAddress[] = {at()};
constexpr Place kRemote = at(Role::address, Space::shared_cluster);
constexpr Place kRemoteSignal = at(Role::mbarrier, Space::shared_cluster);
constexpr Place kStoreRemote[] = {kRemote, source(Role::value, Width::type), kRemoteSignal};
constexpr Place kStoreGlobal[] = {at(), source(Role::value, Width::type)};
constexpr Place kCancel[] = {at(), at(Role::mbarrier)};
constexpr Place kFill[] = {at(), number(Role::bytes, Width::doubleword),
                           immediate(Role::value, Width::doubleword)};
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
// Matrices
constexpr Place kLoadMatrix[] = {fragment(Role::result), at(Role::address, Space::shared)};
constexpr Place kStoreMatrix[] = {at(Role::address, Space::shared), fragment(Role::value)};
constexpr Place kMoveMatrix[] = {to(Width::word), {Role::a, Kind::register_, Width::word}};
constexpr Place kD = fragment(Role::result, Width::fragment), kA = fragment(Role::a, Width::fragment),
                kB = fragment(Role::b, Width::fragment), kC = fragment(Role::c, Width::fragment);
constexpr Place kMetadata = number(Role::metadata), kSelector = immediate(Role::selector);
constexpr Place kProduct[] = {kD, kA, kB, kC};
constexpr Place kSparseProduct[] = {kD, kA, kB, kC, kMetadata, kSelector};
constexpr Place kLoadFragment[] = {fragment(Role::result, Width::fragment), at(),
                                   optional(number(Role::count))};
constexpr Place kStoreFragment[] = {at(), fragment(Role::value, Width::fragment),
                                    optional(number(Role::count))};
constexpr Place kGroupA = descriptor(Role::a, Kind::fragment_or_descriptor);
constexpr Place kGroupB = descriptor(Role::b);
constexpr Place kEnableD = predicate(Kind::predicate_or_number, Role::enable_d);
constexpr Place kScaleA = when(scales, immediate(Role::scale_a)),
                kScaleB = when(scales, immediate(Role::scale_b));
constexpr Place kTransposeA = when(transposes, optional(immediate(Role::transpose_a)));
constexpr Place kTransposeB = when(transposes, immediate(Role::transpose_b));
constexpr Place kGroupProduct[] = {
    fragment(Role::result), kGroupA, kGroupB, kEnableD, kScaleA, kScaleB, kTransposeA, kTransposeB};
constexpr Place kSparseGroupProduct[] = {fragment(Role::result),
                                         kGroupA,
                                         kGroupB,
                                         kMetadata,
                                         kSelector,
                                         kEnableD,
                                         kScaleA,
                                         kScaleB,
                                         kTransposeA,
                                         kTransposeB};
constexpr Place kWgmmaGroups[] = {immediate(Role::count, Width::none)};
// Registers alone
constexpr Place kTo = to(Width::type);
constexpr Place kMove[] = {to(Width::type, Kind::destination_or_vector),
                           {Role::a, Kind::source_or_vector, Width::type}};
constexpr Place kUnary[] = {kTo, source(Role::a, Width::type)};
constexpr Place kBinary[] = {kTo, source(Role::a, Width::type), source(Role::b, Width::type)};
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

constexpr Modifiers fence(Semantics semantics) {
  Modifiers m;
  m.semantics = semantics;
  return m;
}

// barrier without .aligned, bra without .uni; bar.* is barrier.*.aligned (9.7.12.1, 9.7.11.2)
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

constexpr Modifiers of_warp() {
  Modifiers m;
  m.warp = true;
  return m;
}

// 9.7.12.15: .cta when left out, at both ends (D35)
constexpr Modifiers mbarrier(Semantics semantics, bool expect_tx = false, bool no_complete = false) {
  Modifiers m;
  m.semantics = semantics;
  m.scope = Scope::cta;
  m.expect_tx = expect_tx;
  m.no_complete = no_complete;
  return m;
}

constexpr Modifiers mbarrier_parity() {
  Modifiers m = mbarrier(Semantics::acquire);
  m.parity = true;
  return m;
}

// 9.7.12.3; whether it is .aligned has no effect on the model
constexpr Modifiers cluster(Semantics semantics) {
  Modifiers m;
  m.semantics = semantics;
  m.scope = Scope::cluster;
  m.aligned = false;
  return m;
}

constexpr Modifiers copy(Space to, Space from, bool cache_global = false) {
  Modifiers m;
  m.space = to;
  m.source_space = from;
  m.cache_global = cache_global;
  return m;
}

constexpr Modifiers bulk_copy(Space to, Space from) {
  Modifiers m = copy(to, from);
  m.proxy = Proxy::async;
  m.bulk = true;
  return m;
}

// 9.7.8.24.7: each reduction is .relaxed.gpu
constexpr Modifiers bulk_reduction(Space to, Space from) {
  Modifiers m = bulk_copy(to, from);
  m.semantics = Semantics::relaxed;
  m.scope = Scope::gpu;
  return m;
}

constexpr Modifiers of_async() {
  Modifiers m;
  m.proxy = Proxy::async;
  return m;
}

constexpr Modifiers of_bulk() {
  Modifiers m;
  m.bulk = true;
  return m;
}

constexpr Modifiers directed(Proxy proxy, Semantics semantics = Semantics::weak) {
  Modifiers m = proxied(proxy);
  m.semantics = semantics;
  return m;
}

constexpr Modifiers to_space() {
  Modifiers m;
  m.to_space = true;
  return m;
}

constexpr Modifiers wgmma(bool sparse) {
  Modifiers m;
  m.proxy = Proxy::async;
  m.matrix.sparse = sparse;
  return m;
}

/// Matrices of elements of 8 bits.
constexpr Modifiers bytes() {
  Modifiers m;
  m.type = Type{TypeClass::bits, 8};
  return m;
}

/// A fence for what synchronizes through shared memory alone.
constexpr Modifiers restricted(Semantics semantics, Space space) {
  Modifiers m = fence(semantics);
  m.space = space;
  return m;
}

constexpr Modifiers sparse(bool ordered) {
  Modifiers m;
  m.matrix.sparse = true;
  m.matrix.ordered = ordered;
  return m;
}

constexpr Modifiers comparing(Compare compare) {
  Modifiers m;
  m.compare = compare;
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
    {"ldu", "", Opcode::ld, kLoad, kLdu, "", {}},  // 9.7.8.9: a weak load, the same for all threads
    {"st", "", Opcode::st, kStore, kSt, kNoStore, {}},
    {"atom", "", Opcode::atom, kAtomic, kAtom, kNoAtomic, atomic()},
    {"red", "", Opcode::red, kReduction, kRed, kNoAtomic, atomic()},
    // Short forms of accesses through other proxies
    {"tld", "", Opcode::ld, kLoad, kProxyLd, kNoProxyLoad, proxied(Proxy::texture)},
    {"suld", "", Opcode::ld, kLoad, kSurfaceLd, kNoSurface, proxied(Proxy::surface)},
    {"cold", "", Opcode::ld, kLoad, kProxyLd, kNoProxyLoad, proxied(Proxy::constant)},
    {"sust", "", Opcode::st, kStore, kSurfaceSt, kNoSurface, proxied(Proxy::surface)},
    {"suatom", "", Opcode::atom, kAtomic, kProxyAtom, kNoProxyAtomic, atomic(Proxy::surface)},
    {"sured", "", Opcode::red, kReduction, kProxyRed, kNoProxyAtomic, atomic(Proxy::surface)},
    // Fences (9.7.12.4)
    {"fence", "", Opcode::fence, {}, kFence, "", fence(Semantics::acq_rel)},
    {"fence", "proxy", Opcode::fence_proxy, {}, kFenceProxy, "", {}},
    {"fence", "proxy async::generic", Opcode::fence_proxy, {}, kProxyPair, "", directed(Proxy::async)},
    {"fence",
     "proxy tensormap::generic",
     Opcode::fence_proxy,
     {},
     kTensormapPair,
     "",
     directed(Proxy::tensormap)},
    {"fence",
     "proxy tensormap::generic release",
     Opcode::fence_proxy,
     {},
     kTensormapFence,
     "",
     directed(Proxy::tensormap, Semantics::release)},
    {"fence", "proxy tensormap::generic acquire", Opcode::fence_proxy, kMapFence, kTensormapFence, "",
     directed(Proxy::tensormap, Semantics::acquire)},
    {"fence",
     "acquire sync_restrict::shared::cluster",
     Opcode::fence,
     {},
     kRestricted,
     "",
     restricted(Semantics::acquire, Space::shared_cluster)},
    {"fence",
     "release sync_restrict::shared::cta",
     Opcode::fence,
     {},
     kRestricted,
     "",
     restricted(Semantics::release, Space::shared_cta)},
    {"membar", "", Opcode::fence, {}, kMembar, "", fence(Semantics::sc)},
    {"membar", "proxy", Opcode::fence_proxy, {}, kMembarProxy, "", {}},
    // Barriers (9.7.12.1)
    {"bar", "sync", Opcode::bar_sync, kSync, kBar, "", {}},
    {"bar", "arrive", Opcode::bar_arrive, kArrive, kBar, "", {}},
    {"bar", "red", Opcode::bar_red, kReduce, kBarRed, "", {}},
    {"bar", "warp sync", Opcode::bar_sync, kWarpSync, {}, "", of_warp()},
    {"barrier", "sync", Opcode::bar_sync, kSync, kBarrier, "", unaligned()},
    {"barrier", "arrive", Opcode::bar_arrive, kArrive, kBarrier, "", unaligned()},
    {"barrier", "red", Opcode::bar_red, kReduce, kBarrierRed, "", unaligned()},
    {"bar", "cta sync", Opcode::bar_sync, kInstance, {}, "", instance_first(), Notation::short_form},
    {"bar", "cta arrive", Opcode::bar_arrive, kInstance, {}, "", instance_first(), Notation::short_form},
    // barrier.cluster (9.7.12.3) and mbarrier (9.7.12.15)
    {"barrier",
     "cluster arrive",
     Opcode::cluster_arrive,
     {},
     kClusterArrive,
     "",
     cluster(Semantics::release)},
    {"barrier", "cluster wait", Opcode::cluster_wait, {}, kClusterWait, "", cluster(Semantics::acquire)},
    {"fence", "mbarrier_init", Opcode::fence_mbarrier_init, {}, kFenceInit, "", {}},
    {"mbarrier", "init", Opcode::mbarrier_init, kObjectCount, kMbarrier, "", {}},
    {"mbarrier", "inval", Opcode::mbarrier_inval, kObject, kMbarrier, "", {}},
    {"mbarrier", "expect_tx", Opcode::mbarrier_expect_tx, kObjectBytes, kMbarrierTx, "",
     mbarrier(Semantics::relaxed)},
    {"mbarrier", "complete_tx", Opcode::mbarrier_complete_tx, kObjectBytes, kMbarrierTx, "",
     mbarrier(Semantics::relaxed)},
    {"mbarrier", "arrive", Opcode::mbarrier_arrive, kArriveSome, kMbarrierArrive, "",
     mbarrier(Semantics::release)},
    {"mbarrier", "arrive expect_tx", Opcode::mbarrier_arrive, kArriveBytes, kMbarrierArrive, "",
     mbarrier(Semantics::release, true)},
    {"mbarrier", "arrive noComplete", Opcode::mbarrier_arrive, kArriveCount, kMbarrierNoComplete, "",
     mbarrier(Semantics::release, false, true)},
    {"mbarrier", "arrive_drop", Opcode::mbarrier_arrive_drop, kArriveSome, kMbarrierArrive, "",
     mbarrier(Semantics::release)},
    {"mbarrier", "arrive_drop expect_tx", Opcode::mbarrier_arrive_drop, kArriveBytes, kMbarrierArrive, "",
     mbarrier(Semantics::release, true)},
    {"mbarrier", "arrive_drop noComplete", Opcode::mbarrier_arrive_drop, kArriveCount, kMbarrierNoComplete,
     "", mbarrier(Semantics::release, false, true)},
    {"mbarrier", "test_wait", Opcode::mbarrier_test_wait, kTestState, kMbarrierWait, "",
     mbarrier(Semantics::acquire)},
    {"mbarrier", "test_wait parity", Opcode::mbarrier_test_wait, kTestParity, kMbarrierWait, "",
     mbarrier_parity()},
    {"mbarrier", "try_wait", Opcode::mbarrier_try_wait, kTryState, kMbarrierWait, "",
     mbarrier(Semantics::acquire)},
    {"mbarrier", "try_wait parity", Opcode::mbarrier_try_wait, kTryParity, kMbarrierWait, "",
     mbarrier_parity()},
    {"mbarrier", "pending_count", Opcode::mbarrier_pending_count, kPending, kMbarrierCount, "", {}},
    // Asynchronous copies (9.7.8.24), stores and reductions (9.7.8.12, 9.7.12.7)
    {"cp", "async ca shared global", Opcode::cp_async, kCopy, kCpAsync, "",
     copy(Space::shared, Space::global)},
    {"cp", "async ca shared::cta global", Opcode::cp_async, kCopy, kCpAsync, "",
     copy(Space::shared_cta, Space::global)},
    {"cp", "async cg shared global", Opcode::cp_async, kCopy, kCpAsync, "",
     copy(Space::shared, Space::global, true)},
    {"cp", "async cg shared::cta global", Opcode::cp_async, kCopy, kCpAsync, "",
     copy(Space::shared_cta, Space::global, true)},
    {"cp", "async commit_group", Opcode::cp_async_commit, {}, {}, "", {}},
    {"cp", "async wait_group", Opcode::cp_async_wait, kGroups, {}, "", {}},
    {"cp", "async wait_all", Opcode::cp_async_wait_all, {}, {}, "", {}},
    {"cp", "async mbarrier arrive", Opcode::cp_async_arrive, kObject, kCpAsyncArrive, "", {}},
    {"cp", "async bulk commit_group", Opcode::cp_async_commit, {}, {}, "", of_bulk()},
    {"cp", "async bulk wait_group", Opcode::cp_async_wait, kGroups, kBulkWait, "", of_bulk()},
    {"cp", "async bulk shared::cluster global mbarrier::complete_tx::bytes", Opcode::cp_async_bulk, kBulkIn,
     kBulkMulticast, kNoBulk, bulk_copy(Space::shared_cluster, Space::global)},
    {"cp", "async bulk shared::cta global mbarrier::complete_tx::bytes", Opcode::cp_async_bulk, kBulkIn,
     kBulk, kNoBulk, bulk_copy(Space::shared_cta, Space::global)},
    {"cp",
     "async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes",
     Opcode::cp_async_bulk,
     kBulkIn,
     {},
     kNoBulk,
     bulk_copy(Space::shared_cluster, Space::shared_cta)},
    {"cp", "async bulk global shared::cta bulk_group", Opcode::cp_async_bulk, kBulkOut, kBulk, kNoBulk,
     bulk_copy(Space::global, Space::shared_cta)},
    {"cp", "async bulk prefetch L2 global", Opcode::cp_async_bulk_prefetch, kBulkPrefetch, kBulk, kNoBulk,
     bulk_copy(Space::generic, Space::global)},
    {"cp", "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes",
     Opcode::cp_reduce_async_bulk, kBulkIn, kClusterReduce, "",
     bulk_reduction(Space::shared_cluster, Space::shared_cta)},
    {"cp", "reduce async bulk global shared::cta bulk_group", Opcode::cp_reduce_async_bulk, kBulkOut,
     kBulkReduce, "", bulk_reduction(Space::global, Space::shared_cta)},
    // Tensor copies (9.7.8.24.9 to 9.7.8.24.11) and tensor maps (9.7.8.25, 9.7.12.15.18, 9.7.8.14)
    {"cp", "async bulk tensor shared::cluster global mbarrier::complete_tx::bytes",
     Opcode::cp_async_bulk_tensor, kTensorIn, kTensorMulticast, kNoTensor,
     bulk_copy(Space::shared_cluster, Space::global)},
    {"cp", "async bulk tensor shared::cta global mbarrier::complete_tx::bytes", Opcode::cp_async_bulk_tensor,
     kTensorIn, kTensorIntoCta, kNoTensor, bulk_copy(Space::shared_cta, Space::global)},
    {"cp", "async bulk tensor global shared::cta bulk_group", Opcode::cp_async_bulk_tensor, kTensorOut,
     kTensor, kNoTensor, bulk_copy(Space::global, Space::shared_cta)},
    {"cp", "reduce async bulk tensor global shared::cta bulk_group", Opcode::cp_reduce_async_bulk_tensor,
     kTensorOut, kTensorReduce, kNoTensorReduce, bulk_reduction(Space::global, Space::shared_cta)},
    {"cp", "async bulk prefetch tensor L2 global", Opcode::cp_async_bulk_prefetch_tensor, kTensorPrefetch,
     kTensor, kNoTensor, bulk_copy(Space::generic, Space::global)},
    {"tensormap", "replace tile b1024", Opcode::tensormap_replace, kMapField, kMapReplace, "", {}},
    {"tensormap", "cp_fenceproxy global shared::cta tensormap::generic release sync aligned",
     Opcode::tensormap_cp_fenceproxy, kMapCopy, kTensormapFence, "",
     directed(Proxy::tensormap, Semantics::release)},
    {"prefetch", "tensormap", Opcode::prefetch_tensormap, kAddress, kMapPrefetch, "", {}},
    {"st", "async mbarrier::complete_tx::bytes", Opcode::st_async, kStoreRemote, kStAsync, "", {}},
    {"st", "async", Opcode::st_async, kStoreGlobal, kStAsyncRelease, "mmio", {}},
    {"red", "async mbarrier::complete_tx::bytes", Opcode::red_async, kStoreRemote, kRedAsync, "", {}},
    {"clusterlaunchcontrol", "try_cancel async mbarrier::complete_tx::bytes", Opcode::launch_cancel, kCancel,
     kLaunchCancel, "", of_async()},
    {"st", "bulk", Opcode::st_bulk, kFill, kStBulk, "", {}},
    // Between the lanes of a warp (9.7.8.6, 9.7.12.9 to 9.7.12.14)
    {"shfl", "sync", Opcode::shuffle, kShuffled, kShuffle, "", {}},
    {"vote", "sync", Opcode::vote, kVoted, kVote, "", {}},
    {"match", "sync", Opcode::match, kMatched, kMatch, "", {}},
    {"redux", "sync", Opcode::redux, kReduced, kRedux, "abs NaN f32", {}},
    {"elect", "sync", Opcode::elect, kElected, {}, "", {}},
    {"activemask", "", Opcode::active_mask, kToWord, kActiveMask, "", {}},
    // Matrices (9.7.13.4.14 to 9.7.13.5.3, 9.7.14)
    {"ldmatrix", "sync aligned", Opcode::ldmatrix, kLoadMatrix, kMatrixMove, "", {}},
    {"ldmatrix", "sync aligned b8", Opcode::ldmatrix, kLoadMatrix, kByteMatrix, "", bytes()},
    {"ldmatrix", "sync aligned b8x16", Opcode::ldmatrix, kLoadMatrix, kShortMatrix, "", {}},
    {"stmatrix", "sync aligned", Opcode::stmatrix, kStoreMatrix, kMatrixMove, "", {}},
    {"stmatrix", "sync aligned b8", Opcode::stmatrix, kStoreMatrix, kStoreByteMatrix, "", bytes()},
    {"movmatrix", "sync aligned", Opcode::movmatrix, kMoveMatrix, kMovMatrix, "", {}},
    {"mma", "sync aligned row col", Opcode::mma, kProduct, kMma, kNoMma, {}},
    {"mma", "sp sync aligned row col", Opcode::mma, kSparseProduct, kMma, kNoMma, sparse(false)},
    {"mma", "sp::ordered_metadata sync aligned row col", Opcode::mma, kSparseProduct, kMma, kNoMma,
     sparse(true)},
    {"wmma", "load sync aligned", Opcode::wmma_load, kLoadFragment, kWmmaLoad, "", {}},
    {"wmma", "store sync aligned", Opcode::wmma_store, kStoreFragment, kWmmaStore, "", {}},
    {"wmma", "mma sync aligned", Opcode::wmma_mma, kProduct, kWmma, "", {}},
    {"wgmma", "fence sync aligned", Opcode::wgmma_fence, {}, {}, "", {}},
    {"wgmma", "mma_async sync aligned", Opcode::wgmma_mma, kGroupProduct, kWgmma, "", wgmma(false)},
    {"wgmma", "mma_async sp sync aligned", Opcode::wgmma_mma, kSparseGroupProduct, kWgmma, "", wgmma(true)},
    {"wgmma", "commit_group sync aligned", Opcode::wgmma_commit, {}, {}, "", {}},
    {"wgmma", "wait_group sync aligned", Opcode::wgmma_wait, kWgmmaGroups, {}, "", {}},
    // Moves and conversions (9.7.8, 9.7.6)
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
    {"ret", "", Opcode::ret, {}, kBra, "", {}},
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
};
static_assert(are_sound(kForms), "each place has a role: result or reduced where it is written");

}  // namespace

std::span<const Form> forms() {
  static const std::vector<Form> all = [] {
    std::vector<Form> rows(std::begin(kForms), std::end(kForms));
    for (const std::span<const Form> more : {tensor_forms(), floating_forms(), bit_forms()})
      rows.insert(rows.end(), more.begin(), more.end());
    return rows;
  }();
  return all;
}

}  // namespace ptxmc::isa
