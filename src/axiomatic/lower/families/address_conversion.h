// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// cvta and mapa; isspacep and getctarank.
class AddressConversion : ThreadContext {
 public:
  explicit AddressConversion(const ThreadContext& context) : ThreadContext(context) {}

  void convert_address(const Instruction& instruction, State& state);
  void query_address(const Instruction& instruction, State& state);

 private:
  Registers registers_{*this};
};

}  // namespace ptxmc::lower
