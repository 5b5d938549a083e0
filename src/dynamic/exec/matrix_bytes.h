// SPDX-License-Identifier: Apache-2.0
// The bytes of the matrices that descriptors name, each computed once: loops use few descriptors many times.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "ptx/footprint/matrix.h"

namespace ptxmc::exec {

struct MatrixBytes {
  std::vector<footprint::Range> ranges;  // from the beginning of shared memory
  footprint::Problem problem;
};

class MatrixFootprints {
 public:
  const MatrixBytes& find(footprint::MatrixUnit unit, std::uint64_t descriptor,
                          const footprint::MatrixSize& size, bool transposed);

 private:
  using Key = std::tuple<footprint::MatrixUnit, std::uint64_t, std::int64_t, std::int64_t, int, bool>;
  std::map<Key, MatrixBytes> known_;
};

}  // namespace ptxmc::exec
