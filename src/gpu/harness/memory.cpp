// SPDX-License-Identifier: Apache-2.0
// Memory of several names, tensor maps, and the test's own parameters.
//
// An alias of a variable is the same place of another mapping of the memory, or, by the constant proxy, of
// the constant window that is the memory. Resets and evaluation use the variable's own name; so that a name
// shows no value of an earlier round, all threads have an alias fence on both sides of the grid's barrier.
// There is no such fence for constant loads and texture fetches (9.7.12.4 knows none), but a launch begins
// with none of them cached: such a test has one round a launch.
//
// A tensor map names its own instance's tensor, so everything stays where it is, and the launcher encodes the
// maps once. A map that the test changes is copied back from one that it does not, and the tensormap proxy
// hears of it: a release by who resets it, an acquire by who uses it (9.7.12.4).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "gpu/harness/plan_memory.h"
#include "gpu/harness/writer.h"
#include "gpu/text/module.h"
#include "gpu/text/tensor_maps.h"
#include "ptx/isa/table.h"

namespace ptxmc::gpu {

namespace {

constexpr unsigned kVectorBytes = 16;
constexpr unsigned kUnrolledVectors = 8;

}  // namespace

void HarnessWriter::alias_addresses() {
  for (const AliasCell& cell : plan_.aliases) {
    const std::string own = t_.wide("at_" + cell.root->name), alias = t_.wide("at_" + cell.variable->name);
    if (cell.kind == NameKind::mapping) {
      t_("mad.lo.u64 {}, {}, {}, {};", alias, t_.wide("span"), cell.mapping, own);
      continue;
    }
    t_("sub.u64 {}, {}, {};", alias, own, t_.wide("memory"));
    if (cell.kind == NameKind::constant) {
      const std::string window = t_.new_wide();
      t_("mov.u64 {}, {};", window, kConstantWindow);
      t_("add.u64 {0}, {0}, {1};", alias, window);
    } else {
      t_("shr.u64 {0}, {0}, {1};", alias, std::countr_zero(facts_.type(cell.variable->name).bits / 8U));
      t_("cvt.u32.u64 {}, {};", t_.word("texel_" + cell.variable->name), alias);
    }
  }
}

std::map<std::string, std::pair<std::string, std::string>> HarnessWriter::textures() {
  std::map<std::string, std::pair<std::string, std::string>> out;
  for (const AliasCell& cell : plan_.aliases) {
    const std::string& name = cell.variable->name;
    if (cell.kind == NameKind::texture) out[name] = {t_.wide("texture_" + name), t_.word("texel_" + name)};
  }
  return out;
}

void HarnessWriter::alias_fence() {
  if (plan_.mappings > 1) t_("fence.proxy.alias;");
}

/// Each name is read once before the test begins: what an L1 or a constant cache holds of a name is what
/// shows stale values later, and only the initial value is held then.
void HarnessWriter::touch_aliases() {
  if (plan_.aliases.empty()) return;
  const std::string sum = t_.word("touched"), value = t_.word("touch"), p = t_.truth("p");
  t_("xor.b32 {}, {}, 0x5bd1e995;", sum, t_.word("seed"));  // that the assembler does not know
  const auto touch = [&](const char* load, const std::string& name) {
    t_("{} {}, [{}];", load, value, t_.wide("at_" + name));
    t_("xor.b32 {0}, {0}, {1};", sum, value);
  };
  for (const AliasCell& cell : plan_.aliases) {
    touch("ld.global.u8", cell.root->name);
    if (cell.kind != NameKind::texture) {
      touch(cell.kind == NameKind::constant ? "ld.const.u8" : "ld.global.u8", cell.variable->name);
      continue;
    }
    const auto [object, texel] = textures().at(cell.variable->name);
    t_("tex.1d.v4.u32.s32 {{{}, {}, {}, {}}}, [{}, {{{}}}];", value, t_.word("green"), t_.word("blue"),
       t_.word("alpha"), object, texel);
    t_("and.b32 {0}, {0}, 0xff;", value);
    t_("xor.b32 {0}, {0}, {1};", sum, value);
  }
  t_("setp.eq.u32 {}, {}, 0;", p, sum);  // for hardly any seed
  t_("@{} st.global.b32 [{}+24], {};", p, t_.wide("control"), sum);
}

/// By the thread that resets an instance.
void HarnessWriter::restore_maps() {
  for (const MapCell& map : plan_.maps) {
    if (!map.pristine) continue;
    const std::string low = t_.wide("low"), high = t_.wide("high"), from = t_.wide("pristine");
    const std::string to = t_.wide("at_" + map.variable->name);
    t_("mul.wide.u32 {}, {}, {};", from, t_.word("all"), plan_.stride);
    t_("mad.lo.u64 {0}, {0}, {1}, {2};", from, *map.pristine - map.place, to);
    for (unsigned byte = 0; byte < kTensorMapBytes; byte += kVectorBytes) {
      t_("ld.global.v2.b64 {{{}, {}}}, [{}+{}];", low, high, from, byte);
      t_("st.global.v2.b64 [{}+{}], {{{}, {}}};", to, byte, low, high);
    }
  }
}

/// By the same thread, behind all of a reset.
void HarnessWriter::release_maps() {
  const bool any =
      std::any_of(plan_.maps.begin(), plan_.maps.end(), [](const MapCell& map) { return map.changes(); });
  if (any) t_("fence.proxy.tensormap::generic.release.gpu;");
}

/// By a thread of the test, before it begins.
void HarnessWriter::acquire_maps() {
  for (const MapCell& map : plan_.maps) {
    if (map.changes())
      t_("fence.proxy.tensormap::generic.acquire.gpu [{}], {};", t_.wide("at_" + map.variable->name),
         kTensorMapBytes);
  }
}

/// The symbolic value of a pointer (observe.h), in its place; goes to `bad` with what has none.
void HarnessWriter::write_pointer(const std::string& value, const std::string& bad) {
  const std::string address = t_.new_wide(), code = t_.new_wide(), p = t_.truth("p"), done = t_.new_label();
  for (std::size_t i = 0; i < observation_.addresses().size(); ++i) {
    const AddressName& name = observation_.addresses()[i];
    const unsigned offset = name.element * static_cast<unsigned>(facts_.type(name.variable).bits) / 8;
    const std::string next = t_.new_label();
    t_("add.u64 {}, {}, {};", address, t_.wide("at_" + name.variable), offset);
    t_("setp.ne.u64 {}, {}, {};", p, value, address);
    t_("@{} bra {};", p, next);
    t_("mov.u64 {}, {};", value, pointer_value(i));
    t_("bra {};", done);
    t_.label(next);
  }
  t_("shr.u64 {}, {}, {};", code, value, kPointerIntegerBits);
  t_("setp.ne.u64 {}, {}, 0;", p, code);
  t_("@{} bra {};", p, bad);
  t_("mul.lo.u64 {0}, {0}, {1};", value, integer_value(1));
  t_.label(done);
}

/// Elements of one variable get their initial values, zeros as many at once as there are. `base`: a register
/// with its address, which a variable of 16 bytes and more has aligned.
void HarnessWriter::reset_variable(const char* space, const std::string& base,
                                   const program::Variable& variable) {
  const auto bits = static_cast<unsigned>(facts_.type(variable.name).bits);
  const unsigned bytes = bits / 8, many = kVectorBytes / bytes;
  const auto given = static_cast<std::uint32_t>(variable.initial.size());
  for (std::uint32_t i = 0; i < variable.elements;) {
    const std::uint32_t zeros = i < given ? 0 : (variable.elements - i) / many;
    if (zeros > 0 && i % many == 0) {
      clear(space, base, i * bytes, zeros);
      i += zeros * many;
      continue;
    }
    const std::string place = fmt::format("[{}+{}]", base, i * bytes), value = initial(variable, i);
    if (bits == 128) {
      t_("st.{}.v2.b64 {}, {{{}, 0}};", space, place, value);
    } else {
      t_("st.{}.b{} {}, {};", space, bits, place, value);
    }
    ++i;
  }
}

/// So many vectors of zeros.
void HarnessWriter::clear(const char* space, const std::string& base, unsigned offset, unsigned vectors) {
  if (vectors <= kUnrolledVectors) {
    for (unsigned i = 0; i < vectors; ++i)
      t_("st.{}.v4.b32 [{}+{}], {{0, 0, 0, 0}};", space, base, offset + i * kVectorBytes);
    return;
  }
  const bool wide = base.starts_with("%hd");
  const std::string at = wide ? t_.new_wide() : t_.new_word(), left = t_.new_word(), p = t_.truth("p");
  const std::string loop = t_.new_label(), type = wide ? "u64" : "u32";
  t_("add.{} {}, {}, {};", type, at, base, offset);
  t_("mov.u32 {}, {};", left, vectors);
  t_.label(loop);
  t_("st.{}.v4.b32 [{}], {{0, 0, 0, 0}};", space, at);
  t_("add.{0} {1}, {1}, {2};", type, at, kVectorBytes);
  t_("sub.u32 {0}, {0}, 1;", left);
  t_("setp.ne.u32 {}, {}, 0;", p, left);
  t_("@{} bra {};", p, loop);
}

void HarnessWriter::load_memory_parameters() {
  if (plan_.mappings > 1) t_("ld.param.u64 {}, [ptxmc_span];", t_.wide("span"));
  for (const auto& [name, registers] : textures())
    t_("ld.param.u64 {}, [ptxmc_texture_{}];", registers.first, name);
}

std::string HarnessWriter::memory_parameters() const {
  std::string out;
  if (plan_.mappings > 1) out += ",\n    .param .u64 ptxmc_span";
  for (const AliasCell& cell : plan_.aliases) {
    if (cell.kind == NameKind::texture) out += ",\n    .param .u64 ptxmc_texture_" + cell.variable->name;
  }
  for (const program::Variable& variable : test_.variables) {
    if (is_parameter(facts_, variable))
      out += fmt::format(",\n    .param .{} {}", isa::name_of(facts_.type(variable.name)), variable.name);
  }
  return out;
}

std::string HarnessWriter::memory_declarations() const {
  if (plan_.window_bytes == 0) return "";
  return fmt::format(".visible .const .align 256 .b8 {}[{}];\n", kConstantWindow, plan_.window_bytes);
}

void HarnessWriter::describe_memory(Harness& harness) const {
  harness.mappings = plan_.mappings;
  harness.window_bytes = plan_.window_bytes;
  for (const AliasCell& cell : plan_.aliases) {
    if (cell.kind == NameKind::texture)
      harness.textures.push_back(static_cast<unsigned>(facts_.type(cell.variable->name).bits) / 32);
  }
  harness.most_rounds = plan_.window_bytes == 0 && harness.textures.empty() ? 0 : 1;
  for (const MapCell& map : plan_.maps) {
    if (!map.tensor) continue;
    MapRow row{*map.variable->map, *map.tensor, {map.place}};
    if (map.pristine) row.rows.push_back(*map.pristine);
    harness.maps.push_back(std::move(row));
  }
  for (const program::Variable& variable : test_.variables) {
    if (!is_parameter(facts_, variable)) continue;
    const std::int64_t value = variable.initial.empty() ? 0 : variable.initial.front().integer;
    harness.given.push_back(static_cast<std::uint64_t>(value));
  }
}

}  // namespace ptxmc::gpu
