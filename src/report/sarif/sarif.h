// SPDX-License-Identifier: Apache-2.0
// SARIF 2.1.0 (OASIS): one run, made of the lines of JSON of any verb that finds something. A result a finding, at its first
// place, with the others as related locations; one for a verdict that is not met, for an error of the input, and, of the kind
// "open", for an answer that is unknown.
// Assumptions and open reasons of a claim are notifications of the tool.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "finding/selection.h"
#include "report/sarif/characters.h"

namespace ptxmc::report {

/// A whole file.
class Sarif {
 public:
  Sarif(std::string version, finding::Selection selection, ReadSource read = {});
  ~Sarif();
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
  std::unique_ptr<nlohmann::ordered_json> results_, notifications_;  // arrays
};

}  // namespace ptxmc::report
