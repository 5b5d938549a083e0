// SPDX-License-Identifier: Apache-2.0
// Tests whose states are known, for questions to the explicit engine.
#pragma once

#include <memory>
#include <string>

#include "axiomatic/engine/engine.h"
#include "axiomatic/event/base.h"
#include "axiomatic/lower/lower.h"
#include "input/litmus/parse.h"
#include "model/models.h"
#include "support/source.h"

namespace ptxmc::examples {

inline SourcePtr source(const std::string& name, const std::string& text) {
  return std::make_shared<const Source>(Source{name, text});
}

inline relation::MemoryModel load(const std::string& name) {
  return model::load(name, event::base_signature());
}

/// All states of a test, unless `query` is changed.
struct Question {
  Question(const relation::MemoryModel& model, const std::string& test)
      : graph(lower::lower(litmus::parse(source("test", test)), {})),
        base(event::compute_base(graph)),
        query{.graph = graph, .base = base, .signature = event::base_signature(), .model = model} {}
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;

  const event::ProgramGraph graph;
  const event::BaseValues base;
  engine::Query query;
};

inline const std::string kBuffering =
    "PTX SB\n{ x=0; y=0; }\n"
    " P0@cta 0,gpu 0        | P1@cta 1,gpu 0        ;\n"
    " st.relaxed.gpu x, 1   | st.relaxed.gpu y, 1   ;\n"
    " ld.relaxed.gpu r0, y  | ld.relaxed.gpu r0, x  ;\n"
    "exists (P0:r0 == 0 /\\ P1:r0 == 0)\n";

inline const std::string kIncrements =
    "PTX Inc\n{ x=0; }\n"
    " P0@cta 0,gpu 0                 | P1@cta 1,gpu 0                 | P2@cta 2,gpu 0                 ;\n"
    " atom.relaxed.gpu.add r0, x, 1  | atom.relaxed.gpu.add r0, x, 1  | atom.relaxed.gpu.add r0, x, 1  ;\n"
    "locations [P0:r0; P1:r0; P2:r0; x;]\nforall (x == 3)\n";

// Store buffering around a ring of threads: 2^n states.
inline std::string ring(int threads) {
  std::string variables, code, condition;
  for (int t = 0; t < threads; ++t) {
    const std::string self = std::to_string(t), next = std::to_string((t + 1) % threads);
    variables += ".global .u32 x" + self + " = 0; ";
    code += "P" + self + " @ cta " + self + " { st.relaxed.gpu.u32 [x" + self +
            "], 1; ld.relaxed.gpu.u32 %r0, [x" + next + "]; }\n";
    condition += (t == 0 ? "P" : " /\\ P") + self + ":%r0 == 0";
  }
  return "PTX Ring\n{ " + variables + "}\n" + code + "exists (" + condition + ")\n";
}

}  // namespace ptxmc::examples
