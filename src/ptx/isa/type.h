// SPDX-License-Identifier: Apache-2.0
// What accesses say of themselves, whichever instruction makes them: scopes, semantics, state spaces, proxies, types.
#pragma once

#include <cstdint>
#include <string_view>

namespace ptxmc::isa {

/// 8.5; `none` is the scope of a weak operation. Ordered from narrow to wide.
enum class Scope : std::uint8_t { none, cta, cluster, gpu, sys };

/// 8.4, Table 17. `sc` is for fences only; volatile and mmio are strong, relaxed, at .sys scope.
enum class Semantics : std::uint8_t { weak, relaxed, acquire, release, acq_rel, sc, volatile_, mmio };

/// State spaces; `generic` when an instruction names none.
enum class Space : std::uint8_t {
  generic,
  global,
  shared,
  shared_cta,
  shared_cluster,
  local,
  const_,
  param,
  tensor  // tensor memory (9.7.16.1): no instruction names it
};

/// 8.6 and the mixed-proxy short forms.
enum class Proxy : std::uint8_t { generic, alias, constant, texture, surface, async, tensormap, tensor };

enum class TypeClass : std::uint8_t { bits, unsigned_, signed_, floating, predicate };

/// What the bits of a floating type are (5.2.1, 5.2.3): a number, or several packed into a register.
enum class Float : std::uint8_t {
  none,
  f16,
  bf16,
  tf32,
  f32,
  f64,
  f16x2,
  bf16x2,
  f32x2,
  e4m3,
  e5m2,
  e4m3x2,
  e5m2x2,
  e2m3x2,
  e3m2x2,
  e2m1x2,
  ue8m0x2,
  e4m3x4,
  e5m2x4,
  e2m3x4,
  e3m2x4,
  e2m1x4
};

/// A scalar type: .b32, .u64, .s8, .f32, .pred ... Width in bits; predicates have width 1.
struct Type {
  TypeClass cls = TypeClass::bits;
  std::uint16_t bits = 32;
  Float format = Float::none;  // of a floating type
  bool is_signed() const { return cls == TypeClass::signed_; }
  bool is_floating() const { return cls == TypeClass::floating; }
  friend bool operator==(const Type&, const Type&) = default;
};

std::string_view name_of(Scope);      // "cta" ...; "" for none
std::string_view name_of(Semantics);  // "weak" ... "volatile"
std::string_view name_of(Space);      // "global", "shared::cta" ...; "" for generic
std::string_view name_of(Proxy);

}  // namespace ptxmc::isa
