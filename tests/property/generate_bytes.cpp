// SPDX-License-Identifier: Apache-2.0
// Accesses of random programs that are not of one whole variable: parts of
// variables, vectors, packed pairs, addresses that were read, ld.global.nc.
// Offsets are aligned and inside; what is read and used as an address may be
// anything, and is out of bounds then.
#include <fmt/format.h>

#include <algorithm>

#include "generator.h"

namespace ptxmc::testing {

const VariableSpec* Generator::draw_global() {
  std::vector<const VariableSpec*> found;
  for (const VariableSpec& v : variables_) {
    if (!v.shared && v.aliases.empty()) found.push_back(&v);
  }
  return found.empty() ? nullptr : random_.pick(found);
}

std::string Generator::load_or_store(ThreadSpec& t, const VariableSpec& v, const std::string& at, int bits) {
  budget_ -= 1;
  // Registers have 32 or 64 bits; narrower values are extended.
  const int wide = std::max(bits, 32);
  if (random_.chance(50)) {
    const std::string op = join({"ld", load_semantics(t, v), type(bits), " "});
    return join({op, new_register(t, wide), ", ", at});
  }
  const std::string stored = value(t, wide);
  return join({"st", store_semantics(t, v), type(bits), " ", at, ", ", stored});
}

std::string Generator::part_access(ThreadSpec& t) {
  const VariableSpec& v = draw_variable();
  const int bytes = v.bits / 8;
  const int size = random_.pick({1, 2, 4, 4});
  if (size >= bytes) return random_.chance(50) ? load(t) : store(t);
  const int places = v.elements * bytes / size;
  const std::string at = fmt::format("[{}+{}]", v.name, random_.between(0, places - 1) * size);
  if (size < 4 || random_.chance(75)) return load_or_store(t, v, at, size * 8);
  budget_ -= 2;
  const std::string operand = value(t, 32);
  const std::string op =
      join({"atom", atomic_semantics(t, true), random_.pick<const char*>({".add.u32", ".exch.b32"})});
  return fmt::format("{} {}, {}, {}", op, new_register(t, 32), at, operand);
}

std::string Generator::vector_access(ThreadSpec& t) {
  const VariableSpec& v = draw_variable();
  budget_ -= 2;
  const bool packed = v.elements == 1 && v.bits == 32;
  if (v.elements == 1 && !packed) {
    budget_ += 2;
    return part_access(t);
  }
  const std::string kind = packed ? ".f16x2" : fmt::format(".v2.u{}", v.bits);
  if (random_.chance(50)) {
    const std::string op = join({"ld", load_semantics(t, v), kind, " "});
    if (packed) return fmt::format("{}{}, [{}]", op, new_register(t, 32), v.name);
    const std::string first = new_register(t, v.bits), second = new_register(t, v.bits);
    return fmt::format("{}{{{}, {}}}, [{}]", op, first, second, v.name);
  }
  const std::string first = value(t, v.bits);
  const std::string op = join({"st", store_semantics(t, v), kind, " "});
  if (packed) return fmt::format("{}[{}], {}", op, v.name, first);
  const std::string second = value(t, v.bits);
  return fmt::format("{}[{}], {{{}, {}}}", op, v.name, first, second);
}

std::string Generator::pointer_access(ThreadSpec& t) {
  const VariableSpec* v = draw_global();
  if (random_.chance(35)) {
    budget_ -= 1;
    return join({"st", store_semantics(t, *v), ".global.u64 [p], ", v->name});
  }
  budget_ -= 1;
  const std::string pointer = fmt::format("%ra{}", t.addresses++);
  t.lines.push_back(join({"ld", load_semantics(t, *v), ".global.u64 ", pointer, ", [p]"}));
  return load_or_store(t, *v, "[" + pointer + "]", v->bits);
}

/// A register that tells something of where variables lie: conditions and stored values use it as any other.
std::string Generator::address_arithmetic(ThreadSpec& t) {
  const std::string first = fmt::format("%ra{}", t.addresses++), second = fmt::format("%ra{}", t.addresses++);
  if (random_.chance(40)) {
    budget_ -= 1;
    t.lines.push_back(fmt::format("ld.relaxed.sys.global.u64 {}, [p]", first));
  } else {
    t.lines.push_back(fmt::format("mov.u64 {}, {}", first, draw_global()->name));
  }
  const int mask = random_.pick<int>({3, 6, 1024});
  if (random_.chance(50)) return fmt::format("and.b64 {}, {}, {}", new_register(t, 64), first, mask);
  t.lines.push_back(fmt::format("mov.u64 {}, {}", second, draw_global()->name));
  return fmt::format("sub.u64 {}, {}, {}", new_register(t, 64), second, first);
}

std::string Generator::indexed_access(ThreadSpec& t) {
  const auto array = std::find_if(variables_.begin(), variables_.end(),
                                  [](const VariableSpec& v) { return v.elements > 1 && v.aliases.empty(); });
  if (array == variables_.end() || t.defined.empty()) return part_access(t);
  const RegisterSpec index = random_.pick(t.defined);
  const std::string offset = fmt::format("%ra{}", t.addresses++),
                    element = fmt::format("%ra{}", t.addresses++);
  if (index.bits == 64) {
    t.lines.push_back(fmt::format("and.b64 {}, {}, 1", offset, reg(index.name)));
  } else {
    t.lines.push_back(fmt::format("cvt.u64.u32 {}, {}", offset, reg(index.name)));
    t.lines.push_back(fmt::format("and.b64 {0}, {0}, 1", offset));
  }
  t.lines.push_back(fmt::format("shl.b64 {0}, {0}, {1}", offset, array->bits == 64 ? 3 : 2));
  t.lines.push_back(fmt::format("mov.u64 {}, {}", element, array->name));
  t.lines.push_back(fmt::format("add.u64 {0}, {0}, {1}", element, offset));
  return load_or_store(t, *array, "[" + element + "]", array->bits);
}

std::string Generator::non_coherent_load(ThreadSpec& t) {
  const VariableSpec* v = draw_global();
  if (!v) return load(t);
  budget_ -= 1;
  return fmt::format("ld.global.nc.u{} {}, [{}]", v->bits, new_register(t, v->bits), v->name);
}

std::string Generator::bytes_access(ThreadSpec& t) {
  switch (random_.weighted({45, 20, pointer_ && !t.host ? 30u : 0u, 15, t.host ? 0u : 4u})) {
    case 0:
      return part_access(t);
    case 1:
      return vector_access(t);
    case 2:
      return random_.chance(15) ? address_arithmetic(t) : pointer_access(t);
    case 3:
      return indexed_access(t);
    default:
      return non_coherent_load(t);
  }
}

}  // namespace ptxmc::testing
