// SPDX-License-Identifier: Apache-2.0
// Litmus texts in, program graphs out.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "axiomatic/event/base.h"
#include "axiomatic/lower/lower.h"
#include "input/litmus/parse.h"
#include "support/diagnostic.h"

namespace ptxmc::lower {

inline event::ProgramGraph lowered(const std::string& text, const Options& options = {}) {
  return lower(litmus::parse(std::make_shared<Source>(Source{"test.litmus", text})), options);
}

/// One thread on cta 0 in native syntax: declarations, then the statements.
inline std::string one_thread(const std::string& init, const std::string& code,
                              const std::string& condition) {
  return "PTX t\n{ " + init + " }\nP0 @ cta 0 {\n" + code + "\n}\n" + condition + "\n";
}

/// The one error that lowering ends with.
inline std::string error_of(const std::string& text, const Options& options = {}) {
  const auto test = litmus::parse(std::make_shared<Source>(Source{"test.litmus", text}));
  try {
    lower(test, options);
  } catch (const InputError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics().front().source != nullptr);
    return error.diagnostics().front().message;
  }
  return "";
}

/// Whether error_of(text) mentions `part`; shows the error otherwise.
inline bool fails_with(const std::string& text, const std::string& part) {
  const std::string error = error_of(text);
  const bool found = error.find(part) != std::string::npos;
  if (!found) MESSAGE("error: \"" << error << "\", expected to mention \"" << part << "\"");
  return found;
}

inline const event::Observable& observable(const event::ProgramGraph& graph, const std::string& name) {
  for (const auto& o : graph.observables) {
    if (o.name == name) return o;
  }
  FAIL("no observable " << name);
  return graph.observables.front();
}

/// The constant that an observable has folded to.
inline event::Value folded(const event::ProgramGraph& graph, const std::string& name) {
  const auto& o = observable(graph, name);
  REQUIRE_MESSAGE(graph.exprs.is_constant(o.value), name << " is not a constant");
  return graph.exprs[o.value].constant;
}

inline std::vector<event::EventId> events_of(const event::ProgramGraph& graph, event::EventKind kind) {
  std::vector<event::EventId> result;
  for (event::EventId e = 0; e < graph.size(); ++e) {
    if (graph.events[e].kind == kind) result.push_back(e);
  }
  return result;
}

inline std::vector<event::Assignment> paths_of(const event::ProgramGraph& graph) {
  const auto paths = event::enumerate_assignments(graph, 10000);
  REQUIRE(paths.has_value());
  return *paths;
}

inline const relation::BitMatrix& base(const event::BaseValues& values, const std::string& name) {
  return values.relations[*event::base_signature().find(name)];
}

/// The end of a test that shows P0's register %r, where this code names it.
inline std::string showing_r(const std::string& code) {
  for (std::size_t at = 0; (at = code.find("%r", at)) != std::string::npos; at += 2) {
    const char next = at + 2 < code.size() ? code[at + 2] : ' ';
    const bool longer = (next >= 'a' && next <= 'z') || (next >= '0' && next <= '9') || next == '_';
    if (!longer) return "locations [P0:%r;] forall (true)";
  }
  return "forall (true)";
}

}  // namespace ptxmc::lower
