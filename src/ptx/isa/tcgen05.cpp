// SPDX-License-Identifier: Apache-2.0
// tcgen05 (9.7.16 of the newer manual): its rows of the instruction table, what spans their groups, and how
// they are written. ptxas takes modifiers in any order, so do the rows.
#include <fmt/format.h>

#include <array>

#include "ptx/isa/places.h"
#include "ptx/isa/resolver.h"
#include "ptx/isa/spelling.h"
#include "ptx/isa/words.h"
#include "support/check.h"

namespace ptxmc::isa {

namespace {

constexpr std::string_view kGroupWords = "cta_group::1 cta_group::2";
constexpr std::string_view kRepetitions = "x1 x2 x4 x8 x16 x32 x64 x128";
constexpr std::string_view kMoveShapes = "16x64b 16x128b 16x256b 32x32b";
constexpr std::string_view kPlainKinds = "kind::f16 kind::tf32 kind::f8f6f4 kind::i8";
constexpr std::string_view kScaledKinds = "kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4";
constexpr std::string_view kCollectA =
    "collector::a::fill collector::a::use collector::a::lastuse collector::a::discard";
constexpr std::string_view kCollectB =
    "collector::b0::fill collector::b0::use collector::b0::lastuse collector::b0::discard "
    "collector::b1::fill collector::b1::use collector::b1::lastuse collector::b1::discard "
    "collector::b2::fill collector::b2::use collector::b2::lastuse collector::b2::discard "
    "collector::b3::fill collector::b3::use collector::b3::lastuse collector::b3::discard";

constexpr Choice kAlloc[] = {
    {Group::cta_group, kGroupWords, true}, {Group::space, "shared::cta"}, {Group::type, "b32", true}};
constexpr Choice kDealloc[] = {{Group::cta_group, kGroupWords, true}, {Group::type, "b32", true}};
constexpr Choice kRelinquish[] = {{Group::cta_group, kGroupWords, true}};
constexpr Choice kTensorLoad[] = {{Group::shape, kMoveShapes, true},
                                  {Group::repetition, kRepetitions, true},
                                  {Group::packing, "pack::16b"},
                                  {Group::type, "b32", true}};
constexpr Choice kLoadHalves[] = {
    {Group::repetition, kRepetitions, true}, {Group::packing, "pack::16b"}, {Group::type, "b32", true}};
constexpr Choice kLoadReduced[] = {{Group::repetition, "x2 x4 x8 x16 x32 x64 x128", true},
                                   {Group::atomic, "min max", true},
                                   {Group::absolute, "abs"},
                                   {Group::not_a_number, "NaN"},
                                   {Group::type, "u32 s32 f32", true}};
constexpr Choice kTensorStore[] = {{Group::shape, kMoveShapes, true},
                                   {Group::repetition, kRepetitions, true},
                                   {Group::packing, "unpack::16b"},
                                   {Group::type, "b32", true}};
constexpr Choice kStoreHalves[] = {
    {Group::repetition, kRepetitions, true}, {Group::packing, "unpack::16b"}, {Group::type, "b32", true}};
constexpr Choice kCopyIn[] = {{Group::cta_group, kGroupWords, true},
                              {Group::shape, "128x256b 4x256b 128x128b 64x128b 32x128b", true},
                              {Group::warps, "warpx2::02_13 warpx2::01_23 warpx4"},
                              {Group::target_format, "b8x16"},
                              {Group::source_format, "b6x16_p32 b4x16_p64"}};
constexpr Choice kShiftDown[] = {{Group::cta_group, kGroupWords, true}};
constexpr Choice kPlainProduct[] = {{Group::cta_group, kGroupWords, true},
                                    {Group::kind, kPlainKinds, true},
                                    {Group::a_shift, "ashift"},
                                    {Group::collector, kCollectA}};
constexpr Choice kScaled[] = {
    {Group::cta_group, kGroupWords, true},
    {Group::kind, kScaledKinds, true},
    {Group::scale_vector, "scale_vec::1X scale_vec::2X scale_vec::4X block16 block32"},
    {Group::collector, kCollectA}};
constexpr Choice kStationary[] = {{Group::cta_group, "cta_group::1", true},
                                  {Group::kind, kPlainKinds, true},
                                  {Group::collector, kCollectB}};
constexpr Choice kCommit[] = {
    {Group::cta_group, kGroupWords, true},
    {Group::space, "shared::cluster"},
    {Group::multicast, "multicast::cluster multicast::cluster::16b multicast::cluster::32b"},
    {Group::type, "b64", true}};

// ---- Operand places ------------------------------------------------------------------------------------------
using namespace places;  // NOLINT: their names are what the lists below consist of

// 9.7.16.10.9.1: scale-input-d is of .kind::f16 and .kind::tf32
constexpr bool scales_d(const Modifiers& m) {
  return m.tensor.kind == TensorKind::f16 || m.tensor.kind == TensorKind::tf32;
}

constexpr Place in_tensor(Role role = Role::address) {
  return at(role, Space::tensor);
}
constexpr Place kColumns = number(Role::count), kSplit = immediate(Role::half_split);
constexpr Place kAllocated[] = {at(), kColumns};
constexpr Place kFreed[] = {source(Role::address, Width::word), kColumns};
constexpr Place kLoaded[] = {fragment(Role::result), in_tensor()};
constexpr Place kLoadedHalves[] = {fragment(Role::result), in_tensor(), kSplit};
constexpr Place kRedval = {Role::reduced, Kind::destination_or_sink, Width::word};
constexpr Place kLoadedReduced[] = {fragment(Role::result), kRedval, in_tensor()};
constexpr Place kLoadedReducedHalves[] = {fragment(Role::result), kRedval, in_tensor(), kSplit};
constexpr Place kStored[] = {in_tensor(), fragment(Role::value)};
constexpr Place kStoredHalves[] = {in_tensor(), kSplit, fragment(Role::value)};
constexpr Place kCopied[] = {in_tensor(), descriptor(Role::a)};
constexpr Place kShifted[] = {in_tensor()};
constexpr Place kMultiplicandA = {Role::a, Kind::descriptor_or_address, Width::doubleword, false,
                                  Space::tensor};
constexpr Place kMultiplicandB = descriptor(Role::b), kSparsity = in_tensor(Role::metadata);
constexpr Place kInstruction = number(Role::descriptor);
constexpr Place kScalesA = in_tensor(Role::scale_a), kScalesB = in_tensor(Role::scale_b);
constexpr Place kEnable = predicate(Kind::predicate_or_number, Role::enable_d);
constexpr Place kMasked = optional({Role::lane_mask, Kind::lane_mask, Width::word});
constexpr Place kInputD = when(scales_d, optional(immediate(Role::scale_d)));
constexpr Place kZeroColumns = optional(number(Role::column_mask, Width::doubleword));
constexpr Place kPlain[] = {in_tensor(), kMultiplicandA, kMultiplicandB, kInstruction,
                            kMasked,     kEnable,        kInputD};
constexpr Place kBlocks[] = {in_tensor(), kMultiplicandA, kMultiplicandB, kInstruction,
                             kScalesA,    kScalesB,       kEnable};
constexpr Place kSparse[] = {in_tensor(),  kMultiplicandA, kMultiplicandB, kSparsity,
                             kInstruction, kMasked,        kEnable,        kInputD};
constexpr Place kSparseBlocks[] = {in_tensor(),  kMultiplicandA, kMultiplicandB, kSparsity,
                                   kInstruction, kScalesA,       kScalesB,       kEnable};
constexpr Place kWeights[] = {in_tensor(),  kMultiplicandA, kMultiplicandB,
                              kInstruction, kEnable,        kZeroColumns};
constexpr Place kSparseWeights[] = {in_tensor(),  kMultiplicandA, kMultiplicandB, kSparsity,
                                    kInstruction, kEnable,        kZeroColumns};
constexpr Place kCommitted[] = {at(Role::mbarrier), when(multicasts, number(Role::cta_mask, Width::half)),
                                when(multicasts_widely, number(Role::cta_mask))};

constexpr Modifiers halves() {
  Modifiers m;
  m.tensor.shape = TensorShape::l16x32bx2;
  return m;
}

constexpr Modifiers lanes32() {
  Modifiers m;
  m.tensor.shape = TensorShape::l32x32b;
  return m;
}

constexpr Modifiers product_of(bool sparse, bool stationary, bool scaled) {
  Modifiers m;
  m.tensor.sparse = sparse;
  m.tensor.weight_stationary = stationary;
  m.tensor.block_scale = scaled;
  return m;
}

constexpr Modifiers waits_for_stores() {
  Modifiers m;
  m.tensor.stores = true;
  return m;
}

constexpr Modifiers exclusive() {
  Modifiers m;
  m.tensor.exclusive = true;
  return m;
}

constexpr Modifiers of_reads() {
  Modifiers m;
  m.reads_only = true;
  return m;
}

constexpr Modifiers after() {
  Modifiers m;
  m.tensor.after = true;
  return m;
}

constexpr Form kTensorForms[] = {
    // 9.7.16.7
    {"tcgen05", "alloc sync aligned", Opcode::tcgen05_alloc, kAllocated, kAlloc, "", {}},
    {"tcgen05", "dealloc sync aligned", Opcode::tcgen05_dealloc, kFreed, kDealloc, "", {}},
    {"tcgen05", "alloc exclusive sync aligned", Opcode::tcgen05_alloc, kAllocated, kAlloc, "", exclusive()},
    {"tcgen05", "dealloc exclusive sync aligned", Opcode::tcgen05_dealloc, kFreed, kDealloc, "", exclusive()},
    {"tcgen05", "relinquish_alloc_permit sync aligned", Opcode::tcgen05_relinquish, {}, kRelinquish, "", {}},
    // 9.7.16.8
    {"tcgen05", "ld sync aligned", Opcode::tcgen05_ld, kLoaded, kTensorLoad, "", {}},
    {"tcgen05", "ld sync aligned 16x32bx2", Opcode::tcgen05_ld, kLoadedHalves, kLoadHalves, "", halves()},
    {"tcgen05", "ld red sync aligned 32x32b", Opcode::tcgen05_ld, kLoadedReduced, kLoadReduced, "",
     lanes32()},
    {"tcgen05", "ld red sync aligned 16x32bx2", Opcode::tcgen05_ld, kLoadedReducedHalves, kLoadReduced, "",
     halves()},
    {"tcgen05", "st sync aligned", Opcode::tcgen05_st, kStored, kTensorStore, "", {}},
    {"tcgen05", "st sync aligned 16x32bx2", Opcode::tcgen05_st, kStoredHalves, kStoreHalves, "", halves()},
    {"tcgen05", "wait::ld sync aligned", Opcode::tcgen05_wait, {}, {}, "", {}},
    {"tcgen05", "wait::st sync aligned", Opcode::tcgen05_wait, {}, {}, "", waits_for_stores()},
    // 9.7.16.9
    {"tcgen05", "cp", Opcode::tcgen05_cp, kCopied, kCopyIn, "", {}},
    {"tcgen05", "shift down", Opcode::tcgen05_shift, kShifted, kShiftDown, "", {}},
    // 9.7.16.10.9
    {"tcgen05", "mma", Opcode::tcgen05_mma, kPlain, kPlainProduct, "", product_of(false, false, false)},
    {"tcgen05", "mma block_scale", Opcode::tcgen05_mma, kBlocks, kScaled, "", product_of(false, false, true)},
    {"tcgen05", "mma sp", Opcode::tcgen05_mma, kSparse, kPlainProduct, "", product_of(true, false, false)},
    {"tcgen05", "mma sp block_scale", Opcode::tcgen05_mma, kSparseBlocks, kScaled, "",
     product_of(true, false, true)},
    {"tcgen05", "mma ws", Opcode::tcgen05_mma, kWeights, kStationary, "", product_of(false, true, false)},
    {"tcgen05", "mma ws sp", Opcode::tcgen05_mma, kSparseWeights, kStationary, "",
     product_of(true, true, false)},
    // 9.7.16.11, 9.7.16.12
    {"tcgen05", "fence::before_thread_sync", Opcode::tcgen05_fence, {}, {}, "", {}},
    {"tcgen05", "fence::after_thread_sync", Opcode::tcgen05_fence, {}, {}, "", after()},
    {"tcgen05", "commit mbarrier::arrive::one", Opcode::tcgen05_commit, kCommitted, kCommit, "", {}},
    {"tcgen05", "commit mbarrier::arrive::one sync_restrict::shared::read::mma::a", Opcode::tcgen05_commit,
     kCommitted, kCommit, "", of_reads()},
};
static_assert(are_sound(kTensorForms), "each place has a role: result or reduced where it is written");

constexpr std::array<std::string_view, 8> kTensorKinds = {"",   "f16",      "tf32", "f8f6f4",
                                                          "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};
constexpr std::array<std::string_view, 6> kScales = {
    "", "scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32"};
constexpr std::array<std::string_view, 5> kCollectors = {"", "fill", "use", "lastuse", "discard"};
constexpr std::array<std::string_view, 11> kShapes = {"",         "16x64b",   "16x128b", "16x256b",
                                                      "16x32bx2", "32x32b",   "4x256b",  "32x128b",
                                                      "64x128b",  "128x256b", "128x128b"};
constexpr std::array<std::string_view, 4> kWarps = {"", "warpx2::02_13", "warpx2::01_23", "warpx4"};

template <typename Enum, std::size_t N>
Enum named(const std::array<std::string_view, N>& names, std::string_view word) {
  for (std::size_t i = 1; i < N; ++i) {
    if (names[i] == word) return static_cast<Enum>(i);
  }
  PTXMC_CHECK(false, fmt::format("the tcgen05 table has an unknown word {}", word));
  return Enum{};
}

template <typename Enum, std::size_t N>
void add_word(std::string& out, const std::array<std::string_view, N>& names, Enum value) {
  const std::string_view name = names.at(static_cast<std::size_t>(value));
  if (!name.empty()) out += fmt::format(".{}", name);
}

}  // namespace

namespace spelling {

std::string kind_words(const Tensor& t) {
  std::string out;
  if (t.kind != TensorKind::none)
    out += fmt::format(".kind::{}", kTensorKinds.at(static_cast<std::size_t>(t.kind)));
  if (t.block_scale) out += ".block_scale";
  add_word(out, kScales, t.scale);
  return out;
}

std::string tensor_product(std::string_view name, const Modifiers& m) {
  const Tensor& t = m.tensor;
  std::string out(name);
  if (t.weight_stationary) out += ".ws";
  if (t.sparse) out += ".sp";
  out += fmt::format(".cta_group::{}{}", t.cta_group, kind_words(t));
  if (t.shifts_a) out += ".ashift";
  if (t.collector != Collector::none) {
    const std::string buffer = t.weight_stationary ? fmt::format("b{}", t.buffer) : "a";
    out += fmt::format(".collector::{}::{}", buffer, kCollectors.at(static_cast<std::size_t>(t.collector)));
  }
  return out;
}

std::string tensor_load(std::string_view name, const Modifiers& m) {
  const Tensor& t = m.tensor;
  std::string out = fmt::format("{}{}.sync.aligned", name, m.atomic == AtomicOp::none ? "" : ".red");
  add_word(out, kShapes, t.shape);
  out += fmt::format(".x{}", t.repetitions);
  if (t.packs) out += ".pack::16b";
  if (m.atomic == AtomicOp::none) return out + ".b32";
  out += fmt::format(".{}", name_of(m.atomic));
  if (t.absolute) out += ".abs";
  if (t.not_a_number) out += ".NaN";
  return out + (t.f32 ? ".f32" : fmt::format(".{}", name_of(*m.type)));
}

std::string tensor_store(std::string_view name, const Modifiers& m) {
  std::string out = fmt::format("{}.sync.aligned", name);
  add_word(out, kShapes, m.tensor.shape);
  return out + fmt::format(".x{}{}.b32", m.tensor.repetitions, m.tensor.packs ? ".unpack::16b" : "");
}

std::string tensor_copy_in(std::string_view name, const Modifiers& m) {
  const Tensor& t = m.tensor;
  std::string out = fmt::format("{}.cta_group::{}", name, t.cta_group);
  add_word(out, kShapes, t.shape);
  add_word(out, kWarps, t.warps);
  if (t.unpacked_from != 0) out += t.unpacked_from == 6 ? ".b8x16.b6x16_p32" : ".b8x16.b4x16_p64";
  return out;
}

std::string tensor_commit(std::string_view name, const Modifiers& m) {
  std::string out = fmt::format("{}.cta_group::{}.mbarrier::arrive::one", name, m.tensor.cta_group);
  if (m.reads_only) out += ".sync_restrict::shared::read::mma::a";
  if (m.space != Space::generic) out += ".shared::cluster";
  out += spelling::multicast_word(m);
  return out + ".b64";
}

std::string tensor_allocation(std::string_view name, const Modifiers& m) {
  return fmt::format("{}{}.cta_group::{}.sync.aligned{}{}", name, m.tensor.exclusive ? ".exclusive" : "",
                     m.tensor.cta_group, m.space == Space::generic ? "" : ".shared::cta",
                     m.type ? ".b32" : "");
}

std::string tensor_wait(std::string_view name, const Modifiers& m) {
  return fmt::format("{}::{}.sync.aligned", name, m.tensor.stores ? "st" : "ld");
}

std::string tensor_shift(std::string_view name, const Modifiers& m) {
  return fmt::format("{}.cta_group::{}.down", name, m.tensor.cta_group);
}

std::string tensor_fence(std::string_view name, const Modifiers& m) {
  return fmt::format("{}::{}_thread_sync", name, m.tensor.after ? "after" : "before");
}

}  // namespace spelling

std::span<const Form> tensor_forms() {
  return kTensorForms;
}

std::size_t tensor_registers(const Tensor& tensor) {
  switch (tensor.shape) {
    case TensorShape::l16x128b:
      return std::size_t{tensor.repetitions} * 2;
    case TensorShape::l16x256b:
      return std::size_t{tensor.repetitions} * 4;
    default:
      return tensor.repetitions;
  }
}

void Resolver::apply_tensor_words() {
  Tensor& t = m_.tensor;
  if (has(Group::cta_group)) t.cta_group = static_cast<std::uint8_t>(word(Group::cta_group).back() - '0');
  if (has(Group::kind)) t.kind = named<TensorKind>(kTensorKinds, word(Group::kind).substr(6));
  if (has(Group::scale_vector)) t.scale = named<ScaleVector>(kScales, word(Group::scale_vector));
  if (has(Group::a_shift)) t.shifts_a = true;
  if (has(Group::collector)) {
    const std::string_view use = word(Group::collector);  // collector::b0::fill
    const std::size_t last = use.rfind("::");
    t.collector = named<Collector>(kCollectors, use.substr(last + 2));
    t.buffer = use[last - 1] == 'a' ? 0 : static_cast<std::uint8_t>(use[last - 1] - '0');
  }
  if (form_->base == "tcgen05" && has(Group::shape))
    t.shape = named<TensorShape>(kShapes, word(Group::shape));
  for (std::size_t count = 1; has(Group::repetition) && count <= 128; count *= 2) {
    if (word(Group::repetition).substr(1) == std::to_string(count))
      t.repetitions = static_cast<std::uint8_t>(count);
  }
  t.packs = has(Group::packing);
  t.absolute = has(Group::absolute);
  t.not_a_number = has(Group::not_a_number);
  if (has(Group::warps)) t.warps = named<WarpMulticast>(kWarps, word(Group::warps));
  if (has(Group::source_format))
    t.unpacked_from = static_cast<std::uint8_t>(word(Group::source_format)[1] - '0');
}

// 9.7.16.8.3, table 47; of a reduction, only floating-point numbers have .abs and .NaN
void Resolver::tensor_move_rules() {
  Tensor& t = m_.tensor;
  constexpr std::size_t kMostRegisters = 128;
  if (tensor_registers(t) > kMostRegisters) contradiction(Group::shape, Group::repetition);
  if (m_.atomic == AtomicOp::none) return;
  t.f32 = word(Group::type) == "f32";
  if (t.f32) m_.type = Type{TypeClass::bits, 32};
  for (const Group group : {Group::absolute, Group::not_a_number}) {
    if (has(group) && !t.f32) contradiction(group, Group::type);
  }
}

// 9.7.16.9.2
void Resolver::tensor_copy_rules() {
  const Tensor& t = m_.tensor;
  const bool pairs = t.warps == WarpMulticast::pairs_01_23 || t.warps == WarpMulticast::pairs_02_13;
  const std::size_t at = chosen(Group::shape);
  if ((t.shape == TensorShape::l64x128b) != pairs) {
    error(pairs ? chosen(Group::warps) : at,
          "`.64x128b`, and no other shape, goes with .warpx2::02_13 or .warpx2::01_23");
  } else if ((t.shape == TensorShape::l32x128b) != (t.warps == WarpMulticast::all)) {
    error(t.warps == WarpMulticast::all ? chosen(Group::warps) : at,
          "`.32x128b`, and no other shape, goes with .warpx4");
  }
  if (has(Group::source_format) != has(Group::target_format)) {
    error(has(Group::source_format) ? chosen(Group::source_format) : chosen(Group::target_format),
          "`.b8x16` goes with one of .b6x16_p32 .b4x16_p64");
  }
}

// 9.7.16.10.7.1, table 54; 9.7.16.10.9.1
void Resolver::tensor_product_rules() {
  const Tensor& t = m_.tensor;
  if (t.shifts_a && (t.collector == Collector::fill || t.collector == Collector::use))
    contradiction(Group::a_shift, Group::collector);
  if (t.kind == TensorKind::mxf4nvf4 && t.scale == ScaleVector::none)
    error(chosen(Group::kind), "`.kind::mxf4nvf4` needs the size of its scale vectors");
  bool good = true;
  switch (t.scale) {
    case ScaleVector::none:
    case ScaleVector::block32:
      break;
    case ScaleVector::x1:
      good = t.kind == TensorKind::mxf8f6f4;
      break;
    case ScaleVector::x2:
      good = t.kind != TensorKind::mxf8f6f4;
      break;
    case ScaleVector::x4:
    case ScaleVector::block16:
      good = t.kind == TensorKind::mxf4nvf4;
      break;
  }
  if (!good) contradiction(Group::kind, Group::scale_vector);
}

}  // namespace ptxmc::isa
