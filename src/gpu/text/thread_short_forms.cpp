// SPDX-License-Identifier: Apache-2.0
// Short forms that PTX writes otherwise: branches that compare, barriers with instances, arithmetic atomics.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "axiomatic/lower/placement.h"
#include "gpu/text/thread_writer.h"
#include "ptx/isa/table.h"
#include "support/check.h"

namespace ptxmc::gpu {

using isa::Opcode;
using isa::Role;

namespace {

bool acquires(const isa::Modifiers& m) {
  return m.semantics == isa::Semantics::acquire || m.semantics == isa::Semantics::acq_rel;
}

}  // namespace

/// What is no PTX instruction as it stands.
bool Writer::write_short(const Instruction& instruction, const std::string& guard) {
  const isa::Modifiers& m = instruction.modifiers;
  if (instruction.has(isa::Trait::ends)) {
    text_.uses_end = true;
    line(fmt::format("{}bra {};", guard, spelling_.end));
  } else if (instruction.opcode == Opcode::branch_compare) {
    branch_if(instruction, guard);
  } else if (m.instance_first) {
    barrier(instruction, guard);
  } else if (texture(instruction) != nullptr) {
    fetch(instruction, guard);
  } else if (m.atomic == isa::AtomicOp::sub || (instruction.opcode == Opcode::red && acquires(m))) {
    atomic(instruction, guard);
  } else {
    return false;
  }
  return true;
}

/// The texture of a load through the texture proxy whose name the launcher binds; null: another instruction.
const std::pair<std::string, std::string>* Writer::texture(const Instruction& instruction) const {
  if (instruction.opcode != Opcode::ld || instruction.modifiers.proxy != isa::Proxy::texture) return nullptr;
  const auto* address = std::get_if<program::Address>(&instruction.operand(Role::address).value);
  const auto found =
      address == nullptr ? spelling_.textures.end() : spelling_.textures.find(address->variable);
  return found == spelling_.textures.end() ? nullptr : &found->second;
}

/// tld r, t: a texel of one or two channels of 32 bits is the variable (9.7.10.3).
void Writer::fetch(const Instruction& instruction, const std::string& guard) {
  const auto* to = std::get_if<program::Register>(&instruction.operand(Role::result).value);
  const auto& address = std::get<program::Address>(instruction.operand(Role::address).value);
  const int bits = facts_.type(address.variable).bits, wide = to == nullptr ? 0 : bits_of(to->name);
  const bool whole =
      instruction.modifiers.type && instruction.modifiers.type->bits == bits && address.offset == 0;
  if (to == nullptr || !whole || wide < bits)
    facts_.refuse(
        instruction.position,
        fmt::format("`{}`: a texture fetch loads a whole variable into a register", instruction.text));
  const auto& [object, texel] = *texture(instruction);
  const std::string low = scratch(".b32", "texel"), high = scratch(".b32", "texel"),
                    unused = scratch(".b32", "texel"), last = scratch(".b32", "texel");
  line(fmt::format("{}tex.1d.v4.u32.s32 {{{}, {}, {}, {}}}, [{}, {{{}}}];", guard, low, high, unused, last,
                   object, texel));
  if (wide == 32) {
    line(fmt::format("{}mov.b32 {}, {};", guard, name(to->name), low));
  } else if (bits == 32) {
    line(fmt::format("{}cvt.u64.u32 {}, {};", guard, name(to->name), low));
  } else {
    line(fmt::format("{}mov.b64 {}, {{{}, {}}};", guard, name(to->name), low, high));
  }
}

/// beq a, b, label ...
void Writer::branch_if(const Instruction& instruction, const std::string& guard) {
  const std::string taken = scratch(".pred", "taken");
  std::string left = operand(instruction, Role::a);
  if (std::holds_alternative<program::Integer>(instruction.operand(Role::a).value)) {
    const std::string reg = scratch(".b64", "left");
    line(fmt::format("mov.b64 {}, {};", reg, left));
    left = reg;
  }
  line(fmt::format("setp.{}.s64 {}, {}, {};", isa::name_of(instruction.modifiers.compare), taken, left,
                   operand(instruction, Role::b)));
  PTXMC_CHECK(guard.empty(), "a guarded short branch");
  line(fmt::format("@{} bra {};", taken, operand(instruction, Role::label)));
  converged_ = false;
}

std::int64_t constant_at(const Facts& facts, const Instruction& instruction, Role role,
                         std::int64_t otherwise) {
  const Operand* operand = instruction.find(role);
  if (operand == nullptr) return otherwise;
  const auto* integer = std::get_if<program::Integer>(&operand->value);
  if (integer == nullptr)
    facts.refuse(instruction.position,
                 fmt::format("`{}`: the short form with an operand that is not constant", instruction.text));
  return integer->value;
}

/// bar.cta.sync INSTANCE [, id [, count]]: a hardware barrier for each pair of instance and id, counted in
/// the litmus threads of this CTA that name it: the other CTAs have barriers of their own (9.7.12.1).
void Writer::barrier(const Instruction& instruction, const std::string& guard) {
  using Key = std::pair<std::int64_t, std::int64_t>;
  const auto key_of = [&](const Instruction& i) {
    return Key{constant_at(facts_, i, Role::instance, 0), constant_at(facts_, i, Role::barrier, 0)};
  };
  const Key key = key_of(instruction);
  std::set<Key> keys;
  int members = 0;
  const std::vector<program::Thread>& threads = facts_.test().threads;
  const auto places = lower::place_threads(facts_.test(), lower::Errors(facts_.test().source));
  const auto self = std::find_if(threads.begin(), threads.end(), [&](const program::Thread& thread) {
    return thread.number == thread_.number;
  });
  PTXMC_CHECK(self != threads.end(), "a thread of another test");
  const auto here = static_cast<std::size_t>(self - threads.begin());
  for (std::size_t t = 0; t < threads.size(); ++t) {
    bool member = false;
    for (const Instruction& other : threads[t].code()) {
      if (!other.modifiers.instance_first) continue;
      keys.insert(key_of(other));
      member = member || key_of(other) == key;
    }
    members += member && places[t].cta == places[here].cta ? 1 : 0;
  }
  const auto number = std::distance(keys.begin(), keys.find(key));
  if (number >= kHardwareBarriers) facts_.refuse(instruction.position, "more than 16 barriers");
  const std::int64_t count = constant_at(facts_, instruction, Role::count, members);
  line(fmt::format("{}bar.{} {}, {};", guard, instruction.opcode == Opcode::bar_sync ? "sync" : "arrive",
                   number, count * kWarp));
}

/// atom.sub adds what is negated; a red that acquires is an atom whose result nothing reads.
void Writer::atomic(const Instruction& instruction, const std::string& guard) {
  Instruction changed = instruction;
  isa::Modifiers& m = changed.modifiers;
  const std::string type = fmt::format(".b{}", m.type->bits);
  const bool atom = instruction.opcode == Opcode::atom;
  std::string value = operand(instruction, Role::value);
  if (m.atomic == isa::AtomicOp::sub) {
    m.atomic = isa::AtomicOp::add;
    if (m.type->bits == 64) m.type->cls = isa::TypeClass::unsigned_;
    const std::string negative = scratch(type, "negative");
    line(fmt::format("mov{} {}, {};", type, negative, value));
    line(fmt::format("neg.s{} {}, {};", m.type->bits, negative, negative));
    value = negative;
  }
  const bool returns = atom || acquires(m);
  changed.opcode = returns ? Opcode::atom : Opcode::red;
  std::string destination;
  if (returns) destination = (atom ? operand(instruction, Role::result) : scratch(type, "unused")) + ", ";
  line(fmt::format("{}{} {}{}, {};", guard, isa::mnemonic(changed.opcode, m), destination,
                   operand(instruction, Role::address), value));
}

}  // namespace ptxmc::gpu
