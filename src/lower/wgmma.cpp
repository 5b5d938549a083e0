// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async (9.7.14.5.2, 9.7.14.6.4), wgmma.fence, commit_group and wait_group (9.7.14.7).
//
// A litmus thread that executes them stands for the warpgroup. The operation reads its operands in shared
// memory through the async proxy, off program order; it starts at a wgmma.fence or proxy fence before it, not
// at the instruction (R244), which the model text says of its issue event. Groups are those of copy_groups.h.
#include <algorithm>

#include "isa/matrix.h"
#include "isa/opcode.h"
#include "isa/table.h"
#include "lower/descriptor_bits.h"
#include "lower/matrix_values.h"
#include "lower/thread.h"

namespace ptxmc::lower {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::Value;
using isa::Fragment;

namespace {

constexpr std::uint32_t kAlignment = 16;  // bytes, of a matrix in shared memory

std::vector<std::string> registers_of(const program::Operand& operand) {
  std::vector<std::string> names;
  const auto* vector = std::get_if<program::VectorOperand>(&operand.value);
  if (!vector) return names;
  for (const auto& element : vector->elements) {
    if (const auto* r = std::get_if<program::Register>(&element)) names.push_back(r->name);
  }
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool same_shape(const isa::Matrix& a, const isa::Matrix& b) {
  return a.m == b.m && a.n == b.n && a.k == b.k && a.d == b.d;
}

}  // namespace

/// The matrix that a descriptor names: a variable, the offset in it, and its layout.
ThreadLowering::SharedMatrix ThreadLowering::shared_matrix(const Instruction& instruction, const State& state,
                                                           const Operand& operand, const MatrixSize& size,
                                                           bool transposed) {
  if (const auto* written = std::get_if<program::Descriptor>(&operand.value)) {
    MatrixLayout layout = footprint::packed_layout(size, written->swizzle, transposed);
    if (written->leading) layout.leading = *written->leading;
    if (written->stride) layout.stride = *written->stride;
    return {unit_.layout.find(written->variable, operand.position), written->offset, layout};
  }
  const Expr value = this->operand(state, operand, 64);
  const auto read = descriptor_bits(unit_.pool(), unit_.places, value);
  if (!read && !unit_.pool().is_constant(value))
    unit_.errors.unsupported(operand.position, "a matrix descriptor that is not constant");
  const Value bits = read ? read->rest : unit_.pool()[value].constant;
  const bool tensor = isa::traits(instruction.opcode).family == isa::Family::tensor;
  footprint::Problem problem;
  footprint::MatrixDescriptor found =
      footprint::decode_descriptor(tensor ? footprint::MatrixUnit::tcgen05 : footprint::MatrixUnit::wgmma,
                                   static_cast<std::uint64_t>(bits), problem);
  if (problem.unsupported) unit_.errors.unsupported(operand.position, problem.text);
  if (!problem.text.empty()) fail(operand.position, problem.text);
  found.layout.transposed = transposed;
  if (read) return {read->start.variable, read->start.offset, found.layout};
  constexpr Value kSpan = footprint::kDescriptorSpan;
  for (VariableId id = 0; id < unit_.layout.variables() && !unit_.places.symbolic(); ++id) {
    if (!unit_.layout.is_shared(id) || unit_.layout.root(id) != id) continue;
    const Value offset = (found.start - unit_.layout.address(id) % kSpan + kSpan) % kSpan;
    if (offset < unit_.layout.extent(id)) return {id, offset, found.layout};
  }
  fail(operand.position, "the descriptor's start address is of no .shared variable");
}

/// The reads of a matrix in a CTA's shared memory; returns its contents as one opaque value.
Expr ThreadLowering::read_shared_matrix(const Instruction& instruction, const Operand& operand,
                                        const State& state, const MatrixSize& size, bool transposed,
                                        EventId issue, std::uint32_t cta, std::vector<EventId>& reads) {
  const SharedMatrix matrix = shared_matrix(instruction, state, operand, size, transposed);
  const Expr guard = unit_.graph.events[issue].guard;
  Contents contents(unit_.pool());
  for (const Range& range : footprint::bytes_of(size, matrix.layout, matrix.offset)) {
    Location place;
    place.variable = matrix.variable;
    place.offset = range.begin;
    if (cta != info_.cta) place.cta = cta;
    const isa::Space space = cta == info_.cta ? isa::Space::shared_cta : isa::Space::shared_cluster;
    const Tile from = tile(instruction, operand, place, {space, range.bytes, kAlignment, false, false});
    Words words;
    Event read = tile_event(EventKind::read, instruction, from, issue, guard);
    read.labels.proxy = isa::Proxy::async;
    reads.push_back(add_tile_read(std::move(read), from, words));
    for (std::size_t k = 0; k < words.size(); ++k) {
      const std::int64_t end = k + 1 < words.size() ? from.begins[k + 1] : range.bytes;
      contents.add(range.begin - matrix.offset + from.begins[k], end - from.begins[k], words[k]);
    }
  }
  return contents.result();
}

Expr ThreadLowering::read_matrix(const Instruction& instruction, const Operand& operand, State& state,
                                 const MatrixSize& size, bool transposed, EventId issue) {
  std::vector<EventId> reads;
  const Expr contents =
      read_shared_matrix(instruction, operand, state, size, transposed, issue, info_.cta, reads);
  for (const EventId read : reads) state.copies.add(CopyKind::wgmma, read);
  return contents;
}

/// imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b, as far as the types have them.
ThreadLowering::WgmmaNumbers ThreadLowering::wgmma_numbers(const Instruction& instruction) const {
  const bool in_memory = registers_of(instruction.operand(Role::a)).empty();
  const auto number = [&](Role role, Value one, Value other) -> std::optional<Value> {
    const Operand* operand = instruction.find(role);
    if (operand == nullptr) return std::nullopt;
    const Value value = std::get<program::Integer>(operand->value).value;
    if (value != one && value != other) {
      fail(operand->position, "expected " + std::to_string(one) + " or " + std::to_string(other) +
                                  ", found " + std::to_string(value));
    }
    return value;
  };
  WgmmaNumbers numbers;
  for (const Role role : {Role::scale_a, Role::scale_b}) {
    if (const auto scale = number(role, 1, -1)) numbers.text += " " + std::to_string(*scale);
  }
  if (instruction.find(Role::transpose_b) == nullptr) return numbers;
  if ((instruction.find(Role::transpose_a) != nullptr) != in_memory) {
    fail(instruction.position,
         in_memory ? "imm-trans-a and imm-trans-b are expected" : "A is in registers and has no imm-trans-a");
  }
  numbers.transpose_a = number(Role::transpose_a, 0, 1) == 1;
  numbers.transpose_b = number(Role::transpose_b, 0, 1) == 1;
  return numbers;
}

void ThreadLowering::wgmma(const Instruction& instruction, State& state) {
  need_warp(instruction);
  auto& pool = unit_.pool();
  const isa::Matrix& matrix = instruction.modifiers.matrix;
  const WgmmaNumbers numbers = wgmma_numbers(instruction);
  const Expr guard = event_guard(instruction, state);
  const EventId issue = issue_event(instruction, guard);
  unit_.graph.events[issue].labels.wgmma = true;

  const Operand& d = instruction.operand(Role::result);
  const Operand& a = instruction.operand(Role::a);
  const Operand& b = instruction.operand(Role::b);
  std::vector<Expr> arguments;
  if (registers_of(a).empty()) {
    const MatrixSize size{matrix.m, matrix.sparse ? matrix.k / 2 : matrix.k, bits_of(matrix.a)};
    arguments.push_back(read_matrix(instruction, a, state, size, numbers.transpose_a, issue));
  } else {
    add_fragment(state, a, 32, arguments);
  }
  const MatrixSize size{matrix.n, matrix.k, bits_of(matrix.b)};
  arguments.push_back(read_matrix(instruction, b, state, size, numbers.transpose_b, issue));
  WgmmaUse use{static_cast<EventId>(unit_.graph.size() - 1), guard, matrix, registers_of(d), registers_of(a)};
  use_registers(instruction, state, use);
  if (matrix.sparse) {
    check_sparsity(instruction, state);
    for (const Role role : {Role::metadata, Role::selector})
      arguments.push_back(operand(state, instruction.operand(role), 32));
  }
  const std::string name = isa::mnemonic(instruction.opcode, instruction.modifiers) + numbers.text;
  const Expr fresh = uninterpreted(pool, name, arguments);
  add_fragment(state, d, 32, arguments);
  const Expr added = uninterpreted(pool, name + " + D", arguments);
  const Expr accumulates = predicate_operand(state, instruction.operand(Role::enable_d));
  write_fragment(state, instruction, d, 32, pool.make(event::Op::ite, 64, accumulates, added, fresh));
  state.matrices.uses.push_back(std::move(use));
  const auto first = state.matrices.unfenced.find(kFirstOperation);
  const Expr skipped = pool.negation(predicate(instruction, state));
  if (first != state.matrices.unfenced.end()) first->second = pool.conjunction(first->second, skipped);
}

void ThreadLowering::wgmma_fence(const Instruction& instruction, State& state) {
  Event fence = new_event(EventKind::group, instruction, event_guard(instruction, state));
  fence.labels.wgmma = true;
  unit_.add_event(std::move(fence));
  const Expr skipped = unit_.pool().negation(predicate(instruction, state));
  for (auto& [name, unfenced] : state.matrices.unfenced)
    unfenced = unit_.pool().conjunction(unfenced, skipped);
}

// ---- Registers (matrix_state.h) ---------------------------------------------------------------------------

/// "The group of this operation has not been waited for."
Expr ThreadLowering::in_flight(const State& state, const WgmmaUse& use) {
  auto& pool = unit_.pool();
  Expr result = pool.truth(false);
  const auto holds = [&](const std::vector<EventId>& accesses) {
    return std::find(accesses.begin(), accesses.end(), use.access) != accesses.end();
  };
  for (const CopyHistory::Alternative& alternative : state.copies.alternatives()) {
    const CopyGroups& groups = alternative.groups[static_cast<std::size_t>(CopyKind::wgmma)];
    const bool committed = std::any_of(groups.committed.begin(), groups.committed.end(), holds);
    if (holds(groups.open) || committed) result = pool.disjunction(result, alternative.where);
  }
  return pool.conjunction(result, use.guard);
}

void ThreadLowering::misuse_register(const Instruction& instruction, const char* name, Expr where) {
  if (unit_.pool().is_false(where)) return;
  unit_.graph.misuses.push_back({name, where, instruction.position, instruction.text});
}

/// The registers that a wgmma.mma_async itself uses.
void ThreadLowering::use_registers(const Instruction& instruction, const State& state, const WgmmaUse& use) {
  auto& pool = unit_.pool();
  Expr unfenced = pool.truth(false), taken = pool.truth(false);
  const auto add = [&](const std::string& name) {
    const auto found = state.matrices.unfenced.find(name);
    if (found != state.matrices.unfenced.end()) unfenced = pool.disjunction(unfenced, found->second);
  };
  std::for_each(use.accumulator.begin(), use.accumulator.end(), add);
  std::for_each(use.multiplicand.begin(), use.multiplicand.end(), add);
  for (const WgmmaUse& other : state.matrices.uses) {
    const bool chained = same_shape(other.matrix, use.matrix);
    const bool clash =
        std::any_of(use.accumulator.begin(), use.accumulator.end(),
                    [&](const std::string& name) {
                      return contains(other.multiplicand, name) ||
                             (contains(other.accumulator, name) && !chained);
                    }) ||
        std::any_of(use.multiplicand.begin(), use.multiplicand.end(),
                    [&](const std::string& name) { return contains(other.accumulator, name); });
    if (clash) taken = pool.disjunction(taken, in_flight(state, other));
  }
  misuse_register(instruction, "wgmma-register-unfenced", pool.conjunction(use.guard, unfenced));
  const auto first = state.matrices.unfenced.find(kFirstOperation);
  if (first != state.matrices.unfenced.end() && !unit_.options.readings.first_fence_is_free)
    misuse_register(instruction, "wgmma-unfenced", pool.conjunction(use.guard, first->second));
  misuse_register(instruction, "wgmma-register-in-flight", pool.conjunction(use.guard, taken));
}

/// The registers that any other instruction reads or writes.
void ThreadLowering::touch_registers(const Instruction& instruction, State& state) {
  if (!uses_wgmma_) return;
  auto& pool = unit_.pool();
  RegisterUse use = register_use(instruction);
  use.reads.insert(use.reads.end(), use.writes.begin(), use.writes.end());
  std::vector<std::string> own;
  if (instruction.opcode == isa::Opcode::wgmma_mma) {
    own = registers_of(instruction.operand(Role::result));
    const auto a = registers_of(instruction.operand(Role::a));
    own.insert(own.end(), a.begin(), a.end());
  }
  const Expr executed = predicate(instruction, state);
  for (const std::string& name : use.reads) {
    if (contains(own, name)) continue;
    const auto place = state.matrices.unfenced.try_emplace(name, pool.truth(false)).first;
    place->second = pool.disjunction(place->second, executed);
    for (const WgmmaUse& other : state.matrices.uses) {
      if (!contains(other.accumulator, name) && !contains(other.multiplicand, name)) continue;
      const Expr here = pool.conjunction(state.guard, executed);
      misuse_register(instruction, "wgmma-register-in-flight",
                      pool.conjunction(here, in_flight(state, other)));
    }
  }
}

/// Two paths meet; `take_next` tells them apart.
void ThreadLowering::merge_matrices(MatrixState& merged, const MatrixState& next, Expr take_next) {
  auto& pool = unit_.pool();
  const Expr no = pool.truth(false);
  for (const auto& entry : next.unfenced) merged.unfenced.try_emplace(entry.first, no);
  for (auto& [name, unfenced] : merged.unfenced) {
    const auto other = next.unfenced.find(name);
    unfenced =
        pool.make(event::Op::ite, 1, take_next, other == next.unfenced.end() ? no : other->second, unfenced);
  }
  for (const WgmmaUse& use : next.uses) {
    if (std::find(merged.uses.begin(), merged.uses.end(), use) == merged.uses.end())
      merged.uses.push_back(use);
  }
}

}  // namespace ptxmc::lower
