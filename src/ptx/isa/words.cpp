// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ptxmc::isa {

namespace {

constexpr std::array<std::string_view, kGroups> kNouns = {"a memory order",
                                                          ".mmio",
                                                          "a scope",
                                                          "a level",
                                                          "a state space",
                                                          "a type",
                                                          "an operation",
                                                          "a comparison",
                                                          "a combining operation",
                                                          "a half",
                                                          "a proxy",
                                                          "a reduction",
                                                          "an alignment",
                                                          "a cache operator",
                                                          "an eviction priority",
                                                          "an eviction priority of L2",
                                                          "a prefetch size",
                                                          "a cache hint",
                                                          "a vector size",
                                                          ".nc",
                                                          ".proxy::readonly",
                                                          "`.read`",
                                                          "`.multicast::cluster`",
                                                          "`.noinc`",
                                                          "a restriction",
                                                          "a mode",
                                                          "a number of matrices",
                                                          "`.trans`",
                                                          "a shape",
                                                          "`.satfinite`",
                                                          "an operation",
                                                          "a dimension",
                                                          "a mode",
                                                          "`.ignore_oob`",
                                                          "`.cp_mask`",
                                                          "a field",
                                                          "`.cta_group`",
                                                          "a kind",
                                                          "a size of scale vectors",
                                                          "a use of the collector buffer",
                                                          "`.ashift`",
                                                          "a repetition",
                                                          "a packing",
                                                          "a multicast to warps",
                                                          "a source format",
                                                          "a destination format",
                                                          "`.abs`",
                                                          "`.NaN`",
                                                          "a rounding",
                                                          "`.approx` or `.full`",
                                                          "`.ftz`",
                                                          "a saturation",
                                                          "`.oob`",
                                                          "`.relu`",
                                                          "`.NaN`",
                                                          "`.xorsign`",
                                                          "`.abs`",
                                                          "a direction",
                                                          "a class of numbers",
                                                          "`.cc`",
                                                          "a cache level",
                                                          "an accumulation",
                                                          "a mode",
                                                          "a layout",
                                                          "a fragment",
                                                          "a layout",
                                                          "a modifier"};

}  // namespace

bool contains_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return !word.empty();
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

std::string dotted_list(std::string_view words) {
  std::string out;
  for (const std::string_view word : split_words(words)) {
    out += fmt::format("{}.{}", out.empty() ? "" : " ", word);
  }
  return out;
}

std::string_view noun(Group group) {
  return kNouns.at(static_cast<std::size_t>(group));
}

}  // namespace ptxmc::isa
