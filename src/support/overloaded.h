// SPDX-License-Identifier: Apache-2.0
// A visitor for std::visit made of one function for each alternative.
#pragma once

namespace ptxmc {

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace ptxmc
