// SPDX-License-Identifier: Apache-2.0
// The initial state: herd form (`x=0; P0:r1=x; y aliases x;`) and PTX form (`.global .u32 a[2] = {1, 2};`),
// mixed freely.
#include <fmt/format.h>

#include "input/litmus/raw.h"
#include "input/litmus/thread_code.h"
#include "ptx/isa/table.h"

namespace ptxmc::litmus {

namespace {

constexpr std::uint32_t kMapBytes = 128;  // 5.5.7

// herd's C types of variables
std::optional<isa::Type> c_type(std::string_view name) {
  struct Row {
    std::string_view name;
    isa::Type type;
  };
  using enum isa::TypeClass;
  static constexpr Row kRows[] = {
      {"int", {signed_, 32}},        {"int8_t", {signed_, 8}},      {"int16_t", {signed_, 16}},
      {"int32_t", {signed_, 32}},    {"int64_t", {signed_, 64}},    {"uint8_t", {unsigned_, 8}},
      {"uint16_t", {unsigned_, 16}}, {"uint32_t", {unsigned_, 32}}, {"uint64_t", {unsigned_, 64}}};
  for (const Row& row : kRows) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

std::optional<isa::Space> space_of(std::string_view word) {
  if (word == "global") return isa::Space::global;
  if (word == "shared" || word == "shared::cta") return isa::Space::shared;
  if (word == "const") return isa::Space::const_;
  if (word == "local") return isa::Space::local;
  if (word == "tensor") return isa::Space::tensor;
  if (word == "param") return isa::Space::param;
  return std::nullopt;
}

/// How many elements a declared variable has; false: reported.
bool take_extent(Errors& errors, const ptx::Variable& declared, Variable& out) {
  if (declared.declarator.count) {
    errors.error(declared.declarator.count_position, "numbered names are for registers only");
    return false;
  }
  out.is_array = !declared.dimensions.empty();
  if (declared.dimensions.size() > 1) {
    errors.error(declared.dimension_positions[1], "arrays of several dimensions are not supported yet");
    return false;
  }
  if (out.is_array) out.elements = static_cast<std::uint32_t>(declared.dimensions.front());
  return true;
}

class Init {
 public:
  Init(ParseState& state, Cursor& cursor) : state_(state), c_(cursor), reader_(cursor, nullptr, kLimits) {}

  void run() {
    while (!c_.at_end() && !c_.is("}")) {
      if (c_.accept(";")) continue;
      if (at_thread_head(c_)) break;  // the closing brace is missing
      const bool good = item();
      if (good && !c_.is(";") && !c_.is("}")) c_.expected("`;` or `}`");
      if (!good || !c_.is("}")) c_.skip_to(";", "}");
    }
    c_.expect("}", "at the end of the initial state");
  }

 private:
  bool item();
  bool ptx_declaration();
  bool ptx_declarator(const Variable& prototype, ptx::Variable declared);
  bool tensor_map(const Variable& prototype);
  bool take(const ptx::Variable& declared, Variable& out);
  std::optional<InitialValue> take(const ptx::Initialiser& initial, const ptx::Datum& datum, isa::Type type);
  std::optional<InitialValue> value();
  bool names_variable(const Token& name);
  bool register_init(int thread);
  bool variable_init();
  bool alias(Variable variable);
  bool multimem(Variable variable);
  std::optional<Token> variable_name();
  bool declare(Variable variable);

  ParseState& state_;
  Cursor& c_;
  ptx::DeclarationReader reader_;
};

bool Init::item() {
  const Token first = c_.peek();
  if (first.kind == TokenKind::word) return ptx_declaration();
  const bool thread_colon = c_.peek(1).is(":");
  if (thread_colon && first.kind == TokenKind::integer) {
    const std::optional<int> number = c_.number("a thread number", kMaxNumber);
    return number && register_init(*number);
  }
  if (thread_colon && first.kind == TokenKind::identifier) {
    const std::optional<int> number = thread_number(first.text);
    if (!number) {
      c_.expected("a thread `P0`, `P1` ... before `:`");
      return false;
    }
    c_.take();
    return register_init(*number);
  }
  return variable_init();
}

// `P0:r1 = value`; the cursor stands on the colon
bool Init::register_init(int thread) {
  c_.take();
  const Token name = c_.peek();
  if (name.kind != TokenKind::reg && name.kind != TokenKind::identifier) {
    c_.expected("a register");
    return false;
  }
  c_.take();
  if (isa::is_special_register(name.text)) {
    c_.error(name.position, fmt::format("special register `%{}` cannot be initialised", name.text));
    return false;
  }
  if (!c_.expect("=", "and a value")) return false;
  std::optional<InitialValue> initial = value();
  if (!initial) return false;
  if (!state_.initialised.emplace(thread, name.text).second) {
    c_.error(name.position, fmt::format("register `P{}:{}` is initialised twice", thread, name.text));
    return true;
  }
  state_.test.register_inits.push_back({thread, std::string(name.text), std::move(*initial), name.position});
  return true;
}

/// Is this the name of a variable? Reports what is none.
bool Init::names_variable(const Token& name) {
  if (name.kind != TokenKind::identifier || name.text == "_") {
    c_.error(name.position, fmt::format("expected a variable, found {}", describe(name)));
  } else if (is_bare_register(name.text)) {
    c_.error(
        name.position,
        fmt::format("expected a variable, found register `{0}`; a thread's register is `P0:{0}`", name.text));
  } else {
    return true;
  }
  return false;
}

std::optional<Token> Init::variable_name() {
  if (!names_variable(c_.here())) return std::nullopt;
  return c_.take();
}

bool Init::declare(Variable variable) {
  if (const Variable* first = state_.find_variable(variable.name)) {
    c_.error(variable.position, fmt::format("variable `{}` is declared twice", variable.name),
             {{first->position, "the first is here"}});
    return true;  // the item itself is well-formed
  }
  state_.add_variable(std::move(variable));
  return true;
}

// x; x=1; [x]=1; a[2]={1,2}; uint32_t x=1; y aliases x; y @ texture aliases x
bool Init::variable_init() {
  Variable variable;
  if (c_.peek().kind == TokenKind::identifier && c_.peek(1).kind == TokenKind::identifier &&
      c_.peek(1).text != "aliases" && c_.peek(1).text != "multimem") {
    variable.type = c_type(c_.peek().text);
    if (!variable.type) {
      c_.take();
      c_.expected("`=`, `@`, `aliases` or `;`");
      return false;
    }
    c_.take();
  }
  const bool bracket = c_.accept("[");
  const std::optional<Token> name = variable_name();
  if (!name || (bracket && !c_.expect("]"))) return false;
  variable.name = std::string(name->text);
  variable.position = name->position;
  if (!bracket && (c_.is("@") || c_.is_word("aliases"))) return alias(std::move(variable));
  if (!bracket && c_.accept_word("multimem")) return multimem(std::move(variable));
  ptx::Variable declared;
  declared.declarator.name.name = variable.name;
  if (!bracket && c_.is("[") && !reader_.dimensions(declared)) return false;
  if (c_.accept("=") && !reader_.initialiser(declared)) return false;
  return take(declared, variable) && declare(std::move(variable));
}

bool Init::alias(Variable variable) {
  if (c_.accept("@")) {
    const Token proxy = c_.peek();
    bool found = false;
    for (const isa::Proxy p :
         {isa::Proxy::generic, isa::Proxy::constant, isa::Proxy::texture, isa::Proxy::surface}) {
      if (!proxy.is_word(isa::name_of(p))) continue;
      variable.alias_proxy = p;
      found = true;
    }
    if (!found) {
      c_.expected("a proxy: generic, constant, texture or surface");
      return false;
    }
    c_.take();
  }
  if (!c_.accept_word("aliases")) {
    c_.expected("`aliases` and a variable");
    return false;
  }
  const std::optional<Token> target = variable_name();
  if (!target) return false;
  variable.aliases = std::string(target->text);
  return declare(std::move(variable));
}

// m multimem x, y
bool Init::multimem(Variable variable) {
  do {
    const std::optional<Token> location = variable_name();
    if (!location) return false;
    variable.locations.emplace_back(location->text);
  } while (c_.accept(","));
  return declare(std::move(variable));
}

/// Array and initial values, as far as litmus tests have them.
bool Init::take(const ptx::Variable& declared, Variable& out) {
  if (!take_extent(state_.errors, declared, out)) return false;
  if (out.elements == 0) {
    c_.expected("`= {...}` after an array without a size");
    return false;
  }
  if (!declared.initial) return true;
  for (const ptx::Datum& datum : declared.initial->data) {
    std::optional<InitialValue> value = take(*declared.initial, datum, *out.type);
    if (!value) return false;
    out.initial.push_back(std::move(*value));
  }
  return true;
}

std::optional<InitialValue> Init::take(const ptx::Initialiser& initial, const ptx::Datum& datum,
                                       isa::Type type) {
  if (datum.kind == ptx::Datum::Kind::integer) return InitialValue{datum.number, {}};
  if (datum.kind == ptx::Datum::Kind::floating) {
    const auto bits =
        floating_bits(state_.errors, datum.number, datum.single, type.bits, type, datum.position);
    return bits ? std::optional(InitialValue{*bits, {}}) : std::nullopt;
  }
  const ptx::Symbol& symbol = initial.symbols[datum.symbol];
  Token name;
  name.kind = symbol.name.percent ? TokenKind::reg : TokenKind::identifier;
  name.text = symbol.name.name;
  name.position = symbol.name.position;
  if (!names_variable(name)) return std::nullopt;
  if (symbol.offset) {
    c_.error(*symbol.offset, "an address with an offset as initial value is not supported yet");
  } else if (symbol.mask != 0) {
    c_.error(datum.position, "a part of an address as initial value is not supported yet");
  } else {
    return InitialValue{0, symbol.name.name};
  }
  return std::nullopt;
}

// 1, -1, x, &x, generic(x): a name is an address
std::optional<InitialValue> Init::value() {
  ptx::Variable scalar;
  if (!reader_.initialiser(scalar)) return std::nullopt;
  return take(*scalar.initial, scalar.initial->data.front(), isa::Type{isa::TypeClass::unsigned_, 64});
}

// .global .align 8 .u32 x = 0, y;
bool Init::ptx_declaration() {
  Variable prototype;
  prototype.ptx_form = true;
  state_.ptx_declarations = true;
  const Token space = c_.take();
  const std::optional<isa::Space> known = space_of(space.text);
  if (!known) {
    c_.error(space.position,
             fmt::format("expected .global, .shared, .const, .local or .tensor, found `.{}`{}", space.text,
                         space.text == "reg" ? "; registers are declared in their thread" : ""));
    return false;
  }
  prototype.space = *known;
  prototype.opaque = c_.accept_dotted("opaque");
  ptx::Variable declared;
  if (c_.accept_dotted("align") && !reader_.align(declared.align)) return false;
  prototype.align = declared.align;
  if (c_.accept_dotted("tensormap")) return tensor_map(prototype);
  if (!reader_.properties(declared)) return false;
  if (!declared.attributes.empty()) {
    const ptx::Attribute& attribute = declared.attributes.front();
    c_.error(attribute.position, fmt::format("`.{}` is not supported yet", attribute.name));
    return false;
  }
  prototype.align = declared.align;
  prototype.type = take_type(state_.errors, declared.type, false);
  if (!prototype.type) return false;
  do {
    if (!ptx_declarator(prototype, declared)) return false;
  } while (c_.accept(","));
  return true;
}

bool Init::ptx_declarator(const Variable& prototype, ptx::Variable declared) {
  const Token name = c_.here();
  if (!names_variable(name) || !reader_.declarator(declared)) return false;
  Variable variable = prototype;
  variable.name = std::string(name.text);
  variable.position = name.position;
  if (!take(declared, variable)) return false;
  if (variable.opaque && !variable.initial.empty()) {
    c_.error(name.position, fmt::format("`{}` is .opaque: it has no initial value", variable.name));
    return false;
  }
  return declare(std::move(variable));
}

// .const .tensormap map = tensor(...): 128 bytes that the host made before the program starts (5.5.7)
bool Init::tensor_map(const Variable& prototype) {
  Variable variable = prototype;
  const std::optional<Token> name = variable_name();
  if (!name) return false;
  variable.name = std::string(name->text);
  variable.position = name->position;
  if (variable.space == isa::Space::shared || variable.space == isa::Space::local) {
    c_.error(name->position,
             fmt::format("a tensor map is .global, .const or .param; bytes of .{} may hold a copy",
                         isa::name_of(variable.space)));
    return false;
  }
  if (!c_.expect("=", "and the tensor of the map")) return false;
  variable.map = parse_tensor_map(c_);
  while (!variable.map && !c_.at_end() && !c_.is(";")) c_.take();
  variable.type = isa::Type{isa::TypeClass::bits, 8};
  variable.elements = kMapBytes;
  variable.is_array = true;
  return variable.map && declare(std::move(variable));
}

}  // namespace

void parse_init(ParseState& state, Cursor& cursor) {
  Init(state, cursor).run();
  // Names that only values and aliases mention. use_variable adds to the list: go by index, over its first
  // length.
  const std::size_t declared = state.test.variables.size();
  // NOLINTNEXTLINE(performance-unnecessary-value-param): the name may be in the list, which moves when it grows
  const auto use = [&state](std::string name, Position position) {
    if (!name.empty()) state.use_variable(name, position);
  };
  for (std::size_t i = 0; i < declared; ++i) {
    const Position position = state.test.variables[i].position;
    const std::string target = state.test.variables[i].aliases;
    if (!target.empty() &&
        state.find_variable(target) == nullptr) {  // an alias declares what nothing else does
      Variable implied;
      implied.name = target;
      implied.position = position;
      state.add_variable(std::move(implied));
    }
    for (std::size_t j = 0; j < state.test.variables[i].locations.size(); ++j) {
      use(state.test.variables[i].locations[j], position);
    }
    if (state.test.variables[i].map) use(state.test.variables[i].map->base, position);
    for (std::size_t j = 0; j < state.test.variables[i].initial.size(); ++j) {
      use(state.test.variables[i].initial[j].address_of, position);
    }
  }
  for (const RegisterInit& init : state.test.register_inits) use(init.value.address_of, init.position);
}

void declare_in_body(ParseState& state, const ptx::Variable& declared) {
  state.ptx_declarations = true;
  const auto refuse = [&](const std::string& why) { state.errors.error(declared.position, why); };
  const std::optional<isa::Space> space = space_of(declared.space);
  if (space != isa::Space::shared && space != isa::Space::local && space != isa::Space::global)
    return refuse(
        fmt::format("`.{}` is not supported here; expected .shared, .local or .global", declared.space));
  Variable out;
  out.name = declared.name();
  out.space = *space;
  out.align = declared.align;
  out.ptx_form = true;
  out.position = declared.position;
  out.type = take_type(state.errors, declared.type, false);
  if (!out.type || !take_extent(state.errors, declared, out)) return;
  if (out.elements == 0 || declared.initial)
    return refuse(fmt::format("`{}` has {}: declare it in the initial state", out.name,
                              declared.initial ? "an initial value" : "no size"));
  const Variable* known = state.find_variable(out.name);
  if (known == nullptr) return state.add_variable(std::move(out));
  if (known->space != out.space || known->type != out.type || known->elements != out.elements)
    refuse(fmt::format("`{}` is another variable already", out.name));
}

}  // namespace ptxmc::litmus
