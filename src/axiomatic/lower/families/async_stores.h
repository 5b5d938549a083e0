// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/accesses.h"
#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/completions.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/register_words.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"
#include "axiomatic/lower/families/tiles.h"

namespace ptxmc::lower {

/// st.async, red.async and st.bulk.
class AsyncStores : ThreadContext {
 public:
  explicit AsyncStores(const ThreadContext& context) : ThreadContext(context) {}

  void store_async(const Instruction& instruction, State& state);
  void reduce_async(const Instruction& instruction, State& state);
  void store_bulk(const Instruction& instruction, State& state);

 private:
  EventId issue_of(const Instruction& instruction, Expr guard);

  Registers registers_{*this};
  Addresses addresses_{*this};
  RegisterWords words_{*this};
  Accesses accesses_{*this};
  Tiles tiles_{*this};
  Completions completions_{*this};
};

}  // namespace ptxmc::lower
