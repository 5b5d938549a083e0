// SPDX-License-Identifier: Apache-2.0
#include "report/element_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

namespace ptxmc::report {

namespace {

using Words = std::vector<std::string_view>;

struct TypeSize {
  std::string_view name;  // without const, volatile and std::
  std::uint64_t bytes;
};
constexpr std::array<TypeSize, 37> kTypes = {{
    {"bool", 1},        {"char", 1},
    {"signed char", 1}, {"unsigned char", 1},
    {"int8_t", 1},      {"uint8_t", 1},
    {"short", 2},       {"unsigned short", 2},
    {"int16_t", 2},     {"uint16_t", 2},
    {"half", 2},        {"__half", 2},
    {"bfloat16", 2},    {"__nv_bfloat16", 2},
    {"nv_bfloat16", 2}, {"int", 4},
    {"unsigned", 4},    {"unsigned int", 4},
    {"int32_t", 4},     {"uint32_t", 4},
    {"float", 4},       {"half2", 4},
    {"__half2", 4},     {"double", 8},
    {"long long", 8},   {"unsigned long long", 8},
    {"int64_t", 8},     {"uint64_t", 8},
    {"size_t", 8},      {"float2", 8},
    {"int2", 8},        {"uint2", 8},
    {"float4", 16},     {"int4", 16},
    {"uint4", 16},      {"double2", 16},
    {"longlong2", 16},
}};

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::optional<std::uint64_t> number_of(std::string_view word) {
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(out) : std::nullopt;
}

/// Names and numbers, and each other sign by itself.
Words words_of(std::string_view text) {
  Words out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_of_name(text[at]))
      while (end < text.size() && is_of_name(text[end])) ++end;
    if (std::isspace(static_cast<unsigned char>(text[at])) == 0) out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

/// Without comments that end at the end of their line.
std::string without_comments(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    out.append(line.substr(0, line.find("//"))).push_back('\n');
    at = end + 1;
  }
  return out;
}

/// A declaration of a shared variable: its element and its sides; a side of 0 is not said.
struct Array {
  std::uint64_t element = 0;
  std::vector<std::uint64_t> sides;
};

class Declarations {
 public:
  explicit Declarations(std::string_view source) : text_(without_comments(source)), words_(words_of(text_)) {}

  /// How many words the first lines have.
  std::size_t words_before(std::uint32_t line) const {
    std::size_t at = 0;
    for (; line > 0 && at < text_.size(); --line) at = std::min(text_.find('\n', at), text_.size()) + 1;
    const char* const end = text_.data() + std::min(at, text_.size());
    return static_cast<std::size_t>(std::count_if(words_.begin(), words_.end(),
                                                  [&](std::string_view word) { return word.data() < end; }));
  }

  /// The last one of the variable that begins before this word.
  std::optional<Array> find(std::string_view variable, std::size_t before) const {
    for (std::size_t i = std::min(before, words_.size()); i-- > 0;) {
      if (words_[i] != "__shared__") continue;
      const auto end = std::find(words_.begin() + static_cast<std::ptrdiff_t>(i), words_.end(), ";");
      const auto found = read({words_.begin() + static_cast<std::ptrdiff_t>(i) + 1, end}, variable);
      if (found) return found->element == 0 ? std::nullopt : found;
    }
    return std::nullopt;
  }

 private:
  /// Nothing: it declares other variables. Element 0: it cannot be read.
  std::optional<Array> read(const Words& statement, std::string_view variable) const {
    const auto at = std::find(statement.begin(), statement.end(), variable);
    if (at == statement.end()) return std::nullopt;
    Array out;
    out.element = bytes_of(statement);
    for (auto word = at + 1; word != statement.end() && *word == "[";) {
      const auto close = std::find(word, statement.end(), "]");
      if (close == statement.end()) return Array{};
      const Words side(word + 1, close);
      const std::uint64_t value = side.empty() && out.sides.empty() ? 0 : value_of(side);
      if (value == 0 && !side.empty()) return Array{};
      out.sides.push_back(value);
      word = close + 1;
    }
    return out.sides.empty() ? Array{} : out;
  }

  /// The size of the type, which stands before the first name that is declared.
  static std::uint64_t bytes_of(const Words& statement) {
    std::string type;
    for (std::size_t i = 0; i + 1 < statement.size(); ++i) {
      const std::string_view word = statement[i];
      if (word == "alignas" || word == "__align__") {
        while (i + 1 < statement.size() && statement[i] != ")") ++i;
        continue;
      }
      const bool qualifies = word == "volatile" || word == "const" || word == "static" || word == "extern" ||
                             word == "std" || word == ":";
      if (qualifies) continue;
      const bool declared = statement[i + 1] == "[" || statement[i + 1] == ",";
      if (declared) break;
      type.append(type.empty() ? "" : " ").append(word);
    }
    const auto* row =
        std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeSize& one) { return one.name == type; });
    return row == kTypes.end() ? 0 : row->bytes;
  }

  /// A number, a constant of the source, or a sum or product of two; 0: another expression.
  std::uint64_t value_of(const Words& expression) const {
    if (expression.size() == 1) return constant(expression[0]);
    if (expression.size() != 3) return 0;
    const std::uint64_t a = constant(expression[0]), b = constant(expression[2]);
    if (a == 0 || b == 0) return 0;
    if (expression[1] == "+") return a + b;
    return expression[1] == "*" ? a * b : 0;
  }

  std::uint64_t constant(std::string_view word) const {
    if (const auto number = number_of(word)) return *number;
    std::uint64_t out = 0;
    for (std::size_t i = 1; i + 1 < words_.size(); ++i) {
      if (words_[i] != word) continue;
      const bool macro = words_[i - 1] == "define";
      const bool is =
          i + 3 < words_.size() && words_[i + 1] == "=" && (words_[i + 3] == ";" || words_[i + 3] == ",");
      if (!macro && !is) continue;
      const auto value = number_of(words_[i + (macro ? 1 : 2)]);
      if (!value || (out != 0 && out != *value)) return 0;
      out = *value;
    }
    return out;
  }

  std::string text_;
  Words words_;
};

}  // namespace

std::optional<std::string> element_name(std::string_view source, std::uint32_t line,
                                        std::string_view variable, std::uint64_t offset,
                                        std::uint64_t bytes) {
  const Declarations declarations(source);
  const std::optional<Array> array = declarations.find(variable, declarations.words_before(line));
  if (!array || bytes == 0 || offset % array->element != 0 || bytes % array->element != 0)
    return std::nullopt;
  std::uint64_t index = offset / array->element;
  std::string out;
  for (std::size_t i = array->sides.size(); i-- > 0;) {
    const std::uint64_t side = array->sides[i];
    const bool outermost = i == 0;
    if (outermost && side != 0 && index >= side) return std::nullopt;
    out.insert(0, fmt::format("[{}]", outermost ? index : index % side));
    if (!outermost) index /= side;
  }
  return std::string(variable) + out;
}

}  // namespace ptxmc::report
