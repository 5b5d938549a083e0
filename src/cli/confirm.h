// SPDX-License-Identifier: Apache-2.0
// A finding of `verify`, asked of the exact engine: the run is repeated, what it did around the two accesses becomes a
// litmus test, and the engine says whether they race in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/check_test.h"
#include "kernel/run.h"
#include "program/inner_map.h"
#include "program/program.h"
#include "trace/finding.h"

namespace ptxmc::cli {

enum class Confirmation : std::uint8_t { confirmed, denied, open };

struct Confirmed {
  Confirmation answer = Confirmation::open;
  std::string why;   ///< it is open: the rest of "not confirmed: ..."
  std::string test;  ///< the text of the litmus test, if there is one
};

/// What was run.
struct Ran {
  const program::Program& program;
  const std::vector<program::InnerMap>& inner_maps;
  const kernel::Options& limits;
};

/// A race (trace::is_race) that the run showed.
Confirmed confirm(const Session& session, const Ran& ran, const trace::Finding& finding,
                  const std::string& name);

}  // namespace ptxmc::cli
