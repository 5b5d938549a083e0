// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ptx/isa/words.h"

namespace ptxmc::isa {

namespace {

/// A row of the tables of 9.7.13.4.14, 9.7.13.5.3, 9.7.14.2 and 9.7.14.6.1. Only k is listed for wgmma; N is
/// as the types say.
struct Combination {
  std::string_view shapes;
  std::string_view a;        // types of A; B has the same, or any of these
  bool mixed;                // A and B may have different ones
  std::string_view results;  // types of D and C: "f32:f16"; of wgmma, of D
  bool sparse;
};

constexpr Combination kMmaCombinations[] = {
    {"m8n8k4", "f16", false, "f16:f16 f32:f16 f32:f32", false},
    {"m16n8k8", "f16", false, "f16:f16 f32:f32", false},
    {"m16n8k16", "f16", false, "f16:f16 f32:f16 f16:f32 f32:f32", false},
    {"m16n8k4 m16n8k8", "tf32", false, "f32:f32", false},
    {"m16n8k8 m16n8k16", "bf16", false, "f32:f32", false},
    {"m16n8k16 m16n8k32", "e4m3 e5m2", true, "f16:f16 f32:f32", false},
    {"m8n8k4 m16n8k4 m16n8k8 m16n8k16", "f64", false, "f64:f64", false},
    {"m8n8k16 m16n8k16 m16n8k32", "u8 s8", true, "s32:s32", false},
    {"m8n8k32 m16n8k32 m16n8k64", "u4 s4", true, "s32:s32", false},
    {"m8n8k128 m16n8k128 m16n8k256", "b1", false, "s32:s32", false},
    {"m16n8k16 m16n8k32", "f16", false, "f16:f16 f32:f32", true},
    {"m16n8k16 m16n8k32", "bf16", false, "f32:f32", true},
    {"m16n8k8 m16n8k16", "tf32", false, "f32:f32", true},
    {"m16n8k64", "e4m3 e5m2", true, "f16:f16 f32:f32", true},
    {"m16n8k32 m16n8k64", "u8 s8", true, "s32:s32", true},
    {"m16n8k64 m16n8k128", "u4 s4", true, "s32:s32", true},
};
constexpr Combination kWgmmaCombinations[] = {
    {"k16", "f16", false, "f16 f32", false}, {"k16", "bf16", false, "f32", false},
    {"k8", "tf32", false, "f32", false},     {"k32", "e4m3 e5m2", true, "f16 f32", false},
    {"k32", "u8 s8", true, "s32", false},    {"k256", "b1", false, "s32", false},
    {"k32", "f16", false, "f16 f32", true},  {"k32", "bf16", false, "f32", true},
    {"k16", "tf32", false, "f32", true},     {"k64", "e4m3 e5m2", true, "f16 f32", true},
    {"k64", "u8 s8", true, "s32", true},
};

bool types_match(const Combination& row, const Matrix& m, std::string_view results) {
  return row.sparse == m.sparse && contains_word(row.a, name_of(m.a)) && contains_word(row.a, name_of(m.b)) &&
         (row.mixed || m.a == m.b) && contains_word(row.results, results);
}

/// The newer manual's products of short elements: by kind, shape, types and factors.
struct KindCombination {
  TensorKind kind;
  std::string_view shape, sparse_shape;
  std::string_view factors;  // types of A and B
  std::string_view results;  // types of D and C
  std::string_view scales;   // SIZE:TYPE of scale factors
};
constexpr std::string_view kShort = "e4m3 e5m2 e3m2 e2m3 e2m1";
constexpr KindCombination kKindCombinations[] = {
    {TensorKind::f8f6f4, "m16n8k32", "m16n8k64", kShort, "f16:f16 f32:f32", ":"},
    {TensorKind::mxf8f6f4, "m16n8k32", "m16n8k64", kShort, "f32:f32", ":ue8m0 1:ue8m0"},
    {TensorKind::mxf4, "m16n8k64", "m16n8k128", "e2m1", "f32:f32", ":ue8m0 2:ue8m0"},
    {TensorKind::mxf4nvf4, "m16n8k64", "m16n8k128", "e2m1", "f32:f32", "2:ue8m0 4:ue8m0 4:ue4m3"},
};

std::string_view size_of(ScaleVector scale) {
  return scale == ScaleVector::x1   ? "1"
         : scale == ScaleVector::x2 ? "2"
         : scale == ScaleVector::x4 ? "4"
                                    : "";
}

bool is_listed_kind(const Modifiers& modifiers) {
  const Matrix& m = modifiers.matrix;
  const std::string results = fmt::format("{}:{}", name_of(m.d), name_of(m.c));
  const std::string scale = fmt::format("{}:{}", size_of(modifiers.tensor.scale), name_of(m.scale));
  return std::any_of(
      std::begin(kKindCombinations), std::end(kKindCombinations), [&](const KindCombination& row) {
        return row.kind == modifiers.tensor.kind &&
               (m.sparse ? row.sparse_shape : row.shape) == shape_name(m) &&
               contains_word(row.factors, name_of(m.a)) && contains_word(row.factors, name_of(m.b)) &&
               contains_word(row.results, results) && contains_word(row.scales, scale);
      });
}

/// 9.7.14.2: N is a multiple of 8 up to 256; of integers and bits above 32, a multiple of 16.
bool is_wgmma_width(const Matrix& m) {
  const bool integer = m.d == Element::s32;
  return m.m == 64 && m.n >= 8 && m.n <= 256 && m.n % (integer && m.n > 32 ? 16 : 8) == 0;
}

}  // namespace

bool parse_shape(std::string_view word, Matrix& matrix) {
  const std::array<std::uint16_t*, 3> places = {&matrix.m, &matrix.n, &matrix.k};
  std::size_t at = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (at >= word.size() || word[at] != "mnk"[i]) return i == 2 && at == word.size();  // m8n8 has no k
    int value = 0;
    const std::size_t begin = ++at;
    while (at < word.size() && word[at] >= '0' && word[at] <= '9' && at - begin < 4)
      value = value * 10 + (word[at++] - '0');
    if (at == begin) return false;
    *places[i] = static_cast<std::uint16_t>(value);
  }
  return at == word.size();
}

std::string shape_name(const Matrix& matrix) {
  const std::string plane = fmt::format("m{}n{}", matrix.m, matrix.n);
  return matrix.k == 0 ? plane : fmt::format("{}k{}", plane, matrix.k);
}

std::optional<Element> parse_element(std::string_view word) {
  for (int i = 1; i <= static_cast<int>(Element::ue4m3); ++i) {
    if (name_of(static_cast<Element>(i)) == word) return static_cast<Element>(i);
  }
  return std::nullopt;
}

bool is_listed(Opcode opcode, const Modifiers& modifiers) {
  const Matrix& m = modifiers.matrix;
  if (opcode == Opcode::mma && modifiers.tensor.kind != TensorKind::none) return is_listed_kind(modifiers);
  if (opcode == Opcode::mma) {
    const std::string results = fmt::format("{}:{}", name_of(m.d), name_of(m.c));
    return std::any_of(std::begin(kMmaCombinations), std::end(kMmaCombinations), [&](const Combination& row) {
      return contains_word(row.shapes, shape_name(m)) && types_match(row, m, results);
    });
  }
  const std::string depth = fmt::format("k{}", m.k);
  return is_wgmma_width(m) && std::any_of(std::begin(kWgmmaCombinations), std::end(kWgmmaCombinations),
                                          [&](const Combination& row) {
                                            return row.shapes == depth && types_match(row, m, name_of(m.d));
                                          });
}

Fragment fragment_of(Role role) {
  return role == Role::a   ? Fragment::a
         : role == Role::b ? Fragment::b
         : role == Role::c ? Fragment::c
                           : Fragment::d;
}

int fragment_bits(const Matrix& matrix, Fragment fragment) {
  const Element element = fragment == Fragment::a   ? matrix.a
                          : fragment == Fragment::b ? matrix.b
                          : fragment == Fragment::c ? matrix.c
                                                    : matrix.d;
  return element == Element::f64 ? 64 : 32;
}

std::size_t fragment_registers(Opcode opcode, const Matrix& m, Fragment fragment) {
  if (opcode == Opcode::ldmatrix && m.m == 16) return std::size_t{2} * m.count;
  if (opcode == Opcode::ldmatrix || opcode == Opcode::stmatrix) return m.count;
  if (m.fragment != 0)  // 9.7.13.3.2: a load or store of that fragment
    fragment = m.fragment == 'a' ? Fragment::a : m.fragment == 'b' ? Fragment::b : Fragment::c;
  const bool wmma = opcode == Opcode::wmma_load || opcode == Opcode::wmma_store || opcode == Opcode::wmma_mma;
  const bool factor = fragment == Fragment::a || fragment == Fragment::b;
  if (wmma && factor && (fragment == Fragment::a ? m.a : m.b) == Element::f16)
    return 8;                                      // each element twice
  const bool group = opcode == Opcode::wgmma_mma;  // four warps share a matrix
  const bool quad = !group && m.m == 8 && m.n == 8 && m.k == 4 && m.a == Element::f16;
  // Elements of 4 bits have 8 where those beside them may: rows of 32 of them, of 64 with sparsity.
  const bool in_bytes = m.m == 16 && m.k <= (m.sparse ? 64 : 32);
  const auto bits_of_matrix = [&](std::size_t rows, std::size_t columns, Element element) {
    const int bits = element == Element::e2m1 && in_bytes ? 8 : bits_of(element);
    return rows * columns * static_cast<std::size_t>(bits);
  };
  std::size_t bits = 0;
  switch (fragment) {
    case Fragment::a:
      bits = bits_of_matrix(m.m, m.k, m.a) / (m.sparse ? 2 : 1);
      break;
    case Fragment::b:
      bits = bits_of_matrix(m.k, m.n, m.b);
      break;
    case Fragment::c:
      bits = bits_of_matrix(m.m, m.n, m.c);
      break;
    case Fragment::d:
      bits = bits_of_matrix(m.m, m.n, m.d);
      break;
  }
  if (quad) bits *= 4;  // four products at once
  const std::size_t threads = group ? 128 : 32;
  return bits / (threads * static_cast<std::size_t>(fragment_bits(m, fragment)));
}

}  // namespace ptxmc::isa
