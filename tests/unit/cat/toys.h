// SPDX-License-Identifier: Apache-2.0
// A hand-made signature and shorthands for the tests of src/model/cat.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "model/cat/read.h"

namespace ptxmc::cat::toys {

inline const relation::Signature& signature() {
  using relation::Provider;
  using relation::Sort;
  static const relation::Signature kSignature = [] {
    std::vector<relation::BaseRow> rows;
    for (const char* name : {"R", "W", "M", "IW", "F", "FSC", "REL", "ACQ"})
      rows.push_back({name, Sort::set, Provider::fixed, "", ""});
    for (const char* name : {"po", "ploc", "int", "ext", "mscope", "rmw", "dep"}) {
      rows.push_back({name, Sort::relation, Provider::fixed, "", ""});
    }
    rows.push_back({"rf", Sort::relation, Provider::reads_from, "", ""});
    rows.push_back({"phase", Sort::relation, Provider::enumerated, "", ""});
    return relation::Signature(std::move(rows));
  }();
  return kSignature;
}

inline SourcePtr source(const std::string& text, const std::string& name = "toy.cat") {
  return std::make_shared<const Source>(Source{name, text});
}

inline relation::MemoryModel read(const std::string& text, const IncludeResolver& include = {}) {
  return cat::read(source(text), signature(), include);
}

/// "LINE:COLUMN: MESSAGE" of each error, in order; empty when the text reads.
inline std::vector<std::string> errors(const std::string& text, const IncludeResolver& include = {}) {
  std::vector<std::string> out;
  try {
    read(text, include);
  } catch (const InputError& error) {
    for (const Diagnostic& d : error.diagnostics()) {
      const std::string name = d.source ? d.source->name : "no file";
      const std::string file = name != "toy.cat" ? name + ":" : "";
      out.push_back(file + std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + ": " +
                    d.message);
    }
  }
  return out;
}

inline std::string only_error(const std::string& text) {
  const std::vector<std::string> all = errors(text);
  if (all.size() != 1) {
    std::string joined = std::to_string(all.size()) + " errors";
    for (const std::string& one : all) joined += "\n" + one;
    return joined;
  }
  return all[0];
}

/// Whether both spellings denote the same node of one tree (the tree is hash-consed).
inline bool same(const std::string& a, const std::string& b, const std::string& before = "") {
  const relation::MemoryModel model = read(before + "\nlet first = " + a + "\nlet second = " + b + "\n");
  const std::size_t n = model.definitions.size();
  return model.definitions[n - 2].value == model.definitions[n - 1].value;
}

}  // namespace ptxmc::cat::toys
