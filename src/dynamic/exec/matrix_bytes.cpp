// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/matrix_bytes.h"

namespace ptxmc::exec {

const MatrixBytes& MatrixFootprints::find(footprint::MatrixUnit unit, std::uint64_t descriptor,
                                          const footprint::MatrixSize& size, bool transposed) {
  const auto [found, fresh] =
      known_.try_emplace({unit, descriptor, size.rows, size.depth, size.bits, transposed});
  MatrixBytes& bytes = found->second;
  if (!fresh) return bytes;
  footprint::MatrixDescriptor matrix = footprint::decode_descriptor(unit, descriptor, bytes.problem);
  if (!bytes.problem.text.empty()) return bytes;
  matrix.layout.transposed = transposed;
  bytes.ranges = footprint::bytes_of(size, matrix.layout, matrix.start);
  return bytes;
}

}  // namespace ptxmc::exec
