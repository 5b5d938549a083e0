// SPDX-License-Identifier: Apache-2.0
#include "input/launch/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>

#include "support/diagnostic.h"
#include "support/overloaded.h"
#include "support/printable.h"
#include "support/refuse.h"

namespace ptxmc::launch {

namespace {

constexpr std::size_t kMaxDepth = 32;

/// Builds the tree from the parser's events. Each of them is a token, whose place is found by going along in the text.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(const SourcePtr& source) : source_(source) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<std::uint64_t>(INT64_MAX)) return add(static_cast<std::int64_t>(value));
    return add(std::uint64_t{value});
  }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonObject{}); }
  bool start_array(std::size_t) override { return open(JsonArray{}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    const Position position = place();
    auto& object = std::get<JsonObject>(open_.back()->value);
    if (!keys_.back().insert(name).second)
      fail(position, fmt::format("`{}` stands twice in this object", name));
    object.push_back({{name, position}, {}});
    return true;
  }
  bool parse_error(std::size_t offset, const std::string& token,
                   const nlohmann::json::exception& error) override {
    const Position position = position_of(offset == 0 ? 0 : offset - 1, 1);
    if (source_->text.find_first_not_of(" \t\r\n") == std::string::npos)
      fail(position, "an empty file; what is launched is an object such as {\"module\": \"kernel.ptx\"}");
    const std::string wanted = expected(error.what());
    const bool ended = offset > source_->text.size();
    fail(position, fmt::format("this is no JSON{}{}",
                               ended           ? ": the file ends in the middle of it"
                               : token.empty() ? std::string()
                                               : fmt::format(", at `{}`", printable(token)),
                               wanted.empty() ? "" : "; expected " + wanted));
  }

  Json take() { return std::move(root_); }

 private:
  /// What the parser says that should stand there; empty: it does not say.
  static std::string expected(std::string_view message) {
    constexpr std::string_view kMark = "; expected ";
    const std::size_t at = message.rfind(kMark);
    if (at == std::string_view::npos) return "";
    const std::string_view what = message.substr(at + kMark.size());
    if (what == "string literal") return "a string in double quotes";
    return what == "end of input" ? "the end of the file" : std::string(what);
  }

  [[noreturn]] void fail(Position position, const std::string& message) const {
    refuse(source_, position, message);
  }

  Position position_of(std::size_t offset, std::size_t length) {
    const std::string& text = source_->text;
    offset = std::min(offset, text.size());
    for (; scanned_ < offset; ++scanned_) {
      if (text[scanned_] != '\n') continue;
      ++line_;
      line_start_ = scanned_ + 1;
    }
    const std::size_t start = offset >= line_start_ ? line_start_ : 0;  // what lies behind is never asked for
    return {line_, static_cast<std::uint32_t>(offset - start + 1),
            static_cast<std::uint32_t>(std::max<std::size_t>(length, 1))};
  }

  /// The position of the token that was read last.
  Position place() {
    constexpr std::string_view kBetween = " \t\r\n:,";
    const std::string& text = source_->text;
    std::size_t begin = std::min(last_, text.size());
    while (begin < text.size() && kBetween.find(text[begin]) != std::string_view::npos) ++begin;
    std::size_t end = begin;
    if (end < text.size() && text[end] == '"') {
      ++end;
      while (end < text.size() && text[end] != '"' && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      last_ = end;
    } else {
      while (end < text.size() &&
             std::string_view(" \t\r\n:,]}[{\"").find(text[end]) == std::string_view::npos)
        ++end;
      if (end == begin) ++end;  // a bracket
      last_ = end;
    }
    return position_of(begin, end - begin);
  }

  Json& slot() {
    if (open_.empty()) return root_;
    if (auto* array = std::get_if<JsonArray>(&open_.back()->value)) return array->emplace_back();
    return std::get<JsonObject>(open_.back()->value).back().value;
  }
  template <typename T>
  bool add(T value) {
    const Position position = place();
    slot() = Json{std::move(value), position};
    return true;
  }
  template <typename T>
  bool open(T empty) {
    const Position position = place();
    if (open_.size() == kMaxDepth) fail(position, fmt::format("nested more than {} deep", kMaxDepth));
    Json& at = slot();
    at = Json{std::move(empty), position};
    open_.push_back(&at);  // its siblings are added behind its end
    keys_.emplace_back();
    return true;
  }
  bool close() {
    place();
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  const SourcePtr& source_;
  Json root_;
  std::vector<Json*> open_;
  std::vector<std::unordered_set<std::string>> keys_;  // of each that is open
  std::size_t last_ = 0;                               // where the last token ends
  std::size_t scanned_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

Json parse_json(const SourcePtr& source) {
  Builder builder(source);
  nlohmann::json::sax_parse(source->text, &builder);
  return builder.take();
}

std::string kind_of(const Json& json) {
  return std::visit(
      Overloaded{[](std::nullptr_t) { return "null"; }, [](bool) { return "true or false"; },
                 [](std::int64_t) { return "an integer"; }, [](std::uint64_t) { return "an integer"; },
                 [](double) { return "a number"; }, [](const std::string&) { return "a string"; },
                 [](const JsonArray&) { return "an array"; }, [](const JsonObject&) { return "an object"; }},
      json.value);
}

}  // namespace ptxmc::launch
