// SPDX-License-Identifier: Apache-2.0
// A finished check of message passing, with results that the tests choose.
#pragma once

#include <string>

#include "check/fixture.h"
#include "explain/outcome.h"
#include "input/litmus/parse.h"

namespace ptxmc::testing {

inline litmus::Test parse_text(const std::string& text) {
  return litmus::parse(std::make_shared<const Source>(Source{"mp.litmus", text}));
}

inline std::string mp_text(const std::string& condition = "exists (P1:r0 == 1 /\\ P1:r1 == 0)",
                           const std::string& header = "") {
  return "PTX MP\n" + header +
         "{ x=0; y=0; }\n"
         " P0 @ gpu 0, cta 0 | P1 @ gpu 0, cta 1 ;\n"
         " st.weak x, 1      | ld.weak r0, y     ;\n"
         " st.weak y, 1      | ld.weak r1, x     ;\n" +
         condition + "\n";
}

struct Reported {
  MessagePassing mp;
  litmus::Test test;
  engine::Result result;
  engine::Query query;
  explain::Judgement judgement;
  std::vector<explain::FlagOutcome> flags;
  bool accept_bound = false;

  explicit Reported(const std::string& text = mp_text()) : test(parse_text(text)), query(mp.query()) {
    for (const auto& [r0, r1] : {std::pair{0, 0}, {0, 1}, {1, 1}})
      result.states.push_back(mp.witness(r0, r1));
  }
  explain::Outcome outcome() {
    judgement = explain::judge(mp.graph, result, query.ask, accept_bound, flags);
    return {test, query, result, judgement, flags, "mp.litmus", "sc", "explicit", 0.004};
  }
};

}  // namespace ptxmc::testing
