// SPDX-License-Identifier: Apache-2.0
// Findings of `verify`, asked of the exact engine: the run is repeated once for all of them, what it did around the two
// accesses of each becomes a litmus test, and the engine says whether they race in it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bridge/extract/iterations.h"
#include "bridge/extract/log.h"
#include "bridge/extract/slice.h"
#include "dynamic/exec/run.h"
#include "dynamic/order/finding.h"
#include "ptx/program/inner_map.h"
#include "ptx/program/program.h"
#include "session/analysis.h"
#include "support/budget.h"

namespace ptxmc::session {

enum class Confirmation : std::uint8_t { confirmed, refuted, open };

struct Confirmed {
  Confirmation answer = Confirmation::open;
  std::string why;                                     ///< it is open: the rest of "not confirmed: ..."
  std::string test;                                    ///< the text of the litmus test, if there is one
  std::vector<std::optional<trace::Site>> sites = {};  ///< extract::LitmusTest::sites, of that test
  std::vector<std::uint32_t> lines = {};               ///< of the two accesses in it
  /// Iterations of the access that came later in the run; nothing: both are in the same iterations, or that is not known for sure.
  std::optional<extract::Iterations> iterations = {};
};

/// What was run.
struct Ran {
  const program::Program& program;
  const std::vector<program::InnerMap>& inner_maps;
  const exec::Options& limits;  ///< their budget is that of the questions, too
};

/// Confirms races (trace::is_race) that one run showed.
class Confirmer {
 public:
  Confirmer(const Session& session, const Ran& ran, std::span<const trace::Finding> findings);
  Confirmed ask(const trace::Finding& finding, const std::string& name) const;

 private:
  Confirmed ask_of(const extract::Question& question, const extract::Ends& ends,
                   const std::string& name) const;
  std::vector<trace::Site> loops_of(const trace::Finding& finding) const;

  const Session& session_;
  Budget budget_;
  extract::Log log_;
  // around the accesses of the findings (exec::Run::loops_around)
  std::map<trace::Site, std::vector<trace::Site>> loops_;
};

}  // namespace ptxmc::session
