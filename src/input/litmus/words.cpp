// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/words.h"

#include <algorithm>
#include <array>

namespace ptxmc::litmus {

namespace {

constexpr std::array<std::string_view, 8> kSectionWords = {"exists", "forall", "filter",  "locations",
                                                           "final",  "scopes", "regions", "ScopeTree"};

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<int> thread_number(std::string_view name) {
  if (name.size() < 2 || name.size() > 6 || name.front() != 'P' || !all_digits(name.substr(1)))
    return std::nullopt;
  int value = 0;
  for (const char c : name.substr(1)) value = value * 10 + (c - '0');
  if (value > kMaxNumber) return std::nullopt;
  return value;
}

bool is_bare_register(std::string_view name) {
  return name.size() > 1 && name.front() == 'r' && all_digits(name.substr(1));
}

bool is_variable_name(const Token& token) {
  return token.kind == TokenKind::identifier && token.text != "_" && !is_bare_register(token.text);
}

std::vector<std::string> section_words() {
  return {kSectionWords.begin(), kSectionWords.end()};
}

bool is_section_word(std::string_view name) {
  return std::find(kSectionWords.begin(), kSectionWords.end(), name) != kSectionWords.end();
}

}  // namespace ptxmc::litmus
