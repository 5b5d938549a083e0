// SPDX-License-Identifier: Apache-2.0
// Opcode and modifiers -> canonical mnemonic: the inverse of resolve().
#include <fmt/format.h>

#include "isa/matrix.h"
#include "isa/table.h"
#include "support/check.h"

namespace ptxmc::isa {

namespace {

void add(std::string& out, std::string_view word) {
  if (!word.empty()) out += fmt::format(".{}", word);
}

void add_type(std::string& out, const std::optional<Type>& type) {
  if (type) add(out, name_of(*type));
}

std::string access(std::string_view generic, std::string_view constant, std::string_view texture,
                   std::string_view surface, Proxy proxy) {
  switch (proxy) {
    case Proxy::constant:
      return std::string(constant);
    case Proxy::texture:
      return std::string(texture);
    case Proxy::surface:
      return std::string(surface);
    default:
      return std::string(generic);
  }
}

std::string memory(std::string out, const Modifiers& m) {
  if (m.semantics == Semantics::mmio) {
    out += ".mmio.relaxed.sys";
  } else {
    add(out, name_of(m.semantics));
    if (m.semantics != Semantics::volatile_) add(out, name_of(m.scope));
  }
  add(out, name_of(m.space));
  if (m.non_coherent) out += ".nc";
  add(out, name_of(m.atomic));
  if (m.vector > 1) out += fmt::format(".v{}", m.vector);
  if (m.packed != Packed::none) {
    add(out, name_of(m.packed));
  } else {
    add_type(out, m.type);
  }
  return out;
}

std::string barrier(std::string_view operation, const Modifiers& m) {
  std::string out = m.instance_first ? "bar.cta" : m.warp ? "bar.warp" : m.aligned ? "bar" : "barrier";
  add(out, operation);
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

std::string proxy_fence(const Modifiers& m) {
  std::string out = "fence.proxy";
  add(out, name_of(m.proxy));
  if (m.semantics == Semantics::weak) {
    add(out, name_of(m.space));
    return out;
  }
  out += "::generic";
  add(out, name_of(m.semantics));
  if (m.space != Space::generic) out += fmt::format(".sync_restrict::{}", name_of(m.space));
  add(out, name_of(m.scope));
  return out;
}

std::string setp(const Modifiers& m) {
  std::string out = "setp";
  add(out, name_of(m.compare));
  switch (m.combine) {
    case BoolOp::none:
      break;
    case BoolOp::and_:
      add(out, "and");
      break;
    case BoolOp::or_:
      add(out, "or");
      break;
    case BoolOp::xor_:
      add(out, "xor");
      break;
  }
  add_type(out, m.type);
  return out;
}

std::string plain(std::string out, const Modifiers& m) {
  switch (m.half) {
    case MulHalf::none:
      break;
    case MulHalf::lo:
      add(out, "lo");
      break;
    case MulHalf::hi:
      add(out, "hi");
      break;
    case MulHalf::wide:
      add(out, "wide");
      break;
  }
  add_type(out, m.type);
  add_type(out, m.source_type);
  return out;
}

std::string mbarrier(std::string_view operation, const Modifiers& m) {
  std::string out = fmt::format("mbarrier.{}", operation);
  if (m.expect_tx) out += ".expect_tx";
  if (m.no_complete) out += ".noComplete";
  if (m.parity) out += ".parity";
  if (m.scope != Scope::none) {
    add(out, name_of(m.semantics));
    add(out, name_of(m.scope));
  }
  add(out, name_of(m.space));
  add_type(out, m.type);
  return out;
}

std::string cluster(std::string_view operation, const Modifiers& m) {
  return fmt::format("barrier.cluster.{}.{}{}", operation, name_of(m.semantics), m.aligned ? ".aligned" : "");
}

std::string address_conversion(Opcode opcode, const Modifiers& m) {
  std::string out = opcode == Opcode::mapa ? "mapa" : m.to_space ? "cvta.to" : "cvta";
  add(out, name_of(m.space));
  add_type(out, m.type);
  return out;
}

std::string fence(const Modifiers& m) {
  return fmt::format("fence.{}.{}", name_of(m.semantics), name_of(m.scope));
}

std::string async_copy(const Modifiers& m) {
  std::string out = m.cache_global ? "cp.async.cg" : "cp.async.ca";
  add(out, name_of(m.space));
  add(out, name_of(m.source_space));
  return out;
}

std::string bulk_copy(std::string_view base, const Modifiers& m) {
  std::string out(base);
  add(out, name_of(m.space));
  add(out, name_of(m.source_space));
  out += m.space == Space::global ? ".bulk_group" : ".mbarrier::complete_tx::bytes";
  if (m.multicast) out += ".multicast::cluster";
  add(out, name_of(m.atomic));
  add_type(out, m.type);
  return out;
}

std::string tensor_copy(std::string_view base, const Modifiers& m) {
  std::string out = fmt::format("{}.{}d", base, m.dimensions);
  add(out, name_of(m.space));
  add(out, name_of(m.source_space));
  add(out, name_of(m.atomic));
  out += m.space == Space::global ? ".tile.bulk_group" : ".tile.mbarrier::complete_tx::bytes";
  if (m.multicast) out += ".multicast::cluster";
  return out;
}

std::string map_replace(const Modifiers& m) {
  std::string out = "tensormap.replace.tile";
  add(out, name_of(m.map_field));
  add(out, name_of(m.space));
  out += ".b1024";
  add_type(out, m.type);
  return out;
}

std::string map_prefetch(const Modifiers& m) {
  std::string out = "prefetch";
  add(out, name_of(m.space));
  return out + ".tensormap";
}

std::string async_group(std::string_view operation, const Modifiers& m) {
  return fmt::format("cp.async{}.{}{}", m.bulk ? ".bulk" : "", operation, m.reads_only ? ".read" : "");
}

std::string async_arrive(const Modifiers& m) {
  std::string out = m.no_increment ? "cp.async.mbarrier.arrive.noinc" : "cp.async.mbarrier.arrive";
  add(out, name_of(m.space));
  add_type(out, m.type);
  return out;
}

// Without an mbarrier: .global, .release or not.
std::string async_store(const Modifiers& m) {
  std::string out = "st.async";
  add(out, name_of(m.semantics));
  add(out, name_of(m.scope));
  add(out, name_of(m.space));
  if (m.space != Space::global) out += ".mbarrier::complete_tx::bytes";
  if (m.vector > 1) out += fmt::format(".v{}", m.vector);
  add_type(out, m.type);
  return out;
}

std::string async_reduction(const Modifiers& m) {
  std::string out = "red.async.relaxed.cluster";
  add(out, name_of(m.space));
  out += ".mbarrier::complete_tx::bytes";
  add(out, name_of(m.atomic));
  add_type(out, m.type);
  return out;
}

std::string between_lanes(std::string_view base, const Modifiers& m) {
  std::string out = fmt::format("{}.sync", base);
  add(out, name_of(m.warp_mode));
  add(out, name_of(m.atomic));
  add_type(out, m.type);
  return out;
}

std::string matrix_move(std::string_view base, const Modifiers& m) {
  std::string out = fmt::format("{}.sync.aligned.{}.x{}", base, shape_name(m.matrix), m.matrix.count);
  if (m.matrix.transposed) out += ".trans";
  add(out, name_of(m.space));
  add_type(out, m.type);
  return out;
}

std::string product(Opcode opcode, const Modifiers& m) {
  const Matrix& matrix = m.matrix;
  const bool warp = opcode == Opcode::mma;
  std::string out = warp ? "mma" : "wgmma.mma_async";
  if (matrix.sparse) out += matrix.ordered ? ".sp::ordered_metadata" : ".sp";
  out += fmt::format(".sync.aligned.{}{}", shape_name(matrix), warp ? ".row.col" : "");
  if (matrix.saturate) out += ".satfinite";
  for (const Element element : {matrix.d, matrix.a, matrix.b}) add(out, name_of(element));
  if (warp) add(out, name_of(matrix.c));
  if (matrix.a == Element::b1) out += matrix.parity ? ".xor.popc" : ".and.popc";
  return out;
}

}  // namespace

std::string mnemonic(Opcode opcode, const Modifiers& m) {
  switch (opcode) {
    case Opcode::ld:
      return memory(access("ld", "cold", "tld", "suld", m.proxy), m);
    case Opcode::st:
      return memory(access("st", "st", "st", "sust", m.proxy), m);
    case Opcode::atom:
      return memory(access("atom", "atom", "atom", "suatom", m.proxy), m);
    case Opcode::red:
      return memory(access("red", "red", "red", "sured", m.proxy), m);
    case Opcode::fence:
      return fence(m);
    case Opcode::fence_proxy:
      return proxy_fence(m);
    case Opcode::bar_sync:
      return barrier("sync", m);
    case Opcode::bar_arrive:
      return barrier("arrive", m);
    case Opcode::bar_red:
      return barrier("red", m);
    case Opcode::cluster_arrive:
      return cluster("arrive", m);
    case Opcode::cluster_wait:
      return cluster("wait", m);
    case Opcode::fence_mbarrier_init:
      return "fence.mbarrier_init.release.cluster";
    case Opcode::mbarrier_init:
      return mbarrier("init", m);
    case Opcode::mbarrier_inval:
      return mbarrier("inval", m);
    case Opcode::mbarrier_expect_tx:
      return mbarrier("expect_tx", m);
    case Opcode::mbarrier_complete_tx:
      return mbarrier("complete_tx", m);
    case Opcode::mbarrier_arrive:
      return mbarrier("arrive", m);
    case Opcode::mbarrier_arrive_drop:
      return mbarrier("arrive_drop", m);
    case Opcode::mbarrier_test_wait:
      return mbarrier("test_wait", m);
    case Opcode::mbarrier_try_wait:
      return mbarrier("try_wait", m);
    case Opcode::mbarrier_pending_count:
      return mbarrier("pending_count", m);
    case Opcode::setp:
      return setp(m);
    case Opcode::branch_compare:
      return fmt::format("b{}", name_of(m.compare));
    case Opcode::mov:
      return plain("mov", m);
    case Opcode::cvt:
      return plain("cvt", m);
    case Opcode::selp:
      return plain("selp", m);
    case Opcode::cvta:
    case Opcode::mapa:
      return address_conversion(opcode, m);
    case Opcode::add:
      return plain("add", m);
    case Opcode::sub:
      return plain("sub", m);
    case Opcode::mul:
      return plain("mul", m);
    case Opcode::mad:
      return plain("mad", m);
    case Opcode::div:
      return plain("div", m);
    case Opcode::rem:
      return plain("rem", m);
    case Opcode::min:
      return plain("min", m);
    case Opcode::max:
      return plain("max", m);
    case Opcode::abs:
      return plain("abs", m);
    case Opcode::neg:
      return plain("neg", m);
    case Opcode::and_:
      return plain("and", m);
    case Opcode::or_:
      return plain("or", m);
    case Opcode::xor_:
      return plain("xor", m);
    case Opcode::not_:
      return plain("not", m);
    case Opcode::shl:
      return plain("shl", m);
    case Opcode::shr:
      return plain("shr", m);
    case Opcode::bra:
      return m.aligned ? "bra.uni" : "bra";
    case Opcode::exit:
      return "exit";
    case Opcode::ret:
      return "ret";
    case Opcode::cp_async:
      return async_copy(m);
    case Opcode::cp_async_commit:
      return async_group("commit_group", m);
    case Opcode::cp_async_wait:
      return async_group("wait_group", m);
    case Opcode::cp_async_wait_all:
      return "cp.async.wait_all";
    case Opcode::cp_async_arrive:
      return async_arrive(m);
    case Opcode::cp_async_bulk:
      return bulk_copy("cp.async.bulk", m);
    case Opcode::cp_reduce_async_bulk:
      return bulk_copy("cp.reduce.async.bulk", m);
    case Opcode::cp_async_bulk_prefetch:
      return "cp.async.bulk.prefetch.L2.global";
    case Opcode::cp_async_bulk_tensor:
      return tensor_copy("cp.async.bulk.tensor", m);
    case Opcode::cp_reduce_async_bulk_tensor:
      return tensor_copy("cp.reduce.async.bulk.tensor", m);
    case Opcode::cp_async_bulk_prefetch_tensor:
      return fmt::format("cp.async.bulk.prefetch.tensor.{}d.L2.global.tile", m.dimensions);
    case Opcode::tensormap_replace:
      return map_replace(m);
    case Opcode::tensormap_cp_fenceproxy:
      return fmt::format(
          "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{}.sync.aligned",
          name_of(m.scope));
    case Opcode::prefetch_tensormap:
      return map_prefetch(m);
    case Opcode::st_async:
      return async_store(m);
    case Opcode::red_async:
      return async_reduction(m);
    case Opcode::st_bulk:
      return m.space == Space::generic ? "st.bulk.weak" : "st.bulk.weak.shared::cta";
    case Opcode::launch_cancel:
      return fmt::format("clusterlaunchcontrol.try_cancel.async{}.mbarrier::complete_tx::bytes{}.b128",
                         m.space == Space::generic ? "" : ".shared::cta",
                         m.multicast ? ".multicast::cluster::all" : "");
    case Opcode::shuffle:
      return between_lanes("shfl", m);
    case Opcode::vote:
      return between_lanes("vote", m);
    case Opcode::match:
      return between_lanes("match", m);
    case Opcode::redux:
      return between_lanes("redux", m);
    case Opcode::elect:
      return "elect.sync";
    case Opcode::active_mask:
      return "activemask.b32";
    case Opcode::ldmatrix:
      return matrix_move("ldmatrix", m);
    case Opcode::stmatrix:
      return matrix_move("stmatrix", m);
    case Opcode::movmatrix:
      return "movmatrix.sync.aligned.m8n8.trans.b16";
    case Opcode::mma:
      return product(opcode, m);
    case Opcode::wgmma_fence:
      return "wgmma.fence.sync.aligned";
    case Opcode::wgmma_mma:
      return product(opcode, m);
    case Opcode::wgmma_commit:
      return "wgmma.commit_group.sync.aligned";
    case Opcode::wgmma_wait:
      return "wgmma.wait_group.sync.aligned";
    case Opcode::tcgen05_alloc:
    case Opcode::tcgen05_dealloc:
    case Opcode::tcgen05_relinquish:
    case Opcode::tcgen05_ld:
    case Opcode::tcgen05_st:
    case Opcode::tcgen05_wait:
    case Opcode::tcgen05_cp:
    case Opcode::tcgen05_shift:
    case Opcode::tcgen05_mma:
    case Opcode::tcgen05_fence:
    case Opcode::tcgen05_commit:
      return tensor_mnemonic(opcode, m);
    case Opcode::griddep_wait:
      return "griddepcontrol.wait";
    case Opcode::griddep_launch:
      return "griddepcontrol.launch_dependents";
    case Opcode::api_call:
      return std::string(name_of(m.api)) + (m.programmatic ? ".programmatic" : "");
    case Opcode::nop:
      return "";
  }
  PTXMC_CHECK(false, "mnemonic: unknown opcode");
  return "";
}

}  // namespace ptxmc::isa
