// SPDX-License-Identifier: Apache-2.0
// What matrix and tensor instructions multiply and move: shapes, elements, kinds (9.7.13, 9.7.14, 9.7.16).
#pragma once

#include <cstdint>
#include <string_view>

namespace ptxmc::isa {

/// Types of matrix elements (9.7.13.1, 9.7.14.2).
enum class Element : std::uint8_t {
  none,
  b1,
  s4,
  u4,
  s8,
  u8,
  e4m3,
  e5m2,
  e3m2,
  e2m3,
  e2m1,
  f16,
  bf16,
  tf32,
  f32,
  f64,
  s32,
  ue8m0,  // of scale factors
  ue4m3
};

/// A matrix instruction's shape and types: D = A x B + C, A of m x k, B of k x n elements.
struct Matrix {
  std::uint16_t m = 0, n = 0, k = 0;
  Element d = Element::none, a = Element::none, b = Element::none, c = Element::none;
  std::uint8_t count = 1;   // ldmatrix, stmatrix: matrices, .x1 .x2 .x4
  bool transposed = false;  // .trans
  bool sparse = false;      // .sp: A has 2:4 structured sparsity
  bool ordered = false;     // mma.sp::ordered_metadata
  bool saturate = false;    // .satfinite
  bool parity = false;      // .xor.popc of one-bit matrices; else .and.popc
  char fragment = 0;        // wmma.load, wmma.store: 'a' to 'd'
  bool column_a = false;    // mma, wmma: .col of A, or of the fragment
  bool column_b = false;
  Element scale = Element::none;  // of scale factors: mma with .block_scale
  friend bool operator==(const Matrix&, const Matrix&) = default;
};

/// Types of a tensor's elements (5.5.1), numbered as tensormap.replace does (9.7.8.25, Table 30).
enum class TensorElement : std::uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f32_ftz,
  f64,
  bf16,
  tf32,
  tf32_ftz
};

/// Where a tensor copy takes its box from (5.5): one that begins at the coordinates, or four rows, each with a
/// coordinate of its own, read or written; or a column of pixels (5.5.4), with offsets or without.
enum class LoadMode : std::uint8_t {
  tile,
  gather4,
  scatter4,
  im2col,
  im2col_w,
  im2col_w_128,
  im2col_no_offsets
};
constexpr bool is_im2col(LoadMode mode) {
  return mode >= LoadMode::im2col;
}
constexpr bool has_rows(LoadMode mode) {
  return mode == LoadMode::gather4 || mode == LoadMode::scatter4;
}
/// im2col::w and im2col::w::128: along W alone.
constexpr bool is_wide(LoadMode mode) {
  return mode == LoadMode::im2col_w || mode == LoadMode::im2col_w_128;
}
/// Coordinates that a copy of a tensor of so many dimensions takes; im2col offsets (of the wide modes wHalo and wOffset).
constexpr std::size_t coordinates_of(LoadMode mode, std::size_t dimensions) {
  return has_rows(mode) ? 5 : dimensions;
}
constexpr std::size_t offsets_of(LoadMode mode, std::size_t dimensions) {
  return is_wide(mode) ? 2 : mode == LoadMode::im2col ? dimensions - 2 : 0;
}

/// Fields of a tensor map that tensormap.replace sets (9.7.8.25).
enum class MapField : std::uint8_t {
  none,
  global_address,
  rank,
  box_dim,
  global_dim,
  global_stride,
  element_stride,
  elemtype,
  interleave_layout,
  swizzle_mode,
  swizzle_atomicity,
  fill_mode
};

/// Those that have few values, which are immediates.
constexpr bool has_few_values(MapField field) {
  return field >= MapField::elemtype;
}

/// What tcgen05.mma multiplies (9.7.16.10).
enum class TensorKind : std::uint8_t { none, f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };
/// Scale factors of a row of A for each step of K: .scale_vec::NX, or one for each .blockN elements.
enum class ScaleVector : std::uint8_t { none, x1, x2, x4, block16, block32 };
/// What becomes of the collector buffer; no effect on memory (9.7.16.10).
enum class Collector : std::uint8_t { none, fill, use, lastuse, discard };
/// Shapes of data movement: lanes x bits (9.7.16.2.3).
enum class TensorShape : std::uint8_t {
  none,
  l16x64b,
  l16x128b,
  l16x256b,
  l16x32bx2,
  l32x32b,
  l4x256b,
  l32x128b,
  l64x128b,
  l128x256b,
  l128x128b
};
/// Which warps' lanes a tcgen05.cp writes the same data to.
enum class WarpMulticast : std::uint8_t { none, pairs_02_13, pairs_01_23, all };

/// Modifiers of a tcgen05 instruction.
struct Tensor {
  std::uint8_t cta_group = 0;  // 1 or 2; 0: the instruction has none
  TensorKind kind = TensorKind::none;
  ScaleVector scale = ScaleVector::none;
  bool block_scale = false;
  bool sparse = false;             // .sp
  bool weight_stationary = false;  // .ws
  bool shifts_a = false;           // .ashift
  Collector collector = Collector::none;
  std::uint8_t buffer = 0;  // of the collector: 0 is a, or b0; 1 to 3 are b1 to b3
  TensorShape shape = TensorShape::none;
  std::uint8_t repetitions = 0;  // .x1 to .x128
  bool packs = false;            // .pack::16b, .unpack::16b
  bool absolute = false;         // tcgen05.ld.red: .abs
  bool not_a_number = false;     // the same: .NaN
  bool f32 = false;              // the same: .f32
  WarpMulticast warps = WarpMulticast::none;
  // bits of the elements that a tcgen05.cp makes 8-bit ones of: 4, 6; 0: none
  std::uint8_t unpacked_from = 0;
  bool stores = false;     // wait::st, not wait::ld
  bool after = false;      // fence::after_thread_sync, not before
  bool exclusive = false;  // alloc, dealloc (PTX ISA 9.4): of the only allocation
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

std::string_view name_of(Element);  // "f16" ...; "" for none
int bits_of(Element);
std::string_view name_of(LoadMode);       // "tile", "tile::gather4", "im2col" ...
std::string_view name_of(TensorElement);  // "u32", "f32.ftz" ...
int bits_of(TensorElement);

}  // namespace ptxmc::isa
