// SPDX-License-Identifier: Apache-2.0
// Statements -> instructions: mnemonics by the isa table, operands by the shape that the table gives.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "isa/matrix.h"
#include "isa/table.h"
#include "litmus/raw.h"

namespace ptxmc::litmus {

namespace {

constexpr std::int64_t kDescriptorUnit = 16;        // bytes, of a descriptor's fields
constexpr std::int64_t kDescriptorBytes = 1 << 18;  // that they can say
constexpr std::int64_t kWarpSize = 32;              // WARP_SZ (5.1): the warp of every target

class CodeResolver {
 public:
  CodeResolver(ParseState& state, RawThread& thread, isa::Notation notation)
      : state_(state), thread_(thread), notation_(notation) {}

  void run() {
    std::vector<std::string> labels;
    Position position;
    for (const RawStatement& raw : thread_.statements) {
      if (labels.empty()) position = raw.position;
      labels.insert(labels.end(), raw.labels.begin(), raw.labels.end());
      if (raw.base.empty()) continue;
      Instruction out;
      if (!instruction(raw, out)) continue;
      out.labels = std::exchange(labels, {});
      thread_.thread.code.push_back(std::move(out));
    }
    if (labels.empty()) return;
    Instruction place;
    place.labels = std::move(labels);
    place.position = position;
    thread_.thread.code.push_back(std::move(place));
  }

 private:
  bool is_register(const RawName& name) const {
    return name.percent || is_bare_register(name.name) || thread_.bare_registers.count(name.name) != 0;
  }
  void error(Position position, std::string message) { state_.errors.error(position, std::move(message)); }

  bool instruction(const RawStatement& raw, Instruction& out);
  bool guard(const RawStatement& raw, Instruction& out);
  bool native_rules(const RawStatement& raw, const Instruction& out);
  void read_through_constant_name(Instruction& out);
  bool is_short_move(const RawStatement& raw) const;
  bool operands(const RawStatement& raw, const isa::Resolved& form, Instruction& out);
  bool operand(const RawOperand& raw, char letter, Operand& out);
  bool elements(const RawOperand& raw, char letter, const isa::Resolved& form, const Instruction& out);
  bool fragment_size(const RawOperand& raw, const isa::Resolved& form, const Instruction& out);
  bool destination(const RawOperand& raw, char letter, Operand& out);
  bool source(const RawOperand& raw, char letter, Operand& out);
  bool predicate(const RawOperand& raw, char letter, Operand& out);
  bool address(const RawOperand& raw, Operand& out);
  bool tensor(const RawOperand& raw, Operand& out);
  bool label(const RawOperand& raw, Operand& out);
  bool object(const RawOperand& raw, char letter, Operand& out);
  bool number(const RawOperand& raw, char letter, Operand& out);
  bool integer(const RawOperand& raw, Operand& out);
  bool fragment(const RawOperand& raw, char letter, Operand& out);
  bool descriptor(const RawOperand& raw, char letter, Operand& out);
  bool pair(const RawOperand& raw, char letter, Operand& out);
  bool vector(const RawOperand& raw, char letter, Operand& out);
  bool mismatch(const RawOperand& raw, char letter);
  std::string found(const RawOperand& raw) const;

  ParseState& state_;
  RawThread& thread_;
  isa::Notation notation_;
};

/// `ld r, v`: the published suites move constants and registers so.
bool CodeResolver::is_short_move(const RawStatement& raw) const {
  if (raw.base != "ld" || !raw.words.empty() || raw.operands.size() != 2) return false;
  const RawOperand& value = raw.operands[1];
  return value.kind == RawOperand::Kind::integer || value.kind == RawOperand::Kind::address_of ||
         (value.kind == RawOperand::Kind::name && is_register(value.name));
}

bool CodeResolver::instruction(const RawStatement& raw, Instruction& out) {
  const std::string_view base = is_short_move(raw) ? std::string_view("mov") : raw.base;
  const isa::Resolution resolution = isa::resolve(base, raw.words, notation_);
  for (const isa::ModifierError& wrong : resolution.errors) {
    error(wrong.word == 0 ? raw.base_position : raw.word_positions[wrong.word - 1], wrong.message);
  }
  if (!resolution.resolved) return false;
  out.opcode = resolution.resolved->form->opcode;
  out.modifiers = resolution.resolved->modifiers;
  out.text = raw.text;
  out.position = raw.position;
  const bool good_rules = native_rules(raw, out);
  const bool good_guard = guard(raw, out) && good_rules;
  const bool good = operands(raw, *resolution.resolved, out);
  read_through_constant_name(out);
  return good && good_guard;
}

// ld.const of a name of the constant proxy is what the short form calls cold.
void CodeResolver::read_through_constant_name(Instruction& out) {
  isa::Modifiers& m = out.modifiers;
  if (out.opcode != isa::Opcode::ld || m.space != isa::Space::const_ || out.operands.size() < 2) return;
  const auto* address = std::get_if<Address>(&out.operands.back().value);
  const Variable* variable = address == nullptr ? nullptr : state_.find_variable(address->variable);
  if (variable == nullptr || variable->alias_proxy != isa::Proxy::constant) return;
  m.proxy = isa::Proxy::constant;
  m.space = isa::Space::generic;
}

/// What the published suites' short forms have and PTX has not (9.7.12.5, 9.7.12.6).
bool CodeResolver::native_rules(const RawStatement& raw, const Instruction& out) {
  const bool red = out.opcode == isa::Opcode::red;
  if (!state_.test.native || (!red && out.opcode != isa::Opcode::atom)) return true;
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
  return true;
}

// "2 operands (a register, an address)"
std::string describe_shape(const std::vector<isa::Slot>& slots, std::size_t required) {
  if (slots.empty()) return "no operands";
  std::string out;
  for (const isa::Slot& slot : slots) {
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", slot.optional ? "optionally " : "",
                       isa::operand_noun(slot.letter));
  }
  return fmt::format("{}{} operand{} ({})", slots.size() == required ? "" : fmt::format("{} to ", required),
                     slots.size(), slots.size() == 1 ? "" : "s", out);
}

bool CodeResolver::operands(const RawStatement& raw, const isa::Resolved& form, Instruction& out) {
  std::vector<isa::Slot> slots = isa::slots(form.operands);
  const std::size_t required = static_cast<std::size_t>(
      std::count_if(slots.begin(), slots.end(), [](const isa::Slot& slot) { return !slot.optional; }));
  std::size_t given = raw.operands.size();
  bool good = true;
  if (form.cache_policy && given != 0) {  // the policy is a hint: checked, then dropped
    Operand policy;
    good = operand(raw.operands.back(), 'r', policy);
    --given;
  }
  if (given < required || given > slots.size()) {
    const bool missing = given < required;
    error(missing ? raw.end_position : raw.operands[slots.size()].position,
          fmt::format("`{}` takes {}, found {}", isa::display_name(*form.form),
                      describe_shape(slots, required), given));
    return false;
  }
  std::size_t extra = given - required;
  std::size_t next = 0;
  for (const isa::Slot& slot : slots) {
    if (slot.optional && extra == 0) continue;
    if (slot.letter == 'L' && raw.operands[next].kind != RawOperand::Kind::vector) continue;
    if (slot.optional) --extra;
    Operand operand_out;
    const RawOperand& given_operand = raw.operands[next++];
    good = operand(given_operand, slot.letter, operand_out) &&
           elements(given_operand, slot.letter, form, out) && good;
    out.operands.push_back(std::move(operand_out));
  }
  return good;
}

// As many elements as .v2 ... says; of a mov, 2 or 4 that share its type's bits evenly.
bool CodeResolver::elements(const RawOperand& raw, char letter, const isa::Resolved& form,
                            const Instruction& out) {
  const bool fragment =
      letter == 'M' || letter == 'N' || (letter == 't' && raw.kind == RawOperand::Kind::vector);
  if (fragment) return fragment_size(raw, form, out);
  if (letter == 'c' && raw.elements.size() != form.modifiers.dimensions) {
    error(raw.position, fmt::format("`.{}d` takes {} coordinate{}, found {}", form.modifiers.dimensions,
                                    form.modifiers.dimensions, form.modifiers.dimensions == 1 ? "" : "s",
                                    raw.elements.size()));
    return false;
  }
  if (raw.kind != RawOperand::Kind::vector) return true;
  const std::size_t given = raw.elements.size();
  if (letter == 'L') {
    const std::size_t masks = form.modifiers.tensor.cta_group == 2 ? 8 : 4;  // 9.7.16.10.9.1: 32 lanes each
    if (given == masks) return true;
    error(raw.position, fmt::format("the mask of lanes has {} elements, found {}", masks, given));
    return false;
  }
  if (letter == 'V' || letter == 'W') {
    if (given == form.modifiers.vector) return true;
    error(raw.position, fmt::format("`.v{}` takes {} elements, found {}", form.modifiers.vector,
                                    form.modifiers.vector, given));
    return false;
  }
  const std::uint32_t bits = form.modifiers.type ? form.modifiers.type->bits : 0;
  const bool twice = std::any_of(out.operands.begin(), out.operands.end(), [](const Operand& o) {
    return std::holds_alternative<VectorOperand>(o.value);
  });
  const bool fits = (given == 2 && bits >= 16) || (given == 4 && (bits == 32 || bits == 64));
  if (fits && !twice) return true;
  error(raw.position, twice ? "one operand of `mov` may be a vector, not both"
                            : fmt::format("`mov` of a {}-bit type takes no vector of {}", bits, given));
  return false;
}

/// The registers of a matrix fragment: operands are D, A, B, C of a product, r and p of a move.
bool CodeResolver::fragment_size(const RawOperand& raw, const isa::Resolved& form, const Instruction& out) {
  if (form.modifiers.tensor.repetitions != 0) {
    const std::size_t registers = isa::tensor_registers(form.modifiers.tensor);
    const std::size_t found = raw.kind == RawOperand::Kind::vector ? raw.elements.size() : 0;
    if (found == registers) return true;
    error(raw.position, fmt::format("`{}` takes a vector of {} register{} here, found {}",
                                    isa::mnemonic(form.form->opcode, form.modifiers), registers,
                                    registers == 1 ? "" : "s", found == 0 ? "none" : std::to_string(found)));
    return false;
  }
  constexpr isa::Fragment kFragments[] = {isa::Fragment::d, isa::Fragment::a, isa::Fragment::b,
                                          isa::Fragment::c};
  const isa::Fragment fragment = kFragments[std::min<std::size_t>(out.operands.size(), 3)];
  const std::size_t wanted = isa::fragment_registers(form.form->opcode, form.modifiers.matrix, fragment);
  const std::size_t given = raw.kind == RawOperand::Kind::vector ? raw.elements.size() : 1;
  if (given == wanted) return true;
  error(raw.position,
        fmt::format("`{}` takes {} register{} here, found {}",
                    isa::mnemonic(form.form->opcode, form.modifiers), wanted, wanted == 1 ? "" : "s", given));
  return false;
}

bool CodeResolver::operand(const RawOperand& raw, char letter, Operand& out) {
  out.position = raw.position;
  switch (letter) {
    case 'D':
    case 'V':
    case 'S':
    case 'W':
      return vector(raw, letter, out);
    case 'd':
    case 'x':
    case 'q':
    case 'Q':
      return destination(raw, letter, out);
    case 'r':
    case 'p':
      return predicate(raw, letter, out);
    case 'P':
      if (raw.kind == RawOperand::Kind::integer) return integer(raw, out);
      return raw.kind == RawOperand::Kind::negated ? predicate(raw, 'p', out) : source(raw, 'v', out);
    case 'n':
      return integer(raw, out);
    case 't':
      if (raw.kind == RawOperand::Kind::vector) return fragment(raw, 'N', out);
      return descriptor(raw, letter, out);
    case 'u':
      return descriptor(raw, letter, out);
    case 'T':
      if (raw.kind == RawOperand::Kind::address) return address(raw, out);
      return descriptor(raw, 'u', out);
    case 'L':
      return fragment(raw, 'N', out);
    case 'M':
    case 'N':
      return fragment(raw, letter, out);
    case 's':
    case 'v':
      return source(raw, letter, out);
    case 'a':
      return address(raw, out);
    case 'c':
      return tensor(raw, out);
    case 'k':
    case 'g':
    case 'm':
    case 'e':
      return object(raw, letter, out);
    case 'i':
      return number(raw, letter, out);
    default:
      return label(raw, out);
  }
}

std::string CodeResolver::found(const RawOperand& raw) const {
  const std::string percent = raw.name.percent ? "%" : "";
  switch (raw.kind) {
    case RawOperand::Kind::integer:
      return fmt::format("integer `{}`", raw.number);
    case RawOperand::Kind::name:
      return fmt::format("{} `{}{}`", is_register(raw.name) ? "register" : "name", percent, raw.name.name);
    case RawOperand::Kind::pair:
      return fmt::format("pair `{}{}|...`", percent, raw.name.name);
    case RawOperand::Kind::negated:
      return fmt::format("`!{}{}`", percent, raw.name.name);
    case RawOperand::Kind::address:
      return fmt::format("address `[{}{}]`", percent, raw.name.name);
    case RawOperand::Kind::vector:
      return fmt::format("a vector of {}", raw.elements.size());
    case RawOperand::Kind::descriptor:
      return fmt::format("descriptor `desc({}...)`", raw.name.name);
    case RawOperand::Kind::address_of:
      return fmt::format("address `&{}`", raw.name.name);
  }
  return "operand";
}

bool CodeResolver::mismatch(const RawOperand& raw, char letter) {
  std::string hint;
  if (raw.kind == RawOperand::Kind::name && !is_register(raw.name) && raw.name.name != "_" &&
      std::string_view("lkgmei").find(letter) == std::string_view::npos) {
    hint = fmt::format("; a register is `%{}`", raw.name.name);
  }
  error(raw.position, fmt::format("expected {}, found {}{}", isa::operand_noun(letter), found(raw), hint));
  return false;
}

bool CodeResolver::destination(const RawOperand& raw, char letter, Operand& out) {
  if (raw.kind == RawOperand::Kind::pair && (letter == 'q' || letter == 'Q')) return pair(raw, letter, out);
  if (letter == 'Q') return mismatch(raw, letter);
  if (raw.kind != RawOperand::Kind::name || raw.has_offset) return mismatch(raw, letter);
  if (letter == 'x' && raw.name.name == "_" && !raw.name.percent) {
    out.value = Sink{};
    return true;
  }
  if (!is_register(raw.name)) return mismatch(raw, letter);
  if (isa::is_special_register(raw.name.name)) {
    error(raw.position, fmt::format("special register `%{}` cannot be written", raw.name.name));
    return false;
  }
  out.value = Register{raw.name.name};
  return true;
}

bool CodeResolver::pair(const RawOperand& raw, char letter, Operand& out) {
  if (letter == 'Q' && raw.second.name == "_") {
    error(raw.second.position, "`elect` writes a predicate: expected a register, found `_`");
    return false;
  }
  for (const RawName* half : {&raw.name, &raw.second}) {
    const bool special = half->percent && isa::is_special_register(half->name);
    if (half->name == "_" || (is_register(*half) && !special)) continue;
    if (special) {
      error(half->position, fmt::format("special register `%{}` cannot be written", half->name));
      return false;
    }
    error(half->position,
          fmt::format("expected a register or `_`, found `{0}`; a register is `%{0}`", half->name));
    return false;
  }
  out.value = RegisterPair{raw.name.name, raw.second.name};
  return true;
}

// D, S: also a plain operand (a mov that packs or unpacks)
bool CodeResolver::vector(const RawOperand& raw, char letter, Operand& out) {
  const bool to = letter == 'D' || letter == 'V';
  if (raw.kind != RawOperand::Kind::vector) {
    if (letter == 'D') return destination(raw, 'd', out);
    if (letter == 'S') return source(raw, 's', out);
    return mismatch(raw, letter);
  }
  VectorOperand elements;
  for (const RawOperand& element : raw.elements) {
    Operand one;
    if (!operand(element, to ? 'x' : 'v', one)) return false;
    if (const auto* r = std::get_if<Register>(&one.value)) elements.elements.emplace_back(*r);
    if (const auto* i = std::get_if<Integer>(&one.value)) elements.elements.emplace_back(*i);
    if (std::holds_alternative<Sink>(one.value)) elements.elements.emplace_back(Sink{});
  }
  out.value = std::move(elements);
  return true;
}

bool CodeResolver::predicate(const RawOperand& raw, char letter, Operand& out) {
  const bool negated = raw.kind == RawOperand::Kind::negated && letter == 'p';
  if ((raw.kind != RawOperand::Kind::name && !negated) || raw.has_offset || !is_register(raw.name)) {
    return mismatch(raw, letter);
  }
  if (negated) {
    out.value = NegatedRegister{raw.name.name};
  } else {
    out.value = Register{raw.name.name};
  }
  return true;
}

bool CodeResolver::source(const RawOperand& raw, char letter, Operand& out) {
  if (raw.kind == RawOperand::Kind::integer) {
    out.value = Integer{raw.number};
    return true;
  }
  const bool name = raw.kind == RawOperand::Kind::name;
  if (name && raw.name.name == "WARP_SZ" && !raw.has_offset) {
    out.value = Integer{kWarpSize};
    return true;
  }
  if (name && is_register(raw.name) && !raw.has_offset) {
    out.value = Register{raw.name.name};
    return true;
  }
  const bool address = (name || raw.kind == RawOperand::Kind::address_of) && !is_register(raw.name);
  if (!address || letter != 's' || raw.name.name == "_" || raw.name.name == "WARP_SZ")
    return mismatch(raw, letter);
  if (raw.has_offset) {
    error(raw.position,
          "the address of a variable with an offset is not supported here yet; add it by an instruction");
    return false;
  }
  state_.use_variable(raw.name.name, raw.position);
  out.value = AddressOf{raw.name.name};
  return true;
}

bool CodeResolver::address(const RawOperand& raw, Operand& out) {
  const bool bare = raw.kind == RawOperand::Kind::name;
  if (bare && is_register(raw.name)) {
    const std::string name = (raw.name.percent ? "%" : "") + raw.name.name;
    error(raw.position,
          fmt::format("expected an address, found register `{0}`; the address in it is `[{0}]`", name));
    return false;
  }
  if ((!bare && raw.kind != RawOperand::Kind::address) || raw.name.name == "_") return mismatch(raw, 'a');
  if (raw.comma) {
    error(*raw.comma,
          "texture and surface coordinates are not supported; a name of that proxy stands for one location");
    return false;
  }
  Address address;
  address.offset = raw.number;
  if (is_register(raw.name)) {
    address.base_register = raw.name.name;
  } else {
    state_.use_variable(raw.name.name, raw.position);
    address.variable = raw.name.name;
  }
  out.value = std::move(address);
  return true;
}

/// `[map, {%r0, 8}]` of a tensor copy. The address of the map has no offset (9.7.8.24.9).
bool CodeResolver::tensor(const RawOperand& raw, Operand& out) {
  if (raw.kind != RawOperand::Kind::address || !raw.comma) return mismatch(raw, 'c');
  if (raw.has_offset) {
    error(raw.position, "the address of a tensor map has no offset here; add it by an instruction");
    return false;
  }
  RawOperand plain = raw;
  plain.comma.reset();
  Operand map;
  if (!address(plain, map)) return false;
  TensorAddress result;
  result.map = std::get<Address>(map.value);
  for (const RawOperand& element : raw.elements) {
    Operand one;
    if (!source(element, 'v', one)) return false;
    if (const auto* r = std::get_if<Register>(&one.value)) result.coordinates.emplace_back(*r);
    if (const auto* i = std::get_if<Integer>(&one.value)) result.coordinates.emplace_back(*i);
  }
  out.value = std::move(result);
  return true;
}

/// A kernel, graph, stream or event of an API call.
bool CodeResolver::object(const RawOperand& raw, char letter, Operand& out) {
  if (raw.kind != RawOperand::Kind::name || raw.name.percent || raw.has_offset) return mismatch(raw, letter);
  out.value = ObjectName{raw.name.name};
  return true;
}

bool CodeResolver::number(const RawOperand& raw, char letter, Operand& out) {
  if (raw.kind != RawOperand::Kind::integer || raw.number < 0 || raw.number > kMaxNumber)
    return mismatch(raw, letter);
  out.value = Integer{raw.number};
  return true;
}

bool CodeResolver::integer(const RawOperand& raw, Operand& out) {
  if (raw.kind != RawOperand::Kind::integer) return mismatch(raw, 'n');
  out.value = Integer{raw.number};
  return true;
}

/// A vector of registers; one register stands for a vector of one. Sources may be numbers.
bool CodeResolver::fragment(const RawOperand& raw, char letter, Operand& out) {
  const bool to = letter == 'M';
  VectorOperand elements;
  const bool vector = raw.kind == RawOperand::Kind::vector;
  for (const RawOperand& element : vector ? raw.elements : std::vector<RawOperand>{raw}) {
    Operand one;
    if (!(to ? destination(element, 'x', one) : source(element, 'v', one))) return false;
    if (const auto* r = std::get_if<Register>(&one.value)) elements.elements.emplace_back(*r);
    if (const auto* i = std::get_if<Integer>(&one.value)) elements.elements.emplace_back(*i);
    if (std::holds_alternative<Sink>(one.value)) elements.elements.emplace_back(Sink{});
  }
  out.value = std::move(elements);
  return true;
}

/// `desc(...)`, or a register that holds a descriptor (9.7.14.5.1.2.7).
bool CodeResolver::descriptor(const RawOperand& raw, char letter, Operand& out) {
  if (raw.kind == RawOperand::Kind::name && is_register(raw.name)) return source(raw, 'v', out);
  if (raw.kind != RawOperand::Kind::descriptor) return mismatch(raw, letter);
  if (is_register(raw.name)) {
    error(raw.name.position, "a descriptor is of a variable, found a register");
    return false;
  }
  Descriptor result;
  result.variable = raw.name.name;
  result.offset = raw.number;
  for (const auto& [key, bytes] : raw.settings) {
    if (key == "leading") result.leading = bytes;
    if (key == "stride") result.stride = bytes;
    if (key == "swizzle") result.swizzle = bytes;
    const bool swizzle = key == "swizzle";
    if (swizzle ? bytes == 0 || bytes == 32 || bytes == 64 || bytes == 128
                : bytes >= 0 && bytes < kDescriptorBytes && bytes % kDescriptorUnit == 0)
      continue;
    error(raw.position,
          swizzle ? fmt::format("swizzle={}, expected 0, 32, 64 or 128", bytes)
                  : fmt::format("{}={}, expected a multiple of 16 below {}", key, bytes, kDescriptorBytes));
    return false;
  }
  state_.use_variable(raw.name.name, raw.name.position);
  out.value = std::move(result);
  return true;
}

bool CodeResolver::label(const RawOperand& raw, Operand& out) {
  if (raw.kind != RawOperand::Kind::name || raw.name.percent || raw.has_offset) return mismatch(raw, 'l');
  if (thread_.labels.count(raw.name.name) == 0) {
    error(raw.position, fmt::format("unknown label `{}` in P{}", raw.name.name, thread_.thread.number));
    return false;
  }
  out.value = LabelName{raw.name.name};
  return true;
}

}  // namespace

void resolve_code(ParseState& state) {
  state.test.native = state.ptx_declarations || state.blocks;
  const isa::Notation notation = state.test.native ? isa::Notation::any : isa::Notation::short_form;
  for (RawThread& thread : state.threads) CodeResolver(state, thread, notation).run();
  CodeResolver(state, state.kernel_calls, notation).run();
  state.test.kernels.calls = std::move(state.kernel_calls.thread.code);
}

}  // namespace ptxmc::litmus
