// SPDX-License-Identifier: Apache-2.0
// A language server (LSP 3.17) for litmus tests, NVIDIA's `.test` files, models in cat, PTX modules and launch.json: errors as
// they are typed and what mends them, what a word means and where the manual says so, what may follow, and the verdict of a test
// above it. In CUDA sources, what `verify` finds in launches beside them.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "face/lsp/kernels.h"
#include "session/settings.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace ptxmc::lsp {

/// What became of work that has limits.
struct Confined {
  std::string text;     ///< what it returned
  std::string unknown;  ///< else: the limit that it went beyond
};
/// Runs work within limits of time and memory. Throws nothing that ends the server.
using Confine = std::function<Confined(const std::function<std::string()>& work)>;

/// What `verify --format json` prints of a file of launches, or of those beside a CUDA source; empty: there are none.
using Verify = std::function<std::string(const std::string& file)>;

class Server {
 public:
  /// `settings`: how verdicts are found.
  Server(std::ostream& out, session::Settings settings, Confine confine, Verify verify, std::string version);

  /// One message. False: the client asked to exit.
  bool handle(const std::string& body);
  /// A frame that holds no message.
  void refuse_frame(const std::string& why);
  /// Did the client ask to shut down before it asked to exit?
  bool was_shut_down() const { return shut_down_; }

 private:
  using Json = nlohmann::json;

  void request(const Json& id, const std::string& method, const Json& parameters);
  void notification(const std::string& method, const Json& parameters);
  Json answer(const std::string& method, const Json& parameters);

  Json hover(const Json& parameters) const;
  Json completion(const Json& parameters) const;
  Json code_lenses(const Json& parameters) const;
  Json resolved_lens(const Json& lens);
  Json definition(const Json& parameters) const;
  Json code_actions(const Json& parameters) const;

  void changed(const std::string& uri, std::string text);
  void publish(const std::string& uri, const std::vector<Diagnostic>& diagnostics);
  /// Verifies what a document launches as it is on disk, and publishes the findings in the files that they are about.
  void verify(const std::string& uri);
  Json kernel_findings(const std::string& uri) const;
  std::string uri_of(const std::string& path) const;
  Json place_json(const KernelPlace& place) const;
  void reply(const Json& id, const char* key, Json value);
  const SourcePtr* document(const Json& parameters) const;

  std::ostream& out_;
  const session::Settings settings_;
  const Confine confine_;
  const Verify verify_;
  const std::string version_;
  bool initialized_ = false, shut_down_ = false;
  std::map<std::string, SourcePtr> documents_;    // by URI; a source's name is its path
  std::map<std::string, KernelAnswer> verified_;  // by URI of the document that launches
};

/// Serves until the client exits or the streams end. False: it did not shut down first.
bool serve(std::istream& in, Server& server);

}  // namespace ptxmc::lsp
