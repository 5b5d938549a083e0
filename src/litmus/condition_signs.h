// SPDX-License-Identifier: Apache-2.0
// What the two readers of conditions (herd's and NVIDIA's notation) share; internal to src/litmus.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "litmus/test.h"

namespace ptxmc::litmus {

constexpr int kMaxConditionDepth = 200;

struct CompareSign {
  std::string_view sign;
  isa::Compare op;
};
constexpr std::array<CompareSign, 7> kCompareSigns = {{{"==", isa::Compare::eq},
                                                       {"=", isa::Compare::eq},
                                                       {"!=", isa::Compare::ne},
                                                       {"<=", isa::Compare::le},
                                                       {"<", isa::Compare::lt},
                                                       {">=", isa::Compare::ge},
                                                       {">", isa::Compare::gt}}};

template <typename Node>
ConditionPtr make(Node node, Position position) {
  return std::make_shared<const Condition>(Condition{std::move(node), position});
}

}  // namespace ptxmc::litmus
