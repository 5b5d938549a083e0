// SPDX-License-Identifier: Apache-2.0
// Opcode and modifiers -> canonical mnemonic: the inverse of resolve().
#include <fmt/format.h>

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
  add(out, name_of(m.atomic));
  add_type(out, m.type);
  return out;
}

std::string barrier(std::string_view operation, const Modifiers& m) {
  std::string out = m.instance_first ? "bar.cta" : m.aligned ? "bar" : "barrier";
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
  add(out, name_of(m.space));
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

std::string fence(const Modifiers& m) {
  return fmt::format("fence.{}.{}", name_of(m.semantics), name_of(m.scope));
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
      return "bra";
    case Opcode::exit:
      return "exit";
    case Opcode::ret:
      return "ret";
    case Opcode::nop:
      return "";
  }
  PTXMC_CHECK(false, "mnemonic: unknown opcode");
  return "";
}

}  // namespace ptxmc::isa
