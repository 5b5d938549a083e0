// SPDX-License-Identifier: Apache-2.0
// The syntax tree of PTX text (manual, chapters 4, 5, 7 and 11): statements as written, with places, nothing
// resolved but scopes. Which instruction a mnemonic is, and whether its operands suit it, is for those to say who
// know the instructions.
//
// Names are unique within a body: registers, variables and labels that a nested `{ }` declares and that something
// else in the body is called too have `$` and a number behind their name, so that a body may be read as if it had no
// scopes. Views point into the source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace ptxmc::ptx {

/// A place in the text. Trees that differ in nothing but places are equal.
struct At : Position {
  At() = default;
  At(Position position) : Position(position) {}
  friend bool operator==(const At&, const At&) { return true; }
};

/// Bytes of the text, which are no part of the tree's meaning either.
struct Extent {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Extent&, const Extent&) { return true; }
};

/// The scope of a name that its body does not declare: of the module, special, or unknown.
constexpr std::uint32_t kUndeclared = ~std::uint32_t{0};

/// `%x`, `x`, `%v.x`.
struct Name {
  std::string name;  // without %, with its component
  bool percent = false;
  At position;
  std::uint32_t scope = kUndeclared;  // into Body::scopes
  friend bool operator==(const Name&, const Name&) = default;
};

struct Operand {
  enum class Kind : std::uint8_t {
    integer,     // the value of a constant expression (4.5)
    floating,    // the same
    name,        // %r, x, x+4, %v.x
    pair,        // %p|%q
    negated,     // !%p
    address,     // [x], [%rd+4], [4096], [map, {%r0, 8}], [texture, sampler, {%f0}]
    element,     // x[4], x[%r+4]
    vector,      // {%r0, _, 5}
    list,        // (%r0, 5): what a call passes and returns
    address_of,  // &x, and
    descriptor,  // desc(x, key=8), of notations around PTX (Extension)
  };
  Kind kind = Kind::integer;
  bool has_offset = false;
  bool single = false;      // floating: 0f, exact in 32 bits
  Name name;                // name, negated, address, element, address_of, descriptor; first of a pair
  Name second;              // pair; the sampler of an address
  std::int64_t number = 0;  // integer; bits of a floating; offset of name and address; an absolute address
  std::vector<Operand> elements;  // vector, list; coordinates; index of an element; settings of a descriptor
  std::optional<At> comma;        // of an address with coordinates; the `[` of an element
  std::optional<At> unified;      // `.unified` behind an address
  At position;
  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Label {
  Name name;
  friend bool operator==(const Label&, const Label&) = default;
};

/// `@!%p mnemonic.modifiers operands`
struct Instruction {
  std::optional<Name> guard;
  bool guard_negated = false;
  std::string_view base;
  At base_position;
  std::vector<std::string_view> words;  // modifiers, without dots
  std::vector<At> word_positions;
  std::vector<Operand> operands;
  Extent extent;
  At position;
  At end_position;  // of the token behind the last operand
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

// ---- Declarations -----------------------------------------------------------------------------------------
/// `.u32`, `.v4 .f32`
struct Type {
  std::string_view name;
  std::uint8_t vector = 0;
  At position;
  At vector_position;
  friend bool operator==(const Type&, const Type&) = default;
};

/// A name, or the names `x0` to `x(count-1)` of `x<count>` (5.4.6).
struct Declarator {
  Name name;
  std::optional<std::uint32_t> count;
  At count_position;
  friend bool operator==(const Declarator&, const Declarator&) = default;
};

/// `.reg .u32 %r<4>, %x;`
struct Registers {
  Type type;
  std::uint32_t align = 0;
  std::vector<Declarator> declarators;
  friend bool operator==(const Registers&, const Registers&) = default;
};

/// What an initialiser takes the address of.
struct Symbol {
  Name name;
  bool generic = false;      // generic(x)
  std::uint64_t mask = 0;    // 0xff00(x): these bits of it; 0: all
  std::optional<At> offset;  // place of the sign in `x+4`
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

/// One value of an initialiser; the others are zero (5.4.4).
struct Datum {
  enum class Kind : std::uint8_t { integer, floating, address };
  std::uint64_t index = 0;   // of the element, in the order of memory
  std::int64_t number = 0;   // integer; bits of a floating; offset of an address
  std::uint32_t symbol = 0;  // address: into Initialiser::symbols
  Kind kind = Kind::integer;
  bool single = false;  // floating: 0f, exact in 32 bits
  At position;
  friend bool operator==(const Datum&, const Datum&) = default;
};
struct Initialiser {
  std::vector<Datum> data;
  std::vector<Symbol> symbols;
  At position;
  friend bool operator==(const Initialiser&, const Initialiser&) = default;
};

/// `.extern .visible .weak .common` (11.6)
enum class Linkage : std::uint8_t { none, external, visible, weak, common };

/// `.managed`, `.unified(19, 95)` (5.4.8)
struct Attribute {
  std::string_view name;
  std::vector<std::int64_t> numbers;
  At position;
  friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// A variable in memory, or a parameter (of space `reg` too).
struct Variable {
  Linkage linkage = Linkage::none;
  std::string_view space;  // "global", "shared::cta" ...
  At space_position;
  std::uint32_t align = 0;  // bytes; 0: natural
  std::vector<Attribute> attributes;
  Type type;
  bool pointer = false;            // .ptr: of a parameter (5.1.6.3)
  std::string_view pointer_space;  // empty: generic
  std::uint32_t pointer_align = 0;
  Declarator declarator;
  std::vector<std::uint64_t> dimensions;  // a first one of 0: `[]`, of external arrays and last parameters
  std::vector<At> dimension_positions;
  std::optional<Initialiser> initial;
  At position;
  const std::string& name() const { return declarator.name.name; }
  friend bool operator==(const Variable&, const Variable&) = default;
};
struct Variables {
  std::vector<Variable> variables;
  friend bool operator==(const Variables&, const Variables&) = default;
};

// ---- Directives -------------------------------------------------------------------------------------------
/// A place in the language that the PTX was compiled from.
struct SourceLine {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};
/// `.loc 1 9 3, function_name info0+4, inlined_at 1 21 3` (11.5.4)
struct Location {
  SourceLine at;
  std::string_view function;  // a label of the section .debug_str; empty: not inlined
  std::uint64_t function_offset = 0;
  SourceLine inlined_at;
  friend bool operator==(const Location&, const Location&) = default;
};
struct Pragma {
  std::vector<std::string_view> strings;
  friend bool operator==(const Pragma&, const Pragma&) = default;
};
/// `.branchtargets L0, L<4>;` and `.calltargets f, g;` (11.3.1, 11.3.2), behind their label; ranges are expanded.
struct Targets {
  bool calls = false;
  std::vector<Name> names;
  friend bool operator==(const Targets&, const Targets&) = default;
};
/// `.callprototype (.param .b32 _) _ (.param .b64 _);` (11.3.3), behind its label
struct Prototype {
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
  bool no_return = false;
  friend bool operator==(const Prototype&, const Prototype&) = default;
};
/// Debug data (11.5.2), which is not read.
struct Section {
  std::string_view name;
  std::string_view text;  // between the braces
  friend bool operator==(const Section&, const Section&) = default;
};

// ---- Bodies -----------------------------------------------------------------------------------------------
struct Statement {
  std::uint32_t scope = 0;  // into Body::scopes
  std::variant<Label, Instruction, Registers, Variables, Location, Pragma, Targets, Prototype, Section> node;
  At position;
  friend bool operator==(const Statement&, const Statement&) = default;
};

/// A `{ }`: statements [begin, end) of the body.
struct Scope {
  std::uint32_t parent = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  At position;
  friend bool operator==(const Scope&, const Scope&) = default;
};

struct Body {
  std::vector<Scope> scopes;  // in the order of their `{`; the first is the body's own
  std::vector<Statement> statements;
  friend bool operator==(const Body&, const Body&) = default;
};

// ---- Modules ----------------------------------------------------------------------------------------------
/// `.maxntid 128, 1, 1`, `.noreturn`, `.minnctapersm 2`: between a function's parameters and its body (11.4, 11.7)
struct Tuning {
  std::string_view name;
  std::vector<std::uint32_t> numbers;
  At position;
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// What could not be read of a function. It is an error of those that use the function, not of its module.
struct Unread {
  std::vector<Diagnostic> errors;
  friend bool operator==(const Unread&, const Unread&) { return true; }
};

struct Function {
  Linkage linkage = Linkage::none;
  bool entry = false;
  std::vector<Attribute> attributes;
  std::vector<Variable> returns;
  Name name;
  std::vector<Variable> parameters;
  std::vector<Tuning> tuning;
  std::vector<Pragma> pragmas;
  std::optional<Body> body;  // none: a declaration
  Unread unread;
  At position, end;
  friend bool operator==(const Function&, const Function&) = default;
};

/// `.file 1 "kernel.cu", 1339013327, 64118`
struct File {
  std::uint32_t index = 0;
  std::string_view name;
  std::uint64_t time = 0;
  std::uint64_t size = 0;
  friend bool operator==(const File&, const File&) = default;
};
/// `.alias a, f;`
struct Alias {
  Name name;
  Name function;
  friend bool operator==(const Alias&, const Alias&) = default;
};

using Item = std::variant<Variable, Function, File, Alias, Pragma, Section, Location>;

struct Module {
  SourcePtr source;
  std::uint32_t major = 0, minor = 0;  // .version
  std::vector<std::string_view> targets;
  std::uint32_t address_size = 32;
  std::vector<Item> items;        // in the order of the text
  std::vector<Diagnostic> notes;  // what was read past

  friend bool operator==(const Module& a, const Module& b) {
    return a.major == b.major && a.minor == b.minor && a.targets == b.targets &&
           a.address_size == b.address_size && a.items == b.items;
  }
};

}  // namespace ptxmc::ptx
