// SPDX-License-Identifier: Apache-2.0
// The instructions of random programs. Registers that were defined before feed later values, predicates and
// branches. Few values and few locations, so that instructions meet; the number of accesses is bounded, so
// that the engines answer in milliseconds.
#include <fmt/format.h>

#include <algorithm>

#include "generator.h"

namespace ptxmc::testing {

std::string Generator::new_register(ThreadSpec& t, int bits) {
  const std::string name = fmt::format("{}{}", bits == 64 && native_ ? "rd" : "r", t.registers++);
  t.defined.push_back({name, bits});
  return reg(name);
}

std::string Generator::scope(const ThreadSpec& t) {
  if (t.host) return ".sys";
  return random_.pick<const char*>({".cta", ".cta", ".cluster", ".gpu", ".gpu", ".gpu", ".sys", ".sys"});
}

const VariableSpec& Generator::draw_variable(bool generic_only) {
  while (true) {
    const VariableSpec& v = random_.pick(variables_);
    if (v.proxy.empty() || !generic_only) return v;
  }
}

std::string Generator::space(const VariableSpec& v) {
  if (!native_ || random_.chance(30)) return "";
  return v.shared ? random_.pick<const char*>({".shared", ".shared::cta"}) : ".global";
}

std::string Generator::address(ThreadSpec& t, const VariableSpec& v) {
  if (!native_) return v.name;
  if (v.elements > 1 && random_.chance(50)) return fmt::format("[{}+{}]", v.name, v.bits / 8);
  if (!random_.chance(6)) return "[" + v.name + "]";
  const std::string pointer = fmt::format("%ra{}", t.addresses++);
  t.lines.push_back(fmt::format("mov.u64 {}, {}", pointer, v.name));
  const auto wide =
      std::find_if(t.defined.begin(), t.defined.end(), [](const RegisterSpec& r) { return r.bits == 64; });
  if (wide != t.defined.end() && random_.chance(50)) {
    const std::string zero = fmt::format("%ra{}", t.addresses++);
    t.lines.push_back(fmt::format("xor.b64 {0}, {1}, {1}", zero, reg(wide->name)));
    t.lines.push_back(fmt::format("add.u64 {0}, {0}, {1}", pointer, zero));
  }
  return "[" + pointer + "]";
}

std::string Generator::type(int bits, std::string_view classes) {
  if (!native_) return "";
  return fmt::format(".{}{}", classes[random_.below(classes.size())], bits);
}

std::string Generator::value(ThreadSpec& t, int bits) {
  if (t.defined.empty() || random_.chance(60)) return std::to_string(random_.between(0, 3));
  const RegisterSpec r = random_.pick(t.defined);
  if (r.bits == bits || !native_) return reg(r.name);
  const std::string to = new_register(t, bits);
  t.lines.push_back(fmt::format("cvt.u{}.u{} {}, {}", bits, r.bits, to, reg(r.name)));
  return to;
}

std::string Generator::load_semantics(const ThreadSpec& t, const VariableSpec& v) {
  switch (random_.weighted({30, 35, 30, native_ && !v.shared ? 6u : 0u})) {
    case 0:
      return native_ && random_.chance(30) ? "" : ".weak";
    case 1:
      return ".relaxed" + scope(t);
    case 2:
      return ".acquire" + scope(t);
    default:
      return ".volatile";
  }
}

std::string Generator::store_semantics(const ThreadSpec& t, const VariableSpec& v) {
  switch (random_.weighted({30, 35, 30, native_ && !v.shared ? 6u : 0u})) {
    case 0:
      return native_ && random_.chance(30) ? "" : ".weak";
    case 1:
      return ".relaxed" + scope(t);
    case 2:
      return ".release" + scope(t);
    default:
      return ".volatile";
  }
}

std::string Generator::atomic_semantics(const ThreadSpec& t, bool returns) {
  if (native_ && !t.host && random_.chance(10)) return "";  // .relaxed.gpu
  const std::string semantics =
      returns ? random_.pick<const char*>({".relaxed", ".relaxed", ".acquire", ".release", ".acq_rel"})
              : random_.pick<const char*>({".relaxed", ".relaxed", ".release"});
  return join({semantics, scope(t)});
}

std::string Generator::load(ThreadSpec& t) {
  budget_ -= 1;
  const VariableSpec& v = draw_variable();
  const std::string at = address(t, v);
  const std::string op = join({"ld", load_semantics(t, v), space(v), type(v.bits), " "});
  return join({op, new_register(t, v.bits), ", ", at});
}

std::string Generator::store(ThreadSpec& t) {
  budget_ -= 1;
  const VariableSpec& v = draw_variable();
  const std::string at = address(t, v);
  const std::string stored = value(t, v.bits);
  return join({"st", store_semantics(t, v), space(v), type(v.bits), " ", at, ", ", stored});
}

std::string Generator::atomic_operation(const VariableSpec& v, bool returns) {
  if (!native_) {
    return returns ? random_.pick<const char*>({".add", ".sub", ".and", ".or", ".xor", ".exch", ".exch"})
                   : random_.pick<const char*>({".add", ".sub", ".and", ".or", ".xor"});
  }
  switch (random_.weighted({40, 12, 12, v.bits == 32 ? 8u : 0u, returns ? 25u : 0u})) {
    case 0:
      return ".add" + type(v.bits, v.bits == 64 ? "u" : "us");
    case 1:
      return join({random_.pick<const char*>({".and", ".or", ".xor"}), type(v.bits, "b")});
    case 2:
      return join({random_.pick<const char*>({".min", ".max"}), type(v.bits, "us")});
    case 3:
      return join({random_.pick<const char*>({".inc", ".dec"}), type(v.bits, "u")});
    default:
      return ".exch" + type(v.bits, "b");
  }
}

std::string Generator::atomic(ThreadSpec& t) {
  budget_ -= 2;
  const VariableSpec& v = draw_variable();
  const std::string at = address(t, v);
  const std::string operand = value(t, v.bits);
  const std::string where = native_ && random_.chance(70) ? (v.shared ? ".shared" : ".global") : "";
  const std::string op = join({"atom", atomic_semantics(t, true), where, atomic_operation(v, true)});
  if (native_ && random_.chance(5)) return fmt::format("{} _, {}, {}", op, at, operand);
  return fmt::format("{} {}, {}, {}", op, new_register(t, v.bits), at, operand);
}

std::string Generator::reduction(ThreadSpec& t) {
  budget_ -= 2;
  const VariableSpec& v = draw_variable();
  const std::string at = address(t, v);
  const std::string operand = value(t, v.bits);
  const std::string where = native_ && random_.chance(70) ? (v.shared ? ".shared" : ".global") : "";
  return join({"red", atomic_semantics(t, false), where, atomic_operation(v, false), " ", at, ", ", operand});
}

std::string Generator::compare_and_swap(ThreadSpec& t) {
  budget_ -= 2;
  const VariableSpec& v = draw_variable();
  const std::string at = address(t, v);
  const std::string compared = value(t, v.bits), stored = value(t, v.bits);
  const std::string where = native_ && random_.chance(70) ? (v.shared ? ".shared" : ".global") : "";
  const std::string op = join({"atom", atomic_semantics(t, true), where, ".cas", type(v.bits, "b")});
  return fmt::format("{} {}, {}, {}, {}", op, new_register(t, v.bits), at, compared, stored);
}

std::string Generator::fence(ThreadSpec& t) {
  if (native_ && random_.chance(12)) {
    return t.host ? "membar.sys" : random_.pick<const char*>({"membar.cta", "membar.gl", "membar.sys"});
  }
  if (native_ && random_.chance(25)) {
    return join({random_.pick<const char*>({"fence.acquire", "fence.release"}), scope(t)});
  }
  return join({random_.pick<const char*>({"fence.sc", "fence.sc", "fence.acq_rel"}), scope(t)});
}

std::string Generator::proxy_fence() {
  if (shape_.proxies && !native_) {
    return random_.pick<const char*>(
        {"fence.proxy.alias", "fence.proxy.constant", "fence.proxy.texture", "fence.proxy.surface"});
  }
  return "fence.proxy.alias";
}

std::string Generator::proxy_access(ThreadSpec& t) {
  const VariableSpec& v = draw_variable(false);
  budget_ -= 1;
  if (v.proxy == "constant") return fmt::format("cold{} {}, {}", ".weak", new_register(t, 64), v.name);
  if (v.proxy == "texture") return fmt::format("tld{} {}, {}", ".weak", new_register(t, 64), v.name);
  if (v.proxy == "surface") {
    if (random_.chance(50)) return fmt::format("suld.weak {}, {}", new_register(t, 64), v.name);
    return fmt::format("sust.weak {}, {}", v.name, value(t, 64));
  }
  budget_ += 1;
  return load(t);
}

/// A predicate that a register decides.
std::string Generator::voice(ThreadSpec& t) {
  if (t.defined.empty())
    t.lines.push_back(join({"mov.u32 ", new_register(t, 32), ", ", std::to_string(random_.between(0, 1))}));
  const RegisterSpec tested = random_.pick(t.defined);
  const std::string p = fmt::format("%p{}", t.predicates++);
  t.lines.push_back(fmt::format("setp.eq.u{} {}, {}, 1", tested.bits, p, reg(tested.name)));
  return p;
}

/// A branch, or a loop, that a reduction of all threads decides.
void Generator::vote(ThreadSpec& t) {
  const bool loops = random_.chance(60);
  const std::string label = new_label(t);
  if (loops) {
    t.lines.push_back(label + ":");
    if (budget_ > 0) t.lines.push_back(load(t));
  }
  const std::string p = voice(t), q = fmt::format("%p{}", t.predicates++);
  t.lines.push_back(
      fmt::format("barrier.red.{}.pred {}, 0, {}", random_.pick<const char*>({"or", "and"}), q, p));
  t.lines.push_back(fmt::format("@{}{} bra {}", random_.chance(50) ? "!" : "", q, label));
  if (loops) return;
  t.lines.push_back(random_.chance(50) ? barrier(t) : guarded_body(t));
  t.lines.push_back(label + ":");
}

std::string Generator::barrier(ThreadSpec& t) {
  const int id = random_.between(0, 1);
  const int count = random_.between(1, 3);
  if (!native_) {
    const std::string op = random_.pick<const char*>({"bar.cta.sync", "bar.cta.sync", "bar.cta.arrive"});
    const int instance = random_.between(1, 2);
    return fmt::format("{} {}, {}, {}", op, instance, id, random_.between(1, 2));
  }
  const std::string base = random_.pick<const char*>({"bar", "barrier", "barrier.cta"});
  if (reductions_ && random_.chance(92)) {  // what meets another kind is undefined (R170)
    const std::string p = voice(t);
    return fmt::format("{}.red.popc.u32 {}, {}, {}", base, new_register(t, 32), id, p);
  }
  if (random_.chance(20)) return fmt::format("{}.arrive {}, {}", base, id, 32 * count);
  const auto narrow =
      std::find_if(t.defined.begin(), t.defined.end(), [](const RegisterSpec& r) { return r.bits == 32; });
  if (narrow != t.defined.end() && random_.chance(10))
    return fmt::format("{}.sync {}", base, reg(narrow->name));
  if (random_.chance(60)) return fmt::format("{}.sync {}", base, id);
  return fmt::format("{}.sync {}, {}", base, id, 32 * random_.between(1, 2));
}

std::string Generator::arithmetic(ThreadSpec& t) {
  if (t.defined.empty()) {
    return join({native_ ? "mov.u32 " : "ld ", new_register(t, native_ ? 32 : 64), ", ",
                 std::to_string(random_.between(0, 2))});
  }
  const RegisterSpec a = random_.pick(t.defined);
  const std::string from = reg(a.name);
  std::string second = std::to_string(random_.between(0, 2));
  if (random_.chance(25)) second = from;
  if (!native_) {
    const char* op = random_.pick<const char*>({"add", "sub", "mul"});
    return fmt::format("{} {}, {}, {}", op, new_register(t, 64), from, second);
  }
  const std::string b = std::to_string(a.bits);
  const std::string op = random_.pick<std::string>({"add.u" + b, "sub.s" + b, "xor.b" + b, "and.b" + b,
                                                    "or.b" + b, "mul.lo.u" + b, "div.u" + b, "rem.s" + b,
                                                    "min.u" + b, "max.s" + b, "shl.b" + b});
  if (op.starts_with("shl")) second = std::to_string(random_.between(0, 2));
  return fmt::format("{} {}, {}, {}", op, new_register(t, a.bits), from, second);
}

std::string Generator::plain(ThreadSpec& t) {
  if (t.lane && random_.chance(8)) return exchange(t, random_.weighted(kExchanges));
  if (budget_ <= 0) return fence(t);
  if (async_ && !t.host && random_.chance(55)) return asynchronous(t);
  if (kernels_ && !t.host && random_.chance(18))
    return random_.chance(60) ? "griddepcontrol.wait" : "griddepcontrol.launch_dependents";
  if (tensor_memory_ && random_.chance(60)) return tensor_memory(t);
  if (objects_ && random_.chance(40)) return synchronization(t);
  if (barriers_ && native_ && !reductions_ && shape_.matrices && !t.host && random_.chance(4))
    return matrix_access(t);
  if (barriers_ && !t.host && random_.chance(30)) return barrier(t);
  if (shape_.proxies && !native_ && random_.chance(35))
    return random_.chance(70) ? proxy_access(t) : proxy_fence();
  if (bytes_ && random_.chance(45)) return bytes_access(t);
  const bool multiplies = native_ && !t.host && !t.lane;  // all lanes of a warp, or none
  switch (random_.weighted(
      {32, 32, 8, 5, 4, 16, shape_.aliases ? (has_alias() ? 10u : 1u) : 0u, 5, multiplies ? 4u : 0u})) {
    case 0:
      return load(t);
    case 1:
      return store(t);
    case 2:
      return atomic(t);
    case 3:
      return reduction(t);
    case 4:
      return compare_and_swap(t);
    case 5:
      return fence(t);
    case 6:
      return proxy_fence();
    case 7:
      return arithmetic(t);
    default:
      return register_product(t);
  }
}

bool Generator::has_alias() const {
  return std::any_of(variables_.begin(), variables_.end(),
                     [](const VariableSpec& v) { return !v.aliases.empty() && v.proxy.empty(); });
}

std::string Generator::guarded_body(ThreadSpec& t) {
  if (budget_ <= 0) return fence(t);
  switch (random_.weighted({50, 15, 20, 15})) {
    case 0:
      return store(t);
    case 1:
      return reduction(t);
    case 2:
      return fence(t);
    default: {
      // Defined on both paths, so that reading it afterwards is well defined.
      const VariableSpec& v = draw_variable();
      const std::string at = address(t, v);
      budget_ -= 1;
      const std::string r = new_register(t, v.bits);
      t.lines.push_back(native_ ? fmt::format("mov.u{} {}, 7", v.bits, r) : fmt::format("ld {}, 7", r));
      return join({"ld", load_semantics(t, v), space(v), type(v.bits), " ", r, ", ", at});
    }
  }
}

void Generator::guarded(ThreadSpec& t) {
  const RegisterSpec tested = random_.pick(t.defined);
  const int constant = random_.between(0, 2);
  if (!native_) {
    const std::string body = guarded_body(t);
    const std::string label = new_label(t);
    const char* op = random_.pick<const char*>({"beq", "bne", "blt", "bge"});
    t.lines.push_back(fmt::format("{} {}, {}, {}", op, reg(tested.name), constant, label));
    t.lines.push_back(body);
    t.lines.push_back(label + ":");
    return;
  }
  if (budget_ > 1 && random_.chance(15)) return merged_predicate(t, tested, constant);
  const std::string p = fmt::format("%p{}", t.predicates++);
  const std::string body = guarded_body(t);
  const char* op = random_.pick<const char*>({"eq", "eq", "ne", "lt", "ge"});
  const char cls = random_.pick({'u', 's'});
  t.lines.push_back(
      fmt::format("setp.{}.{}{} {}, {}, {}", op, cls, tested.bits, p, reg(tested.name), constant));
  if (random_.chance(60)) {
    t.lines.push_back(fmt::format("@{}{} {}", random_.chance(30) ? "!" : "", p, body));
    return;
  }
  const std::string label = new_label(t);
  t.lines.push_back(fmt::format("@{}{} bra {}", random_.chance(50) ? "!" : "", p, label));
  t.lines.push_back(body);
  t.lines.push_back(label + ":");
}

/// A predicate that one path takes from memory and the other has as it was, and what it guards behind the join.
void Generator::merged_predicate(ThreadSpec& t, const RegisterSpec& tested, int constant) {
  const std::string p = fmt::format("%p{}", t.predicates++), q = fmt::format("%p{}", t.predicates++);
  t.lines.push_back(fmt::format("setp.{}.u32 {}, 0, 0", random_.pick<const char*>({"eq", "ne"}), q));
  t.lines.push_back(fmt::format("setp.eq.u{} {}, {}, {}", tested.bits, p, reg(tested.name), constant));
  const VariableSpec& v = draw_variable();
  const std::string at = address(t, v);
  const std::string r = new_register(t, v.bits);
  budget_ -= 1;
  t.lines.push_back(fmt::format("mov.u{} {}, 7", v.bits, r));
  const std::string label = new_label(t);
  t.lines.push_back(fmt::format("@{}{} bra {}", random_.chance(50) ? "!" : "", p, label));
  t.lines.push_back(join({"ld", load_semantics(t, v), space(v), type(v.bits), " ", r, ", ", at}));
  t.lines.push_back(fmt::format("setp.eq.u{} {}, {}, {}", v.bits, q, r, random_.between(0, 2)));
  t.lines.push_back(label + ":");
  const std::string body = random_.chance(60) ? store(t) : guarded_body(t);
  t.lines.push_back(fmt::format("@{}{} {}", random_.chance(30) ? "!" : "", q, body));
}

void Generator::selection(ThreadSpec& t) {
  const RegisterSpec tested = random_.pick(t.defined);
  const std::string p = fmt::format("%p{}", t.predicates++);
  const char* op = random_.pick<const char*>({"eq", "ne", "gt"});
  t.lines.push_back(
      fmt::format("setp.{}.u{} {}, {}, {}", op, tested.bits, p, reg(tested.name), random_.between(0, 2)));
  const std::string a = value(t, tested.bits), b = value(t, tested.bits);
  t.lines.push_back(
      fmt::format("selp.b{} {}, {}, {}, {}", tested.bits, new_register(t, tested.bits), a, b, p));
}

void Generator::spin(ThreadSpec& t) {
  budget_ -= 1;
  const VariableSpec& v = draw_variable();
  const std::string at = address(t, v);
  const std::string label = new_label(t);
  t.lines.push_back(label + ":");
  const std::string r = new_register(t, v.bits);
  t.lines.push_back(join({"ld", load_semantics(t, v), space(v), type(v.bits), " ", r, ", ", at}));
  if (!native_) {
    t.lines.push_back(fmt::format("bne {}, {}, {}", r, random_.between(0, 1), label));
    return;
  }
  const std::string p = fmt::format("%p{}", t.predicates++);
  t.lines.push_back(fmt::format("setp.ne.u{} {}, {}, {}", v.bits, p, r, random_.between(0, 1)));
  t.lines.push_back(fmt::format("@{} bra {}", p, label));
}

void Generator::retry(ThreadSpec& t) {
  const std::string label = new_label(t);
  t.lines.push_back(label + ":");
  const std::string line = compare_and_swap(t);
  budget_ -= 2;
  const RegisterSpec r = t.defined.back();
  t.lines.push_back(line);
  if (!native_) {
    t.lines.push_back(fmt::format("bne {}, 0, {}", reg(r.name), label));
    return;
  }
  const std::string p = fmt::format("%p{}", t.predicates++);
  t.lines.push_back(fmt::format("setp.ne.u{} {}, {}, 0", r.bits, p, reg(r.name)));
  t.lines.push_back(fmt::format("@{} bra {}", p, label));
}

void Generator::draw_thread(std::size_t index) {
  ThreadSpec& t = threads_[index];
  threads_index_ = index;
  const int count = random_.between(1, shape_.max_instructions);
  const int meeting = t.lane && random_.chance(90) ? random_.between(0, count - 1) : count;
  for (int i = 0; i < count; ++i) {
    if (i == meeting) {
      std::string line = exchange(t, random_.chance(85) ? meeting_ : random_.weighted(kExchanges));
      t.lines.push_back(std::move(line));
    }
    if (shape_.control && reductions_ && !t.host && random_.chance(30)) {
      vote(t);
    } else if (shape_.control && !t.defined.empty() && random_.chance(15)) {
      guarded(t);
    } else if (shape_.control && native_ && !t.defined.empty() && random_.chance(4)) {
      selection(t);
    } else if (shape_.control && budget_ > 1 && random_.chance(4)) {
      spin(t);
    } else if (shape_.control && budget_ > 5 && random_.chance(2)) {
      retry(t);
    } else {
      std::string line = plain(t);
      t.lines.push_back(std::move(line));
    }
  }
}

}  // namespace ptxmc::testing
