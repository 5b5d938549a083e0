// SPDX-License-Identifier: Apache-2.0
#include "face/lsp/kernels.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>

namespace ptxmc::lsp {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string text_of(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

std::uint32_t from_zero(const Json& object, const char* key) {
  const auto at = object.find(key);
  const std::uint32_t number = at != object.end() && at->is_number_unsigned() ? at->get<std::uint32_t>() : 1;
  return number == 0 ? 0 : number - 1;
}

/// A source as the module names it, there or beside the module; empty: it is at neither place.
std::string source_file(const std::string& path, const std::string& module) {
  const fs::path beside = fs::absolute(module).parent_path() / fs::path(path).filename();
  std::error_code ignored;
  for (const fs::path& place : {fs::path(path), beside})
    if (place.is_absolute() && fs::is_regular_file(place, ignored)) return place.lexically_normal().string();
  return "";
}

/// The line of the CUDA source that a place was compiled from: "compiled_from", or else "source", which is `sum.cu:9`.
std::optional<KernelPlace> compiled_from(const Json& place) {
  KernelPlace out{text_of(place, "source"), 0, 0, ""};
  if (const auto from = place.find("compiled_from"); from != place.end() && from->is_object()) {
    out = {text_of(*from, "path"), from_zero(*from, "line"), from_zero(*from, "column"), ""};
  } else if (const std::size_t colon = out.file.rfind(':'); colon != std::string::npos) {
    const std::string number = out.file.substr(colon + 1);
    std::from_chars(number.data(), number.data() + number.size(), out.line);
    out.line -= out.line == 0 ? 0 : 1;
    out.file.resize(colon);
  }
  out.file = source_file(out.file, text_of(place, "file"));
  return out.file.empty() ? std::nullopt : std::optional(out);
}

/// In the CUDA source, where the module says so and the source is there.
std::optional<KernelPlace> place_of(const Json& place) {
  std::string message = text_of(place, "access");
  if (const auto thread = place.find("in_cta"); thread != place.end() && place.contains("cta"))
    message += fmt::format(" by block {}, thread {}", place["cta"].dump(), thread->dump());
  if (const std::string iteration = text_of(place, "iteration"); !iteration.empty())
    message += ", " + iteration;
  if (std::optional<KernelPlace> source = compiled_from(place)) {
    source->message = message;
    return source;
  }
  const std::string file = text_of(place, "file");
  if (file.empty()) return std::nullopt;
  return KernelPlace{fs::absolute(file).lexically_normal().string(), from_zero(place, "line"),
                     from_zero(place, "column"), message};
}

std::string message_of(const Json& finding, const std::string& launch) {
  std::string out = text_of(finding, "rule");
  const auto pairs = finding.find("pairs");
  if (pairs != finding.end() && pairs->is_array() && !pairs->empty())
    if (const std::string bytes = text_of(pairs->front(), "bytes"); !bytes.empty()) out += " on " + bytes;
  if (const std::string cause = text_of(finding, "cause"); !cause.empty()) out += ": " + cause;
  const auto advice = finding.find("advice");
  if (advice != finding.end() && advice->is_array() && !advice->empty() && advice->front().is_string())
    out += ". Fix: " + advice->front().get<std::string>();
  return fmt::format("{} ({})", out, launch);
}

void add_findings(const Json& line, const std::string& launch, KernelAnswer& out) {
  for (const Json& finding : line["findings"]) {
    if (finding.contains("accepted")) continue;
    KernelFinding made;
    const Json places = finding.value("places", Json::array());
    for (const Json& one : places) {
      const std::optional<KernelPlace> place = place_of(one);
      if (!place) continue;
      if (made.place.file.empty()) {
        made.place = *place;
      } else {
        made.others.push_back(*place);
      }
    }
    if (made.place.file.empty()) continue;
    made.place.message = message_of(finding, launch);
    made.rule = text_of(finding, "rule");
    made.severity = text_of(finding, "severity");
    out.findings.push_back(std::move(made));
  }
}

/// "exact" is a word of the JSON, and says nothing above a file.
std::string verdict_words(const Json& line, std::size_t findings) {
  const std::string answer = text_of(line, "answer");
  if (answer == "exact") return "no race, deadlock or barrier misuse in any schedule";
  if (answer == "finding") return fmt::format("{} finding{}", findings, findings == 1 ? "" : "s");
  if (answer == "waived") return "waived: every error is waived or known";
  return "incomplete: no error found, and other schedules are not covered";
}

}  // namespace

KernelAnswer read_answer(const std::string& lines) {
  KernelAnswer out;
  std::istringstream in(lines);
  for (std::string text; std::getline(in, text);) {
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object()) continue;
    const std::string launch = text_of(line, "launch");
    std::string words;
    if (line.contains("findings") && line["findings"].is_array()) {
      const std::size_t before = out.findings.size();
      add_findings(line, launch, out);
      words = fmt::format("{}: {}", launch, verdict_words(line, out.findings.size() - before));
    } else if (line.contains("errors") && line["errors"].is_array() && !line["errors"].empty()) {
      words = "error: " + text_of(line["errors"].front(), "message");
    } else {
      continue;
    }
    out.title += (out.title.empty() ? "" : "; ") + words;
  }
  return out;
}

}  // namespace ptxmc::lsp
