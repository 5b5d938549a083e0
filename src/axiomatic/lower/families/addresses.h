// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// The sum of two offsets, or one that is outside of every variable.
std::int64_t moved_offset(std::int64_t offset, std::int64_t by);

constexpr std::int64_t kFarthest = std::int64_t{1} << 40;  // bytes: beyond the largest variable

/// What an address operand names: the place of a variable, or what a register and an offset add up to.
struct NamedPlace {
  std::optional<Location> location;
  Expr base, address;  // of a register
};

/// Which place the address in an operand names, and whether an instruction may access it (5.2, 6.4.1).
class Addresses : ThreadContext {
 public:
  explicit Addresses(const ThreadContext& context) : ThreadContext(context) {}

  NamedPlace named_place(const Instruction& instruction, const Operand& operand, const State& state);
  Location base_location(const Operand& operand) const;
  Location located(Expr address, const Operand& operand) const;
  std::string outside(Expr address) const;
  Block block(const Location& location) const;
  bool reachable(const Instruction& instruction, const Location& location) const;
  void check_space(const Instruction& instruction, const Location& location, Position position) const;
  Location tile_location(const Operand& operand, const State& state);

 private:
  Registers registers_{*this};
};

}  // namespace ptxmc::lower
