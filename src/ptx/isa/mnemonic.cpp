// SPDX-License-Identifier: Apache-2.0
// Opcode and modifiers -> canonical mnemonic: the inverse of resolve(). Each opcode's row names its function here.
#include <fmt/format.h>

#include "ptx/isa/matrix.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/spelling.h"
#include "ptx/isa/table.h"

namespace ptxmc::isa {

namespace {

void add(std::string& out, std::string_view word) {
  if (!word.empty()) out += fmt::format(".{}", word);
}

/// Those from `first` to `last` that the instruction has.
void add_variants(std::string& out, const Modifiers& m, Variant first = Variant::left,
                  Variant last = Variant::carry) {
  for (int i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
    if (m.variants.has(static_cast<Variant>(i))) add(out, name_of(static_cast<Variant>(i)));
  }
}

void add_type(std::string& out, const std::optional<Type>& type) {
  if (type) add(out, name_of(*type));
}

/// "cold", "tld", "suld": accesses through other proxies.
std::string_view prefix(Proxy proxy) {
  switch (proxy) {
    case Proxy::constant:
      return "co";
    case Proxy::texture:
      return "t";
    case Proxy::surface:
      return "su";
    case Proxy::generic:
    case Proxy::alias:
    case Proxy::async:
    case Proxy::tensormap:
    case Proxy::tensor:
      return "";
  }
  return "";
}

void add_comparison(std::string& out, const Modifiers& m) {
  if (m.compare != Compare::none)
    out += fmt::format(".{}{}", name_of(m.compare), m.variants.has(Variant::unordered) ? "u" : "");
  add_variants(out, m, Variant::numbers, Variant::no_numbers);
}

void add_combination(std::string& out, BoolOp combine) {
  switch (combine) {
    case BoolOp::none:
      return;
    case BoolOp::and_:
      return add(out, "and");
    case BoolOp::or_:
      return add(out, "or");
    case BoolOp::xor_:
      return add(out, "xor");
  }
}

void add_half(std::string& out, MulHalf half) {
  switch (half) {
    case MulHalf::none:
      return;
    case MulHalf::lo:
      return add(out, "lo");
    case MulHalf::hi:
      return add(out, "hi");
    case MulHalf::wide:
      return add(out, "wide");
  }
}

}  // namespace

namespace spelling {

std::string_view multicast_word(const Modifiers& m) {
  if (!m.multicast) return "";
  return m.wide_mask ? ".multicast::cluster::32b" : ".multicast::cluster";
}

std::string fixed(std::string_view name, const Modifiers&) {
  return std::string(name);
}

std::string access(std::string_view name, const Modifiers& m) {
  std::string out = fmt::format("{}{}", prefix(m.proxy), m.uniform ? "ldu" : name);
  if (m.uniform) {
    // it has no other semantics than weak
  } else if (m.semantics == Semantics::mmio) {
    out += ".mmio.relaxed.sys";
  } else {
    if (m.mmio) out += ".mmio";
    add(out, name_of(m.semantics));
    if (m.semantics != Semantics::volatile_) add(out, name_of(m.scope));
  }
  add(out, name_of(m.space));
  if (m.non_coherent) out += ".nc";
  if (m.read_only) out += ".proxy::readonly";
  add(out, name_of(m.atomic));
  add_variants(out, m);
  add_variants(out, m, Variant::sum_f32, Variant::sum_f16);
  if (m.vector > 1) out += fmt::format(".v{}", m.vector);
  if (m.packed != Packed::none) {
    add(out, name_of(m.packed));
  } else {
    add_type(out, m.type);
  }
  return out;
}

/// The mnemonic of "bar.sync" ...
std::string barrier(std::string_view name, const Modifiers& m) {
  std::string out = m.instance_first ? "bar.cta" : m.warp ? "bar.warp" : m.aligned ? "bar" : "barrier";
  out += name.substr(name.find('.'));
  switch (m.barrier_red) {
    case BarrierRed::none:
      break;
    case BarrierRed::popc:
      add(out, "popc");
      break;
    case BarrierRed::and_:
      add(out, "and");
      break;
    case BarrierRed::or_:
      add(out, "or");
      break;
  }
  add_type(out, m.type);
  return out;
}

std::string proxy_fence(std::string_view name, const Modifiers& m) {
  std::string out(name);
  add(out, name_of(m.proxy));
  if (m.semantics == Semantics::weak) {
    add(out, name_of(m.space));
    return out;
  }
  if (m.proxy != Proxy::alias) out += "::generic";
  add(out, name_of(m.semantics));
  if (m.space != Space::generic)
    out += fmt::format(".sync_restrict::{}{}", name_of(m.space), m.reads_only ? "::read" : "");
  add(out, name_of(m.scope));
  return out;
}

std::string setp(std::string_view name, const Modifiers& m) {
  std::string out(name);
  add_comparison(out, m);
  add_combination(out, m.combine);
  add_variants(out, m);
  add_type(out, m.type);
  add_type(out, m.source_type);
  return out;
}

std::string plain(std::string_view name, const Modifiers& m) {
  std::string out(name);
  add_half(out, m.half);
  add_combination(out, m.combine);
  add_variants(out, m);
  if (m.packed != Packed::none) {
    add(out, name_of(m.packed));
  } else {
    add_type(out, m.type);
  }
  add_type(out, m.source_type);
  return out;
}

std::string permutation(std::string_view name, const Modifiers& m) {
  std::string out = plain(name, m);
  add_variants(out, m, Variant::f4e, Variant::rc16);
  return out;
}

/// cvt.pack: to less than 16 bits there is a third source.
std::string packing(std::string_view name, const Modifiers& m) {
  return plain(name, m) + (m.type->bits < 16 ? ".b32" : "");
}

std::string cache_hint(std::string_view name, const Modifiers& m) {
  std::string out(name);
  add(out, name_of(m.space));
  add_variants(out, m, Variant::level_1, Variant::evict_unchanged);
  return out;
}

std::string policy(std::string_view name, const Modifiers& m) {
  std::string out(name);
  add_variants(out, m, Variant::fractional, Variant::converted);
  add(out, name_of(m.space));
  add_variants(out, m, Variant::level_1, Variant::evict_unchanged);
  add_type(out, m.type);
  return out;
}

std::string register_count(std::string_view name, const Modifiers& m) {
  std::string out(name);
  add_variants(out, m, Variant::increase, Variant::decrease);
  return out + ".sync.aligned.u32";
}

std::string event(std::string_view name, const Modifiers& m) {
  std::string out(name);
  add_variants(out, m, Variant::mask, Variant::mask);
  return out;
}

std::string cancel_query(std::string_view name, const Modifiers& m) {
  std::string out(name);
  add_variants(out, m, Variant::is_canceled, Variant::first_cta_z);
  if (m.vector > 1) out += fmt::format(".v{}", m.vector);
  add_type(out, m.type);
  add_type(out, m.source_type);
  return out;
}

/// ".row.col": of A and B
std::string layouts(const Matrix& matrix) {
  return fmt::format(".{}.{}", matrix.column_a ? "col" : "row", matrix.column_b ? "col" : "row");
}

/// The mnemonic of "wmma.load", "wmma.store"
std::string fragment_move(std::string_view name, const Modifiers& m) {
  std::string out = fmt::format("{}.{}.sync.aligned.{}.{}", name, m.matrix.fragment,
                                m.matrix.column_a ? "col" : "row", shape_name(m.matrix));
  add(out, name_of(m.space));
  add(out, name_of(m.matrix.d));
  return out;
}

std::string fragment_product(std::string_view name, const Modifiers& m) {
  const Matrix& matrix = m.matrix;
  std::string out(name);
  if (matrix.a == Element::b1) out += matrix.parity ? ".xor.popc" : ".and.popc";
  out += fmt::format(".sync.aligned{}.{}", layouts(matrix), shape_name(matrix));
  add_variants(out, m);
  add(out, name_of(matrix.d));
  if (matrix.a != Element::f16) {
    add(out, name_of(matrix.a));
    add(out, name_of(matrix.b));
  }
  add(out, name_of(matrix.c));
  if (matrix.saturate) out += ".satfinite";
  return out;
}

std::string mbarrier(std::string_view name, const Modifiers& m) {
  std::string out(name);
  if (m.expect_tx) out += ".expect_tx";
  if (m.no_complete) out += ".noComplete";
  if (m.parity) out += ".parity";
  if (m.reports) out += ".phase_type::primary";
  if (m.small_counts) out += ".layout::v1";
  out += multicast_word(m);
  if (m.scope != Scope::none) {
    add(out, name_of(m.semantics));
    add(out, name_of(m.scope));
  }
  add(out, name_of(m.space));
  add_type(out, m.type);
  return out;
}

std::string mbarrier_layout(std::string_view name, const Modifiers& m) {
  std::string out = fmt::format("{}.layout::v{}", name, m.small_counts ? 1 : 0);
  add(out, name_of(m.space));
  add_type(out, m.type);
  return out;
}

std::string cluster(std::string_view name, const Modifiers& m) {
  return fmt::format("{}.{}{}", name, name_of(m.semantics), m.aligned ? ".aligned" : "");
}

std::string address_conversion(std::string_view name, const Modifiers& m) {
  std::string out(name);
  if (m.to_space) out += ".to";
  add(out, name_of(m.space));
  add_type(out, m.type);
  return out;
}

std::string space_query(std::string_view name, const Modifiers& m) {
  std::string out(name);
  add(out, name_of(m.space));
  return out;
}

std::string fence(std::string_view name, const Modifiers& m) {
  const std::string restriction =
      m.space == Space::generic ? "" : fmt::format(".sync_restrict::{}", name_of(m.space));
  return fmt::format("{}.{}{}.{}", name, name_of(m.semantics), restriction, name_of(m.scope));
}

std::string async_copy(std::string_view name, const Modifiers& m) {
  std::string out = fmt::format("{}.{}", name, m.cache_global ? "cg" : "ca");
  add(out, name_of(m.space));
  add(out, name_of(m.source_space));
  return out;
}

std::string bulk_copy(std::string_view name, const Modifiers& m) {
  std::string out(name);
  if (m.scope != Scope::none) {
    add(out, name_of(m.semantics));
    add(out, name_of(m.scope));
  }
  add(out, name_of(m.space));
  add(out, name_of(m.source_space));
  out += m.space == Space::global ? ".bulk_group" : ".mbarrier::complete_tx::bytes";
  out += multicast_word(m);
  if (m.byte_mask) out += ".cp_mask";
  if (m.ignore_oob) out += ".ignore_oob";
  add(out, name_of(m.atomic));
  add_variants(out, m, Variant::noftz, Variant::noftz);
  add_type(out, m.type);
  return out;
}

std::string tensor_copy(std::string_view name, const Modifiers& m) {
  std::string out = fmt::format("{}.{}d", name, m.dimensions);
  add(out, name_of(m.space));
  add(out, name_of(m.source_space));
  add(out, name_of(m.atomic));
  add(out, name_of(m.load_mode));
  out += m.space == Space::global ? ".bulk_group" : ".mbarrier::complete_tx::bytes";
  out += multicast_word(m);
  if (m.tensor.cta_group != 0) out += fmt::format(".cta_group::{}", m.tensor.cta_group);
  return out;
}

std::string bulk_prefetch(std::string_view name, const Modifiers&) {
  return fmt::format("{}.L2.global", name);
}

std::string tensor_prefetch(std::string_view name, const Modifiers& m) {
  return fmt::format("{}.{}d.L2.global.{}", name, m.dimensions, name_of(m.load_mode));
}

std::string map_copy(std::string_view name, const Modifiers& m) {
  return fmt::format("{}.global.shared::cta.tensormap::generic.release.{}.sync.aligned", name,
                     name_of(m.scope));
}

std::string map_replace(std::string_view name, const Modifiers& m) {
  std::string out = fmt::format("{}.tile", name);
  add(out, name_of(m.map_field));
  add(out, name_of(m.space));
  out += ".b1024";
  add_type(out, m.type);
  return out;
}

std::string map_prefetch(std::string_view name, const Modifiers& m) {
  std::string out(name.substr(0, name.find('.')));
  add(out, name_of(m.space));
  return out + ".tensormap";
}

/// The mnemonic of "cp.async.wait_group" ...
std::string async_group(std::string_view name, const Modifiers& m) {
  const std::string_view operation = name.substr(name.rfind('.'));
  return fmt::format("cp.async{}{}{}", m.bulk ? ".bulk" : "", operation, m.reads_only ? ".read" : "");
}

std::string async_arrive(std::string_view name, const Modifiers& m) {
  std::string out(name);
  if (m.no_increment) out += ".noinc";
  add(out, name_of(m.space));
  add_type(out, m.type);
  return out;
}

// Without an mbarrier: .global, .release or not.
std::string async_store(std::string_view name, const Modifiers& m) {
  std::string out(name);
  add(out, name_of(m.semantics));
  add(out, name_of(m.scope));
  add(out, name_of(m.space));
  if (m.space != Space::global) out += ".mbarrier::complete_tx::bytes";
  if (m.vector > 1) out += fmt::format(".v{}", m.vector);
  add_type(out, m.type);
  return out;
}

std::string async_reduction(std::string_view name, const Modifiers& m) {
  std::string out(name);
  add(out, name_of(m.semantics));
  add(out, name_of(m.scope));
  add(out, name_of(m.space));
  if (m.space != Space::global) out += ".mbarrier::complete_tx::bytes";
  add(out, name_of(m.atomic));
  add_type(out, m.type);
  return out;
}

std::string bulk_store(std::string_view name, const Modifiers& m) {
  return fmt::format("{}.weak{}", name, m.space == Space::generic ? "" : ".shared::cta");
}

std::string launch_cancel(std::string_view name, const Modifiers& m) {
  return fmt::format("{}.async{}.mbarrier::complete_tx::bytes{}.b128", name,
                     m.space == Space::generic ? "" : ".shared::cta",
                     m.multicast ? ".multicast::cluster::all" : "");
}

std::string between_lanes(std::string_view name, const Modifiers& m) {
  std::string out(name);
  add(out, name_of(m.warp_mode));
  add(out, name_of(m.atomic));
  add_variants(out, m, Variant::abs, Variant::abs);
  add_variants(out, m, Variant::not_a_number, Variant::not_a_number);
  add_type(out, m.type);
  return out;
}

std::string matrix_move(std::string_view name, const Modifiers& m) {
  std::string out = fmt::format("{}.sync.aligned.{}.x{}", name, shape_name(m.matrix), m.matrix.count);
  if (m.matrix.transposed) out += ".trans";
  add(out, name_of(m.space));
  add_type(out, m.type);
  if (m.tensor.unpacked_from == 6) out += ".b8x16.b6x16_p32";
  if (m.tensor.unpacked_from == 4) out += ".b8x16.b4x16_p64";
  return out;
}

namespace {

std::string product(std::string_view name, const Modifiers& m, bool warp) {
  const Matrix& matrix = m.matrix;
  std::string out(name);
  if (matrix.sparse) out += matrix.ordered ? ".sp::ordered_metadata" : ".sp";
  out += fmt::format(".sync.aligned.{}", shape_name(matrix));
  if (warp) out += layouts(matrix);
  if (warp) out += kind_words(m.tensor);
  if (matrix.saturate) out += ".satfinite";
  for (const Element element : {matrix.d, matrix.a, matrix.b}) add(out, name_of(element));
  if (warp) add(out, name_of(matrix.c));
  add(out, name_of(matrix.scale));
  if (matrix.a == Element::b1) out += matrix.parity ? ".xor.popc" : ".and.popc";
  if (warp) add_variants(out, m, Variant::rn, Variant::rp);
  return out;
}

}  // namespace

std::string warp_product(std::string_view name, const Modifiers& m) {
  return product(name, m, true);
}

std::string group_product(std::string_view name, const Modifiers& m) {
  return product(name, m, false);
}

std::string branch(std::string_view name, const Modifiers& m) {
  return fmt::format("{}{}", name, m.aligned ? ".uni" : "");
}

std::string comparing_branch(std::string_view, const Modifiers& m) {
  return fmt::format("b{}", name_of(m.compare));
}

std::string api_call(std::string_view, const Modifiers& m) {
  return std::string(name_of(m.api)) + (m.programmatic ? ".programmatic" : "");
}

}  // namespace spelling

std::string name_of(Opcode opcode) {
  return std::string(traits(opcode).name);
}

std::string mnemonic(Opcode opcode, const Modifiers& modifiers) {
  const OpcodeTraits& row = traits(opcode);
  return row.spell(row.name, modifiers);
}

}  // namespace ptxmc::isa
