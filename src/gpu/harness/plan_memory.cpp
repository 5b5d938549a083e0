// SPDX-License-Identifier: Apache-2.0
#include "gpu/harness/plan_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gpu/text/module.h"
#include "gpu/text/tensor_maps.h"
#include "support/check.h"

namespace ptxmc::gpu {

using isa::Opcode;
using isa::Space;
using program::Instruction;
using program::Variable;

namespace {

constexpr std::int64_t kBoxAlignment = 128, kRowAlignment = 16;  // bytes

/// Whether an instruction may change the map, or makes its address known to others that may.
bool may_change(const Instruction& instruction, const std::string& map) {
  const bool reads = instruction.opcode == Opcode::fence_proxy || instruction.opcode == Opcode::ld ||
                     instruction.opcode == Opcode::prefetch_tensormap;
  for (const program::Operand& operand : instruction.operands) {
    const auto* address = std::get_if<program::Address>(&operand.value);
    const auto* taken = std::get_if<program::AddressOf>(&operand.value);
    if (taken != nullptr && taken->variable == map) return true;
    const bool named = address != nullptr && address->variable == map;
    if (named && !reads && operand.place.role == isa::Role::address) return true;
  }
  return false;
}

bool may_change(const program::Program& test, const std::string& map) {
  for (const program::Thread& thread : test.threads) {
    for (const Instruction& i : thread.code()) {
      if (may_change(i, map)) return true;
    }
  }
  for (const program::RegisterInit& init : test.register_inits) {
    if (init.value.address_of == map) return true;
  }
  return std::any_of(test.variables.begin(), test.variables.end(), [&](const Variable& v) {
    return std::any_of(v.initial.begin(), v.initial.end(),
                       [&](const program::InitialValue& value) { return value.address_of == map; });
  });
}

/// The variable that an operand names.
std::string named(const program::Operand& operand) {
  if (const auto* address = std::get_if<program::Address>(&operand.value)) return address->variable;
  if (const auto* taken = std::get_if<program::AddressOf>(&operand.value)) return taken->variable;
  if (const auto* tensor = std::get_if<program::TensorAddress>(&operand.value)) return tensor->map.variable;
  return "";
}

/// Global memory through which a tensor copy finds a map that the test makes itself.
bool holds_map(const program::Program& test, const Variable& variable) {
  for (const program::Thread& thread : test.threads) {
    for (const Instruction& i : thread.code()) {
      const bool about_maps =
          i.opcode == Opcode::tensormap_cp_fenceproxy || i.modifiers.proxy == isa::Proxy::tensormap;
      for (const program::Operand& operand : i.operands) {
        const bool copies = about_maps || std::holds_alternative<program::TensorAddress>(operand.value);
        if (copies && named(operand) == variable.name) return true;
      }
    }
  }
  return false;
}

bool is_elsewhere(Space space) {
  return space == Space::const_ || space == Space::param;
}

/// An instruction that names such a map, in its new space.
void move_map(const Facts& facts, const program::Program& test, Instruction& instruction) {
  const auto names_map = [&](const program::Operand& operand) {
    return std::any_of(test.variables.begin(), test.variables.end(), [&](const Variable& v) {
      return v.map && is_elsewhere(v.space) && v.name == named(operand);
    });
  };
  if (!is_elsewhere(instruction.modifiers.space)) return;
  if (std::any_of(instruction.operands.begin(), instruction.operands.end(), names_map)) {
    const bool prefetch = instruction.opcode == Opcode::prefetch_tensormap;  // knows no .global
    instruction.modifiers.space = prefetch ? Space::generic : Space::global;
  } else if (instruction.opcode == Opcode::cvta) {
    facts.cannot_run(
        instruction.position,
        fmt::format("each instance has its map in global memory, so `{}` has no meaning", instruction.text));
  }
}

NameKind kind_of(const Facts& facts, const Variable& variable) {
  if (variable.alias_proxy == isa::Proxy::texture) return NameKind::texture;
  return facts.space(variable.name) == Space::const_ ? NameKind::constant : NameKind::mapping;
}

void plan_aliases(const Facts& facts, Plan& plan) {
  const Variable* constant = nullptr;
  const Variable* other = nullptr;
  for (const Variable& variable : facts.test().variables) {
    if (variable.aliases.empty()) continue;
    const NameKind kind = kind_of(facts, variable);
    const int bits = facts.type(variable.name).bits;
    if (kind == NameKind::texture && (facts.root(variable.name).is_array || (bits != 32 && bits != 64)))
      facts.cannot_run(
          variable.position,
          fmt::format("the texture `{}` is not of one variable of 32 or 64 bits", variable.name));
    (kind == NameKind::constant ? constant : other) = &variable;
    const unsigned mapping = kind == NameKind::mapping ? plan.mappings++ : 0;
    plan.aliases.push_back({&variable, &facts.root(variable.name), kind, mapping});
  }
  if (constant == nullptr) return;
  if (other != nullptr)
    facts.cannot_run(other->position,
                     fmt::format("`{}` would be a third name of constant memory", other->name));
  std::size_t taken = 0;
  for (const Variable& variable : facts.test().variables) {
    const bool own = facts.space(variable.name) == Space::const_ && variable.aliases.empty();
    if (own)
      taken += variable.elements * (facts.type(variable.name).bits / 8U) + facts.alignment(variable.name);
  }
  if (taken >= kConstantBytes)
    facts.cannot_run(constant->position,
                     "its constant variables leave no room for names of the constant proxy");
  plan.window_bytes = std::bit_floor(kConstantBytes - taken);
}

void plan_maps(const Facts& facts, Plan& plan) {
  for (const Cell& cell : plan.globals) {
    const Variable& variable = *cell.variable;
    if (!variable.map) {
      if (holds_map(facts.test(), variable)) plan.maps.push_back({&variable, cell.place, {}, {}});
      continue;
    }
    const auto tensor = std::find_if(plan.globals.begin(), plan.globals.end(), [&](const Cell& other) {
      return other.variable->name == variable.map->base;
    });
    if (tensor == plan.globals.end())
      facts.cannot_run(variable.position,
                       fmt::format("`{}` is a map of `{}`, which is no global variable of one name",
                                   variable.name, variable.map->base));
    MapCell map{&variable, cell.place, tensor->place, {}};
    if (may_change(facts.test(), variable.name)) map.pristine = plan.rows++;
    plan.maps.push_back(map);
  }
}

/// What the device asks of a tensor copy beyond the model: boxes at multiples of 16 bytes in global memory
/// (5.5.3.1) and of 128 in shared memory. It faults otherwise.
void check_copy(const Facts& facts, const Instruction& instruction) {
  for (const program::Operand& operand : instruction.operands) {
    if (const auto* address = std::get_if<program::Address>(&operand.value)) {
      const bool box = facts.find(address->variable) != nullptr && !facts.is_mbarrier(address->variable);
      if (box && address->offset % kBoxAlignment != 0)
        facts.cannot_run(
            operand.position,
            fmt::format("the device wants boxes in shared memory at multiples of {} bytes", kBoxAlignment));
    }
    const auto* tensor = std::get_if<program::TensorAddress>(&operand.value);
    const Variable* map = tensor == nullptr ? nullptr : facts.find(tensor->map.variable);
    if (map == nullptr || !map->map || tensor->coordinates.empty()) continue;
    const auto* inner = std::get_if<program::Integer>(&tensor->coordinates.front());
    const std::int64_t bytes = inner == nullptr ? 0 : inner->value * isa::bits_of(map->map->element) / 8;
    if (bytes % kRowAlignment != 0)
      facts.cannot_run(
          operand.position,
          fmt::format("the device wants boxes in global memory at multiples of {} bytes", kRowAlignment));
  }
}

}  // namespace

program::Program with_global_maps(const program::Program& test) {
  const auto moves = [](const Variable& v) { return v.map && is_elsewhere(v.space); };
  program::Program out = test;
  if (std::none_of(test.variables.begin(), test.variables.end(), moves)) return out;
  const Facts facts(test, true);
  for (program::Thread& thread : out.threads) {
    program::change_body(thread, [&](program::Body& body) {
      for (Instruction& i : body.code) move_map(facts, test, i);
    });
  }
  for (Variable& variable : out.variables) {
    if (moves(variable)) variable.space = Space::global;
  }
  return out;
}

bool names_constants(const program::Program& test) {
  return std::any_of(test.variables.begin(), test.variables.end(), [](const Variable& v) {
    return !v.aliases.empty() && v.alias_proxy == isa::Proxy::constant;
  });
}

bool has_row(const Facts& facts, const Variable& variable) {
  return facts.space(variable.name) == Space::global && variable.aliases.empty();
}

bool is_parameter(const Facts& facts, const Variable& variable) {
  return facts.home(variable.name) == Home::param;
}

void check_memory(const Facts& facts, const Variable& variable) {
  if (variable.map) {
    const std::string reason = map_refusal(*variable.map);
    if (!reason.empty())
      facts.cannot_run(variable.position,
                       fmt::format("the driver refuses the map `{}`: it has {}", variable.name, reason));
    return;
  }
  if (!is_parameter(facts, variable)) return;
  if (variable.is_array || facts.type(variable.name).bits > 64)
    facts.cannot_run(variable.position,
                     fmt::format("the kernel's parameter `{}` is more than one integer", variable.name));
  const bool address = !variable.initial.empty() && !variable.initial.front().address_of.empty();
  if (address)
    facts.cannot_run(
        variable.position,
        fmt::format("the kernel's parameter `{}` is the address of `{}`, which each instance has "
                    "at a place of its own",
                    variable.name, variable.initial.front().address_of));
}

void plan_names(const Facts& facts, Plan& plan) {
  for (const program::Thread& thread : facts.test().threads) {
    for (const Instruction& i : thread.code()) {
      if (i.opcode == Opcode::cp_async_bulk_tensor || i.opcode == Opcode::cp_reduce_async_bulk_tensor)
        check_copy(facts, i);
    }
  }
  plan.rows = static_cast<unsigned>(plan.globals.size());
  plan_aliases(facts, plan);
  plan_maps(facts, plan);
  if (plan.window_bytes != 0 && !plan.maps.empty())
    facts.cannot_run(plan.maps.front().variable->position,
                     "it has tensor maps, and names of the constant proxy");
}

}  // namespace ptxmc::gpu
