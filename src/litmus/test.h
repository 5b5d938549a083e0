// SPDX-License-Identifier: Apache-2.0
// Test: the syntax tree of a litmus test, whatever notation it came from (columns, blocks, short or native
// forms). Everything is resolved to names and modifiers here, nothing is evaluated; lowering gives it
// meaning.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "footprint/tensor_map.h"
#include "isa/isa.h"
#include "support/source.h"

namespace ptxmc::litmus {

/// Where a thread runs. Absent cta: a fresh one; absent cluster: one per CTA. Numbers are per GPU (design:
/// Placement). A thread that shares its warp with no other, and names no lane, stands for all 32 lanes; the
/// threads of a shared warp are lanes of it: 0, 1, ... in the order of the text, unless they name their
/// lanes.
struct Placement {
  bool host = false;
  int gpu = 0;
  std::optional<int> cluster;
  std::optional<int> cta;
  std::optional<int> warp;
  std::optional<int> lane;  // of the warp, 0 to 31
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// The value of an initialiser: an integer, or the address of a variable (`P0:r2=x`, `y=&x`).
struct InitialValue {
  std::int64_t integer = 0;  // 64-bit pattern
  std::string address_of;    // empty: integer
  friend bool operator==(const InitialValue&, const InitialValue&) = default;
};

/// A tensor map in tiled mode (5.5): `tensor(A+64, .f16, dims={64, 8}, strides={128}, box={16, 4})`.
struct TensorMap : footprint::TiledMap {
  std::string base;         // the tensor in global memory
  std::int64_t offset = 0;  // bytes
  friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

/// A memory variable: declared in PTX form, named in herd form, or only used by an instruction (then zero).
struct Variable {
  std::string name;
  isa::Space space = isa::Space::global;  // global or shared (and const_, local: clear errors in lowering)
  std::optional<isa::Type> type;          // absent: untyped (width of its accesses, else 64 bits signed)
  std::uint32_t elements = 1;             // > 1: array
  bool is_array = false;
  std::uint32_t align = 0;            // bytes; 0: natural
  std::vector<InitialValue> initial;  // fewer than elements: the rest per `unset`
  bool ptx_form = false;  // PTX form: an unset .shared variable holds an unknown constant, .global zero
  std::string aliases;    // virtual alias of this variable; empty: none
  isa::Proxy alias_proxy = isa::Proxy::generic;  // `c @ constant aliases x`
  std::optional<TensorMap> map;  // .tensormap: an opaque object of 128 bytes, of type .b8[128] otherwise
  Position position;
};

struct RegisterInit {
  int thread = 0;
  std::string name;  // without % and without thread
  InitialValue value;
  Position position;
};

// ---- Operands ---------------------------------------------------------------------------------------------
struct Register {
  std::string name;
  friend bool operator==(const Register&, const Register&) = default;
};  // without %
struct Integer {
  std::int64_t value = 0;
  friend bool operator==(const Integer&, const Integer&) = default;
};
/// `[x]`, `[x+4]`, `[%rd1+8]`, or the bare `x` of a short form in an address slot.
struct Address {
  std::string variable;  // one of variable / base_register is set
  std::string base_register;
  std::int64_t offset = 0;  // bytes
  friend bool operator==(const Address&, const Address&) = default;
};
struct AddressOf {
  std::string variable;
  friend bool operator==(const AddressOf&, const AddressOf&) = default;
};  // x outside an address slot
struct LabelName {
  std::string name;
  friend bool operator==(const LabelName&, const LabelName&) = default;
};
struct Sink {
  friend bool operator==(const Sink&, const Sink&) = default;
};  // `_`
/// `%p|%q`: two destinations of setp.
struct RegisterPair {
  std::string first, second;
  friend bool operator==(const RegisterPair&, const RegisterPair&) = default;
};
/// `!%p`: a negated predicate operand (setp combine, selp never).
struct NegatedRegister {
  std::string name;
  friend bool operator==(const NegatedRegister&, const NegatedRegister&) = default;
};

struct ObjectName {
  std::string name;
  friend bool operator==(const ObjectName&, const ObjectName&) = default;
};  // kernel, stream, event or graph

/// `{%r0, _, 5}`: the elements of a vector, or the parts of a mov that packs or unpacks.
struct VectorOperand {
  std::vector<std::variant<Register, Integer, Sink>> elements;
  friend bool operator==(const VectorOperand&, const VectorOperand&) = default;
};

/// `desc(x+32, leading=128, stride=256, swizzle=64)`: the descriptor of a matrix in shared memory
/// (9.7.14.5.1.2.7), which a PTX program computes into a register. Without strides the core matrices lie one
/// behind the other.
struct Descriptor {
  std::string variable;
  std::int64_t offset = 0;  // bytes, as all the others
  std::optional<std::int64_t> leading, stride;
  std::int64_t swizzle = 0;  // 0, 32, 64 or 128
  friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

/// `[map, {%r0, 8}]`: a tensor map and the coordinates of a box, the innermost dimension first.
struct TensorAddress {
  Address map;
  std::vector<std::variant<Register, Integer>> coordinates;
  friend bool operator==(const TensorAddress&, const TensorAddress&) = default;
};

struct Operand {
  std::variant<Register, Integer, Address, AddressOf, LabelName, Sink, RegisterPair, NegatedRegister,
               ObjectName, VectorOperand, Descriptor, TensorAddress>
      value;
  Position position;
};

struct Guard {
  std::string reg;
  bool negated = false;
};  // @p, @!p

/// One instruction with modifiers resolved by the isa table (defaults applied).
struct Instruction {
  std::vector<std::string> labels;  // labels that stand before it
  std::optional<Guard> guard;
  isa::Opcode opcode = isa::Opcode::nop;  // nop: only a place for labels at the end of a thread
  isa::Modifiers modifiers;
  isa::Spelling spelling;
  std::vector<Operand> operands;  // in PTX order: destination first
  std::string text;               // as the user wrote it, white space squeezed
  Position position;
};

struct RegisterDeclaration {
  std::string name;
  isa::Type type;
  Position position;
};  // .reg .u32 %r<3> is expanded

struct Thread {
  int number = 0;  // the N of PN
  Placement placement;
  std::vector<RegisterDeclaration> registers;
  std::vector<Instruction> code;
  Position position;
};

// ---- Kernels: the section `kernels { ... }` (litmus/kernels.cpp)
// ---------------------------------------------
/// A task: a grid, or a host function where its threads are host threads.
struct Kernel {
  std::string name;
  std::vector<int> threads;               // their numbers, in the order of the text
  std::vector<std::string> after;         // direct dependencies: edges of a graph
  std::vector<std::string> programmatic;  // the same, for programmatic dependent launch
  Position position;
};
struct KernelGraph {
  std::string name;
  std::vector<std::string> kernels;
  Position position;
};  // nodes; edges are the kernels'
struct Kernels {
  std::vector<Kernel> kernels;
  std::vector<KernelGraph> graphs;
  std::vector<Instruction> calls;  // that the host made before the program starts
  bool stated = false;             // the test has the section
};

// ---- Conditions -------------------------------------------------------------------------------------------
/// What a condition or `locations` may name: `P1:r0`, `1:r0`, `x`, `[x]`, `a[1]`.
struct StateName {
  std::optional<int> thread;  // set: a register of that thread
  std::string name;           // register (without %) or variable
  std::optional<std::uint32_t> element;
  Position position;
  friend bool operator==(const StateName& a, const StateName& b) {
    return a.thread == b.thread && a.name == b.name && a.element == b.element;
  }
};

struct Condition;
using ConditionPtr = std::shared_ptr<const Condition>;

/// Comparison operand: a state name, an integer, or the address of a variable (`P0:r1 == x` compares with x's
/// *value* in the short forms' suites, and `&x` with its address).
using ConditionTerm = std::variant<StateName, InitialValue>;

struct Comparison {
  isa::Compare op = isa::Compare::eq;
  ConditionTerm left, right;
};
struct Conjunction {
  std::vector<ConditionPtr> parts;
};  // /\, empty: true
struct Disjunction {
  std::vector<ConditionPtr> parts;
};  // \/, empty: false
struct Negation {
  ConditionPtr part;
};  // ~, not
struct Implication {
  ConditionPtr left, right;
};  // =>
struct Condition {
  std::variant<Comparison, Conjunction, Disjunction, Negation, Implication> node;
  Position position;
};

enum class Quantifier : std::uint8_t { exists, not_exists, forall };

/// Stated expectation (`Verdict=`, `Verdict[MODEL]=`).
enum class Stated : std::uint8_t { allowed, forbidden, required, unknown, undefined };
struct Verdict {
  std::string model;  // empty: any model without an entry of its own
  std::vector<std::string>
      readings;  // `Verdict[MODEL,NAME=VALUE,...]`: where these are in force, sorted; none: the defaults
  std::optional<Stated> proposition;
  std::optional<bool> racy;           // Racy / RaceFree
  std::optional<bool> hangs;          // Hangs / Terminates
  bool vacuous = false;               // Vacuous: no execution, or none that meets the filter
  std::vector<std::string> findings;  // rules that some execution breaks: "shared-after-exit"
  Position position;
};

struct Test {
  SourcePtr source;
  std::string name;
  std::vector<std::string> docs;  // quoted strings, without quotes
  std::vector<std::pair<std::string, std::string>>
      keys;  // herd-style Key=value lines other than Verdict, in order
  std::vector<Verdict> verdicts;
  std::vector<Variable> variables;  // in order of appearance; includes undeclared ones that are used
  std::vector<RegisterInit> register_inits;
  std::vector<Thread> threads;
  Kernels kernels;                   // not stated: all device threads are one grid
  std::vector<StateName> locations;  // locations [...]
  ConditionPtr filter;               // null: none
  Quantifier quantifier = Quantifier::exists;
  ConditionPtr condition;  // null: the file states none (then `forall true`)
  bool native =
      false;  // PTX-form declarations or thread blocks: bar.* counts are in PTX threads (32 a litmus thread)
};

}  // namespace ptxmc::litmus
