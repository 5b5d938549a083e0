// SPDX-License-Identifier: Apache-2.0
// Tests in design.md's notation, so that parse() gives the same test again (compare.h: but for positions and
// texts).
//
// Native tests with register declarations, or without PTX-form variables, need thread blocks to be native
// again; all others are printed in columns, which is what a herd user reads.
#include "input/litmus/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "input/litmus/header.h"
#include "input/litmus/words.h"
#include "ptx/isa/table.h"
#include "ptx/isa/warp.h"

namespace ptxmc::litmus {

namespace {

std::string print_value(const InitialValue& value) {
  return value.address_of.empty() ? std::to_string(value.integer) : "&" + value.address_of;
}

// ---- Header -----------------------------------------------------------------------------------------------

std::string_view stated_name(Stated stated) {
  switch (stated) {
    case Stated::allowed:
      return "Allowed";
    case Stated::forbidden:
      return "Forbidden";
    case Stated::required:
      return "Required";
    case Stated::unknown:
      return "Unknown";
    case Stated::undefined:
      return "Undefined";
  }
  return "";
}

std::string print_verdict(const Verdict& verdict) {
  std::string words;
  if (verdict.proposition) words += fmt::format(" {}", stated_name(*verdict.proposition));
  if (verdict.racy) words += *verdict.racy ? " Racy" : " RaceFree";
  if (verdict.hangs) words += *verdict.hangs ? " Hangs" : " Terminates";
  if (verdict.vacuous) words += " Vacuous";
  for (const std::string& finding : verdict.findings) words += " " + finding;
  return fmt::format("Verdict{}={}\n", circumstances(verdict), words.empty() ? "" : words.substr(1));
}

std::string print_header(const Test& test) {
  std::string out = fmt::format("PTX {}\n", test.name);
  for (const std::string& doc : test.docs) out += fmt::format("\"{}\"\n", doc);
  for (const auto& [key, value] : test.keys) out += fmt::format("{}={}\n", key, value);
  for (const Verdict& verdict : test.verdicts) out += print_verdict(verdict);
  return out;
}

// ---- Initial state ----------------------------------------------------------------------------------------

std::string c_type_name(const isa::Type& type) {
  return fmt::format("{}int{}_t", type.is_signed() ? "" : "u", type.bits);
}

std::string print_initial(const Variable& variable) {
  if (variable.initial.empty()) return "";
  if (!variable.is_array) return " = " + print_value(variable.initial.front());
  std::string out;
  for (const InitialValue& value : variable.initial) out += (out.empty() ? "" : ", ") + print_value(value);
  return " = {" + out + "}";
}

std::string print_offset(std::int64_t bytes) {
  if (bytes == 0) return "";
  return bytes > 0 ? fmt::format("+{}", bytes) : std::to_string(bytes);
}

std::string print_map(const TensorMap& map) {
  std::string out =
      fmt::format("tensor({}{}, .{}", map.base, print_offset(map.offset), isa::name_of(map.element));
  const auto list = [&](std::string_view name, const std::vector<std::int64_t>& values) {
    if (!values.empty()) out += fmt::format(", {}={{{}}}", name, fmt::join(values, ", "));
  };
  list("dims", map.dims);
  list("strides", map.strides);
  list("box", map.box);
  if (map.pixels) {
    out += fmt::format(", mode=.{}", isa::name_of(map.pixels->mode));
    list("lower", map.pixels->lower);
    list("upper", map.pixels->upper);
    out += fmt::format(", channels={}", map.pixels->channels);
    if (map.pixels->pixels != 1) out += fmt::format(", pixels={}", map.pixels->pixels);
  }
  list("steps", map.steps);
  if (map.swizzle != 0) out += fmt::format(", swizzle={}", map.swizzle);
  if (map.atom != 16) out += fmt::format(", atom={}", map.atom);
  if (map.interleave != 0) out += fmt::format(", interleave={}", map.interleave);
  if (map.fill_nan) out += ", fill=nan";
  return out + ")";
}

std::string print_variable(const Variable& variable) {
  if (!variable.aliases.empty()) {
    const std::string proxy = variable.alias_proxy == isa::Proxy::generic
                                  ? ""
                                  : fmt::format(" @ {}", isa::name_of(variable.alias_proxy));
    const std::string type = variable.type ? c_type_name(*variable.type) + " " : "";
    return fmt::format("{}{}{} aliases {}", type, variable.name, proxy, variable.aliases);
  }
  if (!variable.locations.empty())
    return fmt::format("{} multimem {}", variable.name, fmt::join(variable.locations, ", "));
  std::string out;
  if (variable.map) {
    const std::string align = variable.align != 0 ? fmt::format(".align {} ", variable.align) : "";
    return fmt::format(".{} {}.tensormap {} = {}", isa::name_of(variable.space), align, variable.name,
                       print_map(*variable.map));
  }
  if (variable.ptx_form) {
    out = fmt::format(".{} ", isa::name_of(variable.space));
    if (variable.opaque) out += ".opaque ";
    if (variable.align != 0) out += fmt::format(".align {} ", variable.align);
    if (variable.type) out += fmt::format(".{} ", isa::name_of(*variable.type));
  } else if (variable.type) {
    out = c_type_name(*variable.type) + " ";
  }
  out += variable.name;
  if (variable.is_array) out += fmt::format("[{}]", variable.elements);
  return out + print_initial(variable);
}

std::string print_register(const std::string& name) {
  return is_bare_register(name) ? name : "%" + name;
}

std::string print_init(const Test& test) {
  std::string out = "{\n";
  for (const Variable& variable : test.variables) out += fmt::format("  {};\n", print_variable(variable));
  for (const RegisterInit& init : test.register_inits) {
    out += fmt::format("  P{}:{} = {};\n", init.thread, print_register(init.name), print_value(init.value));
  }
  return out + "}\n";
}

// ---- Code -------------------------------------------------------------------------------------------------

struct PrintOperand {
  bool native;  // registers always with %

  std::string reg(const std::string& name) const {
    if (name == "_") return name;
    return native ? "%" + name : print_register(name);
  }
  std::string operator()(const Register& r) const { return reg(r.name); }
  std::string operator()(const Integer& i) const { return std::to_string(i.value); }
  std::string operator()(const Address& a) const {
    return fmt::format("[{}{}]", a.variable.empty() ? reg(a.base_register) : a.variable,
                       print_offset(a.offset));
  }
  std::string operator()(const AddressOf& a) const { return a.variable + print_offset(a.offset); }
  std::string operator()(const LabelName& l) const { return l.name; }
  std::string operator()(const ObjectName& o) const { return o.name; }
  std::string operator()(const Sink&) const { return "_"; }
  // Both with %, or `_`: the bar must not separate columns
  std::string operator()(const RegisterPair& p) const {
    return fmt::format("{}|{}", p.first == "_" ? "_" : "%" + p.first, p.second == "_" ? "_" : "%" + p.second);
  }
  std::string operator()(const NegatedRegister& n) const { return "!" + reg(n.name); }
  std::string operator()(const VectorOperand& v) const {
    std::string out;
    for (const auto& element : v.elements) out += (out.empty() ? "" : ", ") + std::visit(*this, element);
    return "{" + out + "}";
  }
  std::string operator()(const TensorAddress& t) const {
    std::string out;
    for (const auto& coordinate : t.coordinates)
      out += (out.empty() ? "" : ", ") + std::visit(*this, coordinate);
    const std::string map = (*this)(t.map);
    return fmt::format("{}, {{{}}}]", std::string_view(map).substr(0, map.size() - 1), out);
  }
  std::string operator()(const Descriptor& d) const {
    std::string out = fmt::format("desc({}{}", d.variable, print_offset(d.offset));
    if (d.leading) out += fmt::format(", leading={}", *d.leading);
    if (d.stride) out += fmt::format(", stride={}", *d.stride);
    if (d.swizzle != 0) out += fmt::format(", swizzle={}", d.swizzle);
    return out + ")";
  }
};

std::string print_instruction(const Instruction& instruction, bool native) {
  const PrintOperand operand{native};
  std::string out;
  if (instruction.guard) {
    out += fmt::format("@{}{} ", instruction.guard->negated ? "!" : "", operand.reg(instruction.guard->reg));
  }
  out += isa::mnemonic(instruction.opcode, instruction.modifiers);
  std::string_view separator = " ";
  for (const Operand& o : instruction.operands) {
    out += separator;
    out += std::visit(operand, o.value);
    separator = ", ";
  }
  return out;
}

/// How many threads from the i-th on are the lanes of warps, from the first lane of one on, with one body: a block of `threads N`.
std::size_t lanes_from(const Test& test, std::size_t i) {
  constexpr int kLanes = isa::kWarp;
  const Thread& first = test.threads[i];
  if (!first.placement.warp || first.placement.lane != 0) return 1;
  std::size_t count = 1;
  for (; i + count < test.threads.size(); ++count) {
    const Thread& next = test.threads[i + count];
    const int k = static_cast<int>(count);
    Placement expected = first.placement;
    expected.warp = *first.placement.warp + k / kLanes;
    expected.lane = k % kLanes;
    if (next.body != first.body || next.number != first.number + k || next.placement != expected) break;
  }
  return count;
}

std::string print_head(const Thread& thread, std::size_t lanes = 1) {
  const Placement& p = thread.placement;
  if (p.host) return fmt::format("P{} @ host", thread.number);
  std::string out = fmt::format("P{} @ gpu {}", thread.number, p.gpu);
  if (p.cluster) out += fmt::format(", cluster {}", *p.cluster);
  if (p.cta) out += fmt::format(", cta {}", *p.cta);
  if (p.warp) out += fmt::format(", warp {}", *p.warp);
  if (lanes > 1) return out + fmt::format(", threads {}", lanes);
  if (p.lane) out += fmt::format(", lane {}", *p.lane);
  return out;
}

/// A vector, whose components stand side by side, is declared as one (5.4.2).
std::string print_registers(std::span<const RegisterDeclaration> all) {
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t dot = all[i].name.find('.');
    if (dot == std::string::npos) {
      out += fmt::format("  .reg .{} %{};\n", isa::name_of(all[i].type), all[i].name);
      continue;
    }
    const std::string vector = all[i].name.substr(0, dot);
    while (i + 1 < all.size() && all[i + 1].name.starts_with(vector + '.')) ++i;
    const char last = all[i].name.back();
    out += fmt::format("  .reg .v{} .{} %{};\n", last == 'x' || last == 'y' ? 2 : 4,
                       isa::name_of(all[i].type), vector);
  }
  return out;
}

std::string print_block(const Thread& thread, std::size_t lanes = 1) {
  std::string out = print_head(thread, lanes) + " {\n" + print_registers(thread.registers());
  for (const Instruction& instruction : thread.code()) {
    for (const std::string& label : instruction.labels) out += label + ":\n";
    if (instruction.opcode != isa::Opcode::nop) {
      out += fmt::format("  {};\n", print_instruction(instruction, true));
    }
  }
  return out + "}\n";
}

// The cells of a thread's column: its head, then one a label or instruction.
std::vector<std::string> column(const Thread& thread, bool native) {
  std::vector<std::string> cells = {print_head(thread)};
  for (const Instruction& instruction : thread.code()) {
    for (const std::string& label : instruction.labels) cells.push_back(label + ":");
    if (instruction.opcode != isa::Opcode::nop) cells.push_back(print_instruction(instruction, native));
  }
  return cells;
}

std::string print_columns(const Test& test) {
  std::vector<std::vector<std::string>> columns;
  std::vector<std::size_t> widths;
  std::size_t rows = 0;
  for (const Thread& thread : test.threads) {
    columns.push_back(column(thread, test.native));
    rows = std::max(rows, columns.back().size());
    std::size_t width = 0;
    for (const std::string& cell : columns.back()) width = std::max(width, cell.size());
    widths.push_back(width);
  }
  std::string out;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string_view cell = row < columns[i].size() ? columns[i][row] : std::string_view();
      out.append(i == 0 ? " " : "| ").append(cell).append(widths[i] + 1 - cell.size(), ' ');
    }
    out += ";\n";
  }
  return out;
}

std::string print_kernels(const Test& test) {
  if (!test.kernels.stated) return "";
  std::string out = "kernels {\n";
  for (const Kernel& kernel : test.kernels.kernels) {
    out += fmt::format("  {}:", kernel.name);
    for (const int thread : kernel.threads) out += fmt::format(" P{}", thread);
    if (!kernel.after.empty()) out += fmt::format(", after {}", fmt::join(kernel.after, " "));
    if (!kernel.programmatic.empty())
      out += fmt::format(", programmatic after {}", fmt::join(kernel.programmatic, " "));
    out += ";\n";
  }
  for (const KernelGraph& graph : test.kernels.graphs) {
    out += fmt::format("  graph {}: {};\n", graph.name, fmt::join(graph.kernels, " "));
  }
  for (const Instruction& call : test.kernels.calls)
    out += fmt::format("  {};\n", print_instruction(call, test.native));
  return out + "}\n";
}

bool in_blocks(const Test& test) {
  const bool declares_registers =
      std::any_of(test.threads.begin(), test.threads.end(),
                  [](const Thread& thread) { return !thread.registers().empty(); });
  const bool declares_variables = std::any_of(test.variables.begin(), test.variables.end(),
                                              [](const Variable& variable) { return variable.ptx_form; });
  return test.native && (declares_registers || !declares_variables);
}

// State spaces of herd-form variables, which their declaration does not tell.
std::string print_regions(const Test& test) {
  std::string out;
  for (const Variable& variable : test.variables) {
    if (variable.ptx_form || !variable.aliases.empty() || variable.space == isa::Space::global) continue;
    out +=
        fmt::format("{} {}:{}", out.empty() ? "regions:" : ",", variable.name, isa::name_of(variable.space));
  }
  return out.empty() ? "" : out + "\n";
}

}  // namespace

std::string print(const Test& test, Lanes lanes) {
  return print_header(test) + print_meaning(test, lanes);
}

std::string print_meaning(const Test& test, Lanes lanes) {
  std::string out = print_init(test) + print_kernels(test);
  if (in_blocks(test)) {
    for (std::size_t i = 0; i < test.threads.size();) {
      const std::size_t count = lanes == Lanes::together ? lanes_from(test, i) : 1;
      out += print_block(test.threads[i], count);
      i += count;
    }
  } else {
    out += print_columns(test);
  }
  out += print_regions(test);
  if (!test.property.locations.empty()) {
    out += "locations [";
    for (const StateName& name : test.property.locations) out += print(name) + ";";
    out += "]\n";
  }
  if (test.property.filter) out += fmt::format("filter {}\n", print(*test.property.filter));
  if (test.property.condition) out += program::print_condition_line(test.property) + "\n";
  return out;
}

}  // namespace ptxmc::litmus
