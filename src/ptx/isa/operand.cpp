// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/operand.h"

#include <algorithm>
#include <array>

#include "ptx/isa/matrix.h"

namespace ptxmc::isa {

namespace {

constexpr Use kPredicate{1, true};
constexpr Use kWord{32, true};
constexpr Use kDouble{64, true};

/// Registers have 16 bits at least, but for those of one byte.
Use of_type(const Type& type) {
  return {type.bits == 1 ? type.bits : std::max<std::uint16_t>(type.bits, 16), true, type.bits == 8};
}

Use at_least(Use use) {
  use.exact = false;
  return use;
}

constexpr auto kPlaceNouns = std::to_array<std::string_view>({
    "a destination register",
    "a destination register or `_`",
    "a destination register",
    "a destination register",
    "a pair of destinations, `%r|%p`",
    "a vector `{...}`",
    "registers `{...}`",
    "a register or value",
    "a register or integer",
    "a register",
    "a predicate register",
    "a predicate register or integer",
    "an integer",
    "a register or value",
    "a vector `{...}`",
    "registers `{...}`",
    "a mask of lanes `{...}`",
    "a matrix descriptor",
    "registers `{...}` or a matrix descriptor",
    "a matrix descriptor or an address in tensor memory",
    "an address",
    "a tensor map and coordinates, `[map, {...}]`",
    "a label",
    "the name of a kernel",
    "the name of a graph",
    "the name of a stream",
    "the name of an event",
    "the number of a gpu",
});
static_assert(kPlaceNouns.size() == static_cast<std::size_t>(Kind::device) + 1,
              "a noun for each kind of operand");

}  // namespace

std::optional<Use> use_of(const Place& place, const Modifiers& m, std::size_t elements) {
  switch (place.width) {
    case Width::none:
      return std::nullopt;
    case Width::predicate:
      return kPredicate;
    case Width::byte:
      return Use{8, true, true};
    case Width::half:
      return Use{16, true};
    case Width::word:
      return kWord;
    case Width::doubleword:
      return elements == 0 ? kDouble : kWord;
    case Width::count_or_truth:
      return m.barrier_red == BarrierRed::popc || m.warp_mode == WarpMode::ballot ? kWord : kPredicate;
    case Width::fragment:
      return Use{static_cast<std::uint16_t>(fragment_bits(m.matrix, fragment_of(place.role))), true};
    case Width::at_least_source:
      if (m.source_type) return at_least(of_type(*m.source_type));
      break;
    case Width::source:
      if (m.source_type) return of_type(*m.source_type);
      break;
    case Width::type:
    case Width::at_least_type:
    case Width::wide_type:
    case Width::amount:
      break;
  }
  if (!m.type) return std::nullopt;
  if (place.width == Width::amount) return kWord;
  Use use = of_type(*m.type);
  if (m.packed != Packed::none) return use;
  if (place.width == Width::at_least_type || place.width == Width::at_least_source) return at_least(use);
  if (place.width == Width::wide_type && m.half == MulHalf::wide)
    use.bits = static_cast<std::uint16_t>(use.bits * 2);
  const bool shares = place.kind == Kind::destination_or_vector || place.kind == Kind::source_or_vector;
  if (shares && elements != 0) use.bits = static_cast<std::uint16_t>(use.bits / elements);
  return use;
}

Space space_of(const Place& place, const Modifiers& m) {
  return place.fixed.value_or(place.role == Role::source_address ? m.source_space : m.space);
}

std::string_view noun(Kind kind) {
  return kPlaceNouns.at(static_cast<std::size_t>(kind));
}

}  // namespace ptxmc::isa
