// SPDX-License-Identifier: Apache-2.0
// Statements -> instructions: mnemonics by the isa table, operands by the shape that the table gives.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ptx/isa/matrix.h"
#include "ptx/isa/opcode.h"
#include "ptx/resolve/constants.h"
#include "ptx/resolve/operand_types.h"
#include "ptx/resolve/resolver.h"

namespace ptxmc::resolve {

using isa::Kind;
using program::Address;
using program::Guard;
using program::Instruction;
using program::Operand;
using program::Variable;
using program::VectorOperand;

void CodeResolver::run() {
  std::vector<std::string> labels;
  Position position;
  code_.code.reserve(code_.statements.size() + 1);
  for (const RawStatement& raw : code_.statements) {
    if (labels.empty()) position = raw.position;
    labels.insert(labels.end(), raw.labels.begin(), raw.labels.end());
    if (raw.base.empty()) continue;
    Instruction out;
    uses_.clear();
    if (!instruction(raw, out)) continue;
    code_.uses.push_back(std::exchange(uses_, {}));
    out.labels = std::exchange(labels, {});
    code_.code.push_back(std::move(out));
  }
  if (labels.empty()) return;
  Instruction place;
  place.labels = std::move(labels);
  place.position = position;
  code_.code.push_back(std::move(place));
  code_.uses.emplace_back();
}

/// `ld r, v`: the published suites move constants and registers so.
bool CodeResolver::is_short_move(const RawStatement& raw) const {
  if (raw.base != "ld" || !raw.words.empty() || raw.operands.size() != 2) return false;
  const RawOperand& value = raw.operands[1];
  return value.kind == RawOperand::Kind::integer || value.kind == RawOperand::Kind::address_of ||
         (value.kind == RawOperand::Kind::name && is_register(value.name));
}

bool CodeResolver::instruction(const RawStatement& raw, Instruction& out) {
  const std::string_view base = is_short_move(raw) ? std::string_view("mov") : raw.base;
  const isa::Resolution resolution = isa::resolve(base, raw.words, context_.notation);
  for (const isa::ModifierError& wrong : resolution.errors) {
    error(wrong.word == 0 ? raw.base_position : raw.word_positions[wrong.word - 1], wrong.message);
  }
  if (!resolution.resolved) return false;
  out.opcode = resolution.resolved->form->opcode;
  out.modifiers = resolution.resolved->modifiers;
  out.spelling = resolution.resolved->spelling;
  out.text = raw.text;
  out.position = raw.position;
  const bool good_rules = native_rules(raw, out);
  const bool good_guard = guard(raw, out) && good_rules;
  const bool good = operands(raw, *resolution.resolved, out) && map_size(out);
  read_through_constant_name(out);
  return good && good_guard;
}

// ld.const of a name of the constant proxy is what the short form calls cold.
void CodeResolver::read_through_constant_name(Instruction& out) {
  isa::Modifiers& m = out.modifiers;
  if (out.opcode != isa::Opcode::ld || m.space != isa::Space::const_ || out.operands.size() < 2) return;
  const auto* address = std::get_if<Address>(&out.operand(isa::Role::address).value);
  const Variable* variable = address == nullptr ? nullptr : context_.names.variable(address->variable);
  if (variable == nullptr || variable->alias_proxy != isa::Proxy::constant) return;
  m.proxy = isa::Proxy::constant;
  m.space = isa::Space::generic;
}

/// 9.7.12.4, 9.7.12.15.18: a tensor map has 128 bytes.
bool CodeResolver::map_size(const Instruction& out) {
  constexpr std::int64_t kMapBytes = 128;
  const bool of_map =
      out.modifiers.proxy == isa::Proxy::tensormap || out.opcode == isa::Opcode::tensormap_cp_fenceproxy;
  const Operand* bytes = of_map ? out.find(isa::Role::bytes) : nullptr;
  if (bytes == nullptr) return true;
  const std::int64_t size = std::get<program::Integer>(bytes->value).value;
  if (size == kMapBytes) return true;
  error(bytes->position, fmt::format("size {}, expected {}", size, kMapBytes));
  return false;
}

/// What the published suites' short forms have and PTX has not (9.7.12.5, 9.7.12.6).
bool CodeResolver::native_rules(const RawStatement& raw, const Instruction& out) {
  const bool red = out.opcode == isa::Opcode::red;
  if (!context_.native || (!red && out.opcode != isa::Opcode::atom)) return true;
  const isa::Modifiers& m = out.modifiers;
  if (red && (m.semantics == isa::Semantics::acquire || m.semantics == isa::Semantics::acq_rel)) {
    error(raw.base_position,
          fmt::format("`red` reads nothing that it returns, so it cannot be `.{}`: expected "
                      ".relaxed or .release, or `atom`",
                      isa::name_of(m.semantics)));
    return false;
  }
  if (m.atomic == isa::AtomicOp::sub || m.atomic == isa::AtomicOp::mul || m.atomic == isa::AtomicOp::div) {
    error(raw.base_position,
          fmt::format("`.{}` of `{}` exists in short forms only", isa::name_of(m.atomic), raw.base));
    return false;
  }
  return true;
}

bool CodeResolver::guard(const RawStatement& raw, Instruction& out) {
  if (!raw.guard) return true;
  if (!is_register(*raw.guard)) {
    error(raw.guard->position,
          fmt::format("expected a predicate register after `@`, found `{0}`; write `%{0}`", raw.guard->name));
    return false;
  }
  out.guard = Guard{raw.guard->name, raw.guard_negated};
  note(*raw.guard, false);
  return true;
}

// "2 operands (a register, an address)"
std::string describe_shape(const std::vector<isa::Place>& slots, std::size_t required) {
  if (slots.empty()) return "no operands";
  std::string out;
  for (const isa::Place& slot : slots) {
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", slot.optional ? "optionally " : "",
                       isa::noun(slot.kind));
  }
  return fmt::format("{}{} operand{} ({})", slots.size() == required ? "" : fmt::format("{} to ", required),
                     slots.size(), slots.size() == 1 ? "" : "s", out);
}

bool CodeResolver::operands(const RawStatement& raw, const isa::Resolved& form, Instruction& out) {
  const std::vector<isa::Place>& slots = form.operands;
  const std::size_t required = static_cast<std::size_t>(
      std::count_if(slots.begin(), slots.end(), [](const isa::Place& slot) { return !slot.optional; }));
  std::vector<RawOperand> all = raw.operands;
  bool good = true;
  if (form.cache_policy && !all.empty()) {  // the policy is a hint: checked, then dropped
    const std::size_t after = form.modifiers.byte_mask && all.size() > 1 ? 2 : 1;  // the mask follows it
    const auto place = all.end() - static_cast<std::ptrdiff_t>(after);
    Operand policy;
    good = operand(*place, isa::Kind::number, policy);
    all.erase(place);
  }
  const std::size_t given = all.size();
  if (given < required || given > slots.size()) {
    const bool missing = given < required;
    error(missing ? raw.end_position : all[slots.size()].position,
          fmt::format("`{}` takes {}, found {}", isa::display_name(*form.form),
                      describe_shape(slots, required), given));
    return false;
  }
  out.operands.reserve(given);
  std::size_t extra = given - required;
  std::size_t next = 0;
  for (const isa::Place& slot : slots) {
    if (slot.optional && extra == 0) continue;
    if (slot.kind == Kind::lane_mask && all[next].kind != RawOperand::Kind::vector) continue;
    if (slot.role == isa::Role::report && all[next].kind == RawOperand::Kind::address) continue;
    if (slot.optional) --extra;
    Operand operand_out;
    operand_out.place = slot;
    RawOperand given_operand = all[next++];
    if (given_operand.kind == RawOperand::Kind::vector && given_operand.elements.size() == 1 &&
        isa::traits(form.form->opcode).has(isa::Trait::braces) && form.modifiers.vector <= 1) {
      given_operand = RawOperand(given_operand.elements.front());
    }
    good = as_integers(given_operand, slot, form.modifiers) && good;
    // `!%p` where the type is .pred
    const std::optional<isa::Use> use = isa::use_of(slot, form.modifiers);
    const bool may_be_truth =
        slot.role == isa::Role::source_bytes ||
        (use && use->bits == 1 && slot.kind != Kind::integer && !isa::is_written(slot.kind));
    const bool truth = may_be_truth && given_operand.kind == RawOperand::Kind::negated;
    const Kind kind = truth ? Kind::predicate : slot.kind;
    const std::size_t before = uses_.size();
    note(given_operand, slot.kind);
    const bool fragment = slot.kind == Kind::source_fragment || slot.kind == Kind::fragment_or_descriptor ||
                          slot.kind == Kind::lane_mask;
    for (std::size_t i = before; fragment && i < uses_.size(); ++i) uses_[i].fragment = next;
    good = operand(given_operand, kind, operand_out) && elements(given_operand, slot, form, out) && good;
    out.operands.push_back(std::move(operand_out));
  }
  return good;
}

/// Floating-point constants are their patterns from here on.
bool CodeResolver::as_integers(RawOperand& operand, const isa::Place& place,
                               const isa::Modifiers& modifiers) {
  bool good = true;
  for (RawOperand& element : operand.elements) good = as_integers(element, place, modifiers) && good;
  if (operand.kind != RawOperand::Kind::floating) return good;
  const bool of_source = isa::is_of_source(place.width) && modifiers.source_type;
  const bool own = place.width == isa::Width::type || place.width == isa::Width::at_least_type;
  const std::optional<isa::Use> use = isa::use_of(place, modifiers, 1);
  const bool added = place.role == isa::Role::c && place.width == isa::Width::fragment &&
                     (modifiers.matrix.c == isa::Element::f32 || modifiers.matrix.c == isa::Element::f64);
  const std::optional<isa::Type> type =
      of_source      ? modifiers.source_type
      : own          ? modifiers.type
      : added && use ? std::optional(isa::Type{isa::TypeClass::floating, use->bits,
                                               use->bits == 64 ? isa::Float::f64 : isa::Float::f32})
                     : std::nullopt;
  const auto bits = floating_bits(context_.errors, operand.number, operand.single, use ? use->bits : 0, type,
                                  operand.position);
  operand.kind = RawOperand::Kind::integer;
  operand.number = bits.value_or(0);
  return bits.has_value();
}

void CodeResolver::note(const RawName& name, bool write) {
  if (name.name == "_" || !is_register(name) || isa::is_special_register(name.name)) return;
  uses_.push_back({name.name, name.position, write});
}

/// What an operand of that kind reads or writes. What it writes is an address's base register in no
/// case.
void CodeResolver::note(const RawOperand& raw, Kind kind) {
  const bool write = isa::is_written(kind);
  switch (raw.kind) {
    case RawOperand::Kind::name:
      return note(raw.name, write);
    case RawOperand::Kind::pair:
      note(raw.name, write);
      return note(raw.second, write);
    case RawOperand::Kind::negated:
      return note(raw.name, false);
    case RawOperand::Kind::address:
      note(raw.name, false);
      for (const RawOperand& coordinate : raw.elements) note(coordinate, Kind::number);
      return;
    case RawOperand::Kind::vector:
      for (const RawOperand& element : raw.elements) note(element, kind);
      return;
    case RawOperand::Kind::integer:
    case RawOperand::Kind::floating:
    case RawOperand::Kind::element:
    case RawOperand::Kind::list:
    case RawOperand::Kind::address_of:
    case RawOperand::Kind::descriptor:
      return;
  }
}

// As many elements as .v2 ... says; of a mov, 2 or 4 that share its type's bits evenly.
bool CodeResolver::elements(const RawOperand& raw, const isa::Place& place, const isa::Resolved& form,
                            const Instruction& out) {
  const Kind kind = place.kind;
  const bool fragment = kind == Kind::destination_fragment || kind == Kind::source_fragment ||
                        (kind == Kind::fragment_or_descriptor && raw.kind == RawOperand::Kind::vector);
  if (fragment) return fragment_size(raw, place.role, form);
  if (kind == Kind::tensor) return coordinates(raw, form.modifiers);
  if (raw.kind != RawOperand::Kind::vector) return true;
  const std::size_t given = raw.elements.size();
  if (kind == Kind::lane_mask) {
    const std::size_t masks = form.modifiers.tensor.cta_group == 2 ? 8 : 4;  // 9.7.16.10.9.1: 32 lanes each
    if (given == masks) return true;
    error(raw.position, fmt::format("the mask of lanes has {} elements, found {}", masks, given));
    return false;
  }
  if (place.role == isa::Role::offsets) {
    const std::size_t wanted = isa::offsets_of(form.modifiers.load_mode, form.modifiers.dimensions);
    if (given == wanted) return true;
    error(raw.position, fmt::format("`.{}` of a tensor of {} dimensions takes {} offset{}, found {}",
                                    isa::name_of(form.modifiers.load_mode), form.modifiers.dimensions, wanted,
                                    wanted == 1 ? "" : "s", given));
    return false;
  }
  if (kind == Kind::destination_vector || kind == Kind::source_vector) {
    if (given == place.elements) return true;
    if (place.elements != 0) {
      error(raw.position,
            fmt::format("`{}` takes a vector of {} here, found {}",
                        isa::mnemonic(form.form->opcode, form.modifiers), place.elements, given));
      return false;
    }
    if (given == form.modifiers.vector) return true;
    error(raw.position, fmt::format("`.v{}` takes {} elements, found {}", form.modifiers.vector,
                                    form.modifiers.vector, given));
    return false;
  }
  const std::uint32_t bits = form.modifiers.type ? form.modifiers.type->bits : 0;
  const bool twice = std::any_of(out.operands.begin(), out.operands.end(), [](const Operand& o) {
    return std::holds_alternative<VectorOperand>(o.value);
  });
  if (context_.native && form.modifiers.type && form.modifiers.type->cls != isa::TypeClass::bits) {
    error(raw.position, fmt::format("`mov` of a vector is of bits, such as `.b{}` (9.7.8.4)", bits));
    return false;
  }
  const bool fits = (given == 2 && bits >= 16) || (given == 4 && (bits == 32 || bits == 64));
  if (fits && !twice) return true;
  error(raw.position, twice ? "one operand of `mov` may be a vector, not both"
                            : fmt::format("`mov` of a {}-bit type takes no vector of {}", bits, given));
  return false;
}

/// One for each dimension; of rows that have coordinates of their own, the column and four of them.
bool CodeResolver::coordinates(const RawOperand& raw, const isa::Modifiers& modifiers) {
  const bool rows = isa::has_rows(modifiers.load_mode);
  const std::size_t wanted = isa::coordinates_of(modifiers.load_mode, modifiers.dimensions);
  if (raw.elements.size() == wanted) return true;
  const std::string name =
      rows ? std::string(isa::name_of(modifiers.load_mode)) : fmt::format("{}d", modifiers.dimensions);
  error(raw.position, fmt::format("`.{}` takes {} coordinate{}, found {}", name, wanted,
                                  wanted == 1 ? "" : "s", raw.elements.size()));
  return false;
}

/// The registers of a matrix fragment.
bool CodeResolver::fragment_size(const RawOperand& raw, isa::Role role, const isa::Resolved& form) {
  if (form.modifiers.tensor.repetitions != 0) {
    const std::size_t registers = isa::tensor_registers(form.modifiers.tensor);
    const std::size_t found = raw.kind == RawOperand::Kind::vector ? raw.elements.size() : 0;
    if (found == registers) return true;
    error(raw.position, fmt::format("`{}` takes a vector of {} register{} here, found {}",
                                    isa::mnemonic(form.form->opcode, form.modifiers), registers,
                                    registers == 1 ? "" : "s", found == 0 ? "none" : std::to_string(found)));
    return false;
  }
  const std::size_t wanted =
      isa::fragment_registers(form.form->opcode, form.modifiers.matrix, isa::fragment_of(role));
  const std::size_t given = raw.kind == RawOperand::Kind::vector ? raw.elements.size() : 1;
  if (given == wanted) return true;
  error(raw.position,
        fmt::format("`{}` takes {} register{} here, found {}",
                    isa::mnemonic(form.form->opcode, form.modifiers), wanted, wanted == 1 ? "" : "s", given));
  return false;
}

void resolve_code(const Context& context, Code& code) {
  CodeResolver(context, code).run();
  check_operand_types(context, code);
}

}  // namespace ptxmc::resolve
