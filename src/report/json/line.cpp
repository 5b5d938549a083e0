// SPDX-License-Identifier: Apache-2.0
#include "report/json/line.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "explain/finding.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

template <typename T>
std::optional<T> number_in(const std::string& text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Json json_head(std::string_view verb) {
  return {{"version", kJsonVersion}, {"verb", verb}};
}

std::string json_text(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void add_position(Json& out, const std::string& file, Position position, const Origin& origin) {
  if (!position.known()) return;
  out["file"] = file;
  out["line"] = position.line;
  out["column"] = position.column;
  if (!origin.known()) return;
  out["source"] = origin.frames.front().text();
  // What is quoted, where `source` does not lead to it.
  const SourceFrame& shown = origin.shown();
  if (shown.path.find_first_of("/\\") != std::string::npos || shown != origin.frames.front()) {
    out["compiled_from"] = {{"path", shown.path}, {"line", shown.line}};
    if (shown.column != 0) out["compiled_from"]["column"] = shown.column;
  }
  for (std::size_t i = 1; i < origin.frames.size(); ++i) out["inlined_at"].push_back(origin.frames[i].text());
}

Json json_stated(const std::string& verdict, std::optional<bool> met, const std::string& file,
                 Position position, const std::string& found) {
  Json out = {{"verdict", verdict}, {"met", met ? Json(*met) : Json(nullptr)}};
  add_position(out, file, position);
  if (met == false) out["found"] = found;
  return out;
}

Json json_value(const std::string& value) {
  if (const auto number = number_in<std::int64_t>(value)) return *number;
  if (const auto large = number_in<std::uint64_t>(value)) return *large;
  return value;
}

Json json_diagnostics(const std::vector<Diagnostic>& diagnostics) {
  Json out = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    Json one = {{"severity", name_of(diagnostic.severity)}};
    if (diagnostic.source) one["file"] = diagnostic.source->name;
    if (diagnostic.source && diagnostic.position.known()) {
      one["line"] = diagnostic.position.line;
      one["column"] = diagnostic.position.column;
      one["length"] = diagnostic.position.length;
    }
    one["message"] = diagnostic.message;
    for (const Note& note : diagnostic.notes) {
      Json told = {{"message", note.message}};
      if (diagnostic.source) add_position(told, diagnostic.source->name, note.position, {});
      if (diagnostic.source && note.position.known()) told["length"] = note.position.length;
      one["notes"].push_back(std::move(told));
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::string json_errors(std::string_view verb, const std::string& file,
                        const std::vector<Diagnostic>& diagnostics) {
  Json out = json_head(verb);
  out["file"] = file;
  out["errors"] = json_diagnostics(diagnostics);
  return json_text(out);
}

std::string json_error(std::string_view verb, const std::string& file, const std::string& message) {
  return json_errors(verb, file, {{Severity::error, nullptr, {}, message}});
}

std::string json_unknown(std::string_view verb, const std::string& file, const std::string& test,
                         const std::string& reason) {
  Json out = json_head(verb);
  out["file"] = file;
  if (!test.empty()) out["test"] = test;
  out["answer"] = "Unknown";
  out["unknown"] = reason;
  return json_text(out);
}

}  // namespace ptxmc::report
