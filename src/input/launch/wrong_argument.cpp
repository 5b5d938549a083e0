// SPDX-License-Identifier: Apache-2.0
#include "input/launch/wrong_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <sstream>

#include "input/launch/numbers.h"
#include "support/nearest.h"

namespace ptxmc::launch {

namespace {

constexpr const char* kForms =
    "expected a number, TYPE:NUMBER, [NAME=]buffer:SIZE[:zero|opaque], NAME[+OFFSET], "
    "[NAME=]multicast:MEMORY,.., tensor:... or blob:SIZE[,OFFSET=FIELD...]; a launch.json can say more";

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// A name as C has it.
bool is_name(const std::string& word) {
  return !word.empty() && !is_digit(word.front()) &&
         std::all_of(word.begin(), word.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// Values that C++ and Python have words for.
std::optional<std::string> constant(const std::string& word) {
  const std::string name = lower(word);
  if (name == "nullptr" || name == "null" || name == "none" || name == "nil")
    return "a null pointer is the number 0: --arg 0";
  if (name == "true" || name == "false")
    return fmt::format("a bool is a number: --arg {}", name == "true" ? 1 : 0);
  return std::nullopt;
}

/// A literal of C with a suffix: 1.0f, 64u, 4UL.
std::optional<std::string> literal(const std::string& word) {
  const std::size_t digits = word.find_last_not_of("fFuUlL");
  if (digits == std::string::npos || digits + 1 == word.size() || word.starts_with("0x")) return std::nullopt;
  const std::string number = word.substr(0, digits + 1), suffix = lower(word.substr(digits + 1));
  const bool ends = is_digit(number.back()) || number.back() == '.';
  if (!ends || number.find_first_not_of("+-.0123456789eE") != std::string::npos) return std::nullopt;
  if (suffix == "f") return fmt::format("a number has its type before it: --arg f32:{}", number);
  if (suffix.find('f') != std::string::npos || number.find('.') != std::string::npos) return std::nullopt;
  return fmt::format("a number has no suffix: --arg {}", number);
}

std::string meant_type(const std::string& type) {
  static const std::map<std::string, std::string> kOfC = {
      {"char", "s8"},     {"short", "s16"},  {"int", "s32"},       {"long", "s64"},     {"unsigned", "u32"},
      {"uint", "u32"},    {"size_t", "u64"}, {"int8_t", "s8"},     {"int16_t", "s16"},  {"int32_t", "s32"},
      {"int64_t", "s64"}, {"uint8_t", "u8"}, {"uint16_t", "u16"},  {"uint32_t", "u32"}, {"uint64_t", "u64"},
      {"float", "f32"},   {"double", "f64"}, {"bool", "u8"},       {"b8", "u8"},        {"b16", "u16"},
      {"b32", "u32"},     {"b64", "u64"},    {"i8", "s8"},         {"i16", "s16"},      {"i32", "s32"},
      {"i64", "s64"},     {"ptr", "buffer"}, {"pointer", "buffer"}};
  const auto row = kOfC.find(type);
  if (row != kOfC.end()) return row->second;
  std::vector<std::string> known = {"buffer", "multicast", "tensor", "blob"};
  std::istringstream types{std::string(kNumberTypes)};
  for (std::string one; types >> one;) known.push_back(one);
  return nearest(lower(type), known).value_or("");
}

/// WORD:REST, where WORD is no kind of argument.
std::string unknown_kind(const std::string& name, const std::string& kind, const std::string& rest) {
  const std::string meant = meant_type(kind);
  const std::string number = meant == "buffer" && meant_size(rest).empty() ? "4K" : rest;
  return fmt::format(
      "`{}` is no type of an argument ({}, buffer, multicast, tensor or blob){}", kind, kNumberTypes,
      meant.empty() ? "" : fmt::format("; did you mean `--arg {}{}:{}`?", name, meant, number));
}

std::string unknown_name(const std::string& word, const std::vector<std::string>& buffers) {
  const std::size_t plus = std::min(word.find('+'), word.size());
  const std::string base = word.substr(0, plus);
  const std::string head = fmt::format("no --arg before it names a buffer `{}`", base);
  if (const auto near = nearest(base, buffers))
    return fmt::format("{}; did you mean `--arg {}{}`?", head, *near, word.substr(plus));
  return fmt::format("{}; new memory is buffer:BYTES, which a name may precede: --arg {}=buffer:4K", head,
                     base);
}

}  // namespace

std::string meant_size(const std::string& word) {
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  const std::string unit = lower(word.substr(digits));
  if (digits == 0) return "";
  if (unit.empty() || unit == "b") return word.substr(0, digits);
  const bool known = std::string("kmg").find(unit.front()) != std::string::npos &&
                     (unit.size() == 1 || unit.substr(1) == "b" || unit.substr(1) == "ib");
  if (!known) return "";
  return word.substr(0, digits) + static_cast<char>(std::toupper(static_cast<unsigned char>(unit.front())));
}

std::string wrong_argument(const std::string& word, const std::vector<std::string>& buffers) {
  if (word.empty()) return "an argument is empty; a null pointer is the number 0: --arg 0";
  if (const auto meant = constant(word)) return *meant;
  if (const auto meant = literal(word)) return *meant;
  const std::size_t first = std::min(word.find_first_of(":="), word.size());
  if (first == word.size()) {
    if (word == "buffer") return "a buffer has its bytes after it: --arg buffer:4K";
    if (word.find_first_of("/.") == std::string::npos && is_name(word.substr(0, word.find('+'))))
      return unknown_name(word, buffers);
    if (!meant_size(word).empty() && !is_digit(word.back()))
      return fmt::format("a number has no unit; new memory of that size: --arg buffer:{}", meant_size(word));
    if (word.find_first_of(", ") != std::string::npos) return "each argument has an --arg of its own";
    return kForms;
  }
  const bool named = word[first] == '=';
  const std::string name = named ? word.substr(0, first + 1) : "", rest = word.substr(name.size());
  const std::size_t colon = rest.find(':');
  if (colon != std::string::npos && is_name(rest.substr(0, colon)) && rest.substr(0, colon) != "blob" &&
      !number_type(rest.substr(0, colon)))
    return unknown_kind(name, rest.substr(0, colon), rest.substr(colon + 1));
  if (!named) return kForms;
  const std::string size = meant_size(rest);
  return fmt::format("after a name stands new memory: --arg {}buffer:{}", name, size.empty() ? "4K" : size);
}

}  // namespace ptxmc::launch
