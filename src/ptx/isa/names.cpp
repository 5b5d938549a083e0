// SPDX-License-Identifier: Apache-2.0
// Names of the vocabulary in isa.h, as PTX writes them.
#include <algorithm>
#include <array>

#include "ptx/isa/table.h"
#include "ptx/isa/words.h"

namespace ptxmc::isa {

namespace {

// Row i of an array names the enumerator of value i.
template <typename Enum, std::size_t N>
std::string_view name_at(const std::array<std::string_view, N>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

constexpr std::array<std::string_view, 8> kSemantics = {"weak",    "relaxed", "acquire",  "release",
                                                        "acq_rel", "sc",      "volatile", "mmio"};
constexpr std::array<std::string_view, 9> kSpaces = {
    "", "global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "tensor"};
constexpr std::array<std::string_view, 8> kProxies = {"generic", "alias", "constant",  "texture",
                                                      "surface", "async", "tensormap", "tensor"};
constexpr std::array<std::string_view, 9> kPacked = {"",       "f16x2",  "bf16x2", "u16x2", "s16x2",
                                                     "e4m3x2", "e5m2x2", "e4m3x4", "e5m2x4"};
static_assert(kPacked.size() == static_cast<std::size_t>(Packed::e5m2x4) + 1);
constexpr std::array<std::string_view, 14> kAtomics = {"",    "add",  "sub", "mul", "div", "and", "or",
                                                       "xor", "exch", "cas", "inc", "dec", "min", "max"};
constexpr std::array<std::string_view, 7> kCompares = {"", "eq", "ne", "lt", "le", "gt", "ge"};

constexpr std::array<std::string_view, 11> kApiCalls = {"",
                                                        "cudaLaunchKernel",
                                                        "cudaLaunchHostFunc",
                                                        "cudaGraphLaunch",
                                                        "cudaEventRecord",
                                                        "cudaStreamWaitEvent",
                                                        "cudaStreamSynchronize",
                                                        "cudaEventSynchronize",
                                                        "cudaDeviceSynchronize",
                                                        "cudaStreamQuery",
                                                        "cudaEventQuery"};

constexpr std::array<std::string_view, 9> kWarpModes = {"",    "up",  "down", "bfly",  "idx",
                                                        "all", "any", "uni",  "ballot"};
struct ElementName {
  std::string_view name;
  int bits;
};
constexpr std::array<ElementName, 19> kElements = {{{"", 0},
                                                    {"b1", 1},
                                                    {"s4", 4},
                                                    {"u4", 4},
                                                    {"s8", 8},
                                                    {"u8", 8},
                                                    {"e4m3", 8},
                                                    {"e5m2", 8},
                                                    {"e3m2", 8},
                                                    {"e2m3", 8},
                                                    {"e2m1", 4},
                                                    {"f16", 16},
                                                    {"bf16", 16},
                                                    {"tf32", 32},
                                                    {"f32", 32},
                                                    {"f64", 64},
                                                    {"s32", 32},
                                                    {"ue8m0", 8},
                                                    {"ue4m3", 8}}};

constexpr std::array<std::string_view, 7> kLoadModes = {
    "tile", "tile::gather4", "tile::scatter4", "im2col", "im2col::w", "im2col::w::128", "im2col_no_offs"};
constexpr std::array<ElementName, 13> kTensorElements = {{{"u8", 8},
                                                          {"u16", 16},
                                                          {"u32", 32},
                                                          {"s32", 32},
                                                          {"u64", 64},
                                                          {"s64", 64},
                                                          {"f16", 16},
                                                          {"f32", 32},
                                                          {"f32.ftz", 32},
                                                          {"f64", 64},
                                                          {"bf16", 16},
                                                          {"tf32", 32},
                                                          {"tf32.ftz", 32}}};
constexpr std::array<std::string_view, 12> kMapFields = {"",
                                                         "global_address",
                                                         "rank",
                                                         "box_dim",
                                                         "global_dim",
                                                         "global_stride",
                                                         "element_stride",
                                                         "elemtype",
                                                         "interleave_layout",
                                                         "swizzle_mode",
                                                         "swizzle_atomicity",
                                                         "fill_mode"};

// Rows in the order of Float.
struct FloatName {
  std::string_view name;
  std::uint16_t bits;
};
constexpr std::array<FloatName, 22> kFloats = {
    {{"", 0},        {"f16", 16},    {"bf16", 16},   {"tf32", 32},  {"f32", 32},     {"f64", 64},
     {"f16x2", 32},  {"bf16x2", 32}, {"f32x2", 64},  {"e4m3", 8},   {"e5m2", 8},     {"e4m3x2", 16},
     {"e5m2x2", 16}, {"e2m3x2", 16}, {"e3m2x2", 16}, {"e2m1x2", 8}, {"ue8m0x2", 16}, {"e4m3x4", 32},
     {"e5m2x4", 32}, {"e2m3x4", 32}, {"e3m2x4", 32}, {"e2m1x4", 16}}};
static_assert(kFloats.size() == static_cast<std::size_t>(Float::e2m1x4) + 1);

constexpr std::array<std::string_view, 61> kVariants = {"l",
                                                        "r",
                                                        "clamp",
                                                        "wrap",
                                                        "shiftamt",
                                                        "finite",
                                                        "infinite",
                                                        "number",
                                                        "notanumber",
                                                        "normal",
                                                        "subnormal",
                                                        "approx",
                                                        "full",
                                                        "rni",
                                                        "rzi",
                                                        "rmi",
                                                        "rpi",
                                                        "rn",
                                                        "rz",
                                                        "rm",
                                                        "rp",
                                                        "rna",
                                                        "rs",
                                                        "ftz",
                                                        "noftz",
                                                        "oob",
                                                        "sat",
                                                        "relu",
                                                        "satfinite",
                                                        "NaN",
                                                        "xorsign",
                                                        "abs",
                                                        "cc",
                                                        "f4e",
                                                        "b4e",
                                                        "rc8",
                                                        "ecl",
                                                        "ecr",
                                                        "rc16",
                                                        "L1",
                                                        "L2",
                                                        "L2::evict_last",
                                                        "L2::evict_normal",
                                                        "L2::evict_first",
                                                        "L2::evict_unchanged",
                                                        "inc",
                                                        "dec",
                                                        "is_canceled",
                                                        "get_first_ctaid",
                                                        "get_first_ctaid::x",
                                                        "get_first_ctaid::y",
                                                        "get_first_ctaid::z",
                                                        "fractional",
                                                        "range",
                                                        "cvt",
                                                        "mask",
                                                        "acc::f32",
                                                        "acc::f16",
                                                        "u",
                                                        "num",
                                                        "nan"};
static_assert(kVariants.size() == static_cast<std::size_t>(Variant::no_numbers) + 1);

}  // namespace

std::string_view name_of(Scope scope) {
  return name_at(kScopes, scope);
}
std::string_view name_of(Semantics semantics) {
  return name_at(kSemantics, semantics);
}
std::string_view name_of(Space space) {
  return name_at(kSpaces, space);
}
std::string_view name_of(Proxy proxy) {
  return name_at(kProxies, proxy);
}
std::string_view name_of(Packed packed) {
  return name_at(kPacked, packed);
}
std::string_view name_of(AtomicOp op) {
  return name_at(kAtomics, op);
}
std::string_view name_of(Compare compare) {
  return name_at(kCompares, compare);
}
std::string_view name_of(ApiCall call) {
  return name_at(kApiCalls, call);
}

std::string_view name_of(WarpMode mode) {
  return name_at(kWarpModes, mode);
}
std::string_view name_of(Element element) {
  return kElements.at(static_cast<std::size_t>(element)).name;
}
int bits_of(Element element) {
  return kElements.at(static_cast<std::size_t>(element)).bits;
}

std::string_view name_of(LoadMode mode) {
  return name_at(kLoadModes, mode);
}
std::string_view name_of(TensorElement element) {
  return kTensorElements.at(static_cast<std::size_t>(element)).name;
}
int bits_of(TensorElement element) {
  return kTensorElements.at(static_cast<std::size_t>(element)).bits;
}
std::string_view name_of(MapField field) {
  return name_at(kMapFields, field);
}

std::string_view name_of(Variant variant) {
  return name_at(kVariants, variant);
}

std::optional<Type> parse_type(std::string_view name) {
  if (name == "pred") return Type{TypeClass::predicate, 1};
  for (std::size_t i = 1; i < kFloats.size(); ++i) {
    if (kFloats[i].name == name) return Type{TypeClass::floating, kFloats[i].bits, static_cast<Float>(i)};
  }
  for (const std::string_view packed : {"u16x2", "s16x2"}) {
    if (name == packed) return Type{TypeClass::bits, 32};
  }
  if (name.size() < 2) return std::nullopt;
  Type type;
  switch (name.front()) {
    case 'b':
      type.cls = TypeClass::bits;
      break;
    case 'u':
      type.cls = TypeClass::unsigned_;
      break;
    case 's':
      type.cls = TypeClass::signed_;
      break;
    default:
      return std::nullopt;
  }
  const std::string_view width = name.substr(1);
  for (const std::uint16_t bits : {8, 16, 32, 64, 128}) {
    if (bits == 128 && type.cls != TypeClass::bits) continue;
    if (width == std::to_string(bits)) {
      type.bits = bits;
      return type;
    }
  }
  return std::nullopt;
}

std::string name_of(const Type& type) {
  switch (type.cls) {
    case TypeClass::bits:
      return "b" + std::to_string(type.bits);
    case TypeClass::unsigned_:
      return "u" + std::to_string(type.bits);
    case TypeClass::signed_:
      return "s" + std::to_string(type.bits);
    case TypeClass::floating:
      if (type.format == Float::none) return "f" + std::to_string(type.bits);
      return std::string(kFloats.at(static_cast<std::size_t>(type.format)).name);
    case TypeClass::predicate:
      return "pred";
  }
  return "";
}

std::string display_name(const Form& form) {
  std::string out(form.base);
  for (const std::string_view word : split_words(form.selector)) {
    out += '.';
    out += word;
  }
  return out;
}

std::vector<std::string_view> split_words(std::string_view words) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t begin = words.find_first_not_of(' ');
    if (begin == std::string_view::npos) return out;
    words.remove_prefix(begin);
    const std::size_t end = std::min(words.find(' '), words.size());
    out.push_back(words.substr(0, end));
    words.remove_prefix(end);
  }
}

}  // namespace ptxmc::isa
