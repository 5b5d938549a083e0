// SPDX-License-Identifier: Apache-2.0
// The code of a host thread in a form that a CPU executes fast: flat operations over numbered registers.
//
// What an instruction computes is what lowering says (src/axiomatic/lower/families/registers.cpp, integers.cpp): a register
// holds a value with a width and a sign, and widens by its sign where it is used. What it does to memory is
// what C++ does: weak, relaxed, volatile and mmio accesses are relaxed atomic ones (of which a weak one asks
// less), acquire and release have their names, fence.sc is a sequentially consistent fence, the other fences
// are acquire-release ones or weaker; an atomic is a loop around a compare-and-swap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "axiomatic/event/expr.h"
#include "gpu/text/facts.h"
#include "gpu/text/observe.h"
#include "ptx/isa/isa.h"
#include "ptx/program/program.h"

namespace ptxmc::gpu {

enum class HostKind : std::uint8_t {
  copy,     ///< of a register or constant at the operation's width
  move,     ///< of a register with its own width
  apply,    ///< event::apply of one or two operands
  product,  ///< mul, mad
  shift,
  compare,  ///< setp
  select,
  convert,
  load,
  store,
  atomic,
  fence,
  jump,
  jump_compare,
  end,
  call  ///< of the CUDA API: the machine pauses
};

enum class HostOrder : std::uint8_t { relaxed, acquire, release, acq_rel, sc };

struct HostOperand {
  enum class Kind : std::uint8_t { none, reg, negated, constant, address };
  Kind kind = Kind::none;
  std::uint32_t number = 0;  ///< register, or variable (index in HostCode::variables)
  std::int64_t constant = 0;
};

struct HostOperation {
  HostKind kind = HostKind::copy;
  HostOrder order = HostOrder::relaxed;
  event::Op op = event::Op::add;
  isa::AtomicOp atomic = isa::AtomicOp::none;
  isa::Compare relation = isa::Compare::none;
  isa::BoolOp combine = isa::BoolOp::none;
  isa::MulHalf half = isa::MulHalf::none;
  event::Width width = 64, result_width = 64;  ///< bits, of operands and of the result
  bool is_signed = true, result_signed = true;
  std::int32_t destination = -1, second = -1;  ///< registers; -1: none
  std::int32_t guard = -1;                     ///< predicate register; -1: always
  bool guard_negated = false;
  HostOperand a, b, c;
  HostOperand address;                     ///< memory: a register or a variable
  std::int64_t offset = 0;                 ///< bytes, from there
  std::uint32_t target = 0;                ///< of a jump: an operation
  bool back = false;                       ///< the jump goes backwards
  std::uint32_t call = 0;                  ///< number among the calls of the thread
  std::vector<std::int32_t> destinations;  ///< of a vector load; -1: not kept
  std::vector<HostOperand> sources;        ///< of a vector store
};

/// What is known of a register before the thread runs.
struct HostRegister {
  std::string name;
  std::optional<isa::Type> declared;
  HostOperand initial;  ///< a constant, or an address
};

/// A register that the condition names.
struct HostResult {
  std::uint32_t row = 0;  ///< number of the observed name
  std::int32_t reg = -1;  ///< -1: the thread has no such register, it is zero
  event::Width bits = 64;
};

struct HostCode {
  int thread = 0;  ///< the N of PN
  std::vector<HostRegister> registers;
  std::vector<HostOperation> operations;
  std::vector<std::string> variables;  ///< all of the test in global memory, in its order
  std::vector<HostResult> results;
  bool jumps_back = false;
  bool computes_addresses = false;  ///< it may access any variable
};

/// Throws CannotRun for what a CPU cannot do (accesses of 16 bytes, floating point, packed values).
HostCode compile_host(const Facts& facts, const program::Thread& thread, const Observation& observation);

}  // namespace ptxmc::gpu
