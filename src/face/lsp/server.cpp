// SPDX-License-Identifier: Apache-2.0
#include "face/lsp/server.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "face/lsp/answers.h"
#include "face/lsp/stream.h"
#include "face/lsp/text.h"

namespace ptxmc::lsp {

namespace {

using Json = nlohmann::json;

// JSON-RPC 2.0, and the protocol's own.
constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601,
              kInvalidParams = -32602, kInternalError = -32603, kNotInitialized = -32002;

/// A request is refused.
struct Refusal {
  int code;
  std::string message;
};

constexpr std::size_t kMaxDocuments = 4096;

/// Brackets within brackets, outside of strings: values are copied and freed by recursion.
bool is_deep(std::string_view json) {
  constexpr std::size_t kMostDeep = 200;
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostDeep) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

/// "/a b.litmus" of "file:///a%20b.litmus"; other URIs stay as they are.
std::string path_of(const std::string& uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return uri;
  std::string out;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  for (std::size_t i = kFile.size(); i < uri.size(); ++i) {
    if (uri[i] == '%' && i + 2 < uri.size() && digit(uri[i + 1]) >= 0 && digit(uri[i + 2]) >= 0) {
      out += static_cast<char>(digit(uri[i + 1]) * 16 + digit(uri[i + 2]));
      i += 2;
    } else {
      out += uri[i];
    }
  }
  return out;
}

Json json_of(const Place& place) {
  return {{"line", place.line}, {"character", place.character}};
}
Json json_of(const Range& range) {
  return {{"start", json_of(range.begin)}, {"end", json_of(range.end)}};
}

int severity_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return 1;
    case Severity::warning:
      return 2;
    case Severity::note:
      return 3;
  }
  return 1;
}

const Json& member(const Json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || at == object.end()) throw Refusal{kInvalidParams, fmt::format("no \"{}\"", key)};
  return *at;
}
std::string text_in(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_string()) throw Refusal{kInvalidParams, fmt::format("\"{}\" is no string", key)};
  return value.get<std::string>();
}
std::uint32_t number_in(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > 0x7fffffff)
    throw Refusal{kInvalidParams, fmt::format("\"{}\" is no number of a line or a character", key)};
  return value.get<std::uint32_t>();
}
Place place_in(const Json& parameters) {
  const Json& position = member(parameters, "position");
  return {number_in(position, "line"), number_in(position, "character")};
}

}  // namespace

Server::Server(std::ostream& out, session::Settings settings, Confine confine, Verify verify,
               std::string version)
    : out_(out),
      settings_(std::move(settings)),
      confine_(std::move(confine)),
      verify_(std::move(verify)),
      version_(std::move(version)) {}

void Server::reply(const Json& id, const char* key, Json value) {
  Json out = {{"jsonrpc", "2.0"}, {"id", id}};
  out[key] = std::move(value);
  write_message(out_, out);
}

void Server::refuse_frame(const std::string& why) {
  reply(nullptr, "error", {{"code", kParseError}, {"message", why}});
}

bool Server::handle(const std::string& body) {
  if (is_deep(body)) {
    refuse_frame("values that are nested too deeply");
    return true;
  }
  const Json message = Json::parse(body, nullptr, false);
  if (message.is_discarded()) {
    refuse_frame("no JSON");
    return true;
  }
  Json id = nullptr;
  bool wants_reply = false, valid = message.is_object();
  if (valid && message.contains("id")) {
    id = message["id"];
    wants_reply = id.is_string() || id.is_number();
    if (!wants_reply) id = nullptr;
    valid = wants_reply;
  }
  // A reply to a request of ours, which there is none of, is no request.
  if (valid && !message.contains("method") && (message.contains("result") || message.contains("error")))
    return true;
  if (!valid || !message.contains("method") || !message["method"].is_string()) {
    reply(id, "error", {{"code", kInvalidRequest}, {"message", "no request"}});
    return true;
  }
  const std::string method = message["method"].get<std::string>();
  const Json parameters = message.value("params", Json::object());
  if (method == "exit") return false;
  if (wants_reply) {
    request(id, method, parameters);
  } else {
    notification(method, parameters);
  }
  return true;
}

void Server::request(const Json& id, const std::string& method, const Json& parameters) {
  try {
    if (!initialized_ && method != "initialize") throw Refusal{kNotInitialized, "initialize comes first"};
    if (shut_down_) throw Refusal{kInvalidRequest, "the server is shut down"};
    reply(id, "result", answer(method, parameters));
  } catch (const Refusal& refusal) {
    reply(id, "error", {{"code", refusal.code}, {"message", refusal.message}});
  } catch (const std::exception& error) {
    reply(id, "error", {{"code", kInternalError}, {"message", error.what()}});
  }
}

Json Server::answer(const std::string& method, const Json& parameters) {
  if (method == "initialize") {
    initialized_ = true;
    return {{"capabilities",
             {{"textDocumentSync", {{"openClose", true}, {"change", 1}, {"save", {{"includeText", false}}}}},
              {"hoverProvider", true},
              {"definitionProvider", true},
              {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
              {"completionProvider", {{"triggerCharacters", {"."}}}},
              {"codeLensProvider", {{"resolveProvider", true}}}}},
            {"serverInfo", {{"name", "ptxmc"}, {"version", version_}}}};
  }
  if (method == "shutdown") {
    shut_down_ = true;
    return nullptr;
  }
  if (method == "textDocument/hover") return hover(parameters);
  if (method == "textDocument/definition") return definition(parameters);
  if (method == "textDocument/codeAction") return code_actions(parameters);
  if (method == "textDocument/completion") return completion(parameters);
  if (method == "textDocument/codeLens") return code_lenses(parameters);
  if (method == "codeLens/resolve") return resolved_lens(parameters);
  throw Refusal{kMethodNotFound, fmt::format("no method {}", method)};
}

void Server::notification(const std::string& method, const Json& parameters) {
  if (!initialized_ || shut_down_) return;
  try {
    if (method == "textDocument/didOpen") {
      const Json& item = member(parameters, "textDocument");
      changed(text_in(item, "uri"), text_in(item, "text"));
      verify(text_in(item, "uri"));
    } else if (method == "textDocument/didSave") {
      verify(text_in(member(parameters, "textDocument"), "uri"));
    } else if (method == "textDocument/didChange") {
      const Json& changes = member(parameters, "contentChanges");
      if (!changes.is_array() || changes.empty()) return;
      changed(text_in(member(parameters, "textDocument"), "uri"), text_in(changes.back(), "text"));
    } else if (method == "textDocument/didClose") {
      const std::string uri = text_in(member(parameters, "textDocument"), "uri");
      if (documents_.erase(uri) != 0) publish(uri, {});
    }
  } catch (const Refusal&) {  // no client waits for an answer to a notification
  } catch (const std::exception&) {
  }
}

void Server::changed(const std::string& uri, std::string text) {
  if (documents_.size() >= kMaxDocuments && !documents_.contains(uri)) return;
  const auto source = std::make_shared<const Source>(Source{path_of(uri), std::move(text)});
  documents_[uri] = source;
  publish(uri, diagnostics_of(source));
}

void Server::publish(const std::string& uri, const std::vector<Diagnostic>& diagnostics) {
  Json all = Json::array();
  const auto at = documents_.find(uri);
  for (const Diagnostic& diagnostic : diagnostics) {
    const bool here =
        diagnostic.source && at != documents_.end() && diagnostic.source->name == at->second->name;
    const Range range = here ? range_of(*diagnostic.source, diagnostic.position) : Range{};
    const std::string elsewhere =
        diagnostic.source && !here ? fmt::format("{}:{}: ", diagnostic.source->name, diagnostic.position.line)
                                   : "";
    Json one = {{"range", json_of(range)},
                {"severity", severity_of(diagnostic.severity)},
                {"source", "ptxmc"},
                {"message", elsewhere + diagnostic.message}};
    for (const Note& note : diagnostic.notes) {
      if (!here) continue;  // of a text without a URI
      const Json place = {{"uri", uri}, {"range", json_of(range_of(*diagnostic.source, note.position))}};
      one["relatedInformation"].push_back({{"location", place}, {"message", note.message}});
    }
    all.push_back(std::move(one));
  }
  for (Json& one : kernel_findings(uri)) all.push_back(std::move(one));
  write_message(out_, {{"jsonrpc", "2.0"},
                       {"method", "textDocument/publishDiagnostics"},
                       {"params", {{"uri", uri}, {"diagnostics", std::move(all)}}}});
}

const SourcePtr* Server::document(const Json& parameters) const {
  const auto at = documents_.find(text_in(member(parameters, "textDocument"), "uri"));
  return at == documents_.end() ? nullptr : &at->second;
}

Json Server::definition(const Json& parameters) const {
  const SourcePtr* source = document(parameters);
  if (source == nullptr) return nullptr;
  const std::optional<Range> found = definition_of(*source, place_in(parameters));
  if (!found) return nullptr;
  return {{"uri", text_in(member(parameters, "textDocument"), "uri")}, {"range", json_of(*found)}};
}

Json Server::code_actions(const Json& parameters) const {
  Json out = Json::array();
  const SourcePtr* source = document(parameters);
  if (source == nullptr) return out;
  const std::string uri = text_in(member(parameters, "textDocument"), "uri");
  const Json& asked = member(parameters, "range");
  const std::uint32_t first = number_in(member(asked, "start"), "line"),
                      last = number_in(member(asked, "end"), "line");
  for (const Diagnostic& diagnostic : diagnostics_of(*source)) {
    const std::string word = suggested_word(diagnostic);
    if (word.empty() || diagnostic.source->name != (*source)->name) continue;
    const Range range = range_of(*diagnostic.source, diagnostic.position);
    if (range.begin.line < first || range.begin.line > last) continue;
    const Json edit = {{"range", json_of(range)}, {"newText", word}};
    out.push_back({{"title", fmt::format("Replace it by `{}`", word)},
                   {"kind", "quickfix"},
                   {"isPreferred", true},
                   {"edit", {{"changes", {{uri, Json::array({edit})}}}}}});
  }
  return out;
}

Json Server::hover(const Json& parameters) const {
  const SourcePtr* source = document(parameters);
  if (source == nullptr) return nullptr;
  const Place place = place_in(parameters);
  const std::optional<OnConfirmed> told = hover_of(*source, place);
  if (!told) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", told->markdown}}}, {"range", json_of(told->range)}};
}

Json Server::completion(const Json& parameters) const {
  Json out = Json::array();
  const SourcePtr* source = document(parameters);
  if (source == nullptr) return out;
  constexpr int kKeyword = 14;
  for (const Completed& one : completions_of(*source, place_in(parameters)))
    out.push_back({{"label", one.word},
                   {"kind", kKeyword},
                   {"detail", one.detail},
                   {"textEdit", {{"range", json_of(one.range)}, {"newText", one.word}}}});
  return out;
}

Json Server::code_lenses(const Json& parameters) const {
  const SourcePtr* source = document(parameters);
  const Kind kind = source == nullptr ? Kind::other : kind_of((*source)->name);
  if (kind != Kind::litmus && kind != Kind::launch) return Json::array();
  const std::string uri = text_in(member(parameters, "textDocument"), "uri");
  return Json::array({{{"range", json_of(range_of(**source, {1, 1, 1}))}, {"data", {{"uri", uri}}}}});
}

Json Server::resolved_lens(const Json& lens) {
  const std::string uri = text_in(member(lens, "data"), "uri");
  Json out = {{"range", member(lens, "range")}, {"data", {{"uri", uri}}}};
  const auto at = documents_.find(uri);
  std::string title = "the document is closed";
  if (at != documents_.end() && kind_of(at->second->name) == Kind::launch) {
    const auto found = verified_.find(uri);
    title = found == verified_.end() || found->second.title.empty() ? "not verified: save it"
                                                                    : found->second.title;
  } else if (at != documents_.end()) {
    const SourcePtr source = at->second;
    const Confined found = confine_([&] { return verdict_line(source, settings_); });
    title = found.unknown.empty() ? found.text : fmt::format("unknown: {}", found.unknown);
  }
  out["command"] = {{"title", title}, {"command", ""}};
  return out;
}

bool serve(std::istream& in, Server& server) {
  while (const std::optional<Incoming> message = read_message(in)) {
    if (!message->error.empty()) {
      server.refuse_frame(message->error);
      continue;
    }
    if (!server.handle(message->body)) break;
  }
  return server.was_shut_down();
}

}  // namespace ptxmc::lsp
