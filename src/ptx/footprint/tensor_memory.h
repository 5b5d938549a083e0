// SPDX-License-Identifier: Apache-2.0
// Tensor memory (9.7.16.1), per CTA 128 lanes of 512 columns of 32 bits, and what tcgen05 instructions touch of
// it: lanes x columns, from their shapes (9.7.16.2.3) and from the layouts of matrices (9.7.16.10.5).
//
// The manual shows the layouts as figures; what is not in its text is read so that footprints are not too
// small:
// - D of M = 64 without .ws, and of M = 128 sparse in a CTA pair, are in 16 of each 32 lanes (layouts F, C);
//   of M = 64 and 32 with .ws, and of M = 128 dense in a pair, in all lanes of a half, a quarter or a half of
//   the columns (E, G, B).
// - A in tensor memory has a row's elements in one lane, 32 bits a column, in the lanes that D has.
// - Scale factors are in all lanes; a column holds those of 32 rows. Metadata are in all lanes.
// - A .4x256b copy has one row in each quarter of the lanes, a shift moves the 32 lanes of one warp.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/isa/isa.h"

namespace ptxmc::footprint {

constexpr std::int64_t kTensorLanes = 128;
constexpr std::int64_t kTensorColumns = 512;

/// Lanes lane .. lane + lanes - 1 of columns column .. column + columns - 1.
struct TensorBox {
  std::int64_t lane = 0, lanes = 0;
  std::int64_t column = 0, columns = 0;
  friend auto operator<=>(const TensorBox&, const TensorBox&) = default;
};
using TensorRegion = std::vector<TensorBox>;

bool overlap(const TensorBox& a, const TensorBox& b);

/// Bits 16-31 and 0-15 of an address (9.7.16.1.1).
struct TensorAddress {
  std::int64_t lane = 0, column = 0;
};
TensorAddress tensor_address(std::int64_t address);

/// What register `i` of the vector of a tcgen05.ld or .st stands for, in all 32 threads of the warp.
/// `second`: column offset of the second half of .16x32bx2.
TensorRegion register_region(const isa::Tensor& tensor, TensorAddress at, std::int64_t second, std::size_t i);
/// All of it.
TensorRegion move_region(const isa::Tensor& tensor, TensorAddress at, std::int64_t second);
/// Where a tcgen05.ld or tcgen05.st begins.
struct MoveStart {
  TensorAddress at;
  bool is_reached = true;  ///< the warp reaches the lanes
  bool is_own = false;     ///< the address names the first 32 lanes, and stands for those of the warp
};
/// R288: warp w of a warpgroup reaches lanes 32 w to 32 w + 31. A warp without a number is the one that reaches what is named.
/// `lanes_are_named`: an address of the first 32 lanes is of these, whichever warp it is [reading tmem-lane].
MoveStart move_start(const isa::Tensor& tensor, TensorAddress at, std::optional<std::int64_t> warp,
                     bool lanes_are_named);
/// Destination of a tcgen05.cp; its source has `rows` rows of `bytes` bytes (9.7.16.9.2).
TensorRegion copy_region(const isa::Tensor& tensor, TensorAddress at);
struct CopySource {
  std::int64_t rows = 0, bytes = 0;
};
CopySource copy_source(const isa::Tensor& tensor);
TensorRegion shift_region(TensorAddress at);

/// The fields of an instruction descriptor that matter (9.7.16.4.2), checked against table 39.
struct Product {
  std::int64_t m = 0, n = 0, k = 0;
  int bits = 0;  // of an element of A or B in shared memory
  bool transpose_a = false, transpose_b = false;
};
/// Throws nothing: `error` says what is wrong.
std::optional<Product> decode_product(const isa::Tensor& tensor, std::uint32_t descriptor,
                                      std::string& error);

/// In one CTA:
TensorRegion accumulator_region(const isa::Tensor& tensor, const Product& product, TensorAddress at);
TensorRegion multiplicand_region(const isa::Tensor& tensor, const Product& product, TensorAddress at);
TensorRegion metadata_region(const isa::Tensor& tensor, const Product& product, TensorAddress at);
/// `rows`: of A, those of this CTA; of B, all N.
TensorRegion scale_region(const isa::Tensor& tensor, const Product& product, std::int64_t rows,
                          TensorAddress at);

/// Drops the lanes whose bit is set; `words` has 32 lanes each (9.7.16.10.9.1).
TensorRegion without_lanes(const TensorRegion& region, const std::vector<std::uint32_t>& words);

/// Nothing of it is outside of tensor memory.
bool in_tensor_memory(const TensorRegion& region);

}  // namespace ptxmc::footprint
