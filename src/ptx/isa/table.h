// SPDX-License-Identifier: Apache-2.0
// The instruction table: one row per instruction form (manual chapter 9, and the short forms of litmus
// suites), and the function that turns a dotted mnemonic into an opcode and its modifiers.
//
// Modifiers are a set: they may stand in any order (ptxas takes them so too). Each row says which words it
// takes, in groups of which at most one word may be chosen, and what is true when a group is left out (the
// manual's defaults).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa/operand.h"

namespace ptxmc::isa {

/// Groups of modifiers that exclude each other.
enum class Group : std::uint8_t {
  semantics,       // .weak .relaxed .acquire .release .acq_rel .sc .volatile
  mmio,            // .mmio, together with .relaxed.sys
  scope,           // .cta .cluster .gpu .sys
  level,           // membar's .cta .gl .sys
  space,           // .global .shared{::cta,::cluster} .const .local
  type,            // .b8 ... .s64 .pred; cvt takes two
  atomic,          // operation of atom and red
  compare,         // of setp
  combine,         // .and .or .xor of setp
  half,            // .lo .hi .wide
  proxy,           // kind of a proxy fence
  barrier_red,     // .popc .and .or
  aligned,         // of barrier
  cache_operator,  // .ca .cg ...: no effect on the model, weak accesses only (9.7.8.1)
  eviction,        // .L1::evict_last ...: no effect
  l2_eviction,     // .L2::evict_last ... of 32 bytes: no effect
  prefetch,        // .L2::128B ...: no effect
  cache_policy,    // .L2::cache_hint: no effect; one more operand, the policy
  vector,          // .v2 .v4 .v8 of ld and st
  non_coherent,    // .nc of ld.global
  read_only,       // .proxy::readonly of ld
  group_read,      // .read of cp.async.bulk.wait_group
  multicast,       // .multicast::cluster of cp.async.bulk
  no_increment,    // .noinc of cp.async.mbarrier.arrive
  restriction,     // .sync_restrict::... of a uni-directional fence.proxy.async::generic
  mode,            // .up .down .bfly .idx; .all .any .uni .ballot
  matrices,        // .x1 .x2 .x4 of ldmatrix and stmatrix
  transposition,   // .trans
  shape,           // .m16n8k16 ... of a matrix instruction
  saturation,      // .satfinite
  combination,     // .and .xor of one-bit matrices
  dimensions,      // .1d ... .5d of a tensor copy
  load_mode,       // .tile ...
  ignore_oob,
  byte_mask,        // .cp_mask
  map_field,        // of tensormap.replace
  cta_group,        // .cta_group::1 .cta_group::2 of tcgen05
  kind,             // .kind::f16 ... of tcgen05.mma
  scale_vector,     // .scale_vec::1X ... .block32
  collector,        // .collector::a::fill ...
  a_shift,          // .ashift
  repetition,       // .x1 ... .x128 of tcgen05.ld and .st
  packing,          // .pack::16b .unpack::16b
  warps,            // .warpx4 ... of tcgen05.cp
  source_format,    // .b6x16_p32 .b4x16_p64
  target_format,    // .b8x16
  absolute,         // .abs of tcgen05.ld.red
  not_a_number,     // .NaN
  rounding,         // .rn .rz ...; with the groups up to `selection`: words that are variants (isa.h)
  exactness,        // .approx .full
  flush,            // .ftz .noftz
  clamping,         // .sat .satfinite .clamp .wrap
  out_of_bounds,    // .oob
  rectification,    // .relu
  nan,              // .NaN of arithmetic
  sign,             // .xorsign
  magnitude,        // .abs of arithmetic
  direction,        // .l .r of shf, .shiftamt
  number_class,     // .finite ... of testp
  carry,            // .cc
  cache_level,      // .L1 .L2 ... of prefetch
  accumulation,     // .acc::f32 .acc::f16
  selection,        // modes of prmt, .inc .dec of setmaxnreg; the last variants
  layout,           // .row .col of wmma
  fragment,         // .a .b .c .d of wmma
  mbarrier_layout,  // .layout::v0 .layout::v1 of mbarrier.init
  no_effect,        // .uni; .cta of bar and barrier
};
constexpr std::size_t kGroups = static_cast<std::size_t>(Group::no_effect) + 1;

/// One group of a form: the words it takes, separated by blanks.
struct Choice {
  Group group;
  std::string_view words;
  bool required = false;
  std::uint8_t most = 1;  // words; more than one of types, layouts and priorities
};

/// Which files a form belongs to: `bar.cta.*` names its instance first in short-form files only (design:
/// Litmus files).
enum class Notation : std::uint8_t { any, short_form };

/// One row: a form, its operand places in PTX order, and the modifiers that it takes.
struct Form {
  std::string_view base;
  std::string_view selector;  // modifier words that choose this row among those of its base: "cta sync"
  Opcode opcode;
  std::span<const Place> operands;
  std::span<const Choice> choices;
  std::string_view unsupported;  // words that the manual knows but ptxmc does not yet
  Modifiers defaults;
  Notation notation = Notation::any;
};

/// The whole table; constant data.
std::span<const Form> forms();
/// The places of a form with these modifiers; a vector access has vectors for its registers.
std::vector<Place> places_of(const Form& form, const Modifiers& modifiers);
/// The parts of it that barriers.cpp, copies.cpp, matrices.cpp, tcgen05.cpp, floating.cpp and bits.cpp hold.
std::span<const Form> barrier_forms();
std::span<const Form> copy_forms();
std::span<const Form> matrix_forms();
std::span<const Form> tensor_forms();
std::span<const Form> floating_forms();
std::span<const Form> bit_forms();
/// Registers of the vector of a tcgen05.ld or .st (9.7.16.8.3, table 47).
std::size_t tensor_registers(const Tensor& tensor);

/// What is wrong with a mnemonic. `word`: 0 is the base, i the i-th modifier (from 1).
struct ModifierError {
  std::size_t word = 0;
  std::string message;
};

struct Resolved {
  const Form* form = nullptr;
  Modifiers modifiers;
  std::vector<Place> operands;  ///< the form's places, for these modifiers
  Spelling spelling;
  bool cache_policy = false;  ///< a cache policy register follows the operands; it has no effect
};

/// Either `resolved`, or at least one error.
struct Resolution {
  std::optional<Resolved> resolved;
  std::vector<ModifierError> errors;
};

/// `words` are the modifiers without their dots. `notation`: short_form in files whose bar.cta.* are short
/// forms.
Resolution resolve(std::string_view base, std::span<const std::string_view> words, Notation notation);
/// The same for "st.release.gpu".
Resolution resolve(std::string_view dotted, Notation notation);

/// The canonical mnemonic: resolve(mnemonic(o, m)) gives o and m again. A label place (nop) has none: "".
std::string mnemonic(Opcode opcode, const Modifiers& modifiers);

/// "b32", "f16x2", "pred" ... as a type; .u16x2 and .s16x2 are .b32; nothing for unknown types.
std::optional<Type> parse_type(std::string_view name);
std::string name_of(const Type& type);
/// True for predefined registers (%tid.x, %laneid ...; chapter 10). `name` is without %; its component does
/// not matter.
bool is_special_register(std::string_view name);
/// "laneid", "tid.x" ...; nothing for other names, and for a register whose component is missing.
std::optional<Special> special_register(std::string_view name);
/// 32, or 64; 1 of a predicate.
std::uint16_t special_register_bits(std::string_view name);

/// "ld", "mbarrier.arrive", "tensormap.replace": an instruction without its modifiers; nop: "".
std::string name_of(Opcode opcode);
/// The form's name without free modifiers: "ld", "fence.proxy", "bar.cta.sync".
std::string display_name(const Form& form);

/// Splits at blanks; the word lists of this table.
std::vector<std::string_view> split_words(std::string_view words);

}  // namespace ptxmc::isa
