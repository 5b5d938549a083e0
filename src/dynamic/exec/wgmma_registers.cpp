// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/wgmma_registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "ptx/program/register_use.h"

namespace ptxmc::exec {

namespace {

using program::Instruction;
using Numbers = std::unordered_map<std::string, std::uint16_t>;

std::vector<std::string> registers_of(const Instruction& product, isa::Role role) {
  std::vector<std::string> out;
  for (const program::Operand& operand : product.operands) {
    if (operand.place.role != role) continue;
    const auto* vector = std::get_if<program::VectorOperand>(&operand.value);
    if (vector == nullptr) continue;
    for (const auto& element : vector->elements) {
      if (const auto* one = std::get_if<program::Register>(&element)) out.push_back(one->name);
    }
  }
  return out;
}

std::vector<std::uint16_t> numbers_of(const std::vector<std::string>& names, const Numbers& watched) {
  std::vector<std::uint16_t> out;
  for (const std::string& name : names) {
    const auto known = watched.find(name);
    if (known != watched.end()) out.push_back(known->second);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// R246: accumulators of one shape are in order.
bool same_shape(const Step& a, const Step& b) {
  const isa::Matrix &x = a.modifiers().matrix, &y = b.modifiers().matrix;
  return x.m == y.m && x.n == y.n && x.k == y.k && x.d == y.d;
}

std::string at_line(const Code& code, const Step& step) {
  return line_text(code.origins, step.instruction->position);
}

}  // namespace

void watch_matrix_registers(Code& code) {
  Numbers watched;
  const auto is_product = [](const Step& step) { return step.instruction->opcode == isa::Opcode::wgmma_mma; };
  for (const Step& step : code.steps) {
    if (!is_product(step)) continue;
    for (const isa::Role role : {isa::Role::result, isa::Role::a}) {
      for (const std::string& name : registers_of(*step.instruction, role)) {
        if (watched.try_emplace(name, static_cast<std::uint16_t>(watched.size())).second)
          code.watched.push_back(name);
      }
    }
  }
  if (watched.empty()) return;
  for (Step& step : code.steps) {
    MatrixRegisters use;
    if (is_product(step)) {
      use.accumulator = numbers_of(registers_of(*step.instruction, isa::Role::result), watched);
      use.multiplicand = numbers_of(registers_of(*step.instruction, isa::Role::a), watched);
    } else {
      program::RegisterUse all = program::register_use(*step.instruction);
      all.reads.insert(all.reads.end(), all.writes.begin(), all.writes.end());
      use.touched = numbers_of(all.reads, watched);
      if (use.touched.empty()) continue;
    }
    step.watched = std::make_shared<const MatrixRegisters>(std::move(use));
  }
}

void WgmmaRegisters::resize(const Code& code) {
  if (registers_.size() < code.watched.size()) registers_.resize(code.watched.size());
}

std::optional<WgmmaRegisters::Problem> WgmmaRegisters::touch(const Code& code, const Step& step) {
  resize(code);
  std::optional<Problem> out;
  for (const std::uint16_t number : step.watched->touched) {
    Watched& one = registers_[number];
    one.touched = now_ + 1;
    one.by = &step;
    for (const bool accumulates : {true, false}) {
      const Use& use = accumulates ? one.accumulator : one.multiplicand;
      if (out || !is_under_way(use)) continue;
      out =
          Problem{RuleId::wgmma_register_in_flight,
                  fmt::format("register {} is {} of the wgmma.mma_async at {}, which no wgmma.wait_group has "
                              "waited for",
                              code.watched[number], accumulates ? "the accumulator" : "a fragment of A",
                              at_line(code, *use.step))};
    }
  }
  return out;
}

std::optional<WgmmaRegisters::Problem> WgmmaRegisters::use(const Code& code, const Step& step,
                                                           bool first_is_free) {
  resize(code);
  std::optional<Problem> out;
  const auto check = [&](std::uint16_t number, bool accumulates) {
    const Watched& one = registers_[number];
    const std::string& name = code.watched[number];
    if (one.touched > fenced_) {
      const bool behind = fenced_ > waited_;
      out = Problem{behind ? RuleId::wgmma_register_behind_fence : RuleId::wgmma_register_unfenced,
                    behind ? fmt::format("register {} is accessed at {}, after the wgmma.fence", name,
                                         at_line(code, *one.by))
                           : fmt::format("register {} is accessed at {}, and no wgmma.fence stands between",
                                         name, at_line(code, *one.by)),
                    &step};
      return;
    }
    const Use* clash = nullptr;
    if (is_under_way(one.accumulator) && (!accumulates || !same_shape(*one.accumulator.step, step)))
      clash = &one.accumulator;
    if (is_under_way(one.multiplicand) && accumulates) clash = &one.multiplicand;
    if (clash == nullptr) return;
    out = Problem{
        RuleId::wgmma_register_in_flight,
        fmt::format("register {} is in use by the wgmma.mma_async at {}, which no wgmma.wait_group has "
                    "waited for",
                    name, at_line(code, *clash->step))};
  };
  const bool unfenced = fenced_ == 0 && !first_is_free;
  if (unfenced)
    out = Problem{RuleId::wgmma_unfenced,
                  "the first wgmma.mma_async of the warp, and no wgmma.fence before it", &step};
  for (const std::uint16_t number : step.watched->accumulator) {
    if (!out) check(number, true);
  }
  for (const std::uint16_t number : step.watched->multiplicand) {
    if (!out) check(number, false);
  }
  if (unfenced) fence();  // it has been said
  const Use here{&step, committed_ + 1};
  for (const std::uint16_t number : step.watched->accumulator) registers_[number].accumulator = here;
  for (const std::uint16_t number : step.watched->multiplicand) registers_[number].multiplicand = here;
  return out;
}

void WgmmaRegisters::wait(std::uint64_t pending) {
  waited_ = now_;
  if (committed_ > pending) complete_ = std::max(complete_, committed_ - pending);
}

}  // namespace ptxmc::exec
