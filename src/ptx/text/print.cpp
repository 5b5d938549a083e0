// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/print.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "support/overloaded.h"

namespace ptxmc::ptx {

namespace {

std::string_view name_of(Linkage linkage) {
  switch (linkage) {
    case Linkage::none:
      return "";
    case Linkage::external:
      return ".extern ";
    case Linkage::visible:
      return ".visible ";
    case Linkage::weak:
      return ".weak ";
    case Linkage::common:
      return ".common ";
  }
  return "";
}

/// Appends to one text.
class Printer {
 public:
  std::string take() { return std::move(out_); }

  void print(const Module& module);

 private:
  template <typename... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  /// The elements with `, ` between them.
  template <typename List, typename F>
  void list(const List& elements, F f) {
    bool first = true;
    for (const auto& element : elements) {
      if (!std::exchange(first, false)) out_ += ", ";
      f(element);
    }
  }

  void print(const Instruction& instruction);
  void print(const Operand& operand);
  void name(const Name& name) { put("{}{}", name.percent ? "%" : "", name.name); }
  void offset(std::int64_t number) { put("{}{}", number < 0 ? "" : "+", number); }
  void floating(std::int64_t bits, bool single);
  void operands(const Operand& operand, std::string_view open, std::string_view close);
  void address(const Operand& operand);

  void type(const Type& type);
  void declarator(const Declarator& declarator);
  void attributes(const std::vector<Attribute>& attributes);
  void head(const Variable& variable);
  void rest(const Variable& variable);
  void parameters(const std::vector<Variable>& variables);
  void initialiser(const Variable& variable);
  void values(const Variable& variable, std::size_t level, std::uint64_t first, std::size_t& next);
  void datum(const Initialiser& initial, const Datum& datum);

  void print(const Label& label) { put("{}{}:\n", label.name.percent ? "%" : "", label.name.name); }
  void print(const Registers& registers);
  void print(const Variables& variables);
  void print(const Variable& v);
  void print(const Location& location);
  void print(const Pragma& pragma);
  void print(const Targets& targets);
  void print(const Prototype& prototype);
  void print(const Section& section) { put(".section {} {{{}}}\n", section.name, section.text); }
  void print(const File& file);
  void print(const Alias& alias);
  void print(const Function& function);
  void print(const Body& body);

  std::string out_;
};

// ---- Operands ---------------------------------------------------------------------------------------------

void Printer::floating(std::int64_t bits, bool single) {
  if (single) {
    put("0f{:08X}", static_cast<std::uint32_t>(bits));
  } else {
    put("0d{:016X}", static_cast<std::uint64_t>(bits));
  }
}

void Printer::operands(const Operand& operand, std::string_view open, std::string_view close) {
  out_ += open;
  list(operand.elements, [&](const Operand& element) { print(element); });
  out_ += close;
}

void Printer::address(const Operand& operand) {
  out_ += '[';
  if (operand.name.name.empty()) {
    put("{}", operand.number);
  } else {
    name(operand.name);
    if (operand.has_offset) offset(operand.number);
  }
  if (operand.comma) {
    out_ += ", ";
    if (!operand.second.name.empty()) {
      name(operand.second);
      out_ += ", ";
    }
    operands(operand, "{", "}");
  }
  out_ += operand.unified ? "].unified" : "]";
}

void Printer::print(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::integer:
      return put("{}", operand.number);
    case Operand::Kind::floating:
      return floating(operand.number, operand.single);
    case Operand::Kind::name:
      name(operand.name);
      if (operand.has_offset) offset(operand.number);
      return;
    case Operand::Kind::pair:
      name(operand.name);
      out_ += '|';
      return name(operand.second);
    case Operand::Kind::negated:
      out_ += '!';
      return name(operand.name);
    case Operand::Kind::address:
      return address(operand);
    case Operand::Kind::element:
      name(operand.name);
      return operands(operand, "[", "]");
    case Operand::Kind::vector:
      return operands(operand, "{", "}");
    case Operand::Kind::list:
      return operands(operand, "(", ")");
    case Operand::Kind::address_of:
      out_ += '&';
      return name(operand.name);
    case Operand::Kind::descriptor:
      out_ += "desc(";
      name(operand.name);
      if (operand.has_offset) offset(operand.number);
      for (const Operand& setting : operand.elements) put(", {}={}", setting.name.name, setting.number);
      out_ += ')';
  }
}

void Printer::print(const Instruction& instruction) {
  if (instruction.guard) {
    out_ += instruction.guard_negated ? "@!" : "@";
    name(*instruction.guard);
    out_ += ' ';
  }
  out_ += instruction.base;
  for (const std::string_view word : instruction.words) put(".{}", word);
  if (!instruction.operands.empty()) out_ += ' ';
  list(instruction.operands, [&](const Operand& operand) { print(operand); });
}

// ---- Declarations -----------------------------------------------------------------------------------------

void Printer::type(const Type& type) {
  if (type.vector != 0) put(".v{} ", type.vector);
  put(".{} ", type.name);
}

void Printer::declarator(const Declarator& declarator) {
  name(declarator.name);
  if (declarator.count) put("<{}>", *declarator.count);
}

void Printer::attributes(const std::vector<Attribute>& attributes) {
  if (attributes.empty()) return;
  out_ += ".attribute(";
  list(attributes, [&](const Attribute& attribute) {
    put(".{}", attribute.name);
    if (attribute.numbers.empty()) return;
    out_ += '(';
    list(attribute.numbers, [&](std::int64_t number) { put("{}", number); });
    out_ += ')';
  });
  out_ += ") ";
}

void Printer::head(const Variable& v) {
  put("{}.{} ", name_of(v.linkage), v.space);
  attributes(v.attributes);
  if (v.align != 0) put(".align {} ", v.align);
  type(v.type);
  if (v.pointer) out_ += ".ptr ";
  if (!v.pointer_space.empty()) put(".{} ", v.pointer_space);
  if (v.pointer_align != 0) put(".align {} ", v.pointer_align);
}

void Printer::rest(const Variable& v) {
  declarator(v.declarator);
  for (const std::uint64_t size : v.dimensions) size == 0 ? put("[]") : put("[{}]", size);
  if (v.initial) initialiser(v);
}

void Printer::parameters(const std::vector<Variable>& variables) {
  out_ += '(';
  list(variables, [&](const Variable& v) {
    head(v);
    rest(v);
  });
  out_ += ')';
}

void Printer::datum(const Initialiser& initial, const Datum& datum) {
  if (datum.kind == Datum::Kind::integer) return put("{}", datum.number);
  if (datum.kind == Datum::Kind::floating) return floating(datum.number, datum.single);
  const Symbol& symbol = initial.symbols[datum.symbol];
  if (symbol.mask != 0) put("0x{:x}(", symbol.mask);
  if (symbol.generic) out_ += "generic(";
  name(symbol.name);
  if (symbol.generic) out_ += ')';
  if (symbol.offset) offset(datum.number);
  if (symbol.mask != 0) out_ += ')';
}

void Printer::initialiser(const Variable& v) {
  out_ += " = ";
  std::size_t next = 0;
  if (v.dimensions.empty() && v.type.vector == 0) {
    datum(*v.initial, v.initial->data.front());
  } else {
    values(v, 0, 0, next);
  }
}

/// The list of a level from element `first` on; `next`: of the data.
void Printer::values(const Variable& v, std::size_t level, std::uint64_t first, std::size_t& next) {
  std::vector<std::uint64_t> sizes = v.dimensions;
  if (v.type.vector != 0) sizes.push_back(v.type.vector);
  std::uint64_t stride = 1;
  for (std::size_t i = level + 1; i < sizes.size(); ++i) stride *= sizes[i];
  const std::vector<Datum>& data = v.initial->data;
  out_ += '{';
  for (std::uint64_t i = 0; i < sizes[level] && next < data.size(); ++i) {
    if (data[next].index >= first + sizes[level] * stride) break;
    if (i != 0) out_ += ", ";
    if (level + 1 < sizes.size()) {
      values(v, level + 1, first + i * stride, next);
    } else {
      datum(*v.initial, data[next++]);
    }
  }
  out_ += '}';
}

void Printer::print(const Registers& registers) {
  out_ += ".reg ";
  if (registers.align != 0) put(".align {} ", registers.align);
  type(registers.type);
  list(registers.declarators, [&](const Declarator& d) { declarator(d); });
  out_ += ";\n";
}

void Printer::print(const Variable& v) {
  head(v);
  rest(v);
  out_ += ";\n";
}

// They have all but their names, sizes and values in common.
void Printer::print(const Variables& variables) {
  head(variables.variables.front());
  list(variables.variables, [&](const Variable& v) { rest(v); });
  out_ += ";\n";
}

// ---- Directives -------------------------------------------------------------------------------------------

void Printer::print(const Location& location) {
  const auto line = [&](const SourceLine& at) { put("{} {} {}", at.file, at.line, at.column); };
  out_ += ".loc ";
  line(location.at);
  if (!location.function.empty()) {
    put(", function_name {}", location.function);
    if (location.function_offset != 0) put("+{}", location.function_offset);
    out_ += ", inlined_at ";
    line(location.inlined_at);
  }
  out_ += '\n';
}

void Printer::print(const Pragma& pragma) {
  out_ += ".pragma ";
  list(pragma.strings, [&](std::string_view string) { put("\"{}\"", string); });
  out_ += ";\n";
}

void Printer::print(const Targets& targets) {
  out_ += targets.calls ? ".calltargets " : ".branchtargets ";
  list(targets.names, [&](const Name& n) { name(n); });
  out_ += ";\n";
}

void Printer::print(const Prototype& prototype) {
  out_ += ".callprototype ";
  if (!prototype.returns.empty()) parameters(prototype.returns);
  out_ += " _ ";
  if (!prototype.parameters.empty()) parameters(prototype.parameters);
  out_ += prototype.no_return ? " .noreturn;\n" : ";\n";
}

void Printer::print(const File& file) {
  put(".file {} \"{}\"", file.index, file.name);
  if (file.time != 0 || file.size != 0) put(", {}, {}", file.time, file.size);
  out_ += '\n';
}

void Printer::print(const Alias& alias) {
  out_ += ".alias ";
  name(alias.name);
  out_ += ", ";
  name(alias.function);
  out_ += ";\n";
}

// ---- Functions and modules --------------------------------------------------------------------------------

void Printer::print(const Body& body) {
  out_ += "{\n";
  std::vector<std::size_t> open = {0};
  std::size_t next = 1;  // of the scopes
  const std::size_t count = body.statements.size();
  for (std::size_t i = 0; i <= count; ++i) {
    while (true) {
      const bool opens = next < body.scopes.size() && body.scopes[next].begin == i &&
                         body.scopes[next].parent == open.back();
      if (opens) {
        out_ += "{\n";
        open.push_back(next++);
      } else if (open.size() > 1 && body.scopes[open.back()].end == i) {
        out_ += "}\n";
        open.pop_back();
      } else {
        break;
      }
    }
    if (i == count) break;
    std::visit(Overloaded{[&](const Instruction& instruction) {
                            print(instruction);
                            out_ += ";\n";
                          },
                          [&](const auto& node) { print(node); }},
               body.statements[i].node);
  }
  out_ += "}\n";
}

void Printer::print(const Function& function) {
  put("{}{} ", name_of(function.linkage), function.entry ? ".entry" : ".func");
  attributes(function.attributes);
  if (!function.returns.empty()) parameters(function.returns);
  out_ += ' ';
  name(function.name);
  if (!function.parameters.empty()) parameters(function.parameters);
  for (const Tuning& tuning : function.tuning) {
    put("\n.{} ", tuning.name);
    list(tuning.numbers, [&](std::uint32_t number) { put("{}", number); });
  }
  out_ += '\n';
  for (const Pragma& pragma : function.pragmas) print(pragma);
  if (function.body) {
    print(*function.body);
  } else {
    out_ += ";\n";
  }
}

void Printer::print(const Module& module) {
  put(".version {}.{}\n.target {}\n", module.major, module.minor, fmt::join(module.targets, ", "));
  if (module.address_size != 32) put(".address_size {}\n", module.address_size);
  for (const Item& item : module.items) {
    std::visit([&](const auto& node) { print(node); }, item);
  }
}

}  // namespace

std::string print(const Module& module) {
  Printer printer;
  printer.print(module);
  return printer.take();
}

}  // namespace ptxmc::ptx
