// SPDX-License-Identifier: Apache-2.0
// Matrices (9.7.13, 9.7.14): forms with their operand places and modifiers, and what spans groups of modifiers.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/isa/matrix.h"
#include "ptx/isa/places.h"
#include "ptx/isa/resolver.h"

namespace ptxmc::isa {

namespace {

// ---- Groups -------------------------------------------------------------------------------------------------
// Matrices (9.7.13, 9.7.14). Shapes, with types, are checked by matrix.h.
constexpr std::string_view kElementWords = "b1 s4 u4 s8 u8 e4m3 e5m2 f16 bf16 tf32 f32 f64 s32";
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
constexpr std::string_view kShortElements = "e4m3 e5m2 e3m2 e2m3 e2m1 f16 f32";
constexpr std::string_view kScaledElements = "e4m3 e5m2 e3m2 e2m3 e2m1 f32 ue8m0 ue4m3";
constexpr Choice kMatrixMove[] = {{Group::shape, "m8n8", true},
                                  {Group::matrices, "x1 x2 x4", true},
                                  {Group::transposition, "trans"},
                                  {Group::space, "shared shared::cta"},
                                  {Group::type, "b16", true}};
// Moves of matrices of 8-bit elements, or of shorter ones that become such
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
constexpr Choice kMovMatrix[] = {
    {Group::shape, "m8n8", true}, {Group::transposition, "trans", true}, {Group::type, "b16", true}};
constexpr Choice kMma[] = {{Group::shape, kMmaShapes, true},      {Group::layout, "row col", true, 2},
                           {Group::type, kElementWords, true, 4}, {Group::saturation, "satfinite"},
                           {Group::combination, "and xor"},       {Group::no_effect, "popc"},
                           {Group::rounding, "rn rz rm rp"}};
// The newer manual: elements of 4 to 8 bits of any two types, and such with factors for each 16 or 32 of them
constexpr Choice kShortMma[] = {{Group::shape, "m16n8k32 m16n8k64", true},
                                {Group::layout, "row col", true, 2},
                                {Group::type, kShortElements, true, 4}};
constexpr Choice kScaledMma[] = {{Group::shape, "m16n8k32 m16n8k64 m16n8k128", true},
                                 {Group::layout, "row col", true, 2},
                                 {Group::kind, "kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4", true},
                                 {Group::scale_vector, "scale_vec::1X scale_vec::2X scale_vec::4X"},
                                 {Group::type, kScaledElements, true, 5}};
constexpr Choice kWgmma[] = {{Group::shape, kWgmmaShapes, true},
                             {Group::type, kElementWords, true, 3},
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
                            {Group::rounding, "rn rz rm rp"},    {Group::type, kElementWords, true, 4},
                            {Group::saturation, "satfinite"},    {Group::combination, "and xor"},
                            {Group::no_effect, "popc"}};

// ---- Operand places -----------------------------------------------------------------------------------------
using namespace places;  // NOLINT: their names are what the lists below consist of

// 9.7.14.5.2: matrices of 8 bits and more are scaled, those of 16 transposed; integers are neither.
constexpr bool scales_factors(const Modifiers& m) {
  return m.matrix.a >= Element::s8 && m.matrix.d != Element::s32;
}
constexpr bool transposes(const Modifiers& m) {
  return scales_factors(m) && (m.matrix.a == Element::f16 || m.matrix.a == Element::bf16);
}
// Matrices
constexpr Place kLoadMatrix[] = {fragment(Role::result), at(Role::address, Space::shared)};
constexpr Place kStoreMatrix[] = {at(Role::address, Space::shared), fragment(Role::value)};
constexpr Place kMoveMatrix[] = {to(Width::word), {Role::a, Kind::register_, Width::word}};
constexpr Place kFragmentD = fragment(Role::result, Width::fragment),
                kFragmentA = fragment(Role::a, Width::fragment),
                kFragmentB = fragment(Role::b, Width::fragment),
                kFragmentC = fragment(Role::c, Width::fragment);
constexpr Place kMetadata = number(Role::metadata), kSelector = immediate(Role::selector);
constexpr Place kProduct[] = {kFragmentD, kFragmentA, kFragmentB, kFragmentC};
constexpr Place kSparseProduct[] = {kFragmentD, kFragmentA, kFragmentB, kFragmentC, kMetadata, kSelector};
constexpr Place kScaleFactorsA = number(Role::scale_a), kScaleFactorsB = number(Role::scale_b),
                kScalePlaceA = sources(Role::scale_a_place, Width::half, 2),
                kScalePlaceB = sources(Role::scale_b_place, Width::half, 2);
constexpr Place kScaledProduct[] = {kFragmentD,     kFragmentA,   kFragmentB,     kFragmentC,
                                    kScaleFactorsA, kScalePlaceA, kScaleFactorsB, kScalePlaceB};
constexpr Place kScaledSparseProduct[] = {kFragmentD,     kFragmentA,  kFragmentB,     kFragmentC,
                                          kMetadata,      kSelector,   kScaleFactorsA, kScalePlaceA,
                                          kScaleFactorsB, kScalePlaceB};
constexpr Place kLoadFragment[] = {fragment(Role::result, Width::fragment), at(),
                                   optional(number(Role::count))};
constexpr Place kStoreFragment[] = {at(), fragment(Role::value, Width::fragment),
                                    optional(number(Role::count))};
constexpr Place kGroupA = descriptor(Role::a, Kind::fragment_or_descriptor);
constexpr Place kGroupB = descriptor(Role::b);
constexpr Place kEnableD = predicate(Kind::predicate_or_number, Role::enable_d);
constexpr Place kScaleA = when(scales_factors, immediate(Role::scale_a)),
                kScaleB = when(scales_factors, immediate(Role::scale_b));
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

// ---- Defaults ----------------------------------------------------------------------------------------------
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

constexpr Modifiers of_short(bool sparse) {
  Modifiers m;
  m.matrix.sparse = sparse;
  m.matrix.ordered = sparse;
  m.tensor.kind = TensorKind::f8f6f4;
  return m;
}

constexpr Modifiers scaled(bool sparse) {
  Modifiers m;
  m.matrix.sparse = sparse;
  m.matrix.ordered = sparse;
  m.tensor.block_scale = true;
  return m;
}

constexpr Modifiers sparse(bool ordered) {
  Modifiers m;
  m.matrix.sparse = true;
  m.matrix.ordered = ordered;
  return m;
}

// ---- The rows -----------------------------------------------------------------------------------------------
constexpr Form kMatrixForms[] = {
    // Matrices (9.7.13.4.14 to 9.7.13.5.3, 9.7.14)
    {"ldmatrix", "sync aligned", Opcode::ldmatrix, kLoadMatrix, kMatrixMove, "", {}},
    {"ldmatrix", "sync aligned b8", Opcode::ldmatrix, kLoadMatrix, kByteMatrix, "", bytes()},
    {"ldmatrix", "sync aligned b8x16", Opcode::ldmatrix, kLoadMatrix, kShortMatrix, "", {}},
    {"stmatrix", "sync aligned", Opcode::stmatrix, kStoreMatrix, kMatrixMove, "", {}},
    {"stmatrix", "sync aligned b8", Opcode::stmatrix, kStoreMatrix, kStoreByteMatrix, "", bytes()},
    {"movmatrix", "sync aligned", Opcode::movmatrix, kMoveMatrix, kMovMatrix, "", {}},
    {"mma", "sync aligned", Opcode::mma, kProduct, kMma, "", {}},
    {"mma", "sp sync aligned", Opcode::mma, kSparseProduct, kMma, "", sparse(false)},
    {"mma", "sp::ordered_metadata sync aligned", Opcode::mma, kSparseProduct, kMma, "", sparse(true)},
    {"mma", "sync aligned kind::f8f6f4", Opcode::mma, kProduct, kShortMma, "", of_short(false)},
    {"mma", "sp::ordered_metadata sync aligned kind::f8f6f4", Opcode::mma, kSparseProduct, kShortMma, "",
     of_short(true)},
    {"mma", "sync aligned block_scale", Opcode::mma, kScaledProduct, kScaledMma, "", scaled(false)},
    {"mma", "sp::ordered_metadata sync aligned block_scale", Opcode::mma, kScaledSparseProduct, kScaledMma,
     "", scaled(true)},
    {"wmma", "load sync aligned", Opcode::wmma_load, kLoadFragment, kWmmaLoad, "", {}},
    {"wmma", "store sync aligned", Opcode::wmma_store, kStoreFragment, kWmmaStore, "", {}},
    {"wmma", "mma sync aligned", Opcode::wmma_mma, kProduct, kWmma, "", {}},
    {"wgmma", "fence sync aligned", Opcode::wgmma_fence, {}, {}, "", {}},
    {"wgmma", "mma_async sync aligned", Opcode::wgmma_mma, kGroupProduct, kWgmma, "", wgmma(false)},
    {"wgmma", "mma_async sp sync aligned", Opcode::wgmma_mma, kSparseGroupProduct, kWgmma, "", wgmma(true)},
    {"wgmma", "commit_group sync aligned", Opcode::wgmma_commit, {}, {}, "", {}},
    {"wgmma", "wait_group sync aligned", Opcode::wgmma_wait, kWgmmaGroups, {}, "", {}},
};
static_assert(are_sound(kMatrixForms), "each place has a role: result or reduced where it is written");

}  // namespace

std::span<const Form> matrix_forms() {
  return kMatrixForms;
}

// ---- What spans groups --------------------------------------------------------------------------------------
// 9.7.13.3: the layouts in the order of A and B; a load and a store name the fragment
void Resolver::fragment_rules() {
  Matrix& matrix = m_.matrix;
  parse_shape(word(Group::shape), matrix);
  matrix.column_a = word(Group::layout) == "col";
  const Element element = *parse_element(word(Group::type));
  m_.type.reset();
  if (form_->opcode != Opcode::wmma_mma) {
    matrix.fragment = word(Group::fragment).front();
    matrix.d = matrix.a = matrix.b = matrix.c = element;
    return;
  }
  if (!take_layouts()) return;
  const std::size_t types = more_types_.size() + 1;
  if (types != 2 && types != 4)
    return error(0, fmt::format("`wmma.mma` needs 2 or 4 types, found {}", types));
  const auto other = [&](std::size_t i) { return *parse_element(words_[more_types_[i] - 1]); };
  matrix.d = element;
  matrix.a = types == 2 ? Element::f16 : other(0);
  matrix.b = types == 2 ? Element::f16 : other(1);
  matrix.c = types == 2 ? other(0) : other(2);
  matrix.saturate = has(Group::saturation);
  matrix.parity = word(Group::combination) == "xor";
}

bool Resolver::take_layouts() {
  if (more_layouts_.empty()) {
    error(0, fmt::format("`{}` needs two layouts: those of A and of B", name_));
    return false;
  }
  m_.matrix.column_a = word(Group::layout) == "col";
  m_.matrix.column_b = words_[more_layouts_.front() - 1] == "col";
  return true;
}

// A 16 x 16 matrix is transposed, and there are two at most; an 8 x 16 matrix has elements shorter than 8
// bits
void Resolver::matrix_move_rules() {
  Matrix& matrix = m_.matrix;
  parse_shape(word(Group::shape), matrix);
  matrix.count = static_cast<std::uint8_t>(word(Group::matrices)[1] - '0');
  matrix.transposed = has(Group::transposition);
  if (matrix.m == 16 && matrix.n == 16) {
    if (!matrix.transposed)
      error(chosen(Group::shape), fmt::format("`.m16n16` of `{}` needs `.trans`", name_));
    if (matrix.count > 2) contradiction(Group::shape, Group::matrices);
  } else if (matrix.n == 16) {
    if (!has(Group::source_format))
      error(chosen(Group::shape), fmt::format("`.m8n16` of `{}` needs .b8x16 and its source format", name_));
    if (matrix.transposed) contradiction(Group::shape, Group::transposition);
  }
}

void Resolver::transposition_rules() {
  parse_shape(word(Group::shape), m_.matrix);
  m_.matrix.transposed = true;
}

// 9.7.13.4.14, 9.7.13.5.3, 9.7.14.5.2: types are those of D, A, B and, of mma, C
void Resolver::product_rules() {
  Matrix& matrix = m_.matrix;
  m_.type.reset();
  if (more_types_.size() + 1 < most_types()) {
    error(0, fmt::format("`{}` needs {} types, found {}", name_, most_types(), more_types_.size() + 1));
    return;
  }
  parse_shape(word(Group::shape), matrix);
  matrix.d = *parse_element(word(Group::type));
  matrix.a = *parse_element(words_[more_types_[0] - 1]);
  matrix.b = *parse_element(words_[more_types_[1] - 1]);
  if (more_types_.size() > 3) matrix.scale = *parse_element(words_[more_types_[3] - 1]);
  matrix.c = more_types_.size() > 2 ? *parse_element(words_[more_types_[2] - 1]) : matrix.d;
  matrix.saturate = has(Group::saturation);
  matrix.parity = word(Group::combination) == "xor";
  if (!is_listed(form_->opcode, m_)) {
    error(chosen(Group::shape),
          fmt::format("`.{}` of `{}` does not go with these types", word(Group::shape), name_));
    return;
  }
  if (form_->opcode == Opcode::mma) {
    if (has(Group::rounding) && matrix.d != Element::f64) return contradiction(Group::rounding, Group::type);
    if (!take_layouts()) return;
    const bool either = matrix.k == 4 && matrix.m == 8 && matrix.a == Element::f16;
    if (!either && (matrix.column_a || !matrix.column_b))
      return error(chosen(Group::layout),
                   fmt::format("`{}` of `.{}` with these types takes `.row.col`: A by rows, B by columns",
                               name_, word(Group::shape)));
  }
  const bool bits = matrix.a == Element::b1;
  if (bits != has(Group::combination) || bits != has(Group::no_effect)) {
    error(bits ? 0 : std::min(chosen(Group::combination), chosen(Group::no_effect)),
          bits ? fmt::format("`{}` of `.b1` needs an operation and `.popc`", name_)
               : fmt::format("only `.b1` matrices have `.and.popc` or `.xor.popc`"));
  }
  if (matrix.saturate && (matrix.d != Element::s32 || bits)) contradiction(Group::saturation, Group::type);
}

}  // namespace ptxmc::isa
