// SPDX-License-Identifier: Apache-2.0
#include "ptx/footprint/tensor_memory.h"

#include <algorithm>

#include "ptx/isa/table.h"
#include "ptx/isa/warp.h"

namespace ptxmc::footprint {
namespace {

using isa::TensorKind;
using isa::TensorShape;

constexpr std::int64_t kWarpLanes = isa::kWarp;
constexpr std::int64_t kQuarters = kTensorLanes / kWarpLanes;

struct KindRow {
  TensorKind kind;
  std::int64_t k;  // of a dense product; a sparse one has twice as many
  int bits;        // of an element in shared memory: 4- and 6-bit ones are padded to 8, but in .kind::mxf4
};
constexpr KindRow kKinds[] = {
    {TensorKind::f16, 16, 16},     {TensorKind::tf32, 8, 32},     {TensorKind::f8f6f4, 32, 8},
    {TensorKind::i8, 32, 8},       {TensorKind::mxf8f6f4, 32, 8}, {TensorKind::mxf4, 64, 4},
    {TensorKind::mxf4nvf4, 64, 4},
};

/// Table 39: which M go with a product.
bool is_height(const isa::Tensor& t, std::int64_t m) {
  if (t.weight_stationary) return m == 32 || m == 64 || m == 128;
  if (t.cta_group == 2) return m == 256 || (m == 128 && !(t.block_scale && t.sparse));
  return m == 128 || (m == 64 && !t.block_scale);
}

/// Table 39: which N.
bool is_width(const isa::Tensor& t, std::int64_t n) {
  if (t.weight_stationary) return n == 64 || n == 128 || (n == 256 && !t.sparse);
  if (n < 8 || n > 256) return false;
  const bool pair = t.cta_group == 2;
  if (t.kind == TensorKind::i8) return pair ? n % 32 == 0 : n == 8 || n == 24 || n % 16 == 0;
  return n % (pair ? 16 : 8) == 0;
}

/// 16 of each 32 lanes, from the lane of the address on (layouts C and F).
TensorRegion half_lanes(TensorAddress at, std::int64_t columns) {
  TensorRegion region;
  for (std::int64_t q = 0; q < kQuarters; ++q)
    region.push_back({at.lane + q * kWarpLanes, kWarpLanes / 2, at.column, columns});
  return region;
}

TensorRegion all_lanes(TensorAddress at, std::int64_t columns) {
  return {{at.lane, kTensorLanes, at.column, columns}};
}

bool uses_half_of_lanes(const isa::Tensor& t, const Product& product) {
  if (t.weight_stationary) return false;
  return t.cta_group == 1 ? product.m == 64 : product.m == 128 && t.sparse;
}

}  // namespace

bool overlap(const TensorBox& a, const TensorBox& b) {
  return a.lane < b.lane + b.lanes && b.lane < a.lane + a.lanes && a.column < b.column + b.columns &&
         b.column < a.column + a.columns;
}

TensorAddress tensor_address(std::int64_t address) {
  return {address >> 16 & 0xffff, address & 0xffff};
}

TensorRegion register_region(const isa::Tensor& tensor, TensorAddress at, std::int64_t second,
                             std::size_t i) {
  const auto n = static_cast<std::int64_t>(i);
  const std::int64_t pack = tensor.packs ? 2 : 1;
  switch (tensor.shape) {
    case TensorShape::l16x64b:
      return {{at.lane, 16, at.column + n * 2 * pack, 2 * pack}};
    case TensorShape::l16x128b:
      return {{at.lane + n % 2 * 8, 8, at.column + n / 2 * 4 * pack, 4 * pack}};
    case TensorShape::l16x256b:
      return {{at.lane + n % 4 / 2 * 8, 8, at.column + n / 4 * 8 * pack, 8 * pack}};
    case TensorShape::l16x32bx2:
      return {{at.lane, 16, at.column + n * pack, pack}, {at.lane, 16, at.column + second + n * pack, pack}};
    default:
      return {{at.lane, kWarpLanes, at.column + n * pack, pack}};
  }
}

MoveStart move_start(const isa::Tensor& tensor, TensorAddress at, std::optional<std::int64_t> warp,
                     bool lanes_are_named) {
  constexpr std::int64_t kWarps = kTensorLanes / kWarpLanes, kHalf = kWarpLanes / 2;
  const std::int64_t named = at.lane / kWarpLanes, inside = at.lane % kWarpLanes;
  const std::int64_t reached = warp ? *warp % kWarps : named;
  MoveStart out{at};
  out.is_own = !lanes_are_named && named == 0 && reached != 0;
  if (out.is_own) out.at.lane = reached * kWarpLanes + inside;
  const bool begins = inside == 0 || (tensor.shape != TensorShape::l32x32b && inside == kHalf);
  out.is_reached = begins && (named == reached || out.is_own);
  return out;
}

TensorRegion move_region(const isa::Tensor& tensor, TensorAddress at, std::int64_t second) {
  const std::int64_t repeated = std::int64_t{tensor.repetitions} * (tensor.packs ? 2 : 1);
  switch (tensor.shape) {
    case TensorShape::l16x64b:
      return {{at.lane, 16, at.column, 2 * repeated}};
    case TensorShape::l16x128b:
      return {{at.lane, 16, at.column, 4 * repeated}};
    case TensorShape::l16x256b:
      return {{at.lane, 16, at.column, 8 * repeated}};
    case TensorShape::l16x32bx2:
      return {{at.lane, 16, at.column, repeated}, {at.lane, 16, at.column + second, repeated}};
    default:
      return {{at.lane, kWarpLanes, at.column, repeated}};
  }
}

TensorRegion copy_region(const isa::Tensor& tensor, TensorAddress at) {
  constexpr std::int64_t kWide = 8, kNarrow = 4;  // columns of 256 and of 128 bits
  switch (tensor.shape) {
    case TensorShape::l128x256b:
      return all_lanes(at, kWide);
    case TensorShape::l4x256b: {
      TensorRegion region;
      for (std::int64_t q = 0; q < kQuarters; ++q)
        region.push_back({at.lane + q * kWarpLanes, 1, at.column, kWide});
      return region;
    }
    default:  // the multicasts reach all four warps
      return all_lanes(at, kNarrow);
  }
}

CopySource copy_source(const isa::Tensor& tensor) {
  switch (tensor.shape) {
    case TensorShape::l128x256b:
      return {128, 32};
    case TensorShape::l4x256b:
      return {4, 32};
    case TensorShape::l128x128b:
      return {128, 16};
    case TensorShape::l64x128b:
      return {64, 16};
    default:
      return {32, 16};
  }
}

TensorRegion shift_region(TensorAddress at) {
  return {{at.lane, kWarpLanes, at.column, 8}};
}

std::optional<Product> decode_product(const isa::Tensor& t, std::uint32_t bits, std::string& error) {
  const auto* row =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindRow& r) { return r.kind == t.kind; });
  const auto field = [&](int at, int size) {
    return static_cast<std::int64_t>(bits >> at & ((1U << size) - 1));
  };
  Product product;
  product.m = t.block_scale ? field(27, 2) * 128 : field(24, 5) * 16;
  product.n = field(17, 6) * 8;
  product.k = row->k * (t.sparse ? 2 : 1);
  const bool four_bits = t.kind == TensorKind::mxf4 || t.kind == TensorKind::mxf4nvf4;
  if (four_bits && field(31, 1) == 1 && !t.sparse) product.k = 96;
  product.bits = row->bits;
  product.transpose_a = field(15, 1) == 1;
  product.transpose_b = field(16, 1) == 1;
  const auto say = [](std::int64_t n) { return std::to_string(n); };
  if (!is_height(t, product.m)) {
    error = "M = " + say(product.m) + " in the instruction descriptor, which the instruction has not";
  } else if (!is_width(t, product.n)) {
    error = "N = " + say(product.n) + " in the instruction descriptor, which the instruction has not";
  } else if ((field(2, 1) == 1) != t.sparse) {
    error = "the instruction descriptor says that A is " + std::string(t.sparse ? "dense" : "sparse");
  } else if (t.shifts_a && product.m < 128) {
    error = ".ashift goes with M = 128 and M = 256";
  } else if (four_bits && (product.transpose_a || product.transpose_b)) {
    error = "matrices of 4-bit elements are not transposed";
  } else {
    return product;
  }
  return std::nullopt;
}

TensorRegion accumulator_region(const isa::Tensor& t, const Product& product, TensorAddress at) {
  if (uses_half_of_lanes(t, product)) return half_lanes(at, product.n);
  if (t.weight_stationary) return all_lanes(at, product.n * product.m / 128);
  if (t.cta_group == 2 && product.m == 128) return all_lanes(at, product.n / 2);
  return all_lanes(at, product.n);
}

TensorRegion multiplicand_region(const isa::Tensor& t, const Product& product, TensorAddress at) {
  const std::int64_t elements = t.sparse ? product.k / 2 : product.k;
  const std::int64_t columns = elements * product.bits / 32;
  return uses_half_of_lanes(t, product) ? half_lanes(at, columns) : all_lanes(at, columns);
}

TensorRegion metadata_region(const isa::Tensor& t, const Product& product, TensorAddress at) {
  // Four bits say which two of four elements there are: of tf32 one of two, of 4-bit ones two pairs of eight.
  const std::int64_t together = t.kind == TensorKind::tf32 ? 2 : product.bits == 4 ? 8 : 4;
  return all_lanes(at, std::max<std::int64_t>(1, product.k / together * 4 / 32));
}

TensorRegion scale_region(const isa::Tensor& t, const Product& product, std::int64_t rows, TensorAddress at) {
  constexpr std::int64_t kFactorsOfColumn = 4;  // a byte each
  const std::int64_t block =
      t.scale == isa::ScaleVector::block16 || t.scale == isa::ScaleVector::x4 ? 16 : 32;
  const std::int64_t words = (product.k / block + kFactorsOfColumn - 1) / kFactorsOfColumn;
  return all_lanes(at, (rows + kWarpLanes - 1) / kWarpLanes * std::max<std::int64_t>(1, words));
}

TensorRegion without_lanes(const TensorRegion& region, const std::vector<std::uint32_t>& words) {
  TensorRegion out;
  for (const TensorBox& box : region) {
    for (std::int64_t lane = box.lane; lane < box.lane + box.lanes; ++lane) {
      const auto word = static_cast<std::size_t>(lane / 32);
      if ((words.at(word) >> (lane % 32) & 1U) != 0) continue;
      const bool joins = !out.empty() && out.back().lane + out.back().lanes == lane &&
                         out.back().column == box.column && out.back().columns == box.columns;
      if (joins) {
        ++out.back().lanes;
      } else {
        out.push_back({lane, 1, box.column, box.columns});
      }
    }
  }
  return out;
}

bool in_tensor_memory(const TensorRegion& region) {
  return std::all_of(region.begin(), region.end(), [](const TensorBox& box) {
    return box.lane >= 0 && box.lane + box.lanes <= kTensorLanes && box.column >= 0 &&
           box.column + box.columns <= kTensorColumns;
  });
}

}  // namespace ptxmc::footprint
