// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "axiomatic/lower/families/accesses.h"
#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/register_words.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// multimem.ld_reduce, multimem.st and multimem.red.
class Multimem : ThreadContext {
 public:
  explicit Multimem(const ThreadContext& context) : ThreadContext(context) {}

  void load(const Instruction& instruction, State& state);
  void store(const Instruction& instruction, State& state);
  void reduce(const Instruction& instruction, State& state);

 private:
  /// Its scalar accesses at one location that the address stands for.
  std::vector<Target> locations(const Instruction& instruction, const State& state);

  Registers registers_{*this};
  Addresses addresses_{*this};
  Accesses accesses_{*this};
  RegisterWords words_{*this};
};

}  // namespace ptxmc::lower
