// SPDX-License-Identifier: Apache-2.0
#include "input/launch/numbers.h"

#include <algorithm>

#include "ptx/isa/table.h"

namespace ptxmc::launch {

std::optional<isa::Type> number_type(const std::string& name) {
  const auto words = isa::split_words(kNumberTypes);
  if (std::find(words.begin(), words.end(), name) == words.end()) return std::nullopt;
  if (name == "f32") return isa::Type{isa::TypeClass::floating, 32};
  if (name == "f64") return isa::Type{isa::TypeClass::floating, 64};
  return isa::parse_type(name);
}

std::string number_of(std::string_view type) {
  std::string out(type);
  if (out.starts_with('b')) out.front() = 'u';
  return number_type(out) ? out : "";
}

}  // namespace ptxmc::launch
