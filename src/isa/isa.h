// SPDX-License-Identifier: Apache-2.0
// The vocabulary of PTX instructions: opcodes, scopes, semantics, state spaces, types, proxies.
// The table of instruction forms (which modifiers an opcode takes, and their defaults) is isa/table.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ptxmc::isa {

/// 8.5; `none` is the scope of a weak operation. Ordered from narrow to wide.
enum class Scope : std::uint8_t { none, cta, cluster, gpu, sys };

/// 8.4, Table 17. `sc` is for fences only; volatile and mmio are strong, relaxed, at .sys scope.
enum class Semantics : std::uint8_t { weak, relaxed, acquire, release, acq_rel, sc, volatile_, mmio };

/// State spaces; `generic` when an instruction names none.
enum class Space : std::uint8_t { generic, global, shared, shared_cta, shared_cluster, local, const_, param };

/// 8.6 and the mixed-proxy short forms.
enum class Proxy : std::uint8_t { generic, alias, constant, texture, surface, async, tensormap };

enum class TypeClass : std::uint8_t { bits, unsigned_, signed_, floating, predicate };

/// A scalar type: .b32, .u64, .s8, .pred ... Width in bits; predicates have width 1.
struct Type {
  TypeClass cls = TypeClass::bits;
  std::uint16_t bits = 32;
  bool is_signed() const { return cls == TypeClass::signed_; }
  friend bool operator==(const Type&, const Type&) = default;
};

enum class Opcode : std::uint8_t {
  ld, st, atom, red,                       // memory; short forms tld/suld/cold/sust/suatom/sured set the proxy
  fence, fence_proxy,                      // membar is fence.sc (9.7.12.4)
  bar_sync, bar_arrive, bar_red,           // bar and barrier{.cta}; short form bar.cta.*
  mov, cvt, selp, setp,
  add, sub, mul, mad, div, rem, min, max, abs, neg,
  and_, or_, xor_, not_, shl, shr,
  bra,                                     // also short form goto
  branch_compare,                          // short forms beq bne blt bgt ble bge: operands a, b, label
  exit, ret, nop,
};

enum class AtomicOp : std::uint8_t { none, add, sub, mul, div, and_, or_, xor_, exch, cas, inc, dec, min, max };
enum class Compare : std::uint8_t { none, eq, ne, lt, le, gt, ge };  // lo ls hi hs are lt le gt ge on unsigned types
enum class BoolOp : std::uint8_t { none, and_, or_, xor_ };          // combining form of setp
enum class MulHalf : std::uint8_t { none, lo, hi, wide };
enum class BarrierRed : std::uint8_t { none, popc, and_, or_ };

/// All modifiers of one instruction after defaults were applied. What an opcode does not use keeps its default here.
struct Modifiers {
  Semantics semantics = Semantics::weak;
  Scope scope = Scope::none;
  Space space = Space::generic;
  Proxy proxy = Proxy::generic;            // of the access, or the kind of a fence.proxy
  std::optional<Type> type;                // absent in short forms: the variable's declared type, else 64 bits signed
  std::optional<Type> source_type;         // cvt
  AtomicOp atomic = AtomicOp::none;
  Compare compare = Compare::none;
  BoolOp combine = BoolOp::none;
  MulHalf half = MulHalf::none;
  BarrierRed barrier_red = BarrierRed::none;
  bool instance_first = false;             // short form bar.cta.*: the first operand labels the barrier instance
  bool aligned = true;                     // bar.* is barrier.*.aligned; no effect on the model
  friend bool operator==(const Modifiers&, const Modifiers&) = default;
};

std::string_view name_of(Scope);      // "cta" ...; "" for none
std::string_view name_of(Semantics);  // "weak" ... "volatile"
std::string_view name_of(Space);      // "global", "shared::cta" ...; "" for generic
std::string_view name_of(Proxy);
std::string_view name_of(AtomicOp);
std::string_view name_of(Compare);

}  // namespace ptxmc::isa
