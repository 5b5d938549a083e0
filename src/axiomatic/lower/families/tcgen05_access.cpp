// SPDX-License-Identifier: Apache-2.0
// Addresses in tensor memory, accesses of it, and values of its cells.
//
// An address is a number: lane and column (9.7.16.1.1). One that was loaded from shared memory, where
// tcgen05.alloc put it, is one of the allocations of the CTA: the instruction is expanded into one per
// allocation, each with the guard that the loaded value is its address. What is none of them is a misuse.
//
// A thread stands for a warp, and a register for its 32 lanes. A cell has one value: of all its lanes and
// columns. A register that covers several cells with one value has that value; else an opaque function of
// them. A part of a cell is an opaque function of the cell's value, but zero when that is zero.
#include "axiomatic/lower/families/tcgen05_access.h"

#include <algorithm>
#include <map>
#include <set>

#include "axiomatic/event/valuation.h"
#include "axiomatic/lower/unit/matrix_values.h"
#include "finding/rules.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Op;
using event::Value;

namespace {

constexpr std::size_t kMaxBindings = 64;
constexpr event::Width kCellWidth = 32;

/// A value_of atom that an expression depends on.
struct Atom {
  EventId read = event::kNoEvent;
  Expr expr;
};

std::vector<Atom> atoms_of(event::ExprPool& pool, const std::vector<Expr>& expressions) {
  std::set<EventId> reads;
  std::uint32_t last = 0;
  for (const Expr e : expressions) {
    const auto found = pool.atoms(e);
    reads.insert(found.begin(), found.end());
    last = std::max(last, e.index);
  }
  std::vector<Atom> atoms;
  for (std::uint32_t i = 0; i <= last; ++i) {
    const event::Node& node = pool[Expr{i}];
    if (node.op == Op::value_of && reads.contains(node.atom)) atoms.push_back({node.atom, Expr{i}});
  }
  return atoms;
}

/// A sum of a constant and one other value; one with the lane alone (the upper half) may be an `or`.
bool adds_only(const event::ExprPool& pool, Expr e) {
  constexpr Value kColumnBits = 0xffff;
  while (event::arity(pool[e].op) > 0) {
    const event::Node& node = pool[e];
    const bool constant = event::arity(node.op) == 2 && pool.is_constant(node.b);
    const bool lane = constant && node.op == Op::or_ && (pool[node.b].constant & kColumnBits) == 0;
    const bool moves = node.op == Op::zero_extend || node.op == Op::truncate;
    if (!moves && !lane && !(constant && node.op == Op::add)) return false;
    e = node.a;
  }
  return true;
}

}  // namespace

Expr TensorMemory::tensor_operand(const State& state, const Operand& operand) {
  const auto* address = std::get_if<program::Address>(&operand.value);
  if (!address) {
    if (const auto* name = std::get_if<program::AddressOf>(&operand.value)) {
      if (!layout_.is_tensor(layout_.find(name->variable, operand.position)))
        fail(operand.position, name->variable + " is no variable in tensor memory");
    }
    return registers_.operand(state, operand, 32);
  }
  Expr base;
  if (address->variable.empty()) {
    base = registers_.read_number(state, address->base_register, 32, operand.position);
  } else {
    const VariableId id = layout_.find(address->variable, operand.position);
    if (!layout_.is_tensor(id)) {
      fail(operand.position, address->variable +
                                 " is no variable in tensor memory (.tensor), expected one, or a "
                                 "register with an address there");
    }
    base = unit_.places.address(pool_, {id, std::nullopt}, 32);
  }
  return pool_.make(Op::add, 32, base, pool_.constant(address->offset, 32));
}

std::vector<TensorBinding> TensorMemory::bind_tensor(const Instruction& instruction, const State& state,
                                                     const std::vector<Expr>& addresses) {
  const Expr guard = registers_.event_guard(instruction, state);
  const std::vector<Atom> atoms = atoms_of(pool_, addresses);
  const event::Valuation samples;  // terms are what the layout says
  for (const Expr e : addresses) {
    if (unit_.places.symbolic() && !adds_only(pool_, e))
      unsupported(instruction.position,
                  "an address in tensor memory that is no sum of an allocated one and a constant");
  }
  const auto resolved = [&](std::optional<Value> loaded) {
    std::vector<TensorAddress> found;
    for (const Expr e : addresses) {
      const auto value = pool_.evaluate(
          e, [&](const event::Node& node) { return node.op == Op::value_of ? loaded : std::nullopt; },
          &samples);
      if (!value) unsupported(instruction.position, "this address in tensor memory");
      found.push_back(footprint::tensor_address(*value));
    }
    return found;
  };
  if (atoms.empty()) return {{guard, pool_.truth(true), resolved(std::nullopt)}};
  if (atoms.size() > 1) {
    unsupported(instruction.position, "addresses in tensor memory that depend on more than one load");
  }
  std::map<Value, TensorAllocation> bases;
  for (const TensorAllocation& a : layout_.allocations()) {
    if (a.cta == info_.cta) bases.emplace(a.column, a);
  }
  std::vector<TensorBinding> found;
  Expr rest = guard;
  const std::size_t number = unit_.reach.start();
  const Expr loaded = atoms.front().expr;
  for (const auto& [base, allocation] : bases) {
    if (unit_.reach.excluded(number, base)) continue;
    const Expr here =
        pool_.make(Op::eq, 1, loaded,
                   resize(pool_, {unit_.places.allocation(pool_, allocation), false}, pool_[loaded].width));
    if (pool_.is_false(here)) continue;
    unit_.decide(thread_, here, rest);
    found.push_back({pool_.conjunction(rest, here), here, resolved(base)});
    unit_.reach.note(number, base, found.back().guard, here);
    rest = pool_.conjunction(rest, pool_.negation(here));
    if (found.size() > kMaxBindings) fail(instruction.position, "more than 64 allocations of tensor memory");
  }
  if (!pool_.is_false(rest)) {
    misuse(finding::RuleId::tensor_memory_address, rest, instruction);
  }
  return found;
}

/// Whose tensor memory an instruction accesses: its CTA's, with .cta_group::2 the peer's too (9.7.16.5.1).
Cluster TensorMemory::tensor_ctas(const Instruction& instruction) const {
  if (instruction.modifiers.tensor.cta_group != 2) return {info_.cta};
  const std::vector<std::uint32_t> ctas = cluster_ctas();
  const auto rank = static_cast<std::size_t>(std::find(ctas.begin(), ctas.end(), info_.cta) - ctas.begin());
  const std::size_t peer = rank ^ 1U;
  if (peer >= ctas.size())
    fail(instruction.position,
         "`" + instruction.text + "` needs the other CTA of the pair; no thread is in it");
  return {info_.cta, ctas[peer]};
}

EventId TensorMemory::tensor_issue(const Instruction& instruction, event::TensorOp op, Expr guard) {
  Event issue = new_event(EventKind::issue, instruction, guard);
  issue.tensor.op = op;
  issue.tensor.cta_group = instruction.modifiers.tensor.cta_group;
  issue.tensor.memory = info_.cta;
  if (issue.tensor.cta_group == 2) {
    const Cluster pair = tensor_ctas(instruction);
    issue.tensor.memory = *std::min_element(pair.begin(), pair.end());
  }
  return unit_.add_event(std::move(issue));
}

Tile TensorMemory::tensor_tile(std::uint32_t cta, const TensorRegion& region) {
  Tile tile;
  tile.name = layout_.tensor_memory();
  tile.block = {tile.name, cta};
  layout_.note_tensor(cta, region);
  tile.cells = layout_.frozen() ? layout_.tensor_covering(cta, region) : std::vector<event::CellId>{0};
  PTXMC_CHECK(!tile.cells.empty(), "an access of tensor memory that the survey did not find");
  tile.widths.assign(tile.cells.size(), kCellWidth);
  tile.begins.assign(tile.cells.size(), 0);
  return tile;
}

/// Adds a read, and says the values of its cells, or a write of `value` of each cell.
EventId TensorMemory::tensor_access(EventKind kind, const Instruction& instruction, std::uint32_t cta,
                                    const TensorRegion& region, EventId issue, Expr guard,
                                    const std::function<Expr(event::CellId)>& value, TensorValues* values) {
  const Tile tile = tensor_tile(cta, region);
  Event access = tiles_.tile_event(kind, instruction, tile, issue, guard);
  access.labels.proxy = isa::Proxy::tensor;
  access.labels.begin = region.front().lane << 16 | region.front().column;
  Words words;
  if (kind == EventKind::read) {
    const EventId id = tiles_.add_tile_read(std::move(access), tile, words);
    for (std::size_t k = 0; k < words.size(); ++k) values->push_back({tile.cells[k], words[k]});
    return id;
  }
  for (const event::CellId cell : tile.cells)
    words.push_back(resize(pool_, {value(cell), false}, kCellWidth));
  return tiles_.add_tile_write(std::move(access), tile, words);
}

/// The read and the write of what an operation updates: it does not read what it writes.
void TensorMemory::join_halves(EventId read, EventId write) {
  graph_.events[read].rmw_partner = write;
  graph_.events[write].rmw_partner = read;
}

/// What is outside of tensor memory is an error; what is in no allocation, where a CTA has some, a misuse.
void TensorMemory::check_region(const Instruction& instruction, std::uint32_t cta, const TensorRegion& region,
                                Expr guard) {
  if (!in_tensor_memory(region)) {
    fail(instruction.position,
         "`" + instruction.text + "` goes beyond lane 127 or column 511 of tensor memory");
  }
  if (!layout_.frozen()) return;
  std::vector<bool> allocated(footprint::kTensorColumns, false);
  bool any = false;
  for (const TensorAllocation& a : layout_.allocations()) {
    if (a.cta != cta) continue;
    any = true;
    std::fill_n(allocated.begin() + a.column, a.columns, true);
  }
  const bool inside = std::all_of(region.begin(), region.end(), [&](const TensorBox& box) {
    const auto first = allocated.begin() + box.column;
    return std::all_of(first, first + box.columns, [](bool is) { return is; });
  });
  if (!any || inside) return;
  misuse(finding::RuleId::tensor_memory_address, guard, instruction);
}

/// Where a tcgen05.ld or tcgen05.st begins, which is misuse if the warp does not reach it.
TensorAddress TensorMemory::move_start(const Instruction& instruction, TensorAddress at, Expr guard) {
  const footprint::MoveStart start = footprint::move_start(instruction.modifiers.tensor, at, info_.warp,
                                                           unit_.options.readings.lanes_are_named);
  if (!start.is_reached) misuse(finding::RuleId::tensor_memory_lanes, guard, instruction);
  return start.at;
}

/// Where a cell lies, seen from an address: tells the parts of a matrix apart.
Expr TensorMemory::place_in(event::CellId cell, TensorAddress origin) {
  if (!layout_.frozen()) return pool_.constant(0, 64);
  const TensorBox& box = layout_.tensor_cell(cell).boxes.front();
  return pool_.constant((box.lane - origin.lane) * footprint::kTensorColumns + box.column - origin.column,
                        64);
}

/// The value of a register, of the cells that `region` covers.
Expr TensorMemory::register_value(const isa::Tensor& tensor, const TensorValues& values,
                                  const TensorRegion& region) {
  const Expr zero = pool_.constant(0, 32);
  if (!layout_.frozen()) return values.front().value;
  std::vector<Expr> parts;
  for (const TensorValue& one : values) {
    const TensorCell& cell = layout_.tensor_cell(one.cell);
    const auto meets = [&](const TensorBox& box) {
      return std::any_of(region.begin(), region.end(), [&](const TensorBox& r) { return overlap(box, r); });
    };
    const auto within = [&](const TensorBox& box) {
      return std::any_of(region.begin(), region.end(), [&](const TensorBox& r) {
        return r.column <= box.column && box.column + box.columns <= r.column + r.columns;
      });
    };
    if (std::none_of(cell.boxes.begin(), cell.boxes.end(), meets)) continue;
    if (std::all_of(cell.boxes.begin(), cell.boxes.end(), within)) {
      parts.push_back(one.value);
      continue;
    }
    const Expr place = pool_.constant(region.front().column - cell.boxes.front().column, 64);
    const Expr part = upper_half(pool_, part_of(pool_, one.value, place));
    parts.push_back(pool_.make(Op::ite, 32, pool_.make(Op::eq, 1, one.value, zero), zero, part));
  }
  PTXMC_CHECK(!parts.empty(), "a register without cells");
  if (tensor.packs && parts.size() == 2) {  // 9.7.16.8.2
    const Expr low = pool_.make(Op::and_, 32, parts[0], pool_.constant(0xffff, 32));
    const Expr high = pool_.make(Op::shl, 32, parts[1], pool_.constant(16, 32));
    return pool_.make(Op::or_, 32, high, low);
  }
  Expr same = pool_.truth(true);
  for (const Expr part : parts) same = pool_.conjunction(same, pool_.make(Op::eq, 1, part, parts.front()));
  return pool_.make(Op::ite, 32, same, parts.front(),
                    upper_half(pool_, uninterpreted(pool_, "lanes", parts)));
}

/// The contents of a matrix in tensor memory, as one opaque value.
Expr TensorMemory::tensor_contents(const TensorValues& values, TensorAddress origin) {
  Contents contents(pool_);
  for (const TensorValue& one : values)
    contents.add_part(pool_[place_in(one.cell, origin)].constant, one.value);
  return contents.result();
}

}  // namespace ptxmc::lower
