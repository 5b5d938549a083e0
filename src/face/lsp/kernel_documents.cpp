// SPDX-License-Identifier: Apache-2.0
// The part of the server that publishes what `verify` finds in kernels.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <set>
#include <utility>

#include "face/lsp/answers.h"
#include "face/lsp/server.h"

namespace ptxmc::lsp {

namespace {

/// Ends of lines are not known: clients take the end of the line for what is beyond it.
constexpr std::uint32_t kEndOfLine = 10000;

std::string encoded_uri(const std::string& path) {
  std::string out = "file://";
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

int kernel_severity(const std::string& word) {
  return word == "error" ? 1 : word == "warning" ? 2 : 3;
}

}  // namespace

std::string Server::uri_of(const std::string& path) const {
  for (const auto& [uri, source] : documents_) {
    if (source->name == path) return uri;
  }
  return encoded_uri(path);
}

Server::Json Server::place_json(const KernelPlace& place) const {
  return {{"uri", uri_of(place.file)},
          {"range",
           {{"start", {{"line", place.line}, {"character", place.character}}},
            {"end", {{"line", place.line}, {"character", kEndOfLine}}}}}};
}

Server::Json Server::kernel_findings(const std::string& uri) const {
  Json out = Json::array();
  for (const auto& [launching, answer] : verified_) {
    for (const KernelFinding& finding : answer.findings) {
      const Json place = place_json(finding.place);
      if (place["uri"] != uri) continue;
      Json one = {{"range", place["range"]},
                  {"severity", kernel_severity(finding.severity)},
                  {"source", "ptxmc"},
                  {"code", finding.rule},
                  {"message", finding.place.message}};
      for (const KernelPlace& other : finding.others)
        one["relatedInformation"].push_back({{"location", place_json(other)}, {"message", other.message}});
      out.push_back(std::move(one));
    }
  }
  return out;
}

void Server::verify(const std::string& uri) {
  const auto at = documents_.find(uri);
  if (at == documents_.end()) return;
  const SourcePtr source = at->second;
  const Kind kind = kind_of(source->name);
  std::error_code ignored;
  if ((kind != Kind::launch && kind != Kind::cuda) ||
      !std::filesystem::is_regular_file(source->name, ignored))
    return;
  std::set<std::string> touched;
  const auto touch = [&] {
    for (const KernelFinding& finding : verified_[uri].findings) touched.insert(uri_of(finding.place.file));
  };
  touch();
  verified_[uri] = read_answer(verify_(source->name));
  touch();
  for (const std::string& one : touched) {
    const auto open = documents_.find(one);
    publish(one, open == documents_.end() ? std::vector<Diagnostic>() : diagnostics_of(open->second));
  }
}

}  // namespace ptxmc::lsp
