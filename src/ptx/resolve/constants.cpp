// SPDX-License-Identifier: Apache-2.0
#include "ptx/resolve/constants.h"

#include <fmt/format.h>

#include <bit>

namespace ptxmc::resolve {

std::optional<isa::Type> take_type(ptx::Errors& errors, const ptx::Type& type, bool predicate_allowed) {
  const std::optional<isa::Type> out = isa::parse_type(type.name);
  if (type.vector != 0) {
    errors.error(type.vector_position, fmt::format("`.v{}` is not supported yet", type.vector));
  } else if (!out) {
    errors.error(type.position, fmt::format("`.{}` is not supported yet", type.name));
  } else if (!predicate_allowed && out->cls == isa::TypeClass::predicate) {
    errors.error(type.position, "expected a type such as .u32, found `.pred`");
  } else {
    return out;
  }
  return std::nullopt;
}

std::optional<std::int64_t> floating_bits(ptx::Errors& errors, std::int64_t bits, bool single,
                                          std::uint16_t width, const std::optional<isa::Type>& type,
                                          Position position) {
  const bool bits_alone = type && type->cls == isa::TypeClass::bits && single == (width == 32);
  const bool number = !type || (type->cls != isa::TypeClass::floating && !bits_alone);
  if (!number && width == 32) {
    if (single) return bits;
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  }
  if (!number && width == 64) {
    if (!single) return bits;
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return std::bit_cast<std::int64_t>(static_cast<double>(value));
  }
  errors.error(position, "a floating-point constant is of type .f32 or .f64");
  return std::nullopt;
}

}  // namespace ptxmc::resolve
