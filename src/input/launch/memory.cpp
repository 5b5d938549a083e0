// SPDX-License-Identifier: Apache-2.0
#include "input/launch/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "input/launch/call_targets.h"
#include "input/launch/entry.h"
#include "ptx/isa/table.h"
#include "ptx/text/module.h"
#include "support/check.h"
#include "support/nearest.h"
#include "support/printable.h"

namespace ptxmc::launch {

namespace {

constexpr std::uint32_t kBufferAlign = 256;

/// Operands that name these name the others.
void rename(ptx::Operand& operand, const std::map<std::string, std::string>& names) {
  const auto found = operand.name.percent ? names.end() : names.find(operand.name.name);
  if (found != names.end()) operand.name.name = found->second;
  for (ptx::Operand& element : operand.elements) rename(element, names);
}

void rename(ptx::Body& body, const std::map<std::string, std::string>& names) {
  for (ptx::Statement& statement : body.statements) {
    auto* instruction = std::get_if<ptx::Instruction>(&statement.node);
    if (instruction == nullptr) continue;
    for (ptx::Operand& operand : instruction->operands) rename(operand, names);
  }
}

std::optional<isa::Space> space_of(std::string_view name) {
  if (name == "global") return isa::Space::global;
  if (name == "const") return isa::Space::const_;
  if (name == "shared" || name == "shared::cta") return isa::Space::shared;
  if (name == "local") return isa::Space::local;
  return std::nullopt;
}

}  // namespace

Memory::Memory(const ptx::Module& module, const Plan& plan, std::uint64_t most_elements, Diagnostics& of_plan,
               Diagnostics& of_module)
    : module_(module), plan_(plan), most_elements_(most_elements), of_plan_(of_plan), of_module_(of_module) {
  for (const Buffer& buffer : plan.memory) buffers_.insert(buffer.name);
  for (const Buffer& given : plan.variables) given_.emplace(given.name, &given);
  for (const ptx::Item& item : module.items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable == nullptr) continue;
    const auto [known, fresh] = declared_.emplace(variable->name(), variable);
    if (!fresh && known->second->linkage == ptx::Linkage::external) known->second = variable;
  }
}

const ptx::Variable* Memory::module_variable(const std::string& name) const {
  const auto found = declared_.find(name);
  return found == declared_.end() ? nullptr : found->second;
}

std::vector<program::Variable> Memory::take() {
  std::stable_partition(variables_.begin(), variables_.end(),
                        [&](const program::Variable& one) { return !dynamic_shared_.contains(one.name); });
  return std::move(variables_);
}

void Memory::add(program::Variable variable) {
  if (!names_.insert(variable.name).second) return;
  variables_.push_back(std::move(variable));
}

/// A buffer, or a variable of the module, which is then part of the program.
bool Memory::is_known(const Pointer& pointer) {
  if (buffers_.contains(pointer.buffer)) return true;
  if (module_variable(pointer.buffer) != nullptr) {
    add_module_variable(pointer.buffer);
    return true;
  }
  const auto near = nearest(pointer.buffer, {buffers_.begin(), buffers_.end()});
  of_plan_.error(pointer.position, fmt::format("no buffer is named `{}`{}", printable(pointer.buffer),
                                               near ? fmt::format("; did you mean `{}`?", *near) : ""));
  return false;
}

void Memory::check_names() {
  for (const Tensor& tensor : plan_.tensors) {
    if (is_known(tensor.base) && is_multicast(tensor.base.buffer))
      of_plan_.error(
          tensor.base.position,
          fmt::format("`{}` is a multimem address, which only multimem instructions access (8.2.3); a "
                      "tensor lies in one of its buffers",
                      tensor.base.buffer));
  }
  for (const Buffer& given : plan_.variables) {
    if (declared_.contains(given.name)) continue;
    std::vector<std::string> names;
    for (const auto& [name, variable] : declared_) names.push_back(name);
    const auto near = nearest(given.name, names);
    of_plan_.error(given.position, fmt::format("the module has no variable `{}`{}", printable(given.name),
                                               near ? fmt::format("; did you mean `{}`?", *near) : ""));
  }
}

void Memory::add_buffers() {
  for (const Buffer& buffer : plan_.memory) {
    if (buffer.multicast.empty()) add_named(buffer, of_buffer(buffer));
  }
  for (const Buffer& buffer : plan_.memory) {
    if (buffer.multicast.empty()) continue;
    if (auto variable = of_multicast(buffer)) add_named(buffer, std::move(*variable));
  }
}

void Memory::add_named(const Buffer& buffer, program::Variable variable) {
  const bool plain =
      !buffer.name.empty() && (std::isdigit(static_cast<unsigned char>(buffer.name.front())) == 0) &&
      std::all_of(buffer.name.begin(), buffer.name.end(),
                  [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '$'; });
  if (!plain) {
    of_plan_.error(buffer.position,
                   fmt::format("`{}` is no name for a buffer: expected letters, digits, _ and $",
                               printable(buffer.name)));
  } else if (module_variable(buffer.name) != nullptr || names_.contains(name_of_buffer(buffer.name))) {
    of_plan_.error(buffer.position, fmt::format("`{}` is another variable's name already", buffer.name));
  } else {
    add(std::move(variable));
  }
}

program::Variable Memory::of_buffer(const Buffer& buffer) {
  program::Variable out;
  out.name = name_of_buffer(buffer.name);
  out.space = buffer.space;
  out.align = kBufferAlign;
  out.ptx_form = true;
  out.is_array = true;
  // Positions are those of the module's text, in which no buffer stands.
  std::uint32_t size = buffer.type ? buffer.type->bits / 8u : buffer.bytes % 4 == 0 ? 4 : 1;
  if (!buffer.type && buffer.bytes % 8 == 0 &&
      (buffer.bytes / size > most_elements_ || !buffer.fields.empty()))
    size = 8;
  const bool is_signed = buffer.type && buffer.type->is_signed();
  out.type = is_signed ? *buffer.type : bits_type_of(size);
  const std::uint64_t elements = buffer.bytes / size;
  out.elements = static_cast<std::uint32_t>(std::min(elements, most_elements_));
  if (buffer.bytes % size != 0) {
    of_plan_.error(buffer.position,
                   fmt::format("{} bytes are no whole number of .{}", buffer.bytes, isa::name_of(*out.type)));
  } else if (elements > most_elements_) {
    of_plan_.error(buffer.position,
                   fmt::format("`{}` has {} elements, more than {}", buffer.name, elements, most_elements_));
  } else {
    contents(buffer, out);
  }
  return out;
}

// ---- The module's variables -----------------------------------------------------------------------------------

/// Type, array and space of a declared variable; false: reported.
bool Memory::shape(const ptx::Variable& declared, program::Variable& out) {
  const auto refuse = [&](const std::string& why) {
    of_module_.error(declared.position, why);
    return false;
  };
  const std::optional<isa::Space> space = space_of(declared.space);
  const std::uint32_t element = bytes_of(declared.type.name);
  if (!space || element == 0)
    return refuse(fmt::format("`{}` is a .{} variable of .{}, which is not supported", declared.name(),
                              declared.space, declared.type.name));
  const std::uint64_t bytes = bytes_of(declared);
  if (bytes / element > most_elements_)
    return refuse(
        fmt::format("`{}` has {} elements, more than {}", declared.name(), bytes / element, most_elements_));
  out.space = *space;
  out.align = alignment_of(declared);
  out.ptx_form = true;
  out.is_array = !declared.dimensions.empty() || declared.type.vector != 0;
  out.elements = static_cast<std::uint32_t>(std::max<std::uint64_t>(bytes / element, 1));
  const bool is_signed = declared.type.name.starts_with('s');
  out.type = isa::Type{is_signed ? isa::TypeClass::signed_ : isa::TypeClass::bits,
                       static_cast<std::uint16_t>(element * 8)};
  out.position = declared.position;
  return true;
}

bool Memory::initialise(const ptx::Variable& declared, program::Variable& out) {
  if (!declared.initial) return true;
  for (const ptx::Datum& datum : declared.initial->data) {
    if (datum.index >= out.elements) break;  // reported when the module was read
    out.initial.resize(std::max<std::size_t>(out.initial.size(), datum.index + 1));
    program::InitialValue& value = out.initial[datum.index];
    if (datum.kind == ptx::Datum::Kind::address) {
      const ptx::Symbol& symbol = declared.initial->symbols[datum.symbol];
      const ptx::Function* function = called_by(module_, symbol.name.name);
      if (symbol.mask != 0 || (function != nullptr && datum.number != 0)) {
        of_module_.error(datum.position,
                         "a part of an address, or one inside of a function, as initial value");
        return false;
      }
      value.integer = datum.number;
      value.address_of = symbol.name.name;
      if (function != nullptr) {
        value.address_of = function->name.name;
        add_function(value.address_of);
      } else {
        add_module_variable(symbol.name.name);
      }
    } else if (datum.kind == ptx::Datum::Kind::floating) {
      Number number{isa::Type{isa::TypeClass::floating, 64}, std::bit_cast<double>(datum.number)};
      const std::uint32_t bytes = out.type->bits / 8u;
      value.integer =
          datum.single ? datum.number : static_cast<std::int64_t>(bits_of(number, "f", bytes).value_or(0));
    } else {
      value.integer = datum.number;
    }
  }
  return true;
}

namespace {

/// The code names the variable to load from it alone. (An address in a register may be stored to.)
bool is_only_loaded(const ptx::Body& body, const std::string& name) {
  return std::all_of(body.statements.begin(), body.statements.end(), [&](const ptx::Statement& statement) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement.node);
    if (instruction == nullptr || instruction->base == "ld") return true;
    return std::none_of(instruction->operands.begin(), instruction->operands.end(),
                        [&](const ptx::Operand& operand) { return operand.name.name == name; });
  });
}

}  // namespace

/// What a kernel only reads and the module gives no value is there for a host to set: it holds anything.
void Memory::add_module_variable(const std::string& name, const Flat* flat) {
  if (names_.contains(name)) return;
  const ptx::Variable* declared = module_variable(name);
  if (declared == nullptr) return;
  program::Variable out;
  out.name = name;
  if (!shape(*declared, out)) return;
  if (const auto given = given_.find(name); given != given_.end()) {
    const Buffer& what = *given->second;
    if (what.bytes != bytes_of(*declared))
      return of_plan_.error(what.position, fmt::format("`{}` has {} bytes", name, bytes_of(*declared)));
    if (const std::uint32_t bytes = what.type ? what.type->bits / 8u : 0;
        bytes != 0 && what.bytes % bytes == 0) {
      out.type = what.type;  // of the numbers; a module may declare a structure or an array as bytes
      out.elements = static_cast<std::uint32_t>(what.bytes / bytes);
      out.is_array = out.is_array || out.elements > 1;
    }
    contents(what, out);
    return add(std::move(out));
  }
  const bool dynamic_shared = declared->space.starts_with("shared");  // share() has said it
  if (declared->linkage == ptx::Linkage::external && !dynamic_shared)
    return of_module_.error(
        declared->position,
        fmt::format("`{}` is declared .extern: \"variables\" of a launch.json says what it is", name));
  names_.insert(name);  // before what it names, which may name it
  if (!initialise(*declared, out)) return;
  const bool is_const = out.space == isa::Space::const_;
  const bool is_set = is_const || (flat != nullptr && is_only_loaded(flat->body, name));
  if (!declared->initial && (is_const || out.space == isa::Space::global) && is_set) {
    out.opaque = true;
  } else if (is_const || out.space == isa::Space::global) {
    module_values_.push_back(name);
  }
  variables_.push_back(std::move(out));
}

void Memory::add_object(const std::string& name, const ptx::Variable& declared) {
  program::Variable out;
  out.name = name;
  if (shape(declared, out) && initialise(declared, out)) add(std::move(out));
}

/// What has the address of a function: a constant that nothing reads.
void Memory::add_function(const std::string& name) {
  program::Variable out;
  out.name = name;
  out.space = isa::Space::const_;
  out.type = bits_type_of(1);
  out.ptx_form = true;
  add(std::move(out));
}

void Memory::add_kernel(Flat& flat, const Launch& launch) {
  share(flat, launch);
  part(flat);
  for (const std::string& name : flat.functions) add_function(name);
  for (const std::string& name : flat.variables) add_module_variable(name, &flat);
  for (const auto& [name, declared] : flat.objects) add_object(name, *declared);
}

/// The variables of dynamic shared memory among the shared ones. LLVM writes an array without elements as one
/// byte: a byte that is the only one, in front of dynamic shared memory that nothing else names.
Memory::Declared Memory::dynamic_of(const Flat& flat, const Launch& launch) const {
  Declared shared, out;
  for (const std::string& name : flat.variables) {
    if (const ptx::Variable* declared = module_variable(name)) shared.emplace(name, declared);
  }
  shared.insert(flat.objects.begin(), flat.objects.end());
  std::erase_if(shared, [](const auto& one) { return !one.second->space.starts_with("shared"); });
  std::copy_if(shared.begin(), shared.end(), std::inserter(out, out.end()),
               [](const auto& one) { return one.second->linkage == ptx::Linkage::external; });
  const bool lone = launch.shared > 0 && out.empty() && shared.size() == 1;
  return lone && bytes_of(*shared.begin()->second) == 1 ? shared : out;
}

/// Dynamic shared memory begins at one place, whatever it is called (5.1.7).
void Memory::share(Flat& flat, const Launch& launch) {
  const Declared dynamic = dynamic_of(flat, launch);
  if (dynamic.empty()) return;
  const auto& [first, declared] = *dynamic.begin();
  if (launch.shared == 0) {
    of_module_.error(declared->position,
                     fmt::format("`{}` is dynamic shared memory, of which the launch has none: {} BYTES",
                                 first, plan_.source == nullptr ? "--shared" : "\"shared\":"));
    return;
  }
  program::Variable out;
  out.space = isa::Space::shared;
  out.ptx_form = out.is_array = true;
  out.type = bits_type_of(1);
  out.elements = static_cast<std::uint32_t>(launch.shared);
  out.position = declared->position;
  out.align = 16;  // at least
  for (const auto& [name, one] : dynamic) {
    out.align = std::max(out.align, alignment_of(*one));
    flat.variables.erase(name);
    flat.objects.erase(name);
  }
  out.name = name_of(first, out);
  dynamic_shared_.insert(out.name);
  std::map<std::string, std::string> names;
  for (const auto& [name, one] : dynamic) names.emplace(name, out.name);
  rename(flat.body, names);
  add(std::move(out));
}

/// What the kernel of another launch has under the name of one of its variables, and of another size, gets a name of its own.
void Memory::part(Flat& flat) {
  std::map<std::string, std::string> names;
  for (const auto& [name, declared] : flat.objects) {
    program::Variable out;
    out.name = name;
    if (names_.contains(name) && shape(*declared, out)) names.emplace(name, name_of(name, out));
  }
  std::erase_if(names, [](const auto& one) { return one.first == one.second; });
  if (names.empty()) return;
  for (const auto& [name, own] : names) {
    auto object = flat.objects.extract(name);
    object.key() = own;
    flat.objects.insert(std::move(object));
  }
  rename(flat.body, names);
  PTXMC_CHECK(std::none_of(names.begin(), names.end(),
                           [&](const auto& one) { return flat.objects.contains(one.first); }),
              "a variable has one name");
}

/// The name, or another one where a variable that is not alike has it.
std::string Memory::name_of(const std::string& name, const program::Variable& wanted) const {
  const auto known = std::find_if(variables_.begin(), variables_.end(),
                                  [&](const program::Variable& one) { return one.name == name; });
  const bool free =
      known == variables_.end() || (known->space == wanted.space && known->type == wanted.type &&
                                    known->elements == wanted.elements && known->align == wanted.align);
  return free ? name : name_of(name + "$", wanted);
}

}  // namespace ptxmc::launch
