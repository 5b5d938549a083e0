// SPDX-License-Identifier: Apache-2.0
// The generator draws a notation (native or short form), variables, placements, then thread by thread instructions from
// a weighted table; registers that were defined before feed later values, predicates and branches. Few values and few
// locations, so that instructions meet; the number of accesses is bounded, so that the engines answer in milliseconds.
#include "generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "random.h"

namespace ptxmc::testing {
namespace {

struct VariableSpec {
  std::string name;
  int bits = 32;            // 64 in the short form
  bool shared = false;
  int elements = 1;         // an array, in native form
  bool initialised = true;
  int initial = 0;
  std::string aliases;      // empty: a variable of its own
  std::string proxy;        // constant, texture, surface; empty: generic
};

struct RegisterSpec {
  std::string name;         // without %
  int bits = 32;
};

/// Concatenation that draws from left to right: the order of evaluation of operands of + and of arguments is open,
/// that of a braced list is fixed.
std::string join(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

struct ThreadSpec {
  std::string placement;
  bool host = false;
  int registers = 0, predicates = 0, labels = 0, addresses = 0;
  std::vector<RegisterSpec> defined;
  std::vector<std::string> lines;
};

class Generator {
 public:
  Generator(std::uint64_t seed, const Shape& shape) : seed_(seed), shape_(shape), random_(seed) {}

  std::string run() {
    native_ = random_.chance(50);
    if (native_ && shape_.barriers && random_.chance(30)) barriers_ = true;
    if (!native_ && shape_.barriers && random_.chance(20)) barriers_ = true;
    reductions_ = native_ && barriers_ && random_.chance(12);
    budget_ = shape_.max_accesses;
    draw_variables();
    const int threads = random_.between(2, shape_.max_threads);
    hosts_ = !barriers_ && !has_shared() && !has_proxies() && random_.chance(8);  // host threads have none of these
    for (int t = 0; t < threads; ++t) draw_placement();
    for (std::size_t t = 0; t < threads_.size(); ++t) draw_thread(t);
    return print();
  }

 private:
  // ---- The program's surroundings ---------------------------------------------------------------------------
  void draw_variables() {
    const int count = random_.between(1, shape_.max_variables);
    const bool mixed = native_ && random_.chance(25);
    const int bits = native_ ? random_.pick({32, 32, 64}) : 64;
    for (int i = 0; i < count; ++i) {
      VariableSpec v;
      v.name = std::string(1, static_cast<char>('x' + i));
      v.bits = mixed ? random_.pick({32, 64}) : bits;
      v.initial = random_.chance(80) ? 0 : random_.between(1, 2);
      if (native_ && random_.chance(12)) {
        v.shared = true;
        v.initialised = random_.chance(50);
        v.initial = 0;
      }
      if (native_ && !v.shared && random_.chance(8)) v.elements = 2;
      variables_.push_back(v);
    }
    if (shape_.aliases && random_.chance(20)) add_alias("a", "");
    if (shape_.proxies && !native_) {
      if (random_.chance(60)) add_alias("s", "surface");
      if (random_.chance(60)) add_alias("t", "texture");
      if (random_.chance(40)) add_alias("c", "constant");
    }
  }

  void add_alias(const std::string& name, const std::string& proxy) {
    const VariableSpec target = random_.pick(variables_);
    if (target.shared || target.elements > 1 || !target.proxy.empty()) return;
    VariableSpec v;
    v.name = name;
    v.bits = target.bits;
    v.aliases = target.name;
    v.proxy = proxy;
    variables_.push_back(v);
  }

  bool has_shared() const {
    return std::any_of(variables_.begin(), variables_.end(), [](const VariableSpec& v) { return v.shared; });
  }

  bool has_proxies() const {
    return std::any_of(variables_.begin(), variables_.end(), [](const VariableSpec& v) { return !v.proxy.empty(); });
  }

  void draw_placement() {
    ThreadSpec t;
    if (hosts_ && random_.chance(40)) {
      t.host = true;
      t.placement = "host";
    } else if (barriers_ && random_.chance(75)) {
      t.placement = "gpu 0, cta 0";
    } else {
      const int gpu = random_.chance(85) ? 0 : 1;
      const int cta = random_.between(0, 2);
      t.placement = fmt::format("gpu {}, cta {}", gpu, cta);
      if (clusters_ == 0) clusters_ = random_.chance(30) ? 2 : 1;
      if (clusters_ == 2) t.placement = fmt::format("gpu {}, cluster {}, cta {}", gpu, cta / 2, cta);
    }
    threads_.push_back(t);
  }

  // ---- Pieces of instructions -------------------------------------------------------------------------------
  std::string reg(const std::string& name) const { return native_ ? "%" + name : name; }

  std::string new_register(ThreadSpec& t, int bits) {
    const std::string name = fmt::format("{}{}", bits == 64 && native_ ? "rd" : "r", t.registers++);
    t.defined.push_back({name, bits});
    return reg(name);
  }

  /// ".gpu" ...: a scope that the thread may use.
  std::string scope(const ThreadSpec& t) {
    if (t.host) return ".sys";
    return random_.pick<const char*>({".cta", ".cta", ".cluster", ".gpu", ".gpu", ".gpu", ".sys", ".sys"});
  }

  const VariableSpec& draw_variable(bool generic_only = true) {
    while (true) {
      const VariableSpec& v = random_.pick(variables_);
      if (v.proxy.empty() || !generic_only) return v;
    }
  }

  std::string space(const VariableSpec& v) {
    if (!native_ || random_.chance(30)) return "";
    return v.shared ? random_.pick<const char*>({".shared", ".shared::cta"}) : ".global";
  }

  /// An address operand; in native form now and then by a register, with a dependency that folds away.
  std::string address(ThreadSpec& t, const VariableSpec& v) {
    if (!native_) return v.name;
    if (v.elements > 1 && random_.chance(50)) return fmt::format("[{}+{}]", v.name, v.bits / 8);
    if (!random_.chance(6)) return "[" + v.name + "]";
    const std::string pointer = fmt::format("%ra{}", t.addresses++);
    t.lines.push_back(fmt::format("mov.u64 {}, {}", pointer, v.name));
    const auto wide = std::find_if(t.defined.begin(), t.defined.end(), [](const RegisterSpec& r) { return r.bits == 64; });
    if (wide != t.defined.end() && random_.chance(50)) {
      const std::string zero = fmt::format("%ra{}", t.addresses++);
      t.lines.push_back(fmt::format("xor.b64 {0}, {1}, {1}", zero, reg(wide->name)));
      t.lines.push_back(fmt::format("add.u64 {0}, {0}, {1}", pointer, zero));
    }
    return "[" + pointer + "]";
  }

  /// A type suffix, of the native form only.
  std::string type(int bits, std::string_view classes = "bus") {
    if (!native_) return "";
    return fmt::format(".{}{}", classes[random_.below(classes.size())], bits);
  }

  /// A constant, or a register of that width that was defined before (or one converted to it).
  std::string value(ThreadSpec& t, int bits) {
    if (t.defined.empty() || random_.chance(60)) return std::to_string(random_.between(0, 3));
    const RegisterSpec r = random_.pick(t.defined);
    if (r.bits == bits || !native_) return reg(r.name);
    const std::string to = new_register(t, bits);
    t.lines.push_back(fmt::format("cvt.u{}.u{} {}, {}", bits, r.bits, to, reg(r.name)));
    return to;
  }

  std::string load_semantics(const ThreadSpec& t, const VariableSpec& v) {
    switch (random_.weighted({30, 35, 30, native_ && !v.shared ? 6u : 0u})) {
      case 0: return native_ && random_.chance(30) ? "" : ".weak";
      case 1: return ".relaxed" + scope(t);
      case 2: return ".acquire" + scope(t);
      default: return ".volatile";
    }
  }

  std::string store_semantics(const ThreadSpec& t, const VariableSpec& v) {
    switch (random_.weighted({30, 35, 30, native_ && !v.shared ? 6u : 0u})) {
      case 0: return native_ && random_.chance(30) ? "" : ".weak";
      case 1: return ".relaxed" + scope(t);
      case 2: return ".release" + scope(t);
      default: return ".volatile";
    }
  }

  std::string atomic_semantics(const ThreadSpec& t, bool returns) {
    if (native_ && !t.host && random_.chance(10)) return "";  // .relaxed.gpu
    const std::string semantics = returns ? random_.pick<const char*>({".relaxed", ".relaxed", ".acquire", ".release", ".acq_rel"})
                                          : random_.pick<const char*>({".relaxed", ".relaxed", ".release"});
    return join({semantics, scope(t)});
  }

  // ---- Instructions: each returns one line; helpers go to t.lines before it ---------------------------------
  std::string load(ThreadSpec& t) {
    budget_ -= 1;
    const VariableSpec& v = draw_variable();
    const std::string at = address(t, v);
    const std::string op = join({"ld", load_semantics(t, v), space(v), type(v.bits), " "});
    return join({op, new_register(t, v.bits), ", ", at});
  }

  std::string store(ThreadSpec& t) {
    budget_ -= 1;
    const VariableSpec& v = draw_variable();
    const std::string at = address(t, v);
    const std::string stored = value(t, v.bits);
    return join({"st", store_semantics(t, v), space(v), type(v.bits), " ", at, ", ", stored});
  }

  std::string atomic_operation(const VariableSpec& v, bool returns) {
    if (!native_) {
      return returns ? random_.pick<const char*>({".add", ".sub", ".and", ".or", ".xor", ".exch", ".exch"})
                     : random_.pick<const char*>({".add", ".sub", ".and", ".or", ".xor"});
    }
    switch (random_.weighted({40, 12, 12, v.bits == 32 ? 8u : 0u, returns ? 25u : 0u})) {
      case 0: return ".add" + type(v.bits, v.bits == 64 ? "u" : "us");
      case 1: return join({random_.pick<const char*>({".and", ".or", ".xor"}), type(v.bits, "b")});
      case 2: return join({random_.pick<const char*>({".min", ".max"}), type(v.bits, "us")});
      case 3: return join({random_.pick<const char*>({".inc", ".dec"}), type(v.bits, "u")});
      default: return ".exch" + type(v.bits, "b");
    }
  }

  std::string atomic(ThreadSpec& t) {
    budget_ -= 2;
    const VariableSpec& v = draw_variable();
    const std::string at = address(t, v);
    const std::string operand = value(t, v.bits);
    const std::string where = native_ && random_.chance(70) ? (v.shared ? ".shared" : ".global") : "";
    const std::string op = join({"atom", atomic_semantics(t, true), where, atomic_operation(v, true)});
    if (native_ && random_.chance(5)) return fmt::format("{} _, {}, {}", op, at, operand);
    return fmt::format("{} {}, {}, {}", op, new_register(t, v.bits), at, operand);
  }

  std::string reduction(ThreadSpec& t) {
    budget_ -= 2;
    const VariableSpec& v = draw_variable();
    const std::string at = address(t, v);
    const std::string operand = value(t, v.bits);
    const std::string where = native_ && random_.chance(70) ? (v.shared ? ".shared" : ".global") : "";
    return join({"red", atomic_semantics(t, false), where, atomic_operation(v, false), " ", at, ", ", operand});
  }

  std::string compare_and_swap(ThreadSpec& t) {
    budget_ -= 2;
    const VariableSpec& v = draw_variable();
    const std::string at = address(t, v);
    const std::string compared = value(t, v.bits), stored = value(t, v.bits);
    const std::string where = native_ && random_.chance(70) ? (v.shared ? ".shared" : ".global") : "";
    const std::string op = join({"atom", atomic_semantics(t, true), where, ".cas", type(v.bits, "b")});
    return fmt::format("{} {}, {}, {}, {}", op, new_register(t, v.bits), at, compared, stored);
  }

  std::string fence(ThreadSpec& t) {
    if (native_ && random_.chance(12)) {
      return t.host ? "membar.sys" : random_.pick<const char*>({"membar.cta", "membar.gl", "membar.sys"});
    }
    if (native_ && random_.chance(25)) {
      return join({random_.pick<const char*>({"fence.acquire", "fence.release"}), scope(t)});
    }
    return join({random_.pick<const char*>({"fence.sc", "fence.sc", "fence.acq_rel"}), scope(t)});
  }

  std::string proxy_fence() {
    if (shape_.proxies && !native_) {
      return random_.pick<const char*>({"fence.proxy.alias", "fence.proxy.constant", "fence.proxy.texture",
                                        "fence.proxy.surface"});
    }
    return "fence.proxy.alias";
  }

  /// Loads and stores through the constant, texture and surface proxies; short form.
  std::string proxy_access(ThreadSpec& t) {
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

  std::string barrier(ThreadSpec& t) {
    const int id = random_.between(0, 1);
    const int count = random_.between(1, 3);
    if (!native_) {
      const std::string op = random_.pick<const char*>({"bar.cta.sync", "bar.cta.sync", "bar.cta.arrive"});
      const int instance = random_.between(1, 2);
      return fmt::format("{} {}, {}, {}", op, instance, id, random_.between(1, 2));
    }
    const std::string base = random_.pick<const char*>({"bar", "barrier", "barrier.cta"});
    if (reductions_) {  // they may not meet the other kinds
      if (t.defined.empty()) t.lines.push_back(join({"mov.u32 ", new_register(t, 32), ", ", std::to_string(random_.between(0, 1))}));
      const RegisterSpec tested = random_.pick(t.defined);
      const std::string p = fmt::format("%p{}", t.predicates++);
      t.lines.push_back(fmt::format("setp.eq.u{} {}, {}, 1", tested.bits, p, reg(tested.name)));
      return fmt::format("{}.red.popc.u32 {}, {}, {}", base, new_register(t, 32), id, p);
    }
    if (random_.chance(20)) return fmt::format("{}.arrive {}, {}", base, id, 32 * count);
    const auto narrow = std::find_if(t.defined.begin(), t.defined.end(), [](const RegisterSpec& r) { return r.bits == 32; });
    if (narrow != t.defined.end() && random_.chance(10)) return fmt::format("{}.sync {}", base, reg(narrow->name));
    if (random_.chance(60)) return fmt::format("{}.sync {}", base, id);
    return fmt::format("{}.sync {}, {}", base, id, 32 * random_.between(1, 2));
  }

  /// Arithmetic on a register that exists: true and false dependencies.
  std::string arithmetic(ThreadSpec& t) {
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
    const std::string op = random_.pick<std::string>({"add.u" + b, "sub.s" + b, "xor.b" + b, "and.b" + b, "or.b" + b,
                                                      "mul.lo.u" + b, "min.u" + b, "max.s" + b, "shl.b" + b});
    if (op.starts_with("shl")) second = std::to_string(random_.between(0, 2));
    return fmt::format("{} {}, {}, {}", op, new_register(t, a.bits), from, second);
  }

  /// One instruction that touches memory or orders it.
  std::string plain(ThreadSpec& t) {
    if (budget_ <= 0) return fence(t);
    if (barriers_ && !t.host && random_.chance(30)) return barrier(t);
    if (shape_.proxies && !native_ && random_.chance(35)) return random_.chance(70) ? proxy_access(t) : proxy_fence();
    switch (random_.weighted({32, 32, 8, 5, 4, 16, shape_.aliases ? (has_alias() ? 10u : 1u) : 0u, 5})) {
      case 0: return load(t);
      case 1: return store(t);
      case 2: return atomic(t);
      case 3: return reduction(t);
      case 4: return compare_and_swap(t);
      case 5: return fence(t);
      case 6: return proxy_fence();
      default: return arithmetic(t);
    }
  }

  bool has_alias() const {
    return std::any_of(variables_.begin(), variables_.end(),
                       [](const VariableSpec& v) { return !v.aliases.empty() && v.proxy.empty(); });
  }

  // ---- Control flow -----------------------------------------------------------------------------------------
  std::string new_label(ThreadSpec& t) { return fmt::format("L{}{}", threads_index_, t.labels++); }

  /// An instruction that changes no register that others rely on, for the body of a predicate or a branch.
  std::string guarded_body(ThreadSpec& t) {
    if (budget_ <= 0) return fence(t);
    switch (random_.weighted({50, 15, 20, 15})) {
      case 0: return store(t);
      case 1: return reduction(t);
      case 2: return fence(t);
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

  void guarded(ThreadSpec& t) {
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
    const std::string p = fmt::format("%p{}", t.predicates++);
    const std::string body = guarded_body(t);
    const char* op = random_.pick<const char*>({"eq", "eq", "ne", "lt", "ge"});
    const char cls = random_.pick({'u', 's'});
    t.lines.push_back(fmt::format("setp.{}.{}{} {}, {}, {}", op, cls, tested.bits, p, reg(tested.name), constant));
    if (random_.chance(60)) {
      t.lines.push_back(fmt::format("@{}{} {}", random_.chance(30) ? "!" : "", p, body));
      return;
    }
    const std::string label = new_label(t);
    t.lines.push_back(fmt::format("@{}{} bra {}", random_.chance(50) ? "!" : "", p, label));
    t.lines.push_back(body);
    t.lines.push_back(label + ":");
  }

  void selection(ThreadSpec& t) {
    const RegisterSpec tested = random_.pick(t.defined);
    const std::string p = fmt::format("%p{}", t.predicates++);
    const char* op = random_.pick<const char*>({"eq", "ne", "gt"});
    t.lines.push_back(fmt::format("setp.{}.u{} {}, {}, {}", op, tested.bits, p, reg(tested.name), random_.between(0, 2)));
    const std::string a = value(t, tested.bits), b = value(t, tested.bits);
    t.lines.push_back(fmt::format("selp.b{} {}, {}, {}, {}", tested.bits, new_register(t, tested.bits), a, b, p));
  }

  /// Re-reads a location until it holds a value.
  void spin(ThreadSpec& t) {
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

  /// A loop with a side effect: an atomic that is tried again.
  void retry(ThreadSpec& t) {
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

  void draw_thread(std::size_t index) {
    ThreadSpec& t = threads_[index];
    threads_index_ = index;
    const int count = random_.between(1, shape_.max_instructions);
    for (int i = 0; i < count; ++i) {
      if (shape_.control && !t.defined.empty() && random_.chance(15)) {
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

  // ---- Condition --------------------------------------------------------------------------------------------
  std::vector<std::string> observables() const {
    std::vector<std::string> names;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      for (const RegisterSpec& r : threads_[t].defined) names.push_back(fmt::format("P{}:{}", t, reg(r.name)));
    }
    for (const VariableSpec& v : variables_) {
      if (v.aliases.empty() && !v.shared) names.push_back(v.elements > 1 ? v.name + "[1]" : v.name);
    }
    return names;
  }

  std::string condition(const std::vector<std::string>& names, int depth) {
    if (depth > 0 && random_.chance(55)) {
      const std::string left = condition(names, depth - 1), right = condition(names, depth - 1);
      switch (random_.weighted({60, 20, 10, 10})) {
        case 0: return fmt::format("({} /\\ {})", left, right);
        case 1: return fmt::format("({} \\/ {})", left, right);
        case 2: return fmt::format("({} => {})", left, right);
        default: return fmt::format("~({})", left);
      }
    }
    if (names.empty()) return "true";
    const std::string left = random_.pick(names);
    const char* op = random_.pick<const char*>({"==", "==", "==", "!=", "<", ">="});
    if (random_.chance(10)) return fmt::format("{} {} {}", left, op, random_.pick(names));
    return fmt::format("{} {} {}", left, op, random_.between(0, 3));
  }

  // ---- Printing ---------------------------------------------------------------------------------------------
  std::string print_init() {
    std::string text = "{\n";
    for (const VariableSpec& v : variables_) {
      if (!v.aliases.empty()) {
        text += v.proxy.empty() ? fmt::format("  {} aliases {};\n", v.name, v.aliases)
                                : fmt::format("  {} @ {} aliases {};\n", v.name, v.proxy, v.aliases);
      } else if (native_) {
        const char cls = random_.pick({'u', 's', 'b'});
        const std::string value = v.elements > 1 ? fmt::format("[{}] = {{0, {}}}", v.elements, v.initial)
                                  : v.initialised ? fmt::format(" = {}", v.initial) : "";
        text += fmt::format("  .{} .{}{} {}{};\n", v.shared ? "shared" : "global", cls, v.bits, v.name, value);
      } else {
        text += fmt::format("  {} = {};\n", v.name, v.initial);
      }
    }
    return text + "}\n";
  }

  std::string print_blocks() const {
    std::string text;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      text += fmt::format(" P{} @ {} {{\n", t, threads_[t].placement);
      for (const std::string& line : threads_[t].lines) {
        text += "  " + line + (line.ends_with(':') ? "\n" : ";\n");
      }
      text += " }\n";
    }
    return text;
  }

  std::string print_columns() const {
    std::vector<std::vector<std::string>> columns;
    std::size_t rows = 0;
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      columns.push_back({fmt::format("P{}@{}", t, threads_[t].placement)});
      columns.back().insert(columns.back().end(), threads_[t].lines.begin(), threads_[t].lines.end());
      rows = std::max(rows, columns.back().size());
    }
    std::string text;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t t = 0; t < columns.size(); ++t) {
        std::size_t width = 0;
        for (const std::string& cell : columns[t]) width = std::max(width, cell.size());
        text += fmt::format("{} {:{}} ", t == 0 ? "" : "|", row < columns[t].size() ? columns[t][row] : "", width);
      }
      text += ";\n";
    }
    return text;
  }

  std::string print() {
    std::string text = fmt::format("PTX random-{}\n\"Drawn at random, seed {}\"\n", seed_, seed_);
    text += print_init();
    text += native_ && random_.chance(50) ? print_blocks() : print_columns();
    const std::vector<std::string> names = observables();
    if (!names.empty() && random_.chance(85)) {
      std::vector<std::string> shown = names;
      while (shown.size() > 5) shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(random_.below(shown.size())));
      text += "locations [";
      for (const std::string& name : shown) text += name + "; ";
      text += "]\n";
    }
    if (random_.chance(5)) text += "filter (" + condition(names, 0) + ")\n";
    text += random_.pick<const char*>({"exists", "exists", "exists", "~exists", "forall"});
    return text + " (" + condition(names, 2) + ")\n";
  }

  std::uint64_t seed_;
  const Shape& shape_;
  Random random_;
  bool native_ = false, barriers_ = false, reductions_ = false, hosts_ = false;
  int budget_ = 0;
  int clusters_ = 0;  // 0: not drawn yet, 1: left out, 2: written
  std::size_t threads_index_ = 0;
  std::vector<VariableSpec> variables_;
  std::vector<ThreadSpec> threads_;
};

}  // namespace

Shape tiny_shape() {
  Shape shape;
  shape.max_threads = 3;
  shape.max_instructions = 2;
  shape.max_accesses = 5;
  shape.max_variables = 2;
  return shape;
}

std::string generate_test(std::uint64_t seed, const Shape& shape) { return Generator(seed, shape).run(); }

}  // namespace ptxmc::testing
