// SPDX-License-Identifier: Apache-2.0
#include "face/cli/shell.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace ptxmc::cli {

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "%+,-./:=@_";
  const auto is_plain = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != std::string_view::npos;
  };
  return !word.empty() && std::all_of(word.begin(), word.end(), is_plain) ? word : shell_quoted(word);
}

std::string shell_command(const std::string& verb, const std::vector<std::string>& arguments) {
  std::string out = "ptxmc " + verb;
  for (const std::string& word : arguments) out += " " + shell_word(word);
  return out;
}

}  // namespace ptxmc::cli
