// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/newer.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::isa {

namespace {

constexpr std::string_view kOfFabric =
    "a fabric handle names memory of other devices, which a launch does not describe";
constexpr std::string_view kReports = "the reports of mbarrier objects";
constexpr std::string_view kCompression = "the compression of sparse matrices";
constexpr std::string_view kNoValue = "no value is known for it";
constexpr std::string_view kNoText = "no manual says what it orders";

/// All of the words are there; one that ends in `*` stands for those that begin so.
struct Newer {
  std::string_view base;  // `*`: any
  std::string_view words;
  std::string_view since;
  std::string_view why;
};

// The first row that fits is the one that is said.
constexpr Newer kNewer[] = {
    // Fences
    {"fence", "proxy generic::fabric", "9.3", kOfFabric},
    {"fence", "proxy fabric::generic", "9.3", kOfFabric},
    {"fence", "proxy fabric::fabric", "9.3", kOfFabric},
    {"fence", "alias sync_restrict::*", "9.5", kNoText},
    {"cp", "async bulk wait_group sync_restrict::*", "9.5", kNoText},
    // Loads and stores
    {"prefetch", "L1::32B*", "9.4", "whether the address is valid is for the device to say"},
    {"atom", "noftz f32", "9.4", kNoValue},
    {"red", "noftz f32", "9.4", kNoValue},
    {"cp", "reduce async bulk noftz f32", "9.4", kNoValue},
    // Fabric
    {"fabric", "", "9.3", kOfFabric},
    {"createpolicy", "fabric", "9.4", kOfFabric},
    // Objects of mbarrier
    {"*", "mbarrier::report::*", "9.3", kReports},
    // Bulk copies
    {"multimem", "cp async bulk", "9.1", "a bulk copy to a multimem address"},
    {"multimem", "cp reduce async bulk", "9.1", "a bulk reduction to a multimem address"},
    {"multimem", "st async", "9.3", "an asynchronous store to a multimem address"},
    {"multimem", "red async", "9.3", "an asynchronous reduction to a multimem address"},
    {"cp", "async bulk tensor override::*", "9.4", "a copy whose operands replace fields of its tensor map"},
    {"cp", "async bulk tensor im2col_no_offs::w", "9.4", "a mode of tensor copies"},
    {"applypriority", "async", "9.4", "an asynchronous change of priorities"},
    // Tensor maps
    {"tensormap", "query", "9.5", kNoText},
    {"tensormap", "alloc_class", "9.5", kNoText},
    // Tensor memory
    {"tcgen05", "spcompress", "9.4", kCompression},
    {"tcgen05", "kind::ti16", "9.4", "a kind of product"},
    {"tcgen05", "decompress::lut::b", "9.4", "a product of compressed matrices"},
    {"tcgen05", "collector::b::*", "9.4", "a collector buffer for operand B"},
    {"spcompress", "", "9.4", kCompression},
    {"spdecompress", "", "9.4", kCompression},
    {"ldmatrix", "s8 s4", "9.4", "a load that widens elements"},
    // Values
    {"clmad", "", "9.3", kNoValue},
    {"cvt", "s2f6x2", "9.1", kNoValue},
    {"cvt", "scaled::*", "9.1", kNoValue},
    {"cvt", "bf16x2 e*", "9.2", kNoValue},
    {"cvt", "pzo", "9.4", kNoValue},
    {"cvt", "ue5m3x2", "9.4", kNoValue},
    {"cvt", "rz satfinite e*", "9.4", kNoValue},
    {"*", "u8x4", "9.2", kNoValue},
    {"*", "s8x4", "9.2", kNoValue},
    {"add", "sat u*", "9.2", kNoValue},
    {"sub", "sat u*", "9.2", kNoValue},
    {"set", "u16x2", "9.4", kNoValue},
    {"set", "s16x2", "9.4", kNoValue},
    {"*", "f32 e4m3x4", "9.4", kNoValue},
    {"*", "f32 e5m2x4", "9.4", kNoValue},
    {"sin", "2pi", "9.5", kNoValue},
    {"cos", "2pi", "9.5", kNoValue},
};

struct NewerName {
  std::string_view name;
  std::string_view since;
  std::string_view why;
};
constexpr NewerName kNewerRegisters[] = {
    {"perctamemoryoffset", "9.4", "global memory that each CTA has for itself"},
    {"perctamemorysize", "9.4", "global memory that each CTA has for itself"},
    {"locality_domain_id", "9.5", "the place of a multiprocessor"},
};
constexpr NewerName kNewerDirectives[] = {
    {"minperctamemory", "9.4", "global memory that each CTA has for itself"},
};

bool fits(std::string_view pattern, std::string_view word) {
  if (!pattern.ends_with('*')) return pattern == word;
  pattern.remove_suffix(1);
  return word.starts_with(pattern);
}

/// The words that a row asks for, as the instruction has them, ".proxy.alias.release", and the number of the last one;
/// nothing: it is another form.
std::optional<ModifierError> said_words(const Newer& row, std::span<const std::string_view> words) {
  ModifierError out;
  for (const std::string_view pattern : split_words(row.words)) {
    const auto found =
        std::find_if(words.begin(), words.end(), [&](std::string_view word) { return fits(pattern, word); });
    if (found == words.end()) return std::nullopt;
    out.word = static_cast<std::size_t>(found - words.begin()) + 1;
    out.message += fmt::format(".{}", *found);
  }
  if (row.words.empty() && !words.empty()) out.message = fmt::format(".{}", words.front());
  return out;
}

template <std::size_t N>
std::string find_name(const NewerName (&rows)[N], std::string_view name, std::string_view sign) {
  for (const NewerName& row : rows) {
    if (row.name == name)
      return fmt::format("`{}{}` (PTX {}) is not modelled: {}", sign, row.name, row.since, row.why);
  }
  return "";
}

}  // namespace

std::optional<ModifierError> newer_form(std::string_view base, std::span<const std::string_view> words) {
  for (const Newer& row : kNewer) {
    if (row.base != "*" && row.base != base) continue;
    auto said = said_words(row, words);
    if (!said) continue;
    said->message =
        fmt::format("`{}{}` (PTX {}) is not modelled: {}", base, said->message, row.since, row.why);
    return said;
  }
  return std::nullopt;
}

std::string newer_register(std::string_view name) {
  return find_name(kNewerRegisters, name, "%");
}

std::string newer_directive(std::string_view word) {
  return find_name(kNewerDirectives, word, ".");
}

}  // namespace ptxmc::isa
