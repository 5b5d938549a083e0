// SPDX-License-Identifier: Apache-2.0
// One thread on its way to PTX text; internal to src/gpu. thread_text.cpp goes over the instructions,
// thread_operands.cpp writes their operands, thread_short_forms.cpp what PTX writes otherwise.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/text/thread_text.h"
#include "ptx/isa/warp.h"

namespace ptxmc::gpu {

using program::Instruction;
using program::Operand;

using isa::kWarp;

/// True for "%r", false for a symbol.
inline bool is_register(const std::string& text) {
  return text.starts_with('%');
}

/// Registers that an instruction writes, reads.
struct Names {
  std::set<std::string> written, read;
};
Names names_in(const Instruction& instruction);

class Writer {
 public:
  Writer(const Facts& facts, const program::Thread& thread, Lanes lanes, const Spelling& spelling)
      : facts_(facts), thread_(thread), spelling_(spelling) {
    text_.lanes = lanes;
    text_.registers = registers_of(facts, thread);
    for (const Instruction& instruction : thread.code()) {
      if (instruction.has(isa::Trait::warpgroup)) text_.warps = 4;
    }
  }

  ThreadText run();

 private:
  void line(std::string text) { text_.body.push_back("  " + std::move(text)); }
  std::string scratch(std::string_view type, std::string_view purpose);
  std::string in_register(std::string_view purpose, unsigned bits, std::int64_t value);
  void declare();
  void initialise();
  std::set<std::string> read_early() const;
  void write(const Instruction& original);
  void bound(const Instruction& instruction);
  bool write_short(const Instruction& instruction, const std::string& guard);
  void check(const Instruction& instruction) const;
  void count(Instruction& instruction) const;
  std::string mnemonic(const Instruction& original, const Instruction& instruction);
  std::string guard_of(const Instruction& instruction);
  std::string operand(const Instruction& instruction, const Operand& operand);
  std::string operand(const Instruction& instruction, isa::Role role) {
    return operand(instruction, instruction.operand(role));
  }
  std::string address_of(const Instruction& instruction, const Operand& operand,
                         const program::AddressOf& address);
  Instruction with_constants(const Instruction& instruction) const;
  std::string descriptor(const Instruction& instruction, const Operand& operand);
  std::string tensor(const program::TensorAddress& operand);
  std::string generic(const std::string& symbol);
  std::string vector(const Instruction& instruction, const program::VectorOperand& vector);
  std::string constant(const Instruction& instruction, const Operand& operand, std::int64_t value);
  std::string plain_constant(const Instruction& instruction, std::int64_t value);
  std::string base(const std::string& variable) const;
  std::string name(const std::string& reg) const;
  void branch_if(const Instruction& instruction, const std::string& guard);
  void barrier(const Instruction& instruction, const std::string& guard);
  void atomic(const Instruction& instruction, const std::string& guard);
  void broadcast(const Instruction& instruction);
  const std::pair<std::string, std::string>* texture(const Instruction& instruction) const;
  void fetch(const Instruction& instruction, const std::string& guard);
  std::uint16_t bits_of(const std::string& reg) const;
  bool is_read(const std::string& reg) const;

  const Facts& facts_;
  const program::Thread& thread_;
  const Spelling& spelling_;
  ThreadText text_;
  std::vector<std::pair<std::string, std::string>> scratch_;  // name, type
  std::set<std::string> passed_;                              // labels
  bool converged_ = false;                                    // since the last label or branch
};

}  // namespace ptxmc::gpu
