// SPDX-License-Identifier: Apache-2.0
// How the rows of the table write their operand places. Inside src/ptx/isa only.
#pragma once

#include "ptx/isa/operand.h"

namespace ptxmc::isa::places {

/// A destination.
constexpr Place to(Width width = Width::none, Kind kind = Kind::destination) {
  return {Role::result, kind, width};
}
/// An address, in the space that the modifiers name.
constexpr Place at(Role role = Role::address) {
  return {role, Kind::address};
}
constexpr Place at(Role role, Space space) {
  return {role, Kind::address, Width::none, false, space};
}
/// A register, integer or address of a variable.
constexpr Place source(Role role, Width width) {
  return {role, Kind::source, width};
}
/// A register or integer.
constexpr Place number(Role role, Width width = Width::word) {
  return {role, Kind::number, width};
}
constexpr Place immediate(Role role, Width width = Width::word) {
  return {role, Kind::integer, width};
}
constexpr Place predicate(Kind kind = Kind::predicate, Role role = Role::predicate) {
  return {role, kind, Width::predicate};
}
/// Registers of a matrix.
constexpr Place fragment(Role role, Width width = Width::word) {
  return {role, role == Role::result ? Kind::destination_fragment : Kind::source_fragment, width};
}
constexpr Place descriptor(Role role, Kind kind = Kind::descriptor) {
  return {role, kind, Width::doubleword};
}
/// A vector of so many sources.
constexpr Place sources(Role role, Width width, std::uint8_t elements) {
  return {role, Kind::source_vector, width, false, std::nullopt, nullptr, elements};
}
constexpr Place name(Role role, Kind kind) {
  return {role, kind};
}

constexpr Place optional(Place place) {
  place.optional = true;
  return place;
}
/// Do places that are written have roles that are, and the other way round?
template <typename Forms>
constexpr bool are_sound(const Forms& forms) {
  for (const auto& form : forms) {
    for (const Place& place : form.operands) {
      if (place.role == Role::none || is_written(place.role) != is_written(place.kind)) return false;
    }
  }
  return true;
}

/// barrier.* without .aligned, bra without .uni (9.7.11.2): lanes of a warp need not execute it together.
constexpr Modifiers unaligned() {
  Modifiers m;
  m.aligned = false;
  return m;
}

/// With some modifiers only.
constexpr Place when(bool (*condition)(const Modifiers&), Place place) {
  place.when = condition;
  return place;
}
constexpr bool combines(const Modifiers& m) {
  return m.combine != BoolOp::none;
}
constexpr bool multicasts(const Modifiers& m) {
  return m.multicast && !m.wide_mask;
}
constexpr bool multicasts_widely(const Modifiers& m) {
  return m.wide_mask;
}

/// Operations on registers of the type that the modifiers name.
inline constexpr Place kTo = to(Width::type), kA = source(Role::a, Width::type),
                       kB = source(Role::b, Width::type), kC = source(Role::c, Width::type);
inline constexpr Place kUnary[] = {kTo, kA};
inline constexpr Place kBinary[] = {kTo, kA, kB};
inline constexpr Place kTernary[] = {kTo, kA, kB, kC};

}  // namespace ptxmc::isa::places
