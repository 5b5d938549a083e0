// SPDX-License-Identifier: Apache-2.0
#include "input/record/module.h"

#include <algorithm>

#include "input/launch/entry.h"
#include "input/launch/usage.h"
#include "ptx/text/module.h"
#include "support/diagnostic.h"

namespace ptxmc::record {

namespace {

using ptx::Operand;

bool names(const Operand& operand, const std::string& name) {
  return operand.name.name == name || std::any_of(operand.elements.begin(), operand.elements.end(),
                                                  [&](const Operand& part) { return names(part, name); });
}

/// Bytes that a load takes: of its type, as often as it has targets.
std::uint64_t bytes_loaded(const ptx::Instruction& load) {
  const bool vector = load.operands.front().kind == Operand::Kind::vector;
  return launch::bytes_of(load.words.back()) * (vector ? load.operands.front().elements.size() : 1);
}

/// Bytes that loads take; an instruction that takes its address may read all of it.
std::vector<bool> bytes_read(const ptx::Function& entry, const std::string& parameter, std::uint64_t bytes) {
  std::vector<bool> out(bytes);
  for (const ptx::Statement& statement : entry.body->statements) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement.node);
    if (instruction == nullptr) continue;
    for (const Operand& operand : instruction->operands) {
      if (!names(operand, parameter)) continue;
      const bool is_load = instruction->base == "ld" && operand.kind == Operand::Kind::address &&
                           operand.name.name == parameter && operand.number >= 0;
      const std::uint64_t begin = is_load ? static_cast<std::uint64_t>(operand.number) : 0;
      const std::uint64_t end = is_load ? begin + bytes_loaded(*instruction) : bytes;
      for (std::uint64_t i = begin; i < std::min(end, bytes); ++i) out[i] = true;
    }
  }
  return out;
}

}  // namespace

bool Module::read(unsigned architecture, const PtxFolders& folders) {
  if (tried_) return module_ != nullptr;
  tried_ = true;
  try {
    ptx_ = ptx_of(image_, architecture, folders);
    const auto source = std::make_shared<const Source>(Source{"module.ptx", ptx_.text});
    module_ = std::make_unique<const ptx::Module>(ptx::parse_module(source));
  } catch (const InputError& error) {
    const Diagnostic& first = error.diagnostics().front();
    why_ = first.source == nullptr ? first.message : error.what();
    while (why_.ends_with('\n')) why_.pop_back();
  }
  image_.clear();
  return module_ != nullptr;
}

const KernelFacts* Module::kernel(const std::string& name) {
  const ptx::Function* entry = module_ == nullptr ? nullptr : ptx::find_function(*module_, name);
  if (entry == nullptr || !entry->entry || !entry->body) return nullptr;
  return &facts_.try_emplace(name, facts_of(*entry)).first->second;
}

std::vector<std::string> Module::kernels() const {
  std::vector<std::string> out;
  if (module_ == nullptr) return out;
  for (const ptx::Function* entry : launch::entries_of(*module_)) out.push_back(entry->name.name);
  return out;
}

std::optional<std::uint64_t> Module::variable_bytes(const std::string& name) const {
  const ptx::Variable* variable = module_ == nullptr ? nullptr : ptx::find_variable(*module_, name);
  if (variable == nullptr) return std::nullopt;
  return launch::bytes_of(*variable);
}

KernelFacts Module::facts_of(const ptx::Function& entry) const {
  KernelFacts out;
  std::uint64_t offset = 0;
  for (const ptx::Variable& declared : entry.parameters) {
    Parameter parameter;
    const std::uint64_t align = std::max<std::uint64_t>(launch::alignment_of(declared), 1);
    parameter.bytes = launch::bytes_of(declared);
    parameter.offset = offset = (offset + align - 1) / align * align;
    parameter.scalar = declared.dimensions.empty() && declared.type.vector == 0 && parameter.bytes <= 8;
    parameter.read = bytes_read(entry, declared.name(), parameter.bytes);
    offset += parameter.bytes;
    out.parameters.push_back(std::move(parameter));
  }
  for (const std::string& name : launch::usage_of(*module_, entry).names) {
    const ptx::Variable* variable = ptx::find_variable(*module_, name);
    if (variable == nullptr) continue;
    if (variable->space == "global") out.variables.insert(name);
    if (variable->space == "const") out.constants.insert(name);
    if (variable->space.starts_with("shared")) out.shared += launch::bytes_of(*variable);
  }
  for (const ptx::Statement& statement : entry.body->statements) {
    const auto* variables = std::get_if<ptx::Variables>(&statement.node);
    if (variables == nullptr) continue;
    for (const ptx::Variable& variable : variables->variables) {
      if (variable.space.starts_with("shared")) out.shared += launch::bytes_of(variable);
    }
  }
  return out;
}

}  // namespace ptxmc::record
