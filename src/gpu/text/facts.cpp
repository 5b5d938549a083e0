// SPDX-License-Identifier: Apache-2.0
#include "gpu/text/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"
#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::gpu {

using isa::Opcode;
using isa::Proxy;
using isa::Role;
using isa::Space;
using program::Instruction;
using program::Variable;

namespace {

constexpr std::uint32_t kCopyAlignment = 16;          // bytes: bulk copies, vectors, unswizzled matrices
constexpr std::uint32_t kTensorAlignment = 128;       // boxes in shared memory, and tensor maps
constexpr std::uint32_t kDescriptorAlignment = 1024;  // of a swizzling pattern

/// The address that a name stands for.
const program::Address* address_in(const program::Operand* operand) {
  return operand == nullptr ? nullptr : std::get_if<program::Address>(&operand->value);
}

}  // namespace

bool is_cta_barrier(const Instruction& instruction) {
  return instruction.find(Role::barrier) != nullptr || instruction.find(Role::instance) != nullptr;
}

Facts::Facts(const program::Program& test, bool textures) : test_(test), textures_(textures) {
  for (const Variable& variable : test.variables) check(variable);
  for (const Variable& variable : test.variables) {
    swizzles_ = swizzles_ || (variable.map && variable.map->swizzle != 0);
    if (variable.aliases.empty()) continue;
    aliased_.insert(root(variable.name).name);
    if (variable.alias_proxy == Proxy::constant) constant_.insert(root(variable.name).name);
  }
  bool computed = false;  // an mbarrier operation on a computed address
  for (const program::Thread& thread : test.threads) {
    for (const Instruction& instruction : thread.code()) {
      note(instruction);
      swizzles_ = swizzles_ || instruction.modifiers.map_field == isa::MapField::swizzle_mode;
      const program::Address* object = address_in(instruction.find(Role::mbarrier));
      if (object == nullptr) continue;
      if (object->variable.empty()) {
        computed = true;
      } else {
        mbarriers_.insert(object->variable);
      }
    }
  }
  if (!computed) return;
  // A count as initial value makes a .b64 variable in shared memory an object (there is no other use).
  for (const Variable& variable : test.variables) {
    if (is_shared(variable.space) && type(variable.name).bits == 64 && !variable.initial.empty())
      mbarriers_.insert(variable.name);
  }
}

void Facts::check(const Variable& variable) const {
  if (variable.aliases.empty()) return;
  if (variable.alias_proxy == Proxy::texture && !textures_) {
    refuse(variable.position,
           fmt::format("a name of the texture proxy: `{}` would be a texture object that the host binds",
                       variable.name));
  }
  if (variable.alias_proxy == Proxy::surface) {
    refuse(
        variable.position,
        fmt::format("a name of the surface proxy: `{}` would be a surface object that the host binds, of an "
                    "array, which no variable can be",
                    variable.name));
  }
  if (is_shared(root(variable.name).space))
    refuse(variable.position, fmt::format("a second name of shared memory: `{}`", variable.name));
}

void Facts::note(const Instruction& instruction) {
  const bool tensor = instruction.find(Role::tensor) != nullptr ||
                      instruction.opcode == Opcode::tensormap_replace ||
                      instruction.opcode == Opcode::tensormap_cp_fenceproxy;
  for (const program::Operand& operand : instruction.operands) {
    const bool object = operand.place.role == Role::mbarrier;
    const program::Address* address = address_in(&operand);
    if (const auto* map = std::get_if<program::TensorAddress>(&operand.value))
      tensors_.insert(map->map.variable);
    if (tensor && !object && address != nullptr) tensors_.insert(address->variable);
    if (const auto* descriptor = std::get_if<program::Descriptor>(&operand.value))
      described_.insert(descriptor->variable);
    if (address == nullptr || address->variable.empty() || !instruction.modifiers.type) continue;
    const Variable& variable = root(address->variable);
    if (variable.type) continue;
    std::uint16_t& width = widths_[variable.name];
    width = std::max<std::uint16_t>(width, object ? 64 : instruction.modifiers.type->bits);
  }
}

const Variable* Facts::find(const std::string& name) const {
  const auto found = std::find_if(test_.variables.begin(), test_.variables.end(),
                                  [&](const Variable& v) { return v.name == name; });
  return found == test_.variables.end() ? nullptr : &*found;
}

const Variable& Facts::root(const std::string& name) const {
  const Variable* variable = find(name);
  for (std::size_t hops = 0; variable != nullptr && !variable->aliases.empty(); ++hops) {
    if (hops > test_.variables.size()) fail(variable->position, "aliases of " + name + " go in a circle");
    const Variable* next = find(variable->aliases);
    if (next == nullptr) fail(variable->position, "no variable " + variable->aliases);
    variable = next;
  }
  PTXMC_CHECK(variable != nullptr, "no variable " + name);
  return *variable;
}

isa::Type Facts::type(const std::string& name) const {
  const Variable& variable = root(name);
  if (variable.type) return *variable.type;
  const auto width = widths_.find(variable.name);
  return {isa::TypeClass::bits, width == widths_.end() ? std::uint16_t{64} : width->second};
}

Space Facts::space(const std::string& name) const {
  const Variable* variable = find(name);
  if (variable != nullptr && variable->alias_proxy == Proxy::constant) return Space::const_;
  return root(name).space;
}

Home Facts::home(const std::string& name) const {
  const Space where = space(name);
  if (where == Space::const_ || where == Space::shared || where == Space::local) return Home::symbol;
  if (where == Space::tensor) return Home::columns;
  if (where == Space::param) return Home::param;
  return aliased_.contains(root(name).name) ? Home::address : Home::symbol;
}

std::uint32_t Facts::alignment(const std::string& name) const {
  const Variable& variable = root(name);
  const std::uint32_t natural = std::max<std::uint32_t>(type(name).bits / 8, variable.align);
  if (tensors_.contains(variable.name) && swizzles_ && is_shared(variable.space))
    return std::max(natural, kDescriptorAlignment);
  if (variable.map || tensors_.contains(variable.name)) return std::max(natural, kTensorAlignment);
  if (described_.contains(variable.name)) return std::max(natural, kDescriptorAlignment);
  return variable.elements * (type(name).bits / 8U) >= kCopyAlignment ? std::max(natural, kCopyAlignment)
                                                                      : natural;
}

isa::Modifiers Facts::completed(const Instruction& instruction) const {
  isa::Modifiers m = instruction.modifiers;
  const isa::OpcodeTraits& traits = isa::traits(instruction.opcode);
  if (traits.family == isa::Family::memory) {
    const program::Address* address = address_in(instruction.find(Role::address));
    const bool named = address != nullptr && !address->variable.empty();
    if (named && m.space == Space::generic) m.space = space(address->variable);
    if (named && !m.type) m.type = type(address->variable);
    if (!m.type) m.type = isa::Type{isa::TypeClass::bits, 64};
    if (m.proxy == Proxy::constant) {
      m.proxy = Proxy::generic;
      m.space = Space::const_;
    }
    // Bit operations exist on .b types, arithmetic on .u and .s.
    const bool bitwise = m.atomic == isa::AtomicOp::and_ || m.atomic == isa::AtomicOp::or_ ||
                         m.atomic == isa::AtomicOp::xor_ || m.atomic == isa::AtomicOp::exch ||
                         m.atomic == isa::AtomicOp::cas;
    if (m.atomic != isa::AtomicOp::none && !instruction.modifiers.type) {
      if (bitwise) m.type->cls = isa::TypeClass::bits;
      if (!bitwise && m.type->cls != isa::TypeClass::signed_) m.type->cls = isa::TypeClass::unsigned_;
      if (m.atomic == isa::AtomicOp::add && m.type->bits == 64) m.type->cls = isa::TypeClass::unsigned_;
    }
    return m;
  }
  if (m.type) return m;
  const bool registers = traits.pure != isa::Pure::none || instruction.opcode == Opcode::branch_compare;
  if (registers)
    m.type = isa::Type{traits.has(isa::Trait::bits) ? isa::TypeClass::bits : isa::TypeClass::signed_, 64};
  if (traits.pure == isa::Pure::product && m.half == isa::MulHalf::none) m.half = isa::MulHalf::lo;
  return m;
}

void Facts::fail(Position position, const std::string& message) const {
  ptxmc::refuse(test_.source, position, message);
}

void Facts::refuse(Position position, const std::string& what) const {
  Diagnostics diagnostics(test_.source);
  diagnostics.error(position, "PTX cannot express " + what);
  throw CannotRun(diagnostics);
}

void Facts::cannot_run(Position position, const std::string& why) const {
  Diagnostics diagnostics(test_.source);
  diagnostics.error(position, "cannot run on a GPU yet: " + why);
  throw CannotRun(diagnostics);
}

}  // namespace ptxmc::gpu
