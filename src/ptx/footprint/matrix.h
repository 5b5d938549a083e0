// SPDX-License-Identifier: Apache-2.0
// Which bytes of shared memory a matrix descriptor names (9.7.14.5.1.2, 9.7.16.4.1).
//
// In units of 16 bytes a matrix is rows of its major dimension: K-major rows are of M (or N), each of K
// elements; with MN-major it is the other way round. Eight rows of 16 bytes are a core matrix. Without
// swizzling a core matrix is 128 bytes in one piece, and the leading and stride offsets say where the next
// one lies; with swizzling, rows of 32, 64 or 128 bytes lie one after the other, their 16-byte units
// permuted by the number of the row (Swizzle<B,4,3>), and eight such rows are repeated at the stride offset.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/footprint/range.h"
#include "ptx/isa/products.h"

namespace ptxmc::footprint {

/// The fields of a descriptor (9.7.14.5.1.2.7) but the start address: bytes.
struct MatrixLayout {
  std::int64_t leading = 0, stride = 0;
  std::int64_t swizzle = 0;      // 0, 32, 64 or 128
  std::int64_t base_offset = 0;  // 0 to 7: where the pattern starts, in units of 128 bytes
  bool transposed = false;       // imm-trans: MN-major
};

/// Rows of M or N by columns of K.
struct MatrixSize {
  std::int64_t rows = 0, depth = 0;
  int bits = 16;  // of an element
};

/// The strides of a matrix whose core matrices lie one after the other, K first.
MatrixLayout packed_layout(const MatrixSize& size, std::int64_t swizzle, bool transposed);

/// The bytes of the matrix, ascending ranges that neither overlap nor touch. `start`: of the matrix, from the
/// place where the swizzling pattern starts when the base offset is 0.
std::vector<Range> bytes_of(const MatrixSize& size, const MatrixLayout& layout, std::int64_t start);

/// Whose descriptor it is: the swizzling modes of the two have different numbers.
enum class MatrixUnit : std::uint8_t { wgmma, tcgen05 };

/// Descriptors tell addresses of shared memory apart below this.
constexpr std::int64_t kDescriptorSpan = 1 << 18;

/// A descriptor of 64 bits: the start address below kDescriptorSpan, a multiple of 16, and the layout (K-major: a
/// descriptor does not say).
struct MatrixDescriptor {
  std::int64_t start = 0;
  MatrixLayout layout;
};
/// What the bits say; `problem` where they are no descriptor.
MatrixDescriptor decode_descriptor(MatrixUnit unit, std::uint64_t bits, Problem& problem);
/// The bits of a descriptor whose offsets fit.
std::uint64_t encode_descriptor(MatrixUnit unit, const MatrixDescriptor& descriptor);

/// The lines of a matrix fragment of wmma in memory (9.7.13.3): rows of a matrix in row-major layout, else columns, so many
/// elements apart, each contiguous; in the order of their addresses, bytes from the first element on. Those that meet are
/// one.
struct FragmentLayout {
  std::int64_t lines = 0, elements = 0;  // of a line
  int bits = 16;                         // of an element
  std::int64_t stride = 0;               // elements from one line to the next
};
/// The layout of the fragment that a load or store names, without a distance between lines.
FragmentLayout packed_fragment(const isa::Matrix& matrix);
std::vector<Range> fragment_lines(const FragmentLayout& layout);

}  // namespace ptxmc::footprint
