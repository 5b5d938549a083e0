// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, stores and reductions, tensor copies and tensor maps (9.7.8.12, 9.7.8.24, 9.7.8.25, 9.7.12.7): forms
// with their operand places and modifiers, and what spans groups of modifiers.
#include <fmt/format.h>

#include "ptx/isa/places.h"
#include "ptx/isa/resolver.h"
#include "ptx/isa/words.h"

namespace ptxmc::isa {

namespace {

// ---- Groups -------------------------------------------------------------------------------------------------
// Asynchronous copies (9.7.8.24), stores and reductions (9.7.8.12, 9.7.12.7). What spaces a copy goes
// between, and how its completion is told, select the form.
constexpr std::string_view kDimensions = "1d 2d 3d 4d 5d";
constexpr std::string_view kLoadModeWords = "tile tile::gather4 im2col im2col::w im2col::w::128";
constexpr Choice kCpAsync[] = {{Group::prefetch, kPrefetchWords}, {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kCpAsyncArrive[] = {
    {Group::no_increment, "noinc"}, {Group::space, "shared shared::cta"}, {Group::type, "b64", true}};
constexpr Choice kBulkWait[] = {{Group::group_read, "read"}};
constexpr Choice kBulkToL2[] = {{Group::l2_eviction, "L2::evict_last"},
                                {Group::cache_policy, "L2::cache_hint"}};
// Newer manuals name the defaults: a weak copy (9.3), which reports nothing (9.4), with a mask of 16 CTAs (9.4). A strong copy
// is .relaxed of a scope and .b128 (9.3).
constexpr std::string_view kCopySemantics = "weak relaxed", kClusterScopes = "cta cluster";
constexpr std::string_view kMulticastWords =
    "multicast::cluster multicast::cluster::16b multicast::cluster::32b";
constexpr Choice kBulkIntoCta[] = {{Group::semantics, kCopySemantics},
                                   {Group::scope, kScopeWords},
                                   {Group::type, "b128"},
                                   {Group::no_effect, "mbarrier::report::disabled"},
                                   {Group::cache_policy, "L2::cache_hint"},
                                   {Group::ignore_oob, "ignore_oob"}};
constexpr Choice kBulkToGlobal[] = {{Group::semantics, kCopySemantics},
                                    {Group::scope, kScopeWords},
                                    {Group::type, "b128"},
                                    {Group::byte_mask, "cp_mask"},
                                    {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kBulkToCluster[] = {
    {Group::semantics, kCopySemantics}, {Group::scope, kClusterScopes}, {Group::type, "b128"}};
constexpr Choice kBulkMulticast[] = {{Group::semantics, kCopySemantics},
                                     {Group::scope, kScopeWords},
                                     {Group::type, "b128"},
                                     {Group::no_effect, "mbarrier::report::disabled"},
                                     {Group::multicast, kMulticastWords},
                                     {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kLaunchCancel[] = {{Group::space, "shared::cta"},
                                    {Group::multicast, "multicast::cluster::all"},
                                    {Group::type, "b128", true}};
constexpr Choice kBulkReduce[] = {{Group::semantics, "relaxed"},
                                  {Group::scope, kScopeWords},
                                  {Group::atomic, "add min max inc dec and or xor", true},
                                  {Group::flush, "noftz"},
                                  {Group::type, "f16 bf16 b32 b64 u32 u64 s32 s64 f32 f64", true},
                                  {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kClusterReduce[] = {{Group::semantics, "relaxed"},
                                     {Group::scope, kClusterScopes},
                                     {Group::atomic, "add min max inc dec and or xor", true},
                                     {Group::type, "b32 b64 u32 u64 s32 s64", true}};
constexpr Choice kTensorToGlobal[] = {{Group::dimensions, kDimensions, true},
                                      {Group::load_mode, "tile tile::scatter4 im2col_no_offs"},
                                      {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kTensorToL2[] = {{Group::dimensions, kDimensions, true},
                                  {Group::load_mode, kLoadModeWords},
                                  {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kTensorIntoCta[] = {{Group::dimensions, kDimensions, true},
                                     {Group::load_mode, kLoadModeWords},
                                     {Group::no_effect, "mbarrier::report::disabled"},
                                     {Group::cta_group, "cta_group::1 cta_group::2"},
                                     {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kTensorMulticast[] = {
    {Group::dimensions, kDimensions, true},           {Group::load_mode, kLoadModeWords},
    {Group::no_effect, "mbarrier::report::disabled"}, {Group::multicast, kMulticastWords},
    {Group::cta_group, "cta_group::1 cta_group::2"},  {Group::cache_policy, "L2::cache_hint"}};
constexpr Choice kTensorReduce[] = {{Group::dimensions, kDimensions, true},
                                    {Group::load_mode, "tile im2col_no_offs"},
                                    {Group::atomic, "add min max inc dec and or xor", true},
                                    {Group::cache_policy, "L2::cache_hint"}};
// 9.7.8.25; a generic address where no space is named
constexpr Choice kMapReplace[] = {
    {Group::map_field,
     "global_address rank box_dim global_dim global_stride element_stride elemtype interleave_layout "
     "swizzle_mode swizzle_atomicity fill_mode",
     true},
    {Group::space, "global shared::cta"},
    {Group::type, "b32 b64", true}};
constexpr Choice kMapScope[] = {{Group::scope, kScopeWords, true}};
constexpr Choice kMapPrefetch[] = {{Group::space, "const param"}};
constexpr Choice kStAsync[] = {{Group::semantics, "weak"},
                               {Group::space, "shared::cluster"},
                               {Group::vector, "v2 v4"},
                               {Group::type, "b32 b64 b128 u32 u64 s32 s64 f32 f64", true}};
// To global memory: of an mmio operation nothing more is modelled (8.4.1).
constexpr std::string_view kAsyncScopes = "gpu sys";
constexpr Choice kStAsyncRelease[] = {
    {Group::semantics, "weak release", true},
    {Group::no_effect, "mmio"},
    {Group::scope, kAsyncScopes},
    {Group::space, "global"},
    {Group::type, "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64", true}};
constexpr Choice kRedAsync[] = {{Group::semantics, "relaxed", true},
                                {Group::scope, "cluster", true},
                                {Group::atomic, "add min max inc dec and or xor", true},
                                {Group::space, "shared::cluster"},
                                {Group::type, "b32 u32 s32 u64", true}};
constexpr Choice kRedAsyncRelease[] = {{Group::semantics, "release", true},
                                       {Group::no_effect, "mmio"},
                                       {Group::scope, kAsyncScopes, true},
                                       {Group::atomic, "add min max inc dec and or xor", true},
                                       {Group::space, "global"},
                                       {Group::type, "b32 u32 s32 u64 s64", true}};
constexpr Choice kStBulk[] = {{Group::semantics, "weak"}, {Group::space, "shared::cta"}};

// ---- Operand places -----------------------------------------------------------------------------------------
using namespace places;  // NOLINT: their names are what the lists below consist of

constexpr bool masks(const Modifiers& m) {
  return m.byte_mask;
}
constexpr bool ignores(const Modifiers& m) {
  return m.ignore_oob;
}
constexpr bool has_offsets(const Modifiers& m) {
  return m.load_mode == LoadMode::im2col || is_wide(m.load_mode);
}
// 9.7.8.25: fields of every dimension name one; those that have few values take immediates.
constexpr bool has_ordinal(const Modifiers& m) {
  return m.map_field == MapField::box_dim || m.map_field == MapField::global_dim ||
         m.map_field == MapField::global_stride || m.map_field == MapField::element_stride;
}
constexpr bool replaces_few(const Modifiers& m) {
  return has_few_values(m.map_field);
}
constexpr bool has_many_values(const Modifiers& m) {
  return !replaces_few(m);
}
// Asynchronous copies and stores
constexpr Place kGroupsLeft[] = {immediate(Role::count, Width::none)};
constexpr Place kSignal = at(Role::mbarrier);  // of the destination's space
constexpr Place kCtas = when(multicasts, number(Role::cta_mask, Width::half)),
                kMoreCtas = when(multicasts_widely, number(Role::cta_mask));
constexpr Place kCopyPlaces[] = {at(), at(Role::source_address), immediate(Role::bytes),
                                 optional(number(Role::source_bytes, Width::none))};
constexpr Place kBulkIn[] = {at(), at(Role::source_address), number(Role::bytes), kSignal, kCtas, kMoreCtas};
constexpr Place kBulkIntoCtaPlaces[] = {at(),
                                        at(Role::source_address),
                                        number(Role::bytes),
                                        when(ignores, number(Role::ignore_left)),
                                        when(ignores, number(Role::ignore_right)),
                                        kSignal};
constexpr Place kBulkMasked[] = {at(), at(Role::source_address), number(Role::bytes),
                                 when(masks, number(Role::byte_mask, Width::half))};
constexpr Place kBulkOut[] = {at(), at(Role::source_address), number(Role::bytes)};
constexpr Place kBulkPrefetch[] = {at(Role::source_address), number(Role::bytes)};
constexpr Place kMap = name(Role::tensor, Kind::tensor);
constexpr Place kOffsets = when(has_offsets, sources(Role::offsets, Width::half, 0));
constexpr Place kTensorIn[] = {at(), kMap, kSignal, kOffsets, kCtas, kMoreCtas};
constexpr Place kTensorOut[] = {kMap, at(Role::source_address)};
constexpr Place kTensorPrefetch[] = {kMap, kOffsets};
constexpr Place kMapField[] = {at(), when(has_ordinal, immediate(Role::ordinal)),
                               when(replaces_few, immediate(Role::value, Width::type)),
                               when(has_many_values, number(Role::value, Width::type))};
constexpr Place kMapCopy[] = {at(Role::address, Space::global), at(Role::source_address, Space::shared_cta),
                              immediate(Role::bytes, Width::none)};
constexpr Place kHinted[] = {at()};
constexpr Place kSignalled[] = {at(Role::mbarrier)};
constexpr Place kRemoteAddress = at(Role::address, Space::shared_cluster);
constexpr Place kRemoteSignal = at(Role::mbarrier, Space::shared_cluster);
constexpr Place kStoreRemote[] = {kRemoteAddress, source(Role::value, Width::type), kRemoteSignal};
constexpr Place kStoreGlobal[] = {at(), source(Role::value, Width::type)};
constexpr Place kCancel[] = {at(), at(Role::mbarrier)};
constexpr Place kFill[] = {at(), number(Role::bytes, Width::doubleword),
                           immediate(Role::value, Width::doubleword)};

// ---- Defaults ----------------------------------------------------------------------------------------------
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

// 9.7.8.24.7: each reduction is .relaxed; where no scope is written, of that of the edition (R149)
constexpr Modifiers bulk_reduction(Space to, Space from) {
  Modifiers m = bulk_copy(to, from);
  m.semantics = Semantics::relaxed;
  return m;
}

// 9.7.8.24.10: of scope .gpu
constexpr Modifiers tensor_reduction(Space to, Space from) {
  Modifiers m = bulk_reduction(to, from);
  m.scope = Scope::gpu;
  return m;
}

constexpr Modifiers of_async() {
  Modifiers m;
  m.proxy = Proxy::async;
  return m;
}

constexpr Modifiers to_global() {
  Modifiers m;
  m.space = Space::global;
  return m;
}

constexpr Modifiers of_bulk() {
  Modifiers m;
  m.bulk = true;
  return m;
}

/// A map that tensormap.cp_fenceproxy releases.
constexpr Modifiers released_map() {
  Modifiers m;
  m.proxy = Proxy::tensormap;
  m.semantics = Semantics::release;
  return m;
}

// ---- The rows -----------------------------------------------------------------------------------------------
constexpr Form kCopyForms[] = {
    // Asynchronous copies (9.7.8.24), stores and reductions (9.7.8.12, 9.7.12.7)
    {"cp", "async ca shared global", Opcode::cp_async, kCopyPlaces, kCpAsync, "",
     copy(Space::shared, Space::global)},
    {"cp", "async ca shared::cta global", Opcode::cp_async, kCopyPlaces, kCpAsync, "",
     copy(Space::shared_cta, Space::global)},
    {"cp", "async cg shared global", Opcode::cp_async, kCopyPlaces, kCpAsync, "",
     copy(Space::shared, Space::global, true)},
    {"cp", "async cg shared::cta global", Opcode::cp_async, kCopyPlaces, kCpAsync, "",
     copy(Space::shared_cta, Space::global, true)},
    {"cp", "async commit_group", Opcode::cp_async_commit, {}, {}, "", {}},
    {"cp", "async wait_group", Opcode::cp_async_wait, kGroupsLeft, {}, "", {}},
    {"cp", "async wait_all", Opcode::cp_async_wait_all, {}, {}, "", {}},
    {"cp", "async mbarrier arrive", Opcode::cp_async_arrive, kSignalled, kCpAsyncArrive, "", {}},
    {"cp", "async bulk commit_group", Opcode::cp_async_commit, {}, {}, "", of_bulk()},
    {"cp", "async bulk wait_group", Opcode::cp_async_wait, kGroupsLeft, kBulkWait, "", of_bulk()},
    {"cp", "async bulk shared::cluster global mbarrier::complete_tx::bytes", Opcode::cp_async_bulk, kBulkIn,
     kBulkMulticast, "", bulk_copy(Space::shared_cluster, Space::global)},
    {"cp", "async bulk shared::cta global mbarrier::complete_tx::bytes", Opcode::cp_async_bulk,
     kBulkIntoCtaPlaces, kBulkIntoCta, "", bulk_copy(Space::shared_cta, Space::global)},
    {"cp", "async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes", Opcode::cp_async_bulk,
     kBulkIn, kBulkToCluster, "", bulk_copy(Space::shared_cluster, Space::shared_cta)},
    {"cp", "async bulk global shared::cta bulk_group", Opcode::cp_async_bulk, kBulkMasked, kBulkToGlobal, "",
     bulk_copy(Space::global, Space::shared_cta)},
    {"cp", "async bulk prefetch L2 global", Opcode::cp_async_bulk_prefetch, kBulkPrefetch, kBulkToL2, "",
     bulk_copy(Space::generic, Space::global)},
    {"cp", "reduce async bulk shared::cluster shared::cta mbarrier::complete_tx::bytes",
     Opcode::cp_reduce_async_bulk, kBulkIn, kClusterReduce, "",
     bulk_reduction(Space::shared_cluster, Space::shared_cta)},
    {"cp", "reduce async bulk global shared::cta bulk_group", Opcode::cp_reduce_async_bulk, kBulkOut,
     kBulkReduce, "", bulk_reduction(Space::global, Space::shared_cta)},
    // Tensor copies (9.7.8.24.9 to 9.7.8.24.11) and tensor maps (9.7.8.25, 9.7.12.15.18, 9.7.8.14)
    {"cp", "async bulk tensor shared::cluster global mbarrier::complete_tx::bytes",
     Opcode::cp_async_bulk_tensor, kTensorIn, kTensorMulticast, "",
     bulk_copy(Space::shared_cluster, Space::global)},
    {"cp", "async bulk tensor shared::cta global mbarrier::complete_tx::bytes", Opcode::cp_async_bulk_tensor,
     kTensorIn, kTensorIntoCta, "", bulk_copy(Space::shared_cta, Space::global)},
    {"cp", "async bulk tensor global shared::cta bulk_group", Opcode::cp_async_bulk_tensor, kTensorOut,
     kTensorToGlobal, "", bulk_copy(Space::global, Space::shared_cta)},
    {"cp", "reduce async bulk tensor global shared::cta bulk_group", Opcode::cp_reduce_async_bulk_tensor,
     kTensorOut, kTensorReduce, "", tensor_reduction(Space::global, Space::shared_cta)},
    {"cp", "async bulk prefetch tensor L2 global", Opcode::cp_async_bulk_prefetch_tensor, kTensorPrefetch,
     kTensorToL2, "", bulk_copy(Space::generic, Space::global)},
    {"tensormap", "replace tile b1024", Opcode::tensormap_replace, kMapField, kMapReplace, "", {}},
    {"tensormap", "cp_fenceproxy global shared::cta tensormap::generic release sync aligned",
     Opcode::tensormap_cp_fenceproxy, kMapCopy, kMapScope, "", released_map()},
    {"prefetch", "tensormap", Opcode::prefetch_tensormap, kHinted, kMapPrefetch, "", {}},
    {"st", "async mbarrier::complete_tx::bytes", Opcode::st_async, kStoreRemote, kStAsync, "", {}},
    {"st", "async", Opcode::st_async, kStoreGlobal, kStAsyncRelease, "", to_global()},
    {"red", "async mbarrier::complete_tx::bytes", Opcode::red_async, kStoreRemote, kRedAsync, "", {}},
    {"red", "async", Opcode::red_async, kStoreGlobal, kRedAsyncRelease, "", to_global()},
    {"clusterlaunchcontrol", "try_cancel async mbarrier::complete_tx::bytes", Opcode::launch_cancel, kCancel,
     kLaunchCancel, "", of_async()},
    {"st", "bulk", Opcode::st_bulk, kFill, kStBulk, "", {}},
};
static_assert(are_sound(kCopyForms), "each place has a role: result or reduced where it is written");

}  // namespace

std::span<const Form> copy_forms() {
  return kCopyForms;
}

// ---- What spans groups --------------------------------------------------------------------------------------
// 9.7.8.12: .release has a scope
void Resolver::async_store_rules() {
  if (m_.vector > 1 && m_.vector * m_.type->bits > 128) contradiction(Group::vector, Group::type);
  if (m_.semantics == Semantics::weak && has(Group::scope)) contradiction(Group::semantics, Group::scope);
  if (m_.semantics == Semantics::release && !has(Group::scope)) {
    error(chosen(Group::semantics),
          fmt::format("`.release` of `st.async` needs a scope: one of {}", dotted_list(kAsyncScopes)));
  }
}

// 9.7.8.24.6: a strong copy has a scope, and says that its accesses are of 16 bytes each; a weak one has neither
void Resolver::bulk_copy_rules() {
  if (m_.semantics == Semantics::weak) {
    for (const Group group : {Group::scope, Group::type}) {
      if (!has(group)) continue;
      if (has(Group::semantics)) return contradiction(Group::semantics, group);
      return error(chosen(group), fmt::format("`.{}` of `{}` needs `.relaxed`", word(group), name_));
    }
    return;
  }
  if (!has(Group::scope)) return scope_is_missing();
  if (!has(Group::type))
    return error(chosen(Group::semantics), fmt::format("`.relaxed` of `{}` needs the type `.b128`", name_));
  if (m_.ignore_oob)
    error(
        chosen(Group::ignore_oob),
        fmt::format(
            "not modelled: `.ignore_oob` of a strong `{}`: which bytes its accesses of 16 bytes have at the "
            "ends is not said",
            name_));
}

void Resolver::scope_is_missing() {
  const bool cluster = m_.space == Space::shared_cluster && m_.source_space == Space::shared_cta;
  error(chosen(Group::semantics), fmt::format("`.relaxed` of `{}` needs a scope: one of {}", name_,
                                              dotted_list(cluster ? kClusterScopes : kScopeWords)));
}

// Numbers of 16 bits are added with .noftz, the least and the most of them found without; those of 32 and 64 are added
void Resolver::bulk_reduction_rules() {
  if (has(Group::semantics) && !has(Group::scope)) return scope_is_missing();
  if (!has(Group::semantics) && has(Group::scope))
    return error(chosen(Group::scope),
                 fmt::format("`.{}` of `{}` needs `.relaxed`", word(Group::scope), name_));
  if (!m_.type->is_floating()) {
    if (has(Group::flush)) contradiction(Group::flush, Group::type);
    return reduction_rules(m_.space == Space::global);
  }
  const bool half = m_.type->bits == 16;
  const bool extremum = m_.atomic == AtomicOp::min || m_.atomic == AtomicOp::max;
  if (m_.atomic != AtomicOp::add && !(half && extremum)) return contradiction(Group::atomic, Group::type);
  const bool kept = half && !extremum;
  if (has(Group::flush) && !kept)
    contradiction(Group::flush, has(Group::type) && !half ? Group::type : Group::atomic);
  if (!has(Group::flush) && kept)
    error(chosen(Group::type),
          fmt::format("`.add` of `.{}` in `{}` needs `.noftz`", word(Group::type), name_));
}

void Resolver::async_reduction_rules() {
  const bool added = m_.atomic == AtomicOp::add && m_.type->bits == 64 && m_.type->is_signed();
  if (m_.semantics != Semantics::release || !added) reduction_rules(false);
}

// 9.7.8.24.7, 9.7.12.7: which operation takes which type
void Resolver::reduction_rules(bool wide) {
  const bool bits = m_.type->cls == TypeClass::bits;
  bool good = false;
  switch (m_.atomic) {
    case AtomicOp::add:
      good = !bits && (m_.type->bits == 32 || m_.type->cls == TypeClass::unsigned_);
      break;
    case AtomicOp::min:
    case AtomicOp::max:
      good = !bits && (m_.type->bits == 32 || wide);
      break;
    case AtomicOp::inc:
    case AtomicOp::dec:
      good = m_.type->cls == TypeClass::unsigned_ && m_.type->bits == 32;
      break;
    default:
      good = bits && (m_.type->bits == 32 || wide);
      break;
  }
  if (!good) contradiction(Group::atomic, Group::type);
}

// Rows that have coordinates of their own are those of a tensor of two dimensions; pixels of one that has three or more
void Resolver::load_mode_rules() {
  const bool good = is_im2col(m_.load_mode)  ? m_.dimensions >= 3
                    : has_rows(m_.load_mode) ? m_.dimensions == 2
                                             : true;
  if (!good) contradiction(Group::load_mode, Group::dimensions);
}

// 9.7.8.25: addresses and strides have 64 bits, all other fields 32
void Resolver::map_rules() {
  const bool wide = m_.map_field == MapField::global_address || m_.map_field == MapField::global_stride;
  if (m_.type->bits != (wide ? 64 : 32)) contradiction(Group::map_field, Group::type);
}

}  // namespace ptxmc::isa
