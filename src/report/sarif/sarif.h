// SPDX-License-Identifier: Apache-2.0
// SARIF 2.1.0 (OASIS): one run, made of the lines of JSON of any verb that finds something. A result a finding, at its first
// place, with the others as related locations; one for a verdict that is not met, for an error of the input, and, of the kind
// "open", for an answer that is unknown.
// Assumptions and open reasons of a claim are notifications of the tool.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "finding/selection.h"
#include "report/sarif/characters.h"

namespace ptxmc::report {

/// The file of a CUDA source as a user in the current folder names it, of a path that a compiler wrote into `module`; empty: it is not
/// found.
using FindSource = std::function<std::string(const std::string& path, const std::string& module)>;

/// A whole file.
class Sarif {
 public:
  Sarif(std::string version, finding::Selection selection, ReadSource read = {});
  ~Sarif();
  /// Results are at the CUDA source where it is found, and name the PTX as a related location; without it they are at the PTX.
  void find_sources(FindSource find) { find_ = std::move(find); }
  /// `automationDetails.id`: hosts keep results of different ids apart. "ptxmc/verify/nightly/".
  void identify(std::string id) { id_ = std::move(id); }
  /// Lines as schema.json has them.
  void add(std::string_view lines);
  std::string print() const;

 private:
  void add_line(const nlohmann::ordered_json& line);
  /// What a proof takes as given, and why an answer is none.
  void add_claim(const nlohmann::ordered_json& line);
  /// Unless the rule is left out.
  void add_result(nlohmann::ordered_json result);

  std::string version_;
  finding::Selection selection_;
  Characters characters_;
  FindSource find_;
  std::string id_;
  std::unique_ptr<nlohmann::ordered_json> results_, notifications_;  // arrays
};

}  // namespace ptxmc::report
