// SPDX-License-Identifier: Apache-2.0
// What ld.param and st.param move: values of a kernel's parameters, and pieces of what a call passes and returns, which
// are registers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "input/launch/flat_body.h"
#include "input/launch/frame.h"
#include "input/launch/parameters.h"

namespace ptxmc::launch {

class Passing {
 public:
  Passing(FlatBody& flat, const Parameters& parameters) : flat_(flat), parameters_(parameters) {}

  /// False: the instruction is none of these, and stays.
  bool from_parameter(Frame& frame, const ptx::Instruction& instruction);
  bool to_parameter(Frame& frame, const ptx::Instruction& instruction);
  /// A .param variable of this function: a formal one, or one that it declares; null: there is none of that name.
  std::shared_ptr<Passed> find_passed(Frame& frame, const std::string& name);
  /// The register of a variable of so many bytes; nothing: reported.
  std::optional<ptx::Operand> whole(const ptx::Instruction& like, Passed& passed, std::uint32_t bytes);
  /// A function without a body has returned something.
  void return_unknown(const ptx::Instruction& like, Passed& passed, std::uint32_t bytes);

 private:
  struct Access {
    std::string parameter;
    std::int64_t offset = 0;
    std::string_view type;
    std::uint32_t bytes = 0;
    std::vector<ptx::Operand> values;  // registers, or what is stored
  };
  /// Nothing: it goes through a register, or its type is unknown.
  static std::optional<Access> access(const ptx::Instruction& instruction, std::size_t address,
                                      std::size_t value);
  // False: reported.
  bool is_aligned(const Access& load, Position position);
  bool is_aligned(const Frame& frame, const Access& access, Position position);
  bool from_kernel(const ptx::Instruction& like, const Access& load, std::int64_t offset,
                   const ptx::Operand& to, std::uint32_t bits);
  bool from_passed(const ptx::Instruction& like, const Access& load, std::int64_t offset, const Passed& from,
                   const ptx::Operand& to, std::uint32_t bits);
  const Passed::Piece* piece_at(Passed& passed, std::int64_t offset, std::uint32_t bytes, Position position);
  static std::uint32_t register_bits(const Frame& frame, const ptx::Operand& operand);

  FlatBody& flat_;
  const Parameters& parameters_;
  std::set<std::string> copied_maps_;  // by name, each reported once
};

}  // namespace ptxmc::launch
