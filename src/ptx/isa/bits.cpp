// SPDX-License-Identifier: Apache-2.0
// Instructions on integers and bits (9.7.1, 9.7.2, 9.7.7) that are no single operation on numbers, what converts
// between kinds of numbers (9.7.8.20, 9.7.8.21), and what has no effect on memory and registers.
#include "ptx/isa/places.h"
#include "ptx/isa/table.h"

namespace ptxmc::isa {

namespace {

using namespace places;  // NOLINT: their names are what the lists below consist of

// ---- Groups -------------------------------------------------------------------------------------------------
constexpr std::string_view kWords = "u32 s32";
constexpr std::string_view kWide = "u32 s32 u64 s64";
constexpr Choice kCarry[] = {{Group::type, kWide, true}};
constexpr Choice kCarryOn[] = {{Group::carry, "cc"}, {Group::type, kWide, true}};
constexpr Choice kMadCarry[] = {{Group::half, "lo hi", true}, {Group::type, kWide, true}};
constexpr Choice kMadCarryOn[] = {
    {Group::half, "lo hi", true}, {Group::carry, "cc"}, {Group::type, kWide, true}};
constexpr Choice kShortProduct[] = {{Group::half, "lo hi", true}, {Group::type, kWords, true}};
constexpr Choice kShortSum[] = {
    {Group::half, "lo hi", true}, {Group::clamping, "sat"}, {Group::type, kWords, true}};
constexpr Choice kIntegers[] = {{Group::type, "u16 u32 u64 s16 s32 s64", true}};
constexpr Choice kUntyped[] = {{Group::type, "b32 b64", true}};
constexpr Choice kFind[] = {{Group::direction, "shiftamt"}, {Group::type, "u32 u64 s32 s64", true}};
constexpr Choice kExtract[] = {{Group::type, "u32 u64 s32 s64", true}};
constexpr Choice kWordType[] = {{Group::type, "b32", true}};
constexpr Choice kExtend[] = {{Group::clamping, "clamp wrap", true}, {Group::type, kWords, true}};
constexpr Choice kMask[] = {{Group::clamping, "clamp wrap", true}, {Group::type, "b32", true}};
constexpr Choice kDotProduct[] = {{Group::type, kWords, true, 2}};
constexpr Choice kHalfDotProduct[] = {{Group::half, "lo hi", true}, {Group::type, kWords, true, 2}};
constexpr Choice kNot[] = {{Group::type, "b16 b32 b64", true}};
constexpr Choice kFunnel[] = {
    {Group::direction, "l r", true}, {Group::clamping, "clamp wrap", true}, {Group::type, "b32", true}};
constexpr Choice kPermute[] = {{Group::type, "b32", true}, {Group::selection, "f4e b4e rc8 ecl ecr rc16"}};
constexpr Choice kChoice[] = {{Group::flush, "ftz"},
                              {Group::type, "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", true, 2}};
constexpr Choice kSet[] = {
    {Group::compare, "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan", true},
    {Group::combine, "and or xor"},
    {Group::flush, "ftz"},
    {Group::type, "b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64", true, 2}};
constexpr Choice kRectified[] = {{Group::rectification, "relu"}};
// 9.7.8.20; the newer manual has the types of fewer than 8 bits
constexpr Choice kConvert[] = {{Group::rounding, "rni rzi rmi rpi rn rz rm rp rna"},
                               {Group::flush, "ftz"},
                               {Group::clamping, "sat satfinite"},
                               {Group::rectification, "relu"},
                               {Group::type,
                                "u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64 tf32 f16x2 bf16x2 e4m3x2 "
                                "e5m2x2 e2m3x2 e3m2x2 e2m1x2 ue8m0x2",
                                true, 2}};
constexpr std::string_view kNoConversion = "s2f6x2 scaled::n2::ue8m0";
// Two or four numbers become one packed, rounded by random bits
constexpr Choice kConvertStochastic[] = {
    {Group::clamping, "satfinite"},
    {Group::rectification, "relu"},
    {Group::type, "f16x2 bf16x2 e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4 f32", true, 2}};
constexpr Choice kPack[] = {{Group::clamping, "sat", true},
                            {Group::type, "u2 s2 u4 s4 u8 s8 u16 s16 s32 b32", true, 3}};
constexpr Choice kAskedSpaces[] = {
    {Group::space, "const global local param param::entry shared shared::cta shared::cluster", true}};
constexpr Choice kRank[] = {{Group::space, "shared::cluster"}, {Group::type, "u32 u64", true}};
constexpr Choice kUnsignedWord[] = {{Group::type, "u32", true}};
constexpr Choice kPrefetch[] = {{Group::space, "global local"},
                                {Group::cache_level, "L1 L2 L2::evict_last L2::evict_normal", true}};
constexpr Choice kPriority[] = {{Group::space, "global"}, {Group::cache_level, "L2::evict_normal", true}};
constexpr Choice kDiscard[] = {{Group::space, "global"}, {Group::cache_level, "L2", true}};
constexpr Choice kRegisters[] = {{Group::selection, "inc dec", true}, {Group::type, "u32", true}};
// A second priority is one of the latter two.
constexpr Choice kPolicy[] = {{Group::cache_level, "L2::evict_last L2::evict_normal"},
                              {Group::selection, "L2::evict_first L2::evict_unchanged", false, 2},
                              {Group::type, "b64", true}};
constexpr Choice kRangePolicy[] = {{Group::space, "global"},
                                   {Group::cache_level, "L2::evict_last L2::evict_normal"},
                                   {Group::selection, "L2::evict_first L2::evict_unchanged", false, 2},
                                   {Group::type, "b64", true}};
constexpr Choice kPolicyOf[] = {{Group::cache_level, "L2", true}, {Group::type, "b64", true}};

// ---- Operand places -----------------------------------------------------------------------------------------
/// Two numbers become one packed.
constexpr bool joins(const Modifiers& m) {
  return m.type->format >= Float::f16x2 && m.type->format < Float::e4m3x4 && m.source_type &&
         m.source_type->format == Float::f32;
}
constexpr Place kWordB = source(Role::b, Width::word), kWordC = source(Role::c, Width::word);
constexpr Place kCount[] = {to(Width::word), kA};
constexpr Place kNth[] = {kTo, kA, kWordB, source(Role::c, Width::word)};
constexpr Place kField[] = {kTo, kA, kWordB, kWordC};
constexpr Place kInsert[] = {kTo, kA, kB, kWordC, source(Role::count, Width::word)};
constexpr Place kWithWord[] = {kTo, kA, kWordB};
constexpr Place kOfBits[] = {kTo, source(Role::a, Width::word), kWordB};
constexpr Place kDot[] = {to(Width::word), source(Role::a, Width::word), kWordB, kWordC};
constexpr Place kChosen[] = {kTo, kA, kB, source(Role::c, Width::at_least_source)};
constexpr Place kSetByComparison[] = {kTo, source(Role::a, Width::at_least_source),
                                      source(Role::b, Width::at_least_source), when(combines, predicate())};
constexpr Place kLookedUp[] = {
    to(Width::word, Kind::destination_pair), kA, kB, kC, immediate(Role::table), predicate()};
constexpr Place kConverted[] = {to(Width::at_least_type), source(Role::a, Width::at_least_source),
                                when(joins, source(Role::b, Width::at_least_source))};
constexpr bool joins_four(const Modifiers& m) {
  return m.type->format >= Float::e4m3x4;
}
constexpr Place kConvertedAtRandom[] = {to(Width::at_least_type),
                                        when(joins_four, sources(Role::a, Width::at_least_source, 4)),
                                        when(joins, source(Role::a, Width::at_least_source)),
                                        when(joins, source(Role::b, Width::at_least_source)), kWordC};
constexpr bool has_third(const Modifiers& m) {
  return m.type->bits < 16;
}
constexpr Place kPackedTogether[] = {to(Width::word), source(Role::a, Width::word), kWordB,
                                     when(has_third, kWordC)};
constexpr Place kIsOf[] = {to(Width::predicate), source(Role::a, Width::none)};
constexpr Place kToWordFromA[] = {to(Width::word), kA};
constexpr Place kSleep[] = {number(Role::a)};
constexpr Place kAddress[] = {at()};
constexpr Place kRange[] = {at(), number(Role::bytes, Width::none)};
constexpr Place kLimit[] = {immediate(Role::count)};
constexpr Place kFraction[] = {kTo, optional(number(Role::a, Width::at_least_source))};
constexpr Place kPolicyRange[] = {kTo, at(), number(Role::a), number(Role::b)};
constexpr Place kProperty[] = {kTo, kA};
constexpr Place kHandle = {Role::a, Kind::register_, Width::at_least_source};
constexpr Place kAsked[] = {to(Width::predicate), kHandle};
constexpr Place kAskedCta[] = {to(Width::word), kHandle};

// ---- Defaults -----------------------------------------------------------------------------------------------
constexpr Modifiers with(Variant variant) {
  Modifiers m;
  m.variants.add(variant);
  return m;
}
constexpr Modifiers trap(TrapCause cause) {
  Modifiers m;
  m.trap = cause;
  return m;
}
constexpr Modifiers combining(BoolOp combine) {
  Modifiers m;
  m.combine = combine;
  return m;
}
constexpr Modifiers with_type(TypeClass cls, std::uint16_t bits) {
  Modifiers m;
  m.type = Type{cls, bits};
  return m;
}
constexpr Modifiers saturated(MulHalf half = MulHalf::none) {
  Modifiers m = with_type(TypeClass::signed_, 32);
  m.half = half;
  m.variants.add(Variant::sat);
  return m;
}
constexpr Modifiers packed(Packed packed) {
  Modifiers m = with_type(TypeClass::bits, 32);
  m.packed = packed;
  return m;
}
/// The fraction of what is accessed.
constexpr Modifiers fractional() {
  Modifiers m = with(Variant::fractional);
  m.source_type = Type{TypeClass::floating, 32, Float::f32};
  return m;
}
/// A query of a response of 16 bytes.
constexpr Modifiers query(Variant variant, TypeClass cls, std::uint16_t bits, std::uint8_t elements = 1) {
  Modifiers m = with_type(cls, bits);
  m.source_type = Type{TypeClass::bits, 128};
  m.variants.add(variant);
  m.vector = elements;
  return m;
}

constexpr auto kBitForms = std::to_array<Form>({
    // 9.7.1
    {"add", "sat s32", Opcode::add, kBinary, {}, "", saturated()},
    {"sub", "sat s32", Opcode::sub, kBinary, {}, "", saturated()},
    {"mad", "hi sat s32", Opcode::mad, kTernary, {}, "", saturated(MulHalf::hi)},
    {"add", "u16x2", Opcode::add, kBinary, {}, "", packed(Packed::u16x2)},
    {"add", "s16x2", Opcode::add, kBinary, {}, "", packed(Packed::s16x2)},
    {"min", "u16x2", Opcode::min, kBinary, {}, "", packed(Packed::u16x2)},
    {"min", "s16x2", Opcode::min, kBinary, kRectified, "", packed(Packed::s16x2)},
    {"max", "u16x2", Opcode::max, kBinary, {}, "", packed(Packed::u16x2)},
    {"max", "s16x2", Opcode::max, kBinary, kRectified, "", packed(Packed::s16x2)},
    {"min", "s32", Opcode::min, kBinary, kRectified, "", with_type(TypeClass::signed_, 32)},
    {"max", "s32", Opcode::max, kBinary, kRectified, "", with_type(TypeClass::signed_, 32)},
    {"mul24", "", Opcode::mul24, kBinary, kShortProduct, "", {}},
    {"mad24", "", Opcode::mad24, kTernary, kShortSum, "", {}},
    {"sad", "", Opcode::sad, kTernary, kIntegers, "", {}},
    {"popc", "", Opcode::popc, kCount, kUntyped, "", {}},
    {"clz", "", Opcode::clz, kCount, kUntyped, "", {}},
    {"bfind", "", Opcode::bfind, kCount, kFind, "", {}},
    {"fns", "", Opcode::fns, kNth, kWordType, "", {}},
    {"brev", "", Opcode::brev, kUnary, kUntyped, "", {}},
    {"bfe", "", Opcode::bfe, kField, kExtract, "", {}},
    {"bfi", "", Opcode::bfi, kInsert, kUntyped, "", {}},
    {"szext", "", Opcode::szext, kWithWord, kExtend, "", {}},
    {"bmsk", "", Opcode::bmsk, kOfBits, kMask, "", {}},
    {"dp4a", "", Opcode::dp4a, kDot, kDotProduct, "", {}},
    {"dp2a", "", Opcode::dp2a, kDot, kHalfDotProduct, "", {}},
    // 9.7.2
    {"add", "cc", Opcode::add, kBinary, kCarry, "", with(Variant::carry)},
    {"sub", "cc", Opcode::sub, kBinary, kCarry, "", with(Variant::carry)},
    {"mad", "cc", Opcode::mad, kTernary, kMadCarry, "", with(Variant::carry)},
    {"addc", "", Opcode::addc, kBinary, kCarryOn, "", {}},
    {"subc", "", Opcode::subc, kBinary, kCarryOn, "", {}},
    {"madc", "", Opcode::madc, kTernary, kMadCarryOn, "", {}},
    // 9.7.5, 9.7.7
    {"slct", "", Opcode::slct, kChosen, kChoice, "", {}},
    {"set", "", Opcode::set, kSetByComparison, kSet, "", {}},
    {"cnot", "", Opcode::cnot, kUnary, kNot, "", {}},
    {"lop3", "and", Opcode::lop3, kLookedUp, kWordType, "", combining(BoolOp::and_)},
    {"lop3", "or", Opcode::lop3, kLookedUp, kWordType, "", combining(BoolOp::or_)},
    {"shf", "", Opcode::shf, kField, kFunnel, "", {}},
    {"prmt", "", Opcode::prmt, kField, kPermute, "", {}},
    // 9.7.8.17 to 9.7.8.23
    {"cvt", "", Opcode::cvt, kConverted, kConvert, kNoConversion, {}},
    {"cvt", "rs", Opcode::cvt, kConvertedAtRandom, kConvertStochastic, kNoConversion, with(Variant::rs)},
    {"cvt", "pack", Opcode::cvt_pack, kPackedTogether, kPack, "", {}},
    {"createpolicy", "fractional", Opcode::create_policy, kFraction, kPolicy, "", fractional()},
    {"createpolicy", "range", Opcode::create_policy, kPolicyRange, kRangePolicy, "", with(Variant::range)},
    {"createpolicy", "cvt", Opcode::create_policy, kProperty, kPolicyOf, "", with(Variant::converted)},
    {"isspacep", "", Opcode::isspacep, kIsOf, kAskedSpaces, "", {}},
    {"getctarank", "", Opcode::getctarank, kToWordFromA, kRank, "", {}},
    {"clusterlaunchcontrol",
     "query_cancel is_canceled pred b128",
     Opcode::cancel_query,
     kAsked,
     {},
     "",
     query(Variant::is_canceled, TypeClass::predicate, 1)},
    {"clusterlaunchcontrol",
     "query_cancel get_first_ctaid v4 b32 b128",
     Opcode::cancel_query,
     kAskedCta,
     {},
     "",
     query(Variant::first_cta, TypeClass::bits, 32, 4)},
    {"clusterlaunchcontrol",
     "query_cancel get_first_ctaid::x b32 b128",
     Opcode::cancel_query,
     kAskedCta,
     {},
     "",
     query(Variant::first_cta_x, TypeClass::bits, 32)},
    {"clusterlaunchcontrol",
     "query_cancel get_first_ctaid::y b32 b128",
     Opcode::cancel_query,
     kAskedCta,
     {},
     "",
     query(Variant::first_cta_y, TypeClass::bits, 32)},
    {"clusterlaunchcontrol",
     "query_cancel get_first_ctaid::z b32 b128",
     Opcode::cancel_query,
     kAskedCta,
     {},
     "",
     query(Variant::first_cta_z, TypeClass::bits, 32)},
    // 9.7.8.14 to 9.7.8.16, 9.7.17: no effect, but that of discard
    {"prefetch", "", Opcode::prefetch, kAddress, kPrefetch, "", {}},
    {"prefetchu", "L1", Opcode::prefetchu, kAddress, {}, "", {}},
    {"applypriority", "", Opcode::applypriority, kRange, kPriority, "", {}},
    {"discard", "", Opcode::discard, kRange, kDiscard, "", {}},
    {"nanosleep", "", Opcode::nanosleep, kSleep, kUnsignedWord, "", {}},
    {"setmaxnreg", "sync aligned", Opcode::setmaxnreg, kLimit, kRegisters, "", {}},
    {"pmevent", "", Opcode::pmevent, kLimit, {}, "", {}},
    {"pmevent", "mask", Opcode::pmevent, kLimit, {}, "", with(Variant::mask)},
    {"brkpt", "", Opcode::brkpt, {}, {}, "", {}},
    {"trap", "", Opcode::trap, {}, {}, "", {}},
    // Words that no text can have: a launch puts these where the manual leaves a program undefined.
    {"trap", "never-returns", Opcode::trap, {}, {}, "", trap(TrapCause::returns)},
    {"trap", "no-function", Opcode::trap, {}, {}, "", trap(TrapCause::call)},
    {"trap", "no-label", Opcode::trap, {}, {}, "", trap(TrapCause::branch)},
    {"trap", "assertion-failed", Opcode::trap, {}, {}, "", trap(TrapCause::assertion)},
});
static_assert(are_sound(kBitForms), "each place has a role: result or reduced where it is written");

}  // namespace

std::span<const Form> bit_forms() {
  return kBitForms;
}

}  // namespace ptxmc::isa
