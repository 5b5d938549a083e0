// SPDX-License-Identifier: Apache-2.0
// Operand places of instruction forms: what an operand is for, what may stand there, and what it asks of a
// register. An operand that was read knows the place that it filled (program::Operand); no place is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/isa/isa.h"

namespace ptxmc::isa {

/// What an operand is to its instruction. A form has each role once at most.
enum class Role : std::uint8_t {
  none,
  result,          // the destination register, or registers; of a product D
  reduced,         // redval of tcgen05.ld.red, a second destination
  report,          // reportValue of mbarrier waits, the same
  address,         // of the memory that is accessed; of a copy the destination; of a tcgen05.mma D
  source_address,  // of a copy
  tensor,          // a tensor map and coordinates
  offsets,         // im2colOffsets of a tensor copy
  mbarrier,        // the address of an mbarrier object
  value,           // that is stored, combined, exchanged
  comparand,       // of cas
  a,
  b,
  c,             // sources of arithmetic, and of products
  predicate,     // of selp, vote, barrier.red, setp.BoolOp
  bytes,         // a size, a transaction count
  source_bytes,  // of cp.async: src-size or ignore-src
  count,         // of threads, arrivals, groups, columns
  state,         // of an mbarrier object
  parity,
  timeout,
  instance,  // of the short form bar.cta.*
  barrier,   // its number
  member_mask,
  cta_mask,
  lane,
  clamp,
  rank,      // of a CTA in its cluster
  ordinal,   // of a field of a tensor map
  table,     // immLut
  metadata,  // of sparse matrices
  selector,
  descriptor,  // instruction descriptor of tcgen05.mma
  lane_mask,   // disable-output-lane
  enable_d,
  scale_a,
  scale_b,
  scale_d,
  transpose_a,
  transpose_b,
  column_mask,    // zero-column-mask-desc
  half_split,     // immHalfSplitoff
  scale_a_place,  // which bytes of which lanes scale A
  scale_b_place,
  byte_mask,  // .cp_mask
  ignore_left,
  ignore_right,  // .ignore_oob
  label,
  kernel,
  graph,
  stream,
  event,
  device,
};

/// What may be written in a place. Destinations come first, names last.
enum class Kind : std::uint8_t {
  destination,  // a register
  destination_or_sink,
  destination_or_pair,  // `%p|%q`
  destination_or_vector,
  destination_pair,
  destination_vector,
  destination_fragment,  // of a matrix
  source,                // register, integer or address of a variable
  number,                // register or integer
  register_,
  predicate,            // `!register`, too
  predicate_or_number,  // the same, or an integer
  integer,
  source_or_vector,
  source_vector,
  source_fragment,
  lane_mask,  // a vector that may be left out
  descriptor,
  fragment_or_descriptor,
  descriptor_or_address,
  address,
  tensor,  // `[map, {...}]`
  label,
  kernel,
  graph,
  stream,
  event,
  device
};
constexpr bool is_written(Kind kind) {
  return kind <= Kind::destination_fragment;
}
constexpr bool is_name(Kind kind) {
  return kind >= Kind::label;
}
constexpr bool is_written(Role role) {
  return role == Role::result || role == Role::reduced || role == Role::report;
}

/// What a place asks of a register: bits by themselves, or by the instruction's modifiers.
enum class Width : std::uint8_t {
  none,  // nothing
  predicate,
  byte,
  half,  // 16 bits
  word,
  doubleword,     // of a vector's elements: word
  type,           // the instruction's; of several elements a share each
  at_least_type,  // ld, st and cvt take wider registers (9.4.1)
  at_least_source,
  source,          // exactly: of arithmetic in mixed precision
  wide_type,       // twice as wide with .wide
  amount,          // of a shift
  count_or_truth,  // barrier.red: .popc counts; vote: .ballot is a mask
  fragment,        // mma: by the elements of its matrix
};

/// Is it the source type that says how wide?
constexpr bool is_of_source(Width width) {
  return width == Width::at_least_source || width == Width::source;
}

/// What an operand asks of a register: so many bits, or (not `exact`) at least so many; 1 is a predicate.
struct Use {
  std::uint16_t bits = 32;
  bool exact = true;
  bool byte = false;  ///< a register of 8 bits will do, too (9.4.1: ld, st and cvt)
};

/// One operand place of a form.
struct Place {
  Role role = Role::none;
  Kind kind = Kind::number;
  Width width = Width::none;
  bool optional = false;
  std::optional<Space> fixed{};              // the state space of an address; else the modifiers name it
  bool (*when)(const Modifiers&) = nullptr;  // the form has the place with these modifiers only
  std::uint8_t elements = 0;                 // of a vector; 0: as .v2 ... says
  friend bool operator==(const Place&, const Place&) = default;
};

/// Nothing: the place, or a short form that leaves out its type, says nothing. `elements`: of the vector there.
std::optional<Use> use_of(const Place& place, const Modifiers& modifiers, std::size_t elements = 0);
/// The space of the address in this place.
Space space_of(const Place& place, const Modifiers& modifiers);
/// "a register", "an address" ...: for messages.
std::string_view noun(Kind kind);

}  // namespace ptxmc::isa
